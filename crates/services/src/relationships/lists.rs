//! Whom one mutes, blocks and endorses, who asks to follow, and who of those whom one follows
//! follows somebody.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use siskin_entities::{Account, Page, PageRequest, Timestamp};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn, accounts as account_rows,
    relationships::{self as rows, Listing},
};

use crate::{Result, accounts, asked_ids};

/// For how many accounts one may ask at once who follows them.
const MOST_FAMILIAR: usize = 80;

/// A page of those whom `owner` mutes, the latest mute first, each with the time at which that
/// ends; cut by ids that are not shown.
///
/// # Errors
/// Storage errors only, as with the next three.
pub fn mutes(
    conn: &mut Conn,
    owner: AccountId,
    now: Timestamp,
    page: PageRequest,
) -> Result<Page<(Arc<Account>, Option<Timestamp>)>> {
    Ok(rows::mutes_page(conn, owner, now, page)?)
}

/// A page of those whom `owner` blocks, the latest block first; cut by ids that are not shown.
pub fn blocks(conn: &mut Conn, owner: AccountId, page: PageRequest) -> Result<Page<Arc<Account>>> {
    Ok(rows::blocks_page(conn, owner, page)?)
}

/// A page of the servers that `owner` blocks, the latest block first; cut by ids that are not
/// shown.
pub fn domain_blocks(conn: &mut Conn, owner: AccountId, page: PageRequest) -> Result<Page<String>> {
    Ok(rows::domains_page(conn, owner, page)?)
}

/// A page of those who ask to follow `owner`, the latest request first; cut by ids that are not
/// shown.
pub fn requests(
    conn: &mut Conn,
    owner: AccountId,
    page: PageRequest,
) -> Result<Page<Arc<Account>>> {
    Ok(rows::requests_page(conn, owner, page)?)
}

/// A page of those whom the account endorses, the latest endorsement first; cut by ids that are
/// not shown. Empty for those whom the account blocks, and for a suspended account.
///
/// # Errors
/// [`Error::NotFound`] for an account that is not there or out of reach.
pub fn endorsements(
    conn: &mut Conn,
    owner: &str,
    viewer: Option<AccountId>,
    now: Timestamp,
    page: PageRequest,
) -> Result<Page<Arc<Account>>> {
    let owner = accounts::reachable(conn, owner)?;
    let is_blocked = match viewer {
        Some(viewer) => rows::avoids(conn, owner.id, viewer)?,
        None => false,
    };
    if owner.state.suspended || is_blocked {
        return Ok(Page::of(Vec::new(), page.limit, |_| 0));
    }
    let listing = Listing { owner: owner.id, viewer, now };
    Ok(rows::endorsements_page(conn, listing, page)?)
}

/// An account with those of its followers whom the reader follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FamiliarFollowers {
    pub id: AccountId,
    /// The newest follow first.
    pub accounts: Vec<Arc<Account>>,
}

/// Who of those whom `viewer` follows follows each of these accounts, in the order of the ids;
/// what is no id of an account is left out. Nobody is named where the account does not show its
/// network to the viewer, nor who hides whom they follow.
///
/// # Errors
/// [`Error::Invalid`] for more ids than anybody shows on a page.
pub fn familiar_followers(
    conn: &mut Conn,
    viewer: AccountId,
    ids: &[String],
    now: Timestamp,
) -> Result<Vec<FamiliarFollowers>> {
    let ids: Vec<AccountId> = asked_ids::parse(ids, MOST_FAMILIAR)?;
    let known = account_rows::load_in_order(conn, &ids)?;
    let known: Vec<_> = known.into_iter().filter(|account| account.state.reachable).collect();
    let open: Vec<AccountId> =
        accounts::showing_network(conn, &known, Some(viewer))?.into_iter().collect();
    let pairs = rows::familiar_followers(conn, viewer, &open, now)?;
    let followers: HashSet<AccountId> = pairs.iter().map(|(_, follower)| *follower).collect();
    let followers: Vec<AccountId> = followers.into_iter().collect();
    let followers = account_rows::load(conn, &followers)?;
    let mut named: HashMap<AccountId, Vec<Arc<Account>>> = HashMap::new();
    for (account, follower) in pairs {
        let shown = followers.get(&follower).filter(|follower| !follower.hide_collections);
        named.entry(account).or_default().extend(shown.cloned());
    }
    let of = |account: &Arc<Account>| FamiliarFollowers {
        id: account.id,
        accounts: named.remove(&account.id).unwrap_or_default(),
    };
    Ok(known.iter().map(of).collect())
}
