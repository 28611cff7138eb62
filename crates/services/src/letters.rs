//! Emails to users: their texts, and the links that prove control of an address.
//!
//! A use case enqueues an email in the transaction of its cause, and a job writes it. So the secret
//! in its link exists only in the email, and the database stores only a hash. Other use cases
//! handle the opening of the link.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use siskin_entities::Timestamp;
use siskin_ids::AccountId;
use siskin_persistence::{
    Tx,
    mailed_links::{self, MailedLink, Purpose},
    users::{self, Addressee},
};
use siskin_text::isolate;

use crate::{
    Instance, Result,
    accounts::email_key,
    jobs::{self, Job},
    secrets,
};

/// How long a confirmation link is valid: the default time that an account may stay unconfirmed.
const CONFIRMATION: Duration = Duration::from_secs(2 * 86_400);
/// How long a password reset link is valid.
const PASSWORD: Duration = Duration::from_secs(3600);

/// Email to be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Letter {
    /// To a new user, to confirm the address.
    Confirmation {
        account: AccountId,
        #[serde(default)]
        return_to: Option<String>,
    },
    /// Repeated confirmation, requested by address. The address may belong to no account.
    ConfirmationTo {
        email: String,
        #[serde(default)]
        return_to: Option<String>,
    },
    /// Password reset, requested by address. The address may belong to no account.
    PasswordReset {
        email: String,
        #[serde(default)]
        return_to: Option<String>,
    },
    /// To the address that becomes the user's new one.
    EmailChange { account: AccountId, email: String },
    /// To the address that was the user's former one.
    EmailChanged { account: AccountId, former: String },
    /// To a user after the password was changed.
    PasswordChanged { account: AccountId },
}

/// Job that writes and sends an email.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendLetter {
    pub letter: Letter,
}

impl Job for SendLetter {
    const KIND: &'static str = "send_letter";
}

/// Email ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub to: String,
    pub subject: String,
    pub text: String,
}

/// Enqueues an email.
///
/// # Errors
/// Storage errors only.
pub fn enqueue(tx: &mut Tx<'_>, letter: Letter) -> Result<()> {
    jobs::enqueue(tx, &SendLetter { letter })?;
    Ok(())
}

/// Writes an email from the site with this title, and stores the hash of its link. Returns `None`
/// if the email is no longer needed. Called again for each attempt: older links of the same kind
/// stay valid, because an earlier attempt may have delivered the email.
///
/// # Errors
/// Storage errors only.
pub fn write(
    tx: &mut Tx<'_>,
    instance: &Instance,
    site: &str,
    letter: &Letter,
) -> Result<Option<Written>> {
    let Some(addressee) = addressee(tx, letter)? else { return Ok(None) };
    let mut desk = Desk { tx, instance, site, addressee: &addressee };
    Ok(match letter {
        Letter::Confirmation { return_to, .. } | Letter::ConfirmationTo { return_to, .. } => {
            Some(desk.confirmation(return_to.clone())?)
        }
        Letter::PasswordReset { return_to, .. } => Some(desk.password_reset(return_to.clone())?),
        Letter::EmailChange { email, .. } => Some(desk.email_change(email)?),
        Letter::EmailChanged { former, .. } => Some(desk.email_changed(former)),
        Letter::PasswordChanged { .. } => Some(desk.password_changed()),
    })
}

/// Returns the recipient. Returns `None` if there is none, or if the email is no longer needed.
fn addressee(tx: &mut Tx<'_>, letter: &Letter) -> Result<Option<Addressee>> {
    let account = match letter {
        Letter::ConfirmationTo { email, .. } | Letter::PasswordReset { email, .. } => {
            users::find_by_email(tx, &email_key(email))?
        }
        Letter::Confirmation { account, .. }
        | Letter::EmailChange { account, .. }
        | Letter::EmailChanged { account, .. }
        | Letter::PasswordChanged { account } => Some(*account),
    };
    let Some(account) = account else { return Ok(None) };
    let found = users::addressee(tx, account)?;
    Ok(found.filter(|person| {
        let may_return = !person.owner.disabled && !person.owner.suspended;
        let confirms =
            matches!(letter, Letter::Confirmation { .. } | Letter::ConfirmationTo { .. });
        may_return && !(confirms && person.owner.confirmed)
    }))
}

/// Context for writing an email.
struct Desk<'d, 't> {
    tx: &'d mut Tx<'t>,
    instance: &'d Instance,
    site: &'d str,
    addressee: &'d Addressee,
}

impl Desk<'_, '_> {
    fn confirmation(&mut self, return_to: Option<String>) -> Result<Written> {
        let email = self.addressee.email.clone();
        let (link, until) = self.link(Purpose::Confirmation, &email, CONFIRMATION, return_to)?;
        let text = format!(
            "an account was created at {} with this email address. Open this page to confirm that \
             the address is yours:\n\n{link}\n\nThe link works once, until {until}. If you did not \
             create the account, ignore this email: without this link, the account cannot be used.",
            self.place(),
        );
        Ok(self.letter(&email, "Confirm your email address", &text))
    }

    fn password_reset(&mut self, return_to: Option<String>) -> Result<Written> {
        let email = self.addressee.email.clone();
        let (link, until) = self.link(Purpose::Password, &email, PASSWORD, return_to)?;
        let text = format!(
            "we received a request to reset the password of your account at {}. Choose a new \
             password here:\n\n{link}\n\nThe link works once, until {until}. If you did not \
             request this, ignore this email: your password stays the same.",
            self.place(),
        );
        Ok(self.letter(&email, "Choose a new password", &text))
    }

    fn email_change(&mut self, email: &str) -> Result<Written> {
        let (link, until) = self.link(Purpose::Email, email, CONFIRMATION, None)?;
        let text = format!(
            "we received a request to use this email address for your account at {}. Open this \
             page to confirm that the address is yours:\n\n{link}\n\nThe link works once, until \
             {until}. If you did not request this, ignore this email.",
            self.place(),
        );
        Ok(self.letter(email, "Confirm your new email address", &text))
    }

    fn email_changed(&self, former: &str) -> Written {
        let text = format!(
            "the email address of your account at {} was changed. No more email will be sent to \
             this address. If you did not change it, choose a new password at once and contact the \
             operators of the server:\n\n{}",
            self.place(),
            self.instance.urls.page("/auth/password/new"),
        );
        self.letter(former, "Your email address was changed", &text)
    }

    fn password_changed(&self) -> Written {
        let text = format!(
            "the password of your account at {} was changed. If you did not change it, choose a \
             new password at once:\n\n{}",
            self.place(),
            self.instance.urls.page("/auth/password/new"),
        );
        self.letter(&self.addressee.email, "Your password was changed", &text)
    }

    /// Creates and stores a new link for this purpose. Returns it with its expiry as text.
    fn link(
        &mut self,
        purpose: Purpose,
        email: &str,
        lifetime: Duration,
        return_to: Option<String>,
    ) -> Result<(String, String)> {
        let (token, expires_at) = (secrets::generate(), self.tx.now().after(lifetime));
        let link = MailedLink {
            account: self.addressee.owner.account,
            email: email.to_owned(),
            expires_at,
            return_to,
        };
        mailed_links::insert(self.tx, &secrets::hash(&token), purpose, &link)?;
        let path = match purpose {
            Purpose::Confirmation | Purpose::Email => "/auth/confirmation?confirmation_token=",
            Purpose::Password => "/auth/password/edit?reset_password_token=",
        };
        Ok((self.instance.urls.page(&format!("{path}{token}")), in_words(expires_at)))
    }

    /// Returns the site title with the address of the server.
    fn place(&self) -> String {
        format!("{} ({})", isolate(self.site), self.instance.urls.base())
    }

    fn letter(&self, to: &str, subject: &str, text: &str) -> Written {
        Written {
            to: to.to_owned(),
            subject: format!("{subject} ({})", isolate(self.site)),
            text: format!("Hello @{},\n\n{text}\n", self.addressee.username),
        }
    }
}

/// Formats a time, such as `2026-11-28 08:00 UTC`.
fn in_words(time: Timestamp) -> String {
    let text = time.to_string();
    let (date, clock) = text.split_once('T').unwrap_or((&text, ""));
    format!("{date} {} UTC", clock.get(..5).unwrap_or_default())
}
