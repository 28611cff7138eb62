//! Tags and pictures.

use siskin_entities::Timestamp;

use super::node::Members;

/// Picture of an account, an emoji or an attachment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Picture<'a> {
    /// Address of the file.
    pub url: &'a str,
    /// Media type; empty if unknown.
    pub media_type: &'a str,
    /// Description; empty if there is none.
    pub description: &'a str,
}

/// Custom emoji.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Emoji<'a> {
    /// Id.
    pub id: &'a str,
    /// Name without colons.
    pub shortcode: &'a str,
    /// Time of the last change; `None` if unknown. Peers replace the picture if it is newer.
    pub updated: Option<Timestamp>,
    /// Picture.
    pub picture: Picture<'a>,
}

/// Tag of a status or a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag<'a> {
    /// Mentioned account. Peers notify only accounts with such a tag.
    Mention {
        /// Id of the account.
        href: &'a str,
        /// `@name@domain`.
        name: &'a str,
    },
    /// Hashtag.
    Hashtag {
        /// Page of the hashtag.
        href: &'a str,
        /// Name without `#`.
        name: &'a str,
    },
    /// Custom emoji.
    Emoji(Emoji<'a>),
}

impl<'a> Picture<'a> {
    pub(super) fn members(&self) -> Members<'a> {
        Members::of("Image")
            .text("mediaType", self.media_type)
            .text("url", self.url)
            .text("summary", self.description)
    }
}

impl<'a> Tag<'a> {
    pub(super) fn members(&self) -> Members<'a> {
        match self {
            Self::Mention { href, name } => {
                Members::of("Mention").text("href", *href).text("name", *name)
            }
            Self::Hashtag { href, name } => {
                Members::of("Hashtag").text("href", *href).text("name", format!("#{name}"))
            }
            Self::Emoji(emoji) => Members::of("Emoji")
                .text("id", emoji.id)
                .text("name", format!(":{}:", emoji.shortcode))
                .time("updated", emoji.updated)
                .object("icon", Some(emoji.picture.members())),
        }
    }
}
