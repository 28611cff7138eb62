//! Metadata in the head of a page.

use std::collections::HashMap;

use url::Url;

use super::sanitize::web;
use crate::html::{self, Piece, Tag, attribute, has_word};

/// Maximum length of a useful value, in bytes.
const MAX_VALUE_BYTES: usize = 16 << 10;

/// Maximum number of `meta` names kept per page.
const MAX_METAS: usize = 256;

/// Metadata of a page that previews need.
#[derive(Debug)]
pub(super) struct Page {
    /// URL of the page.
    pub(super) url: Url,
    /// Text of the first `title` element.
    pub(super) title: String,
    /// Canonical URL that the page declares, on any host.
    pub(super) canonical: Option<Url>,
    /// URL of the oEmbed document in JSON.
    pub(super) oembed: Option<Url>,
    pub(super) image: Option<Url>,
    /// First value of each `meta` name.
    metas: HashMap<String, String>,
}

impl Page {
    /// Parses a page that was fetched from `url`.
    pub(super) fn read(html: &str, url: &Url) -> Self {
        let mut reader = PageReader { page: Self::empty(url), title: Title::Awaited };
        html::read(html, |piece| reader.visit(&piece));
        reader.page
    }

    fn empty(url: &Url) -> Self {
        Self {
            url: url.clone(),
            title: String::new(),
            canonical: None,
            oembed: None,
            image: None,
            metas: HashMap::new(),
        }
    }

    /// Returns the value of the first of these names that has one, or an empty string.
    pub(super) fn meta(&self, names: &[&str]) -> &str {
        names.iter().find_map(|name| self.metas.get(*name)).map_or("", String::as_str)
    }
}

/// Whether the title was already read.
enum Title {
    Awaited,
    Open,
    Over,
}

struct PageReader {
    page: Page,
    title: Title,
}

impl PageReader {
    fn visit(&mut self, piece: &Piece<'_>) {
        match piece {
            Piece::Start(tag) => self.begin(tag),
            Piece::Text(text) => {
                if matches!(self.title, Title::Open) && self.page.title.len() < MAX_VALUE_BYTES {
                    self.page.title.push_str(text);
                }
            }
            Piece::End(name) => {
                if matches!(self.title, Title::Open) && *name == "title" {
                    self.title = Title::Over;
                }
            }
        }
    }

    fn begin(&mut self, tag: &Tag) {
        match tag.name.as_str() {
            "title" if matches!(self.title, Title::Awaited) => self.title = Title::Open,
            "meta" => self.meta(tag),
            "link" => self.link(tag),
            _ => {}
        }
    }

    /// Stores a `meta` value. Open Graph uses `property`, others use `name`, and pages mix up the
    /// two.
    fn meta(&mut self, tag: &Tag) {
        let name = attribute(tag, "property").or_else(|| attribute(tag, "name"));
        let (Some(name), Some(value)) = (name, attribute(tag, "content")) else { return };
        if value.trim().is_empty() || value.len() > MAX_VALUE_BYTES {
            return;
        }
        let name = name.trim().to_ascii_lowercase();
        if is_of_use(&name) && self.page.metas.len() < MAX_METAS {
            self.page.metas.entry(name).or_insert_with(|| value.to_owned());
        }
    }

    fn link(&mut self, tag: &Tag) {
        let Some(target) = attribute(tag, "href") else { return };
        let Page { url, canonical, oembed, image, .. } = &mut self.page;
        let has_rel = |rel: &str| has_word(tag, "rel", rel);
        let is_oembed = attribute(tag, "type")
            .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json+oembed"));
        let target_field = if has_rel("canonical") {
            canonical
        } else if is_oembed && (has_rel("alternate") || has_rel("alternative")) {
            oembed
        } else if has_rel("image_src") {
            image
        } else {
            return;
        };
        if target_field.is_none() {
            *target_field = web(url, target);
        }
    }
}

fn is_of_use(name: &str) -> bool {
    ["og:", "article:", "twitter:"].iter().any(|prefix| name.starts_with(prefix))
        || matches!(name, "description" | "author")
}
