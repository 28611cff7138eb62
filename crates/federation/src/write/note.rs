//! Statuses.

use siskin_entities::{Focus, Timestamp, media::PixelSize};
use siskin_text::escape;

use super::{
    Detail,
    node::{Members, Node},
    tags::{Picture, Tag},
};
use crate::{
    audience::PUBLIC,
    policies::{Grant, InteractionPolicy, Rule},
    read::cut,
};

/// Size of the content of a status that is cut, in bytes.
const CUT_CONTENT_BYTES: usize = 20_000;

/// Text from which a content was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source<'a> {
    /// Text.
    pub content: &'a str,
    /// Media type, such as `text/markdown`.
    pub media_type: &'a str,
}

/// Attached medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attachment<'a> {
    /// Media type.
    pub media_type: &'a str,
    /// Address of the file.
    pub url: &'a str,
    /// Description; empty if there is none.
    pub description: &'a str,
    /// Blurred placeholder.
    pub blurhash: Option<&'a str>,
    /// Focal point.
    pub focus: Option<Focus>,
    /// Width and height.
    pub size: Option<PixelSize>,
    /// Duration in milliseconds.
    pub duration: Option<u64>,
    /// Address of a still picture of a video or recording.
    pub preview: Option<&'a str>,
}

/// Collection of the replies to a status, with a first page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replies<'a> {
    /// Id of the collection.
    pub id: &'a str,
    /// Ids of some replies, first those of the author.
    pub items: &'a [&'a str],
    /// Address of the next page.
    pub next: Option<&'a str>,
}

/// Collection of which only the size is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total<'a> {
    /// Id of the collection.
    pub id: &'a str,
    /// Number of items.
    pub count: u64,
}

/// Quoted status (FEP-044f).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quote<'a> {
    /// Id of the quoted status.
    pub id: &'a str,
    /// Stamp of its author; `None` for a status of the same author, or as long as it is missing.
    pub authorization: Option<&'a str>,
}

/// Option of a poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PollOption<'a> {
    /// Text, which is also what a vote names.
    pub name: &'a str,
    /// Number of votes.
    pub votes: u64,
}

/// Poll of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Poll<'a> {
    /// Options in their order.
    pub options: &'a [PollOption<'a>],
    /// Whether one may choose several options.
    pub is_multiple: bool,
    /// Time when it ends; `None` if it has no end.
    pub ends_at: Option<Timestamp>,
    /// Time when it ended; `None` if it is open.
    pub closed_at: Option<Timestamp>,
    /// Number of voters; `None` if it is hidden.
    pub voters: Option<u64>,
}

/// Status: a `Note`, or a `Question` if it has a poll. Empty texts are absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note<'a> {
    /// Id.
    pub id: &'a str,
    /// Id of the author.
    pub author: &'a str,
    /// Time of publication.
    pub published: Timestamp,
    /// Time of the last edit.
    pub updated: Option<Timestamp>,
    /// Page of the status.
    pub url: &'a str,
    /// Ids in `to`; see [`addressees`](super::addressees()).
    pub to: &'a [&'a str],
    /// Ids in `cc`.
    pub cc: &'a [&'a str],
    /// Id of the parent.
    pub in_reply_to: Option<&'a str>,
    /// Content warning as plain text. It makes the media sensitive.
    pub warning: &'a str,
    /// Whether media are hidden at first.
    pub is_sensitive: bool,
    /// HTML.
    pub content: &'a str,
    /// Code of the language (BCP 47).
    pub language: Option<&'a str>,
    /// Text from which the content was made.
    pub source: Option<Source<'a>>,
    /// Collection of its thread (FEP-7888).
    pub context: Option<&'a str>,
    /// Name of the conversation, for servers without such collections.
    pub conversation: Option<&'a str>,
    /// Attached media.
    pub attachments: &'a [Attachment<'a>],
    /// Page that peers show as a preview.
    pub preview_link: Option<&'a str>,
    /// Mentions, hashtags and emojis.
    pub tags: &'a [Tag<'a>],
    /// Replies.
    pub replies: Option<Replies<'a>>,
    /// Likes.
    pub likes: Option<Total<'a>>,
    /// Reblogs.
    pub shares: Option<Total<'a>>,
    /// Who may interact with it. A policy that only names the author admits no one else.
    pub policy: Option<&'a InteractionPolicy>,
    /// Quoted status.
    pub quote: Option<Quote<'a>>,
    /// Poll.
    pub poll: Option<Poll<'a>>,
}

impl<'a> Note<'a> {
    /// Returns a status with nothing but these values.
    #[must_use]
    pub const fn new(id: &'a str, author: &'a str, published: Timestamp) -> Self {
        Self {
            id,
            author,
            published,
            updated: None,
            url: "",
            to: &[],
            cc: &[],
            in_reply_to: None,
            warning: "",
            is_sensitive: false,
            content: "",
            language: None,
            source: None,
            context: None,
            conversation: None,
            attachments: &[],
            preview_link: None,
            tags: &[],
            replies: None,
            likes: None,
            shares: None,
            policy: None,
            quote: None,
            poll: None,
        }
    }

    pub(super) fn members(&self, detail: Detail) -> Members<'a> {
        self.head()
            .followed_by(self.texts(detail))
            .followed_by(self.attached())
            .followed_by(self.interactions(detail))
            .followed_by(self.poll.map(|poll| poll.members()).unwrap_or_default())
    }

    fn head(&self) -> Members<'a> {
        let kind = if self.poll.is_some() { "Question" } else { "Note" };
        Members::with_id(self.id, kind)
            .text("attributedTo", self.author)
            .time("published", Some(self.published))
            .time("updated", self.updated)
            .text("url", self.url)
            .texts("to", self.to)
            .texts("cc", self.cc)
            .optional("inReplyTo", self.in_reply_to)
    }

    fn texts(&self, detail: Detail) -> Members<'a> {
        let content = || match detail {
            Detail::CutContent if self.content.len() > CUT_CONTENT_BYTES => self.cut_content(),
            _ => self.content.into(),
        };
        let language = self.language.filter(|_| detail < Detail::NoLanguage);
        let map = language.map(|language| Members::default().text(language, content()));
        let source = self.source.filter(|_| detail < Detail::NoSource).map(|source| {
            Members::default().text("content", source.content).text("mediaType", source.media_type)
        });
        Members::default()
            .text("summary", self.warning)
            .flag("sensitive", self.is_sensitive || !self.warning.is_empty())
            .text("content", content())
            .object("contentMap", map)
            .object("source", source)
            .optional("context", self.context)
            .optional("conversation", self.conversation)
    }

    fn cut_content(&self) -> std::borrow::Cow<'a, str> {
        let rest = escape(if self.url.is_empty() { self.id } else { self.url });
        let begin = cut::beginning(self.content, CUT_CONTENT_BYTES);
        format!("{begin}<p><a href=\"{rest}\" rel=\"nofollow noopener\">{rest}</a></p>").into()
    }

    fn attached(&self) -> Members<'a> {
        let link = self.preview_link.map(|href| Members::of("Link").text("href", href));
        let media = self.attachments.iter().map(Attachment::members);
        Members::default()
            .objects("attachment", media.chain(link))
            .objects("tag", self.tags.iter().map(Tag::members))
    }

    fn interactions(&self, detail: Detail) -> Members<'a> {
        let quote = self.quote.unwrap_or(Quote { id: "", authorization: None });
        Members::default()
            .object("replies", self.replies.map(|it| it.members(detail)))
            .object("likes", self.likes.map(|it| it.members()))
            .object("shares", self.shares.map(|it| it.members()))
            .object("interactionPolicy", self.policy.map(policy))
            .text("quote", quote.id)
            // Older names of the same.
            .text("_misskey_quote", quote.id)
            .text("quoteUri", quote.id)
            .text("quoteUrl", quote.id)
            .optional("quoteAuthorization", quote.authorization)
    }
}

impl<'a> Attachment<'a> {
    fn members(&self) -> Members<'a> {
        let preview = |url| Picture { url, ..Picture::default() }.members();
        let focus =
            self.focus.map(|focus| vec![Node::Decimal(focus.x()), Node::Decimal(focus.y())]);
        Members::of("Document")
            .text("mediaType", self.media_type)
            .text("url", self.url)
            .text("name", self.description)
            .optional("blurhash", self.blurhash)
            .nodes("focalPoint", focus.unwrap_or_default())
            .count("width", self.size.map(|size| size.width.into()))
            .count("height", self.size.map(|size| size.height.into()))
            .text("duration", self.duration.map(duration).unwrap_or_default())
            .object("icon", self.preview.map(preview))
    }
}

/// Returns a duration of ISO 8601 in seconds, such as `PT3.5S`.
fn duration(ms: u64) -> String {
    let (seconds, rest) = (ms / 1000, ms % 1000);
    match rest {
        0 => format!("PT{seconds}S"),
        _ => format!("PT{}S", format!("{seconds}.{rest:03}").trim_end_matches('0')),
    }
}

impl<'a> Replies<'a> {
    fn members(&self, detail: Detail) -> Members<'a> {
        let page = (detail < Detail::NoReplies).then(|| {
            Members::of("CollectionPage")
                .text("partOf", self.id)
                .optional("next", self.next)
                .texts("items", self.items)
        });
        Members::with_id(self.id, "Collection").object("first", page)
    }
}

impl<'a> Total<'a> {
    fn members(&self) -> Members<'a> {
        Members::with_id(self.id, "Collection").count("totalItems", Some(self.count))
    }
}

impl<'a> Poll<'a> {
    fn members(&self) -> Members<'a> {
        let options = self.options.iter().map(|option| {
            let votes = Members::of("Collection").count("totalItems", Some(option.votes));
            Members::of("Note").text("name", option.name).object("replies", Some(votes))
        });
        let name = if self.is_multiple { "anyOf" } else { "oneOf" };
        Members::default()
            .objects(name, options)
            .time("endTime", self.ends_at)
            .time("closed", self.closed_at)
            .count("votersCount", self.voters)
    }
}

fn policy(policy: &InteractionPolicy) -> Members<'_> {
    Members::default()
        .object("canQuote", policy.can_quote.as_ref().map(rule))
        .object("canReply", policy.can_reply.as_ref().map(rule))
        .object("canLike", policy.can_like.as_ref().map(rule))
        .object("canAnnounce", policy.can_announce.as_ref().map(rule))
}

/// Returns the accounts that a rule admits. An empty list says that it admits no one.
fn rule(rule: &Rule) -> Members<'_> {
    let automatic = Node::List(rule.automatic.iter().map(grant).collect());
    let manual = rule.manual.iter().map(grant).collect();
    Members::default().with("automaticApproval", automatic).nodes("manualApproval", manual)
}

fn grant(grant: &Grant) -> Node<'_> {
    Node::Text(match grant {
        Grant::Public => PUBLIC.into(),
        Grant::Id(id) => id.as_str().into(),
    })
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn durations_have_no_needless_digits() {
        for (ms, text) in [(0, "PT0S"), (3000, "PT3S"), (3500, "PT3.5S"), (61_023, "PT61.023S")] {
            assert_eq!(duration(ms), text);
        }
    }
}
