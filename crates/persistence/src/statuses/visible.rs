//! Visibility as query fragments. They implement the rule of `policy::visibility`; a test keeps
//! both equal.
//!
//! Each fragment accepts the viewer relations (`at:`, [`AtStake`](super::AtStake)) and skips the
//! conditions for relations that do not exist.

use siskin_ids::AccountId;

use crate::schema::accounts;

/// Id of an anonymous viewer; no row has it.
const ANONYMOUS: AccountId = AccountId::new(0);

/// Returns the id that the fragments bind for the viewer.
pub(crate) fn reader(viewer: Option<AccountId>) -> AccountId {
    viewer.unwrap_or(ANONYMOUS)
}

/// `true` if the query, which refers to the current row, finds anything.
///
/// `OFFSET 0` makes PostgreSQL evaluate it for each row separately. Otherwise the planner may read
/// all possible results first, for example every active account, which is too much for a page.
macro_rules! finds {
    ($query:expr $(,)?) => {
        diesel::dsl::exists($query.offset(0))
    };
}

pub(crate) use finds;

/// `true` if the status with these columns is visible to `reader`. The author always sees it. For
/// others, the author must be active and must not block the viewer. Furthermore, the status must be
/// public or unlisted, or private while the viewer follows the author, or it must mention the
/// viewer.
///
/// The columns are parameters, because a reblog must pass twice: itself, and (under an alias) the
/// reblogged status.
macro_rules! may_see {
    ($reader:expr, id: $id:expr, account: $account:expr, visibility: $visibility:expr) => {
        $crate::statuses::may_see!(
            $reader, at: all, id: $id, account: $account, visibility: $visibility
        )
    };
    (
        $reader:expr, at: $stakes:ident,
        id: $id:expr, account: $account:expr, visibility: $visibility:expr $(,)?
    ) => {{
        use $crate::schema::{follows, mentions};
        let reader = $reader;
        let shown = $crate::statuses::is_shown_to!(reader, at: $stakes, account: $account);
        let named = $crate::statuses::finds!(
            mentions::table
                .filter(mentions::status_id.eq($id))
                .filter(mentions::account_id.eq(reader)),
        );
        let followed = $crate::statuses::finds!(
            follows::table
                .filter(follows::account_id.eq(reader))
                .filter(follows::target_account_id.eq($account)),
        );
        let open = $visibility.le(siskin_entities::Visibility::Unlisted.number());
        let private = $visibility.eq(siskin_entities::Visibility::Private.number());
        $account.eq(reader).or(shown.and(open.or(private.and(followed)).or(named)))
    }};
}

pub(crate) use may_see;

// Alias of the account that a fragment checks, so that a query over accounts can apply the
// fragments to its own rows.
diesel::alias!(accounts as regarded: Regarded);

/// `true` if the account is active: neither suspended, nor unconfirmed, nor pending approval.
macro_rules! is_in_good_standing {
    (account: $account:expr) => {
        $crate::statuses::is_in_good_standing!(at: all, account: $account)
    };
    (at: $stakes:ident, account: $account:expr) => {{
        use $crate::{schema::accounts, statuses::regarded};
        let in_good_standing = $crate::statuses::finds!(
            regarded
                .filter(regarded.field(accounts::id).eq($account))
                .filter(regarded.field(accounts::suspended_at).is_null())
                .filter(regarded.field(accounts::reachable).eq(true)),
        );
        $crate::statuses::required!($stakes, barred, in_good_standing)
    }};
}

pub(crate) use is_in_good_standing;

/// `true` if the account is active and does not block `reader`.
macro_rules! is_shown_to {
    ($reader:expr, account: $account:expr) => {
        $crate::statuses::is_shown_to!($reader, at: all, account: $account)
    };
    ($reader:expr, at: $stakes:ident, account: $account:expr) => {{
        use $crate::schema::blocks;
        let block = blocks::table
            .filter(blocks::account_id.eq($account))
            .filter(blocks::target_account_id.eq($reader));
        let blocked = $crate::statuses::at_stake!($stakes, blocked, $crate::statuses::finds!(block));
        $crate::statuses::is_in_good_standing!(at: $stakes, account: $account)
            .and(diesel::dsl::not(blocked))
    }};
}

pub(crate) use is_shown_to;

/// `true` if `reader` blocks the account or its domain.
macro_rules! avoids {
    ($reader:expr, account: $account:expr) => {
        $crate::statuses::avoids!($reader, at: all, account: $account)
    };
    ($reader:expr, at: $stakes:ident, account: $account:expr) => {{
        use $crate::{
            schema::{account_domain_blocks, accounts, blocks},
            statuses::regarded,
        };
        let blocking = $crate::statuses::finds!(
            blocks::table
                .filter(blocks::account_id.eq($reader))
                .filter(blocks::target_account_id.eq($account)),
        );
        let domain = account_domain_blocks::domain.nullable();
        let blocking_server = $crate::statuses::finds!(
            account_domain_blocks::table
                .inner_join(regarded.on(regarded.field(accounts::domain).eq(domain)))
                .filter(account_domain_blocks::account_id.eq($reader))
                .filter(regarded.field(accounts::id).eq($account)),
        );
        $crate::statuses::at_stake!($stakes, blocking, blocking)
            .or($crate::statuses::at_stake!($stakes, servers, blocking_server))
    }};
}

pub(crate) use avoids;

/// Selects the mute of the account by `reader` that is in force at `now`.
macro_rules! mute {
    ($reader:expr, $now:expr, account: $account:expr) => {{
        use $crate::schema::mutes;
        mutes::table
            .filter(mutes::account_id.eq($reader))
            .filter(mutes::target_account_id.eq($account))
            .filter(mutes::expires_at.is_null().or(mutes::expires_at.gt($now.unix_ms())))
    }};
}

pub(crate) use mute;

/// `true` if `reader` neither blocks nor mutes the author, nor blocks the author's domain. Every
/// timeline and list requires this in addition to [`may_see`].
macro_rules! wants_to_see {
    ($reader:expr, $now:expr, account: $account:expr) => {
        $crate::statuses::wants_to_see!($reader, $now, at: all, account: $account)
    };
    ($reader:expr, $now:expr, at: $stakes:ident, account: $account:expr) => {{
        let reader = $reader;
        let mute = $crate::statuses::mute!(reader, $now, account: $account);
        let muting = $crate::statuses::at_stake!($stakes, muting, $crate::statuses::finds!(mute));
        diesel::dsl::not($crate::statuses::avoids!(reader, at: $stakes, account: $account))
            .and(diesel::dsl::not(muting))
    }};
}

pub(crate) use wants_to_see;

/// `true` if `reader` accepts notifications about the account. Works as [`wants_to_see`], but only
/// mutes that hide notifications count.
macro_rules! wants_to_hear {
    ($reader:expr, $now:expr, account: $account:expr) => {
        $crate::statuses::wants_to_hear!($reader, $now, at: all, account: $account)
    };
    ($reader:expr, $now:expr, at: $stakes:ident, account: $account:expr) => {{
        use $crate::schema::mutes;
        let mute = $crate::statuses::mute!($reader, $now, account: $account)
            .filter(mutes::hide_notifications.eq(true));
        let muting = $crate::statuses::at_stake!($stakes, muting, $crate::statuses::finds!(mute));
        diesel::dsl::not($crate::statuses::avoids!($reader, at: $stakes, account: $account))
            .and(diesel::dsl::not(muting))
    }};
}

pub(crate) use wants_to_hear;

/// `true` if `reader` follows the account.
macro_rules! follows {
    ($reader:expr, account: $account:expr) => {{
        use $crate::schema::follows;
        $crate::statuses::finds!(
            follows::table
                .filter(follows::account_id.eq($reader))
                .filter(follows::target_account_id.eq($account)),
        )
    }};
}

pub(crate) use follows;

/// `true` if the author is not silenced, or if `reader` follows or is the author. Public lists
/// require this in addition to [`may_see`] and [`wants_to_see`].
macro_rules! is_listed {
    ($reader:expr, account: $account:expr) => {
        $crate::statuses::is_listed!($reader, at: all, account: $account)
    };
    ($reader:expr, at: $stakes:ident, account: $account:expr) => {{
        use $crate::schema::accounts;
        let reader = $reader;
        let limited = $crate::statuses::finds!(
            accounts::table
                .filter(accounts::id.eq($account))
                .filter(accounts::silenced_at.is_not_null()),
        );
        diesel::dsl::not($crate::statuses::at_stake!($stakes, limited, limited))
            .or($account.eq(reader))
            .or($crate::statuses::follows!(reader, account: $account))
    }};
}

pub(crate) use is_listed;
