//! Scheduled statuses.

use siskin_ids::{AccountId, ApplicationId, ScheduledStatusId};

use crate::{media::MediaAttachment, status::StatusDraft, time::Timestamp};

/// Status to be published later, visible to its author only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledStatus {
    /// Id, which differs from that of the published status.
    pub id: ScheduledStatusId,
    /// Author.
    pub account: AccountId,
    /// Publication time. It lies in the past if publication failed.
    pub at: Timestamp,
    /// What will be published, with the author's defaults at the time of writing.
    pub draft: StatusDraft,
    /// Client that created it.
    pub application: Option<ApplicationId>,
    /// Attachments in their order.
    pub attachments: Vec<MediaAttachment>,
}
