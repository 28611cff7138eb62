//! Featured hashtags on profiles, ten at most. Their counters change where statuses are written.

use std::sync::Arc;

use siskin_entities::{Account, FeaturedTag, Tag, Timestamp};
use siskin_ids::{AccountId, TagId};
use siskin_persistence::{Conn, Tx, accounts as account_rows, tags as rows};
use siskin_policy::limits::MAX_FEATURED_TAGS;

use crate::{Error, Result, accounts, tags};

/// Number of latest statuses that are searched for suggestions.
const SEARCHED_STATUSES: i64 = 1000;
/// Maximum number of suggestions.
const SUGGESTIONS: i64 = 10;

/// Returns the featured hashtags of an account, the most used first, with the account. A suspended
/// account has none.
///
/// # Errors
/// [`Error::NotFound`] if there is no reachable account with this id.
pub fn on_profile(conn: &mut Conn, account: &str) -> Result<(Arc<Account>, Vec<FeaturedTag>)> {
    let owner = accounts::reachable(conn, account)?;
    let tags = match owner.state.suspended {
        true => Vec::new(),
        false => rows::featured(conn, owner.id)?,
    };
    Ok((owner, tags))
}

/// Features the hashtag with this name on the profile of `account`. Ignores a leading `#`, and
/// whitespace around the name.
///
/// # Errors
/// [`Error::Invalid`] if the name is no valid hashtag, if the hashtag is already featured, and if
/// the maximum number is reached.
pub fn add(
    tx: &mut Tx<'_>,
    account: AccountId,
    typed: &str,
) -> Result<(Arc<Account>, FeaturedTag)> {
    let name = typed.trim();
    let name = name.strip_prefix('#').unwrap_or(name);
    let tag = tags::ensured(tx, name).map_err(|error| match error {
        Error::NotFound => Error::validation("Name is not a valid hashtag"),
        other => other,
    })?;
    let Put::New(featured) = put(tx, account, tag)? else {
        return Err(Error::validation("Tag has already been taken"));
    };
    let owner = account_rows::find(tx, account)?.ok_or(Error::NotFound)?;
    Ok((owner, featured))
}

/// Features a hashtag by the name in an address.
///
/// # Errors
/// [`Error::NotFound`] if the name is no valid hashtag; [`Error::Invalid`] if the maximum number is
/// reached.
pub fn feature(tx: &mut Tx<'_>, account: AccountId, typed: &str) -> Result<Tag> {
    let (tag, now) = (tags::ensured(tx, typed)?, tx.now());
    put(tx, account, tag)?;
    tags::show(tx, Some(account), typed, now)
}

/// Result of featuring a hashtag.
enum Put {
    New(FeaturedTag),
    Known,
}

fn put(tx: &mut Tx<'_>, account: AccountId, tag: TagId) -> Result<Put> {
    // The lock prevents two simultaneous requests from both taking the last free place.
    account_rows::lock(tx, &[account])?;
    if rows::find_featured(tx, account, tag)?.is_some() {
        return Ok(Put::Known);
    }
    if rows::count_featured(tx, account)? >= MAX_FEATURED_TAGS {
        let message = format!("At most {MAX_FEATURED_TAGS} hashtags can be featured");
        return Err(Error::validation(message));
    }
    rows::feature(tx, account, tag)?;
    rows::find_featured(tx, account, tag)?.map(Put::New).ok_or(Error::NotFound)
}

/// Removes a featured hashtag of `account`.
///
/// # Errors
/// [`Error::NotFound`] if the account has no featured hashtag with this id.
pub fn remove(tx: &mut Tx<'_>, account: AccountId, id: &str) -> Result<()> {
    let id = id.parse().map_err(|_| Error::NotFound)?;
    if rows::unfeature(tx, account, Ok(id))? { Ok(()) } else { Err(Error::NotFound) }
}

/// Removes a featured hashtag by the name in an address. Succeeds even if it is not featured.
///
/// # Errors
/// [`Error::NotFound`] if the name is no valid hashtag.
pub fn unfeature(tx: &mut Tx<'_>, account: AccountId, typed: &str) -> Result<Tag> {
    if let Some(tag) = tags::known(tx, typed)? {
        rows::unfeature(tx, account, Err(tag))?;
    }
    let now = tx.now();
    tags::show(tx, Some(account), typed, now)
}

/// Returns hashtags that `account` uses but does not feature, the most used first.
///
/// # Errors
/// Storage errors only.
pub fn suggestions(conn: &mut Conn, account: AccountId, now: Timestamp) -> Result<Vec<Tag>> {
    let ids = rows::suggested(conn, account, SEARCHED_STATUSES, SUGGESTIONS)?;
    Ok(rows::load(conn, &ids, Some(account), now)?)
}
