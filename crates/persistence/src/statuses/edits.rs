//! Edits of statuses and their history.

use std::{iter::once, time::Duration};

use diesel::prelude::*;
use siskin_entities::{StatusBody, StatusEdit, StatusSource, Timestamp, Visibility};
use siskin_ids::{AccountId, StatusId, TagId};
use siskin_text::texts_of_html;

use super::{
    insert::{insert_mentions, insert_tags},
    source::StoredSource,
};
use crate::{
    Conn, Result, Tx, accounts,
    conn::OnEngine,
    conversations, emojis,
    schema::{mentions, status_edits, statuses, statuses_tags},
    tags,
};

/// The new content of a status.
#[derive(Debug, Clone)]
pub struct Revision<'a> {
    pub source: &'a StatusSource,
    /// Sanitised HTML.
    pub content: &'a str,
    /// Without duplicates, in the order in which they were typed.
    pub mentions: &'a [AccountId],
    pub tags: &'a [TagId],
}

#[derive(Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = status_edits)]
struct EditRow {
    status_id: StatusId,
    version: i64,
    text: String,
    content: String,
    spoiler_text: String,
    sensitive: bool,
    poll_options: Option<String>,
    created_at: i64,
}

impl EditRow {
    /// Returns the options of the version's poll.
    fn titles(&self) -> Option<Vec<String>> {
        self.poll_options.as_ref().and_then(|titles| serde_json::from_str(titles).ok())
    }

    /// Returns the texts of a version that can contain emojis. `poll_options` is JSON, which leaves
    /// shortcodes unchanged.
    fn texts(&self) -> impl Iterator<Item = &str> {
        let titles = self.poll_options.as_deref();
        once(self.spoiler_text.as_str()).chain(texts_of_html(&self.content)).chain(titles)
    }
}

/// Locks a status against edits and deletion until the transaction ends. Returns `false` if it is
/// gone.
pub fn lock(tx: &mut Tx<'_>, id: StatusId) -> Result<bool> {
    let row = statuses::table.filter(statuses::id.eq(id)).select(statuses::id);
    let found: Option<StatusId> = match tx.on_engine() {
        OnEngine::Postgres(pg) => row.for_no_key_update().first(pg).optional()?,
        // SQLite has one writer at a time, and this transaction is it.
        OnEngine::Sqlite(sqlite) => row.first(sqlite).optional()?,
    };
    Ok(found.is_some())
}

/// Replaces the content of a status and stores the previous version. The caller [locked](lock) the
/// status and loaded it as `before`. Accounts that were mentioned before can still see the status.
/// Returns the accounts that no version mentioned before.
pub fn edit(
    tx: &mut Tx<'_>,
    before: &StatusBody,
    revision: &Revision<'_>,
) -> Result<Vec<AccountId>> {
    let changes = (
        StoredSource::from(revision.source),
        statuses::content.eq(revision.content),
        statuses::version.eq(statuses::version + 1),
        statuses::edited_at.eq(next_version_at(tx, before).unix_ms()),
    );
    let version: i64 = diesel::update(statuses::table.filter(statuses::id.eq(before.id)))
        .set(changes)
        .returning(statuses::version)
        .get_result(&mut **tx)?;
    let replaced = EditRow {
        status_id: before.id,
        // The update raised the version by one.
        version: version - 1,
        text: before.source.text.clone(),
        content: before.content.clone(),
        spoiler_text: before.source.spoiler_text.clone(),
        sensitive: before.source.sensitive,
        poll_options: titles(before).and_then(|titles| serde_json::to_string(&titles).ok()),
        created_at: before.edited_at.unwrap_or(before.created_at).unix_ms(),
    };
    diesel::insert_into(status_edits::table).values(replaced).execute(&mut **tx)?;
    replace_tags(tx, before, revision.tags)?;
    let added = replace_mentions(tx, before.id, revision.mentions)?;
    if before.visibility == Visibility::Direct && !added.is_empty() {
        conversations::reassign_status(tx, before.id)?;
    }
    Ok(added)
}

/// Returns the time of the version that replaces `before`. A transaction that began first may get
/// the lock last, so the time of the transaction alone would not ascend.
fn next_version_at(tx: &Tx<'_>, before: &StatusBody) -> Timestamp {
    let last = before.edited_at.unwrap_or(before.created_at);
    tx.now().max(last.after(Duration::from_millis(1)))
}

/// Replaces the hashtags of a status.
fn replace_tags(tx: &mut Tx<'_>, status: &StatusBody, after: &[TagId]) -> Result<()> {
    if status.tags.is_empty() && after.is_empty() {
        return Ok(());
    }
    let author = status.account.id;
    accounts::lock_counts(tx, &[author])?;
    let of_status = statuses_tags::table.filter(statuses_tags::status_id.eq(status.id));
    let before: Vec<TagId> = of_status.select(statuses_tags::tag_id).load(&mut **tx)?;
    diesel::delete(of_status).execute(&mut **tx)?;
    insert_tags(tx, status.id, after)?;
    let without = |of: &[TagId], others: &[TagId]| -> Vec<TagId> {
        of.iter().filter(|tag| !others.contains(tag)).copied().collect()
    };
    if status.visibility.is_open() {
        tags::add_uses(tx, author, &without(after, &before), status.created_at)?;
        tags::subtract_uses(tx, author, &without(&before, after), status.created_at)?;
    }
    Ok(())
}

/// Replaces the mentions of a status. Accounts that were mentioned before become silent mentions.
/// Returns the accounts that no version mentioned before.
fn replace_mentions(
    tx: &mut Tx<'_>,
    id: StatusId,
    mentioned: &[AccountId],
) -> Result<Vec<AccountId>> {
    let of_status = mentions::table.filter(mentions::status_id.eq(id));
    let before: Vec<AccountId> =
        of_status.order(mentions::position).select(mentions::account_id).load(&mut **tx)?;
    diesel::delete(of_status).execute(&mut **tx)?;
    let is_lost = |account: &&AccountId| !mentioned.contains(account);
    let silent: Vec<AccountId> = before.iter().filter(is_lost).copied().collect();
    insert_mentions(tx, id, mentioned, &silent)?;
    Ok(mentioned.iter().filter(|account| !before.contains(account)).copied().collect())
}

/// Loads the versions of a status, the oldest first and the present one last. Returns at most
/// `limit` versions (at least three): the original and the newest ones.
pub fn history(conn: &mut Conn, status: &StatusBody, limit: i64) -> Result<Vec<StatusEdit>> {
    let rows = replaced(conn, status.id, limit - 1)?;
    let local = rows.iter().filter(|_| status.account.is_local()).flat_map(EditRow::texts);
    let emojis = emojis::TextEmojis::in_texts(conn, local)?;
    let replaced = rows.into_iter().map(|row| StatusEdit {
        account: status.account.clone(),
        attachments: status.attachments.clone(),
        quote: status.quote.clone(),
        emojis: emojis.of(row.texts()),
        poll_options: row.titles(),
        content: row.content,
        spoiler_text: row.spoiler_text,
        sensitive: row.sensitive,
        created_at: Timestamp::from_unix_ms(row.created_at),
    });
    Ok(replaced.chain([present(status)]).collect())
}

/// Loads the replaced versions of a status in their order: the original and the newest others.
fn replaced(conn: &mut Conn, status: StatusId, limit: i64) -> Result<Vec<EditRow>> {
    let of_status = || status_edits::table.filter(status_edits::status_id.eq(status));
    let newest = of_status().order(status_edits::version.desc()).limit(limit);
    let mut rows: Vec<EditRow> = newest.select(EditRow::as_select()).load(conn)?;
    rows.reverse();
    if i64::try_from(rows.len()).is_ok_and(|read| read == limit) {
        let original = of_status().order(status_edits::version).limit(1);
        let original: Vec<EditRow> = original.select(EditRow::as_select()).load(conn)?;
        rows.splice(..1, original);
    }
    Ok(rows)
}

/// Returns the options of the status's poll.
fn titles(status: &StatusBody) -> Option<Vec<String>> {
    let poll = status.poll.as_ref()?;
    Some(poll.options.iter().map(|option| option.title.clone()).collect())
}

fn present(status: &StatusBody) -> StatusEdit {
    StatusEdit {
        account: status.account.clone(),
        content: status.content.clone(),
        spoiler_text: status.source.spoiler_text.clone(),
        sensitive: status.source.sensitive,
        poll_options: titles(status),
        attachments: status.attachments.clone(),
        quote: status.quote.clone(),
        emojis: status.emojis.clone(),
        created_at: status.edited_at.unwrap_or(status.created_at),
    }
}
