//! The instance as it describes itself: name, operator and limits.

use std::sync::Arc;

use crate::{
    account::Account,
    instance_picture::InstancePicture,
    rule::Rule,
    settings::{FeedAccess, Registrations, Settings},
};

/// All facts that the instance endpoints return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstanceFacts {
    /// Name of the instance.
    pub title: String,
    /// One sentence of plain text.
    pub short_description: String,
    /// Longer plain text; if it is empty, clients get the short description.
    pub description: String,
    /// Version of the Mastodon API that clients see: `4.5.0 (compatible; Siskin 0.1.0)`.
    pub version: String,
    /// API version as a number, if this version of the API defines one.
    pub api_version: Option<u32>,
    /// Version of this program.
    pub software_version: String,
    /// Address of the program's source code; `None` if the operator did not set it.
    pub source_url: Option<String>,
    /// ISO 639-1 codes.
    pub languages: Vec<String>,
    /// Email address of the operators; may be empty.
    pub contact_email: String,
    /// Account of the operator; `None` if none is set.
    pub contact_account: Option<Arc<Account>>,
    /// How visitors can sign up.
    pub registrations: Registrations,
    /// Shown while sign-up is closed; plain text, may be empty.
    pub registrations_message: String,
    /// Rules in display order.
    pub rules: Vec<Rule>,
    /// Size of the instance.
    pub counts: InstanceCounts,
    /// Limits that clients are shown.
    pub limits: InstanceLimits,
    /// Access to the public timelines.
    pub feeds: Feeds,
    /// Whether statuses can be translated.
    pub translates: bool,
    /// Public VAPID key of web push, URL-safe base64.
    pub vapid_key: String,
    /// Whether there are terms of service.
    pub has_terms: bool,
    /// Whether people can sign up through an external provider.
    pub external_sign_up: bool,
    /// `None` if staff uploaded none.
    pub picture: Option<InstancePicture>,
}

impl InstanceFacts {
    /// Returns `true` if visitors can sign up, with or without approval.
    #[must_use]
    pub const fn sign_up_open(&self) -> bool {
        matches!(self.registrations, Registrations::Open | Registrations::Approval)
    }

    /// Returns `true` if staff must approve each sign-up.
    #[must_use]
    pub const fn approval_required(&self) -> bool {
        matches!(self.registrations, Registrations::Approval)
    }
}

/// Access settings of the public timelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Feeds {
    /// The federated and local timelines.
    pub live: FeedsByOrigin,
    /// The hashtag timelines.
    pub hashtag: FeedsByOrigin,
}

/// Access to a public timeline by the origin of its statuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedsByOrigin {
    /// Statuses of local accounts.
    pub local: FeedAccess,
    /// Statuses of remote accounts.
    pub remote: FeedAccess,
}

impl FeedsByOrigin {
    /// Returns `true` if statuses of local (or else remote) accounts are listed at all.
    #[must_use]
    pub fn lists(self, is_local: bool) -> bool {
        let access = if is_local { self.local } else { self.remote };
        access != FeedAccess::Disabled
    }
}

impl Feeds {
    /// Builds the value from the operator's settings.
    #[must_use]
    pub const fn of(settings: &Settings) -> Self {
        Self {
            live: FeedsByOrigin { local: settings.feeds_local, remote: settings.feeds_remote },
            hashtag: FeedsByOrigin {
                local: settings.feeds_hashtag_local,
                remote: settings.feeds_hashtag_remote,
            },
        }
    }
}

/// Size of the instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InstanceCounts {
    /// Local accounts that are not suspended, disabled, unconfirmed or pending approval.
    pub users: i64,
    /// The same, active in the last 30 days.
    pub active_month: i64,
    /// The same, active in the last 180 days.
    pub active_half_year: i64,
    /// Statuses of local accounts.
    pub local_statuses: i64,
    /// Known remote servers.
    pub domains: i64,
}

/// All limits that clients are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstanceLimits {
    /// Limits of profiles.
    pub accounts: AccountLimits,
    /// Limits of statuses.
    pub statuses: StatusLimits,
    /// Limits of attachments.
    pub media: MediaLimits,
    /// Limits of polls.
    pub polls: PollLimits,
}

/// Limits of a profile, in characters or number of entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountLimits {
    /// Length of the display name.
    pub display_name_chars: u64,
    /// Length of the biography.
    pub note_chars: u64,
    /// Length of the descriptions of avatar and header.
    pub picture_description_chars: u64,
    /// Number of featured hashtags.
    pub featured_tags: u64,
    /// Number of pinned statuses.
    pub pinned_statuses: u64,
    /// Number of rows in the table of a profile.
    pub fields: u64,
    /// Length of a label in the table.
    pub field_name_chars: u64,
    /// Length of a value in the table.
    pub field_value_chars: u64,
}

/// Limits of a status, in characters or number of entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusLimits {
    /// Length of text and content warning together, in characters.
    pub chars: u64,
    /// Number of attachments.
    pub media_attachments: u64,
    /// Number of characters that a link counts as, independent of its length.
    pub chars_per_url: u64,
}

/// Limits of attachments: sizes in bytes, areas in pixels, rates in frames per second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaLimits {
    /// Accepted content types.
    pub types: Vec<String>,
    /// Size of an image, in bytes.
    pub image_bytes: u64,
    /// Area of an image, in pixels.
    pub image_pixels: u64,
    /// Size of a video or recording, in bytes.
    pub video_bytes: u64,
    /// Frame rate of a video, in frames per second.
    pub video_frame_rate: u64,
    /// Area of a frame of a video, in pixels.
    pub video_pixels: u64,
    /// Length of the description of an attachment, in characters.
    pub description_chars: u64,
}

/// Limits of a poll, in number of entries, characters and seconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PollLimits {
    /// Number of options.
    pub options: u64,
    /// Length of an option, in characters.
    pub option_chars: u64,
    /// Shortest duration, in seconds.
    pub shortest_seconds: u64,
    /// Longest duration, in seconds.
    pub longest_seconds: u64,
}
