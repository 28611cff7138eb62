//! Muting, blocking, endorsing and writing notes: what needs no answer of the other.

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

/// A longer mute has no end: a hundred years.
const LONGEST_MUTE: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// What a client asks of a mute; what is not said takes its default, also where the account is
/// muted already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MuteOptions {
    /// Whether notifications are hidden too, as they are by default.
    pub notifications: Option<bool>,
    /// Seconds after which it lifts itself; 0, the default, is never.
    pub duration: Option<i64>,
}

impl MuteOptions {
    fn as_of(self, now: Timestamp) -> Result<Mute> {
        let seconds = u64::try_from(self.duration.unwrap_or(0))
            .map_err(|_| Error::validation("Duration must not be negative"))?;
        let duration = Duration::from_secs(seconds);
        let ends = !duration.is_zero() && duration <= LONGEST_MUTE;
        Ok(Mute {
            notifications: self.notifications.unwrap_or(true),
            until: ends.then(|| now.after(duration)),
        })
    }
}

/// Mutes an account, or changes how it is muted.
///
/// # Errors
/// [`Error::NotFound`] for an account that cannot be seen; [`Error::Forbidden`] for oneself;
/// [`Error::Invalid`] for a negative duration.
pub fn mute(
    tx: &mut Tx<'_>,
    actor: AccountId,
    target: &str,
    asked: MuteOptions,
) -> Result<Relationship> {
    require_other(actor, target, "You cannot mute yourself")?;
    let mute = asked.as_of(tx.now())?;
    act_on(tx, actor, target, &Action::Mute(mute))
}

/// Ends a mute.
///
/// # Errors
/// [`Error::NotFound`] for an account that cannot be seen.
pub fn unmute(tx: &mut Tx<'_>, actor: AccountId, target: &str) -> Result<Relationship> {
    act_on(tx, actor, target, &Action::Unmute)
}

/// Blocks an account: nobody of the two follows the other any more.
///
/// # Errors
/// [`Error::NotFound`] for an account that cannot be seen; [`Error::Forbidden`] for oneself.
pub fn block(tx: &mut Tx<'_>, actor: AccountId, target: &str) -> Result<Relationship> {
    require_other(actor, target, "You cannot block yourself")?;
    act_on(tx, actor, target, &Action::Block)
}

/// Ends a block; what it undid stays undone.
///
/// # Errors
/// [`Error::NotFound`] for an account that cannot be seen.
pub fn unblock(tx: &mut Tx<'_>, actor: AccountId, target: &str) -> Result<Relationship> {
    act_on(tx, actor, target, &Action::Unblock)
}

/// Shows an account that one follows on one's profile.
///
/// # Errors
/// [`Error::NotFound`] for an account that cannot be seen; [`Error::Invalid`] for one that is not
/// followed.
pub fn endorse(tx: &mut Tx<'_>, actor: AccountId, target: &str) -> Result<Relationship> {
    let target = account_id(target)?;
    known(tx, target)?;
    account_rows::lock(tx, &[actor, target])?;
    let before = rows::ties(tx, actor, target)?;
    if !before.following.is_established() {
        return Err(Error::invalid("Only accounts that you follow can be endorsed"));
    }
    save(tx, actor, target, &before, &Action::Endorse)?;
    relationship(tx, actor, target)
}

/// Shows an account on one's profile no more.
///
/// # Errors
/// [`Error::NotFound`] for an account that cannot be seen.
pub fn unendorse(tx: &mut Tx<'_>, actor: AccountId, target: &str) -> Result<Relationship> {
    act_on(tx, actor, target, &Action::Unendorse)
}

/// Writes something about an account that one alone can read; an empty text takes it away.
///
/// # Errors
/// [`Error::NotFound`] for an account that cannot be seen; [`Error::Invalid`] for a text that is
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
        let asked = MuteOptions { duration: Some(duration), ..MuteOptions::default() };
        let mute = asked.as_of(Timestamp::from_unix_ms(5_000))?;
        Ok(mute.until.map(Timestamp::unix_ms))
    }

    #[test]
    fn a_mute_lasts_as_long_as_is_asked() {
        assert_eq!(until(2).unwrap(), Some(7_000));
        assert_eq!(until(0).unwrap(), None);
        assert_eq!(until(i64::MAX).unwrap(), None);
        assert!(matches!(until(-1), Err(Error::Invalid(_))));
    }

    #[test]
    fn a_mute_hides_notifications_unless_it_is_asked_not_to() {
        let hides = |notifications| {
            let asked = MuteOptions { notifications, duration: None };
            asked.as_of(Timestamp::from_unix_ms(0)).unwrap().notifications
        };
        assert!(hides(None) && hides(Some(true)) && !hides(Some(false)));
    }
}
