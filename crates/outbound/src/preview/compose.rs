//! Combines all metadata of a page into one preview. oEmbed takes precedence, then Open Graph,
//! Twitter cards and plain HTML.

use siskin_entities::{CardKind, PreviewCard, Timestamp};
use time::{
    Date, OffsetDateTime,
    format_description::well_known::{Iso8601, Rfc3339},
};
use url::Url;

use super::{
    Preview,
    oembed::OEmbed,
    page::Page,
    sanitize::{DESCRIPTION, NAME, TITLE, line, pixels, secure, web},
};

/// Returns `None` if there is neither a title nor embeddable content.
pub(super) fn compose(page: &Page, oembed: Option<OEmbed>) -> Option<Preview> {
    let oembed = oembed.unwrap_or_default();
    let embedded = Embedded::of(page, &oembed);
    let title = first([&oembed.title, page.meta(&["og:title", "twitter:title"]), &page.title]);
    let title = line(title, TITLE);
    if title.is_empty() && embedded.kind == CardKind::Link {
        return None;
    }
    let author_meta = page.meta(&["article:author", "og:article:author"]);
    let author_page = if author_meta.contains("://") { web(&page.url, author_meta) } else { None };
    let author = first([
        &oembed.author_name,
        page.meta(&["author"]),
        if author_meta.contains("://") { "" } else { author_meta },
    ]);
    let card = PreviewCard {
        url: address(page),
        kind: embedded.kind,
        title,
        description: line(
            page.meta(&["og:description", "twitter:description", "description"]),
            DESCRIPTION,
        ),
        author_name: line(author, NAME),
        author_url: oembed
            .author_url
            .clone()
            .or(author_page)
            .map_or_else(String::new, String::from),
        provider_name: line(first([&oembed.provider_name, page.meta(&["og:site_name"])]), NAME),
        provider_url: oembed.provider_url.clone().map_or_else(String::new, String::from),
        embed_url: embedded.url.map_or_else(String::new, String::from),
        width: embedded.size.0,
        height: embedded.size.1,
        image: None,
        is_article: page.meta(&["og:type"]).trim().eq_ignore_ascii_case("article"),
        published_at: published_at(
            page.meta(&["article:published_time", "og:article:published_time"]).trim(),
        ),
    };
    Some(Preview { card, image: image(page, &oembed) })
}

/// Returns the first text that is not blank.
fn first<const N: usize>(texts: [&str; N]) -> &str {
    texts.into_iter().find(|text| !text.trim().is_empty()).unwrap_or_default()
}

/// Returns the URL that the page declares for itself, if it is on the host of the page. Otherwise a
/// page could present a link to another site as its own. A page that declares the front page of its
/// site does so by mistake.
fn address(page: &Page) -> String {
    let by_graph = web(&page.url, page.meta(&["og:url"]));
    let named = [page.canonical.clone(), by_graph].into_iter().flatten();
    let is_front = |url: &Url| url.path() == "/" && url.query().is_none();
    let is_own =
        |url: &Url| url.host() == page.url.host() && (!is_front(url) || is_front(&page.url));
    let mut own = named.filter(is_own);
    own.next().unwrap_or_else(|| page.url.clone()).into()
}

fn image(page: &Page, oembed: &OEmbed) -> Option<Url> {
    let photo = oembed.embed.clone().filter(|_| oembed.kind == CardKind::Photo);
    let names =
        ["og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src"];
    let named = names.iter().find_map(|name| web(&page.url, page.meta(&[name])));
    photo.or(named).or_else(|| oembed.thumbnail.clone()).or_else(|| page.image.clone())
}

/// Content beyond a plain link.
#[derive(Debug, Default)]
struct Embedded {
    kind: CardKind,
    url: Option<Url>,
    size: (u32, u32),
}

impl Embedded {
    fn of(page: &Page, oembed: &OEmbed) -> Self {
        if oembed.embed.is_some() {
            return Self { kind: oembed.kind, url: oembed.embed.clone(), size: oembed.size };
        }
        let size = |width, height| (pixels(page.meta(&[width])), pixels(page.meta(&[height])));
        let player = secure(&page.url, page.meta(&["twitter:player"]))
            .map(|url| (url, size("twitter:player:width", "twitter:player:height")));
        let is_page = page.meta(&["og:video:type"]).trim().eq_ignore_ascii_case("text/html");
        let video = || {
            secure(&page.url, page.meta(&["og:video:secure_url", "og:video:url", "og:video"]))
                .filter(|_| is_page)
                .map(|url| (url, size("og:video:width", "og:video:height")))
        };
        player.or_else(video).map_or_else(Self::default, |(url, size)| Self {
            kind: CardKind::Video,
            url: Some(url),
            size,
        })
    }
}

/// Parses a time or a date as pages write it. Times before 1970 are ignored.
fn published_at(text: &str) -> Option<Timestamp> {
    let day = || Date::parse(text, &Iso8601::DATE).ok().map(|day| day.midnight().assume_utc());
    let time = OffsetDateTime::parse(text, &Rfc3339)
        .or_else(|_| OffsetDateTime::parse(text, &Iso8601::DEFAULT))
        .ok()
        .or_else(day)?;
    let seconds = time.unix_timestamp();
    (seconds >= 0).then(|| Timestamp::from_unix_ms(seconds * 1000))
}
