//! Scheduled statuses.

use siskin_ids::{AccountId, ApplicationId, ScheduledStatusId, StatusId};
use siskin_text::ContentType;

use crate::{media::MediaAttachment, polls::Definition, status::Visibility, time::Timestamp};

/// Status to be published later, visible to its author only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledStatus {
    pub id: ScheduledStatusId,
    pub account: AccountId,
    /// Publication time. It lies in the past if publication failed.
    pub at: Timestamp,
    /// Text as typed.
    pub text: String,
    pub spoiler_text: String,
    pub content_type: ContentType,
    pub visibility: Visibility,
    pub sensitive: bool,
    /// `None` if the language is detected from the text at publication.
    pub language: Option<String>,
    pub in_reply_to: Option<StatusId>,
    /// Client that created it.
    pub application: Option<ApplicationId>,
    /// Poll of the status; its duration starts at publication.
    pub poll: Option<Definition>,
    /// Accounts that it may mention; `None` if there is no such limit.
    pub allowed_mentions: Option<Vec<AccountId>>,
    /// Attachments in their order.
    pub attachments: Vec<MediaAttachment>,
}
