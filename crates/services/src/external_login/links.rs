//! Links between accounts and logins at providers, which the owners of the accounts change.

use siskin_entities::{ExternalIdentity, ExternalPerson, Settings};
use siskin_ids::AccountId;
use siskin_persistence::{Conn, Tx, accounts, external_identities as rows, users};
use siskin_policy::external_login::{WaysLeft, confirms_with_password};

use super::is_unfinished;
use crate::{
    Error, Result,
    emails::{self, Email, ExternalLoginChange},
    passwords,
};

const OF_ANOTHER_ACCOUNT: &str = "This login belongs to another account here";
const ANOTHER_LOGIN: &str = "Your account has another login of this provider: remove that first";
const ONLY_WAY: &str = "Without this login you could not sign in any more";

/// The ways by which a user signs in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Links {
    /// Logins at providers, ordered by provider.
    pub identities: Vec<ExternalIdentity>,
    pub has_password: bool,
}

impl Links {
    /// Returns `true` if the person confirms changes with the password, and `false` if by another
    /// sign-in at a provider. `usable` has the identifiers of all providers that the operator has
    /// configured.
    #[must_use]
    pub fn confirm_with_password(&self, settings: &Settings, usable: &[String]) -> bool {
        let logins = self.identities.iter().filter(|login| usable.contains(&login.issuer));
        confirms_with_password(self.has_password, settings.external_only, logins.count())
    }
}

/// Returns the ways by which a user signs in.
///
/// # Errors
/// [`Error::NotFound`] if the account has no user.
pub fn links(conn: &mut Conn, account: AccountId) -> Result<Links> {
    let hash = users::password_hash(conn, account)?.ok_or(Error::NotFound)?;
    let identities = rows::of_account(conn, account)?;
    Ok(Links { identities, has_password: passwords::is_set(&hash) })
}

/// Links the login of a person to the account, at the request of the user, and notifies the user by
/// email. `provider` is its name for people. Does nothing if it is linked already. Takes the login
/// away from a sign-up that was never confirmed.
///
/// # Errors
/// [`Error::Invalid`] if it belongs to another account, or the account has another one.
pub fn link(
    tx: &mut Tx<'_>,
    account: AccountId,
    person: &ExternalPerson,
    provider: &str,
) -> Result<()> {
    let former = rows::find(tx, &person.issuer, &person.subject)?.map(|user| user.owner.account);
    // The other account is not confirmed meanwhile.
    let ids: Vec<AccountId> = former.into_iter().chain([account]).collect();
    accounts::lock(tx, &ids)?;
    let unfinished = match rows::find(tx, &person.issuer, &person.subject)? {
        Some(user) if user.owner.account == account => return Ok(()),
        Some(user) if is_unfinished(&user) && former == Some(user.owner.account) => former,
        Some(_) => return Err(Error::invalid(OF_ANOTHER_ACCOUNT)),
        None => None,
    };
    let present = rows::of_account(tx, account)?;
    if present.iter().any(|identity| identity.issuer == person.issuer) {
        return Err(Error::invalid(ANOTHER_LOGIN));
    }
    if let Some(unfinished) = unfinished {
        rows::delete(tx, unfinished, &person.issuer)?;
    }
    // Another account was faster.
    if !rows::insert(tx, account, &person.issuer, &person.subject)? {
        return Err(Error::invalid(OF_ANOTHER_ACCOUNT));
    }
    notify(tx, account, provider, ExternalLoginChange::Linked)
}

/// Removes the login at a provider from the account, and notifies the user by email. `usable` has
/// the identifiers of all providers that the operator has configured. `provider` is the name of
/// this one for people.
///
/// # Errors
/// [`Error::NotFound`] if there is none; [`Error::Invalid`] if the user could not sign in any more.
pub fn unlink(
    tx: &mut Tx<'_>,
    settings: &Settings,
    usable: &[String],
    account: AccountId,
    issuer: &str,
    provider: &str,
) -> Result<()> {
    accounts::lock(tx, &[account])?;
    let Links { identities, has_password } = links(tx, account)?;
    let (this, others): (Vec<_>, Vec<_>) =
        identities.into_iter().partition(|identity| identity.issuer == issuer);
    if this.is_empty() {
        return Err(Error::NotFound);
    }
    let others = others.iter().filter(|identity| usable.contains(&identity.issuer));
    let left = WaysLeft {
        has_password,
        external_only: settings.external_only,
        other_logins: others.count(),
    };
    if !left.can_sign_in() {
        return Err(Error::invalid(ONLY_WAY));
    }
    rows::delete(tx, account, issuer)?;
    notify(tx, account, provider, ExternalLoginChange::Unlinked)
}

fn notify(
    tx: &mut Tx<'_>,
    account: AccountId,
    provider: &str,
    change: ExternalLoginChange,
) -> Result<()> {
    emails::enqueue(tx, Email::ExternalLogin { account, provider: provider.to_owned(), change })
}
