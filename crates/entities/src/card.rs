//! Link previews: the metadata of a page, shown below a status that links to it.

use siskin_text::escape;

use crate::{
    Timestamp,
    named::{names, numbers},
};

/// Permissions of an embedded frame: it may play and open pages, but not touch the page around it.
const SANDBOX: &str =
    "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-forms";

/// Type of the previewed content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CardKind {
    /// A web page.
    #[default]
    Link,
    /// A photo.
    Photo,
    /// A video or other playable content.
    Video,
    /// Any other embeddable document. The fetcher never creates this kind.
    Rich,
}

names!(CardKind { Link = "link", Photo = "photo", Video = "video", Rich = "rich" });
numbers!(CardKind, unknown: Link);

/// Stored image of a preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardImage {
    /// Name of the file.
    pub file: String,
    /// Blurred placeholder (<https://blurha.sh>); `None` if there is none.
    pub blurhash: Option<String>,
}

/// Link preview. All addresses in it use http or https. Texts are plain; a text is empty if the
/// page does not provide it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PreviewCard {
    /// Address of the page after redirects, or the canonical address that the page declares.
    pub url: String,
    /// Type of the content.
    pub kind: CardKind,
    /// Title of the page.
    pub title: String,
    /// Summary of the page.
    pub description: String,
    /// Name of the author.
    pub author_name: String,
    /// Address of a page about the author.
    pub author_url: String,
    /// Name of the website.
    pub provider_name: String,
    /// Address of the website.
    pub provider_url: String,
    /// Address of the photo for [`CardKind::Photo`], or of the player page (https) for
    /// [`CardKind::Video`]. Otherwise empty.
    pub embed_url: String,
    /// Width in pixels of the embedded content, or of the image of a link; 0 if unknown.
    pub width: u32,
    /// Height in pixels; 0 if unknown.
    pub height: u32,
    /// Stored image; `None` if there is none.
    pub image: Option<CardImage>,
    /// `true` if the page is an article. Only articles can trend.
    pub is_article: bool,
    /// Time when the page was published; `None` if it does not say.
    pub published_at: Option<Timestamp>,
}

impl PreviewCard {
    /// Returns the iframe that plays a video, as HTML, built only from its address and size.
    /// Returns an empty string for other kinds.
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
    fn only_videos_have_html_and_it_is_one_frame() {
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
    fn every_kind_round_trips_through_its_number() {
        for kind in CardKind::ALL {
            assert_eq!(CardKind::from_number(kind.number()), kind);
        }
        assert_eq!(CardKind::from_number(9), CardKind::Link);
    }
}
