//! The instance as it describes itself: what it is called, who runs it, what it allows.

use std::sync::Arc;

use crate::{
    account::Account,
    rule::Rule,
    settings::{FeedAccess, Registrations, Settings},
};

/// Everything that the descriptions of the instance are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// Where the program's source is found; None where the operator did not say.
    pub source_url: Option<String>,
    /// ISO 639-1 codes.
    pub languages: Vec<String>,
    pub contact_email: String,
    pub contact_account: Option<Arc<Account>>,
    pub registrations: Registrations,
    /// Shown while nobody may sign up; plain text, may be empty.
    pub registrations_message: String,
    /// In their order.
    pub rules: Vec<Rule>,
    pub counts: InstanceCounts,
    pub limits: InstanceLimits,
    pub feeds: Feeds,
    /// Whether statuses can be had in other languages.
    pub translates: bool,
    /// The public key of web push, URL-safe base64.
    pub vapid_key: String,
}

impl InstanceFacts {
    /// Whether anyone can ask for an account.
    #[must_use]
    pub const fn sign_up_open(&self) -> bool {
        matches!(self.registrations, Registrations::Open | Registrations::Approval)
    }

    /// Whether staff admit each person.
    #[must_use]
    pub const fn approval_required(&self) -> bool {
        matches!(self.registrations, Registrations::Approval)
    }
}

/// Who reads which public timelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Feeds {
    /// What everyone writes.
    pub live: FeedsByOrigin,
    /// What has a hashtag.
    pub hashtag: FeedsByOrigin,
}

/// The parts of a public timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedsByOrigin {
    /// By people of this server.
    pub local: FeedAccess,
    /// By those of others.
    pub remote: FeedAccess,
}

impl FeedsByOrigin {
    /// Whether what the people of this server write, or those of others, is listed at all.
    #[must_use]
    pub fn lists(self, is_local: bool) -> bool {
        let access = if is_local { self.local } else { self.remote };
        access != FeedAccess::Disabled
    }
}

impl Feeds {
    /// As the operator wants it.
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
pub struct InstanceLimits {
    pub accounts: AccountLimits,
    pub statuses: StatusLimits,
    pub media: MediaLimits,
    pub polls: PollLimits,
}

/// Limits of a profile, in characters and pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountLimits {
    pub display_name_chars: u64,
    pub note_chars: u64,
    /// Of the descriptions of avatar and header.
    pub picture_description_chars: u64,
    pub featured_tags: u64,
    pub pinned_statuses: u64,
    pub fields: u64,
    pub field_name_chars: u64,
    pub field_value_chars: u64,
}

/// Limits of a status, in characters and pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusLimits {
    pub chars: u64,
    pub media_attachments: u64,
    /// What a link counts for, however long it is.
    pub chars_per_url: u64,
}

/// Limits of attachments: sizes in bytes, matrices in pixels, rates in frames a second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaLimits {
    /// Content types that are taken.
    pub types: Vec<String>,
    pub image_bytes: u64,
    pub image_pixels: u64,
    pub video_bytes: u64,
    pub video_frame_rate: u64,
    pub video_pixels: u64,
    /// Characters of the description of a picture or recording.
    pub description_chars: u64,
}

/// Limits of a poll, in pieces, characters and seconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PollLimits {
    pub options: u64,
    pub option_chars: u64,
    pub shortest_seconds: u64,
    pub longest_seconds: u64,
}
