//! The instance in version 1 of the entity, which many clients still use.

use serde::Serialize;
use siskin_entities as view;

use crate::{
    account::{self, Account},
    instance::{self, MediaLimits, PollLimits, StatusLimits},
    rule::{self, Rule},
    urls::Urls,
};

/// Description of the instance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Instance {
    /// Domain of the instance.
    pub uri: String,
    pub title: String,
    pub short_description: String,
    pub description: String,
    pub email: String,
    pub version: String,
    pub urls: InstanceUrls,
    pub stats: Stats,
    pub thumbnail: Option<String>,
    pub languages: Vec<String>,
    pub registrations: bool,
    pub approval_required: bool,
    pub invites_enabled: bool,
    pub configuration: Configuration,
    pub contact_account: Option<Account>,
    pub rules: Vec<Rule>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InstanceUrls {
    pub streaming_api: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stats {
    pub user_count: i64,
    pub status_count: i64,
    pub domain_count: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Configuration {
    pub accounts: AccountsConfiguration,
    pub statuses: StatusLimits,
    pub media_attachments: MediaLimits,
    pub polls: PollLimits,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AccountsConfiguration {
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
        thumbnail: Some(instance::thumbnail_url(urls)),
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
