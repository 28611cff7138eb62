//! The parts of statuses that every request reads: the cache keys of the snapshots, the counters,
//! and the viewer's state. One statement loads them for any number of statuses.

use diesel::{dsl::exists, prelude::*, sql_types::Bool};
use siskin_entities::{ViewerState, Visibility, status::StatusCounts};
use siskin_ids::{AccountId, StatusId};
use siskin_policy::timelines;

use super::{is_present, parents, regarded, viewer_id, viewer_reblogs, visible_to};
use crate::{
    Conn, Result,
    accounts::{self, account_outline},
    conn::each,
    equals_any::IdExpression as _,
    fixed::fixed,
    schema::{
        account_stats, accounts as accounts_table, blocks, bookmarks, favourites,
        muted_conversations, status_pins, status_stats, statuses,
    },
    snapshots::{Key, generation},
};

/// A status without its content.
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
    parent: Option<Parent>,
    generation: Option<i64>,
    /// Whether visibility of parents needs the full check: some account is suspended, unconfirmed
    /// or pending approval, or blocks the viewer.
    needs_full_check: bool,
}

/// The parent of a status, if it still exists.
#[derive(Debug, Queryable)]
pub(super) struct Parent {
    author: AccountId,
    visibility: i16,
    reblog_of_id: Option<StatusId>,
}

/// State of a viewer for a status: favourited, reblogged, bookmarked, conversation muted, pinned.
type ViewerFlags = (bool, bool, bool, bool, bool);

/// Joins statuses with their authors, counters and parents. The authors must exist. Leaves out
/// statuses whose deletion has begun.
macro_rules! with_counts {
    () => {
        statuses::table
            .inner_join(accounts_table::table.left_join(account_stats::table))
            .left_join(status_stats::table)
            .left_join(
                parents.on(statuses::in_reply_to_id
                    .eq(parents.field(statuses::id).nullable())
                    .and(is_present!(visibility: parents.field(statuses::visibility)))),
            )
            .filter(is_present!(visibility: statuses::visibility))
    };
}

/// Columns of an [`Outline`] for `$viewer_id`.
macro_rules! outline {
    ($viewer_id:expr) => {{
        let parent = (
            parents.field(statuses::account_id),
            parents.field(statuses::visibility),
            parents.field(statuses::reblog_of_id),
        );
        let needs_full_check =
            exists(regarded.filter(regarded.field(accounts_table::suspended_at).is_not_null()))
                .or(exists(regarded.filter(fixed!(Bool, "NOT regarded.reachable"))))
                .or(exists(blocks::table.filter(blocks::target_account_id.eq($viewer_id))));
        let counts = (
            status_stats::replies_count,
            status_stats::reblogs_count,
            status_stats::favourites_count,
        );
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
            parent.nullable(),
            generation!(),
            needs_full_check,
        )
    }};
}

/// Joins `$query` with the rows of `$viewer` for its statuses; each table has at most one such row.
/// With a join, the engine opens each table once for the whole page. With EXISTS it would do so for
/// every status.
macro_rules! with_viewer_rows {
    ($query:expr, $viewer:expr) => {{
        let viewer_id: AccountId = $viewer;
        let reblog_by_viewer = viewer_reblogs
            .field(statuses::account_id)
            .eq(viewer_id)
            .and(viewer_reblogs.field(statuses::reblog_of_id).eq(statuses::id.nullable()));
        $query
            .left_join(favourites::table.on(
                favourites::account_id.eq(viewer_id).and(favourites::status_id.eq(statuses::id)),
            ))
            .left_join(viewer_reblogs.on(reblog_by_viewer))
            .left_join(
                bookmarks::table.on(bookmarks::account_id
                    .eq(viewer_id)
                    .and(bookmarks::status_id.eq(statuses::id))),
            )
            .left_join(
                muted_conversations::table.on(muted_conversations::account_id
                    .eq(viewer_id)
                    .and(muted_conversations::conversation_id.eq(statuses::conversation_id))),
            )
            .left_join(status_pins::table.on(
                status_pins::account_id.eq(viewer_id).and(status_pins::status_id.eq(statuses::id)),
            ))
    }};
}

/// Columns of [`ViewerFlags`].
macro_rules! viewer_flags {
    () => {
        (
            favourites::status_id.nullable().is_not_null(),
            viewer_reblogs.field(statuses::id).nullable().is_not_null(),
            bookmarks::status_id.nullable().is_not_null(),
            muted_conversations::conversation_id.nullable().is_not_null(),
            status_pins::status_id.nullable().is_not_null(),
        )
    };
}

/// Loads the outlines of these statuses with the state of `viewer`, in no particular order.
pub(super) fn read(
    conn: &mut Conn,
    ids: &[StatusId],
    viewer: Option<AccountId>,
) -> Result<Vec<(Outline, Option<ViewerState>)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let Some(viewer) = viewer else {
        let rows: Vec<Outline> = each!(conn, c => with_counts!()
            .filter(statuses::id.equals_any(ids))
            .select(outline!(viewer_id(None)))
            .load(c))?;
        return Ok(rows.into_iter().map(|outline| (outline, None)).collect());
    };
    let rows: Vec<(Outline, ViewerFlags)> = each!(conn, c => with_viewer_rows!(with_counts!(), viewer)
        .filter(statuses::id.equals_any(ids))
        .select((outline!(viewer), viewer_flags!()))
        .load(c))?;
    let with_state = |(outline, viewer_flags): (Outline, ViewerFlags)| {
        let state = outline.state(viewer_flags, viewer);
        (outline, Some(state))
    };
    Ok(rows.into_iter().map(with_state).collect())
}

/// Loads the outline of one status with the state of `viewer`, if it is visible to `viewer`.
pub(super) fn read_visible(
    conn: &mut Conn,
    id: StatusId,
    viewer: Option<AccountId>,
) -> Result<Vec<(Outline, Option<ViewerState>)>> {
    let viewer_id = viewer_id(viewer);
    let rows: Vec<(Outline, ViewerFlags)> = each!(conn, c => with_viewer_rows!(visible_to!(with_counts!(), viewer_id), viewer_id)
            .filter(statuses::id.eq(id))
            .select((outline!(viewer_id), viewer_flags!()))
            .load(c))?;
    let with_state = |(outline, viewer_flags): (Outline, ViewerFlags)| {
        let state = viewer.map(|viewer| outline.state(viewer_flags, viewer));
        (outline, state)
    };
    Ok(rows.into_iter().map(with_state).collect())
}

impl Outline {
    /// Returns the cache key of the status's snapshot.
    pub(super) fn key(&self) -> Key<StatusId> {
        Key { id: self.id, version: self.version, generation: self.generation() }
    }

    /// Returns the parent as stored.
    pub(super) const fn parent(&self) -> timelines::Parent {
        match self.in_reply_to_id {
            None => timelines::Parent::None,
            Some(_) => timelines::Parent::By(self.in_reply_to_account_id),
        }
    }

    /// Returns `Some` with whether the parent is visible to `viewer`. Returns `None` if a query
    /// must decide.
    pub(super) fn shows_parent(&self, viewer: Option<AccountId>) -> Option<bool> {
        let Some(parent) = &self.parent else { return Some(false) };
        let is_open = Visibility::from_number(parent.visibility).is_open();
        let is_original = parent.reblog_of_id.is_none();
        (is_original && (viewer == Some(parent.author) || is_open && !self.needs_full_check))
            .then_some(true)
    }

    pub(super) fn generation(&self) -> i64 {
        self.generation.unwrap_or_default()
    }

    pub(super) fn counts(&self) -> StatusCounts {
        let (replies, reblogs, favourites) = self.counts.unwrap_or_default();
        StatusCounts { replies, reblogs, favourites }
    }

    fn state(&self, viewer_flags: ViewerFlags, viewer_id: AccountId) -> ViewerState {
        let (favourited, reblogged, bookmarked, muted, pinned) = viewer_flags;
        let can_be_pinned =
            self.author.id == viewer_id && Visibility::from_number(self.visibility).can_be_pinned();
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
