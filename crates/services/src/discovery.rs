//! Discovery of local accounts for programs that know a handle or an address. Implements
//! `WebFinger` (RFC 7033).

use std::sync::Arc;

use siskin_entities::{Account, Urls};
use siskin_persistence::{Conn, accounts, tombstones};
use siskin_text::{Handle, username_key};

use crate::{
    Error, Result,
    addresses::{self, Local},
};

/// Actor that a resource names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    Account(Arc<Account>),
    /// The actor of the whole server.
    Instance,
}

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

/// Returns the actor that `resource` names, for servers that read its document: like [`find`], but
/// also a suspended account, of which they read that it is suspended, and the actor of the whole
/// server.
///
/// # Errors
/// [`Error::NotFound`] if there is no such actor, and for accounts that are unconfirmed or pending
/// approval. [`Error::Gone`] if the account was deleted.
pub fn find_actor(conn: &mut Conn, urls: &Urls, resource: &str) -> Result<Actor> {
    if is_instance(urls, resource) {
        return Ok(Actor::Instance);
    }
    let username = username(urls, resource).ok_or(Error::NotFound)?;
    let account = accounts::find_by_handle(conn, &username_key(&username), None)?;
    if let Some(account) = account {
        return match account.state.reachable {
            true => Ok(Actor::Account(account)),
            false => Err(Error::NotFound),
        };
    }
    match tombstones::find(conn, &urls.account_uri(&username))? {
        Some(_) => Err(Error::Gone("This account was deleted".to_owned())),
        None => Err(Error::NotFound),
    }
}

/// Returns the address of the page about the local account or status that `resource` names. Does
/// not check that it exists.
#[must_use]
pub fn page(urls: &Urls, resource: &str) -> Option<String> {
    match addresses::local(urls, resource) {
        Some(Local::Status(username, id)) => Some(urls.status(&username, id)),
        _ => username(urls, resource).map(|username| urls.profile(&username)),
    }
}

/// Returns `true` for the actor of the whole server: its address, or the handle with the domain as
/// its name.
fn is_instance(urls: &Urls, resource: &str) -> bool {
    let handle = Handle::parse(without_scheme(resource));
    let is_named = handle.is_some_and(|handle| {
        let is_own = handle.domain.is_some_and(|domain| urls.is_own_domain(&domain));
        is_own && handle.username.eq_ignore_ascii_case(host_of(urls.domain()))
    });
    is_named || resource == urls.page("/actor")
}

/// Returns a domain without its port.
fn host_of(domain: &str) -> &str {
    domain.split_once(':').map_or(domain, |(host, _)| host)
}

fn username(urls: &Urls, resource: &str) -> Option<String> {
    addresses::local_username(urls, without_scheme(resource))
}

fn without_scheme(resource: &str) -> &str {
    match resource.split_at_checked("acct:".len()) {
        Some((scheme, handle)) if scheme.eq_ignore_ascii_case("acct:") => handle,
        _ => resource,
    }
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

    #[test]
    fn the_host_of_the_server_is_a_domain_of_its_handles_too() {
        let urls = Urls::new("https://social.a.example", "a.example", "");
        for resource in [
            "acct:alice@a.example",
            "acct:alice@social.a.example",
            "https://social.a.example/@alice",
        ] {
            assert_eq!(username(&urls, resource).as_deref(), Some("alice"), "{resource}");
        }
        for resource in ["acct:alice@b.a.example", "https://a.example/@alice"] {
            assert_eq!(username(&urls, resource), None, "{resource}");
        }
    }

    #[test]
    fn the_server_has_an_address_and_a_handle() {
        let urls = Urls::new("https://social.a.example:8443", "a.example", "");
        for resource in [
            "acct:a.example@a.example",
            "A.Example@social.a.example:8443",
            "https://social.a.example:8443/actor",
        ] {
            assert!(is_instance(&urls, resource), "{resource}");
        }
        for resource in [
            "acct:a.example",
            "acct:a.example@b.example",
            "acct:alice@a.example",
            "https://a.example/actor",
            "https://social.a.example:8443/",
        ] {
            assert!(!is_instance(&urls, resource), "{resource}");
        }
        let with_port = Urls::new("http://localhost:3000", "localhost:3000", "");
        assert!(is_instance(&with_port, "acct:localhost@localhost:3000"));
    }

    #[test]
    fn accounts_and_statuses_have_pages() {
        let urls = Urls::new("https://a.example", "a.example", "");
        for (resource, expected) in [
            ("acct:alice@a.example", Some("https://a.example/@alice")),
            ("@alice@a.example", Some("https://a.example/@alice")),
            ("https://a.example/users/alice", Some("https://a.example/@alice")),
            ("https://a.example/users/alice/statuses/7", Some("https://a.example/@alice/7")),
            ("https://a.example/@alice/7", Some("https://a.example/@alice/7")),
            ("https://a.example/tags/birds", None),
            ("https://b.example/@alice", None),
            ("alice", None),
        ] {
            assert_eq!(page(&urls, resource).as_deref(), expected, "{resource}");
        }
    }
}
