//! Domain views of statuses and reblogs, as used by all layers above storage.

use std::{ops::Deref, sync::Arc};

use siskin_ids::{AccountId, StatusId};
use siskin_text::ContentType;

use crate::{
    account::{Account, AccountSnapshot},
    card::PreviewCard,
    emoji::CustomEmoji,
    filters::{FilterResult, FoldedTexts},
    media::MediaAttachment,
    named::{names, numbers, parses},
    polls::{Definition, Poll},
    quote::{Quote, QuoteApproval, QuotePolicy},
    rendered::Rendered,
    time::Timestamp,
    urls::Urls,
};

/// Visibility of a status. The levels are ordered, most open first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Visibility {
    /// Visible to all, and listed in public timelines.
    #[default]
    Public,
    /// Visible to all, but not listed in public timelines.
    Unlisted,
    /// Visible to followers and mentioned accounts.
    Private,
    /// Visible to mentioned accounts.
    Direct,
}

names!(Visibility {
    Public = "public",
    Unlisted = "unlisted",
    Private = "private",
    Direct = "direct",
});
// `Direct` is the most private level.
numbers!(Visibility, unknown: Direct);
parses! {
    /// Error for a text that is not the name of a visibility.
    Visibility, UnknownVisibility: "visibility must be public, unlisted, private or direct"
}

impl Visibility {
    /// Returns `true` if anonymous viewers may see it.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Public | Self::Unlisted)
    }

    /// Returns `true` if a status can be pinned to its author's profile. Direct statuses cannot.
    #[must_use]
    pub const fn can_be_pinned(self) -> bool {
        !matches!(self, Self::Direct)
    }
}

/// Text and options of a status, as its author entered them and can edit them later. The poll is
/// separate. The HTML of the status is rendered from the text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StatusSource {
    /// Text as typed.
    pub text: String,
    /// Format of the text.
    pub content_type: ContentType,
    /// Content warning as plain text; empty if there is none.
    pub spoiler_text: String,
    /// Whether clients hide the media at first.
    pub sensitive: bool,
    /// ISO 639-1 code, or a longer code; `None` if unknown.
    pub language: Option<String>,
}

impl StatusSource {
    /// Builds the source of a plain text without a content warning and a language.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// What the author of a status chooses. Attachments are not part of it, because they are rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StatusDraft {
    /// Without a language if it is detected from the text at publication.
    pub source: StatusSource,
    /// Visibility of the published status.
    pub visibility: Visibility,
    /// Parent; `None` if it is no reply.
    pub in_reply_to: Option<StatusId>,
    /// Status that it quotes; `None` if it is no quote.
    pub quote_of: Option<StatusId>,
    /// Accounts that may quote it; `None` uses the author's default.
    pub quote_policy: Option<QuotePolicy>,
    /// Poll of the status; its duration starts at publication.
    pub poll: Option<Definition>,
    /// Accounts that it may mention; `None` if there is no such limit.
    pub allowed_mentions: Option<Vec<AccountId>>,
}

/// Account mentioned in a status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Id of the account.
    pub account_id: AccountId,
    /// Name without the domain.
    pub username: String,
    /// `username` for a local account, `username@domain` for a remote one.
    pub acct: String,
    /// Address of the profile page of a remote account. That of a local one follows from its name.
    pub url: String,
}

impl Mention {
    /// Returns the domain of the account, or `None` if it is local.
    #[must_use]
    pub fn domain(&self) -> Option<&str> {
        self.acct.split_once('@').map(|(_, domain)| domain)
    }
}

/// A hashtag used in a status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusTag {
    /// Name in the folded form of the hashtag rule.
    pub name: String,
}

/// Client that a status was written with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusApplication {
    /// Name of the application.
    pub name: String,
    /// Address of its page; `None` if it has none.
    pub website: Option<String>,
}

/// Interaction counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatusCounts {
    /// Number of replies.
    pub replies: i64,
    /// Number of reblogs.
    pub reblogs: i64,
    /// Number of favourites.
    pub favourites: i64,
    /// Number of accepted quotes that are public or unlisted.
    pub quotes: i64,
}

/// The viewer's interactions with a status. An `Option` of it is `None` for anonymous viewers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ViewerState {
    /// The viewer marked it as a favourite.
    pub favourited: bool,
    /// The viewer reblogged it.
    pub reblogged: bool,
    /// The viewer bookmarked it.
    pub bookmarked: bool,
    /// The viewer muted the conversation.
    pub muted: bool,
    /// `Some(pinned)` for the viewer's own statuses that can be pinned, else `None`.
    pub pinned: Option<bool>,
    /// Matches of the viewer's filters; empty until [`crate::filters::FilterSet::mark`] runs.
    pub filtered: Vec<FilterResult>,
}

/// Snapshot of a status: the part that depends on its version only, not on the viewer. It is
/// cached and shared by all views that contain the status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusSnapshot {
    /// Id of the status on this server.
    pub id: StatusId,
    /// Identifier of the status among servers.
    pub uri: String,
    /// Address of its page; `None` if unknown or if there is none.
    pub url: Option<String>,
    /// Whether the author's account is local.
    pub is_local: bool,
    /// The author's username, without the domain.
    pub username: String,
    /// What the author typed.
    pub source: StatusSource,
    /// Content as sanitised HTML.
    pub content: String,
    /// Visibility.
    pub visibility: Visibility,
    /// Mentions in the order in which they were typed.
    pub mentions: Vec<Mention>,
    /// Accounts that only an earlier version mentioned. The status stays visible to them.
    pub former_mentions: Vec<AccountId>,
    /// Hashtags.
    pub tags: Vec<StatusTag>,
    /// Attachments in their order. All of them are ready.
    pub attachments: Vec<MediaAttachment>,
    /// Custom emojis used in the text and the content warning.
    pub emojis: Vec<CustomEmoji>,
    /// Client that it was written with; `None` if unknown.
    pub application: Option<StatusApplication>,
    /// Whether it has a poll. Votes change without a new version, so they are not part of the
    /// snapshot.
    pub has_poll: bool,
    /// Preview of a link in the text.
    pub card: Option<PreviewCard>,
    /// Time of publication.
    pub created_at: Timestamp,
    /// Time of the last edit; `None` if there was none.
    pub edited_at: Option<Timestamp>,
}

impl StatusSnapshot {
    /// Builds a public status of `author` with this content (sanitised HTML) and nothing else: all
    /// other texts and lists are empty.
    #[must_use]
    pub fn new(
        id: StatusId,
        author: &AccountSnapshot,
        content: &str,
        created_at: Timestamp,
    ) -> Self {
        Self {
            id,
            uri: String::new(),
            url: None,
            is_local: author.is_local(),
            username: author.username.clone(),
            source: StatusSource::default(),
            content: content.to_owned(),
            visibility: Visibility::Public,
            mentions: Vec::new(),
            former_mentions: Vec::new(),
            tags: Vec::new(),
            attachments: Vec::new(),
            emojis: Vec::new(),
            application: None,
            has_poll: false,
            card: None,
            created_at,
            edited_at: None,
        }
    }

    /// Returns the stored address of its page, or that on this server for a local status. Returns
    /// `None` if a remote status has none.
    #[must_use]
    pub fn page(&self, urls: &Urls) -> Option<String> {
        let local = || self.is_local.then(|| urls.status(&self.username, self.id));
        self.url.clone().or_else(local)
    }

    /// Returns the address of its page, or its identifier among servers if it has none.
    #[must_use]
    pub fn page_or_uri(&self, urls: &Urls) -> String {
        self.page(urls).unwrap_or_else(|| self.uri.clone())
    }

    /// Returns the approximate memory use in bytes, including the cached JSON and the folded texts.
    /// Does not count the positions that map a folded text back to its original, which are few in
    /// most scripts.
    #[must_use]
    pub fn memory(&self) -> usize {
        let rendered = [&self.uri, &self.username, &self.content, &self.source.spoiler_text];
        let rendered: usize = rendered.iter().map(|text| text.len()).sum();
        // Plain and folded. The plain text is not longer than the content as HTML.
        let descriptions = self.attachments.iter().map(|media| media.description.len());
        let searched =
            self.content.len() + self.source.spoiler_text.len() + descriptions.sum::<usize>();
        let mentions = self.mentions.len() + self.former_mentions.len();
        let parts = mentions + self.tags.len() + self.emojis.len();
        let large = self.attachments.len() + usize::from(self.card.is_some());
        let twice = size_of::<RenderedStatus>() + rendered + PART * parts + LARGE_PART * large;
        self.source.text.len() + 2 * (twice + searched)
    }
}

/// Snapshot of a status with its cached JSON, and with its texts in the form in which filters search
/// them.
pub type RenderedStatus = Rendered<StatusSnapshot, FoldedTexts>;

/// Assumed memory use of a mention, a hashtag or an emoji of a status, in bytes.
const PART: usize = 256;
/// Assumed memory use of an attachment or a preview, in bytes.
const LARGE_PART: usize = 1024;

/// Status as one viewer sees it. The inner status of a reblog has this type, too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusBody {
    /// Snapshot of the status. `Deref` makes its fields readable directly on the body.
    pub snapshot: Arc<RenderedStatus>,
    /// Author, or the account that reblogged.
    pub account: Arc<Account>,
    /// Id of the parent. `None` if there is none or if it is hidden from the viewer.
    pub in_reply_to_id: Option<StatusId>,
    /// Id of the author of the parent; `None` if there is no parent.
    pub in_reply_to_account_id: Option<AccountId>,
    /// Id of the status that began the conversation.
    pub conversation_id: StatusId,
    /// Poll with its current votes; `None` if there is none.
    pub poll: Option<Poll>,
    /// Counters.
    pub counts: StatusCounts,
    /// Status that it quotes; `None` if it is no quote.
    pub quote: Option<Quote>,
    /// Who may quote it. That of a reblog is about the reblogged status.
    pub quote_approval: QuoteApproval,
    /// The viewer's interactions; `None` for anonymous viewers.
    pub viewer: Option<ViewerState>,
}

impl StatusBody {
    /// Builds the body of a snapshot for an anonymous viewer: no parent, no poll, no quote, no
    /// interactions.
    #[must_use]
    pub fn new(snapshot: StatusSnapshot, account: impl Into<Arc<Account>>) -> Self {
        Self {
            conversation_id: snapshot.id,
            snapshot: Arc::new(snapshot.into()),
            account: account.into(),
            in_reply_to_id: None,
            in_reply_to_account_id: None,
            poll: None,
            counts: StatusCounts::default(),
            quote: None,
            quote_approval: QuoteApproval::default(),
            viewer: None,
        }
    }

    /// Returns `true` if clients hide its media at first: its author chose so, or moderators did so
    /// for all media of the author.
    #[must_use]
    pub fn is_sensitive(&self) -> bool {
        self.source.sensitive || (self.account.sensitized && !self.attachments.is_empty())
    }

    /// Returns the status that it quotes, if the viewer gets it.
    #[must_use]
    pub fn quoted(&self) -> Option<&Self> {
        self.quote.as_ref()?.status.as_deref()
    }

    /// Returns the status that it quotes for changes, as [`quoted`](Self::quoted).
    pub fn quoted_mut(&mut self) -> Option<&mut Self> {
        self.quote.as_mut()?.status.as_deref_mut()
    }

    /// Returns the snapshot for changes. A shared snapshot is copied first, so that other views do
    /// not change. The cached JSON is dropped.
    pub fn snapshot_mut(&mut self) -> &mut StatusSnapshot {
        Arc::make_mut(&mut self.snapshot).get_mut()
    }
}

impl Deref for StatusBody {
    type Target = StatusSnapshot;

    fn deref(&self) -> &StatusSnapshot {
        &self.snapshot
    }
}

/// Status or reblog. For a reblog, `body` is the reblog itself, which has no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// The status or reblog itself.
    pub body: StatusBody,
    /// The reblogged status; `None` if this is no reblog.
    pub reblog: Option<Box<StatusBody>>,
}

impl Status {
    /// Builds a status that is no reblog.
    ///
    /// ```
    /// use siskin_entities::{
    ///     Account, AccountSnapshot, Status, StatusBody, StatusSnapshot, Timestamp,
    /// };
    /// use siskin_ids::{AccountId, StatusId};
    ///
    /// let now = Timestamp::from_unix_ms(1_795_766_400_000);
    /// let alice = Account::new(AccountSnapshot::new(AccountId::new(7), "alice", now));
    /// let snapshot = StatusSnapshot::new(StatusId::new(8), &alice, "<p>Hello</p>", now);
    /// let status = Status::new(StatusBody::new(snapshot, alice));
    /// assert_eq!(status.displayed().content, "<p>Hello</p>");
    /// ```
    #[must_use]
    pub const fn new(body: StatusBody) -> Self {
        Self { body, reblog: None }
    }

    /// Returns the displayed status: the reblogged one for a reblog, otherwise this one.
    #[must_use]
    pub fn displayed(&self) -> &StatusBody {
        self.reblog.as_deref().unwrap_or(&self.body)
    }
}

/// Version of a status: the current one, or one that an edit replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusEdit {
    /// Author.
    pub account: Arc<Account>,
    /// Content as sanitised HTML.
    pub content: String,
    /// Content warning as plain text; empty if there is none.
    pub spoiler_text: String,
    /// Whether clients hide the media at first.
    pub sensitive: bool,
    /// Options of its poll, if it had one.
    pub poll_options: Option<Vec<String>>,
    /// Custom emojis used in the text and the content warning.
    pub emojis: Vec<CustomEmoji>,
    /// Time when this version was written.
    pub created_at: Timestamp,
    /// Attachments of the status; an edit does not change them.
    pub attachments: Vec<MediaAttachment>,
    /// Status that it quotes; an edit does not change it.
    pub quote: Option<Quote>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_visibility_round_trips_through_its_name_and_number() {
        for visibility in Visibility::ALL {
            assert_eq!(visibility.as_str().parse(), Ok(visibility));
            assert_eq!(Visibility::from_number(visibility.number()), visibility);
        }
        assert_eq!("limited".parse::<Visibility>(), Err(UnknownVisibility));
    }

    #[test]
    fn an_unknown_number_becomes_direct() {
        assert_eq!(Visibility::from_number(9), Visibility::Direct);
    }
}
