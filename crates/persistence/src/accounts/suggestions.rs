//! Whom somebody may want to follow, and whom they do not want to be told of.

use diesel::{
    dsl::{count_star, not},
    prelude::*,
};
use siskin_entities::Timestamp;
use siskin_ids::AccountId;

use crate::{
    Conn, Result, Tx,
    among::IdExpression as _,
    among::TextExpression as _,
    conn::each,
    schema::{account_stats, accounts, follow_requests, follows, suggestion_dismissals},
    statuses::finds,
};

use super::HandleKey;

/// How many of those whom one follows are asked, those followed last.
const FRIENDS: i64 = 40;
/// Who follows more than this many says little about any of them.
const FOLLOWED_BY_A_FRIEND: i64 = 1000;
/// How many of those whom friends follow are looked at, the most followed by them.
const CANDIDATES: i64 = 1000;

// The follows of the one who reads, beside the follows of their friends.
diesel::alias!(follows as own_follows: OwnFollows);

/// True for an account that can be proposed to `viewer` without being asked for: in good standing,
/// not limited by moderators, not moved; neither has blocked the other or its server, and it is
/// not muted.
macro_rules! may_be_proposed {
    ($viewer:expr, $now:expr) => {{
        use $crate::schema::accounts;
        let avoided = $crate::statuses::avoids!(accounts::id, account: $viewer);
        accounts::suspended_at
            .is_null()
            .and(accounts::reachable.eq(true))
            .and(accounts::silenced_at.is_null())
            .and(accounts::moved_to_account_id.is_null())
            .and(not(avoided))
            .and($crate::statuses::wants_to_see!($viewer, $now, account: accounts::id))
    }};
}

pub(super) use may_be_proposed;

/// True for an account that `viewer` neither is nor follows nor asked to follow, and has not
/// dismissed.
macro_rules! is_news {
    ($viewer:expr) => {{
        let followed = finds!(
            follows::table
                .filter(follows::account_id.eq($viewer))
                .filter(follows::target_account_id.eq(accounts::id)),
        );
        let requested = finds!(
            follow_requests::table
                .filter(follow_requests::account_id.eq($viewer))
                .filter(follow_requests::target_account_id.eq(accounts::id)),
        );
        let dismissed = finds!(
            suggestion_dismissals::table
                .filter(suggestion_dismissals::account_id.eq($viewer))
                .filter(suggestion_dismissals::target_account_id.eq(accounts::id)),
        );
        accounts::id.ne($viewer).and(not(followed)).and(not(requested)).and(not(dismissed))
    }};
}

/// For whom suggestions are, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suggested {
    pub to: AccountId,
    pub now: Timestamp,
}

/// The accounts that those follow whom one follows, those with the most of them first; at most
/// `limit`. Only accounts that want to be found, and friends who show whom they follow.
pub fn friends_of_friends(
    conn: &mut Conn,
    suggested: Suggested,
    limit: usize,
) -> Result<Vec<AccountId>> {
    let candidates = followed_by_friends(conn, suggested.to)?;
    let fit: Vec<AccountId> = accounts::table
        .filter(accounts::id.among(&candidates))
        .filter(accounts::discoverable.eq(true))
        .filter(may_be_proposed!(suggested.to, suggested.now))
        .filter(is_news!(suggested.to))
        .select(accounts::id)
        .load(conn)?;
    Ok(candidates.into_iter().filter(|id| fit.contains(id)).take(limit).collect())
}

/// Whom those follow whom `viewer` follows, and `viewer` does not; as many rows are read as the
/// limits above allow, however large the network is.
fn followed_by_friends(conn: &mut Conn, viewer: AccountId) -> Result<Vec<AccountId>> {
    let friend = own_follows.field(follows::target_account_id);
    let friends = own_follows
        .inner_join(accounts::table.on(accounts::id.eq(friend)))
        .inner_join(account_stats::table.on(account_stats::account_id.eq(friend)))
        .filter(own_follows.field(follows::account_id).eq(viewer))
        .filter(accounts::hide_collections.eq(false))
        .filter(accounts::suspended_at.is_null())
        .filter(account_stats::following_count.le(FOLLOWED_BY_A_FRIEND))
        .order(own_follows.field(follows::id).desc())
        .limit(FRIENDS)
        .select(friend);
    let followed = finds!(
        own_follows
            .filter(own_follows.field(follows::account_id).eq(viewer))
            .filter(own_follows.field(follows::target_account_id).eq(follows::target_account_id)),
    );
    let counted: Vec<(AccountId, i64)> = follows::table
        .filter(follows::account_id.eq_any(friends))
        .filter(follows::target_account_id.ne(viewer))
        .filter(not(followed))
        .group_by(follows::target_account_id)
        .select((follows::target_account_id, count_star()))
        .order((count_star().desc(), follows::target_account_id.desc()))
        .limit(CANDIDATES)
        .load(conn)?;
    Ok(counted.into_iter().map(|(account, _)| account).collect())
}

/// Those of the accounts with these handles that can be suggested, in the order of the handles.
pub fn picked(
    conn: &mut Conn,
    suggested: Suggested,
    handles: &[HandleKey],
) -> Result<Vec<AccountId>> {
    if handles.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<&str> = handles.iter().map(|(name, _)| name.as_str()).collect();
    let found: Vec<(AccountId, String, Option<String>)> = accounts::table
        .filter(accounts::username_key.among_texts(names))
        .filter(may_be_proposed!(suggested.to, suggested.now))
        .filter(is_news!(suggested.to))
        .select((accounts::id, accounts::username_key, accounts::domain))
        .load(conn)?;
    let account = |(key, domain): &HandleKey| {
        let named = found.iter().find(|(_, name, at)| name == key && at == domain);
        named.map(|(id, ..)| *id)
    };
    Ok(handles.iter().filter_map(account).collect())
}

/// Suggests an account to somebody no more.
pub fn dismiss(tx: &mut Tx<'_>, account: AccountId, target: AccountId) -> Result<()> {
    let row = (
        suggestion_dismissals::account_id.eq(account),
        suggestion_dismissals::target_account_id.eq(target),
        suggestion_dismissals::created_at.eq(tx.now().unix_ms()),
    );
    each!(&mut **tx, conn => diesel::insert_into(suggestion_dismissals::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok(())
}
