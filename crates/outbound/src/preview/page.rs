//! What stands in the head of a page.

use std::collections::HashMap;

use url::Url;

use super::words::web;
use crate::html::{self, Piece, Tag, attribute, has_word};

/// More of a value, in bytes, is of no use to anybody.
const LONGEST_VALUE: usize = 16 << 10;

/// Names of `meta` that are kept of one page.
const MAX_METAS: usize = 256;

/// A page, as far as previews are made of it.
#[derive(Debug)]
pub(super) struct Page {
    /// Where it came from.
    pub(super) url: Url,
    /// The text of its first `title`.
    pub(super) title: String,
    /// Where it says that it lies, anywhere.
    pub(super) canonical: Option<Url>,
    /// Where oEmbed tells more of it, as JSON.
    pub(super) oembed: Option<Url>,
    pub(super) image: Option<Url>,
    /// What each `meta` says first.
    metas: HashMap<String, String>,
}

impl Page {
    /// Reads a page that came from `url`.
    pub(super) fn read(html: &str, url: &Url) -> Self {
        let mut reader = Reader { page: Self::empty(url), title: Title::Awaited };
        html::read(html, |piece| reader.see(&piece));
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

    /// What the first of these names says that says anything; else nothing.
    pub(super) fn meta(&self, names: &[&str]) -> &str {
        names.iter().find_map(|name| self.metas.get(*name)).map_or("", String::as_str)
    }
}

/// Whether the title has come.
enum Title {
    Awaited,
    Open,
    Over,
}

struct Reader {
    page: Page,
    title: Title,
}

impl Reader {
    fn see(&mut self, piece: &Piece<'_>) {
        match piece {
            Piece::Begin(tag) => self.begin(tag),
            Piece::Text(text) => {
                if matches!(self.title, Title::Open) && self.page.title.len() < LONGEST_VALUE {
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

    /// Open Graph names things by `property`, others by `name`, and not all pages know that.
    fn meta(&mut self, tag: &Tag) {
        let name = attribute(tag, "property").or_else(|| attribute(tag, "name"));
        let (Some(name), Some(value)) = (name, attribute(tag, "content")) else { return };
        if value.trim().is_empty() || value.len() > LONGEST_VALUE {
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
        let says = |rel: &str| has_word(tag, "rel", rel);
        let is_oembed = attribute(tag, "type")
            .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json+oembed"));
        let place = if says("canonical") {
            canonical
        } else if is_oembed && (says("alternate") || says("alternative")) {
            oembed
        } else if says("image_src") {
            image
        } else {
            return;
        };
        if place.is_none() {
            *place = web(url, target);
        }
    }
}

fn is_of_use(name: &str) -> bool {
    ["og:", "article:", "twitter:"].iter().any(|prefix| name.starts_with(prefix))
        || matches!(name, "description" | "author")
}
