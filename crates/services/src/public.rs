//! What anybody may read of the people who live here, for the pages that show it without sign-in.
//!
//! Who may see what is not decided here: everything is asked of the use cases behind the
//! interface, for nobody in particular.

use std::sync::Arc;

use siskin_entities::{
    Account, Cursor, Feeds, Page, PageRequest, Status, StatusBody, Timestamp, Urls,
};
use siskin_ids::StatusId;
use siskin_persistence::Conn;
use siskin_text::Hashtag;

use crate::{
    Error, Instance, Result, accounts,
    addresses::{self, Local},
    statuses::{self, ProfileRequest, Thread},
    timelines::{self, TagRequest},
};

/// What an address of this server leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found<T> {
    /// To this.
    Here(T),
    /// On to another address: of another server, or the one spelling of it here.
    Elsewhere(String),
}

/// Which of its statuses a profile shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// All but replies to others.
    WithoutReplies,
    All,
    /// Those with a hashtag.
    Tagged(String),
}

/// A profile with a page of its statuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    pub account: Arc<Account>,
    pub statuses: Page<Status>,
}

/// A status with the thread around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InThread {
    pub status: Status,
    pub thread: Thread,
}

/// A hashtag with a page of the public statuses that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tagged {
    /// Folded by the hashtag rule.
    pub name: String,
    pub statuses: Page<Status>,
}

/// The profile of the account that `handle` names, with a page of its statuses.
///
/// # Errors
/// [`Error::NotFound`] where it names nobody, or a person who is unconfirmed or unapproved, and for
/// hashtags that none of the statuses has which everybody may see;
/// [`Error::Gone`] for suspended accounts.
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
        return elsewhere(account.url.as_deref());
    }
    if account.username != handle {
        return Ok(Found::Elsewhere(instance.urls.profile(&account.username)));
    }
    let mut asked = ProfileRequest::default();
    match selection {
        Selection::WithoutReplies => asked.exclude_replies = true,
        Selection::All => {}
        Selection::Tagged(typed) => {
            let Hashtag { name, .. } = Hashtag::parse(typed).ok_or(Error::NotFound)?;
            if name != *typed {
                return Ok(Found::Elsewhere(instance.urls.tagged(&account.username, &name)));
            }
            asked.tagged = Some(name);
        }
    }
    let statuses = statuses::of_account(conn, None, account.id, &asked, now, page)?;
    if asked.tagged.is_some() && statuses.items.is_empty() {
        let newest = PageRequest::newest(1);
        if statuses::of_account(conn, None, account.id, &asked, now, newest)?.items.is_empty() {
            return Err(Error::NotFound);
        }
    }
    Ok(Found::Here(Profile { account, statuses }))
}

/// A status by the account that `handle` names, with its thread. A reblog leads on to what it
/// reblogs.
///
/// # Errors
/// As [`profile`]; [`Error::NotFound`] too where the status is another's, or not for everyone.
pub fn status(
    conn: &mut Conn,
    instance: &Instance,
    handle: &str,
    id: StatusId,
    now: Timestamp,
) -> Result<Found<InThread>> {
    let owner = owner(conn, instance, handle)?;
    let status = by(conn, &owner, id)?;
    let shown = status.shown();
    if !shown.account.is_local() {
        return elsewhere(shown.url.as_deref());
    }
    if status.reblog.is_some() || owner.username != handle {
        return Ok(Found::Elsewhere(instance.urls.status(&shown.account.username, shown.id)));
    }
    let thread = statuses::context(conn, None, id, now)?;
    Ok(Found::Here(InThread { status, thread }))
}

/// A status by the local account that `handle` names, to be shown on other people's pages.
///
/// # Errors
/// As [`status`]; [`Error::NotFound`] too for a reblog, and for accounts of other servers.
pub fn embedded(
    conn: &mut Conn,
    instance: &Instance,
    handle: &str,
    id: StatusId,
) -> Result<StatusBody> {
    let owner = owner(conn, instance, handle)?;
    let status = by(conn, &owner, id)?;
    if status.reblog.is_some() || !owner.is_local() {
        return Err(Error::NotFound);
    }
    Ok(status.body)
}

/// The status whose page is at `address`, as far as [`embedded`] shows it.
///
/// # Errors
/// [`Error::NotFound`] for everything else, suspended accounts too.
pub fn at(conn: &mut Conn, instance: &Instance, address: &str) -> Result<StatusBody> {
    let Some(Local::Status(username, id)) = addresses::local(&instance.urls, address) else {
        return Err(Error::NotFound);
    };
    embedded(conn, instance, &username, id).map_err(|error| match error {
        Error::Gone(_) => Error::NotFound,
        other => other,
    })
}

/// The hashtag of this name with a page of what everybody wrote with it; other spellings lead on to
/// the folded one.
///
/// # Errors
/// [`Error::Unauthenticated`] where hashtags are for those who are signed in alone, and
/// [`Error::NotFound`] where no public status has it: whoever used it among friends alone is not
/// given away.
pub fn tagged(
    conn: &mut Conn,
    feeds: Feeds,
    urls: &Urls,
    typed: &str,
    now: Timestamp,
    page: PageRequest,
) -> Result<Found<Tagged>> {
    let Hashtag { name, .. } = Hashtag::parse(typed).ok_or(Error::NotFound)?;
    let asked = TagRequest { name: name.clone(), ..TagRequest::default() };
    let statuses = timelines::tag(conn, feeds, None, &asked, now, page)?;
    if statuses.items.is_empty() {
        let newest = PageRequest { cursor: Cursor::default(), limit: 1 };
        if timelines::tag(conn, feeds, None, &asked, now, newest)?.items.is_empty() {
            return Err(Error::NotFound);
        }
    }
    if name != typed {
        return Ok(Found::Elsewhere(urls.tag(&name)));
    }
    Ok(Found::Here(Tagged { name, statuses }))
}

/// Whether search engines may keep the pages of an account: where its owner opted in, and
/// moderators did not limit it.
#[must_use]
pub fn is_indexed(account: &Account) -> bool {
    account.indexable && account.discoverable != Some(false) && !account.state.silenced
}

/// Where a status of this server is shown to other pages.
#[must_use]
pub fn embed_address(urls: &Urls, status: &StatusBody) -> String {
    format!("{}/embed", urls.status(&status.account.username, status.id))
}

fn owner(conn: &mut Conn, instance: &Instance, handle: &str) -> Result<Arc<Account>> {
    let account = accounts::lookup(conn, instance, handle)?;
    if !account.state.reachable {
        return Err(Error::NotFound);
    }
    if account.state.suspended {
        return Err(Error::Gone("This account is suspended".to_owned()));
    }
    Ok(account)
}

fn by(conn: &mut Conn, owner: &Account, id: StatusId) -> Result<Status> {
    let status = statuses::find(conn, None, id)?;
    if status.body.account.id == owner.id { Ok(status) } else { Err(Error::NotFound) }
}

/// To another server, as far as it said where; nothing but the web is followed.
fn elsewhere<T>(address: Option<&str>) -> Result<Found<T>> {
    let of_the_web =
        |address: &&str| address.starts_with("https://") || address.starts_with("http://");
    address
        .filter(of_the_web)
        .map(|address| Found::Elsewhere(address.to_owned()))
        .ok_or(Error::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_web_is_followed() {
        for address in ["https://b.example/@zoe", "http://b.example/@zoe"] {
            let found = elsewhere::<()>(Some(address)).unwrap();
            assert_eq!(found, Found::Elsewhere(address.to_owned()));
        }
        for address in [None, Some(""), Some("javascript:alert(1)"), Some("//b.example")] {
            assert!(matches!(elsewhere::<()>(address), Err(Error::NotFound)), "{address:?}");
        }
    }
}
