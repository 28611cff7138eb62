//! Reactions of users to announcements.

use std::collections::BTreeSet;

use siskin_ids::{AccountId, AnnouncementId};
use siskin_persistence::{
    Tx, announcements as rows, emojis,
    events::{ChangedReaction, DomainEvent},
};
use siskin_policy::announcements::takes_reaction;
use siskin_text::{is_emoji, valid_shortcode};

use super::lock_shown;
use crate::{Error, Result};

const NOT_AN_EMOJI: &str = "Name is not a recognized emoji";
const TOO_MANY: &str = "Limit of different reactions reached";

/// Adds the reaction of an account. `name` is a Unicode emoji or the shortcode of a custom emoji.
/// Does nothing if the account has already reacted with it.
///
/// # Errors
/// [`Error::NotFound`] if there is no published announcement with this id. [`Error::Invalid`] if
/// there is no such emoji, and if the announcement already has the maximum number of different
/// emojis.
pub fn react(tx: &mut Tx<'_>, account: AccountId, id: AnnouncementId, name: &str) -> Result<()> {
    // The lock also orders reactions, so that parallel ones do not exceed the limit together.
    lock_shown(tx, id)?;
    let present = rows::reaction_names(tx, id)?;
    let custom: BTreeSet<&str> = present
        .iter()
        .map(String::as_str)
        .chain([name])
        .filter(|name| valid_shortcode(name))
        .collect();
    let custom = emojis::named(tx, &custom)?;
    let exists = |name: &str| custom.contains_key(name) || is_emoji(name);
    if !exists(name) {
        return Err(Error::validation(NOT_AN_EMOJI));
    }
    // Reactions with deleted custom emojis are hidden and do not count.
    let present: Vec<String> = present.into_iter().filter(|name| exists(name)).collect();
    if !takes_reaction(name, &present) {
        return Err(Error::validation(TOO_MANY));
    }
    if rows::react(tx, id, account, name)? {
        write_event(tx, id, name)?;
    }
    Ok(())
}

/// Removes the reaction of an account. Does nothing if there is none.
///
/// # Errors
/// [`Error::NotFound`] if there is no published announcement with this id. [`Error::Invalid`] if
/// the name can be no emoji.
pub fn unreact(tx: &mut Tx<'_>, account: AccountId, id: AnnouncementId, name: &str) -> Result<()> {
    lock_shown(tx, id)?;
    if !is_emoji(name) && !valid_shortcode(name) {
        return Err(Error::validation(NOT_AN_EMOJI));
    }
    if rows::unreact(tx, id, account, name)? {
        write_event(tx, id, name)?;
    }
    Ok(())
}

fn write_event(tx: &mut Tx<'_>, id: AnnouncementId, name: &str) -> Result<()> {
    let changed = ChangedReaction { announcement_id: id, name: name.to_owned() };
    Ok(DomainEvent::AnnouncementReacted(changed).write(tx)?)
}
