//! What happens with a person who comes back from a provider.

use siskin_entities::ExternalPerson;
use siskin_ids::AccountId;
use siskin_persistence::{
    Tx, accounts,
    external_identities::{self as rows, LinkedUser},
    users,
};

use crate::{
    Error, Result,
    accounts::{email_key, sign_up::verified_email},
    authentication::UserState,
    sessions::Reach,
};

/// Result of [`arrive`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// The login belongs to an account. A session of this reach can begin, after a code if the user
    /// has a second factor.
    Known { account: AccountId, reach: Reach, has_second_factor: bool },
    /// No account has the login, but one has the email address, which the provider has verified. It
    /// is never linked by that alone: the address could have had another owner before.
    EmailKnown,
    /// The person has no account here, as far as the provider tells, or did not finish the sign-up
    /// for it. The sign-up can begin again.
    Unknown,
}

/// Finds out what a person who signed in at a provider can do here, and records the use of the
/// login. Reveals an account only to a person with its login or its verified email address.
///
/// # Errors
/// [`Error::Forbidden`] with a message for the person if the account may not sign in now.
pub fn arrive(tx: &mut Tx<'_>, person: &ExternalPerson) -> Result<Arrival> {
    if let Some(user) = rows::find(tx, &person.issuer, &person.subject)?
        && !is_unfinished(&user)
    {
        return sign_in(tx, person, &user);
    }
    match verified_email(person) {
        Some(email) if users::owner_of_email(tx, &email_key(email))?.is_some() => {
            Ok(Arrival::EmailKnown)
        }
        Some(_) | None => Ok(Arrival::Unknown),
    }
}

/// Returns `true` if the login belongs to a sign-up with an address that was never confirmed. The
/// owner of the login may begin again, or link it to another account: the address may have been
/// mistyped, or may belong to an account that this person has. What the moderators decided about the
/// account stays in force.
pub(crate) const fn is_unfinished(user: &LinkedUser) -> bool {
    !user.owner.confirmed && !user.owner.disabled && !user.owner.suspended && !user.is_gone
}

fn sign_in(tx: &mut Tx<'_>, person: &ExternalPerson, user: &LinkedUser) -> Result<Arrival> {
    let LinkedUser { owner, has_second_factor, is_gone, .. } = *user;
    if is_gone {
        UserState::Disabled.require_active()?;
    }
    let state = UserState::of(owner.confirmed, owner.approved, owner.disabled, owner.suspended);
    let reach = Reach::of(state)?;
    // The login is not removed meanwhile.
    accounts::lock(tx, &[owner.account])?;
    let is_still_linked = rows::find(tx, &person.issuer, &person.subject)?
        .is_some_and(|found| found.owner.account == owner.account);
    if !is_still_linked {
        return Err(Error::forbidden("This login was just removed from your account"));
    }
    rows::touch(tx, owner.account, &person.issuer)?;
    Ok(Arrival::Known { account: owner.account, reach, has_second_factor })
}
