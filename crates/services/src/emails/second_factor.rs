//! Emails to a user about the second factor.

use serde::{Deserialize, Serialize};
use siskin_policy::second_factor::MAX_CODE_TRIES;

use super::{Composer, RenderedEmail};

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecondFactorChange {
    /// The user set it up.
    Enabled,
    /// The user removed it.
    Disabled,
    /// The staff of the server removed it.
    Removed,
    /// The last recovery code was used.
    RecoveryCodesUsedUp,
    /// Nothing, but wrong codes were tried after the right password.
    WrongCodes,
}

impl Composer<'_, '_> {
    /// Writes the email about something that happened with the second factor.
    pub(super) fn second_factor(&self, change: SecondFactorChange) -> RenderedEmail {
        let site = self.site_with_url();
        let page = |path: &str| self.instance.urls.page(path);
        let (settings, reset) = (page("/settings/second-factor"), page("/auth/password/new"));
        let (subject, text) = match change {
            SecondFactorChange::Enabled => (
                "A second factor protects your account",
                format!(
                    "your account at {site} has a second factor now. A sign-in with your \
                     password needs a code of your authenticator app, too. If you did not set it \
                     up, contact the operators of the server, and choose a new password at \
                     once:\n\n{reset}"
                ),
            ),
            SecondFactorChange::Disabled => (
                "Your second factor was removed",
                format!(
                    "the second factor of your account at {site} was removed. Your password alone \
                     signs in now. If you did not remove it, choose a new password at \
                     once:\n\n{reset}"
                ),
            ),
            SecondFactorChange::Removed => (
                "Your second factor was removed",
                format!(
                    "the staff of {site} removed the second factor of your account. Your password \
                     alone signs in now. Open this page to set up a new one:\n\n{settings}\n\nIf you \
                     did not ask for this, contact the operators of the server."
                ),
            ),
            SecondFactorChange::RecoveryCodesUsedUp => (
                "Your recovery codes are used up",
                format!(
                    "you used the last recovery code of your account at {site}. Open this page to \
                     get new ones:\n\n{settings}\n\nIf you did not use it, choose a new password at \
                     once:\n\n{reset}"
                ),
            ),
            SecondFactorChange::WrongCodes => (
                "Wrong codes were entered",
                format!(
                    "the password of your account at {site} was entered, and then {MAX_CODE_TRIES} \
                     wrong codes, so the sign-in failed. If it was not you, others know your \
                     password. Then choose a new one at once:\n\n{reset}"
                ),
            ),
        };
        self.letter(&self.recipient.email, subject, &text)
    }
}
