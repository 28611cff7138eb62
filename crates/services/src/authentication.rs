//! Authentication: finds the user and the scopes of an access token.

use std::time::Duration;

use siskin_entities::Timestamp;
use siskin_ids::{AccountId, ApplicationId, TokenId};
use siskin_persistence::{Conn, Tx, tokens};
use siskin_policy::scopes::Scopes;

use crate::{Error, Result, secrets};

/// Maximum age of the recorded time of last use.
const USE_NOTED_EVERY: Duration = Duration::from_secs(24 * 3600);

/// Authenticated caller: the owner of a valid access token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub token: TokenId,
    pub application: Option<ApplicationId>,
    pub scopes: Scopes,
    /// Last recorded use of the token, accurate to a day.
    pub last_used_at: Option<Timestamp>,
    /// `None` if the token acts for an application only.
    pub person: Option<Person>,
}

/// User that a token acts for, and whether the user may act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Person {
    pub account: AccountId,
    pub standing: Standing,
}

/// Whether a user may act at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Good,
    /// Staff disabled the login, or suspended the account.
    Disabled,
    /// The email address is not confirmed.
    Unconfirmed,
    /// The account is pending approval.
    Unapproved,
}

impl Standing {
    /// Returns the standing for the state of an account. If several obstacles apply, the gravest
    /// wins.
    #[must_use]
    #[expect(clippy::fn_params_excessive_bools, reason = "four independent facts of one row")]
    pub const fn of(confirmed: bool, approved: bool, disabled: bool, suspended: bool) -> Self {
        if disabled || suspended {
            Self::Disabled
        } else if !confirmed {
            Self::Unconfirmed
        } else if !approved {
            Self::Unapproved
        } else {
            Self::Good
        }
    }

    /// Checks that the user may act.
    ///
    /// # Errors
    /// [`Error::Forbidden`] with a message for the user.
    pub fn require_good(self) -> Result<()> {
        match self {
            Self::Good => Ok(()),
            Self::Disabled => Err(Error::forbidden("Your login is currently disabled")),
            Self::Unconfirmed => {
                Err(Error::forbidden("Your login is missing a confirmed e-mail address"))
            }
            Self::Unapproved => Err(Error::forbidden("Your login is currently pending approval")),
        }
    }
}

/// Returns the hash under which a token is stored.
#[must_use]
pub fn hash(token: &str) -> String {
    secrets::hash(token)
}

/// Returns the caller with `token`. Returns `None` if the token was never issued, or was revoked.
///
/// # Errors
/// Storage errors only.
pub fn authenticate(conn: &mut Conn, token: &str) -> Result<Option<Caller>> {
    let Some(record) = tokens::find_by_hash(conn, &hash(token))? else {
        return Ok(None);
    };
    let scopes = Scopes::parse(&record.scopes).map_err(Error::internal)?;
    let person = record.owner.map(|owner| Person {
        account: owner.account,
        standing: Standing::of(owner.confirmed, owner.approved, owner.disabled, owner.suspended),
    });
    Ok(Some(Caller {
        token: record.id,
        application: record.application,
        scopes,
        last_used_at: record.last_used_at,
        person,
    }))
}

/// Returns `true` if this use must be recorded: the last recorded use is at least a day old.
#[must_use]
pub fn is_use_to_be_noted(caller: &Caller, now: Timestamp) -> bool {
    caller.last_used_at.is_none_or(|last| last < now.before(USE_NOTED_EVERY))
}

/// Records the use of a token, and the activity of its user if the user may act.
///
/// # Errors
/// Storage errors only.
pub fn note_use(tx: &mut Tx<'_>, token: TokenId, person: Option<Person>) -> Result<()> {
    let active = person.filter(|person| person.standing == Standing::Good);
    Ok(tokens::note_use(tx, token, active.map(|person| person.account))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gravest_obstacle_is_named() {
        assert_eq!(Standing::of(false, false, true, false), Standing::Disabled);
        assert_eq!(Standing::of(true, true, false, true), Standing::Disabled);
        assert_eq!(Standing::of(false, false, false, false), Standing::Unconfirmed);
        assert_eq!(Standing::of(true, false, false, false), Standing::Unapproved);
        assert_eq!(Standing::of(true, true, false, false), Standing::Good);
    }
}
