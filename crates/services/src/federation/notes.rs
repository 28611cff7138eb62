//! Statuses as documents: from views to what `siskin_federation` writes.
//!
//! A status is built in layers, because each borrows from the one before: its view and the ids that
//! it names, then [`Texts`], then [`Lists`], then the [`Note`] and its [`Activity`].

use siskin_entities::{
    Cursor, CustomEmoji, MediaAttachment, MediaKind, QuotePolicy, Status, StatusBody, Timestamp,
    Urls, Visibility, status::Mention,
};
use siskin_federation::{
    address::{Schemes, Uri},
    audience::Visibility as Audience,
    policies::{Grant, InteractionPolicy, Rule},
    write::{
        self, Action, Activity, Addressees, Attachment, Emoji, Note, Picture, Poll, PollOption,
        Quote, Replies, Source, Tag, TooLarge, Total, addressees,
    },
};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{Conn, IdMap, accounts, sorted_unique, statuses as rows};

use super::{document::too_large, names};
use crate::Result;

/// Ids that statuses name, and that are not in their views.
#[derive(Debug, Default)]
pub(super) struct NamedIds {
    parents: IdMap<StatusId, String>,
    /// Mentioned accounts of other servers.
    people: IdMap<AccountId, String>,
}

impl NamedIds {
    /// Loads the ids that these statuses name. Runs at most two statements.
    pub(super) fn load<'b>(
        conn: &mut Conn,
        urls: &Urls,
        bodies: impl Iterator<Item = &'b StatusBody> + Clone,
    ) -> Result<Self> {
        let mut named = Self::default();
        let parents = sorted_unique(bodies.clone().filter_map(|body| body.in_reply_to_id));
        if !parents.is_empty() {
            named.parents = rows::names(conn, &parents)?
                .into_iter()
                .map(|(id, name)| (id, names::named_status_id(urls, id, &name)))
                .collect();
        }
        let mentions = bodies.flat_map(|body| body.mentions.iter());
        let remote = mentions.filter(|mention| mention.domain().is_some());
        let people = sorted_unique(remote.map(|mention| mention.account_id));
        if !people.is_empty() {
            named.people = accounts::uris(conn, &people)?;
        }
        Ok(named)
    }

    /// Returns the id of a mentioned account. Returns `None` if it is gone.
    fn person(&self, mention: &Mention, urls: &Urls) -> Option<String> {
        match mention.domain() {
            None => Some(urls.account_uri(&mention.username)),
            Some(_) => self.people.get(&mention.account_id).cloned(),
        }
    }
}

/// All texts of a status or reblog that its view does not contain.
#[derive(Debug)]
pub(super) struct Texts<'a> {
    body: &'a StatusBody,
    id: String,
    activity: String,
    author: String,
    followers: String,
    page: String,
    parent: Option<String>,
    /// Id of the reblogged status; `None` if it is no reblog.
    reblogged: Option<String>,
    quoted: Option<String>,
    /// Ids of the mentioned accounts, or of the author of the reblogged status.
    people: Vec<String>,
    /// Handles of the mentioned accounts.
    handles: Vec<String>,
    /// Pages of the hashtags.
    hashtags: Vec<String>,
    emojis: Vec<EmojiTexts<'a>>,
    media: Vec<MediumTexts<'a>>,
    replies: String,
    next_replies: String,
    own_replies: Vec<String>,
    likes: String,
    shares: String,
    policy: InteractionPolicy,
    now: Timestamp,
}

#[derive(Debug)]
struct EmojiTexts<'a> {
    shortcode: &'a str,
    id: String,
    url: String,
    media_type: &'static str,
}

#[derive(Debug)]
struct MediumTexts<'a> {
    medium: &'a MediaAttachment,
    url: String,
    media_type: &'static str,
    /// Still picture of a video or recording.
    preview: Option<String>,
}

/// Lists of a document that borrow from its texts.
#[derive(Debug)]
pub(super) struct Lists<'t> {
    addressees: Addressees<'t>,
    attachments: Vec<Attachment<'t>>,
    tags: Vec<Tag<'t>>,
    own_replies: Vec<&'t str>,
    options: Vec<PollOption<'t>>,
}

/// Writes the document of a status.
///
/// # Errors
/// [`crate::Error::Internal`] if it is too large even without mentions and hashtags.
pub(super) fn write_note(texts: &Texts<'_>) -> Result<Vec<u8>> {
    fitting(texts, |lists| write::note(&texts.note(lists)))
}

/// Writes the activity that published a status, or a reblog.
///
/// # Errors
/// As [`write_note`].
pub(super) fn write_activity(texts: &Texts<'_>) -> Result<Vec<u8>> {
    fitting(texts, |lists| {
        let note = texts.note(lists);
        write::activity(&texts.activity(lists, &note))
    })
}

/// Writes a document that is too large with fewer mentions, hashtags and emojis.
fn fitting(
    texts: &Texts<'_>,
    write: impl Fn(&Lists<'_>) -> Result<Vec<u8>, TooLarge>,
) -> Result<Vec<u8>> {
    let mut kept = texts.people.len().max(texts.hashtags.len()).max(texts.emojis.len());
    loop {
        match write(&texts.lists(kept)) {
            Ok(bytes) => return Ok(bytes),
            Err(error) if kept == 0 => return Err(too_large(error)),
            Err(_) => kept /= 2,
        }
    }
}

impl<'a> Texts<'a> {
    /// Returns the texts of a local status or reblog. `own_replies` are the replies of its author
    /// that it shows.
    pub(super) fn of(
        status: &'a Status,
        named: &NamedIds,
        urls: &Urls,
        own_replies: &[StatusId],
        now: Timestamp,
    ) -> Self {
        let (body, reblog) = (&status.body, status.reblog.as_deref());
        let id = names::status_id(urls, body);
        let author = names::actor_id(urls, &body.account);
        let followers = names::followers(&author);
        let replies = format!("{id}/replies");
        let mentions = body.mentions.iter();
        let mentions: Vec<(String, String)> = mentions
            .filter_map(|mention| Some((named.person(mention, urls)?, handle(mention, urls))))
            .collect();
        let (mut people, handles): (Vec<String>, Vec<String>) = mentions.into_iter().unzip();
        people.extend(reblog.map(|original| names::actor_id(urls, &original.account)));
        let own_replies = own_replies.iter().map(|reply| urls.status_uri(&body.username, *reply));
        Self {
            body,
            activity: names::activity_id(&id),
            page: urls.status(&body.username, body.id),
            parent: body.in_reply_to_id.and_then(|parent| named.parents.get(&parent).cloned()),
            reblogged: reblog.map(|original| names::status_id(urls, original)),
            quoted: body.quoted().map(|quoted| names::status_id(urls, quoted)),
            people,
            handles,
            hashtags: body.tags.iter().map(|tag| urls.tag(&tag.name)).collect(),
            emojis: body.emojis.iter().map(|emoji| EmojiTexts::of(emoji, urls)).collect(),
            media: body.attachments.iter().filter_map(|it| MediumTexts::of(it, urls)).collect(),
            next_replies: names::page_of(&replies, Cursor::default()),
            replies,
            own_replies: own_replies.collect(),
            likes: format!("{id}/likes"),
            shares: format!("{id}/shares"),
            policy: policy(body, &author, &followers),
            id,
            author,
            followers,
            now,
        }
    }

    /// Returns the lists with at most `kept` mentions, hashtags and emojis each.
    pub(super) fn lists(&self, kept: usize) -> Lists<'_> {
        let people: Vec<&str> = self.people.iter().take(kept).map(String::as_str).collect();
        let mentions = self.people.iter().zip(&self.handles).take(kept);
        let hashtags = self.hashtags.iter().zip(&self.body.tags).take(kept);
        let emojis = self.emojis.iter().take(kept).map(EmojiTexts::tag);
        let poll = self.body.poll.as_ref();
        let options = poll.into_iter().flat_map(|poll| {
            let shows_votes = poll.shows_totals(self.now);
            poll.options.iter().map(move |option| PollOption {
                name: &option.title,
                votes: if shows_votes { number(option.votes) } else { 0 },
            })
        });
        Lists {
            addressees: addressees(audience(self.body.visibility), &self.followers, &people),
            attachments: self.media.iter().map(MediumTexts::attachment).collect(),
            tags: mentions
                .map(|(href, name)| Tag::Mention { href, name })
                .chain(hashtags.map(|(href, tag)| Tag::Hashtag { href, name: &tag.name }))
                .chain(emojis)
                .collect(),
            own_replies: self.own_replies.iter().map(String::as_str).collect(),
            options: options.collect(),
        }
    }

    /// Returns the status as it is written.
    pub(super) fn note<'t>(&'t self, lists: &'t Lists<'t>) -> Note<'t> {
        let (body, source) = (self.body, &self.body.source);
        Note {
            updated: body.edited_at,
            url: &self.page,
            to: &lists.addressees.to,
            cc: &lists.addressees.cc,
            in_reply_to: self.parent.as_deref(),
            warning: &source.spoiler_text,
            is_sensitive: body.is_sensitive(),
            content: &body.content,
            language: source.language.as_deref(),
            source: (!source.text.is_empty()).then(|| Source {
                content: &source.text,
                media_type: source.content_type.as_str(),
            }),
            attachments: &lists.attachments,
            preview_link: self.preview_link(),
            tags: &lists.tags,
            replies: Some(Replies {
                id: &self.replies,
                items: &lists.own_replies,
                next: Some(&self.next_replies),
            }),
            likes: Some(Total { id: &self.likes, count: number(body.counts.favourites) }),
            shares: Some(Total { id: &self.shares, count: number(body.counts.reblogs) }),
            policy: Some(&self.policy),
            // There are no stamps of quoted authors yet.
            quote: self.quoted.as_deref().map(|id| Quote { id, authorization: None }),
            poll: self.poll(lists),
            ..Note::new(&self.id, &self.author, body.created_at)
        }
    }

    /// Returns the activity that published the status, or the reblog.
    pub(super) fn activity<'t>(&'t self, lists: &'t Lists<'t>, note: &'t Note<'t>) -> Activity<'t> {
        Activity {
            id: &self.activity,
            actor: &self.author,
            published: Some(self.body.created_at),
            to: &lists.addressees.to,
            cc: &lists.addressees.cc,
            action: match &self.reblogged {
                Some(original) => Action::Announce(original),
                None => Action::Create(note),
            },
        }
    }

    /// Returns the page that peers show as a preview. Media are shown instead of one.
    fn preview_link(&self) -> Option<&str> {
        let card = self.body.card.as_ref().filter(|_| self.body.attachments.is_empty());
        card.map(|card| card.url.as_str()).filter(|url| !url.is_empty())
    }

    fn poll<'t>(&'t self, lists: &'t Lists<'t>) -> Option<Poll<'t>> {
        let poll = self.body.poll.as_ref()?;
        Some(Poll {
            options: &lists.options,
            is_multiple: poll.multiple,
            ends_at: poll.expires_at,
            closed_at: poll.expires_at.filter(|_| poll.is_over(self.now)),
            voters: Some(number(poll.voters)),
        })
    }
}

impl<'a> EmojiTexts<'a> {
    fn of(emoji: &'a CustomEmoji, urls: &Urls) -> Self {
        Self {
            shortcode: &emoji.shortcode,
            id: emoji_id(urls, &emoji.shortcode),
            url: urls.file(&emoji.picture.file),
            media_type: names::media_type(&emoji.picture.file),
        }
    }

    fn tag(&self) -> Tag<'_> {
        let picture = Picture { url: &self.url, media_type: self.media_type, description: "" };
        Tag::Emoji(Emoji { id: &self.id, shortcode: self.shortcode, updated: None, picture })
    }
}

/// Returns the id of a custom emoji. Shortcodes are letters, digits and underscores.
pub(super) fn emoji_id(urls: &Urls, shortcode: &str) -> String {
    urls.page(&format!("/emojis/{shortcode}"))
}

impl<'a> MediumTexts<'a> {
    /// Returns `None` for an attachment without a file.
    fn of(medium: &'a MediaAttachment, urls: &Urls) -> Option<Self> {
        let file = medium.file.as_deref()?;
        let has_preview = medium.kind != MediaKind::Image;
        let preview = medium.preview.as_deref().filter(|_| has_preview);
        Some(Self {
            medium,
            url: urls.file(file),
            media_type: names::media_type(file),
            preview: preview.map(|file| urls.file(file)),
        })
    }

    fn attachment(&self) -> Attachment<'_> {
        let playing = self.medium.meta.playing.as_ref();
        Attachment {
            media_type: self.media_type,
            url: &self.url,
            description: &self.medium.description,
            blurhash: self.medium.blurhash.as_deref(),
            focus: self.medium.focus.filter(|_| self.medium.kind.has_focus()),
            size: self.medium.meta.original,
            duration: playing.map(|playing| playing.duration_us / 1000),
            preview: self.preview.as_deref(),
        }
    }
}

/// Returns `@name@domain` of a mentioned account.
fn handle(mention: &Mention, urls: &Urls) -> String {
    match mention.domain() {
        None => format!("@{}@{}", mention.username, urls.domain()),
        Some(_) => format!("@{}", mention.acct),
    }
}

/// Returns who may interact with a status. Nothing is said about what everyone may do.
fn policy(body: &StatusBody, author: &str, followers: &str) -> InteractionPolicy {
    let is_open = body.visibility.is_open();
    let policy = if is_open { body.quote_approval.policy } else { QuotePolicy::Nobody };
    let of = |id: &str| Uri::parse(id, Schemes::HttpToo).ok().map(Grant::Id);
    let grant = match policy {
        QuotePolicy::Public => Some(Grant::Public),
        QuotePolicy::Followers => of(followers),
        QuotePolicy::Nobody => of(author),
    };
    let rule = Rule { automatic: grant.into_iter().collect(), manual: Vec::new() };
    InteractionPolicy { can_quote: Some(rule), ..InteractionPolicy::default() }
}

const fn audience(visibility: Visibility) -> Audience {
    match visibility {
        Visibility::Public => Audience::Public,
        Visibility::Unlisted => Audience::Unlisted,
        Visibility::Private => Audience::Private,
        Visibility::Direct => Audience::Direct,
    }
}

fn number(count: i64) -> u64 {
    u64::try_from(count).unwrap_or_default()
}

#[cfg(test)]
mod tests;
