//! Visibility as query fragments, for the queries that must count or rank only visible rows. Pages
//! ask `policy` instead. The fragments implement the rules of `policy::visibility`.

use crate::schema::accounts;

/// Stored visibility of a status whose deletion has begun. It is no `Visibility`: no function loads
/// such a status, not even for its author. Its dependent rows are deleted in chunks.
pub(crate) const REMOVED: i16 = 4;

/// `true` if the deletion of the status with this visibility has not begun.
macro_rules! is_present {
    (visibility: $visibility:expr) => {
        $visibility.lt($crate::statuses::REMOVED)
    };
}

pub(crate) use is_present;

/// `true` if the query, which refers to the current row, finds anything.
///
/// `OFFSET 0` makes PostgreSQL evaluate it for each row separately. Otherwise the planner may read
/// all possible results first, for example every active account, which is too much for a page.
macro_rules! row_exists {
    ($query:expr $(,)?) => {
        diesel::dsl::exists($query.offset(0))
    };
}

pub(crate) use row_exists;

/// `true` if the status with these columns is visible to `viewer_id`. If its deletion has begun, it
/// is visible to no account. Otherwise the author always sees it. For others, the author must be
/// active and must not block the viewer. Furthermore, the status must be public or unlisted, or
/// private while the viewer follows the author, or it must mention the viewer.
macro_rules! may_see {
    (
        $viewer_id:expr, id: $id:expr, account: $account:expr, visibility: $visibility:expr $(,)?
    ) => {{
        use $crate::schema::mentions;
        let viewer_id = $viewer_id;
        let visible = $crate::statuses::is_visible_to!(viewer_id, account: $account);
        let mentioned = $crate::statuses::row_exists!(
            mentions::table
                .filter(mentions::status_id.eq($id))
                .filter(mentions::account_id.eq(viewer_id)),
        );
        let followed = $crate::statuses::follows!(viewer_id, account: $account);
        let open = $visibility.le(siskin_entities::Visibility::Unlisted.number());
        let private = $visibility.eq(siskin_entities::Visibility::Private.number());
        let shown = visible.and(open.or(private.and(followed)).or(mentioned));
        $crate::statuses::is_present!(visibility: $visibility)
            .and($account.eq(viewer_id).or(shown))
    }};
}

pub(crate) use may_see;

// Alias of the account that a fragment checks, so that a query over accounts can apply the
// fragments to its own rows.
diesel::alias!(accounts as regarded: Regarded);

/// `true` if the account is active: neither suspended, nor unconfirmed, nor pending approval.
macro_rules! is_active {
    (account: $account:expr) => {{
        use $crate::{schema::accounts, statuses::regarded};
        $crate::statuses::row_exists!(
            regarded
                .filter(regarded.field(accounts::id).eq($account))
                .filter(regarded.field(accounts::suspended_at).is_null())
                .filter(regarded.field(accounts::reachable).eq(true)),
        )
    }};
}

pub(crate) use is_active;

/// `true` if the account is active and does not block `viewer_id`.
macro_rules! is_visible_to {
    ($viewer_id:expr, account: $account:expr) => {{
        use $crate::schema::blocks;
        let block = blocks::table
            .filter(blocks::account_id.eq($account))
            .filter(blocks::target_account_id.eq($viewer_id));
        $crate::statuses::is_active!(account: $account)
            .and(diesel::dsl::not($crate::statuses::row_exists!(block)))
    }};
}

pub(crate) use is_visible_to;

/// `true` if `viewer_id` blocks the account or its domain.
macro_rules! blocks_account {
    ($viewer_id:expr, account: $account:expr) => {{
        use $crate::{
            schema::{account_domain_blocks, accounts, blocks},
            statuses::regarded,
        };
        let blocking = $crate::statuses::row_exists!(
            blocks::table
                .filter(blocks::account_id.eq($viewer_id))
                .filter(blocks::target_account_id.eq($account)),
        );
        let domain = account_domain_blocks::domain.nullable();
        let blocking_domain = $crate::statuses::row_exists!(
            account_domain_blocks::table
                .inner_join(regarded.on(regarded.field(accounts::domain).eq(domain)))
                .filter(account_domain_blocks::account_id.eq($viewer_id))
                .filter(regarded.field(accounts::id).eq($account)),
        );
        blocking.or(blocking_domain)
    }};
}

pub(crate) use blocks_account;

/// Selects the mute of the account by `viewer_id` that is in force at `now`.
macro_rules! mute {
    ($viewer_id:expr, $now:expr, account: $account:expr) => {{
        use $crate::schema::mutes;
        mutes::table
            .filter(mutes::account_id.eq($viewer_id))
            .filter(mutes::target_account_id.eq($account))
            .filter(mutes::expires_at.is_null().or(mutes::expires_at.gt($now.unix_ms())))
    }};
}

pub(crate) use mute;

/// `true` if `viewer_id` neither blocks nor mutes the author, nor blocks the author's domain.
macro_rules! neither_blocks_nor_mutes {
    ($viewer_id:expr, $now:expr, account: $account:expr) => {{
        let viewer_id = $viewer_id;
        let mute = $crate::statuses::mute!(viewer_id, $now, account: $account);
        diesel::dsl::not($crate::statuses::blocks_account!(viewer_id, account: $account))
            .and(diesel::dsl::not($crate::statuses::row_exists!(mute)))
    }};
}

pub(crate) use neither_blocks_nor_mutes;

/// `true` if `viewer_id` follows the account.
macro_rules! follows {
    ($viewer_id:expr, account: $account:expr) => {{
        use $crate::schema::follows;
        $crate::statuses::row_exists!(
            follows::table
                .filter(follows::account_id.eq($viewer_id))
                .filter(follows::target_account_id.eq($account)),
        )
    }};
}

pub(crate) use follows;

/// `true` if the author is not silenced, or if `viewer_id` follows or is the author.
macro_rules! is_listed {
    ($viewer_id:expr, account: $account:expr) => {{
        use $crate::schema::accounts;
        let viewer_id = $viewer_id;
        let limited = $crate::statuses::row_exists!(
            accounts::table
                .filter(accounts::id.eq($account))
                .filter(accounts::silenced_at.is_not_null()),
        );
        diesel::dsl::not(limited)
            .or($account.eq(viewer_id))
            .or($crate::statuses::follows!(viewer_id, account: $account))
    }};
}

pub(crate) use is_listed;
