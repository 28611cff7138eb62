//! Hashtags: their usage and their followers.

use siskin_entities::{Page, PageRequest, Tag, Timestamp};
use siskin_ids::{AccountId, TagId};
use siskin_persistence::{
    Conn, Tx, accounts as account_rows,
    tags::{self as rows, TypedTag},
};
use siskin_policy::limits::MAX_FOLLOWED_TAGS;
use siskin_text::Hashtag;

use crate::{Error, Result};

/// Returns the hashtag with this name, in any spelling. Also returns hashtags that were never used.
///
/// # Errors
/// [`Error::NotFound`] if the name is no valid hashtag.
pub fn show(
    conn: &mut Conn,
    viewer: Option<AccountId>,
    typed: &str,
    now: Timestamp,
) -> Result<Tag> {
    let name = parse(typed)?.name;
    match rows::find(conn, &name)? {
        Some(id) => load_one(conn, id, viewer, now),
        None => Ok(Tag::unused(&name, now, viewer.is_some())),
    }
}

/// Follows a hashtag; following it again is no error.
///
/// # Errors
/// [`Error::NotFound`] as for [`show`]; [`Error::Invalid`] if the account follows
/// [`MAX_FOLLOWED_TAGS`] others.
pub fn follow(tx: &mut Tx<'_>, account: AccountId, typed: &str) -> Result<Tag> {
    let (id, now) = (ensured(tx, typed)?, tx.now());
    // The lock prevents two simultaneous requests from both taking the last free place.
    account_rows::lock(tx, &[account])?;
    if !rows::follows(tx, account, id)? && rows::count_followed(tx, account)? >= MAX_FOLLOWED_TAGS {
        let message = format!("At most {MAX_FOLLOWED_TAGS} hashtags can be followed");
        return Err(Error::validation(message));
    }
    rows::follow(tx, account, id)?;
    load_one(tx, id, Some(account), now)
}

/// Stops following a hashtag. It is no error if it was not followed.
///
/// # Errors
/// [`Error::NotFound`] as for [`show`].
pub fn unfollow(tx: &mut Tx<'_>, account: AccountId, typed: &str) -> Result<Tag> {
    if let Some(id) = known(tx, typed)? {
        rows::unfollow(tx, account, id)?;
    }
    let now = tx.now();
    show(tx, Some(account), typed, now)
}

/// Loads a page of the hashtags that an account follows, the latest followed first.
///
/// # Errors
/// Storage errors only.
pub fn followed(
    conn: &mut Conn,
    account: AccountId,
    now: Timestamp,
    page: PageRequest,
) -> Result<Page<Tag>> {
    let ids = rows::followed(conn, account, page)?;
    let tags = rows::load(conn, &ids.items, Some(account), now)?;
    Ok(ids.with_items(tags))
}

fn parse(typed: &str) -> Result<Hashtag> {
    Hashtag::parse(typed).ok_or(Error::NotFound)
}

/// Returns the id of the hashtag with this name, if it was ever used.
///
/// # Errors
/// [`Error::NotFound`] if the name is no valid hashtag.
pub(crate) fn known(conn: &mut Conn, typed: &str) -> Result<Option<TagId>> {
    Ok(rows::find(conn, &parse(typed)?.name)?)
}

/// Returns the id of the hashtag with this name. Creates the hashtag if it does not exist.
///
/// # Errors
/// [`Error::NotFound`] if the name is no valid hashtag.
pub(crate) fn ensured(tx: &mut Tx<'_>, typed: &str) -> Result<TagId> {
    let Hashtag { name, display } = parse(typed)?;
    let ensured = rows::find_or_insert(tx, &[TypedTag { name, display_name: display }])?;
    ensured.first().copied().ok_or(Error::NotFound)
}

fn load_one(conn: &mut Conn, id: TagId, viewer: Option<AccountId>, now: Timestamp) -> Result<Tag> {
    rows::load(conn, &[id], viewer, now)?.pop().ok_or(Error::NotFound)
}
