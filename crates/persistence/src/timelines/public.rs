//! The public timelines: what everyone wrote for everyone.

use diesel::{prelude::*, sql_types::SmallInt};
use siskin_entities::{Page, PageRequest, Timestamp};
use siskin_ids::{AccountId, StatusId};

use crate::{
    Conn, Result,
    fixed::fixed,
    media::has_media,
    page::{cut, page},
    schema::{accounts, statuses},
    statuses::{finds, is_listed, may_see, reader, wants_to_see},
};

/// Where the authors of a timeline live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Origin {
    #[default]
    Anywhere,
    /// On this server.
    Local,
    /// On other servers.
    Remote,
}

/// What a public timeline is narrowed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Narrowing {
    pub origin: Origin,
    /// Only statuses with attachments.
    pub only_media: bool,
}

/// Narrows a boxed query over `statuses`.
macro_rules! narrowed {
    ($query:expr, $narrowing:expr) => {{
        let narrowing: $crate::timelines::Narrowing = $narrowing;
        let query = from_origin!($query, narrowing.origin);
        if narrowing.only_media { query.filter(has_media!(statuses::id)) } else { query }
    }};
}

/// Restricts a boxed query over `statuses` to authors of one origin.
macro_rules! from_origin {
    ($query:expr, $origin:expr) => {{
        let author = accounts::table.filter(accounts::id.eq(statuses::account_id));
        match $origin {
            $crate::timelines::Origin::Anywhere => $query,
            $crate::timelines::Origin::Local => {
                $query.filter(finds!(author.filter(accounts::domain.is_null())))
            }
            $crate::timelines::Origin::Remote => {
                $query.filter(finds!(author.filter(accounts::domain.is_not_null())))
            }
        }
    }};
}

pub(super) use {from_origin, narrowed};

/// A page of public statuses, without reblogs and without replies to other people. Limited
/// authors are seen by those who follow them.
pub fn public(
    conn: &mut Conn,
    viewer: Option<AccountId>,
    narrowing: Narrowing,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<StatusId>> {
    let reader = reader(viewer);
    let to_nobody = statuses::in_reply_to_id.is_null();
    let to_oneself = statuses::in_reply_to_account_id.eq(statuses::account_id.nullable());
    let query = statuses::table
        // The condition of the partial index; a bound number would hide that from SQLite.
        .filter(statuses::visibility.eq(fixed!(SmallInt, "0")))
        .filter(statuses::reblog_of_id.is_null())
        .filter(to_nobody.or(to_oneself.assume_not_null()))
        .filter(may_see!(
            reader,
            id: statuses::id,
            account: statuses::account_id,
            visibility: statuses::visibility
        ))
        .filter(wants_to_see!(reader, now, account: statuses::account_id))
        .filter(is_listed!(reader, account: statuses::account_id))
        .select(statuses::id)
        .into_boxed();
    let query = narrowed!(query, narrowing);
    let ids: Vec<StatusId> = cut!(query, statuses::id, request).load(conn)?;
    Ok(page(ids, request, |id| id.get()))
}
