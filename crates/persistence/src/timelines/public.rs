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
    statuses::{AtStake, finds, is_listed, may_see, reader, wants_to_see},
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
pub struct Narrowing {
    pub origin: Origin,
    /// Only statuses with attachments.
    pub only_media: bool,
}

/// `true` if the current status matches the filter.
macro_rules! is_narrow_enough {
    ($narrowing:expr) => {{
        use diesel::{IntoSql as _, sql_types::Bool};
        let Narrowing { origin, only_media } = $narrowing;
        let author = accounts::table.filter(accounts::id.eq(statuses::account_id));
        let is_local = finds!(author.filter(accounts::domain.is_null()));
        let is_remote = finds!(author.filter(accounts::domain.is_not_null()));
        (origin != Origin::Local)
            .into_sql::<Bool>()
            .or(is_local)
            .and((origin != Origin::Remote).into_sql::<Bool>().or(is_remote))
            .and((!only_media).into_sql::<Bool>().or(has_media!(statuses::id)))
    }};
}

pub(super) use is_narrow_enough;

/// Loads a page of public statuses, without reblogs and without replies to other accounts. Silenced
/// authors are visible to their followers only.
pub fn public(
    conn: &mut Conn,
    viewer: Option<AccountId>,
    narrowing: Narrowing,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<StatusId>> {
    let reader = reader(viewer);
    let stakes = AtStake::of(conn, reader, now)?;
    let to_nobody = statuses::in_reply_to_id.is_null();
    let to_oneself = statuses::in_reply_to_account_id.eq(statuses::account_id.nullable());
    let query = statuses::table
        // The condition of the partial index. As a bind value it would be invisible to SQLite's
        // planner.
        .filter(statuses::visibility.eq(fixed!(SmallInt, "0")))
        .filter(statuses::reblog_of_id.is_null())
        .filter(to_nobody.or(to_oneself.assume_not_null()))
        .filter(may_see!(
            reader,
            at: stakes,
            id: statuses::id,
            account: statuses::account_id,
            visibility: statuses::visibility
        ))
        .filter(wants_to_see!(reader, now, at: stakes, account: statuses::account_id))
        .filter(is_listed!(reader, at: stakes, account: statuses::account_id))
        .filter(is_narrow_enough!(narrowing))
        .select(statuses::id);
    let ids: Vec<StatusId> = cut_rows!(conn, query, statuses::id, request)?;
    Ok(page(ids, request, |id| id.get()))
}
