//! The instance: name, operator and limits (version 2 of the entity; version 1 is in
//! [`crate::instance_v1`]).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use siskin_entities as view;

use crate::{
    account::{self, Account},
    rule::{self, Rule},
    urls::Urls,
};

/// Limits of a profile, in characters or number of entries.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct AccountLimits {
    /// Length of the display name, in characters.
    pub max_display_name_length: u64,
    /// Length of the biography, in characters.
    pub max_note_length: u64,
    /// Length of the alternative text of the avatar, in characters.
    pub max_avatar_description_length: u64,
    /// Length of the alternative text of the header, in characters.
    pub max_header_description_length: u64,
    /// Number of hashtags featured on a profile.
    pub max_featured_tags: u64,
    /// Number of statuses pinned to a profile.
    pub max_pinned_statuses: u64,
    /// Number of rows in the table of a profile.
    pub max_profile_fields: u64,
    /// Length of a label in the table, in characters.
    pub profile_field_name_limit: u64,
    /// Length of a value in the table, in characters.
    pub profile_field_value_limit: u64,
}

/// Limits of a status, in characters or number of entries.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct StatusLimits {
    /// Length of text and content warning together, in characters.
    pub max_characters: u64,
    /// Number of attachments.
    pub max_media_attachments: u64,
    /// Number of characters that a link counts as, independent of its length.
    pub characters_reserved_per_url: u64,
}

/// Limits of attachments: sizes in bytes, areas in pixels, rates in frames per second.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct MediaLimits {
    /// Media types of files that can be uploaded.
    pub supported_mime_types: Vec<String>,
    /// Size of an image, in bytes.
    pub image_size_limit: u64,
    /// Area of an image, in pixels.
    pub image_matrix_limit: u64,
    /// Size of a video or recording, in bytes.
    pub video_size_limit: u64,
    /// Frame rate of a video, in frames per second.
    pub video_frame_rate_limit: u64,
    /// Area of a frame of a video, in pixels.
    pub video_matrix_limit: u64,
}

/// Limits of a poll, in number of entries, characters and seconds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct PollLimits {
    /// Number of options.
    pub max_options: u64,
    /// Length of an option, in characters.
    pub max_characters_per_option: u64,
    /// Shortest duration, in seconds.
    pub min_expiration: u64,
    /// Longest duration, in seconds.
    pub max_expiration: u64,
}

/// Description of the instance.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Instance {
    /// Domain of the handles of local accounts.
    pub domain: String,
    /// Name of the instance.
    pub title: String,
    /// Version of the compatible API, with the name of the program.
    pub version: String,
    /// Address of the program's source code.
    pub source_url: String,
    /// One sentence of plain text.
    pub description: String,
    /// Activity of the users.
    pub usage: Usage,
    /// Picture of the instance.
    pub thumbnail: Thumbnail,
    /// The picture as icons, the smallest first; empty if the operators have not chosen one.
    pub icon: Vec<Icon>,
    /// ISO 639-1 codes of the languages of the operators.
    pub languages: Vec<String>,
    /// Limits and addresses that clients need.
    pub configuration: Configuration,
    /// How visitors can sign up.
    pub registrations: Registrations,
    /// Versions of the API as numbers; absent if the API has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_versions: Option<ApiVersions>,
    /// Whom to ask.
    pub contact: Contact,
    /// Rules in display order.
    pub rules: Vec<Rule>,
}

/// Activity on the instance.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Usage {
    /// Numbers of users.
    pub users: UsageUsers,
}

/// Numbers of users.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct UsageUsers {
    /// Local accounts that were active in the last 30 days.
    pub active_month: i64,
}

/// Picture of the instance.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Thumbnail {
    /// Address of the picture.
    pub url: String,
    /// Blurred form; absent for the picture of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blurhash: Option<String>,
    /// Addresses by size; absent for the picture of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub versions: Option<ThumbnailVersions>,
}

/// Addresses of the picture of the instance in its sizes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ThumbnailVersions {
    /// For ordinary screens.
    #[serde(rename = "@1x", skip_serializing_if = "Option::is_none")]
    pub at_1x: Option<String>,
    /// For screens with twice the resolution; absent if the picture is too small.
    #[serde(rename = "@2x", skip_serializing_if = "Option::is_none")]
    pub at_2x: Option<String>,
}

/// The picture of the instance as a square.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Icon {
    /// Address of the icon.
    pub src: String,
    /// Width and height in pixels, such as `192x192`.
    pub size: String,
}

/// Configuration that clients need.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Configuration {
    /// Addresses of other services.
    pub urls: ConfigurationUrls,
    /// Key of web push.
    pub vapid: Vapid,
    /// Limits of profiles.
    pub accounts: AccountLimits,
    /// Limits of statuses.
    pub statuses: StatusLimits,
    /// Limits of attachments.
    pub media_attachments: MediaConfiguration,
    /// Limits of polls.
    pub polls: PollLimits,
    /// Translation of statuses.
    pub translation: Translation,
    /// Access to the public timelines.
    pub timelines_access: TimelinesAccess,
    /// Whether the server exchanges statuses with allowed servers only; Siskin sends `false`.
    pub limited_federation: bool,
}

/// Access to the public timelines: `public`, `authenticated` or `disabled`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct TimelinesAccess {
    /// The federated and local timelines.
    pub live_feeds: FeedsByOrigin,
    /// The hashtag timelines.
    pub hashtag_feeds: FeedsByOrigin,
    /// The timelines of trending links. On Siskin they have the access of the hashtag timelines.
    pub trending_link_feeds: FeedsByOrigin,
}

/// Access by the origin of the statuses: local or remote authors.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct FeedsByOrigin {
    /// Statuses of local accounts.
    pub local: Cow<'static, str>,
    /// Statuses of remote accounts.
    pub remote: Cow<'static, str>,
}

/// Addresses of other services.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ConfigurationUrls {
    /// Base address of the streaming API (`wss://…`).
    pub streaming: String,
    /// Address of a status page of the operator; Siskin sends null.
    pub status: Option<String>,
    /// Address of the page about the instance.
    pub about: String,
    /// Address of the privacy policy; null if there is none.
    pub privacy_policy: Option<String>,
    /// Address of the terms of service; null if there are none.
    pub terms_of_service: Option<String>,
}

/// Key of web push.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Vapid {
    /// Public VAPID key, URL-safe base64.
    pub public_key: String,
}

/// Limits of attachments.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct MediaConfiguration {
    /// Sizes and types. In JSON, the fields are those of the entity itself.
    #[serde(flatten)]
    pub limits: MediaLimits,
    /// Length of a description, in characters.
    pub description_limit: u64,
}

/// Whether statuses can be translated.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Translation {
    /// Whether the server has a translation service.
    pub enabled: bool,
}

/// How visitors can sign up.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Registrations {
    /// Whether visitors can sign up.
    pub enabled: bool,
    /// Whether staff approves each sign-up.
    pub approval_required: bool,
    /// HTML; null while sign-up is open.
    pub message: Option<String>,
    /// Minimum age of new users; Siskin sends null.
    pub min_age: Option<u32>,
    /// Whether a sign-up needs a reason; null if staff approve no sign-ups.
    pub reason_required: Option<bool>,
    /// Address of a page where people sign up through an external provider; null while visitors can
    /// sign up in clients, too.
    pub url: Option<String>,
}

/// Versions of the API.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ApiVersions {
    /// Version of Mastodon's API as one number.
    pub mastodon: u32,
}

/// Contact of the operators.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Contact {
    /// Email address; may be empty.
    pub email: String,
    /// Account of the operator; null if none is set.
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
        thumbnail: render_thumbnail(facts, urls),
        icon: render_icons(facts, urls),
        languages: facts.languages.clone(),
        configuration: render_configuration(facts, urls),
        registrations: render_registrations(facts, urls),
        api_versions: facts.api_version.map(|mastodon| ApiVersions { mastodon }),
        contact: Contact {
            email: facts.contact_email.clone(),
            account: facts.contact_account.as_ref().map(|contact| account::render(contact, urls)),
        },
        rules: rule::render_all(&facts.rules),
    }
}

/// Returns the address of the picture of the instance, or of the placeholder header.
pub(crate) fn thumbnail_url(facts: &view::InstanceFacts, urls: &Urls) -> String {
    match &facts.picture {
        Some(picture) => urls.file(&picture.thumbnail.file),
        None => urls.header(None),
    }
}

fn render_thumbnail(facts: &view::InstanceFacts, urls: &Urls) -> Thumbnail {
    let url = thumbnail_url(facts, urls);
    let Some(picture) = &facts.picture else { return Thumbnail { url, ..Thumbnail::default() } };
    let large = picture.large_thumbnail.as_ref().map(|large| urls.file(&large.file));
    let versions = ThumbnailVersions { at_1x: Some(url.clone()), at_2x: large };
    Thumbnail { url, blurhash: picture.thumbnail.blurhash.clone(), versions: Some(versions) }
}

fn render_icons(facts: &view::InstanceFacts, urls: &Urls) -> Vec<Icon> {
    let icon = |version: &view::PictureVersion| Icon {
        src: urls.file(&version.file),
        size: format!("{}x{}", version.size.width, version.size.height),
    };
    facts.picture.iter().flat_map(|picture| &picture.icons).map(icon).collect()
}

fn render_configuration(facts: &view::InstanceFacts, urls: &Urls) -> Configuration {
    let limits = &facts.limits;
    Configuration {
        urls: ConfigurationUrls {
            streaming: urls.streaming(),
            status: None,
            about: urls.page("/about"),
            privacy_policy: Some(urls.page("/privacy-policy")),
            terms_of_service: facts.has_terms.then(|| urls.page("/terms-of-service")),
        },
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
            trending_link_feeds: render_feeds(facts.feeds.hashtag),
        },
        limited_federation: false,
    }
}

const fn render_feeds(feeds: view::FeedsByOrigin) -> FeedsByOrigin {
    FeedsByOrigin {
        local: Cow::Borrowed(feeds.local.as_str()),
        remote: Cow::Borrowed(feeds.remote.as_str()),
    }
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

fn render_registrations(facts: &view::InstanceFacts, urls: &Urls) -> Registrations {
    let message = &facts.registrations_message;
    let shown = !facts.sign_up_open() && !message.is_empty();
    Registrations {
        enabled: facts.sign_up_open(),
        approval_required: facts.approval_required(),
        message: shown.then(|| paragraph(message)),
        min_age: None,
        // The form asks for a reason, and accepts none.
        reason_required: facts.approval_required().then_some(false),
        url: (facts.external_sign_up && !facts.sign_up_open()).then(|| urls.page("/auth/sign_in")),
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
