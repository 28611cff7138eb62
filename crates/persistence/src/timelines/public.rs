//! The public timelines: public statuses of all accounts.

use diesel::{prelude::*, sql_types::SmallInt};
use siskin_entities::{Page, PageRequest, Timestamp};
use siskin_ids::{AccountId, StatusId};

use crate::{
    Conn, Result,
    fixed::fixed,
    media::has_media,
    page::{cut_rows, page},
    schema::{accounts, statuses},
    statuses::{
        RelationFlags, is_listed, may_see, neither_blocks_nor_mutes, row_exists, viewer_id,
    },
};

/// Origin of the authors of a timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Origin {
    #[default]
    Anywhere,
    /// Authors of this server only.
    Local,
    /// Authors of remote servers only.
    Remote,
}

/// Filter of a public timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TimelineFilter {
    pub origin: Origin,
    /// Only statuses with attachments.
    pub only_media: bool,
}

/// `true` if the current status matches the filter.
macro_rules! matches_timeline_filter {
    ($filter:expr) => {{
        use diesel::{IntoSql as _, sql_types::Bool};
        let TimelineFilter { origin, only_media } = $filter;
        let author = accounts::table.filter(accounts::id.eq(statuses::account_id));
        let is_local = row_exists!(author.filter(accounts::domain.is_null()));
        let is_remote = row_exists!(author.filter(accounts::domain.is_not_null()));
        (origin != Origin::Local)
            .into_sql::<Bool>()
            .or(is_local)
            .and((origin != Origin::Remote).into_sql::<Bool>().or(is_remote))
            .and((!only_media).into_sql::<Bool>().or(has_media!(statuses::id)))
    }};
}

pub(super) use matches_timeline_filter;

/// Loads a page of public statuses, without reblogs and without replies to other accounts. Silenced
/// authors are visible to their followers only.
pub fn public(
    conn: &mut Conn,
    viewer: Option<AccountId>,
    filter: TimelineFilter,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<StatusId>> {
    let viewer_id = viewer_id(viewer);
    let flags = RelationFlags::of(conn, viewer_id, now)?;
    let is_no_reply = statuses::in_reply_to_id.is_null();
    let is_self_reply = statuses::in_reply_to_account_id.eq(statuses::account_id.nullable());
    let query = statuses::table
        // The condition of the partial index. As a bind value it would be invisible to SQLite's
        // planner.
        .filter(statuses::visibility.eq(fixed!(SmallInt, "0")))
        .filter(statuses::reblog_of_id.is_null())
        .filter(is_no_reply.or(is_self_reply.assume_not_null()))
        .filter(may_see!(
            viewer_id,
            at: flags,
            id: statuses::id,
            account: statuses::account_id,
            visibility: statuses::visibility
        ))
        .filter(neither_blocks_nor_mutes!(viewer_id, now, at: flags, account: statuses::account_id))
        .filter(is_listed!(viewer_id, at: flags, account: statuses::account_id))
        .filter(matches_timeline_filter!(filter))
        .select(statuses::id);
    let ids: Vec<StatusId> = cut_rows!(conn, query, statuses::id, request)?;
    Ok(page(ids, request, |id| id.get()))
}
