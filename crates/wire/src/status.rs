//! Statuses, with the viewer's interactions.

use std::{borrow::Cow, iter};

use serde::{Deserialize, Serialize};
use siskin_entities::{
    self as view, Timestamp,
    filters::{Filterable, Part, SearchedTexts},
    status as parts,
};
use siskin_ids::{AccountId, StatusId};

use crate::{
    account::{self, Account},
    card::{self, PreviewCard},
    emoji::{self, CustomEmoji},
    filter::{self, FilterResult},
    lenient::present,
    media::{self, MediaAttachment},
    poll::{self, Poll},
    quote::{self, Embedding, Quote, QuoteApproval},
    time::Instant,
    urls::Urls,
};

/// Status or reblog. A client reads it from a response:
///
/// ```
/// use siskin_wire::status::Status;
///
/// fn titles(response: &str) -> serde_json::Result<Vec<String>> {
///     let statuses: Vec<Status> = serde_json::from_str(response)?;
///     let cards = statuses.into_iter().filter_map(|status| status.snapshot.facts.card);
///     Ok(cards.map(|card| card.title).collect())
/// }
/// assert!(titles("[]")?.is_empty());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct Status {
    /// Part that is the same for all viewers. In JSON, the fields are those of the status itself.
    #[serde(flatten)]
    pub snapshot: StatusSnapshot,
    /// Part that is rendered for each viewer. In JSON, the fields are those of the status itself.
    #[serde(flatten)]
    pub live: StatusLive,
}

/// Newly deleted status with its source text, so that the author can post it again.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct DeletedStatus {
    /// Part that is the same for all viewers. In JSON, the fields are those of the status itself.
    #[serde(flatten)]
    pub facts: StatusFacts,
    /// Text as typed.
    pub text: String,
    /// Part that is rendered for each viewer. In JSON, the fields are those of the status itself.
    #[serde(flatten)]
    pub live: StatusLive,
}

/// Part that depends on the status's version only, so that its bytes can be cached.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct StatusSnapshot {
    /// All other fields of the part. In JSON, they are fields of the status itself.
    #[serde(flatten)]
    pub facts: StatusFacts,
    /// Content as HTML.
    pub content: String,
}

/// Fields that depend on the status's version, except for the content.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct StatusFacts {
    /// Id of the status on this server.
    pub id: StatusId,
    /// Time of publication.
    pub created_at: Instant,
    /// Time of the last edit; null if there was none.
    pub edited_at: Option<Instant>,
    /// Content warning as plain text; empty if there is none.
    #[serde(default)]
    pub spoiler_text: String,
    /// A name of [`view::Visibility`], or another one from other servers.
    pub visibility: Cow<'static, str>,
    /// ISO 639-1 code, or a longer code; null if unknown.
    pub language: Option<String>,
    /// Identifier of the status among servers.
    pub uri: String,
    /// Address of its page; null if there is none.
    pub url: Option<String>,
    /// For local statuses only; null if the client is unknown.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub application: Option<Option<StatusApplication>>,
    /// Attachments in their order.
    #[serde(default)]
    pub media_attachments: Vec<MediaAttachment>,
    /// Mentioned accounts.
    #[serde(default)]
    pub mentions: Vec<StatusMention>,
    /// Hashtags.
    #[serde(default)]
    pub tags: Vec<StatusTag>,
    /// Custom emojis in the text and the content warning.
    #[serde(default)]
    pub emojis: Vec<CustomEmoji>,
    /// Preview of a link in the text; null if there is none.
    pub card: Option<PreviewCard>,
}

/// Part that is rendered for each viewer: author, counters, parent, poll, reblogged and quoted
/// status, and the viewer's interactions.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct StatusLive {
    /// Author, or the account that reblogged.
    pub account: Account,
    /// Whether clients hide the media at first: the author chose so, or moderators did so for all
    /// media of the author.
    #[serde(default)]
    pub sensitive: bool,
    /// Counters. In JSON, the fields are those of the status itself.
    #[serde(flatten)]
    pub counts: StatusCounts,
    /// Parent. In JSON, the fields are those of the status itself.
    #[serde(flatten)]
    pub parent: StatusParent,
    /// Poll. In JSON, the field is one of the status itself.
    #[serde(flatten)]
    pub poll: StatusPoll,
    /// The reblogged status; null if this is no reblog.
    pub reblog: Option<Box<Status>>,
    /// Status that it quotes; null if it is no quote.
    #[serde(default)]
    pub quote: Option<Quote>,
    /// Who may quote it; `None` if another server does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote_approval: Option<QuoteApproval>,
    /// `None` for anonymous viewers. In JSON, the fields are those of the status itself.
    #[serde(flatten)]
    pub viewer: Option<StatusViewer>,
}

/// Interaction counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub struct StatusCounts {
    /// Number of replies.
    pub replies_count: i64,
    /// Number of reblogs.
    pub reblogs_count: i64,
    /// Number of favourites.
    pub favourites_count: i64,
    /// Number of accepted quotes.
    #[serde(default)]
    pub quotes_count: i64,
}

/// Parent of the status; null if there is none or if it is hidden from the viewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub struct StatusParent {
    /// Id of the parent.
    pub in_reply_to_id: Option<StatusId>,
    /// Id of the author of the parent.
    pub in_reply_to_account_id: Option<AccountId>,
}

/// Poll of the status with its current votes and the viewer's votes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct StatusPoll {
    /// Null if there is no poll.
    pub poll: Option<Poll>,
}

/// The signed-in viewer's interactions, and the matches of the viewer's filters.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent field of the interface")]
pub struct StatusViewer {
    /// The viewer marked it as a favourite.
    pub favourited: bool,
    /// The viewer reblogged it.
    #[serde(default)]
    pub reblogged: bool,
    /// The viewer muted the conversation.
    #[serde(default)]
    pub muted: bool,
    /// The viewer bookmarked it.
    #[serde(default)]
    pub bookmarked: bool,
    /// Present for the viewer's own statuses that can be pinned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// Matches of the viewer's filters, as the server found them.
    #[serde(default)]
    pub filtered: Vec<FilterResult>,
}

/// Client that a status was written with.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct StatusApplication {
    /// Name of the application.
    pub name: String,
    /// Address of its page; null if it has none.
    pub website: Option<String>,
}

/// Account mentioned in a status.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct StatusMention {
    /// Id of the account.
    pub id: AccountId,
    /// Name without the domain.
    pub username: String,
    /// Address of the profile page.
    pub url: String,
    /// `username` for local accounts, `username@domain` for remote ones.
    pub acct: String,
}

/// Hashtag of a status.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct StatusTag {
    /// Name without the `#`, in lower case.
    pub name: String,
    /// Address of the page of the hashtag.
    pub url: String,
}

impl Status {
    /// Returns the displayed status: the reblogged one for a reblog, otherwise this one.
    #[must_use]
    pub fn displayed(&self) -> &Self {
        self.live.reblog.as_deref().unwrap_or(self)
    }
}

/// Lets a client apply filters itself. The result is the same as on the server.
impl Filterable for Status {
    fn ids(&self) -> impl Iterator<Item = StatusId> {
        let reblogged = self.live.reblog.as_ref().map(|reblogged| reblogged.snapshot.facts.id);
        iter::once(self.snapshot.facts.id).chain(reblogged)
    }

    fn texts(&self) -> impl Iterator<Item = (Part, Cow<'_, str>)> {
        let Self { snapshot, live } = self.displayed();
        let facts = &snapshot.facts;
        let parts = SearchedTexts {
            spoiler_text: &facts.spoiler_text,
            html: &snapshot.content,
            poll_options: live.poll.poll.iter().flat_map(Poll::titles).collect(),
            descriptions: facts.media_attachments.iter().map(description).collect(),
            ..SearchedTexts::default()
        };
        parts.into_texts()
    }
}

fn description(media: &MediaAttachment) -> &str {
    media.description.as_deref().unwrap_or_default()
}

/// Renders a status for its viewer at `now`.
#[must_use]
pub fn render(status: &view::Status, urls: &Urls, now: Timestamp) -> Status {
    let reblog = render_reblogged(status, urls, now);
    render_body(&status.body, reblog, Embedding::Whole, urls, now)
}

fn render_reblogged(status: &view::Status, urls: &Urls, now: Timestamp) -> Option<Box<Status>> {
    let inner = status.reblog.as_deref()?;
    Some(Box::new(render_body(inner, None, Embedding::Whole, urls, now)))
}

/// Renders statuses for their viewer at `now`.
#[must_use]
pub fn render_all(statuses: &[view::Status], urls: &Urls, now: Timestamp) -> Vec<Status> {
    statuses.iter().map(|status| render(status, urls, now)).collect()
}

/// Renders a deleted status for its author, with the source text instead of HTML, and marked as
/// sensitive only if the author chose so: a redraft sends that again.
#[must_use]
pub fn render_deleted(status: &view::Status, urls: &Urls, now: Timestamp) -> DeletedStatus {
    let reblog = render_reblogged(status, urls, now);
    DeletedStatus {
        facts: render_facts(&status.body, urls),
        text: status.body.source.text.clone(),
        live: StatusLive {
            sensitive: status.body.source.sensitive,
            ..render_live(&status.body, reblog, Embedding::Whole, urls, now)
        },
    }
}

pub(crate) fn render_body(
    body: &view::StatusBody,
    reblog: Option<Box<Status>>,
    embedding: Embedding,
    urls: &Urls,
    now: Timestamp,
) -> Status {
    let snapshot = render_snapshot(body, urls);
    Status { snapshot, live: render_live(body, reblog, embedding, urls, now) }
}

/// Renders the part of a status that depends on its id and version only.
pub(crate) fn render_snapshot(snapshot: &view::StatusSnapshot, urls: &Urls) -> StatusSnapshot {
    StatusSnapshot { facts: render_facts(snapshot, urls), content: snapshot.content.clone() }
}

fn render_facts(snapshot: &view::StatusSnapshot, urls: &Urls) -> StatusFacts {
    StatusFacts {
        id: snapshot.id,
        created_at: Instant(snapshot.created_at),
        edited_at: snapshot.edited_at.map(Instant),
        spoiler_text: snapshot.source.spoiler_text.clone(),
        visibility: snapshot.visibility.as_str().into(),
        language: snapshot.source.language.clone(),
        uri: snapshot.uri.clone(),
        url: snapshot.page(urls),
        application: snapshot
            .is_local
            .then(|| snapshot.application.as_ref().map(render_application)),
        media_attachments: media::render_all(&snapshot.attachments, urls),
        mentions: snapshot.mentions.iter().map(|mention| render_mention(mention, urls)).collect(),
        tags: snapshot.tags.iter().map(|tag| render_tag(tag, urls)).collect(),
        emojis: emoji::render_all(&snapshot.emojis, urls),
        card: snapshot.card.as_ref().map(|card| card::render(card, urls)),
    }
}

fn render_live(
    body: &view::StatusBody,
    reblog: Option<Box<Status>>,
    embedding: Embedding,
    urls: &Urls,
    now: Timestamp,
) -> StatusLive {
    StatusLive {
        account: account::render(&body.account, urls),
        sensitive: body.is_sensitive(),
        counts: render_counts(body.counts),
        parent: render_parent(body),
        poll: StatusPoll { poll: body.poll.as_ref().map(|poll| poll::render(poll, urls, now)) },
        reblog,
        quote: body.quote.as_ref().map(|quote| quote::render(quote, embedding, urls, now)),
        quote_approval: Some(quote::render_approval(body.quote_approval)),
        viewer: body.viewer.as_ref().map(render_viewer),
    }
}

pub(crate) fn render_counts(counts: parts::StatusCounts) -> StatusCounts {
    StatusCounts {
        replies_count: counts.replies,
        reblogs_count: counts.reblogs,
        favourites_count: counts.favourites,
        quotes_count: counts.quotes,
    }
}

pub(crate) fn render_parent(body: &view::StatusBody) -> StatusParent {
    StatusParent {
        in_reply_to_id: body.in_reply_to_id,
        in_reply_to_account_id: body.in_reply_to_account_id,
    }
}

pub(crate) fn render_viewer(viewer: &view::ViewerState) -> StatusViewer {
    StatusViewer {
        favourited: viewer.favourited,
        reblogged: viewer.reblogged,
        muted: viewer.muted,
        bookmarked: viewer.bookmarked,
        pinned: viewer.pinned,
        filtered: viewer.filtered.iter().map(filter::render_result).collect(),
    }
}

fn render_application(application: &parts::StatusApplication) -> StatusApplication {
    StatusApplication { name: application.name.clone(), website: application.website.clone() }
}

pub(crate) fn render_mention(mention: &parts::Mention, urls: &Urls) -> StatusMention {
    let is_local = mention.acct == mention.username;
    StatusMention {
        id: mention.account_id,
        username: mention.username.clone(),
        url: if is_local { urls.profile(&mention.username) } else { mention.url.clone() },
        acct: mention.acct.clone(),
    }
}

pub(crate) fn render_tag(tag: &parts::StatusTag, urls: &Urls) -> StatusTag {
    StatusTag { name: tag.name.clone(), url: urls.tag(&tag.name) }
}
