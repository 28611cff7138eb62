//! Discovery of local accounts for programs that know a handle or an address. Implements
//! `WebFinger` (RFC 7033).

use std::sync::Arc;

use siskin_entities::{Account, Urls};
use siskin_persistence::{Conn, accounts};
use siskin_text::username_key;

use crate::{Error, Result, addresses};

/// Returns the local account that `resource` names: `acct:name@domain`, with or without `acct:`, or
/// the address of its profile.
///
/// # Errors
/// [`Error::NotFound`] if there is no such local account, and for accounts that are suspended,
/// unconfirmed or pending approval. So the answer is the same as for names that are free.
pub fn find(conn: &mut Conn, urls: &Urls, resource: &str) -> Result<Arc<Account>> {
    let username = username(urls, resource).ok_or(Error::NotFound)?;
    accounts::find_by_handle(conn, &username_key(&username), None)?
        .filter(|account| account.state.reachable && !account.state.suspended)
        .ok_or(Error::NotFound)
}

fn username(urls: &Urls, resource: &str) -> Option<String> {
    let named = match resource.split_at_checked("acct:".len()) {
        Some((scheme, handle)) if scheme.eq_ignore_ascii_case("acct:") => handle,
        _ => resource,
    };
    addresses::local_username(urls, named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_found_by_handle_or_url() {
        let urls = Urls::new("http://localhost:3000", "localhost:3000", "");
        let named = |resource| username(&urls, resource);
        for resource in [
            "acct:alice@localhost:3000",
            "ACCT:alice@LocalHost:3000",
            "acct:@alice@localhost:3000",
            "alice@localhost:3000",
            "http://localhost:3000/@alice",
            "http://localhost:3000/users/alice",
        ] {
            assert_eq!(named(resource).as_deref(), Some("alice"), "{resource}");
        }
        for resource in [
            "",
            "acct:",
            "acct:alice",
            "alice",
            "acct:alice@localhost",
            "acct:alice@elsewhere.example",
            "https://localhost:3000/@alice",
            "http://localhost:3000/@alice/1",
            "acct:alice@localhost:3000@x",
        ] {
            assert_eq!(named(resource), None, "{resource}");
        }
    }
}
