//! What of statuses is read for every answer: what names their cores and their authors', the counters,
//! and what the reader did. One statement for any number of statuses.

use diesel::prelude::*;
use siskin_entities::{ViewerState, Visibility, status::StatusCounts};
use siskin_ids::{AccountId, StatusId};

use super::finds;
use crate::{
    Conn, Result,
    accounts::{self, account_outline},
    among::IdExpression as _,
    conn::each,
    cores::{Key, generation},
    schema::{
        account_stats, accounts as accounts_table, bookmarks, favourites, muted_conversations,
        status_pins, status_stats, statuses,
    },
};

diesel::alias!(statuses as reblog_of_reader: ReblogOfReader);

/// A status without its words.
#[derive(Debug, Queryable)]
pub(super) struct Outline {
    pub(super) id: StatusId,
    version: i64,
    pub(super) author: accounts::Outline,
    visibility: i16,
    pub(super) in_reply_to_id: Option<StatusId>,
    pub(super) in_reply_to_account_id: Option<AccountId>,
    pub(super) conversation_id: StatusId,
    pub(super) reblog_of_id: Option<StatusId>,
    counts: Option<(i64, i64, i64)>,
    generation: Option<i64>,
}

/// What a reader did: favourited, reblogged and bookmarked the status, muted its conversation,
/// pinned it.
type Marks = (bool, bool, bool, bool, bool);

/// Statuses whose authors are there still, with the columns of an [`Outline`].
macro_rules! outlines {
    ($ids:expr, $($more:expr)?) => {{
        let counts = (
            status_stats::replies_count,
            status_stats::reblogs_count,
            status_stats::favourites_count,
        );
        statuses::table
            .inner_join(accounts_table::table.left_join(account_stats::table))
            .left_join(status_stats::table)
            .filter(statuses::id.among($ids))
            .select((
                (
                    statuses::id,
                    statuses::version,
                    account_outline!(),
                    statuses::visibility,
                    statuses::in_reply_to_id,
                    statuses::in_reply_to_account_id,
                    statuses::conversation_id,
                    statuses::reblog_of_id,
                    counts.nullable(),
                    generation!(),
                ),
                $($more)?
            ))
    }};
}

/// The columns of [`Marks`].
macro_rules! marks {
    ($viewer:expr) => {{
        let reader: AccountId = $viewer;
        (
            finds!(
                favourites::table
                    .filter(favourites::account_id.eq(reader))
                    .filter(favourites::status_id.eq(statuses::id))
            ),
            finds!(
                reblog_of_reader
                    .filter(reblog_of_reader.field(statuses::account_id).eq(reader))
                    .filter(
                        reblog_of_reader.field(statuses::reblog_of_id).eq(statuses::id.nullable())
                    )
            ),
            finds!(
                bookmarks::table
                    .filter(bookmarks::account_id.eq(reader))
                    .filter(bookmarks::status_id.eq(statuses::id))
            ),
            finds!(
                muted_conversations::table
                    .filter(muted_conversations::account_id.eq(reader))
                    .filter(muted_conversations::conversation_id.eq(statuses::conversation_id))
            ),
            finds!(
                status_pins::table
                    .filter(status_pins::account_id.eq(reader))
                    .filter(status_pins::status_id.eq(statuses::id))
            ),
        )
    }};
}

/// The outlines of these statuses, in no order, with what `viewer` did to each.
pub(super) fn read(
    conn: &mut Conn,
    ids: &[StatusId],
    viewer: Option<AccountId>,
) -> Result<Vec<(Outline, Option<ViewerState>)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let Some(viewer) = viewer else {
        let rows: Vec<(Outline,)> = each!(conn, c => outlines!(ids,).load(c))?;
        return Ok(rows.into_iter().map(|(outline,)| (outline, None)).collect());
    };
    let rows: Vec<(Outline, Marks)> = each!(conn, c => outlines!(ids, marks!(viewer)).load(c))?;
    let seen = |(outline, marks): (Outline, Marks)| {
        let state = outline.state(marks, viewer);
        (outline, Some(state))
    };
    Ok(rows.into_iter().map(seen).collect())
}

impl Outline {
    /// What names its core.
    pub(super) fn key(&self) -> Key<StatusId> {
        Key { id: self.id, version: self.version, generation: self.generation() }
    }

    pub(super) fn generation(&self) -> i64 {
        self.generation.unwrap_or_default()
    }

    pub(super) fn counts(&self) -> StatusCounts {
        let (replies, reblogs, favourites) = self.counts.unwrap_or_default();
        StatusCounts { replies, reblogs, favourites }
    }

    fn state(&self, marks: Marks, reader: AccountId) -> ViewerState {
        let (favourited, reblogged, bookmarked, muted, pinned) = marks;
        let can_be_pinned =
            self.author.id == reader && Visibility::from_number(self.visibility).can_be_pinned();
        ViewerState {
            favourited,
            reblogged,
            bookmarked,
            muted,
            pinned: can_be_pinned.then_some(pinned),
            filtered: Vec::new(),
        }
    }
}
