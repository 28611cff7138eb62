//! Link previews: metadata of the pages that statuses link to, and the links from statuses to
//! pages.
//!
//! A row represents one address and is shared by all statuses with that link. It is inserted with
//! the first such status; the metadata follows later. Who fetches pages, and when, is the caller's
//! part.

mod link;
mod sweep;
mod write;

use std::collections::HashMap;

use diesel::prelude::*;
use siskin_entities::{CardImage, CardKind, PreviewCard, Timestamp};
use siskin_ids::{PreviewCardId, StatusId};

use crate::{
    Conn, Result, Tx,
    conn::OnEngine,
    equals_any::IdExpression as _,
    schema::{preview_cards, status_cards},
};

pub use link::{address_of, link, unlink};
pub use sweep::{any_unused, sweep};
pub use write::{raise_statuses, schedule_fetch, store};

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = preview_cards)]
pub(crate) struct CardRow {
    url: String,
    kind: i16,
    title: String,
    description: String,
    author_name: String,
    author_url: String,
    provider_name: String,
    provider_url: String,
    embed_url: String,
    width: i32,
    height: i32,
    image_file: Option<String>,
    blurhash: Option<String>,
    is_article: bool,
    published_at: Option<i64>,
}

impl From<CardRow> for PreviewCard {
    fn from(row: CardRow) -> Self {
        let blurhash = row.blurhash;
        Self {
            url: row.url,
            kind: CardKind::from_number(row.kind),
            title: row.title,
            description: row.description,
            author_name: row.author_name,
            author_url: row.author_url,
            provider_name: row.provider_name,
            provider_url: row.provider_url,
            embed_url: row.embed_url,
            width: u32::try_from(row.width).unwrap_or(0),
            height: u32::try_from(row.height).unwrap_or(0),
            image: row.image_file.map(|file| CardImage { file, blurhash }),
            is_article: row.is_article,
            published_at: row.published_at.map(Timestamp::from_unix_ms),
        }
    }
}

/// Stored data of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCard {
    /// The address as the status links to it.
    pub address: String,
    /// `None` until the page was fetched successfully.
    pub card: Option<PreviewCard>,
    /// URL from which the stored image was fetched.
    pub image_source: Option<String>,
}

/// Loads the data of a page. Returns `None` if no status links to it.
pub fn find_linked(conn: &mut Conn, id: PreviewCardId) -> Result<Option<StoredCard>> {
    let of_some_status = status_cards::table.filter(status_cards::card_id.eq(id));
    if !diesel::select(diesel::dsl::exists(of_some_status)).get_result::<bool>(conn)? {
        return Ok(None);
    }
    find(conn, id)
}

/// Loads the data of a page, linked or not, and locks its row until the transaction ends.
pub fn take(tx: &mut Tx<'_>, id: PreviewCardId) -> Result<Option<StoredCard>> {
    lock(tx, id)?;
    find(tx, id)
}

/// Locks the row of a page.
///
/// A transaction that changes a status has locked the status before this row. Storing a fetched
/// page works in the other order: first the page, then the versions of its statuses. If that
/// crosses an edit, the engine detects the deadlock and restarts one of the two.
fn lock(tx: &mut Tx<'_>, id: PreviewCardId) -> Result<()> {
    // `SQLite` has one writer at a time, and this transaction is it.
    if let OnEngine::Postgres(pg) = tx.on_engine() {
        let row = preview_cards::table.find(id).select(preview_cards::id);
        row.for_no_key_update().first::<PreviewCardId>(pg).optional()?;
    }
    Ok(())
}

fn find(conn: &mut Conn, id: PreviewCardId) -> Result<Option<StoredCard>> {
    let row: Option<(String, bool, Option<String>, CardRow)> = preview_cards::table
        .find(id)
        .select((
            preview_cards::address,
            preview_cards::shown,
            preview_cards::image_source,
            CardRow::as_select(),
        ))
        .first(conn)
        .optional()?;
    Ok(row.map(|(address, shown, image_source, row)| StoredCard {
        address,
        card: shown.then(|| row.into()),
        image_source,
    }))
}

/// Loads the previews of a batch of statuses in one statement.
pub(crate) fn of_statuses(
    conn: &mut Conn,
    statuses: &[StatusId],
) -> Result<HashMap<StatusId, PreviewCard>> {
    let rows: Vec<(StatusId, CardRow)> = status_cards::table
        .inner_join(preview_cards::table)
        .filter(status_cards::status_id.equals_any(statuses))
        .filter(preview_cards::shown)
        .select((status_cards::status_id, CardRow::as_select()))
        .load(conn)?;
    Ok(rows.into_iter().map(|(status, row)| (status, row.into())).collect())
}
