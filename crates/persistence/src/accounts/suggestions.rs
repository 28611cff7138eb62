//! Follow suggestions, and suggestions that the viewer dismissed.

use diesel::{
    dsl::{count_star, not},
    prelude::*,
};
use siskin_entities::Timestamp;
use siskin_ids::AccountId;

use crate::{
    Conn, Result, Tx,
    conn::each,
    equals_any::IdExpression as _,
    equals_any::TextExpression as _,
    schema::{account_stats, accounts, follow_requests, follows, suggestion_dismissals},
    statuses::row_exists,
};

use super::HandleKey;

/// Maximum number of followed accounts that are considered. The most recent follows count.
const MAX_FRIENDS: i64 = 40;
/// Accounts that follow more than this many others are skipped, because such follows say little.
const MAX_FOLLOWS_OF_FRIEND: i64 = 1000;
/// Maximum number of candidates. Those followed by the most friends come first.
const CANDIDATES: i64 = 1000;

// The follows of the viewer, joined with the follows of their friends.
diesel::alias!(follows as own_follows: OwnFollows);

/// `true` if an unrequested account can be proposed to `viewer`: it is active, not silenced, not
/// moved and not muted, and there is no block or domain block in either direction.
macro_rules! is_suggestible {
    ($viewer:expr, $now:expr) => {{
        use $crate::schema::accounts;
        let blocked = $crate::statuses::blocks_account!(accounts::id, account: $viewer);
        accounts::suspended_at
            .is_null()
            .and(accounts::reachable.eq(true))
            .and(accounts::silenced_at.is_null())
            .and(accounts::moved_to_account_id.is_null())
            .and(not(blocked))
            .and($crate::statuses::neither_blocks_nor_mutes!($viewer, $now, account: accounts::id))
    }};
}

pub(super) use is_suggestible;

/// `true` if an account is not `viewer`, is neither followed nor requested by `viewer`, and was not
/// dismissed.
macro_rules! is_new_suggestion {
    ($viewer:expr) => {{
        let followed = row_exists!(
            follows::table
                .filter(follows::account_id.eq($viewer))
                .filter(follows::target_account_id.eq(accounts::id)),
        );
        let requested = row_exists!(
            follow_requests::table
                .filter(follow_requests::account_id.eq($viewer))
                .filter(follow_requests::target_account_id.eq(accounts::id)),
        );
        let dismissed = row_exists!(
            suggestion_dismissals::table
                .filter(suggestion_dismissals::account_id.eq($viewer))
                .filter(suggestion_dismissals::target_account_id.eq(accounts::id)),
        );
        accounts::id.ne($viewer).and(not(followed)).and(not(requested)).and(not(dismissed))
    }};
}

/// The viewer that gets the suggestions, and the present time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SuggestionContext {
    pub to: AccountId,
    pub now: Timestamp,
}

/// Returns accounts that the viewer's friends follow, those with the most such friends first; at
/// most `limit`. Considers only accounts that opted in to be found, and only friends that show
/// their follows.
pub fn friends_of_friends(
    conn: &mut Conn,
    context: SuggestionContext,
    limit: usize,
) -> Result<Vec<AccountId>> {
    let candidates = followed_by_friends(conn, context.to)?;
    let suitable: Vec<AccountId> = accounts::table
        .filter(accounts::id.equals_any(&candidates))
        .filter(accounts::discoverable.eq(true))
        .filter(is_suggestible!(context.to, context.now))
        .filter(is_new_suggestion!(context.to))
        .select(accounts::id)
        .load(conn)?;
    Ok(candidates.into_iter().filter(|id| suitable.contains(id)).take(limit).collect())
}

/// Loads accounts that the viewer's friends follow and the viewer does not. The limits above bound
/// the number of rows read, independent of the size of the network.
fn followed_by_friends(conn: &mut Conn, viewer: AccountId) -> Result<Vec<AccountId>> {
    let friend = own_follows.field(follows::target_account_id);
    let friends = own_follows
        .inner_join(accounts::table.on(accounts::id.eq(friend)))
        .inner_join(account_stats::table.on(account_stats::account_id.eq(friend)))
        .filter(own_follows.field(follows::account_id).eq(viewer))
        .filter(accounts::hide_collections.eq(false))
        .filter(accounts::suspended_at.is_null())
        .filter(account_stats::following_count.le(MAX_FOLLOWS_OF_FRIEND))
        .order(own_follows.field(follows::id).desc())
        .limit(MAX_FRIENDS)
        .select(friend);
    let followed = row_exists!(
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

/// Returns those accounts among these handles that can be suggested, in the order of the handles.
pub fn staff_picks(
    conn: &mut Conn,
    context: SuggestionContext,
    handles: &[HandleKey],
) -> Result<Vec<AccountId>> {
    if handles.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<&str> = handles.iter().map(|(name, _)| name.as_str()).collect();
    let found: Vec<(AccountId, String, Option<String>)> = accounts::table
        .filter(accounts::username_key.equals_any_text(names))
        .filter(is_suggestible!(context.to, context.now))
        .filter(is_new_suggestion!(context.to))
        .select((accounts::id, accounts::username_key, accounts::domain))
        .load(conn)?;
    let account = |(key, domain): &HandleKey| {
        let named = found.iter().find(|(_, name, at)| name == key && at == domain);
        named.map(|(id, ..)| *id)
    };
    Ok(handles.iter().filter_map(account).collect())
}

/// Records that the account dismissed this suggestion.
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
