//! Ids of what this server publishes, and addresses in its documents.

use siskin_entities::{Account, Cursor, StatusBody, Urls};
use siskin_federation::address::{Domain, Handle};
use siskin_ids::StatusId;
use siskin_media::FileName;
use siskin_persistence::statuses::StatusName;

use crate::{Error, Result};

/// Inbox of the whole server, as a path.
const SHARED_INBOX: &str = "/inbox";
/// Actor of the whole server, as a path.
const INSTANCE_ACTOR: &str = "/actor";

/// Addresses of a local actor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ActorNames {
    pub(super) id: String,
    pub(super) inbox: String,
    pub(super) outbox: String,
    pub(super) followers: String,
    pub(super) following: String,
    pub(super) featured: String,
    pub(super) featured_tags: String,
    pub(super) shared_inbox: String,
    pub(super) rsa_key: String,
    pub(super) ed25519_key: String,
}

impl ActorNames {
    /// Returns the addresses of the local account with this name.
    pub(super) fn of_account(urls: &Urls, username: &str) -> Self {
        Self::of(urls, urls.account_uri(username))
    }

    /// Returns the addresses of the actor of the whole server. Its collections do not exist.
    pub(super) fn of_instance(urls: &Urls) -> Self {
        Self::of(urls, urls.page(INSTANCE_ACTOR))
    }

    fn of(urls: &Urls, id: String) -> Self {
        Self {
            inbox: format!("{id}/inbox"),
            outbox: format!("{id}/outbox"),
            followers: followers(&id),
            following: format!("{id}/following"),
            featured: format!("{id}/collections/featured"),
            featured_tags: format!("{id}/collections/tags"),
            shared_inbox: urls.page(SHARED_INBOX),
            rsa_key: format!("{id}#main-key"),
            ed25519_key: format!("{id}#ed25519-key"),
            id,
        }
    }
}

/// Returns the collection of the followers of a local actor.
pub(super) fn followers(actor: &str) -> String {
    format!("{actor}/followers")
}

/// Returns the id of an account.
pub(super) fn actor_id(urls: &Urls, account: &Account) -> String {
    if account.is_local() { urls.account_uri(&account.username) } else { account.uri.clone() }
}

/// Returns the id of a status.
pub(super) fn status_id(urls: &Urls, body: &StatusBody) -> String {
    if body.is_local { urls.status_uri(&body.username, body.id) } else { body.uri.clone() }
}

/// Returns the id of the status with this name. Local statuses are named by the present address of
/// this server, even if it was another one when they were written.
pub(super) fn named_status_id(urls: &Urls, id: StatusId, name: &StatusName) -> String {
    if name.is_local { urls.status_uri(&name.username, id) } else { name.uri.clone() }
}

/// Returns the id of the activity that published a local status, or of a reblog.
pub(super) fn activity_id(status: &str) -> String {
    format!("{status}/activity")
}

/// Returns the address of a page of a collection.
pub(super) fn page_of(collection: &str, cursor: Cursor) -> String {
    let Cursor { max, min, since } = cursor;
    let mut address = format!("{collection}?page=true");
    for (name, value) in [("max_id", max), ("min_id", min), ("since_id", since)] {
        if let Some(value) = value {
            address = format!("{address}&{name}={value}");
        }
    }
    address
}

/// Returns the handle of a name of this server.
///
/// # Errors
/// [`Error::Internal`] if the domain of this server cannot be that of a handle.
pub(super) fn handle(urls: &Urls, name: &str) -> Result<Handle> {
    Handle::new(name, domain(urls)?).map_err(Error::internal)
}

/// Returns the domain of handles of this server.
///
/// # Errors
/// [`Error::Internal`] if it cannot be that of a handle.
pub(super) fn domain(urls: &Urls) -> Result<Domain> {
    Domain::parse(urls.domain()).map_err(Error::internal)
}

/// Returns the media type of a stored file. Returns an empty text if it is unknown.
pub(super) fn media_type(file: &str) -> &'static str {
    let name = file.parse::<FileName>().ok();
    name.and_then(|name| name.file_type().media_type()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use siskin_entities::{AccountSnapshot, Timestamp};
    use siskin_ids::AccountId;

    use super::*;

    fn urls() -> Urls {
        Urls::new("https://town.example", "town.example", "https://town.example/media")
    }

    #[test]
    fn addresses_begin_with_the_id() {
        let names = ActorNames::of_account(&urls(), "a");
        assert_eq!(names.id, "https://town.example/users/a");
        assert_eq!(names.featured_tags, "https://town.example/users/a/collections/tags");
        assert_eq!(names.shared_inbox, "https://town.example/inbox");
        assert_eq!(names.rsa_key, "https://town.example/users/a#main-key");
        let names = ActorNames::of_instance(&urls());
        assert_eq!(
            (&*names.id, &*names.inbox),
            ("https://town.example/actor", "https://town.example/actor/inbox")
        );
    }

    #[test]
    fn local_ids_follow_from_the_address_of_this_server() {
        let account = AccountSnapshot {
            uri: "http://before.example/users/a".to_owned(),
            ..AccountSnapshot::new(AccountId::new(1), "a", Timestamp::from_unix_ms(0))
        };
        let far = AccountSnapshot { domain: Some("far.example".to_owned()), ..account.clone() };
        assert_eq!(actor_id(&urls(), &Account::new(account)), "https://town.example/users/a");
        assert_eq!(actor_id(&urls(), &Account::new(far)), "http://before.example/users/a");
        let name = StatusName {
            uri: "https://far.example/1".to_owned(),
            username: "a".to_owned(),
            is_local: true,
        };
        let id = StatusId::new(7);
        assert_eq!(named_status_id(&urls(), id, &name), "https://town.example/users/a/statuses/7");
        let far = StatusName { is_local: false, ..name };
        assert_eq!(named_status_id(&urls(), id, &far), "https://far.example/1");
    }

    #[test]
    fn pages_are_named_by_their_cursors() {
        let page = |max, min| page_of("https://town.example/c", Cursor { max, min, since: None });
        assert_eq!(page(None, None), "https://town.example/c?page=true");
        assert_eq!(page(Some(5), None), "https://town.example/c?page=true&max_id=5");
        assert_eq!(page(None, Some(0)), "https://town.example/c?page=true&min_id=0");
    }

    #[test]
    fn handles_have_the_domain_of_the_server() {
        let with_port = Urls::new("http://localhost:3000", "localhost:3000", "");
        assert_eq!(handle(&with_port, "a").unwrap().to_string(), "a@localhost:3000");
        assert!(handle(&Urls::new("", "", ""), "a").is_err());
    }
}
