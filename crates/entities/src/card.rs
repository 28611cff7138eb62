//! Link previews: what a page says of itself, as it is shown below a status that links to it.

use siskin_text::escape;

use crate::Timestamp;

/// What a page in a frame may do: play, open pages, and nothing with the page around it.
const SANDBOX: &str =
    "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-forms";

/// What a preview shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CardKind {
    /// A page.
    #[default]
    Link,
    /// A picture.
    Photo,
    /// Something that plays.
    Video,
    /// Anything else that is a document of its own. Nothing that is fetched becomes one.
    Rich,
}

impl CardKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Link, Self::Photo, Self::Video, Self::Rich];

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Photo => "photo",
            Self::Video => "video",
            Self::Rich => "rich",
        }
    }

    /// The stored number.
    #[must_use]
    pub const fn number(self) -> i16 {
        self as i16
    }

    /// The kind with this stored number.
    #[must_use]
    pub fn from_number(number: i16) -> Self {
        Self::ALL.into_iter().find(|kind| kind.number() == number).unwrap_or_default()
    }
}

/// The stored picture of a preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardImage {
    /// The name of its file.
    pub file: String,
    pub blurhash: Option<String>,
}

/// A link preview. Every address in it is one of http or https; texts are plain, and empty where
/// the page says nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PreviewCard {
    /// Where the page lies, after redirects, or where it says that it lies.
    pub url: String,
    pub kind: CardKind,
    pub title: String,
    pub description: String,
    pub author_name: String,
    /// Empty where nobody said, as the next two.
    pub author_url: String,
    pub provider_name: String,
    pub provider_url: String,
    /// Of a photo, where it lies; of a video, the page that plays it in a frame (https). Else
    /// empty.
    pub embed_url: String,
    /// In pixels, of what is embedded, or of the picture of a link; 0 where it is not known.
    pub width: u32,
    pub height: u32,
    pub image: Option<CardImage>,
    /// Whether it is an article: others do not trend.
    pub is_article: bool,
    pub published_at: Option<Timestamp>,
}

impl PreviewCard {
    /// The frame in which a video plays, as HTML, made of its address and size and of nothing else;
    /// empty for other kinds.
    #[must_use]
    pub fn html(&self) -> String {
        if self.kind != CardKind::Video {
            return String::new();
        }
        format!(
            "<iframe src=\"{}\" width=\"{}\" height=\"{}\" frameborder=\"0\" \
             allowfullscreen=\"allowfullscreen\" sandbox=\"{SANDBOX}\"></iframe>",
            escape(&self.embed_url),
            self.width,
            self.height,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_plays_has_html_and_no_other_than_its_frame() {
        let video = PreviewCard {
            kind: CardKind::Video,
            embed_url: "https://tube.example/e?a=1&b=\"><script>".to_owned(),
            width: 640,
            height: 360,
            ..PreviewCard::default()
        };
        assert_eq!(
            video.html(),
            format!(
                "<iframe src=\"https://tube.example/e?a=1&amp;b=&quot;&gt;&lt;script&gt;\" \
                 width=\"640\" height=\"360\" frameborder=\"0\" \
                 allowfullscreen=\"allowfullscreen\" sandbox=\"{SANDBOX}\"></iframe>"
            )
        );
        assert_eq!(PreviewCard { kind: CardKind::Photo, ..video }.html(), "");
    }

    #[test]
    fn every_kind_is_read_back_from_its_number() {
        for kind in CardKind::ALL {
            assert_eq!(CardKind::from_number(kind.number()), kind);
        }
        assert_eq!(CardKind::from_number(9), CardKind::Link);
    }
}
