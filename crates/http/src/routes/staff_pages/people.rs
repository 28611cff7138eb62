//! Accounts and moments as the pages of the staff show them.

use siskin_entities::{Account, AdminAccount, StrikeAction, Urls, WarningPreset};
use siskin_policy::roles::{Authority, Permission};
use siskin_services::warning_presets;
use siskin_text::isolate;

use crate::routes::public::view::isolated_name;

/// An account with the page that tells the member of staff most about it.
#[derive(Debug, Clone)]
pub(super) struct Person {
    pub(super) name: String,
    /// `@name`, with the domain for accounts of other servers.
    pub(super) handle: String,
    pub(super) path: String,
}

impl Person {
    pub(super) fn of(account: &Account, staff: Authority, urls: &Urls) -> Self {
        let path = if staff.can(Permission::ManageUsers) {
            format!("/admin/accounts/{}", account.id)
        } else {
            account.page_or_uri(urls)
        };
        Self {
            name: isolated_name(&account.display_name, &account.username),
            handle: handle(account),
            path,
        }
    }
}

/// Returns `@name`, with the domain for an account of another server.
pub(super) fn handle(account: &Account) -> String {
    format!("@{}", account.acct())
}

/// Returns words for the state of an account; none for one without restrictions.
pub(super) fn states(account: &AdminAccount) -> Vec<&'static str> {
    let shown = &account.account;
    let user = account.user.as_ref();
    let states = [
        (account.is_rejected(), "Rejected"),
        (account.is_pending(), "Waits for approval"),
        (user.is_some_and(|user| !user.confirmed), "Email not confirmed"),
        (user.is_some_and(|user| user.disabled), "Login disabled"),
        (shown.sensitized, "Media marked as sensitive"),
        (shown.state.silenced, "Limited"),
        (shown.state.suspended, "Suspended"),
    ];
    states.into_iter().filter_map(|(is_so, words)| is_so.then_some(words)).collect()
}

/// Returns what a strike did, in words.
pub(super) const fn happened(action: StrikeAction) -> &'static str {
    match action {
        StrikeAction::Warn => "Warning",
        StrikeAction::Disable => "Login disabled",
        StrikeAction::MarkStatusesAsSensitive => "Posts marked as sensitive",
        StrikeAction::DeleteStatuses => "Posts deleted",
        StrikeAction::Sensitive => "Media marked as sensitive",
        StrikeAction::Silence => "Limited",
        StrikeAction::Suspend => "Suspended",
    }
}

/// Returns the choices of a prepared text for warnings, and of none.
pub(super) fn preset_choices(presets: &[WarningPreset], chosen: &str) -> Vec<Choice> {
    let choice = |preset: &WarningPreset| {
        let name = isolate(&warning_presets::name(preset));
        Choice::new(preset.id.to_string(), name, chosen)
    };
    [Choice::new("", "None", chosen)].into_iter().chain(presets.iter().map(choice)).collect()
}

/// An option of a selection, or one of several choices.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    pub(super) value: String,
    pub(super) words: String,
    /// What the choice means; may be empty.
    pub(super) hint: &'static str,
    pub(super) chosen: bool,
}

impl Choice {
    pub(super) fn new(value: impl Into<String>, words: impl Into<String>, chosen: &str) -> Self {
        let value = value.into();
        let is_chosen = value == chosen;
        Self { value, words: words.into(), hint: "", chosen: is_chosen }
    }

    pub(super) fn with_hint(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }
}
