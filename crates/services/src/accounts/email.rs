//! Email addresses of users: confirmation, change, and password reset, for which control of the
//! address is the proof of identity.

use siskin_entities::Timestamp;
use siskin_ids::{AccountId, ApplicationId};
use siskin_persistence::{
    Conn, Error as Storage, Tx,
    accounts::{self as rows, Decision},
    external_identities,
    mailed_links::{self, MailedLink, Purpose},
    users::{self, EmailHolder, EmailRecipient},
};

use super::{
    create::taken,
    moderation::{self, NewPassword},
    names::{email_faults, email_key},
};
use crate::{
    Error, Field, Result,
    emails::{self, Email},
    secrets,
    sign_up_blocks::{self, MailServers},
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

/// Request for another confirmation email.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resend {
    /// The application that sends the request.
    pub application: Option<ApplicationId>,
    /// The new address, if the one at the sign-up was wrong.
    pub email: Option<NewEmail>,
    /// The mail servers of the new address.
    pub mail_servers: MailServers,
    /// Whether the address may get an email now. The response must not depend on it.
    pub sends_email: bool,
}

/// Returns the email address of a user, which is perhaps not confirmed.
///
/// # Errors
/// [`Error::NotFound`] if the account has no user.
pub fn address(conn: &mut Conn, account: AccountId) -> Result<String> {
    Ok(users::recipient(conn, account)?.ok_or(Error::NotFound)?.email)
}

/// Sends the confirmation email again to an account that signed up through the same application. If
/// an address is given, changes it first. Behaves the same for the address of another account, which
/// gets another email.
///
/// # Errors
/// [`Error::Forbidden`] if the account is confirmed, or signed up through another application;
/// [`Error::InvalidFields`] if the address is blocked.
pub fn resend(tx: &mut Tx<'_>, account: AccountId, request: &Resend) -> Result<()> {
    let user = lock_user(tx, account)?;
    if user.owner.confirmed {
        return Err(Error::forbidden(CONFIRMED));
    }
    if user.application != request.application {
        return Err(Error::forbidden(ANOTHER_APPLICATION));
    }
    let typed = request.email.as_ref().map(NewEmail::as_str);
    let changed = typed.filter(|email| *email != user.email);
    if let Some(email) = changed {
        sign_up_blocks::require_email_allowed(tx, email, &request.mail_servers)?;
        mailed_links::delete_of(tx, account, Purpose::Confirmation)?;
    }
    if changed.is_some() || !user.has_email {
        set_or_share_email(tx, account, changed.unwrap_or(&user.email))?;
    }
    if request.sends_email {
        emails::enqueue(tx, Email::Confirmation { account, return_to: None })?;
    }
    Ok(())
}

/// Sends a confirmation link to a user's new email address. The address changes when the link is
/// opened. `mail_servers` are those of the new address. Behaves the same for the address of another
/// account, which gets another email.
///
/// # Errors
/// [`Error::InvalidFields`] if the address is blocked.
pub fn request_change(
    tx: &mut Tx<'_>,
    account: AccountId,
    email: &NewEmail,
    mail_servers: &MailServers,
) -> Result<()> {
    let NewEmail(email) = email;
    lock_user(tx, account)?;
    sign_up_blocks::require_email_allowed(tx, email, mail_servers)?;
    mailed_links::delete_of(tx, account, Purpose::Email)?;
    note_change(tx, account, email)?;
    emails::enqueue(tx, Email::EmailChange { account, email: email.clone() })
}

/// Stores a link that no one gets. The email is written only while the account has it. So what ends
/// the links of a change ends an email that was not written yet, too.
fn note_change(tx: &mut Tx<'_>, account: AccountId, email: &str) -> Result<()> {
    let link = MailedLink {
        account,
        email: email.to_owned(),
        expires_at: tx.now().after(emails::CONFIRMATION_TTL),
        return_to: None,
    };
    let hash = secrets::hash(&secrets::generate());
    Ok(mailed_links::insert(tx, &hash, Purpose::Email, &link)?)
}

/// Replaces a user's email address at the operator's request, even by a blocked one, and marks it as
/// confirmed. Links sent to the former address no longer work.
///
/// # Errors
/// [`Error::NotFound`] if the account has no user; [`Error::InvalidFields`] if another account has
/// the address.
pub fn replace(tx: &mut Tx<'_>, account: AccountId, email: &NewEmail) -> Result<()> {
    lock_user_for(tx, account, &email.0)?;
    set_email(tx, account, &email.0)?;
    delete_links(tx, account)?;
    moderation::decide(tx, account, Decision::Confirm)
}

/// Returns the new email address that a link would confirm. Returns `None` for any other link.
///
/// # Errors
/// Storage errors only.
pub fn address_to_confirm(conn: &mut Conn, token: &str, now: Timestamp) -> Result<Option<String>> {
    let link = mailed_links::find(conn, &secrets::hash(token), Purpose::Email, now)?;
    Ok(link.map(|link| link.email))
}

/// Consumes a link that confirms an email address. `mail_servers` are those of
/// [`address_to_confirm`].
///
/// # Errors
/// [`Error::NotFound`] if the link is invalid or expired; [`Error::InvalidFields`] if another
/// account has the new address by now, or if it is blocked by now.
pub fn confirm(tx: &mut Tx<'_>, token: &str, mail_servers: &MailServers) -> Result<Confirmed> {
    let hash = secrets::hash(token);
    let now = tx.now();
    let found = match mailed_links::find(tx, &hash, Purpose::Confirmation, now)? {
        Some(link) => Some((Purpose::Confirmation, link)),
        None => {
            mailed_links::find(tx, &hash, Purpose::Email, now)?.map(|link| (Purpose::Email, link))
        }
    };
    let Some((purpose, link)) = found else { return Err(Error::NotFound) };
    let user = lock_user_for(tx, link.account, &link.email)?;
    if mailed_links::take(tx, &hash, purpose)?.is_none() {
        return Err(Error::NotFound);
    }
    match purpose {
        Purpose::Email => change(tx, &user, &link, mail_servers)?,
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
fn change(
    tx: &mut Tx<'_>,
    user: &EmailRecipient,
    link: &MailedLink,
    mail_servers: &MailServers,
) -> Result<()> {
    let account = link.account;
    sign_up_blocks::require_email_allowed(tx, &link.email, mail_servers)?;
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

/// Consumes a password reset link. Ends every session, token and code of the user, and removes the
/// logins at external providers: another person may have linked them, or signed up with the address
/// before its owner. Confirms the address, because the user received the email sent to it. Returns
/// the page to which the user returns.
///
/// # Errors
/// [`Error::NotFound`] if the link is invalid or expired, or the account is disabled or suspended.
pub fn reset_password(
    tx: &mut Tx<'_>,
    token: &str,
    password: &NewPassword,
) -> Result<Option<String>> {
    let hash = secrets::hash(token);
    let now = tx.now();
    let link = mailed_links::find(tx, &hash, Purpose::Password, now)?.ok_or(Error::NotFound)?;
    let user = lock_user_for(tx, link.account, &link.email)?;
    mailed_links::take(tx, &hash, Purpose::Password)?.ok_or(Error::NotFound)?;
    if user.email != link.email || user.owner.disabled || user.owner.suspended {
        return Err(Error::NotFound);
    }
    moderation::set_password(tx, link.account, password)?;
    external_identities::delete_of_account(tx, link.account)?;
    moderation::decide(tx, link.account, Decision::Confirm)?;
    Ok(link.return_to)
}

/// Locks the account until the end of the transaction, so that its address cannot change, and loads
/// its user.
fn lock_user(tx: &mut Tx<'_>, account: AccountId) -> Result<EmailRecipient> {
    rows::lock(tx, &[account])?;
    users::recipient(tx, account)?.ok_or(Error::NotFound)
}

/// As [`lock_user`]. Locks the account that has this address, too: it may lose it.
fn lock_user_for(tx: &mut Tx<'_>, account: AccountId, email: &str) -> Result<EmailRecipient> {
    let holder = users::find_by_email(tx, &email_key(email))?.map(|holder| holder.account);
    let ids: Vec<AccountId> = holder.into_iter().chain([account]).collect();
    rows::lock(tx, &ids)?;
    users::recipient(tx, account)?.ok_or(Error::NotFound)
}

/// Locks an account and the one that has the address with which it signed up, before the address is
/// confirmed. Locks both at once, because two locks one after the other could deadlock.
pub(crate) fn lock_with_holder(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    match users::recipient(tx, account)? {
        Some(user) if !user.has_email => lock_user_for(tx, account, &user.email).map(drop),
        _ => Ok(rows::lock(tx, &[account])?),
    }
}

/// Sets the address, for a user that has not confirmed it. If another account has it, only stores
/// what was typed, so that the response does not reveal that.
fn set_or_share_email(tx: &mut Tx<'_>, account: AccountId, email: &str) -> Result<()> {
    let key = email_key(email);
    let stored = match users::find_by_email(tx, &key)? {
        Some(holder) if holder.account != account => users::share_email(tx, account, email, &key),
        _ => users::set_email(tx, account, email, &key),
    };
    match stored {
        // Another request took the address at this moment.
        Err(Storage::Duplicate) => {
            Err(Error::Conflict("Another request changed this, try again".to_owned()))
        }
        other => Ok(other?),
    }
}

/// Gives a user without an address the one that was typed at the sign-up, unless another account
/// has confirmed it.
///
/// # Errors
/// [`Error::InvalidFields`] if another account has confirmed it.
pub(super) fn claim(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    match users::recipient(tx, account)? {
        Some(user) if !user.has_email => set_email(tx, account, &user.email),
        _ => Ok(()),
    }
}

/// Sets the address. The unique index decides between two simultaneous requests for it.
fn set_email(tx: &mut Tx<'_>, account: AccountId, email: &str) -> Result<()> {
    free(tx, email, Some(account))?;
    match users::set_email(tx, account, email, &email_key(email)) {
        Err(Storage::Duplicate) => Err(taken(&["email"])),
        other => Ok(other?),
    }
}

/// Frees an address for the account that confirms it, or for a new one: a holder that never confirmed
/// it loses it. Links in emails to that holder end.
///
/// # Errors
/// [`Error::InvalidFields`] if another account has confirmed it.
pub(crate) fn free(tx: &mut Tx<'_>, email: &str, account: Option<AccountId>) -> Result<()> {
    let key = email_key(email);
    let holder_of = |tx: &mut Tx<'_>| -> Result<Option<EmailHolder>> {
        let holder = users::find_by_email(tx, &key)?;
        Ok(holder.filter(|holder| Some(holder.account) != account))
    };
    let Some(EmailHolder { account: holder, .. }) = holder_of(tx)? else { return Ok(()) };
    // The holder is not confirmed meanwhile.
    rows::lock(tx, &[holder])?;
    match holder_of(tx)? {
        None => Ok(()),
        Some(found) if found.account == holder && !found.confirmed => {
            users::drop_email_key(tx, holder)?;
            delete_links(tx, holder)
        }
        Some(_) => Err(taken(&["email"])),
    }
}

/// Ends all links in emails to an account.
pub(crate) fn delete_links(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    for purpose in Purpose::ALL {
        mailed_links::delete_of(tx, account, purpose)?;
    }
    Ok(())
}
