//! Emails about decisions on sign-ups, to the person and to the staff that decides.

use siskin_ids::AccountId;
use siskin_persistence::{
    admin_accounts::{self as rows, WaitingSignUp},
    mailed_links::Purpose,
    tokens::TokenOwner,
    users::EmailRecipient,
};
use siskin_policy::roles::Permission;
use siskin_text::{isolate, shorten};

use super::{CONFIRMATION_TTL, Composer, RenderedEmail, html, letter, site_with_url};
use crate::{Instance, Result, authentication::authority};

/// Maximum number of sign-ups that an email lists.
const MAX_LISTED: i64 = 30;
/// Limits of a listed reason, in characters and in bytes. Staff read the whole reason elsewhere.
const REASON: (usize, usize) = (500, 2000);

impl Composer<'_, '_> {
    /// Writes the email to a person with an approved sign-up: how to sign in, or before that, how
    /// to confirm the address.
    pub(super) fn approved(&mut self) -> Result<RenderedEmail> {
        let email = self.recipient.email.clone();
        let site = self.site_with_url();
        let text = if self.recipient.owner.confirmed {
            format!(
                "welcome! The staff of {site} approved your request for an account. Your user name \
                 is {}. You can sign in now, with your app or on this page:\n\n{}",
                self.recipient.username,
                self.instance.urls.page("/auth/sign_in"),
            )
        } else {
            let (link, until) = self.link(Purpose::Confirmation, &email, CONFIRMATION_TTL, None)?;
            format!(
                "welcome! The staff of {site} approved your request for an account. One step is \
                 missing. Open this page to confirm that this email address is yours:\n\n{link}\n\n\
                 The link works once, until {until}. Then you can sign in. If you did not create \
                 the account, ignore this email.",
            )
        };
        Ok(self.letter(&email, "Your account was approved", &text))
    }

    /// Writes the email about sign-ups that wait for a decision. Returns `None` if none waits any
    /// more, and if the recipient may not decide any more.
    pub(super) fn pending_sign_ups(&mut self) -> Result<Option<RenderedEmail>> {
        let staff = authority(self.tx, self.recipient.owner.account)?;
        let (newest, count) = rows::waiting(self.tx, MAX_LISTED)?;
        if count == 0 || !staff.can(Permission::ManageUsers) {
            return Ok(None);
        }
        let people =
            if count == 1 { "1 person waits".to_owned() } else { format!("{count} people wait") };
        let mut paragraphs = vec![format!(
            "{people} for an approval at {}. They cannot use their accounts until you or another \
             member of the staff decide.",
            self.site_with_url(),
        )];
        for sign_up in &newest {
            paragraphs.extend(listed(sign_up));
        }
        let listed = i64::try_from(newest.len()).unwrap_or(i64::MAX);
        if count > listed {
            paragraphs.push(format!("These are the newest. {} more wait.", count - listed));
        }
        paragraphs.push("Open this page to decide:".to_owned());
        paragraphs.push(self.instance.urls.page("/admin/sign-ups"));
        let to = self.recipient.email.clone();
        let subject = format!("{people} for an approval");
        Ok(Some(self.letter(&to, &subject, &paragraphs.join("\n\n"))))
    }
}

/// Returns the paragraphs about a sign-up.
fn listed(sign_up: &WaitingSignUp) -> Vec<String> {
    let WaitingSignUp { username, reason, .. } = sign_up;
    let reason = reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    match reason {
        None => vec![format!("@{username} gave no reason.")],
        Some(reason) => vec![
            format!("@{username} wrote:"),
            html::quoted(&isolate(&shorten(reason, REASON.0, REASON.1))),
        ],
    }
}

/// Writes the email to a person with a rejected sign-up. The account is no longer needed for it.
pub(super) fn rejected(
    instance: &Instance,
    site: &str,
    username: &str,
    email: &str,
) -> RenderedEmail {
    let text = format!(
        "the staff of {} did not approve your request for an account. The account and all data \
         about it are deleted.",
        site_with_url(&instance.urls, site),
    );
    letter(&addressee(username, email), site, email, "Your account was not approved", &text)
}

/// Returns a recipient that has no account.
pub(super) fn addressee(username: &str, email: &str) -> EmailRecipient {
    EmailRecipient {
        owner: TokenOwner {
            account: AccountId::new(0),
            confirmed: false,
            approved: false,
            disabled: false,
            suspended: false,
        },
        username: username.to_owned(),
        email: email.to_owned(),
        has_email: true,
        application: None,
    }
}
