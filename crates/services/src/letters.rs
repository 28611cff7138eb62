//! Letters to people, by mail: what each says, and the link that it proves something with.
//!
//! A letter is asked for in the transaction of what caused it and written by a job, so that the
//! secret in its link is nowhere but in the mail: only a hash is stored. What happens when the link
//! is opened is not known here.

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

/// How long one has to confirm an address: as long as an account waits for that by default.
const CONFIRMATION: Duration = Duration::from_secs(2 * 86_400);
/// How long a forgotten password can be replaced.
const PASSWORD: Duration = Duration::from_secs(3600);

/// A letter to be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Letter {
    /// To somebody who signed up, to find out whether the address is theirs.
    Confirmation {
        account: AccountId,
        #[serde(default)]
        return_to: Option<String>,
    },
    /// The same, asked for anew by whoever has the address; nobody need have it.
    ConfirmationTo {
        email: String,
        #[serde(default)]
        return_to: Option<String>,
    },
    /// To somebody who may have forgotten a password; nobody need have the address.
    PasswordReset {
        email: String,
        #[serde(default)]
        return_to: Option<String>,
    },
    /// To the address that somebody wants to have from now on.
    EmailChange { account: AccountId, email: String },
    /// To the address that somebody had until now.
    EmailChanged { account: AccountId, former: String },
    /// To somebody whose password was replaced.
    PasswordChanged { account: AccountId },
}

/// Write a letter and send it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendLetter {
    pub letter: Letter,
}

impl Job for SendLetter {
    const KIND: &'static str = "send_letter";
}

/// A letter ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub to: String,
    pub subject: String,
    pub text: String,
}

/// Asks for a letter.
///
/// # Errors
/// Storage errors only.
pub fn enqueue(tx: &mut Tx<'_>, letter: Letter) -> Result<()> {
    jobs::enqueue(tx, &SendLetter { letter })?;
    Ok(())
}

/// Writes a letter of the site with this title, and keeps the hash of its link. None where it is
/// not wanted any more. To be called anew for each attempt: older links of the same kind go on
/// working, as their letter may have arrived after all.
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

/// Who the letter is for, if there is still somebody whom it concerns.
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

/// What a letter is written with.
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
            "an account was made at {} with this e-mail address. Open this page to confirm that \
             the address is yours:\n\n{link}\n\nThe link works once, until {until}. If it was not \
             you who made the account, do nothing: without this link nobody can use it.",
            self.place(),
        );
        Ok(self.letter(&email, "Confirm your e-mail address", &text))
    }

    fn password_reset(&mut self, return_to: Option<String>) -> Result<Written> {
        let email = self.addressee.email.clone();
        let (link, until) = self.link(Purpose::Password, &email, PASSWORD, return_to)?;
        let text = format!(
            "somebody asked for another password for your account at {}. Choose one here:\n\n\
             {link}\n\nThe link works once, until {until}. If it was not you who asked, do \
             nothing: your password stays as it is.",
            self.place(),
        );
        Ok(self.letter(&email, "Choose another password", &text))
    }

    fn email_change(&mut self, email: &str) -> Result<Written> {
        let (link, until) = self.link(Purpose::Email, email, CONFIRMATION, None)?;
        let text = format!(
            "this is to become the e-mail address of your account at {}. Open this page to \
             confirm that it is yours:\n\n{link}\n\nThe link works once, until {until}. If it was \
             not you who asked, do nothing.",
            self.place(),
        );
        Ok(self.letter(email, "Confirm your new e-mail address", &text))
    }

    fn email_changed(&self, former: &str) -> Written {
        let text = format!(
            "your account at {} has another e-mail address from now on, and nothing more will be \
             sent to this one. If it was not you who changed it, choose another password at once \
             and write to those who run the server:\n\n{}",
            self.place(),
            self.instance.urls.page("/auth/password/new"),
        );
        self.letter(former, "Your e-mail address was changed", &text)
    }

    fn password_changed(&self) -> Written {
        let text = format!(
            "the password of your account at {} was changed. If it was not you who changed it, \
             choose another one at once:\n\n{}",
            self.place(),
            self.instance.urls.page("/auth/password/new"),
        );
        self.letter(&self.addressee.email, "Your password was changed", &text)
    }

    /// A fresh link for this purpose, and until when it works, in words.
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

    /// The site with its address.
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

/// Such as `2026-11-28 08:00 UTC`.
fn in_words(time: Timestamp) -> String {
    let text = time.to_string();
    let (date, clock) = text.split_once('T').unwrap_or((&text, ""));
    format!("{date} {} UTC", clock.get(..5).unwrap_or_default())
}
