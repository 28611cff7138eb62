//! Data for the public pages of local accounts, which need no sign-in.
//!
//! This module makes no visibility decisions. It calls the use cases of the API as an anonymous
//! viewer.

use std::sync::Arc;

use siskin_entities::{
    Account, Cursor, Feeds, Page, PageRequest, Rule, Status, StatusBody, Timestamp, Urls,
    settings::FeedAccess,
};
use siskin_ids::StatusId;
use siskin_persistence::{Conn, accounts as rows};
use siskin_text::{Handle, Hashtag, username_key};

use crate::{
    Error, Instance, Result,
    accounts::{self, directory},
    addresses::{self, Local},
    rules,
    statuses::{self, ProfileRequest, Thread},
    timelines::{self, Origin, TagRequest, TimelineFilter},
};

/// Number of statuses and of accounts on the front page.
const STATUSES_ON_FRONT: i64 = 5;
const PEOPLE_ON_FRONT: i64 = 6;

/// Target of an address of this server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found<T> {
    /// The requested entity.
    Here(T),
    /// Redirect to another address: on another server, or the canonical one here.
    Redirect(String),
}

/// Selection of the statuses on a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// All except replies to other accounts.
    WithoutReplies,
    All,
    /// Statuses with a hashtag.
    Tagged(String),
}

/// Profile with a page of its statuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    pub account: Arc<Account>,
    pub statuses: Page<Status>,
}

/// Status with its thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InThread {
    pub status: Status,
    pub thread: Thread,
}

/// Hashtag with a page of public statuses that contain it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tagged {
    /// Normalised by the hashtag rule.
    pub name: String,
    pub statuses: Page<Status>,
}

/// Returns the profile of the account with `handle`, with a page of its statuses.
///
/// # Errors
/// [`Error::NotFound`] if there is no such account, and if it is unconfirmed or pending approval.
/// Also [`Error::NotFound`] for hashtags that none of its statuses has that are visible to
/// anonymous viewers. [`Error::Gone`] for suspended and deleted accounts.
pub fn profile(
    conn: &mut Conn,
    instance: &Instance,
    handle: &str,
    selection: &Selection,
    now: Timestamp,
    page: PageRequest,
) -> Result<Found<Profile>> {
    let account = owner(conn, instance, handle)?;
    if !account.is_local() {
        return redirect_to_remote(account.url.as_deref());
    }
    if account.username != handle {
        return Ok(Found::Redirect(instance.urls.profile(&account.username)));
    }
    let mut request = ProfileRequest::default();
    match selection {
        Selection::WithoutReplies => request.exclude_replies = true,
        Selection::All => {}
        Selection::Tagged(typed) => {
            let Hashtag { name, .. } = Hashtag::parse(typed).ok_or(Error::NotFound)?;
            if name != *typed {
                return Ok(Found::Redirect(instance.urls.tagged(&account.username, &name)));
            }
            request.tagged = Some(name);
        }
    }
    let statuses = statuses::of_account(conn, None, account.id, &request, now, page)?;
    if request.tagged.is_some() && statuses.items.is_empty() {
        let newest = PageRequest::newest(1);
        if statuses::of_account(conn, None, account.id, &request, now, newest)?.items.is_empty() {
            return Err(Error::NotFound);
        }
    }
    Ok(Found::Here(Profile { account, statuses }))
}

/// Returns a status by the account with `handle`, with its thread. A reblog redirects to the
/// reblogged status.
///
/// # Errors
/// As [`profile`]; also [`Error::NotFound`] if the status belongs to another account, or is hidden
/// from anonymous viewers.
pub fn status(
    conn: &mut Conn,
    instance: &Instance,
    handle: &str,
    id: StatusId,
    now: Timestamp,
) -> Result<Found<InThread>> {
    let owner = owner(conn, instance, handle)?;
    let status = find_of_owner(conn, &owner, id)?;
    let displayed = status.displayed();
    if !displayed.account.is_local() {
        return redirect_to_remote(displayed.url.as_deref());
    }
    if status.reblog.is_some() || owner.username != handle {
        return Ok(Found::Redirect(
            instance.urls.status(&displayed.account.username, displayed.id),
        ));
    }
    let thread = statuses::context(conn, None, id, now)?;
    Ok(Found::Here(InThread { status, thread }))
}

/// Returns a status by the local account with `handle`, for embedding in other websites.
///
/// # Errors
/// As [`status`]; also [`Error::NotFound`] for a reblog, and for remote accounts.
pub fn embedded(
    conn: &mut Conn,
    instance: &Instance,
    handle: &str,
    id: StatusId,
) -> Result<StatusBody> {
    let owner = owner(conn, instance, handle)?;
    let status = find_of_owner(conn, &owner, id)?;
    if status.reblog.is_some() || !owner.is_local() {
        return Err(Error::NotFound);
    }
    Ok(status.body)
}

/// Returns the status with the page at `address`, if [`embedded`] shows it.
///
/// # Errors
/// [`Error::NotFound`] for everything else, including suspended and deleted accounts.
pub fn at(conn: &mut Conn, instance: &Instance, address: &str) -> Result<StatusBody> {
    let Some(Local::Status(username, id)) = addresses::local(&instance.urls, address) else {
        return Err(Error::NotFound);
    };
    embedded(conn, instance, &username, id).map_err(|error| match error {
        Error::Gone(_) => Error::NotFound,
        other => other,
    })
}

/// Returns the hashtag with this name, with a page of its public statuses. Other spellings redirect
/// to the normalised one.
///
/// # Errors
/// [`Error::Unauthenticated`] if hashtags are open to signed-in viewers only, and
/// [`Error::NotFound`] if no public status has the hashtag. So the page does not reveal hashtags
/// that occur only in private statuses.
pub fn tagged(
    conn: &mut Conn,
    feeds: Feeds,
    urls: &Urls,
    typed: &str,
    now: Timestamp,
    page: PageRequest,
) -> Result<Found<Tagged>> {
    let Hashtag { name, .. } = Hashtag::parse(typed).ok_or(Error::NotFound)?;
    let request = TagRequest { name: name.clone(), ..TagRequest::default() };
    let statuses = timelines::tag(conn, feeds, None, &request, now, page)?;
    if statuses.items.is_empty() {
        let newest = PageRequest { cursor: Cursor::default(), limit: 1 };
        if timelines::tag(conn, feeds, None, &request, now, newest)?.items.is_empty() {
            return Err(Error::NotFound);
        }
    }
    if name != typed {
        return Ok(Found::Redirect(urls.tag(&name)));
    }
    Ok(Found::Here(Tagged { name, statuses }))
}

/// What the front page shows of the instance.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Front {
    pub rules: Vec<Rule>,
    /// The newest public statuses of local accounts. Empty if only users see the local timeline.
    pub statuses: Vec<Status>,
    /// Local accounts of the directory that were active last. Empty in the same case.
    pub people: Vec<Arc<Account>>,
}

/// Returns what the front page shows of the instance, as anonymous viewers see it.
///
/// # Errors
/// Storage errors only.
pub fn front(conn: &mut Conn, feeds: Feeds, now: Timestamp) -> Result<Front> {
    let rules = rules::list(conn)?;
    if feeds.live.local != FeedAccess::Public {
        return Ok(Front { rules, ..Front::default() });
    }
    let filter = TimelineFilter { origin: Origin::Local, ..TimelineFilter::default() };
    let page = PageRequest { cursor: Cursor::default(), limit: STATUSES_ON_FRONT };
    let statuses = timelines::public(conn, feeds, None, filter, now, page)?.items;
    let people = directory::Query {
        local: true,
        limit: Some(PEOPLE_ON_FRONT.to_string()),
        ..directory::Query::default()
    };
    let people = directory::show(conn, None, directory::prepare(&people)?, now)?;
    Ok(Front { rules, statuses, people })
}

/// Returns `true` if search engines may index the pages of an account: its owner opted in, and
/// moderators did not silence it.
#[must_use]
pub fn is_indexed(account: &Account) -> bool {
    account.indexable && account.discoverable != Some(false) && !account.state.silenced
}

/// Returns the address at which other websites embed a status of this server.
#[must_use]
pub fn embed_address(urls: &Urls, status: &StatusBody) -> String {
    format!("{}/embed", urls.status(&status.account.username, status.id))
}

fn owner(conn: &mut Conn, instance: &Instance, handle: &str) -> Result<Arc<Account>> {
    let account = match accounts::lookup(conn, instance, handle) {
        Err(Error::NotFound) if was_deleted(conn, instance, handle)? => {
            return Err(Error::Gone("This account was deleted".to_owned()));
        }
        found => found?,
    };
    if !account.state.reachable {
        return Err(Error::NotFound);
    }
    if account.state.suspended {
        return Err(Error::Gone("This account is suspended".to_owned()));
    }
    Ok(account)
}

/// Returns `true` if the handle is that of a deleted account of this server.
fn was_deleted(conn: &mut Conn, instance: &Instance, typed: &str) -> Result<bool> {
    let own_domain = instance.urls.domain();
    match Handle::parse(typed) {
        Some(Handle { username, domain })
            if domain.as_deref().is_none_or(|it| it == own_domain) =>
        {
            Ok(rows::is_retired(conn, &username_key(&username))?)
        }
        _ => Ok(false),
    }
}

fn find_of_owner(conn: &mut Conn, owner: &Account, id: StatusId) -> Result<Status> {
    let status = statuses::find(conn, None, id)?;
    if status.body.account.id == owner.id { Ok(status) } else { Err(Error::NotFound) }
}

/// Redirects to a remote server if the address is known. Only web addresses are allowed.
fn redirect_to_remote<T>(address: Option<&str>) -> Result<Found<T>> {
    let is_web_url =
        |address: &&str| address.starts_with("https://") || address.starts_with("http://");
    address
        .filter(is_web_url)
        .map(|address| Found::Redirect(address.to_owned()))
        .ok_or(Error::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_urls_redirect() {
        for address in ["https://b.example/@zoe", "http://b.example/@zoe"] {
            let found = redirect_to_remote::<()>(Some(address)).unwrap();
            assert_eq!(found, Found::Redirect(address.to_owned()));
        }
        for address in [None, Some(""), Some("javascript:alert(1)"), Some("//b.example")] {
            assert!(
                matches!(redirect_to_remote::<()>(address), Err(Error::NotFound)),
                "{address:?}"
            );
        }
    }
}
