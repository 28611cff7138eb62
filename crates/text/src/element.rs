//! HTML elements that a text can contain: those that every client of the network shows.
//!
//! Rendered text contains no other elements, whether it was typed or fetched. Clients recognise
//! mentions and hashtags by class. So classes come from [`crate::render()`], or from a server that
//! linked the names of its own users; typed elements have none.

use crate::render::escape;
use std::fmt::Write as _;

/// HTML element with the attributes that are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Element {
    /// `p`
    Paragraph,
    /// `p` of class `quote-inline`: the link above the text of a quote. Only HTML of other servers
    /// has it.
    QuoteLink,
    /// `h1` to `h6`. Only documents have headings; in statuses they are bold paragraphs.
    Heading {
        /// Rank of the heading, from 1 to 6.
        level: u8,
    },
    /// `blockquote`
    Quote,
    /// `pre`
    Preformatted,
    /// `ul`
    BulletList,
    /// `ol`
    NumberedList {
        /// Number of the first item, if it is not 1.
        start: Option<i32>,
        /// Whether the items count down.
        reversed: bool,
    },
    /// `li`
    Item {
        /// Number of the item, if it does not follow from the items before.
        value: Option<i32>,
    },
    /// `a` with a label that differs from its address.
    Link {
        /// Target, with a scheme that [`crate::parse()`] accepts.
        href: String,
        /// Classes with blanks between them; empty if there are none. Only HTML of other servers
        /// has them.
        classes: String,
    },
    /// `span`. Only HTML of other servers has it.
    Span {
        /// Classes with blanks between them; empty if there are none.
        classes: String,
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
    /// Returns the tag name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Paragraph | Self::QuoteLink => "p",
            Self::Heading { level: 0 | 1 } => "h1",
            Self::Heading { level: 2 } => "h2",
            Self::Heading { level: 3 } => "h3",
            Self::Heading { level: 4 } => "h4",
            Self::Heading { level: 5 } => "h5",
            Self::Heading { .. } => "h6",
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

    /// Returns `true` for block elements, which begin on a new line.
    #[cfg(feature = "html")]
    pub(crate) const fn is_block(&self) -> bool {
        matches!(
            self,
            Self::Paragraph
                | Self::QuoteLink
                | Self::Heading { .. }
                | Self::Quote
                | Self::Preformatted
                | Self::BulletList
                | Self::NumberedList { .. }
                | Self::Item { .. }
        )
    }

    #[cfg(feature = "html")]
    pub(crate) const fn is_list(&self) -> bool {
        matches!(self, Self::BulletList | Self::NumberedList { .. })
    }

    /// Returns `true` if clients do not show what the element contains.
    #[cfg(feature = "html")]
    pub(crate) fn is_invisible(&self) -> bool {
        matches!(self, Self::Span { classes } if has_class(classes, "invisible"))
    }

    /// Returns the opening tag.
    pub(crate) fn opening(&self) -> String {
        let mut tag = format!("<{}", self.name());
        let mut attribute = |name: &str, value: &str| {
            // Writing to a string cannot fail.
            let _ = write!(tag, " {name}=\"{}\"", escape(value));
        };
        match self {
            Self::Link { href, classes } => {
                attribute("href", href);
                if !classes.is_empty() {
                    attribute("class", classes);
                }
                attribute("rel", "nofollow noopener");
            }
            Self::Span { classes } if !classes.is_empty() => attribute("class", classes),
            Self::QuoteLink => attribute("class", "quote-inline"),
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

    /// Returns the closing tag.
    pub(crate) fn closing(&self) -> String {
        format!("</{}>", self.name())
    }
}

/// Returns `true` if one of the classes is `name`.
#[cfg(feature = "html")]
pub(crate) fn has_class(classes: &str, name: &str) -> bool {
    classes.split(' ').any(|class| class == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_written_escaped() {
        let link = Element::Link { href: "https://x/?a&\"b".to_owned(), classes: String::new() };
        assert_eq!(
            link.opening(),
            r#"<a href="https://x/?a&amp;&quot;b" rel="nofollow noopener">"#
        );
        let list = Element::NumberedList { start: Some(-3), reversed: true };
        assert_eq!(list.opening(), r#"<ol start="-3" reversed="reversed">"#);
        assert_eq!(Element::Item { value: Some(2) }.opening(), r#"<li value="2">"#);
        let mention =
            Element::Link { href: "https://x".to_owned(), classes: "u-url \"".to_owned() };
        assert_eq!(
            mention.opening(),
            r#"<a href="https://x" class="u-url &quot;" rel="nofollow noopener">"#
        );
        let span = |classes: &str| Element::Span { classes: classes.to_owned() }.opening();
        assert_eq!([span(""), span("h-card")], ["<span>", "<span class=\"h-card\">"]);
        assert_eq!(Element::QuoteLink.opening(), "<p class=\"quote-inline\">");
        assert_eq!(Element::Deleted.opening() + &Element::Deleted.closing(), "<del></del>");
        let heading = |level| Element::Heading { level }.opening();
        assert_eq!([heading(1), heading(2), heading(6)], ["<h1>", "<h2>", "<h6>"]);
    }
}
