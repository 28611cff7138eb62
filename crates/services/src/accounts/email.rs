//! Email addresses of users: confirmation, change, and password reset, for which control of the
//! address is the proof of identity.

use siskin_entities::Timestamp;
use siskin_ids::{AccountId, ApplicationId};
use siskin_persistence::{
    Conn, Error as Storage, Tx,
    accounts::{self as rows, Decision},
    mailed_links::{self, MailedLink, Purpose},
    users::{self, EmailRecipient},
};

use super::{
    create::taken,
    moderation::{self, NewPassword},
    names::{email_faults, email_key},
};
use crate::{
    Error, Field, Result,
    emails::{self, Email},
    secrets, sign_up_blocks,
};

const CONFIRMED: &str = "The email address is already confirmed";
const ANOTHER_APPLICATION: &str = "Another application was used to sign up";

/// Result of opening a confirmation link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmed {
    pub username: String,
    /// Whether the account is still pending approval.
    pub pending_approval: bool,
    /// Page of this server to which the user returns.
    pub return_to: Option<String>,
}

/// Email address of valid form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEmail(String);

impl NewEmail {
    /// Returns the address as typed, without surrounding spaces.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Checks an email address as typed.
    ///
    /// # Errors
    /// [`Error::InvalidFields`].
    pub fn parse(typed: &str) -> Result<Self> {
        let email = typed.trim();
        let field = |(error, description)| Field { name: "email", error, description };
        let faults: Vec<Field> = email_faults(email).into_iter().map(field).collect();
        if faults.is_empty() {
            Ok(Self(email.to_owned()))
        } else {
            Err(Error::InvalidFields(faults))
        }
    }
}

/// Sends the confirmation email again to an account that signed up through `application`. If
/// `email` is given, changes the address first.
///
/// # Errors
/// [`Error::Forbidden`] if the account is confirmed, or signed up through another application;
/// [`Error::InvalidFields`] if the address is blocked, or another account has it.
pub fn resend(
    tx: &mut Tx<'_>,
    account: AccountId,
    application: Option<ApplicationId>,
    email: Option<&NewEmail>,
) -> Result<()> {
    let user = lock_user(tx, account)?;
    if user.owner.confirmed {
        return Err(Error::forbidden(CONFIRMED));
    }
    if user.application != application {
        return Err(Error::forbidden(ANOTHER_APPLICATION));
    }
    if let Some(NewEmail(email)) = email
        && *email != user.email
    {
        sign_up_blocks::require_email_allowed(tx, email)?;
        set_email(tx, account, email)?;
        mailed_links::delete_of(tx, account, Purpose::Confirmation)?;
    }
    emails::enqueue(tx, Email::Confirmation { account, return_to: None })
}

/// Sends a confirmation link to a user's new email address. The address changes when the link is
/// opened.
///
/// # Errors
/// [`Error::InvalidFields`] if the address is blocked, or another account has it.
pub fn request_change(tx: &mut Tx<'_>, account: AccountId, email: &NewEmail) -> Result<()> {
    let NewEmail(email) = email;
    lock_user(tx, account)?;
    sign_up_blocks::require_email_allowed(tx, email)?;
    require_free(tx, account, email)?;
    mailed_links::delete_of(tx, account, Purpose::Email)?;
    emails::enqueue(tx, Email::EmailChange { account, email: email.clone() })
}

/// Replaces a user's email address at the operator's request, even by a blocked one, and marks it as
/// confirmed. Links sent to the former address no longer work.
///
/// # Errors
/// [`Error::NotFound`] if the account has no user; [`Error::InvalidFields`] if another account has
/// the address.
pub fn replace(tx: &mut Tx<'_>, account: AccountId, email: &NewEmail) -> Result<()> {
    lock_user(tx, account)?;
    set_email(tx, account, &email.0)?;
    for purpose in [Purpose::Confirmation, Purpose::Email, Purpose::Password] {
        mailed_links::delete_of(tx, account, purpose)?;
    }
    moderation::decide(tx, account, Decision::Confirm)
}

/// Consumes a link that confirms an email address.
///
/// # Errors
/// [`Error::NotFound`] if the link is invalid or expired; [`Error::InvalidFields`] if another
/// account has the new address by now, or if it is blocked by now.
pub fn confirm(tx: &mut Tx<'_>, token: &str) -> Result<Confirmed> {
    let hash = secrets::hash(token);
    let now = tx.now();
    let found = match mailed_links::find(tx, &hash, Purpose::Confirmation, now)? {
        Some(link) => Some((Purpose::Confirmation, link)),
        None => {
            mailed_links::find(tx, &hash, Purpose::Email, now)?.map(|link| (Purpose::Email, link))
        }
    };
    let Some((purpose, link)) = found else { return Err(Error::NotFound) };
    let user = lock_user(tx, link.account)?;
    if mailed_links::take(tx, &hash, purpose)?.is_none() {
        return Err(Error::NotFound);
    }
    match purpose {
        Purpose::Email => change(tx, &user, &link)?,
        Purpose::Confirmation | Purpose::Password if link.email != user.email => {
            return Err(Error::NotFound);
        }
        Purpose::Confirmation | Purpose::Password => {}
    }
    mailed_links::delete_of(tx, link.account, purpose)?;
    moderation::decide(tx, link.account, Decision::Confirm)?;
    Ok(Confirmed {
        username: user.username,
        pending_approval: !user.owner.approved,
        return_to: link.return_to,
    })
}

/// Changes the email address. Notifies the former address, in case the change is an attack.
/// Password links sent to the former address no longer work.
fn change(tx: &mut Tx<'_>, user: &EmailRecipient, link: &MailedLink) -> Result<()> {
    let account = link.account;
    sign_up_blocks::require_email_allowed(tx, &link.email)?;
    set_email(tx, account, &link.email)?;
    mailed_links::delete_of(tx, account, Purpose::Password)?;
    emails::enqueue(tx, Email::EmailChanged { account, former: user.email.clone() })
}

/// Sends a password reset link to the account with this address, if there is one. Behaves the same
/// for all addresses, so a caller cannot find out which addresses have an account.
///
/// # Errors
/// Storage errors only.
pub fn forgot_password(tx: &mut Tx<'_>, email: &str, return_to: Option<String>) -> Result<()> {
    emails::enqueue(tx, Email::PasswordReset { email: email.trim().to_owned(), return_to })
}

/// Sends the confirmation email again to the account that signed up with this address, if there is
/// one. Behaves the same for all addresses, so a caller cannot find out which addresses have an
/// account.
///
/// # Errors
/// Storage errors only.
pub fn resend_confirmation(tx: &mut Tx<'_>, email: &str, return_to: Option<String>) -> Result<()> {
    emails::enqueue(tx, Email::ConfirmationTo { email: email.trim().to_owned(), return_to })
}

/// Returns `true` if the link with this token is valid for a password reset.
///
/// # Errors
/// Storage errors only.
pub fn may_reset(conn: &mut Conn, token: &str, now: Timestamp) -> Result<bool> {
    Ok(mailed_links::find(conn, &secrets::hash(token), Purpose::Password, now)?.is_some())
}

/// Consumes a password reset link. Ends every session, token and code of the user. Confirms the
/// address, because the user received the email sent to it. Returns the page to which the user
/// returns.
///
/// # Errors
/// [`Error::NotFound`] if the link is invalid or expired, or the account is disabled or suspended.
pub fn reset_password(
    tx: &mut Tx<'_>,
    token: &str,
    password: &NewPassword,
) -> Result<Option<String>> {
    let hash = secrets::hash(token);
    let link = mailed_links::take(tx, &hash, Purpose::Password)?.ok_or(Error::NotFound)?;
    let user = lock_user(tx, link.account)?;
    if user.email != link.email || user.owner.disabled || user.owner.suspended {
        return Err(Error::NotFound);
    }
    moderation::set_password(tx, link.account, password)?;
    moderation::decide(tx, link.account, Decision::Confirm)?;
    Ok(link.return_to)
}

/// Locks the account until the end of the transaction, so that its address cannot change, and loads
/// its user.
fn lock_user(tx: &mut Tx<'_>, account: AccountId) -> Result<EmailRecipient> {
    rows::lock(tx, &[account])?;
    users::recipient(tx, account)?.ok_or(Error::NotFound)
}

/// Sets the address. The unique index decides between two simultaneous requests for it.
fn set_email(tx: &mut Tx<'_>, account: AccountId, email: &str) -> Result<()> {
    require_free(tx, account, email)?;
    match users::set_email(tx, account, email, &email_key(email)) {
        Err(Storage::Duplicate) => Err(taken(&["email"])),
        other => Ok(other?),
    }
}

fn require_free(tx: &mut Tx<'_>, account: AccountId, email: &str) -> Result<()> {
    match users::find_by_email(tx, &email_key(email))? {
        Some(owner) if owner != account => Err(taken(&["email"])),
        _ => Ok(()),
    }
}
