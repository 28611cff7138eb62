//! Statuses and reblogs as everything above storage sees them.

use std::{fmt, ops::Deref, str::FromStr, sync::Arc};

use siskin_ids::{AccountId, StatusId};
use siskin_text::ContentType;

use crate::{
    account::Account, card::PreviewCard, emoji::CustomEmoji, filters::FilterResult,
    media::MediaAttachment, polls::Poll, rendered::Rendered, time::Timestamp,
};

/// Who may see a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Visibility {
    /// Everyone, and it is listed in public timelines.
    #[default]
    Public,
    /// Everyone, but it is listed nowhere public.
    Unlisted,
    /// Followers and those mentioned.
    Private,
    /// Those mentioned.
    Direct,
}

impl Visibility {
    /// All of them, the most open first.
    pub const ALL: [Self; 4] = [Self::Public, Self::Unlisted, Self::Private, Self::Direct];

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Unlisted => "unlisted",
            Self::Private => "private",
            Self::Direct => "direct",
        }
    }

    /// The stored number, 0 (public) to 3 (direct).
    #[must_use]
    pub const fn number(self) -> i16 {
        self as i16
    }

    /// The visibility with this stored number; an unknown one is the most private.
    #[must_use]
    pub fn from_number(number: i16) -> Self {
        Self::ALL.into_iter().find(|v| v.number() == number).unwrap_or(Self::Direct)
    }

    /// Whether someone without an account here may read it.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Public | Self::Unlisted)
    }

    /// Whether a status can stand on its author's profile for good: not if it is for those alone
    /// whom it names.
    #[must_use]
    pub const fn can_be_pinned(self) -> bool {
        !matches!(self, Self::Direct)
    }
}

/// The text names no visibility.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownVisibility;

impl fmt::Display for UnknownVisibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("visibility must be public, unlisted, private or direct")
    }
}

impl std::error::Error for UnknownVisibility {}

impl FromStr for Visibility {
    type Err = UnknownVisibility;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|v| v.as_str() == name).ok_or(UnknownVisibility)
    }
}

/// Someone named in a status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    pub account_id: AccountId,
    pub username: String,
    pub acct: String,
    pub url: String,
}

/// A hashtag used in a status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusTag {
    /// Folded by the hashtag rule.
    pub name: String,
}

/// The client a status was written with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusApplication {
    pub name: String,
    pub website: Option<String>,
}

/// How often others reacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatusCounts {
    pub replies: i64,
    pub reblogs: i64,
    pub favourites: i64,
}

/// What the signed-in reader did to a status. Absent (`None` around it) for anonymous readers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ViewerState {
    pub favourited: bool,
    pub reblogged: bool,
    pub bookmarked: bool,
    /// The reader muted the conversation.
    pub muted: bool,
    /// Some(pinned) for the reader's own statuses that can be pinned.
    pub pinned: Option<bool>,
    /// What the reader's filters say of it; empty until they are asked
    /// ([`crate::filters::FilterSet::mark`]).
    pub filtered: Vec<FilterResult>,
}

/// What of a status is the same for every reader for as long as its version is: shared by all that
/// show it, and kept between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusCore {
    pub id: StatusId,
    pub uri: String,
    /// Where it is shown; None where that is not known, or nowhere.
    pub url: Option<String>,
    /// Whether its author lives on this server.
    pub is_local: bool,
    /// The author's name, without the domain.
    pub username: String,
    /// As typed.
    pub text: String,
    /// What the text is written in.
    pub content_type: ContentType,
    /// Sanitised HTML.
    pub content: String,
    pub spoiler_text: String,
    pub visibility: Visibility,
    pub sensitive: bool,
    pub language: Option<String>,
    /// In the order in which they were typed.
    pub mentions: Vec<Mention>,
    pub tags: Vec<StatusTag>,
    /// In the order in which they were attached. All of them are ready.
    pub attachments: Vec<MediaAttachment>,
    /// Those that the text and the content warning name.
    pub emojis: Vec<CustomEmoji>,
    pub application: Option<StatusApplication>,
    /// Whether it has a poll; how that stands changes without the version.
    pub has_poll: bool,
    /// The preview of what it links to.
    pub card: Option<PreviewCard>,
    pub created_at: Timestamp,
    pub edited_at: Option<Timestamp>,
    /// Raised by every change to any of these.
    pub version: i64,
    /// What the world is shown of these, once it was written.
    pub rendered: Rendered,
}

impl StatusCore {
    /// Bytes of memory that it takes together with what is rendered of it, roughly.
    #[must_use]
    pub fn memory(&self) -> usize {
        let texts = [&self.uri, &self.username, &self.content, &self.spoiler_text];
        let texts: usize = texts.iter().map(|text| text.len()).sum();
        let parts = self.mentions.len() + self.tags.len() + self.emojis.len();
        let large = self.attachments.len() + usize::from(self.card.is_some());
        self.text.len() + 2 * (size_of::<Self>() + texts + PART * parts + LARGE_PART * large)
    }
}

/// What a mention, a hashtag or an emoji of a status takes, in bytes.
const PART: usize = 256;
/// What an attachment or a preview takes, in bytes.
const LARGE_PART: usize = 1024;

/// A status as one reader sees it. An inner status of a reblog is one of these too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusBody {
    /// What is the same for all readers; its fields are read as if they were here.
    pub core: Arc<StatusCore>,
    pub account: Arc<Account>,
    /// What it answers; None too where the reader may not see that.
    pub in_reply_to_id: Option<StatusId>,
    pub in_reply_to_account_id: Option<AccountId>,
    pub conversation_id: StatusId,
    pub poll: Option<Poll>,
    pub counts: StatusCounts,
    pub viewer: Option<ViewerState>,
}

impl StatusBody {
    /// The core, to be changed here and nowhere else that it is shown.
    pub fn core_mut(&mut self) -> &mut StatusCore {
        let core = Arc::make_mut(&mut self.core);
        core.rendered = Rendered::default();
        core
    }
}

impl Deref for StatusBody {
    type Target = StatusCore;

    fn deref(&self) -> &StatusCore {
        &self.core
    }
}

/// A status, or a reblog of one: then `body` is the reblog itself (no words of its own).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    pub body: StatusBody,
    pub reblog: Option<Box<StatusBody>>,
}

impl Status {
    /// The status whose words are shown: the reblogged one, or this one.
    #[must_use]
    pub fn shown(&self) -> &StatusBody {
        self.reblog.as_deref().unwrap_or(&self.body)
    }
}

/// A version of a status: the present one, or one that an edit replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusEdit {
    pub account: Arc<Account>,
    /// Sanitised HTML.
    pub content: String,
    pub spoiler_text: String,
    pub sensitive: bool,
    /// The options of its poll, where it had one.
    pub poll_options: Option<Vec<String>>,
    /// Those that the text and the content warning name.
    pub emojis: Vec<CustomEmoji>,
    /// When this version was written.
    pub created_at: Timestamp,
    /// An edit does not change them: those of the status.
    pub attachments: Vec<MediaAttachment>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_visibility_is_read_back_from_its_name_and_number() {
        for visibility in Visibility::ALL {
            assert_eq!(visibility.as_str().parse(), Ok(visibility));
            assert_eq!(Visibility::from_number(visibility.number()), visibility);
        }
        assert_eq!("limited".parse::<Visibility>(), Err(UnknownVisibility));
    }

    #[test]
    fn an_unknown_number_is_shown_to_nobody_else() {
        assert_eq!(Visibility::from_number(9), Visibility::Direct);
    }
}
