//! Emails to users: their texts, and the links that prove control of an address or end emails.
//!
//! A use case enqueues an email in the transaction of its cause, and a job writes it. So the secret
//! in its link exists only in the email, and the database stores only a hash. Other use cases
//! handle the opening of the link.

mod about;
mod archive;
mod by_address;
mod deletion;
mod external_login;
mod html;
mod mail_test;
mod moderation;
mod report;
mod second_factor;
mod sign_up;
mod taken_address;
mod terms;
mod topics;
mod unsubscribe;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use siskin_entities::{Timestamp, Urls};
use siskin_ids::{
    AccountId, AppealId, ExportId, PreviewCardId, ReportId, StatusId, StrikeId, TagId,
};
use siskin_persistence::{
    Tx, external_identities,
    mailed_links::{self, MailedLink, Purpose},
    users::{self, EmailRecipient},
};
use siskin_text::isolate;

use crate::{
    Instance, Result,
    jobs::{self, Job},
    secrets,
    trends::review::pending as pending_review,
};

pub(crate) use about::enqueue_about_notifications;
pub use about::{NotificationEmail, PlanDigests, Recipient, compose, finish, load, plan_digests};
pub use external_login::ExternalLoginChange;
pub use mail_test::write_test;
pub use second_factor::SecondFactorChange;
pub use topics::{set_topics, topics};
pub use unsubscribe::{Request as UnsubscribeRequest, topics_of_link, unsubscribe};

/// How long a confirmation link is valid: the default time that an account may stay unconfirmed.
pub(crate) const CONFIRMATION_TTL: Duration = Duration::from_secs(2 * 86_400);
/// How long a password reset link is valid.
const PASSWORD_RESET_TTL: Duration = Duration::from_secs(3600);
/// Maximum number of entries that an email about trends lists.
const MAX_LISTED_TRENDS: usize = 30;

/// Email that [`write()`] writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Email {
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
    /// Password reset of a user.
    PasswordResetOf {
        account: AccountId,
        #[serde(default)]
        return_to: Option<String>,
    },
    /// To the address that becomes the user's new one.
    EmailChange { account: AccountId, email: String },
    /// To the address that was the user's former one.
    EmailChanged { account: AccountId, former: String },
    /// To a user after the password was changed.
    PasswordChanged { account: AccountId },
    /// To a user after the second factor changed.
    SecondFactor { account: AccountId, change: SecondFactorChange },
    /// To a user after a login at an external provider was linked or removed.
    ExternalLogin { account: AccountId, provider: String, change: ExternalLoginChange },
    /// To a user after the operator removed all logins at external providers.
    ExternalLoginsRemoved { account: AccountId },
    /// To a member of staff, about trends that need a review.
    TrendsToReview {
        account: AccountId,
        tags: Vec<TagId>,
        links: Vec<PreviewCardId>,
        statuses: Vec<StatusId>,
    },
    /// To a person with a sign-up that staff approved.
    Approved { account: AccountId },
    /// To the confirmed address of a person with a sign-up that staff rejected. The account may be
    /// deleted already.
    Rejected { username: String, email: String },
    /// To the confirmed address of a person that deleted the account. It may be gone already.
    AccountDeleted { username: String, email: String },
    /// To a member of staff, about sign-ups that wait for approval.
    PendingSignUps { account: AccountId },
    /// To a member of staff, about a new report.
    NewReport { account: AccountId, report: ReportId },
    /// To the person against whom the moderators acted.
    Strike { account: AccountId, strike: StrikeId },
    /// To a member of staff, about a new appeal.
    NewAppeal { account: AccountId, appeal: AppealId },
    /// To the person that appealed.
    AppealDecided { account: AccountId, appeal: AppealId },
    /// To the owner of an archive that can be downloaded.
    ArchiveReady { account: AccountId, archive: ExportId },
    /// To a user, about new terms of service. The day is the midnight (UTC) with which it begins,
    /// in milliseconds.
    NewTerms { account: AccountId, first_day: i64 },
}

/// Email of either kind, as a job stores it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum QueuedEmail {
    Single(Email),
    AboutNotifications(NotificationEmail),
}

/// Job that writes and sends an email.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendEmail {
    pub letter: QueuedEmail,
}

impl Job for SendEmail {
    const KIND: &'static str = "send_letter";
}

/// Email ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedEmail {
    pub to: String,
    pub subject: String,
    pub text: String,
    /// The same as HTML.
    pub html: String,
    /// Address that ends emails of this kind at a POST request (RFC 8058).
    pub unsubscribe: Option<String>,
}

/// Enqueues an email.
///
/// # Errors
/// Storage errors only.
pub fn enqueue(tx: &mut Tx<'_>, letter: Email) -> Result<()> {
    jobs::enqueue(tx, &SendEmail { letter: QueuedEmail::Single(letter) })?;
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
    letter: &Email,
) -> Result<Option<RenderedEmail>> {
    match letter {
        Email::Rejected { username, email } => {
            return Ok(Some(sign_up::rejected(instance, site, username, email)));
        }
        Email::AccountDeleted { username, email } => {
            return Ok(Some(deletion::deleted(instance, site, username, email)));
        }
        Email::ConfirmationTo { email, return_to } => {
            by_address::enqueue_confirmations(tx, email, return_to.as_ref())?;
            return Ok(None);
        }
        Email::PasswordReset { email, return_to } => {
            by_address::enqueue_password_resets(tx, email, return_to.as_ref())?;
            return Ok(None);
        }
        Email::EmailChange { account, email } if !is_change_pending(tx, *account, email)? => {
            return Ok(None);
        }
        _ => {}
    }
    let Some(recipient) = recipient(tx, letter)? else { return Ok(None) };
    if let Some(owner) = taken_address::owner(tx, letter, &recipient)? {
        let owner = users::recipient(tx, owner)?.filter(may_return);
        let Some(recipient) = &owner else { return Ok(None) };
        let composer = Composer { tx, instance, site, recipient };
        return Ok(Some(composer.taken_address(letter)));
    }
    let mut composer = Composer { tx, instance, site, recipient: &recipient };
    Ok(match letter {
        Email::Confirmation { return_to, .. } => Some(composer.confirmation(return_to.clone())?),
        Email::PasswordResetOf { return_to, .. } => {
            Some(composer.password_reset(return_to.clone())?)
        }
        Email::EmailChange { email, .. } => Some(composer.email_change(email)?),
        Email::EmailChanged { former, .. } => Some(composer.email_changed(former)),
        Email::PasswordChanged { .. } => Some(composer.password_changed()),
        Email::SecondFactor { change, .. } => Some(composer.second_factor(*change)),
        Email::ExternalLogin { provider, change, .. } => {
            Some(composer.external_login(provider, *change))
        }
        Email::ExternalLoginsRemoved { .. } => Some(composer.external_logins_removed()),
        Email::TrendsToReview { tags, links, statuses, .. } => {
            composer.trends_to_review(tags, links, statuses)?
        }
        Email::Approved { .. } => Some(composer.approved()?),
        Email::PendingSignUps { .. } => composer.pending_sign_ups()?,
        // They have no recipient with an account.
        Email::Rejected { .. }
        | Email::AccountDeleted { .. }
        | Email::ConfirmationTo { .. }
        | Email::PasswordReset { .. } => None,
        Email::NewReport { report, .. } => composer.new_report(*report)?,
        Email::Strike { strike, .. } => composer.strike(*strike)?,
        Email::NewAppeal { appeal, .. } => composer.new_appeal(*appeal)?,
        Email::AppealDecided { appeal, .. } => composer.appeal_decided(*appeal)?,
        Email::ArchiveReady { archive, .. } => composer.archive_ready(*archive)?,
        Email::NewTerms { first_day, .. } => composer.new_terms(*first_day)?,
    })
}

/// Returns `true` if the user still wants this address. Links of the change end with another
/// request, and with a new password.
fn is_change_pending(tx: &mut Tx<'_>, account: AccountId, email: &str) -> Result<bool> {
    let now = tx.now();
    Ok(mailed_links::exists(tx, account, Purpose::Email, email, now)?)
}

/// Returns the recipient. Returns `None` if there is none, or if the email is no longer needed.
fn recipient(tx: &mut Tx<'_>, letter: &Email) -> Result<Option<EmailRecipient>> {
    let account = match letter {
        Email::ConfirmationTo { .. }
        | Email::PasswordReset { .. }
        | Email::Rejected { .. }
        | Email::AccountDeleted { .. } => None,
        Email::Confirmation { account, .. }
        | Email::PasswordResetOf { account, .. }
        | Email::Approved { account }
        | Email::PendingSignUps { account }
        | Email::EmailChange { account, .. }
        | Email::EmailChanged { account, .. }
        | Email::PasswordChanged { account }
        | Email::SecondFactor { account, .. }
        | Email::ExternalLogin { account, .. }
        | Email::ExternalLoginsRemoved { account }
        | Email::TrendsToReview { account, .. }
        | Email::NewReport { account, .. }
        | Email::Strike { account, .. }
        | Email::NewAppeal { account, .. }
        | Email::AppealDecided { account, .. }
        | Email::ArchiveReady { account, .. }
        | Email::NewTerms { account, .. } => Some(*account),
    };
    let Some(account) = account else { return Ok(None) };
    let found = users::recipient(tx, account)?;
    Ok(found.filter(|user| {
        let confirms = matches!(letter, Email::Confirmation { .. });
        let needs_access = matches!(
            letter,
            Email::TrendsToReview { .. }
                | Email::NewReport { .. }
                | Email::NewAppeal { .. }
                | Email::PendingSignUps { .. }
                | Email::NewTerms { .. }
        );
        let has_access = user.owner.confirmed && user.owner.approved;
        // Those who lost their access learn why, and get their data, if the address is theirs.
        if matches!(
            letter,
            Email::Strike { .. } | Email::AppealDecided { .. } | Email::ArchiveReady { .. }
        ) {
            return user.owner.confirmed;
        }
        may_return(user) && !(confirms && user.owner.confirmed) && (!needs_access || has_access)
    }))
}

/// Returns `true` if the moderators did not take the access of a user away.
const fn may_return(user: &EmailRecipient) -> bool {
    !user.owner.disabled && !user.owner.suspended
}

/// Context for writing an email.
struct Composer<'d, 't> {
    tx: &'d mut Tx<'t>,
    instance: &'d Instance,
    site: &'d str,
    recipient: &'d EmailRecipient,
}

impl Composer<'_, '_> {
    fn confirmation(&mut self, return_to: Option<String>) -> Result<RenderedEmail> {
        let email = self.recipient.email.clone();
        let (link, until) =
            self.link(Purpose::Confirmation, &email, CONFIRMATION_TTL, return_to)?;
        let text = format!(
            "an account was created at {} with this email address. Open this page to confirm that \
             the address is yours:\n\n{link}\n\nThe link works once, until {until}. If you did not \
             create the account, ignore this email: without this link, the account cannot be used.",
            self.site_with_url(),
        );
        Ok(self.letter(&email, "Confirm your email address", &text))
    }

    fn password_reset(&mut self, return_to: Option<String>) -> Result<RenderedEmail> {
        let email = self.recipient.email.clone();
        let account = self.recipient.owner.account;
        let logins = if external_identities::of_account(self.tx, account)?.is_empty() {
            ""
        } else {
            "A new password removes the logins at external providers from the account. You can \
             link them again in the settings.\n\n"
        };
        let (link, until) = self.link(Purpose::Password, &email, PASSWORD_RESET_TTL, return_to)?;
        let text = format!(
            "we received a request to reset the password of your account at {}. Choose a new \
             password here:\n\n{link}\n\n{logins}The link works once, until {until}. If you did \
             not request this, ignore this email: your password stays the same.",
            self.site_with_url(),
        );
        Ok(self.letter(&email, "Choose a new password", &text))
    }

    fn email_change(&mut self, email: &str) -> Result<RenderedEmail> {
        let (link, until) = self.link(Purpose::Email, email, CONFIRMATION_TTL, None)?;
        let text = format!(
            "we received a request to use this email address for your account at {}. Open this \
             page to confirm that the address is yours:\n\n{link}\n\nThe link works once, until \
             {until}. If you did not request this, ignore this email.",
            self.site_with_url(),
        );
        Ok(self.letter(email, "Confirm your new email address", &text))
    }

    fn email_changed(&self, former: &str) -> RenderedEmail {
        let text = format!(
            "the email address of your account at {} was changed. No more email will be sent to \
             this address. If you did not change it, choose a new password at once and contact the \
             operators of the server:\n\n{}",
            self.site_with_url(),
            self.instance.urls.page("/auth/password/new"),
        );
        self.letter(former, "Your email address was changed", &text)
    }

    fn password_changed(&self) -> RenderedEmail {
        let text = format!(
            "the password of your account at {} was changed. If you did not change it, choose a \
             new password at once:\n\n{}",
            self.site_with_url(),
            self.instance.urls.page("/auth/password/new"),
        );
        self.letter(&self.recipient.email, "Your password was changed", &text)
    }

    /// Writes the email about entries that need a review. Returns `None` if all were reviewed or are
    /// gone in the meantime.
    fn trends_to_review(
        &mut self,
        tags: &[TagId],
        links: &[PreviewCardId],
        statuses: &[StatusId],
    ) -> Result<Option<RenderedEmail>> {
        let now = self.tx.now();
        let urls = &self.instance.urls;
        let lines = pending_review(self.tx, urls, tags, links, statuses, now)?;
        if lines.is_empty() {
            return Ok(None);
        }
        let listed: String =
            lines.iter().take(MAX_LISTED_TRENDS).map(|line| format!("- {line}\n")).collect();
        let more = match lines.len().saturating_sub(MAX_LISTED_TRENDS) {
            0 => String::new(),
            more => format!("- and {more} more\n"),
        };
        let text = format!(
            "the following would trend at {} and needs a review. It is not shown among the trends \
             until you or another moderator approve it:\n\n{listed}{more}\nOpen this page to \
             review it:\n\n{}",
            self.site_with_url(),
            urls.page("/admin/trends"),
        );
        let to = self.recipient.email.clone();
        Ok(Some(self.letter(&to, "Trends need a review", &text)))
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
            account: self.recipient.owner.account,
            email: email.to_owned(),
            expires_at,
            return_to,
        };
        mailed_links::insert(self.tx, &secrets::hash(&token), purpose, &link)?;
        let path = match purpose {
            Purpose::Confirmation | Purpose::Email => "/auth/confirmation?confirmation_token=",
            Purpose::Password => "/auth/password/edit?reset_password_token=",
        };
        Ok((self.instance.urls.page(&format!("{path}{token}")), format_time(expires_at)))
    }

    fn site_with_url(&self) -> String {
        site_with_url(&self.instance.urls, self.site)
    }

    fn letter(&self, to: &str, subject: &str, text: &str) -> RenderedEmail {
        letter(self.recipient, self.site, to, subject, text)
    }
}

/// Returns the site title with the address of the server.
fn site_with_url(urls: &Urls, site: &str) -> String {
    format!("{} ({})", isolate(site), urls.base())
}

/// Returns an email to the address `to` of the recipient. Empty lines separate its paragraphs.
fn letter(
    recipient: &EmailRecipient,
    site: &str,
    to: &str,
    subject: &str,
    text: &str,
) -> RenderedEmail {
    let text = format!("Hello @{},\n\n{text}\n", recipient.username);
    RenderedEmail {
        to: to.to_owned(),
        subject: format!("{subject} ({})", isolate(site)),
        html: html::of_text(&text),
        text,
        unsubscribe: None,
    }
}

/// Formats a time, such as `2026-11-28 08:00 UTC`.
fn format_time(time: Timestamp) -> String {
    let text = time.to_string();
    let (date, clock) = text.split_once('T').unwrap_or((&text, ""));
    format!("{date} {} UTC", clock.get(..5).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emails_of_both_kinds_are_stored_as_before() {
        let account = AccountId::new(7);
        for (letter, stored) in [
            (
                QueuedEmail::Single(Email::PasswordChanged { account }),
                r#"{"letter":{"password_changed":{"account":"7"}}}"#,
            ),
            (
                QueuedEmail::AboutNotifications(NotificationEmail::Notifications { account }),
                r#"{"letter":{"notifications":{"account":"7"}}}"#,
            ),
            (
                QueuedEmail::AboutNotifications(NotificationEmail::Digest { account, since: 5 }),
                r#"{"letter":{"digest":{"account":"7","since":5}}}"#,
            ),
        ] {
            let job = SendEmail { letter };
            assert_eq!(serde_json::to_string(&job).unwrap(), stored);
            assert_eq!(serde_json::from_str::<SendEmail>(stored).unwrap(), job);
        }
    }
}
