//! Protection of parts of a text that a translation must not change.
//!
//! Links (including mentions and hashtags), code and custom emojis are sent as marked elements that
//! translators do not change. Afterwards, this module restores the original pieces, even if the
//! translator changed the content of these elements. The translated words are treated like any
//! foreign HTML, and links in them are dropped. So a translator can only add words and plain
//! elements. This module does not know the translation service.

use std::fmt::Write as _;

use crate::{
    element::Element,
    html_text::html_to_text,
    markup::{PROTECTED, read_html_with_protected},
    render::{escape, render},
    sanitise::Nowhere,
    shortcode::replace_shortcodes,
    token::Token,
};

/// Delimiters of the number of a piece in the translated text. They are private-use characters
/// without meaning in any text. A text that contains them can only move a piece.
const MARKS: [char; 2] = ['\u{E000}', '\u{E001}'];

/// Maximum number of characters of a piece that the translator sees: enough to build a sentence
/// around it.
const MAX_SHOWN_CHARS: usize = 100;

/// Text that is ready for translation.
///
/// ```
/// use siskin_text::ProtectedText;
///
/// let html = "<p>Hello <a href=\"https://x.example\">x.example</a> :cat:</p>";
/// let sheltered = ProtectedText::of_html(html, |name| name == "cat");
/// let translated = sheltered.html().replace("Hello", "Hallo").replace("x.example", "evil");
/// assert_eq!(sheltered.restore(&translated).as_deref(), Some(&*html.replace("Hello", "Hallo")));
/// assert_eq!(sheltered.restore("<p>Hallo</p>"), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtectedText {
    original: String,
    html: String,
    /// Protected pieces, in order.
    protected: Vec<String>,
    is_plain: bool,
}

impl ProtectedText {
    /// Protects HTML that this crate rendered. `is_emoji` tells which shortcodes are custom emojis.
    pub fn of_html(html: &str, is_emoji: impl Fn(&str) -> bool) -> Self {
        let mut protector = Protector::default();
        protector.html(html, &is_emoji);
        Self {
            original: html.to_owned(),
            html: protector.html,
            protected: protector.protected,
            is_plain: false,
        }
    }

    /// Protects a plain text with its line breaks.
    pub fn of_text(text: &str, is_emoji: impl Fn(&str) -> bool) -> Self {
        let mut protector = Protector::default();
        protector.text(&escape(text).replace('\n', "<br>"), &is_emoji);
        Self {
            original: text.to_owned(),
            html: protector.html,
            protected: protector.protected,
            is_plain: true,
        }
    }

    /// Returns the HTML to send.
    #[must_use]
    pub fn html(&self) -> &str {
        &self.html
    }

    /// Returns the original text.
    #[must_use]
    pub fn original(&self) -> &str {
        &self.original
    }

    /// Returns `true` if there is anything to translate: a letter outside of the protected pieces.
    #[must_use]
    pub fn has_text(&self) -> bool {
        let tokens = read_html_with_protected(&self.html);
        tokens.iter().any(|token| match token {
            Token::Text(text) => text.chars().any(char::is_alphabetic),
            _ => false,
        })
    }

    /// Returns the sanitised translation with every protected piece restored exactly once. Returns
    /// `None` if a piece is missing. A plain text stays plain.
    #[must_use]
    pub fn restore(&self, translated: &str) -> Option<String> {
        let tokens = without_links(read_html_with_protected(translated));
        let text = if self.is_plain { plain_text(&tokens) } else { render(&tokens, &Nowhere) };
        restore_pieces(&text, &self.protected)
    }
}

/// Builder of the HTML to send.
#[derive(Debug, Default)]
struct Protector {
    html: String,
    protected: Vec<String>,
}

impl Protector {
    fn html(&mut self, html: &str, is_emoji: &impl Fn(&str) -> bool) {
        let mut rest = html;
        while !rest.is_empty() {
            let (length, part) = next_part(rest);
            let (now, after) = rest.split_at(length);
            match part {
                Part::Protected => self.protect(now),
                Part::Tag => self.html.push_str(now),
                Part::Text => self.text(now, is_emoji),
            }
            rest = after;
            // Preformatted content is protected inside its tags, so that the block stays in place.
            if now == "<pre>" {
                let (inside, after) = rest.split_at(rest.find("</pre>").unwrap_or(rest.len()));
                self.protect(inside);
                rest = after;
            }
        }
    }

    /// Adds text of an HTML document.
    fn text(&mut self, text: &str, is_emoji: &impl Fn(&str) -> bool) {
        let emojis = std::cell::RefCell::new(std::mem::take(&mut self.protected));
        self.html += &replace_shortcodes(text, |name| {
            is_emoji(name).then(|| {
                let mut protected = emojis.borrow_mut();
                protected.push(format!(":{name}:"));
                marked(protected.len() - 1, &format!(":{name}:"))
            })
        });
        self.protected = emojis.into_inner();
    }

    fn protect(&mut self, html: &str) {
        let shown: String = html_to_text(html).chars().take(MAX_SHOWN_CHARS).collect();
        self.html += &marked(self.protected.len(), &escape(&shown));
        self.protected.push(html.to_owned());
    }
}

/// Returns the placeholder element of a piece.
fn marked(number: usize, shown: &str) -> String {
    format!(r#"<span class="notranslate" translate="no" {PROTECTED}="{number}">{shown}</span>"#)
}

enum Part {
    Protected,
    Tag,
    Text,
}

/// Returns the length of the first part of HTML that this crate rendered, and its kind.
fn next_part(html: &str) -> (usize, Part) {
    let wholes =
        [(r#"<span class="h-card"><a "#, "</a></span>"), ("<a ", "</a>"), ("<code>", "</code>")];
    for (begin, end) in wholes {
        if html.starts_with(begin)
            && let Some(at) = html.find(end)
        {
            return (at + end.len(), Part::Protected);
        }
    }
    if html.starts_with('<') {
        (html.find('>').map_or(html.len(), |end| end + 1), Part::Tag)
    } else {
        (html.find('<').unwrap_or(html.len()), Part::Text)
    }
}

fn without_links(tokens: Vec<Token>) -> Vec<Token> {
    let mut stays = Vec::new();
    let mut protected = tokens;
    protected.retain(|token| match token {
        Token::Open(element) => {
            stays.push(!matches!(element, Element::Link { .. }));
            stays.last() == Some(&true)
        }
        Token::Close => stays.pop().unwrap_or_default(),
        _ => true,
    });
    protected
}

fn plain_text(tokens: &[Token]) -> String {
    let mut text = String::new();
    for token in tokens {
        match token {
            Token::Text(piece) | Token::Code(piece) => text.push_str(piece),
            Token::LineBreak => text.push('\n'),
            Token::Open(element) if element.is_block() && !text.is_empty() => text.push('\n'),
            _ => {}
        }
    }
    text
}

/// Restores each piece at the first occurrence of its number, and drops later occurrences.
fn restore_pieces(text: &str, protected: &[String]) -> Option<String> {
    let mut missing: Vec<Option<&String>> = protected.iter().map(Some).collect();
    let mut pieces = text.split(MARKS[0]);
    let mut whole = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let Some((number, after)) = piece.split_once(MARKS[1]) else {
            whole.push_str(piece);
            continue;
        };
        let number: Option<usize> = number.parse().ok();
        if let Some(original) = number.and_then(|number| missing.get_mut(number)?.take()) {
            whole.push_str(original);
        }
        whole.push_str(after);
    }
    missing.iter().all(Option::is_none).then_some(whole)
}

/// Returns the marker of a piece, used while a translation is parsed.
pub(crate) fn mark(number: &str) -> String {
    let mut mark = String::new();
    // Writing to a string cannot fail.
    let _ = write!(mark, "{}{number}{}", MARKS[0], MARKS[1]);
    mark
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContentType, Handle, Hashtag, Links, MentionLink, parse, parse_as};

    struct Town;

    impl Links for Town {
        fn mention(&self, handle: &Handle) -> Option<MentionLink> {
            let shown = handle.username.clone();
            Some(MentionLink { url: format!("https://town.example/@{shown}"), shown })
        }

        fn hashtag(&self, hashtag: &Hashtag) -> String {
            format!("https://town.example/tags/{}", hashtag.name)
        }
    }

    fn is_emoji(name: &str) -> bool {
        name == "cat"
    }

    #[test]
    fn protected_pieces_are_restored_and_the_rest_is_translated() {
        let typed = "Hello @bob and #birds :cat: & 1 < 2\nhttps://www.a.example/hello?a&b";
        let html = render(&parse(typed), &Town);
        let sheltered = ProtectedText::of_html(&html, is_emoji);
        assert_eq!(sheltered.html().matches("translate=\"no\"").count(), 4);
        assert_eq!(sheltered.restore(sheltered.html()), Some(html.clone()));
        let shouted = sheltered.html().replace("Hello", "HELLO").replace("hello?a", "SPAM");
        assert_eq!(sheltered.restore(&shouted), Some(html.replace("Hello", "HELLO")));
        let moved = sheltered.html().replace(" and ", " ").replace("Hello ", "");
        assert!(sheltered.restore(&moved).is_some_and(|html| html.contains("/@bob")));
    }

    #[test]
    fn elements_and_code_are_restored() {
        let typed =
            "# Title\n\n- one `let x` :cat:\n- **two**\n\n```\nfn main() {}\n\nlet a\n```\n";
        let html = render(&parse_as(typed, ContentType::Markdown), &Town);
        assert!(html.contains("<pre>"), "{html}");
        let sheltered = ProtectedText::of_html(&html, is_emoji);
        assert_eq!(sheltered.restore(sheltered.html()), Some(html.clone()));
        let spoilt = sheltered.html().replace("let", "lassen").replace("main", "haupt");
        assert_eq!(sheltered.restore(&spoilt), Some(html));
    }

    #[test]
    fn a_translator_can_add_only_words_and_plain_elements() {
        let sheltered = ProtectedText::of_html("<p>Hello :cat:</p>", is_emoji);
        let protected = marked(0, "");
        for (came, cleaned) in [
            (format!("<p>Hallo {protected}<script>alert(1)</script>"), "<p>Hallo :cat:</p>"),
            (format!("{protected}<img src=x onerror=alert(1)>"), "<p>:cat:</p>"),
            (format!("<a href='https://evil.example'>Hallo</a> {protected}"), "<p>Hallo :cat:</p>"),
            (format!("<p onclick=x style=y>{protected}<b>!</b>"), "<p>:cat:<b>!</b></p>"),
            (format!("{protected}{protected}&#xE000;0&#xE001;"), "<p>:cat:</p>"),
            (format!("{protected}&#xE000;7&#xE001;\u{E000}x"), "<p>:cat:x</p>"),
        ] {
            assert_eq!(sheltered.restore(&came).as_deref(), Some(cleaned), "{came}");
        }
        for lost in ["", "<p>Hallo</p>", "<p>Hallo :cat:</p>", "<span data-kept=\"1\">x</span>"] {
            assert_eq!(sheltered.restore(lost), None, "{lost}");
        }
    }

    #[test]
    fn a_repeated_piece_is_restored_once() {
        let link = format!("<p><a href=\"https://a.example/{}\">a</a></p>", "x".repeat(10_000));
        let sheltered = ProtectedText::of_html(&link, is_emoji);
        let came = marked(0, "").repeat(10_000);
        assert_eq!(sheltered.restore(&came).map(|html| html.len()), Some(link.len()));
    }

    #[test]
    fn plain_texts_stay_plain() {
        let typed = "One & <two>\nthree :cat: :dog:";
        let sheltered = ProtectedText::of_text(typed, is_emoji);
        assert_eq!(sheltered.restore(sheltered.html()).as_deref(), Some(typed));
        let came = sheltered.html().replace("three", "<b>drei</b><script>x</script>");
        assert_eq!(sheltered.restore(&came).as_deref(), Some("One & <two>\ndrei :cat: :dog:"));
        assert_eq!(ProtectedText::of_text("a", is_emoji).restore("a &lt;b&gt;").unwrap(), "a <b>");
    }

    #[test]
    fn texts_without_words_are_not_sent() {
        for html in ["", "<p>:cat: 1 + 1!</p>", "<p><a href=\"https://a.example\">a</a></p>"] {
            assert!(!ProtectedText::of_html(html, is_emoji).has_text(), "{html}");
        }
        assert!(ProtectedText::of_html("<p>:cat: é</p>", is_emoji).has_text());
        assert!(ProtectedText::of_text(":dog:", is_emoji).has_text());
        assert!(!ProtectedText::of_text(":cat:", is_emoji).has_text());
    }

    #[test]
    fn damaged_html_does_no_harm() {
        for html in ["<a href=\"x", "<pre>x", "<", "<code>x", "&amp", "</span>"] {
            let sheltered = ProtectedText::of_html(html, is_emoji);
            let _ = sheltered.restore(sheltered.html());
        }
    }
}
