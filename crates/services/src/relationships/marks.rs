//! Mutes, blocks, endorsements and notes: actions that need no approval by the other account.

use std::time::Duration;

use siskin_entities::{
    Relationship, Timestamp,
    relationship::{Action, Mute},
};
use siskin_ids::AccountId;
use siskin_persistence::{Tx, accounts as account_rows, relationships as rows};
use siskin_policy::limits::MAX_ACCOUNT_NOTE_CHARS;
use siskin_text::TextLimit;

use super::{account_id, act_on, known, relationship, save};
use crate::{Error, Result};

/// Maximum duration of a mute: a hundred years. A longer mute has no end.
const MAX_MUTE: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// Options of a mute. Missing options take their defaults, even if the account is already muted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MuteOptions {
    /// Whether to hide notifications too; `true` by default.
    pub notifications: Option<bool>,
    /// Duration in seconds; 0, the default, means without end.
    pub duration: Option<i64>,
}

impl MuteOptions {
    fn starting_at(self, now: Timestamp) -> Result<Mute> {
        let seconds = u64::try_from(self.duration.unwrap_or(0))
            .map_err(|_| Error::validation("Duration must not be negative"))?;
        let duration = Duration::from_secs(seconds);
        let ends = !duration.is_zero() && duration <= MAX_MUTE;
        Ok(Mute {
            notifications: self.notifications.unwrap_or(true),
            until: ends.then(|| now.after(duration)),
        })
    }
}

/// Mutes an account, or changes the options of the mute.
///
/// # Errors
/// [`Error::NotFound`] for an account that is not reachable; [`Error::Forbidden`] for the account
/// itself; [`Error::Invalid`] for a negative duration.
pub fn mute(
    tx: &mut Tx<'_>,
    actor: AccountId,
    target: &str,
    options: MuteOptions,
) -> Result<Relationship> {
    require_other(actor, target, "You cannot mute yourself")?;
    let mute = options.starting_at(tx.now())?;
    act_on(tx, actor, target, &Action::Mute(mute))
}

/// Ends a mute.
///
/// # Errors
/// [`Error::NotFound`] for an account that is not reachable.
pub fn unmute(tx: &mut Tx<'_>, actor: AccountId, target: &str) -> Result<Relationship> {
    act_on(tx, actor, target, &Action::Unmute)
}

/// Blocks an account, and ends the follows in both directions.
///
/// # Errors
/// [`Error::NotFound`] for an account that is not reachable; [`Error::Forbidden`] for the account
/// itself.
pub fn block(tx: &mut Tx<'_>, actor: AccountId, target: &str) -> Result<Relationship> {
    require_other(actor, target, "You cannot block yourself")?;
    act_on(tx, actor, target, &Action::Block)
}

/// Ends a block. Follows that it ended are not restored.
///
/// # Errors
/// [`Error::NotFound`] for an account that is not reachable.
pub fn unblock(tx: &mut Tx<'_>, actor: AccountId, target: &str) -> Result<Relationship> {
    act_on(tx, actor, target, &Action::Unblock)
}

/// Endorses a followed account: shows it on the profile of `actor`.
///
/// # Errors
/// [`Error::NotFound`] for an account that is not reachable; [`Error::Invalid`] for one that is not
/// followed.
pub fn endorse(tx: &mut Tx<'_>, actor: AccountId, target: &str) -> Result<Relationship> {
    let target = account_id(target)?;
    known(tx, target)?;
    account_rows::lock(tx, &[actor, target])?;
    let before = rows::relations(tx, actor, target)?;
    if !before.following.is_established() {
        return Err(Error::invalid("Only accounts that you follow can be endorsed"));
    }
    save(tx, actor, target, &before, &Action::Endorse)?;
    relationship(tx, actor, target)
}

/// Ends an endorsement.
///
/// # Errors
/// [`Error::NotFound`] for an account that is not reachable.
pub fn unendorse(tx: &mut Tx<'_>, actor: AccountId, target: &str) -> Result<Relationship> {
    act_on(tx, actor, target, &Action::Unendorse)
}

/// Sets the private note of `actor` about an account. An empty text deletes it.
///
/// # Errors
/// [`Error::NotFound`] for an account that is not reachable; [`Error::Invalid`] for a text that is
/// too long.
pub fn note(tx: &mut Tx<'_>, actor: AccountId, target: &str, text: &str) -> Result<Relationship> {
    let text = text.trim();
    if !TextLimit::of(MAX_ACCOUNT_NOTE_CHARS).fits_code_points(text) {
        let most = MAX_ACCOUNT_NOTE_CHARS;
        return Err(Error::validation(format!("Comment is longer than {most} characters")));
    }
    act_on(tx, actor, target, &Action::Note(text.to_owned()))
}

fn require_other(actor: AccountId, target: &str, why: &str) -> Result<()> {
    if account_id(target)? == actor { Err(Error::forbidden(why)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn until(duration: i64) -> Result<Option<i64>> {
        let options = MuteOptions { duration: Some(duration), ..MuteOptions::default() };
        let mute = options.starting_at(Timestamp::from_unix_ms(5_000))?;
        Ok(mute.until.map(Timestamp::unix_ms))
    }

    #[test]
    fn a_mute_lasts_for_the_requested_duration() {
        assert_eq!(until(2).unwrap(), Some(7_000));
        assert_eq!(until(0).unwrap(), None);
        assert_eq!(until(i64::MAX).unwrap(), None);
        assert!(matches!(until(-1), Err(Error::Invalid(_))));
    }

    #[test]
    fn a_mute_hides_notifications_by_default() {
        let hides = |notifications| {
            let options = MuteOptions { notifications, duration: None };
            options.starting_at(Timestamp::from_unix_ms(0)).unwrap().notifications
        };
        assert!(hides(None) && hides(Some(true)) && !hides(Some(false)));
    }
}
