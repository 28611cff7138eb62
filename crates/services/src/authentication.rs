//! Who is calling: from an access token to a person and what they allowed.

use std::time::Duration;

use siskin_entities::Timestamp;
use siskin_ids::{AccountId, ApplicationId, TokenId};
use siskin_persistence::{Conn, Tx, tokens};
use siskin_policy::scopes::Scopes;

use crate::{Error, Result, secrets};

/// How far the noted time of the last use may be behind.
const USE_NOTED_EVERY: Duration = Duration::from_secs(24 * 3600);

/// The bearer of a valid token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub token: TokenId,
    pub application: Option<ApplicationId>,
    pub scopes: Scopes,
    /// When the token was used before, to the day.
    pub last_used_at: Option<Timestamp>,
    /// None where the token acts for an application alone.
    pub person: Option<Person>,
}

/// The person a token acts for, with what could keep them from acting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Person {
    pub account: AccountId,
    pub standing: Standing,
}

/// Whether a person may act at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Good,
    /// Staff took the right to sign in, or suspended the account.
    Disabled,
    /// The e-mail address is not confirmed.
    Unconfirmed,
    /// Staff did not admit the person yet.
    Unapproved,
}

impl Standing {
    /// The standing that follows from a person's state; the gravest obstacle is named.
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

    /// Nothing, or why the person may not act.
    ///
    /// # Errors
    /// [`Error::Forbidden`] in words for the person.
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

/// What a token is known by where it is kept.
#[must_use]
pub fn hash(token: &str) -> String {
    secrets::hash(token)
}

/// The bearer of `token`; None where it was never issued, or revoked.
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

/// Whether this use is to be noted: the last one that was is a day ago.
#[must_use]
pub fn is_use_to_be_noted(caller: &Caller, now: Timestamp) -> bool {
    caller.last_used_at.is_none_or(|last| last < now.before(USE_NOTED_EVERY))
}

/// Notes that a token is in use and, where nothing keeps them from acting, that the person is
/// active.
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
