//! Authentication: finds the user and the scopes of an access token.

use siskin_entities::Timestamp;
use siskin_ids::{AccountId, ApplicationId, TokenId};
use siskin_persistence::{
    Conn, Tx,
    roles::{self, RolePower},
    tokens,
};
use siskin_policy::{
    roles::{Authority, Permission, Permissions},
    scopes::Scopes,
};

use crate::{Error, Result, secrets};

/// Authenticated caller: the owner of a valid access token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub token: TokenId,
    pub application: Option<ApplicationId>,
    pub scopes: Scopes,
    /// Last recorded use of the token, accurate to a day.
    pub last_used_at: Option<Timestamp>,
    /// `None` if the token acts for an application only.
    pub user: Option<TokenUser>,
}

/// User that a token acts for, and whether the user may act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenUser {
    pub account: AccountId,
    pub state: UserState,
}

/// Whether a user may act at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserState {
    Active,
    /// Staff disabled the login, or suspended the account.
    Disabled,
    /// The email address is not confirmed.
    Unconfirmed,
    /// The account is pending approval.
    PendingApproval,
}

impl UserState {
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
            Self::PendingApproval
        } else {
            Self::Active
        }
    }

    /// Checks that the user may act.
    ///
    /// # Errors
    /// [`Error::Forbidden`] with a message for the user.
    pub fn require_active(self) -> Result<()> {
        match self {
            Self::Active => Ok(()),
            Self::Disabled => Err(Error::forbidden("Your login is currently disabled")),
            Self::Unconfirmed => {
                Err(Error::forbidden("Your login is missing a confirmed e-mail address"))
            }
            Self::PendingApproval => {
                Err(Error::forbidden("Your login is currently pending approval"))
            }
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
    let user = record.owner.map(|owner| TokenUser {
        account: owner.account,
        state: UserState::of(owner.confirmed, owner.approved, owner.disabled, owner.suspended),
    });
    Ok(Some(Caller {
        token: record.id,
        application: record.application,
        scopes,
        last_used_at: record.last_used_at,
        user,
    }))
}

/// Returns the authority of a user. Read at each request, so that a lost role ends at once.
///
/// # Errors
/// Storage errors only.
pub fn authority(conn: &mut Conn, account: AccountId) -> Result<Authority> {
    let RolePower { permissions, priority } = roles::power_of(conn, account)?;
    Ok(Authority { account, permissions: Permissions::from_bits(permissions), priority })
}

/// Returns the authority of a user, if the role grants at least one of the permissions.
///
/// # Errors
/// [`Error::Forbidden`] if it grants none of them.
pub fn require_permission(
    conn: &mut Conn,
    account: AccountId,
    any: &[Permission],
) -> Result<Authority> {
    let authority = authority(conn, account)?;
    if authority.can_any(any) { Ok(authority) } else { Err(not_allowed()) }
}

/// Returns the error for an action that the role of the caller does not allow.
#[must_use]
pub fn not_allowed() -> Error {
    Error::forbidden("This action is not allowed")
}

/// Returns `true` if this use must be recorded: it is the first one of the day (UTC).
#[must_use]
pub fn should_record_use(caller: &Caller, now: Timestamp) -> bool {
    caller.last_used_at.is_none_or(|last| last < now.midnight())
}

/// Records the use of a token, and the activity of its user if the user may act.
///
/// # Errors
/// Storage errors only.
pub fn record_use(tx: &mut Tx<'_>, token: TokenId, user: Option<TokenUser>) -> Result<()> {
    let active = user.filter(|user| user.state == UserState::Active);
    Ok(tokens::record_use(tx, token, active.map(|user| user.account))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_severe_state_wins() {
        assert_eq!(UserState::of(false, false, true, false), UserState::Disabled);
        assert_eq!(UserState::of(true, true, false, true), UserState::Disabled);
        assert_eq!(UserState::of(false, false, false, false), UserState::Unconfirmed);
        assert_eq!(UserState::of(true, false, false, false), UserState::PendingApproval);
        assert_eq!(UserState::of(true, true, false, false), UserState::Active);
    }
}
