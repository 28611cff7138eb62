//! Reads accounts.

use std::{
    collections::{HashMap, HashSet},
    slice,
    sync::Arc,
};

use siskin_entities::{Account, Credentials, Page, PageRequest, Timestamp};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn, accounts as rows,
    relationships::{Direction, blocking_accounts, followed_accounts},
    users::{self, UserRecord},
};
use siskin_policy::visibility::{may_see_account, shows_in_list};
use siskin_text::{Handle, username_key};

use super::listed::{ShowsAccount, list_accounts};
use crate::{Error, Instance, LISTED_AT_ONCE, Result, addresses, id_list, roles, viewing::Viewing};

/// Returns the account with this id. Includes suspended accounts, which are rendered without
/// content.
///
/// # Errors
/// [`Error::NotFound`] if there is no account with this id, and for accounts that are unconfirmed
/// or pending approval.
pub fn reachable(conn: &mut Conn, id: &str) -> Result<Arc<Account>> {
    let id = id.parse().map_err(|_| Error::NotFound)?;
    let account = rows::find(conn, id)?.filter(|account| account.state.reachable);
    account.ok_or(Error::NotFound)
}

/// Returns the accounts with these ids, as [`reachable`] finds each, in the order of the ids and
/// without duplicates.
///
/// # Errors
/// [`Error::Invalid`] if there are more ids than fit on a page.
pub fn find_many(conn: &mut Conn, ids: &[String]) -> Result<Vec<Arc<Account>>> {
    let ids: Vec<AccountId> = id_list::parse(ids, id_list::MAX_ENTITIES)?;
    let mut found = rows::load_in_order(conn, &ids)?;
    found.retain(|account| account.state.reachable);
    Ok(found)
}

/// Checks that the account exists, for the operation that lists its identity proofs. The list is
/// always empty, because no other service provides such proofs any more. The operation remains for
/// the clients that call it.
///
/// # Errors
/// [`Error::NotFound`] as for [`reachable`].
pub fn identity_proofs(conn: &mut Conn, id: &str) -> Result<()> {
    reachable(conn, id).map(drop)
}

/// Returns the account with a handle. Unlike other lookups it also finds accounts that are
/// unconfirmed or pending approval, so that a client can check whether a name is free.
///
/// # Errors
/// [`Error::NotFound`] if the text is no handle, or no account has it.
pub fn lookup(conn: &mut Conn, instance: &Instance, typed: &str) -> Result<Arc<Account>> {
    let handle = Handle::parse(typed).ok_or(Error::NotFound)?;
    let domain = handle.domain.as_deref().filter(|domain| !instance.urls.is_own_domain(domain));
    let account = rows::find_by_handle(conn, &username_key(&handle.username), domain)?;
    account.ok_or(Error::NotFound)
}

/// Lists local accounts in any state with ids above `after`, for the operator: the next thousand in
/// the order of their creation.
///
/// # Errors
/// Storage errors only.
pub fn local(conn: &mut Conn, after: AccountId) -> Result<Vec<Arc<Account>>> {
    Ok(rows::local(conn, after, LISTED_AT_ONCE)?)
}

/// Loads the states of the users of local accounts, for the operator. Remote accounts have no user.
///
/// # Errors
/// Storage errors only.
pub fn load_records(conn: &mut Conn, ids: &[AccountId]) -> Result<HashMap<AccountId, UserRecord>> {
    Ok(users::load_records(conn, ids)?)
}

/// Returns the account with a handle, or with a profile address of this server.
///
/// # Errors
/// As [`lookup`].
pub fn named(conn: &mut Conn, instance: &Instance, typed: &str) -> Result<Arc<Account>> {
    match addresses::local_username(&instance.urls, typed) {
        Some(username) => lookup(conn, instance, &username),
        None => lookup(conn, instance, typed),
    }
}

/// Returns the account of a signed-in user, with the fields that only its owner sees. The role is
/// the one in effect.
///
/// # Errors
/// [`Error::NotFound`] if the account does not exist or has no user.
pub fn own(conn: &mut Conn, account: AccountId) -> Result<(Arc<Account>, Credentials)> {
    let shown = rows::find(conn, account)?.ok_or(Error::NotFound)?;
    let credentials = rows::credentials(conn, account)?.ok_or(Error::NotFound)?;
    let role = Some(roles::effective(conn, credentials.role.as_ref())?);
    Ok((shown, Credentials { role, ..credentials }))
}

/// Loads a page of an account's followers, or of the accounts it follows, the newest follow first.
/// The page is empty if the account blocks the viewer, or is suspended. It is also empty if the
/// account hides its network, except for its owner.
///
/// # Errors
/// [`Error::NotFound`] as for [`reachable`].
pub fn follows(
    conn: &mut Conn,
    owner: &str,
    direction: Direction,
    viewer: Option<AccountId>,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<Arc<Account>>> {
    let owner = reachable(conn, owner)?;
    if with_visible_network(conn, slice::from_ref(&owner), viewer)?.is_empty() {
        return Ok(Page::of(Vec::new(), request.limit, |_| 0));
    }
    let viewing = Viewing::of(conn, viewer, now)?;
    let shows = shows_in_list_of(owner.id, viewer);
    list_accounts(viewing, shows, request, |conn, request| {
        followed_accounts(conn, owner.id, direction, request)
    })
}

/// Returns the rule for a list of `owner`. Owners see the accounts in their own lists that they
/// block or mute.
pub(crate) fn shows_in_list_of(owner: AccountId, viewer: Option<AccountId>) -> ShowsAccount {
    if viewer == Some(owner) {
        |viewer, account, _| may_see_account(viewer, account)
    } else {
        shows_in_list
    }
}

/// Returns those of `owners` that show `viewer` their followers and followed accounts. An account
/// shows them to its owner, and to every viewer it does not block unless it hides its network.
/// Suspended accounts show nothing.
pub(crate) fn with_visible_network(
    conn: &mut Conn,
    owners: &[Arc<Account>],
    viewer: Option<AccountId>,
) -> Result<HashSet<AccountId>> {
    let ids: Vec<AccountId> = owners.iter().map(|owner| owner.id).collect();
    let blocking = match viewer {
        Some(viewer) => blocking_accounts(conn, &ids, viewer)?,
        None => Vec::new(),
    };
    let shows = |owner: &&Arc<Account>| {
        let is_open = !owner.hide_collections && !blocking.contains(&owner.id);
        !owner.state.suspended && (viewer == Some(owner.id) || is_open)
    };
    Ok(owners.iter().filter(shows).map(|owner| owner.id).collect())
}
