//! The email to an address that an account has confirmed, after a sign-up or a change of the
//! address with it. The response to such a request is that for a free address, so only the owner of
//! the address learns that the account exists.

use siskin_ids::AccountId;
use siskin_persistence::{
    Tx,
    users::{self, EmailRecipient},
};

use super::{Composer, Email, RenderedEmail};
use crate::{Result, accounts::email_key};

/// Returns the address that an email is about, if it may belong to another account than the
/// recipient.
fn claimed<'e>(letter: &'e Email, recipient: &'e EmailRecipient) -> Option<&'e str> {
    match letter {
        Email::EmailChange { email, .. } => Some(email),
        Email::Confirmation { .. } | Email::Approved { .. } if !recipient.has_email => {
            Some(&recipient.email)
        }
        _ => None,
    }
}

/// Returns the account that has confirmed the address that an email is about. Returns `None` if it is
/// that of the recipient, or none: a person who signed up with an address and did not confirm it does
/// not own it.
pub(super) fn owner(
    tx: &mut Tx<'_>,
    letter: &Email,
    recipient: &EmailRecipient,
) -> Result<Option<AccountId>> {
    let Some(address) = claimed(letter, recipient) else { return Ok(None) };
    let owner = users::owner_of_email(tx, &email_key(address))?;
    Ok(owner.filter(|owner| *owner != recipient.owner.account))
}

impl Composer<'_, '_> {
    /// Writes the email to the owner of an address that was used with another account.
    pub(super) fn taken_address(&self, letter: &Email) -> RenderedEmail {
        let page = |path| self.instance.urls.page(path);
        let what = match letter {
            Email::EmailChange { .. } => "wants to use this email address for another account",
            _ => "tried to create another account with this email address",
        };
        let text = format!(
            "someone, perhaps you, {what} at {}. The address belongs to your account @{}, and an \
             address can belong to one account only. You can sign in:\n\n{}\n\nIf you forgot your \
             password, choose a new one:\n\n{}\n\nIf this was not you, ignore this email: your \
             account stays as it is, and no one learns that it has this address.",
            self.site_with_url(),
            self.recipient.username,
            page("/auth/sign_in"),
            page("/auth/password/new"),
        );
        self.letter(&self.recipient.email, "You already have an account", &text)
    }
}
