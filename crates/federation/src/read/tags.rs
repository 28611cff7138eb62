//! Tags of objects: mentions, hashtags, custom emojis and links.

use std::collections::HashSet;

use siskin_entities::Timestamp;
use siskin_text::{Hashtag, valid_shortcode};

use super::{Reader, RemotePicture, limits, texts, time::time_of, values::essence};
use crate::{address::Uri, json::Members};

/// Tag that names an account. It is found by its address; the name is only for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MentionTag {
    /// Id of the account; some servers send its page.
    pub href: Uri,
    /// Name as its server writes it; empty if there is none.
    pub name: String,
}

/// Custom emoji.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmojiTag {
    /// Id; `None` if there is none, as in Pleroma.
    pub id: Option<Uri>,
    /// Name without colons.
    pub shortcode: String,
    /// Picture.
    pub picture: RemotePicture,
    /// Time of the last change; a newer one replaces the picture.
    pub updated: Option<Timestamp>,
}

/// Link to another object (FEP-e232).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkTag {
    /// Address of the object.
    pub href: Uri,
    /// Relation to it, such as that of a quote; empty if there is none.
    pub rel: String,
}

/// Tags of an object or a profile, without duplicates.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tags {
    /// Named accounts.
    pub mentions: Vec<MentionTag>,
    /// Hashtags.
    pub hashtags: Vec<Hashtag>,
    /// Custom emojis, at most [`limits::EMOJIS`].
    pub emojis: Vec<EmojiTag>,
    /// Links to documents of the network.
    pub links: Vec<LinkTag>,
}

impl Reader {
    /// Returns the first [`limits::TAGS`] tags.
    pub(super) fn tags(self, members: Members<'_>) -> Tags {
        let mut tags = Tags::default();
        for tag in members.objects("tag").take(limits::TAGS) {
            match tag.types().find(|it| matches!(*it, "Mention" | "Hashtag" | "Emoji" | "Link")) {
                Some("Mention") => tags.mentions.extend(self.mention(tag)),
                Some("Hashtag") => tags.hashtags.extend(hashtag(tag)),
                Some("Emoji") => tags.emojis.extend(self.emoji(tag)),
                Some(_) => tags.links.extend(self.link_tag(tag)),
                None => {}
            }
        }
        tags.without_duplicates()
    }

    fn mention(self, tag: Members<'_>) -> Option<MentionTag> {
        let href = self.uri_of(tag, "href")?;
        let name = tag.text("name").and_then(|name| texts::line(name, limits::NAME_CHARACTERS));
        Some(MentionTag { href, name: name.unwrap_or_default() })
    }

    /// Returns the emoji of a tag, if it has a valid shortcode and a picture.
    pub(super) fn emoji(self, tag: Members<'_>) -> Option<EmojiTag> {
        let name = tag.text("name")?;
        let shortcode = name.strip_prefix(':').unwrap_or(name);
        let shortcode = shortcode.strip_suffix(':').unwrap_or(shortcode);
        let picture = self.picture(tag, "icon").filter(|_| valid_shortcode(shortcode))?;
        Some(EmojiTag {
            id: self.uri_of(tag, "id"),
            shortcode: shortcode.to_owned(),
            picture,
            updated: time_of(tag, "updated"),
        })
    }

    /// Returns the link of a tag, if its media type is one of documents of the network.
    fn link_tag(self, tag: Members<'_>) -> Option<LinkTag> {
        let media_type = essence(tag.text("mediaType")?);
        let is_document =
            matches!(media_type.as_str(), "application/activity+json" | "application/ld+json");
        let href = self.uri_of(tag, "href").filter(|_| is_document)?;
        let rel = tag.text("rel").unwrap_or_default();
        Some(LinkTag { href, rel: rel.chars().take(limits::NAME_CHARACTERS).collect() })
    }
}

/// Returns the hashtag of a tag, with or without `#` in its name.
fn hashtag(tag: Members<'_>) -> Option<Hashtag> {
    let name = tag.text("name")?;
    Hashtag::parse(name.strip_prefix('#').unwrap_or(name))
}

impl Tags {
    fn without_duplicates(mut self) -> Self {
        let mut seen = HashSet::new();
        self.mentions.retain(|tag| seen.insert(tag.href.clone()));
        seen.clear();
        self.links.retain(|tag| seen.insert(tag.href.clone()));
        self.add_hashtags(Vec::new());
        let mut shortcodes = HashSet::new();
        self.emojis.retain(|tag| shortcodes.insert(tag.shortcode.clone()));
        self.emojis.truncate(limits::EMOJIS);
        self
    }

    /// Adds hashtags that are not there yet, up to [`limits::TAGS`].
    pub(super) fn add_hashtags(&mut self, more: Vec<Hashtag>) {
        self.hashtags.extend(more);
        let mut seen = HashSet::new();
        self.hashtags.retain(|tag| seen.insert(tag.name.clone()));
        self.hashtags.truncate(limits::TAGS);
    }
}
