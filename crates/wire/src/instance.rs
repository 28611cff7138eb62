//! The instance: what it is called, who runs it, what it allows (the present form of the entity;
//! the former one is in [`crate::instance_v1`]).

use serde::Serialize;
use siskin_entities::{self as view, settings::Registrations as Mode};

use crate::{
    account::{self, Account},
    rule::{self, Rule},
    urls::Urls,
};

/// Everything that the descriptions of the instance are made of.
#[derive(Debug, Clone, PartialEq)]
pub struct InstanceFacts {
    pub title: String,
    /// One sentence, plain text.
    pub short_description: String,
    /// A longer text, plain; empty shows the short one.
    pub description: String,
    /// The level of the interface as clients read it: `4.2.1 (compatible; Siskin 0.1.0)`.
    pub version: String,
    /// The level as a number, where this level of the interface has one.
    pub api_version: Option<u32>,
    /// The version of this program alone.
    pub software_version: String,
    /// Where the program's source is found.
    pub source_url: String,
    /// Base of the streaming addresses: `wss://example.com`.
    pub streaming_url: String,
    /// Address of the picture that stands for the instance.
    pub thumbnail_url: String,
    /// ISO 639-1 codes.
    pub languages: Vec<String>,
    pub contact_email: String,
    pub contact_account: Option<view::Account>,
    pub registrations: Mode,
    /// Shown while nobody may sign up; plain text, may be empty.
    pub registrations_message: String,
    /// In their order.
    pub rules: Vec<view::Rule>,
    pub counts: InstanceCounts,
    pub limits: Limits,
    /// The public key of web push, URL-safe base64.
    pub vapid_key: String,
}

impl InstanceFacts {
    /// Whether anyone can ask for an account.
    #[must_use]
    pub const fn sign_up_open(&self) -> bool {
        matches!(self.registrations, Mode::Open | Mode::Approval)
    }

    /// Whether staff admit each person.
    #[must_use]
    pub const fn approval_required(&self) -> bool {
        matches!(self.registrations, Mode::Approval)
    }
}

/// How large the instance is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InstanceCounts {
    /// Local accounts that can be used.
    pub users: i64,
    /// Those active in the last 30 days.
    pub active_month: i64,
    /// Those active in the last 180 days.
    pub active_half_year: i64,
    /// Statuses of local accounts.
    pub local_statuses: i64,
    /// Other servers known.
    pub domains: i64,
}

/// How much of everything is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    pub accounts: AccountLimits,
    pub statuses: StatusLimits,
    pub media: MediaLimits,
    /// Characters of the description of a picture or recording.
    pub media_description: u64,
    pub polls: PollLimits,
}

/// Limits of a profile, in characters and pieces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AccountLimits {
    pub max_display_name_length: u64,
    pub max_note_length: u64,
    pub max_featured_tags: u64,
    pub max_pinned_statuses: u64,
    pub max_profile_fields: u64,
    pub profile_field_name_limit: u64,
    pub profile_field_value_limit: u64,
}

/// Limits of a status, in characters and pieces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatusLimits {
    pub max_characters: u64,
    pub max_media_attachments: u64,
    /// What a link counts for, however long it is.
    pub characters_reserved_per_url: u64,
}

/// Limits of attachments: sizes in bytes, matrices in pixels, rates in frames a second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MediaLimits {
    pub supported_mime_types: Vec<String>,
    pub image_size_limit: u64,
    pub image_matrix_limit: u64,
    pub video_size_limit: u64,
    pub video_frame_rate_limit: u64,
    pub video_matrix_limit: u64,
}

/// Limits of a poll, in pieces, characters and seconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PollLimits {
    pub max_options: u64,
    pub max_characters_per_option: u64,
    pub min_expiration: u64,
    pub max_expiration: u64,
}

/// The description of the instance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Instance {
    pub domain: String,
    pub title: String,
    pub version: String,
    pub source_url: String,
    pub description: String,
    pub usage: Usage,
    pub thumbnail: Thumbnail,
    pub languages: Vec<String>,
    pub configuration: Configuration,
    pub registrations: Registrations,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_versions: Option<ApiVersions>,
    pub contact: Contact,
    pub rules: Vec<Rule>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Usage {
    pub users: UsageUsers,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsageUsers {
    pub active_month: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Thumbnail {
    pub url: String,
}

/// What clients must know to use the instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Configuration {
    pub urls: ConfigurationUrls,
    pub vapid: Vapid,
    pub accounts: AccountLimits,
    pub statuses: StatusLimits,
    pub media_attachments: MediaConfiguration,
    pub polls: PollLimits,
    pub translation: Translation,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfigurationUrls {
    pub streaming: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Vapid {
    pub public_key: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MediaConfiguration {
    #[serde(flatten)]
    pub limits: MediaLimits,
    pub description_limit: u64,
}

/// Whether statuses can be translated, which this server does not offer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Translation {
    pub enabled: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Registrations {
    pub enabled: bool,
    pub approval_required: bool,
    /// HTML; null while people can sign up.
    pub message: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ApiVersions {
    pub mastodon: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contact {
    pub email: String,
    pub account: Option<Account>,
}

/// The description of the instance.
#[must_use]
pub fn render(facts: &InstanceFacts, urls: &Urls) -> Instance {
    Instance {
        domain: urls.domain().to_owned(),
        title: facts.title.clone(),
        version: facts.version.clone(),
        source_url: facts.source_url.clone(),
        description: facts.short_description.clone(),
        usage: Usage { users: UsageUsers { active_month: facts.counts.active_month } },
        thumbnail: Thumbnail { url: facts.thumbnail_url.clone() },
        languages: facts.languages.clone(),
        configuration: render_configuration(facts),
        registrations: render_registrations(facts),
        api_versions: facts.api_version.map(|mastodon| ApiVersions { mastodon }),
        contact: Contact {
            email: facts.contact_email.clone(),
            account: facts.contact_account.as_ref().map(|contact| account::render(contact, urls)),
        },
        rules: rule::render_all(&facts.rules),
    }
}

fn render_configuration(facts: &InstanceFacts) -> Configuration {
    Configuration {
        urls: ConfigurationUrls { streaming: facts.streaming_url.clone() },
        vapid: Vapid { public_key: facts.vapid_key.clone() },
        accounts: facts.limits.accounts.clone(),
        statuses: facts.limits.statuses.clone(),
        media_attachments: MediaConfiguration {
            limits: facts.limits.media.clone(),
            description_limit: facts.limits.media_description,
        },
        polls: facts.limits.polls.clone(),
        translation: Translation::default(),
    }
}

fn render_registrations(facts: &InstanceFacts) -> Registrations {
    let message = &facts.registrations_message;
    let shown = !facts.sign_up_open() && !message.is_empty();
    Registrations {
        enabled: facts.sign_up_open(),
        approval_required: facts.approval_required(),
        message: shown.then(|| paragraph(message)),
    }
}

/// Plain text as one paragraph of HTML.
fn paragraph(text: &str) -> String {
    let escaped = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\n', "<br>");
    format!("<p>{escaped}</p>")
}
