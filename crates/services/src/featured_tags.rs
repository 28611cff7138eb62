//! Hashtags on profiles: ten at most (`interface.md`, "Hashtags"), with counters that are kept where
//! statuses are written.

use std::sync::Arc;

use siskin_entities::{Account, FeaturedTag, Tag, Timestamp};
use siskin_ids::{AccountId, TagId};
use siskin_persistence::{Conn, Tx, accounts as account_rows, tags as rows};
use siskin_policy::limits::MAX_FEATURED_TAGS;

use crate::{Error, Result, accounts, tags};

/// So many of the latest statuses are looked at for suggestions.
const LOOKED_AT: i64 = 1000;
/// The most suggestions.
const SUGGESTIONS: i64 = 10;

/// The hashtags on a profile, the most used first, with whose it is. A suspended account shows none.
///
/// # Errors
/// [`Error::NotFound`] for what is no id of an account that can be reached.
pub fn on_profile(conn: &mut Conn, account: &str) -> Result<(Arc<Account>, Vec<FeaturedTag>)> {
    let owner = accounts::reachable(conn, account)?;
    let tags = match owner.state.suspended {
        true => Vec::new(),
        false => rows::featured(conn, owner.id)?,
    };
    Ok((owner, tags))
}

/// Puts the hashtag of this name on the profile of `account`. Blanks around the name and a `#`
/// before it do not count.
///
/// # Errors
/// [`Error::Invalid`] if the name is none of a hashtag, if the hashtag stands there already, and if
/// there are as many as can be.
pub fn add(
    tx: &mut Tx<'_>,
    account: AccountId,
    typed: &str,
) -> Result<(Arc<Account>, FeaturedTag)> {
    let name = typed.trim();
    let name = name.strip_prefix('#').unwrap_or(name);
    let tag = tags::made(tx, name).map_err(|error| match error {
        Error::NotFound => Error::validation("Name is not a valid hashtag"),
        other => other,
    })?;
    let Put::New(featured) = put(tx, account, tag)? else {
        return Err(Error::validation("Tag has already been taken"));
    };
    let owner = account_rows::find(tx, account)?.ok_or(Error::NotFound)?;
    Ok((owner, featured))
}

/// The same, by the name in an address.
///
/// # Errors
/// [`Error::NotFound`] where the name is none of a hashtag; [`Error::Invalid`] where there are as many
/// as can be.
pub fn feature(tx: &mut Tx<'_>, account: AccountId, typed: &str) -> Result<Tag> {
    let (tag, now) = (tags::made(tx, typed)?, tx.now());
    put(tx, account, tag)?;
    tags::show(tx, Some(account), typed, now)
}

/// What became of a hashtag that was to be put on a profile.
enum Put {
    New(FeaturedTag),
    Known,
}

fn put(tx: &mut Tx<'_>, account: AccountId, tag: TagId) -> Result<Put> {
    // Two requests at once must not both find room for the last one.
    account_rows::lock(tx, &[account])?;
    if rows::find_featured(tx, account, tag)?.is_some() {
        return Ok(Put::Known);
    }
    if rows::count_featured(tx, account)? >= MAX_FEATURED_TAGS {
        let words = format!("At most {MAX_FEATURED_TAGS} hashtags can be featured");
        return Err(Error::validation(words));
    }
    rows::feature(tx, account, tag)?;
    rows::find_featured(tx, account, tag)?.map(Put::New).ok_or(Error::NotFound)
}

/// Takes a hashtag from the profile of `account`.
///
/// # Errors
/// [`Error::NotFound`] where none with this id stands there.
pub fn remove(tx: &mut Tx<'_>, account: AccountId, id: &str) -> Result<()> {
    let id = id.parse().map_err(|_| Error::NotFound)?;
    if rows::unfeature(tx, account, Ok(id))? { Ok(()) } else { Err(Error::NotFound) }
}

/// The same, by the name in an address; it need not stand there.
///
/// # Errors
/// [`Error::NotFound`] where the name is none of a hashtag.
pub fn unfeature(tx: &mut Tx<'_>, account: AccountId, typed: &str) -> Result<Tag> {
    if let Some(tag) = tags::known(tx, typed)? {
        rows::unfeature(tx, account, Err(tag))?;
    }
    let now = tx.now();
    tags::show(tx, Some(account), typed, now)
}

/// Hashtags that `account` uses and does not feature, the most used first.
///
/// # Errors
/// Storage errors only.
pub fn suggestions(conn: &mut Conn, account: AccountId, now: Timestamp) -> Result<Vec<Tag>> {
    let ids = rows::suggested(conn, account, LOOKED_AT, SUGGESTIONS)?;
    Ok(rows::load(conn, &ids, Some(account), now)?)
}
