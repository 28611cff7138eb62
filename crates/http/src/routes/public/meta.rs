//! Metadata of a page for link previews (Open Graph, <https://ogp.me/>, and the Twitter cards for
//! what it lacks) and for search engines.

use siskin_entities::{Account, MediaAttachment, StatusBody, Urls};
use siskin_services::public::is_indexed;
use siskin_text::html_to_text;

use super::view::{self, Person};

/// Maximum length of a description, in characters.
const MAX_DESCRIPTION_CHARS: usize = 200;

/// The metadata in the head of a page.
#[derive(Debug)]
pub(super) struct Meta {
    /// Canonical address of the page.
    pub(super) canonical: String,
    /// Type of the page: `profile`, `article` or `website`.
    pub(super) kind: &'static str,
    pub(super) title: String,
    pub(super) description: String,
    /// Address of the image; empty if there is none.
    pub(super) image: String,
    /// Alternative text of the image, if its author wrote one.
    pub(super) image_description: String,
    /// Type of the card: a small image beside the text, or a large one above it.
    pub(super) card: &'static str,
    /// User name, for profiles only.
    pub(super) username: Option<String>,
    /// Time of publication and address of the oEmbed data, for statuses only.
    pub(super) published: Option<String>,
    pub(super) oembed: Option<String>,
    /// Id of the document for other servers at the same address; `None` if there is none.
    pub(super) document: Option<String>,
    /// `true` if search engines may index the page.
    pub(super) indexed: bool,
}

impl Meta {
    pub(super) fn of_profile(account: &Account, urls: &Urls) -> Self {
        let rendered = view::account(account, urls);
        let person = Person::of(&rendered, urls);
        let limited = account.state.silenced;
        Self {
            canonical: urls.profile(&account.username),
            kind: "profile",
            title: format!("{} ({})", person.name, person.handle),
            description: if limited { String::new() } else { excerpt(&rendered.snapshot.note) },
            image: person.avatar,
            image_description: String::new(),
            card: "summary",
            username: Some(format!("{}@{}", account.username, urls.domain())),
            published: None,
            oembed: None,
            document: None,
            indexed: is_indexed(account),
        }
    }

    /// Builds the metadata of a hashtag's page. It is not indexed, because some of its authors do
    /// not want to be in search engines.
    pub(super) fn of_tag(name: &str, site: &str, urls: &Urls) -> Self {
        Self {
            canonical: urls.tag(name),
            kind: "website",
            title: format!("#{name}"),
            description: format!("Public statuses with the hashtag #{name} on {site}"),
            image: String::new(),
            image_description: String::new(),
            card: "summary",
            username: None,
            published: None,
            oembed: None,
            document: None,
            indexed: false,
        }
    }

    /// Builds the metadata of a page about the instance.
    pub(super) fn of_page(canonical: String, title: impl Into<String>, description: &str) -> Self {
        Self {
            canonical,
            kind: "website",
            title: title.into(),
            description: shortened(description),
            image: String::new(),
            image_description: String::new(),
            card: "summary",
            username: None,
            published: None,
            oembed: None,
            document: None,
            indexed: true,
        }
    }

    pub(super) fn of_status(body: &StatusBody, urls: &Urls) -> Self {
        let canonical = urls.status(&body.account.username, body.id);
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("url", &canonical)
            .append_pair("format", "json")
            .finish();
        let profile = Self::of_profile(&body.account, urls);
        let picture = picture(body);
        let image = picture.and_then(|picture| picture.preview.as_deref());
        Self {
            image: image.map_or(profile.image, |file| urls.file(file)),
            image_description: picture.map(|one| one.description.clone()).unwrap_or_default(),
            card: if image.is_some() { "summary_large_image" } else { profile.card },
            kind: "article",
            description: describe_status(body),
            username: None,
            published: Some(body.created_at.to_string()),
            oembed: Some(urls.page(&format!("/api/oembed?{query}"))),
            canonical,
            ..profile
        }
    }
}

/// Returns the image for the preview of a status: its first attachment with a picture, unless the
/// author hid them.
fn picture(body: &StatusBody) -> Option<&MediaAttachment> {
    let is_open = !body.is_sensitive() && body.source.spoiler_text.is_empty();
    body.attachments.iter().find(|media| media.preview.is_some()).filter(|_| is_open)
}

/// Returns the text of a status, or the content warning if it has one.
pub(super) fn describe_status(body: &StatusBody) -> String {
    if !body.source.spoiler_text.is_empty() {
        return shortened(&body.source.spoiler_text);
    }
    excerpt(&body.content)
}

/// Returns the beginning of the text in HTML, in one line.
fn excerpt(html: &str) -> String {
    shortened(&html_to_text(html))
}

fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_DESCRIPTION_CHARS) {
        None => line,
        Some((end, _)) => {
            let cut = &line[..end];
            let words = cut.rsplit_once(' ').map_or(cut, |(words, _)| words);
            format!("{words}…")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_one_short_line() {
        assert_eq!(excerpt("<p>One<br>two &amp; three</p><p>four</p>"), "One two & three four");
        let long = shortened(&"twelve bytes ".repeat(40));
        assert!(
            long.ends_with("bytes…") && long.chars().count() <= MAX_DESCRIPTION_CHARS + 1,
            "{long}"
        );
        assert_eq!(shortened(&"é".repeat(300)).chars().count(), MAX_DESCRIPTION_CHARS + 1);
    }
}
