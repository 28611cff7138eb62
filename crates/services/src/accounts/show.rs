//! Reading accounts.

use std::{
    collections::{HashMap, HashSet},
    slice,
    sync::Arc,
};

use siskin_entities::{Account, Credentials, Page, PageRequest, Timestamp};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn, accounts as rows,
    relationships::{Direction, Listing, avoiding, follows_page},
    users::{self, Standing},
};
use siskin_text::{Handle, username_key};

use crate::{Error, Instance, LISTED_AT_ONCE, Result, addresses, asked_ids};

/// The account with this id. A suspended one is there, to be shown as a shell.
///
/// # Errors
/// [`Error::NotFound`] for what is no id of an account, and for people who are unconfirmed or
/// unapproved.
pub fn reachable(conn: &mut Conn, id: &str) -> Result<Arc<Account>> {
    let id = id.parse().map_err(|_| Error::NotFound)?;
    let account = rows::find(conn, id)?.filter(|account| account.state.reachable);
    account.ok_or(Error::NotFound)
}

/// The accounts with these ids, as [`reachable`] finds each, in the order of the ids and each once.
///
/// # Errors
/// [`Error::Invalid`] for more ids than anybody shows on a page.
pub fn several(conn: &mut Conn, ids: &[String]) -> Result<Vec<Arc<Account>>> {
    let ids: Vec<AccountId> = asked_ids::parse(ids, asked_ids::MOST_WHOLE)?;
    let mut found = rows::load_in_order(conn, &ids)?;
    found.retain(|account| account.state.reachable);
    Ok(found)
}

/// What other services say about who somebody is: nothing, since none is asked any more. The
/// operation stays for the clients that call it.
///
/// # Errors
/// [`Error::NotFound`] as for [`reachable`].
pub fn identity_proofs(conn: &mut Conn, id: &str) -> Result<()> {
    reachable(conn, id).map(drop)
}

/// The account that a handle names. This alone finds people who are unconfirmed or unapproved, so
/// that a client can tell whether a name is free.
///
/// # Errors
/// [`Error::NotFound`] where the text is no handle, or nobody's.
pub fn lookup(conn: &mut Conn, instance: &Instance, typed: &str) -> Result<Arc<Account>> {
    let handle = Handle::parse(typed).ok_or(Error::NotFound)?;
    let domain = handle.domain.as_deref().filter(|domain| *domain != instance.urls.domain());
    let account = rows::find_by_handle(conn, &username_key(&handle.username), domain)?;
    account.ok_or(Error::NotFound)
}

/// The local accounts that were made after `after`, for the operator: the next thousand in the
/// order in which they were made, whatever their state.
///
/// # Errors
/// Storage errors only.
pub fn local(conn: &mut Conn, after: AccountId) -> Result<Vec<Arc<Account>>> {
    Ok(rows::local(conn, after, LISTED_AT_ONCE)?)
}

/// Loads the people of local accounts, for the operator. Accounts of other servers have none.
///
/// # Errors
/// Storage errors only.
pub fn standings(conn: &mut Conn, ids: &[AccountId]) -> Result<HashMap<AccountId, Standing>> {
    Ok(users::standings(conn, ids)?)
}

/// The account that a handle, or the address of a profile of this server, names.
///
/// # Errors
/// As [`lookup`].
pub fn named(conn: &mut Conn, instance: &Instance, typed: &str) -> Result<Arc<Account>> {
    match addresses::local_username(&instance.urls, typed) {
        Some(username) => lookup(conn, instance, &username),
        None => lookup(conn, instance, typed),
    }
}

/// The account of a signed-in person with what only they see.
///
/// # Errors
/// [`Error::NotFound`] where the account is gone or is no person's.
pub fn own(conn: &mut Conn, account: AccountId) -> Result<(Arc<Account>, Credentials)> {
    let shown = rows::find(conn, account)?.ok_or(Error::NotFound)?;
    let credentials = rows::credentials(conn, account)?.ok_or(Error::NotFound)?;
    Ok((shown, credentials))
}

/// A page of an account's followers, or of those it follows, the newest follow first. Empty for
/// those whom the account blocks, where it hides its network (but not from its owner), and for
/// suspended accounts.
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
    if showing_network(conn, slice::from_ref(&owner), viewer)?.is_empty() {
        return Ok(Page::of(Vec::new(), request.limit, |_| 0));
    }
    let listing = Listing { owner: owner.id, viewer, now };
    Ok(follows_page(conn, listing, direction, request)?)
}

/// Those of `owners` that show `viewer` whom they follow and who follows them: their owners, and
/// where they neither hide it nor have blocked the viewer. Suspended accounts show nothing.
pub(crate) fn showing_network(
    conn: &mut Conn,
    owners: &[Arc<Account>],
    viewer: Option<AccountId>,
) -> Result<HashSet<AccountId>> {
    let ids: Vec<AccountId> = owners.iter().map(|owner| owner.id).collect();
    let closed = match viewer {
        Some(viewer) => avoiding(conn, &ids, viewer)?,
        None => Vec::new(),
    };
    let shows = |owner: &&Arc<Account>| {
        let is_open = !owner.hide_collections && !closed.contains(&owner.id);
        !owner.state.suspended && (viewer == Some(owner.id) || is_open)
    };
    Ok(owners.iter().filter(shows).map(|owner| owner.id).collect())
}
