//! What can keep anything from a reader at all. Most people avoid nobody, and most servers are
//! blocked by nobody: what a page need not ask of each of its rows is asked here once.

use diesel::{prelude::*, select};
use siskin_entities::Timestamp;
use siskin_ids::AccountId;

use crate::{Conn, Result};

/// What the rules of visibility can find for a reader in a snapshot: false where they find nothing,
/// whichever account or status they are asked about.
/// Its fields stand in the order of [`stakes!`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable)]
pub(crate) struct AtStake {
    /// Somebody is suspended or out of reach.
    pub(crate) barred: bool,
    /// Moderators have limited somebody.
    pub(crate) limited: bool,
    /// Somebody blocks the reader.
    pub(crate) blocked: bool,
    /// The reader blocks somebody.
    pub(crate) blocking: bool,
    /// The reader blocks a server.
    pub(crate) servers: bool,
    /// The reader mutes somebody.
    pub(crate) muting: bool,
    /// A list of the reader takes its members' statuses out of home.
    pub(crate) exclusive: bool,
    /// The reader follows a hashtag.
    pub(crate) tags: bool,
}

/// The condition `$found`, which finds nothing where `$what` is not at stake.
macro_rules! at_stake {
    (all, $what:ident, $found:expr) => {
        $found
    };
    ($stakes:ident, $what:ident, $found:expr) => {
        diesel::IntoSql::into_sql::<diesel::sql_types::Bool>($stakes.$what).and($found)
    };
}

pub(crate) use at_stake;

/// The condition `$met`, which is met by everybody where `$what` is not at stake.
macro_rules! required {
    (all, $what:ident, $met:expr) => {
        $met
    };
    ($stakes:ident, $what:ident, $met:expr) => {
        diesel::IntoSql::into_sql::<diesel::sql_types::Bool>(!$stakes.$what).or($met)
    };
}

pub(crate) use required;

/// What decides what is at stake for `$reader` at `$now`, as columns of any query.
macro_rules! stakes {
    ($reader:expr, $now:expr) => {{
        use diesel::{dsl::exists, prelude::*, sql_types::Bool};
        use $crate::{
            fixed::fixed,
            schema::{account_domain_blocks, accounts, blocks, lists, mutes, tag_follows},
        };
        let (reader, now): (siskin_ids::AccountId, siskin_entities::Timestamp) = ($reader, $now);
        let barred = exists(accounts::table.filter(accounts::suspended_at.is_not_null()))
            .or(exists(accounts::table.filter(fixed!(Bool, "NOT accounts.reachable"))));
        let limited = exists(accounts::table.filter(accounts::silenced_at.is_not_null()));
        let blocked = exists(blocks::table.filter(blocks::target_account_id.eq(reader)));
        let blocking = exists(blocks::table.filter(blocks::account_id.eq(reader)));
        let servers = exists(
            account_domain_blocks::table.filter(account_domain_blocks::account_id.eq(reader)),
        );
        let in_force = mutes::expires_at.is_null().or(mutes::expires_at.gt(now.unix_ms()));
        let muting = exists(mutes::table.filter(mutes::account_id.eq(reader)).filter(in_force));
        let exclusive = exists(
            lists::table.filter(lists::account_id.eq(reader)).filter(lists::exclusive.eq(true)),
        );
        let tags = exists(tag_follows::table.filter(tag_follows::account_id.eq(reader)));
        (barred, limited, blocked, blocking, servers, muting, exclusive, tags)
    }};
}

pub(crate) use stakes;

impl AtStake {
    /// What is at stake for `reader` at `now`. One statement.
    pub(crate) fn of(conn: &mut Conn, reader: AccountId, now: Timestamp) -> Result<Self> {
        Ok(select(stakes!(reader, now)).get_result(conn)?)
    }

    /// Whether the reader avoids anybody.
    pub(crate) const fn avoids(self) -> bool {
        self.blocking || self.servers || self.muting
    }
}
