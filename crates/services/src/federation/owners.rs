//! Local accounts to which documents belong.

use std::sync::Arc;

use siskin_entities::{Account, Urls};
use siskin_persistence::{Conn, SnapshotVersion, accounts};
use siskin_text::username_key;

use super::document::{Found, remains};
use crate::{Error, Result};

/// Something of a local account, or what remains of it.
pub(super) enum Sought<T> {
    Here(T),
    Remains(Found),
}

/// Returns the local account with this name, with the version of its snapshot. Returns `None` also
/// if it is unconfirmed or pending approval.
pub(super) fn find(
    conn: &mut Conn,
    username: &str,
) -> Result<Option<(Arc<Account>, SnapshotVersion)>> {
    let found = accounts::find_local(conn, &username_key(username))?;
    Ok(found.filter(|(account, _)| account.state.reachable))
}

/// Returns the local account with this name that shows its statuses and collections.
///
/// # Errors
/// [`Error::NotFound`] if there is none, and for suspended accounts.
pub(super) fn shown(conn: &mut Conn, urls: &Urls, username: &str) -> Result<Sought<Arc<Account>>> {
    match find(conn, username)? {
        Some((account, _)) if account.state.suspended => Err(Error::NotFound),
        Some((account, _)) => Ok(Sought::Here(account)),
        None => {
            let id = urls.account_uri(username);
            remains(conn, &id, &id).map(Sought::Remains)
        }
    }
}
