//! Pages of muted, blocked and endorsed accounts, of domain blocks and follow requests, and
//! familiar followers.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use siskin_entities::{Account, Page, PageRequest, Timestamp};
use siskin_ids::AccountId;
use siskin_persistence::{Conn, accounts as account_rows, relationships as rows};
use siskin_policy::visibility::{AccountFacts, shows_in_list};

use crate::{
    Result,
    accounts::{
        self,
        listed::{ONLY_ACTIVE, list_accounts},
    },
    id_list,
    viewing::Viewing,
};

/// Maximum number of accounts in one request for familiar followers.
const MAX_FAMILIAR: usize = 80;

/// Loads a page of the accounts that `owner` mutes, the latest mute first, each with the end of the
/// mute. The cursor consists of internal ids, not of account ids.
///
/// # Errors
/// Storage errors only. The same holds for the next three functions.
pub fn mutes(
    conn: &mut Conn,
    owner: AccountId,
    now: Timestamp,
    page: PageRequest,
) -> Result<Page<(Arc<Account>, Option<Timestamp>)>> {
    let viewing = Viewing::of(conn, Some(owner), now)?;
    let relations = Arc::clone(&viewing.viewer);
    let muted = list_accounts(viewing, ONLY_ACTIVE, page, |conn, page| {
        rows::muted_accounts(conn, owner, now, page)
    })?;
    Ok(muted.map(|account| {
        let until = relations.mute(account.id, now).and_then(|mute| mute.until);
        (account, until)
    }))
}

/// Loads a page of the accounts that `owner` blocks, the latest block first. The cursor consists of
/// internal ids, not of account ids.
pub fn blocks(
    conn: &mut Conn,
    owner: AccountId,
    now: Timestamp,
    page: PageRequest,
) -> Result<Page<Arc<Account>>> {
    let viewing = Viewing::of(conn, Some(owner), now)?;
    list_accounts(viewing, ONLY_ACTIVE, page, |conn, page| {
        rows::blocked_accounts(conn, owner, page)
    })
}

/// Loads a page of the servers that `owner` blocks, the latest block first. The cursor consists of
/// internal ids.
pub fn domain_blocks(conn: &mut Conn, owner: AccountId, page: PageRequest) -> Result<Page<String>> {
    Ok(rows::domains_page(conn, owner, page)?)
}

/// Loads a page of the accounts that request to follow `owner`, the latest request first. The
/// cursor consists of internal ids, not of account ids.
pub fn requests(
    conn: &mut Conn,
    owner: AccountId,
    now: Timestamp,
    page: PageRequest,
) -> Result<Page<Arc<Account>>> {
    let viewing = Viewing::of(conn, Some(owner), now)?;
    list_accounts(viewing, ONLY_ACTIVE, page, |conn, page| {
        rows::requesting_accounts(conn, owner, page)
    })
}

/// Loads a page of the accounts that `owner` endorses, the latest endorsement first. The cursor
/// consists of internal ids, not of account ids. The page is empty if `owner` blocks the viewer or
/// is suspended.
///
/// # Errors
/// [`crate::Error::NotFound`] for an account that does not exist or is not reachable.
pub fn endorsements(
    conn: &mut Conn,
    owner: &str,
    viewer: Option<AccountId>,
    now: Timestamp,
    page: PageRequest,
) -> Result<Page<Arc<Account>>> {
    let owner = accounts::reachable(conn, owner)?;
    let is_blocked = match viewer {
        Some(viewer) => rows::blocks_account(conn, owner.id, viewer)?,
        None => false,
    };
    if owner.state.suspended || is_blocked {
        return Ok(Page::of(Vec::new(), page.limit, |_| 0));
    }
    let viewing = Viewing::of(conn, viewer, now)?;
    let shows = accounts::shows_in_list_of(owner.id, viewer);
    list_accounts(viewing, shows, page, |conn, page| rows::endorsed_accounts(conn, owner.id, page))
}

/// Account with those of its followers that the viewer follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FamiliarFollowers {
    pub id: AccountId,
    /// The newest follow first.
    pub accounts: Vec<Arc<Account>>,
}

/// Returns, for each of these accounts in the order of the ids, the followers that `viewer`
/// follows. Ignores unknown ids. The followers are left out if the account does not show its
/// network to the viewer. A follower that hides its own network is left out too.
///
/// # Errors
/// [`crate::Error::Invalid`] if there are too many ids.
pub fn familiar_followers(
    conn: &mut Conn,
    viewer: AccountId,
    ids: &[String],
    now: Timestamp,
) -> Result<Vec<FamiliarFollowers>> {
    let ids: Vec<AccountId> = id_list::parse(ids, MAX_FAMILIAR)?;
    let known = account_rows::load_in_order(conn, &ids)?;
    let known: Vec<_> = known.into_iter().filter(|account| account.state.reachable).collect();
    let open: Vec<AccountId> =
        accounts::with_visible_network(conn, &known, Some(viewer))?.into_iter().collect();
    let pairs = rows::familiar_followers(conn, viewer, &open)?;
    let relations = rows::viewer_relations(conn, Some(viewer))?;
    let followers: HashSet<AccountId> = pairs.iter().map(|(_, follower)| *follower).collect();
    let followers: Vec<AccountId> = followers.into_iter().collect();
    let followers = account_rows::load(conn, &followers)?;
    let mut by_account: HashMap<AccountId, Vec<Arc<Account>>> = HashMap::new();
    for (account, follower) in pairs {
        let is_shown = |follower: &&Arc<Account>| {
            !follower.hide_collections
                && shows_in_list(&relations, &AccountFacts::of(follower), now)
        };
        let shown = followers.get(&follower).filter(is_shown);
        by_account.entry(account).or_default().extend(shown.cloned());
    }
    let of = |account: &Arc<Account>| FamiliarFollowers {
        id: account.id,
        accounts: by_account.remove(&account.id).unwrap_or_default(),
    };
    Ok(known.iter().map(of).collect())
}
