//! Statuses that wait for their time.

use siskin_ids::{AccountId, ApplicationId, ScheduledStatusId, StatusId};
use siskin_text::ContentType;

use crate::{media::MediaAttachment, polls::Definition, status::Visibility, time::Timestamp};

/// What somebody wrote to be published later. Nobody else knows of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledStatus {
    pub id: ScheduledStatusId,
    pub account: AccountId,
    /// When it is to be published; past where that could not be done.
    pub at: Timestamp,
    /// As typed.
    pub text: String,
    pub spoiler_text: String,
    pub content_type: ContentType,
    pub visibility: Visibility,
    pub sensitive: bool,
    /// None: as the text looks when it is published.
    pub language: Option<String>,
    pub in_reply_to: Option<StatusId>,
    /// The client that it was written with.
    pub application: Option<ApplicationId>,
    /// What it asks, from when it is published on.
    pub poll: Option<Definition>,
    /// The only accounts that it may mention; `None` if there is no such limit.
    pub allowed_mentions: Option<Vec<AccountId>>,
    /// In their order.
    pub attachments: Vec<MediaAttachment>,
}
