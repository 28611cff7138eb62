//! The public timelines: public statuses of all accounts.

use diesel::{prelude::*, sql_types::SmallInt};
use siskin_entities::PageRequest;

use super::Candidate;
use crate::{
    Conn, Result,
    fixed::fixed,
    media::has_media,
    page::{cut_rows, newest_first},
    schema::{accounts, statuses},
    statuses::row_exists,
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

/// Loads candidates of the public timelines, newest first: public statuses that match the filter,
/// without reblogs and without replies to other accounts.
pub fn public(
    conn: &mut Conn,
    filter: TimelineFilter,
    request: PageRequest,
) -> Result<Vec<Candidate>> {
    let is_no_reply = statuses::in_reply_to_id.is_null();
    let is_self_reply = statuses::in_reply_to_account_id.eq(statuses::account_id.nullable());
    let query = statuses::table
        // The condition of the partial index. As a bind value it would be invisible to SQLite's
        // planner.
        .filter(statuses::visibility.eq(fixed!(SmallInt, "0")))
        .filter(statuses::reblog_of_id.is_null())
        .filter(is_no_reply.or(is_self_reply.assume_not_null()))
        .filter(matches_timeline_filter!(filter))
        .select((statuses::id, statuses::reblog_of_id, statuses::account_id));
    let rows: Vec<Candidate> = cut_rows!(conn, query, statuses::id, request)?;
    Ok(newest_first(rows, request))
}
