//! Texts on their way through a translation: what must come back as it was is sheltered.
//!
//! Links (mentions and hashtags among them), code and custom emojis are sent as marked elements
//! that translators leave alone, and put back from here, whatever became of them on the way. The
//! words that come back are read as any HTML from elsewhere, and no link is taken from them, so
//! that a translator cannot add anything but words and plain elements. Nothing here knows who
//! translates.

use std::fmt::Write as _;

use crate::{
    element::Element,
    markup::{KEPT, read_html_with_kept},
    plain::html_to_text,
    render::{escape, render},
    sanitise::Nowhere,
    shortcode::replace_shortcodes,
    token::Token,
};

/// Around the number of a piece, where it stood: characters for private use, which mean nothing
/// in any text. Whoever writes them moves a piece and nothing else.
const MARKS: [char; 2] = ['\u{E000}', '\u{E001}'];

/// How much of a piece a translator is shown, in characters: enough to build a sentence around it.
const SHOWN: usize = 100;

/// A text that can be sent to be translated.
///
/// ```
/// use siskin_text::Sheltered;
///
/// let html = "<p>Hello <a href=\"https://x.example\">x.example</a> :cat:</p>";
/// let sheltered = Sheltered::of_html(html, |name| name == "cat");
/// let translated = sheltered.html().replace("Hello", "Hallo").replace("x.example", "evil");
/// assert_eq!(sheltered.restore(&translated).as_deref(), Some(&*html.replace("Hello", "Hallo")));
/// assert_eq!(sheltered.restore("<p>Hallo</p>"), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheltered {
    original: String,
    html: String,
    /// What was taken out, in order.
    kept: Vec<String>,
    is_plain: bool,
}

impl Sheltered {
    /// Of HTML that this crate rendered. `is_emoji` says which names between colons are those of
    /// custom emojis.
    pub fn of_html(html: &str, is_emoji: impl Fn(&str) -> bool) -> Self {
        let mut shelter = Shelter::default();
        shelter.html(html, &is_emoji);
        Self { original: html.to_owned(), html: shelter.html, kept: shelter.kept, is_plain: false }
    }

    /// Of a plain text, line breaks and all.
    pub fn of_text(text: &str, is_emoji: impl Fn(&str) -> bool) -> Self {
        let mut shelter = Shelter::default();
        shelter.text(&escape(text).replace('\n', "<br>"), &is_emoji);
        Self { original: text.to_owned(), html: shelter.html, kept: shelter.kept, is_plain: true }
    }

    /// What is sent, as HTML.
    #[must_use]
    pub fn html(&self) -> &str {
        &self.html
    }

    /// The text as it was.
    #[must_use]
    pub fn original(&self) -> &str {
        &self.original
    }

    /// Whether there is anything to translate: a letter that is not sheltered.
    #[must_use]
    pub fn has_words(&self) -> bool {
        let tokens = read_html_with_kept(&self.html);
        tokens.iter().any(|token| match token {
            Token::Text(text) => text.chars().any(char::is_alphabetic),
            _ => false,
        })
    }

    /// The text as it came back, cleaned, with everything that was sheltered in it once; None where
    /// something of that is missing. A plain text comes back plain.
    #[must_use]
    pub fn restore(&self, translated: &str) -> Option<String> {
        let tokens = without_links(read_html_with_kept(translated));
        let text = if self.is_plain { plain_text(&tokens) } else { render(&tokens, &Nowhere) };
        put_back(&text, &self.kept)
    }
}

/// Makes what is sent.
#[derive(Debug, Default)]
struct Shelter {
    html: String,
    kept: Vec<String>,
}

impl Shelter {
    fn html(&mut self, html: &str, is_emoji: &impl Fn(&str) -> bool) {
        let mut rest = html;
        while !rest.is_empty() {
            let (length, part) = next_part(rest);
            let (now, after) = rest.split_at(length);
            match part {
                Part::Kept => self.keep(now),
                Part::Tag => self.html.push_str(now),
                Part::Text => self.text(now, is_emoji),
            }
            rest = after;
            // What is preformatted is kept inside of its tags, where its block stands.
            if now == "<pre>" {
                let (inside, after) = rest.split_at(rest.find("</pre>").unwrap_or(rest.len()));
                self.keep(inside);
                rest = after;
            }
        }
    }

    /// Text of HTML.
    fn text(&mut self, text: &str, is_emoji: &impl Fn(&str) -> bool) {
        let emojis = std::cell::RefCell::new(std::mem::take(&mut self.kept));
        self.html += &replace_shortcodes(text, |name| {
            is_emoji(name).then(|| {
                let mut kept = emojis.borrow_mut();
                kept.push(format!(":{name}:"));
                marked(kept.len() - 1, &format!(":{name}:"))
            })
        });
        self.kept = emojis.into_inner();
    }

    fn keep(&mut self, html: &str) {
        let shown: String = html_to_text(html).chars().take(SHOWN).collect();
        self.html += &marked(self.kept.len(), &escape(&shown));
        self.kept.push(html.to_owned());
    }
}

/// The element that stands for a piece.
fn marked(number: usize, shown: &str) -> String {
    format!(r#"<span class="notranslate" translate="no" {KEPT}="{number}">{shown}</span>"#)
}

enum Part {
    Kept,
    Tag,
    Text,
}

/// The length of what HTML of this crate begins with, and what to do with it.
fn next_part(html: &str) -> (usize, Part) {
    let wholes =
        [(r#"<span class="h-card"><a "#, "</a></span>"), ("<a ", "</a>"), ("<code>", "</code>")];
    for (begin, end) in wholes {
        if html.starts_with(begin)
            && let Some(at) = html.find(end)
        {
            return (at + end.len(), Part::Kept);
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
    let mut kept = tokens;
    kept.retain(|token| match token {
        Token::Open(element) => {
            stays.push(!matches!(element, Element::Link { .. }));
            stays.last() == Some(&true)
        }
        Token::Close => stays.pop().unwrap_or_default(),
        _ => true,
    });
    kept
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

/// Each piece stands where it was named first, and nowhere else.
fn put_back(text: &str, kept: &[String]) -> Option<String> {
    let mut left: Vec<Option<&String>> = kept.iter().map(Some).collect();
    let mut pieces = text.split(MARKS[0]);
    let mut whole = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let Some((number, after)) = piece.split_once(MARKS[1]) else {
            whole.push_str(piece);
            continue;
        };
        let number: Option<usize> = number.parse().ok();
        if let Some(original) = number.and_then(|number| left.get_mut(number)?.take()) {
            whole.push_str(original);
        }
        whole.push_str(after);
    }
    left.iter().all(Option::is_none).then_some(whole)
}

/// What stands in the place of a piece while a translation is read.
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
    fn what_must_stay_comes_back_and_the_rest_as_it_was_translated() {
        let typed = "Hello @bob and #birds :cat: & 1 < 2\nhttps://www.a.example/hello?a&b";
        let html = render(&parse(typed), &Town);
        let sheltered = Sheltered::of_html(&html, is_emoji);
        assert_eq!(sheltered.html().matches("translate=\"no\"").count(), 4);
        assert_eq!(sheltered.restore(sheltered.html()), Some(html.clone()));
        let shouted = sheltered.html().replace("Hello", "HELLO").replace("hello?a", "SPAM");
        assert_eq!(sheltered.restore(&shouted), Some(html.replace("Hello", "HELLO")));
        let moved = sheltered.html().replace(" and ", " ").replace("Hello ", "");
        assert!(sheltered.restore(&moved).is_some_and(|html| html.contains("/@bob")));
    }

    #[test]
    fn elements_stay_and_code_is_left_alone() {
        let typed =
            "# Title\n\n- one `let x` :cat:\n- **two**\n\n```\nfn main() {}\n\nlet a\n```\n";
        let html = render(&parse_as(typed, ContentType::Markdown), &Town);
        assert!(html.contains("<pre>"), "{html}");
        let sheltered = Sheltered::of_html(&html, is_emoji);
        assert_eq!(sheltered.restore(sheltered.html()), Some(html.clone()));
        let spoilt = sheltered.html().replace("let", "lassen").replace("main", "haupt");
        assert_eq!(sheltered.restore(&spoilt), Some(html));
    }

    #[test]
    fn a_translator_adds_words_and_plain_elements_at_most() {
        let sheltered = Sheltered::of_html("<p>Hello :cat:</p>", is_emoji);
        let kept = marked(0, "");
        for (came, cleaned) in [
            (format!("<p>Hallo {kept}<script>alert(1)</script>"), "<p>Hallo :cat:</p>"),
            (format!("{kept}<img src=x onerror=alert(1)>"), "<p>:cat:</p>"),
            (format!("<a href='https://evil.example'>Hallo</a> {kept}"), "<p>Hallo :cat:</p>"),
            (format!("<p onclick=x style=y>{kept}<b>!</b>"), "<p>:cat:<b>!</b></p>"),
            (format!("{kept}{kept}&#xE000;0&#xE001;"), "<p>:cat:</p>"),
            (format!("{kept}&#xE000;7&#xE001;\u{E000}x"), "<p>:cat:x</p>"),
        ] {
            assert_eq!(sheltered.restore(&came).as_deref(), Some(cleaned), "{came}");
        }
        for lost in ["", "<p>Hallo</p>", "<p>Hallo :cat:</p>", "<span data-kept=\"1\">x</span>"] {
            assert_eq!(sheltered.restore(lost), None, "{lost}");
        }
    }

    #[test]
    fn a_piece_that_is_named_often_is_there_once() {
        let link = format!("<p><a href=\"https://a.example/{}\">a</a></p>", "x".repeat(10_000));
        let sheltered = Sheltered::of_html(&link, is_emoji);
        let came = marked(0, "").repeat(10_000);
        assert_eq!(sheltered.restore(&came).map(|html| html.len()), Some(link.len()));
    }

    #[test]
    fn plain_texts_come_back_plain() {
        let typed = "One & <two>\nthree :cat: :dog:";
        let sheltered = Sheltered::of_text(typed, is_emoji);
        assert_eq!(sheltered.restore(sheltered.html()).as_deref(), Some(typed));
        let came = sheltered.html().replace("three", "<b>drei</b><script>x</script>");
        assert_eq!(sheltered.restore(&came).as_deref(), Some("One & <two>\ndrei :cat: :dog:"));
        assert_eq!(Sheltered::of_text("a", is_emoji).restore("a &lt;b&gt;").unwrap(), "a <b>");
    }

    #[test]
    fn what_has_no_words_is_not_worth_sending() {
        for html in ["", "<p>:cat: 1 + 1!</p>", "<p><a href=\"https://a.example\">a</a></p>"] {
            assert!(!Sheltered::of_html(html, is_emoji).has_words(), "{html}");
        }
        assert!(Sheltered::of_html("<p>:cat: é</p>", is_emoji).has_words());
        assert!(Sheltered::of_text(":dog:", is_emoji).has_words());
        assert!(!Sheltered::of_text(":cat:", is_emoji).has_words());
    }

    #[test]
    fn damaged_html_does_no_harm() {
        for html in ["<a href=\"x", "<pre>x", "<", "<code>x", "&amp", "</span>"] {
            let sheltered = Sheltered::of_html(html, is_emoji);
            let _ = sheltered.restore(sheltered.html());
        }
    }
}
