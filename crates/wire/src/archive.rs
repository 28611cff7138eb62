//! The archive of an account, in the form of ActivityPub, as Mastodon exports it: the actor, and the
//! activities of the outbox. Files are named by their places in the archive.
//!
//! These values are only written. A collection is written in pieces, because it may be long: its
//! beginning, entries as often as necessary, and its end.

use std::{collections::BTreeMap, fmt};

use serde::Serialize;
use siskin_entities::{self as view, MediaKind, Picture, Visibility, polls::Poll};
use siskin_ids::StatusId;

use crate::{time::Instant, urls::Urls};

/// Address of everyone.
const PUBLIC: &str = "https://www.w3.org/ns/activitystreams#Public";
/// The vocabularies of what the archive contains.
const CONTEXT: &str = r##"["https://www.w3.org/ns/activitystreams","https://w3id.org/security/v1",{"manuallyApprovesFollowers":"as:manuallyApprovesFollowers","sensitive":"as:sensitive","Hashtag":"as:Hashtag","toot":"http://joinmastodon.org/ns#","Emoji":"toot:Emoji","blurhash":"toot:blurhash","focalPoint":{"@container":"@list","@id":"toot:focalPoint"},"votersCount":"toot:votersCount","discoverable":"toot:discoverable","indexable":"toot:indexable","schema":"http://schema.org#","PropertyValue":"schema:PropertyValue","value":"schema:value","quote":{"@id":"https://w3id.org/fep/044f#quote","@type":"@id"}}]"##;

/// Writes the beginning of the collection in the file `name`.
pub fn begin_collection(out: &mut Vec<u8>, name: &str) {
    let start = format!(
        "{{\"@context\":{CONTEXT},\"id\":\"{name}\",\"type\":\"OrderedCollection\",\
         \"orderedItems\":["
    );
    out.extend_from_slice(start.as_bytes());
}

/// Writes statuses of the owner as entries of a collection that has `before` entries already.
///
/// # Errors
/// None that can be expected.
pub fn add_statuses(
    out: &mut Vec<u8>,
    statuses: &[view::Status],
    known: &Known<'_>,
    before: i64,
) -> serde_json::Result<()> {
    add(out, statuses.iter().map(|status| render_activity(status, known)), before)
}

/// Writes identifiers of statuses as entries of a collection that has `before` entries already.
///
/// # Errors
/// None that can be expected.
pub fn add_addresses(
    out: &mut Vec<u8>,
    addresses: &[String],
    before: i64,
) -> serde_json::Result<()> {
    add(out, addresses.iter(), before)
}

fn add<T: Serialize>(
    out: &mut Vec<u8>,
    entries: impl Iterator<Item = T>,
    before: i64,
) -> serde_json::Result<()> {
    for (at, entry) in entries.enumerate() {
        if at > 0 || before > 0 {
            out.push(b',');
        }
        serde_json::to_writer(&mut *out, &entry)?;
    }
    Ok(())
}

/// Writes the end of a collection with this number of entries.
pub fn end_collection(out: &mut Vec<u8>, entries: i64) {
    out.extend_from_slice(format!("],\"totalItems\":{entries}}}\n").as_bytes());
}

/// Returns the path of an attached file in the archive.
#[must_use]
pub fn media_path(file: &str) -> String {
    format!("media/{file}")
}

/// Returns the path of a picture of the profile in the archive: `name` with the extension of its
/// file.
#[must_use]
pub fn picture_path(name: &str, picture: &Picture) -> String {
    match picture.file.rsplit_once('.') {
        Some((_, extension)) => format!("{name}.{extension}"),
        None => name.to_owned(),
    }
}

/// What the archive needs besides the views.
pub struct Known<'a> {
    /// Addresses of this server.
    pub urls: &'a Urls,
    /// Returns the media type of a stored file.
    pub media_type: &'a dyn Fn(&str) -> Option<&'static str>,
    /// Identifiers of the statuses to which others reply.
    pub parents: &'a dyn Fn(StatusId) -> Option<String>,
    /// Time of the export.
    pub now: view::Timestamp,
}

impl fmt::Debug for Known<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Known")
            .field("urls", &self.urls)
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

/// The account.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Actor {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    preferred_username: String,
    name: String,
    /// HTML.
    summary: String,
    url: String,
    published: Instant,
    inbox: &'static str,
    outbox: &'static str,
    likes: &'static str,
    bookmarks: &'static str,
    followers: String,
    following: String,
    manually_approves_followers: bool,
    discoverable: bool,
    indexable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<Image>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<Image>,
    attachment: Vec<PropertyValue>,
    tag: Vec<Tag>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Image {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    media_type: Option<&'static str>,
    url: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    summary: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct PropertyValue {
    #[serde(rename = "type")]
    kind: &'static str,
    name: String,
    /// HTML.
    value: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Tag {
    #[serde(rename = "type")]
    kind: &'static str,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    href: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<Image>,
}

/// An entry of the outbox: the creation of a status, or a reblog.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Activity {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    actor: String,
    published: Instant,
    to: Vec<String>,
    cc: Vec<String>,
    object: Object,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
enum Object {
    /// The identifier of a reblogged status.
    Link(String),
    Note(Box<Note>),
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Note {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    attributed_to: String,
    published: Instant,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated: Option<Instant>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    to: Vec<String>,
    cc: Vec<String>,
    in_reply_to: Option<String>,
    /// Content warning.
    summary: Option<String>,
    sensitive: bool,
    /// HTML.
    content: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    content_map: BTreeMap<String, String>,
    attachment: Vec<Document>,
    tag: Vec<Tag>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quote: Option<String>,
    #[serde(flatten)]
    question: Option<Question>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    media_type: Option<&'static str>,
    url: String,
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blurhash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    focal_point: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Question {
    #[serde(skip_serializing_if = "Option::is_none")]
    one_of: Option<Vec<Choice>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    any_of: Option<Vec<Choice>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_time: Option<Instant>,
    #[serde(skip_serializing_if = "Option::is_none")]
    closed: Option<Instant>,
    voters_count: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Choice {
    #[serde(rename = "type")]
    kind: &'static str,
    name: String,
    replies: Votes,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Votes {
    #[serde(rename = "type")]
    kind: &'static str,
    total_items: i64,
}

/// Renders the account that owns the archive.
#[must_use]
pub fn render_actor(account: &view::Account, known: &Known<'_>) -> Actor {
    let uri = actor_uri(account, known.urls);
    let picture = |picture: Option<&Picture>, name: &str, description: &str| {
        picture.map(|picture| Image {
            kind: "Image",
            media_type: (known.media_type)(&picture.file),
            url: picture_path(name, picture),
            summary: description.to_owned(),
        })
    };
    let field = |field: &view::Field| PropertyValue {
        kind: "PropertyValue",
        name: field.name.clone(),
        value: field.value_html.clone(),
    };
    Actor {
        kind: if account.bot { "Service" } else { "Person" },
        preferred_username: account.username.clone(),
        name: account.display_name.clone(),
        summary: account.note_html.clone(),
        url: known.urls.profile(&account.username),
        published: Instant(account.created_at),
        inbox: "inbox.json",
        outbox: "outbox.json",
        likes: "likes.json",
        bookmarks: "bookmarks.json",
        followers: format!("{uri}/followers"),
        following: format!("{uri}/following"),
        manually_approves_followers: account.locked,
        discoverable: account.discoverable.unwrap_or(false),
        indexable: account.indexable,
        icon: picture(account.avatar.as_ref(), "avatar", &account.avatar_description),
        image: picture(account.header.as_ref(), "header", &account.header_description),
        attachment: account.fields.iter().map(field).collect(),
        tag: account.emojis.iter().map(|emoji| emoji_tag(emoji, known)).collect(),
        id: uri,
    }
}

/// Renders the actor as the content of its file.
///
/// # Errors
/// None that can be expected.
pub fn actor_file(account: &view::Account, known: &Known<'_>) -> serde_json::Result<Vec<u8>> {
    let actor = serde_json::to_string(&render_actor(account, known))?;
    // The object is not empty, so its first member follows.
    let members = actor.strip_prefix('{').unwrap_or(&actor);
    Ok(format!("{{\"@context\":{CONTEXT},{members}\n").into_bytes())
}

/// Renders a status of the owner for the outbox.
#[must_use]
pub fn render_activity(status: &view::Status, known: &Known<'_>) -> Activity {
    let author = actor_uri(&status.body.account, known.urls);
    let (kind, object, to, cc) = match &status.reblog {
        Some(original) => {
            // A reblog goes to the followers, and tells the author.
            let others =
                vec![format!("{author}/followers"), actor_uri(&original.account, known.urls)];
            let (to, cc) = match status.body.visibility {
                Visibility::Public => (vec![PUBLIC.to_owned()], others),
                Visibility::Unlisted => (others, vec![PUBLIC.to_owned()]),
                Visibility::Private | Visibility::Direct => (others, Vec::new()),
            };
            ("Announce", Object::Link(original.uri.clone()), to, cc)
        }
        None => {
            let (to, cc) = audience(&status.body, &author, known.urls);
            let note = note(&status.body, author.clone(), (to.clone(), cc.clone()), known);
            ("Create", Object::Note(Box::new(note)), to, cc)
        }
    };
    Activity {
        id: format!("{}/activity", status.body.uri),
        kind,
        actor: author,
        published: Instant(status.body.created_at),
        to,
        cc,
        object,
    }
}

fn note(
    body: &view::StatusBody,
    author: String,
    (to, cc): (Vec<String>, Vec<String>),
    known: &Known<'_>,
) -> Note {
    let source = &body.source;
    let language = source.language.iter();
    let mention = |mention: &view::status::Mention| Tag {
        kind: "Mention",
        name: format!("@{}", mention.acct),
        href: Some(mentioned(mention, known.urls)),
        icon: None,
    };
    let hashtag = |tag: &view::status::StatusTag| Tag {
        kind: "Hashtag",
        name: format!("#{}", tag.name),
        href: Some(known.urls.tag(&tag.name)),
        icon: None,
    };
    let quoted = body.quote.as_ref().and_then(|quote| quote.status.as_ref());
    Note {
        id: body.uri.clone(),
        kind: if body.poll.is_some() { "Question" } else { "Note" },
        attributed_to: author,
        published: Instant(body.created_at),
        updated: body.edited_at.map(Instant),
        url: body.page(known.urls),
        to,
        cc,
        in_reply_to: body.in_reply_to_id.and_then(|parent| (known.parents)(parent)),
        summary: Some(source.spoiler_text.clone()).filter(|text| !text.is_empty()),
        sensitive: source.sensitive,
        content: body.content.clone(),
        content_map: language.map(|language| (language.clone(), body.content.clone())).collect(),
        attachment: body.attachments.iter().filter_map(|media| document(media, known)).collect(),
        tag: body
            .mentions
            .iter()
            .map(mention)
            .chain(body.tags.iter().map(hashtag))
            .chain(body.emojis.iter().map(|emoji| emoji_tag(emoji, known)))
            .collect(),
        quote: quoted.map(|quoted| quoted.uri.clone()),
        question: body.poll.as_ref().map(|poll| question(poll, known.now)),
    }
}

/// Returns whom a status addresses: `to` and `cc`.
fn audience(body: &view::StatusBody, author: &str, urls: &Urls) -> (Vec<String>, Vec<String>) {
    let mentioned = body.mentions.iter().map(|mention| mentioned(mention, urls));
    let followers = format!("{author}/followers");
    match body.visibility {
        Visibility::Public => {
            (vec![PUBLIC.to_owned()], [followers].into_iter().chain(mentioned).collect())
        }
        Visibility::Unlisted => {
            (vec![followers], [PUBLIC.to_owned()].into_iter().chain(mentioned).collect())
        }
        Visibility::Private => (vec![followers], mentioned.collect()),
        Visibility::Direct => (mentioned.collect(), Vec::new()),
    }
}

fn document(media: &view::MediaAttachment, known: &Known<'_>) -> Option<Document> {
    let file = media.file.as_deref()?;
    let size = media.meta.original;
    Some(Document {
        kind: match media.kind {
            MediaKind::Image => "Image",
            MediaKind::Gifv | MediaKind::Video => "Video",
            MediaKind::Audio => "Audio",
            MediaKind::Unknown => "Document",
        },
        media_type: (known.media_type)(file),
        url: media_path(file),
        name: Some(media.description.clone()).filter(|text| !text.is_empty()),
        blurhash: media.blurhash.clone(),
        focal_point: media.focus.map(|focus| [focus.x(), focus.y()]),
        width: size.map(|size| size.width),
        height: size.map(|size| size.height),
    })
}

fn question(poll: &Poll, now: view::Timestamp) -> Question {
    let choice = |option: &view::polls::PollOption| Choice {
        kind: "Note",
        name: option.title.clone(),
        replies: Votes { kind: "Collection", total_items: option.votes },
    };
    let choices: Vec<Choice> = poll.options.iter().map(choice).collect();
    let (one_of, any_of) =
        if poll.multiple { (None, Some(choices)) } else { (Some(choices), None) };
    Question {
        one_of,
        any_of,
        end_time: poll.expires_at.map(Instant),
        closed: poll.expires_at.filter(|_| poll.is_over(now)).map(Instant),
        voters_count: poll.voters,
    }
}

fn emoji_tag(emoji: &view::CustomEmoji, known: &Known<'_>) -> Tag {
    let icon = Image {
        kind: "Image",
        media_type: (known.media_type)(&emoji.picture.file),
        url: known.urls.file(&emoji.picture.file),
        summary: String::new(),
    };
    Tag { kind: "Emoji", name: format!(":{}:", emoji.shortcode), href: None, icon: Some(icon) }
}

/// Returns the identifier of an account among servers.
fn actor_uri(account: &view::Account, urls: &Urls) -> String {
    if account.uri.is_empty() { urls.account_uri(&account.username) } else { account.uri.clone() }
}

/// Returns the address of a mentioned account: for a remote one, that of its page.
fn mentioned(mention: &view::status::Mention, urls: &Urls) -> String {
    match mention.domain() {
        None => urls.account_uri(&mention.username),
        Some(_) => mention.url.clone(),
    }
}
