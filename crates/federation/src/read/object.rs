//! Objects that are read as statuses, and tombstones.

use siskin_entities::Timestamp;
use siskin_text::hashtags;

use super::{
    ActorKind, Attachment, Member, ReadError, Reader, RemotePicture, RemotePoll, Tags, content,
    limits, media, poll::poll, texts, time::time_of, values::page,
};
use crate::{
    address::Uri,
    audience::{Audience, Visibility},
    json::{Members, Value},
    policies::InteractionPolicy,
};

/// Type of an object that is read as a status.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// `Note`
    Note,
    /// `Question`, which has a poll.
    Question,
    /// `Article`
    Article,
    /// `Page`
    Page,
    /// `Video`
    Video,
    /// `Audio`
    Audio,
    /// `Image`
    Image,
    /// `Event`
    Event,
    /// `Document`
    Document,
    /// `ChatMessage`, a direct message of Pleroma.
    ChatMessage,
    /// Another type. Its objects are read like notes if they have a content.
    Other(String),
}

impl ObjectKind {
    const KNOWN: [(&'static str, Self); 10] = [
        ("Note", Self::Note),
        ("Question", Self::Question),
        ("Article", Self::Article),
        ("Page", Self::Page),
        ("Video", Self::Video),
        ("Audio", Self::Audio),
        ("Image", Self::Image),
        ("Event", Self::Event),
        ("Document", Self::Document),
        ("ChatMessage", Self::ChatMessage),
    ];

    /// Returns the name of the type in documents.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Other(name) => name,
            known => {
                Self::KNOWN.iter().find(|(_, kind)| kind == known).map_or("", |(name, _)| name)
            }
        }
    }

    /// Returns the known type with this name.
    pub(super) fn known(name: &str) -> Option<Self> {
        Self::KNOWN.into_iter().find(|(known, _)| *known == name).map(|(_, kind)| kind)
    }

    /// Returns `true` for types with a title, for which `summary` is a text and no content warning.
    #[must_use]
    pub const fn has_title(&self) -> bool {
        matches!(
            self,
            Self::Article
                | Self::Page
                | Self::Video
                | Self::Audio
                | Self::Image
                | Self::Event
                | Self::Document
        )
    }
}

/// Author of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribution {
    /// Id of the author.
    pub id: Uri,
    /// Type of the author, if the object says it.
    pub kind: Option<ActorKind>,
}

/// Text from which the content was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Text.
    pub content: String,
    /// Media type; empty if unknown.
    pub media_type: String,
}

/// Vote: an object with a name and no content that answers a poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vote<'o> {
    /// Name of the chosen option.
    pub option: &'o str,
    /// Id of the poll.
    pub poll: &'o Uri,
}

/// Object that is shown as a status. Everything in it is a claim of the server that sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// Id.
    pub id: Uri,
    /// Type.
    pub kind: ObjectKind,
    /// Authors as named by `attributedTo`, or else by `actor`; see [`Object::author`].
    pub attributed_to: Vec<Attribution>,
    /// Addressees.
    pub audience: Audience,
    /// Time of publication; `None` if unknown.
    pub published: Option<Timestamp>,
    /// Time of the last edit; `None` if there was none.
    pub updated: Option<Timestamp>,
    /// Page of the object, with `http` or `https`; `None` if there is none.
    pub url: Option<Uri>,
    /// Id of the parent; `None` if there is none.
    pub in_reply_to: Option<Uri>,
    /// Sanitised HTML, with the title and the link that objects with titles get.
    pub content: String,
    /// Content warning as plain text; `None` if there is none.
    pub warning: Option<String>,
    /// `name` as a title on one line; `None` if there is none.
    pub title: Option<String>,
    /// `name` as it was sent, for votes; `None` if there is a content or no name.
    pub vote_name: Option<String>,
    /// Whether media are hidden at first: the author says so, or there is a content warning.
    pub is_sensitive: bool,
    /// Code of the language; `None` if the object does not say it.
    pub language: Option<&'static str>,
    /// Text from which the content was made; `None` if unknown.
    pub source: Option<Source>,
    /// Mentions, hashtags (also those in the text), emojis and links.
    pub tags: Tags,
    /// Attached media, at most [`limits::ATTACHMENTS`].
    pub attachments: Vec<Attachment>,
    /// Picture of an object with a title, or of a video or recording.
    pub picture: Option<RemotePicture>,
    /// Address of a page that the author wants to show as a preview.
    pub preview_link: Option<Uri>,
    /// Poll of a question.
    pub poll: Option<RemotePoll>,
    /// Collection of its replies; `None` if unknown.
    pub replies: Option<Uri>,
    /// Claimed number of replies; `None` if unknown.
    pub reply_count: Option<u64>,
    /// Claimed number of likes; `None` if unknown.
    pub like_count: Option<u64>,
    /// Claimed number of reblogs; `None` if unknown.
    pub share_count: Option<u64>,
    /// Collection of its thread (FEP-7888); `None` if unknown.
    pub context: Option<Uri>,
    /// Name of the conversation of servers without collections; `None` if unknown.
    pub conversation: Option<String>,
    /// Who may interact with it; `None` if it says nothing.
    pub policy: Option<InteractionPolicy>,
    /// Id of the object that it quotes: `quote`, or one of its older names, or a link.
    pub quote: Option<Uri>,
    /// Stamp of the author of the quoted object; `None` if there is none.
    pub quote_authorization: Option<Uri>,
    /// Approval by the author of the parent; `None` if there is none.
    pub approved_by: Option<Uri>,
}

impl Object {
    /// Returns the author: the first one that is a person, else the first one. Videos name a person
    /// and a channel in any order.
    #[must_use]
    pub fn author(&self) -> Option<&Uri> {
        let person = self.attributed_to.iter().find(|it| it.kind == Some(ActorKind::Person));
        person.or_else(|| self.attributed_to.first()).map(|it| &it.id)
    }

    /// Returns the vote that it is, if it is one.
    #[must_use]
    pub fn vote(&self) -> Option<Vote<'_>> {
        Some(Vote { option: self.vote_name.as_deref()?, poll: self.in_reply_to.as_ref()? })
    }

    /// Returns the visibility by its addressees, as [`Audience::visibility`] does. `followers` is
    /// the collection of followers that the document of the author names. A chat message is direct.
    #[must_use]
    pub fn visibility(&self, followers: Option<&Uri>) -> Visibility {
        if self.kind == ObjectKind::ChatMessage {
            return Visibility::Direct;
        }
        let mentioned = self.tags.mentions.iter().map(|it| &it.href);
        self.audience.visibility(self.author().unwrap_or(&self.id), followers, mentioned)
    }

    /// Returns the time that is shown: `published`, or the time of arrival if it is absent or in
    /// the future.
    #[must_use]
    pub fn published_at(&self, arrival: Timestamp) -> Timestamp {
        self.published.map_or(arrival, |published| published.min(arrival))
    }

    /// Returns `true` if the object may be news: it is not older than the network. Imported texts
    /// keep their time.
    #[must_use]
    pub fn may_be_news(&self) -> bool {
        /// 2007-01-01T00:00:00Z
        const BEGIN: Timestamp = Timestamp::from_unix_ms(1_167_609_600_000);
        self.published.is_none_or(|published| published >= BEGIN)
    }
}

/// Remains of a deleted object or account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tombstone {
    /// Id of what was deleted.
    pub id: Uri,
    /// Its type before; `None` if unknown.
    pub former_type: Option<String>,
    /// Time of the deletion; `None` if unknown.
    pub deleted: Option<Timestamp>,
}

impl Reader {
    /// Reads an object. Its type is the first known one.
    pub(super) fn read_object(self, members: Members<'_>) -> Result<Object, ReadError> {
        let kind = kind(members)?;
        let id = self.id(members)?;
        let url = page(members);
        let text = content::content(members, &kind, url.as_ref().unwrap_or(&id));
        let poll = if kind == ObjectKind::Question { poll(members)? } else { None };
        let vote_name = text.html.is_empty().then(|| vote_name(members)).flatten();
        let mut tags = self.tags(members);
        let quote = self.quote(members, &tags);
        let html = if quote.is_some() { text.html } else { content::without_quote_mark(text.html) };
        tags.add_hashtags(hashtags_in(&html));
        let count = |name| members.object(name).and_then(|it| it.count("totalItems")).map(limited);
        Ok(Object {
            attributed_to: self.attributions(members),
            audience: self.audience(members),
            published: time_of(members, "published"),
            updated: time_of(members, "updated"),
            in_reply_to: self.uri_of(members, "inReplyTo"),
            is_sensitive: members.flag("sensitive") == Some(true) || text.warning.is_some(),
            content: html,
            warning: text.warning,
            title: text.title,
            vote_name,
            language: texts::language(members),
            source: source(members),
            attachments: self.media_of(members, &kind),
            picture: self.picture_of_object(members, &kind),
            preview_link: media::preview_link(members),
            poll,
            replies: self.uri_of(members, "replies"),
            reply_count: count("replies"),
            like_count: count("likes"),
            share_count: count("shares"),
            context: self.uri_of(members, "contextHistory").or(self.uri_of(members, "context")),
            conversation: members.text("conversation").and_then(|it| texts::line(it, 2048)),
            policy: self.policy(members),
            quote,
            quote_authorization: self.uri_of(members, "quoteAuthorization"),
            approved_by: self.approval(members),
            tags,
            id,
            kind,
            url,
        })
    }

    /// Reads a tombstone.
    pub(super) fn read_tombstone(self, members: Members<'_>) -> Result<Tombstone, ReadError> {
        Ok(Tombstone {
            id: self.id(members)?,
            former_type: members.text("formerType").and_then(|it| texts::line(it, 64)),
            deleted: time_of(members, "deleted"),
        })
    }

    fn attributions(self, members: Members<'_>) -> Vec<Attribution> {
        let read = |value: &Value| {
            let kind = Members::of(value).and_then(|it| it.types().find_map(ActorKind::known));
            Some(Attribution { id: self.uri(value)?, kind })
        };
        let named: Vec<Attribution> =
            members.items("attributedTo").filter_map(read).take(limits::AUTHORS).collect();
        if named.is_empty() {
            members.items("actor").find_map(read).into_iter().collect()
        } else {
            named
        }
    }

    /// Returns the attachments. An image is an attachment of itself; videos and recordings stay
    /// where they are, and only their picture is shown.
    fn media_of(self, members: Members<'_>, kind: &ObjectKind) -> Vec<Attachment> {
        let mut media = self.attachments(members);
        if matches!(kind, ObjectKind::Image | ObjectKind::Document) && media.is_empty() {
            media.extend(self.attachment(members));
        }
        media
    }

    fn picture_of_object(self, members: Members<'_>, kind: &ObjectKind) -> Option<RemotePicture> {
        match kind {
            ObjectKind::Video | ObjectKind::Audio => self.picture(members, "icon"),
            kind if kind.has_title() => self.picture(members, "image"),
            _ => None,
        }
    }

    /// Returns what the object quotes, by the first of the names that servers use.
    fn quote(self, members: Members<'_>, tags: &Tags) -> Option<Uri> {
        let names = ["quote", "_misskey_quote", "quoteUrl", "quoteUri", "quoteURL"];
        let named = names.into_iter().find_map(|name| self.uri_of(members, name));
        let is_quote = |rel: &str| rel.contains("quote");
        named.or_else(|| {
            let link = tags.links.iter().find(|it| it.rel.is_empty() || is_quote(&it.rel));
            link.map(|link| link.href.clone())
        })
    }

    fn approval(self, members: Members<'_>) -> Option<Uri> {
        let names = ["approvedBy", "replyAuthorization"];
        names.into_iter().find_map(|name| self.uri_of(members, name))
    }
}

fn limited(count: u64) -> u64 {
    count.min(limits::COUNT)
}

/// Returns the first known type, or else the first one if there is a content to show.
fn kind(members: Members<'_>) -> Result<ObjectKind, ReadError> {
    let known = members.types().find_map(ObjectKind::known);
    if let Some(kind) = known {
        return Ok(kind);
    }
    let name = members.types().next().ok_or(ReadError::Missing(Member::Type))?;
    let name = texts::line(name, 64).ok_or(ReadError::Invalid(Member::Type))?;
    let (content, _) = members.natural("content").ok_or(ReadError::UnknownType)?;
    if content.trim().is_empty() {
        Err(ReadError::UnknownType)
    } else {
        Ok(ObjectKind::Other(name))
    }
}

fn vote_name(members: Members<'_>) -> Option<String> {
    let (name, _) = members.natural("name")?;
    Some(name.chars().take(limits::NAME_CHARACTERS).collect())
}

fn source(members: Members<'_>) -> Option<Source> {
    let source = members.object("source")?;
    let content = source.text("content").filter(|it| it.len() <= limits::CONTENT_BYTES)?;
    let media_type = source.text("mediaType").map(super::values::essence).unwrap_or_default();
    Some(Source { content: content.to_owned(), media_type })
}

/// Returns the hashtags in sanitised HTML.
fn hashtags_in(html: &str) -> Vec<siskin_text::Hashtag> {
    if !html.contains(['#', '＃']) {
        return Vec::new();
    }
    let tokens = siskin_text::parse(&siskin_text::html_to_text(html));
    hashtags(&tokens).into_iter().take(limits::TAGS).cloned().collect()
}
