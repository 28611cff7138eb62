//! The instance: name, operator and limits (version 2 of the entity; version 1 is in
//! [`crate::instance_v1`]).

use serde::Serialize;
use siskin_entities as view;

use crate::{
    account::{self, Account},
    never::Never,
    rule::{self, Rule},
    urls::Urls,
};

/// Limits of a profile, in characters or number of entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AccountLimits {
    pub max_display_name_length: u64,
    pub max_note_length: u64,
    pub max_avatar_description_length: u64,
    pub max_header_description_length: u64,
    pub max_featured_tags: u64,
    pub max_pinned_statuses: u64,
    pub max_profile_fields: u64,
    pub profile_field_name_limit: u64,
    pub profile_field_value_limit: u64,
}

/// Limits of a status, in characters or number of entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatusLimits {
    pub max_characters: u64,
    pub max_media_attachments: u64,
    /// Number of characters that a link counts as, independent of its length.
    pub characters_reserved_per_url: u64,
}

/// Limits of attachments: sizes in bytes, areas in pixels, rates in frames per second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MediaLimits {
    pub supported_mime_types: Vec<String>,
    pub image_size_limit: u64,
    pub image_matrix_limit: u64,
    pub video_size_limit: u64,
    pub video_frame_rate_limit: u64,
    pub video_matrix_limit: u64,
}

/// Limits of a poll, in number of entries, characters and seconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PollLimits {
    pub max_options: u64,
    pub max_characters_per_option: u64,
    pub min_expiration: u64,
    pub max_expiration: u64,
}

/// Description of the instance.
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

/// Configuration that clients need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Configuration {
    pub urls: ConfigurationUrls,
    pub vapid: Vapid,
    pub accounts: AccountLimits,
    pub statuses: StatusLimits,
    pub media_attachments: MediaConfiguration,
    pub polls: PollLimits,
    pub translation: Translation,
    pub timelines_access: TimelinesAccess,
}

/// Access to the public timelines: `public`, `authenticated` or `disabled`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TimelinesAccess {
    pub live_feeds: FeedsByOrigin,
    pub hashtag_feeds: FeedsByOrigin,
}

/// Access by the origin of the statuses: local or remote authors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FeedsByOrigin {
    pub local: &'static str,
    pub remote: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfigurationUrls {
    pub streaming: String,
    /// URL of a status page of the operator: none on this server.
    pub status: Option<Never>,
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

/// Whether statuses can be translated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Translation {
    pub enabled: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Registrations {
    pub enabled: bool,
    pub approval_required: bool,
    /// HTML; null while sign-up is open.
    pub message: Option<String>,
    /// URL of an external sign-up page: none on this server.
    pub url: Option<Never>,
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

/// Renders the description of the instance.
#[must_use]
pub fn render(facts: &view::InstanceFacts, urls: &Urls) -> Instance {
    Instance {
        domain: urls.domain().to_owned(),
        title: facts.title.clone(),
        version: facts.version.clone(),
        source_url: facts.source_url.clone().unwrap_or_else(|| urls.base().to_owned()),
        description: facts.short_description.clone(),
        usage: Usage { users: UsageUsers { active_month: facts.counts.active_month } },
        thumbnail: Thumbnail { url: thumbnail_url(urls) },
        languages: facts.languages.clone(),
        configuration: render_configuration(facts, urls),
        registrations: render_registrations(facts),
        api_versions: facts.api_version.map(|mastodon| ApiVersions { mastodon }),
        contact: Contact {
            email: facts.contact_email.clone(),
            account: facts.contact_account.as_ref().map(|contact| account::render(contact, urls)),
        },
        rules: rule::render_all(&facts.rules),
    }
}

/// Returns the image of the instance: the placeholder header.
pub(crate) fn thumbnail_url(urls: &Urls) -> String {
    urls.header(None)
}

fn render_configuration(facts: &view::InstanceFacts, urls: &Urls) -> Configuration {
    let limits = &facts.limits;
    Configuration {
        urls: ConfigurationUrls { streaming: urls.streaming(), status: None },
        vapid: Vapid { public_key: facts.vapid_key.clone() },
        accounts: render_account_limits(&limits.accounts),
        statuses: render_status_limits(&limits.statuses),
        media_attachments: MediaConfiguration {
            limits: render_media_limits(&limits.media),
            description_limit: limits.media.description_chars,
        },
        polls: render_poll_limits(&limits.polls),
        translation: Translation { enabled: facts.translates },
        timelines_access: TimelinesAccess {
            live_feeds: render_feeds(facts.feeds.live),
            hashtag_feeds: render_feeds(facts.feeds.hashtag),
        },
    }
}

const fn render_feeds(feeds: view::FeedsByOrigin) -> FeedsByOrigin {
    FeedsByOrigin { local: feeds.local.as_str(), remote: feeds.remote.as_str() }
}

const fn render_account_limits(limits: &view::instance::AccountLimits) -> AccountLimits {
    AccountLimits {
        max_display_name_length: limits.display_name_chars,
        max_note_length: limits.note_chars,
        max_avatar_description_length: limits.picture_description_chars,
        max_header_description_length: limits.picture_description_chars,
        max_featured_tags: limits.featured_tags,
        max_pinned_statuses: limits.pinned_statuses,
        max_profile_fields: limits.fields,
        profile_field_name_limit: limits.field_name_chars,
        profile_field_value_limit: limits.field_value_chars,
    }
}

pub(crate) const fn render_status_limits(limits: &view::instance::StatusLimits) -> StatusLimits {
    StatusLimits {
        max_characters: limits.chars,
        max_media_attachments: limits.media_attachments,
        characters_reserved_per_url: limits.chars_per_url,
    }
}

pub(crate) fn render_media_limits(limits: &view::instance::MediaLimits) -> MediaLimits {
    MediaLimits {
        supported_mime_types: limits.types.clone(),
        image_size_limit: limits.image_bytes,
        image_matrix_limit: limits.image_pixels,
        video_size_limit: limits.video_bytes,
        video_frame_rate_limit: limits.video_frame_rate,
        video_matrix_limit: limits.video_pixels,
    }
}

pub(crate) const fn render_poll_limits(limits: &view::instance::PollLimits) -> PollLimits {
    PollLimits {
        max_options: limits.options,
        max_characters_per_option: limits.option_chars,
        min_expiration: limits.shortest_seconds,
        max_expiration: limits.longest_seconds,
    }
}

fn render_registrations(facts: &view::InstanceFacts) -> Registrations {
    let message = &facts.registrations_message;
    let shown = !facts.sign_up_open() && !message.is_empty();
    Registrations {
        enabled: facts.sign_up_open(),
        approval_required: facts.approval_required(),
        message: shown.then(|| paragraph(message)),
        url: None,
    }
}

/// Converts plain text to one paragraph of HTML.
fn paragraph(text: &str) -> String {
    let escaped = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\n', "<br>");
    format!("<p>{escaped}</p>")
}
