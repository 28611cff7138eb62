//! The elements that a text can be made of: those that every client of the network shows.
//!
//! There is no other: whatever was typed or fetched, what is rendered is made of these.

use crate::render::escape;
use std::fmt::Write as _;

/// An element of HTML with the attributes that it keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Element {
    /// `p`
    Paragraph,
    /// `blockquote`
    Quote,
    /// `pre`
    Preformatted,
    /// `ul`
    BulletList,
    /// `ol`
    NumberedList {
        /// The number of its first item, if that is not 1.
        start: Option<i32>,
        /// Whether it counts down.
        reversed: bool,
    },
    /// `li`
    Item {
        /// Its number, where it does not follow from the items before.
        value: Option<i32>,
    },
    /// `a`, whose label was written out.
    Link {
        /// Where it leads, by a scheme of [`crate::parse`].
        href: String,
        /// Classes that are allowed, separated by blanks.
        class: String,
    },
    /// `span`
    Span {
        /// Classes that are allowed, separated by blanks; not empty.
        class: String,
    },
    /// `code`
    Code,
    /// `em`
    Emphasis,
    /// `strong`
    Strong,
    /// `b`
    Bold,
    /// `i`
    Italic,
    /// `u`
    Underlined,
    /// `del`
    Deleted,
}

impl Element {
    /// The name of its tags.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Paragraph => "p",
            Self::Quote => "blockquote",
            Self::Preformatted => "pre",
            Self::BulletList => "ul",
            Self::NumberedList { .. } => "ol",
            Self::Item { .. } => "li",
            Self::Link { .. } => "a",
            Self::Span { .. } => "span",
            Self::Code => "code",
            Self::Emphasis => "em",
            Self::Strong => "strong",
            Self::Bold => "b",
            Self::Italic => "i",
            Self::Underlined => "u",
            Self::Deleted => "del",
        }
    }

    /// Whether it begins on a line of its own.
    pub(crate) const fn is_block(&self) -> bool {
        matches!(
            self,
            Self::Paragraph
                | Self::Quote
                | Self::Preformatted
                | Self::BulletList
                | Self::NumberedList { .. }
                | Self::Item { .. }
        )
    }

    pub(crate) const fn is_list(&self) -> bool {
        matches!(self, Self::BulletList | Self::NumberedList { .. })
    }

    /// Its opening tag.
    pub(crate) fn opening(&self) -> String {
        let mut tag = format!("<{}", self.name());
        let mut attribute = |name: &str, value: &str| {
            // Writing to a string cannot fail.
            let _ = write!(tag, " {name}=\"{}\"", escape(value));
        };
        match self {
            Self::Link { href, class } => {
                attribute("href", href);
                if !class.is_empty() {
                    attribute("class", class);
                }
                attribute("rel", "nofollow noopener");
            }
            Self::Span { class } => attribute("class", class),
            Self::NumberedList { start, reversed } => {
                start.iter().for_each(|start| attribute("start", &start.to_string()));
                if *reversed {
                    attribute("reversed", "reversed");
                }
            }
            Self::Item { value } => {
                value.iter().for_each(|value| attribute("value", &value.to_string()));
            }
            _ => {}
        }
        tag.push('>');
        tag
    }

    /// Its closing tag.
    pub(crate) fn closing(&self) -> String {
        format!("</{}>", self.name())
    }
}

/// Of the classes of an element those that mean something to clients: the names of microformats,
/// and those by which clients know mentions, hashtags and shortened links.
pub(crate) fn allowed_classes(classes: &str) -> String {
    let known = ["mention", "hashtag", "ellipsis", "invisible"];
    let prefixes = ["h-", "p-", "u-", "dt-", "e-"];
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    let is_allowed = |class: &&str| {
        known.contains(class)
            || (prefixes.iter().any(|prefix| class.starts_with(prefix))
                && class.bytes().all(is_plain))
    };
    let kept: Vec<&str> = classes.split_ascii_whitespace().filter(is_allowed).collect();
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_written_escaped() {
        let link = Element::Link { href: "https://x/?a&\"b".to_owned(), class: String::new() };
        assert_eq!(
            link.opening(),
            r#"<a href="https://x/?a&amp;&quot;b" rel="nofollow noopener">"#
        );
        let list = Element::NumberedList { start: Some(-3), reversed: true };
        assert_eq!(list.opening(), r#"<ol start="-3" reversed="reversed">"#);
        assert_eq!(Element::Item { value: Some(2) }.opening(), r#"<li value="2">"#);
        assert_eq!(Element::Deleted.opening() + &Element::Deleted.closing(), "<del></del>");
    }

    #[test]
    fn classes_that_clients_know_are_kept() {
        let typed = "mention u-url evil  h-card\nstatus__content p- e-\"x hashtag";
        assert_eq!(allowed_classes(typed), "mention u-url h-card p- hashtag");
    }
}
