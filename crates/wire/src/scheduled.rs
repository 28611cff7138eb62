//! Scheduled statuses.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use siskin_entities::{ScheduledStatus as View, polls::Definition};
use siskin_ids::{ApplicationId, MediaId, ScheduledStatusId, StatusId};

use crate::{
    lenient::{application_id, null_as_default},
    media::{self, MediaAttachment},
    time::Instant,
    urls::Urls,
};

/// Status that will be published later.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct ScheduledStatus {
    /// Id of the scheduled status, which differs from that of the published one.
    pub id: ScheduledStatusId,
    /// Time of publication. It lies in the past if publication failed.
    pub scheduled_at: Instant,
    /// Parameters of the status.
    pub params: Params,
    /// Attachments in their order.
    #[serde(default)]
    pub media_attachments: Vec<MediaAttachment>,
}

/// Parameters of the original request; null if a parameter was not sent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Params {
    /// Text as typed.
    pub text: String,
    /// Poll; null if there is none.
    pub poll: Option<Poll>,
    /// Ids of the attachments.
    #[serde(default, deserialize_with = "null_as_default")]
    pub media_ids: Vec<MediaId>,
    /// Whether the media are sensitive.
    #[serde(default, deserialize_with = "null_as_default")]
    pub sensitive: bool,
    /// Content warning; null if there is none.
    pub spoiler_text: Option<String>,
    /// A name of [`siskin_entities::Visibility`]; empty if another server sends none.
    #[serde(default, deserialize_with = "null_as_default")]
    pub visibility: Cow<'static, str>,
    /// Parent; null if it is no reply.
    pub in_reply_to_id: Option<StatusId>,
    /// Status that it quotes; null if it is no quote.
    #[serde(default)]
    pub quoted_status_id: Option<StatusId>,
    /// A name of [`siskin_entities::QuotePolicy`]; null if it was not sent.
    #[serde(default)]
    pub quote_approval_policy: Option<Cow<'static, str>>,
    /// ISO 639-1 code; null if it is detected.
    pub language: Option<String>,
    /// Application that scheduled it; absent if unknown. Mastodon sends a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(default, deserialize_with = "application_id")]
    pub application_id: Option<ApplicationId>,
    /// Siskin sends null, because the time is a field of the scheduled status.
    pub scheduled_at: Option<Instant>,
    /// Siskin sends null, because the idempotency key is not stored.
    pub idempotency: Option<String>,
    /// Siskin sends `false`.
    #[serde(default)]
    pub with_rate_limit: bool,
}

/// Poll parameters of the request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Poll {
    /// Titles of the options.
    pub options: Vec<String>,
    /// Duration in seconds, which starts at publication.
    pub expires_in: u64,
    /// Whether a voter may choose several options.
    #[serde(default, deserialize_with = "null_as_default")]
    pub multiple: bool,
    /// Whether votes are hidden until the end.
    #[serde(default, deserialize_with = "null_as_default")]
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
    let source = &draft.source;
    let spoiler_text = &source.spoiler_text;
    Params {
        text: source.text.clone(),
        poll: draft.poll.as_ref().map(poll),
        media_ids: scheduled.attachments.iter().map(|media| media.id).collect(),
        sensitive: source.sensitive,
        spoiler_text: (!spoiler_text.is_empty()).then(|| spoiler_text.clone()),
        visibility: draft.visibility.as_str().into(),
        in_reply_to_id: draft.in_reply_to,
        quoted_status_id: draft.quote_of,
        quote_approval_policy: draft.quote_policy.map(|policy| policy.as_str().into()),
        language: source.language.clone(),
        application_id: scheduled.application,
        scheduled_at: None,
        idempotency: None,
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
