//! The instance in version 1 of the entity, which many clients still use.

use serde::{Deserialize, Serialize};
use siskin_entities as view;

use crate::{
    account::{self, Account},
    instance::{self, MediaLimits, PollLimits, StatusLimits},
    rule::{self, Rule},
    urls::Urls,
};

/// Description of the instance.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Instance {
    /// Domain of the instance.
    pub uri: String,
    /// Name of the instance.
    pub title: String,
    /// One sentence of plain text.
    pub short_description: String,
    /// Longer plain text, or the short description again.
    pub description: String,
    /// Email address of the operators; may be empty.
    pub email: String,
    /// Version of the compatible API, with the name of the program.
    pub version: String,
    /// Addresses of other services.
    pub urls: InstanceUrls,
    /// Size of the instance.
    pub stats: Stats,
    /// Address of a picture of the instance; null if there is none.
    pub thumbnail: Option<String>,
    /// ISO 639-1 codes of the languages of the operators.
    pub languages: Vec<String>,
    /// Whether visitors can sign up.
    pub registrations: bool,
    /// Whether staff approves each sign-up.
    pub approval_required: bool,
    /// Whether users can invite others; Siskin sends `false`.
    pub invites_enabled: bool,
    /// Limits that clients need.
    pub configuration: Configuration,
    /// Account of the operator; null if none is set.
    pub contact_account: Option<Account>,
    /// Rules in display order.
    pub rules: Vec<Rule>,
}

/// Addresses of other services.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct InstanceUrls {
    /// Base address of the streaming API (`wss://…`).
    pub streaming_api: String,
}

/// Size of the instance.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Stats {
    /// Local accounts that can be used.
    pub user_count: i64,
    /// Statuses of local accounts.
    pub status_count: i64,
    /// Known remote servers.
    pub domain_count: i64,
}

/// Limits that clients need.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Configuration {
    /// Limits of profiles.
    pub accounts: AccountsConfiguration,
    /// Limits of statuses.
    pub statuses: StatusLimits,
    /// Limits of attachments.
    pub media_attachments: MediaLimits,
    /// Limits of polls.
    pub polls: PollLimits,
}

/// Limits of profiles.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct AccountsConfiguration {
    /// Number of hashtags featured on a profile.
    pub max_featured_tags: u64,
}

/// Renders the description of the instance.
#[must_use]
pub fn render(facts: &view::InstanceFacts, urls: &Urls) -> Instance {
    let is_bare = facts.description.is_empty();
    Instance {
        uri: urls.domain().to_owned(),
        title: facts.title.clone(),
        short_description: facts.short_description.clone(),
        description: if is_bare { &facts.short_description } else { &facts.description }.clone(),
        email: facts.contact_email.clone(),
        version: facts.version.clone(),
        urls: InstanceUrls { streaming_api: urls.streaming() },
        stats: Stats {
            user_count: facts.counts.users,
            status_count: facts.counts.local_statuses,
            domain_count: facts.counts.domains,
        },
        thumbnail: Some(instance::thumbnail_url(facts, urls)),
        languages: facts.languages.clone(),
        registrations: facts.sign_up_open(),
        approval_required: facts.approval_required(),
        invites_enabled: false,
        configuration: Configuration {
            accounts: AccountsConfiguration {
                max_featured_tags: facts.limits.accounts.featured_tags,
            },
            statuses: instance::render_status_limits(&facts.limits.statuses),
            media_attachments: instance::render_media_limits(&facts.limits.media),
            polls: instance::render_poll_limits(&facts.limits.polls),
        },
        contact_account: facts
            .contact_account
            .as_ref()
            .map(|contact| account::render(contact, urls)),
        rules: rule::render_all(&facts.rules),
    }
}
