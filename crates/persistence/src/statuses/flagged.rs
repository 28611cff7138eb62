//! Viewer relations: which kinds of blocks, mutes and so on exist for a viewer at all. Most viewers
//! have none of them. One statement checks this per page, so that the page can skip the conditions
//! for each row.

use diesel::{prelude::*, select};
use siskin_entities::Timestamp;
use siskin_ids::AccountId;

use crate::{Conn, Result};

/// Viewer relations in one database snapshot. A field is `false` if the corresponding rule finds
/// nothing for this viewer, for any account or status. The fields are in the order of `flags!`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable)]
pub(crate) struct RelationFlags {
    /// Some account is suspended, unconfirmed or pending approval.
    pub(crate) inactive: bool,
    /// Some account is silenced.
    pub(crate) limited: bool,
    /// Some account blocks the viewer.
    pub(crate) blocked: bool,
    /// The viewer blocks an account.
    pub(crate) blocking: bool,
    /// The viewer blocks a domain.
    pub(crate) domains: bool,
    /// The viewer mutes an account.
    pub(crate) muting: bool,
}

/// The condition `$found`, or `false` if the viewer has no relation of `$flag`.
macro_rules! flagged {
    (all, $flag:ident, $found:expr) => {
        $found
    };
    ($flags:ident, $flag:ident, $found:expr) => {
        diesel::IntoSql::into_sql::<diesel::sql_types::Bool>($flags.$flag).and($found)
    };
}

pub(crate) use flagged;

/// The condition `$met`, or `true` if the viewer has no relation of `$flag`.
macro_rules! required {
    (all, $flag:ident, $met:expr) => {
        $met
    };
    ($flags:ident, $flag:ident, $met:expr) => {
        diesel::IntoSql::into_sql::<diesel::sql_types::Bool>(!$flags.$flag).or($met)
    };
}

pub(crate) use required;

/// Columns of [`RelationFlags`] for `$viewer` at `$now`, usable in any query.
macro_rules! flags {
    ($viewer:expr, $now:expr) => {{
        use diesel::{dsl::exists, prelude::*, sql_types::Bool};
        use $crate::{
            fixed::fixed,
            schema::{account_domain_blocks, accounts, blocks, mutes},
        };
        let (viewer, now): (siskin_ids::AccountId, siskin_entities::Timestamp) = ($viewer, $now);
        let inactive = exists(accounts::table.filter(accounts::suspended_at.is_not_null()))
            .or(exists(accounts::table.filter(fixed!(Bool, "NOT accounts.reachable"))));
        let limited = exists(accounts::table.filter(accounts::silenced_at.is_not_null()));
        let blocked = exists(blocks::table.filter(blocks::target_account_id.eq(viewer)));
        let blocking = exists(blocks::table.filter(blocks::account_id.eq(viewer)));
        let domains = exists(
            account_domain_blocks::table.filter(account_domain_blocks::account_id.eq(viewer)),
        );
        let in_force = mutes::expires_at.is_null().or(mutes::expires_at.gt(now.unix_ms()));
        let muting = exists(mutes::table.filter(mutes::account_id.eq(viewer)).filter(in_force));
        (inactive, limited, blocked, blocking, domains, muting)
    }};
}

impl RelationFlags {
    /// Loads the relations of `viewer` at `now` in one statement.
    pub(crate) fn of(conn: &mut Conn, viewer: AccountId, now: Timestamp) -> Result<Self> {
        Ok(select(flags!(viewer, now)).get_result(conn)?)
    }
}
