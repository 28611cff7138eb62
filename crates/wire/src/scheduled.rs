//! Scheduled statuses.

use serde::Serialize;
use siskin_entities::{ScheduledStatus as View, polls::Definition};
use siskin_ids::{ApplicationId, MediaId, ScheduledStatusId, StatusId};

use crate::{
    media::{self, MediaAttachment},
    time::Instant,
    urls::Urls,
};

/// Status that will be published later.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScheduledStatus {
    pub id: ScheduledStatusId,
    pub scheduled_at: Instant,
    pub params: Params,
    pub media_attachments: Vec<MediaAttachment>,
}

/// Parameters of the original request; null if a parameter was not sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Params {
    /// Text as typed.
    pub text: String,
    pub poll: Option<Poll>,
    pub media_ids: Vec<MediaId>,
    pub sensitive: bool,
    pub spoiler_text: Option<String>,
    pub visibility: &'static str,
    pub in_reply_to_id: Option<StatusId>,
    pub language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub application_id: Option<ApplicationId>,
    /// Null, because the time is a field of the scheduled status.
    pub scheduled_at: (),
    /// Null, because the idempotency key is not stored.
    pub idempotency: (),
    pub with_rate_limit: bool,
}

/// Poll parameters of the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Poll {
    pub options: Vec<String>,
    /// Duration in seconds, which starts at publication.
    pub expires_in: u64,
    pub multiple: bool,
    pub hide_totals: bool,
}

/// Renders scheduled statuses in their order.
#[must_use]
pub fn render_all(scheduled: &[View], urls: &Urls) -> Vec<ScheduledStatus> {
    scheduled.iter().map(|scheduled| render(scheduled, urls)).collect()
}

/// Renders a scheduled status for its author.
#[must_use]
pub fn render(scheduled: &View, urls: &Urls) -> ScheduledStatus {
    ScheduledStatus {
        id: scheduled.id,
        scheduled_at: Instant(scheduled.at),
        params: params(scheduled),
        media_attachments: media::render_all(&scheduled.attachments, urls),
    }
}

fn params(scheduled: &View) -> Params {
    let draft = &scheduled.draft;
    let spoiler_text = &draft.spoiler_text;
    Params {
        text: draft.text.clone(),
        poll: draft.poll.as_ref().map(poll),
        media_ids: scheduled.attachments.iter().map(|media| media.id).collect(),
        sensitive: draft.sensitive,
        spoiler_text: (!spoiler_text.is_empty()).then(|| spoiler_text.clone()),
        visibility: draft.visibility.as_str(),
        in_reply_to_id: draft.in_reply_to,
        language: draft.language.clone(),
        application_id: scheduled.application,
        scheduled_at: (),
        idempotency: (),
        with_rate_limit: false,
    }
}

fn poll(poll: &Definition) -> Poll {
    Poll {
        options: poll.options().to_vec(),
        expires_in: poll.duration().as_secs(),
        multiple: poll.multiple(),
        hide_totals: poll.hides_totals(),
    }
}
