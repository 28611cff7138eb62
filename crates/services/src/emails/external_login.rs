//! Emails to a user about logins at external providers.

use serde::{Deserialize, Serialize};
use siskin_text::isolate;

use super::{Composer, RenderedEmail};

/// What happened with a login.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExternalLoginChange {
    /// The user linked it to the account.
    Linked,
    /// The user removed it from the account.
    Unlinked,
}

impl Composer<'_, '_> {
    /// Writes the email about a login at the provider with this name.
    pub(super) fn external_login(
        &self,
        provider: &str,
        change: ExternalLoginChange,
    ) -> RenderedEmail {
        let (site, provider) = (self.site_with_url(), isolate(provider));
        let page = self.instance.urls.page("/settings/external-logins");
        let (subject, text) = match change {
            ExternalLoginChange::Linked => (
                "A login was linked to your account",
                format!(
                    "a login at {provider} was linked to your account at {site}. It signs in to the \
                     account now. If you did not link it, remove it at once, and contact the \
                     operators of the server:\n\n{page}"
                ),
            ),
            ExternalLoginChange::Unlinked => (
                "A login was removed from your account",
                format!(
                    "the login at {provider} was removed from your account at {site}, and does not \
                     sign in to it any more. If you did not remove it, contact the operators of the \
                     server. Your logins are on this page:\n\n{page}"
                ),
            ),
        };
        self.letter(&self.recipient.email, subject, &text)
    }

    /// Writes the email about the removal of all logins by the operator.
    pub(super) fn external_logins_removed(&self) -> RenderedEmail {
        let text = format!(
            "the staff of {} removed the logins at external providers from your account. They do \
             not sign in to it any more. If you have no password, choose one:\n\n{}\n\nThen you can \
             link a login again:\n\n{}",
            self.site_with_url(),
            self.instance.urls.page("/auth/password/new"),
            self.instance.urls.page("/settings/external-logins"),
        );
        self.letter(&self.recipient.email, "Your external logins were removed", &text)
    }
}
