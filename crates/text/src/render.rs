//! Rendering of texts as the HTML that clients expect.
//!
//! Only this module writes tags, and it escapes all typed text. The elements are `p`, `br`,
//! `span[class]` and `a[href rel class]`, and in texts with markup those of [`Element`]. So the
//! result passes the sanitiser of every client.

use crate::{
    element::Element,
    handle::Handle,
    hashtag::Hashtag,
    token::{Token, Url},
};

/// Resolver of names to URLs. Callers that know the accounts and page URLs implement it.
pub trait Links {
    /// Returns the link to the account, or `None` to leave the mention as text.
    fn mention(&self, handle: &Handle) -> Option<MentionLink>;
    /// Returns the URL of the page of a hashtag.
    fn hashtag(&self, hashtag: &Hashtag) -> String;
}

/// Link of a mention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MentionLink {
    /// URL of the account's page.
    pub url: String,
    /// Text after the `@`: the username, with the domain if the name alone is ambiguous.
    pub shown: String,
}

/// Renders a status or profile text. Plain text is split into paragraphs at blank lines, and other
/// line breaks are kept. Text with markup is rendered with its elements. White space alone gives an
/// empty string.
pub fn render(tokens: &[Token], links: &impl Links) -> String {
    if tokens.iter().any(|token| matches!(token, Token::Open(_))) {
        render_elements(tokens, links)
    } else {
        render_paragraphs(tokens, links)
    }
}

/// Renders tokens with elements. Every opened element is closed, in any order of tokens.
fn render_elements(tokens: &[Token], links: &impl Links) -> String {
    let mut html = String::new();
    let mut open: Vec<&Element> = Vec::new();
    for token in tokens {
        match token {
            Token::Open(element) => {
                html.push_str(&element.opening());
                open.push(element);
            }
            Token::Close => open.pop().iter().for_each(|it| html.push_str(&it.closing())),
            other => html.push_str(&render_token(other, links, Rel::Plain)),
        }
    }
    open.iter().rev().for_each(|element| html.push_str(&element.closing()));
    html
}

fn render_paragraphs(tokens: &[Token], links: &impl Links) -> String {
    let lines: Vec<String> = tokens
        .split(|token| *token == Token::LineBreak)
        .map(|line| render_line(line, links, Rel::Plain).trim_end().to_owned())
        .collect();
    let paragraphs = lines.split(|line| line.trim_start().is_empty());
    paragraphs
        .filter(|lines| !lines.is_empty())
        .map(|lines| format!("<p>{}</p>", lines.join("<br />")))
        .collect()
}

/// Start of the paragraph that [`render_quote_link`] writes.
pub(crate) const QUOTE_LINK: &str = r#"<p class="quote-inline">"#;

/// Renders the paragraph above the text of a quote: a link to the quoted status, for clients that do
/// not know quotes. Other clients hide it because of its class.
///
/// ```
/// let html = siskin_text::render_quote_link("https://a.example/1");
/// assert!(html.starts_with(r#"<p class="quote-inline">RE: <a href="https://a.example/1""#));
/// ```
pub fn render_quote_link(url: &str) -> String {
    let url = Url { href: url.to_owned(), typed: url.to_owned() };
    format!("{QUOTE_LINK}RE: {}</p>", render_url(&url, Rel::Plain))
}

/// Renders the value of a profile field on one line. Its links have `rel="me"`, which claims that
/// the target belongs to the account's owner.
pub fn render_field(tokens: &[Token], links: &impl Links) -> String {
    let lines = tokens.split(|token| *token == Token::LineBreak);
    let lines: Vec<String> = lines.map(|line| render_line(line, links, Rel::Me)).collect();
    lines.join(" ")
}

/// Relation of the links in a text to its author.
#[derive(Debug, Clone, Copy)]
enum Rel {
    Plain,
    Me,
}

fn render_line(tokens: &[Token], links: &impl Links, rel: Rel) -> String {
    let tokens = tokens.iter().filter(|token| **token != Token::LineBreak);
    tokens.map(|token| render_token(token, links, rel)).collect()
}

fn render_token(token: &Token, links: &impl Links, rel: Rel) -> String {
    match token {
        Token::Text(text) | Token::Code(text) => escape(text),
        Token::LineBreak => "<br />".to_owned(),
        Token::Mention { handle, typed } => match links.mention(handle) {
            Some(link) => render_mention(&link),
            None => escape(typed),
        },
        Token::Hashtag(hashtag) => render_hashtag(hashtag, &links.hashtag(hashtag)),
        Token::Url(url) => render_url(url, rel),
        Token::Open(_) | Token::Close => String::new(),
    }
}

fn render_mention(MentionLink { url, shown }: &MentionLink) -> String {
    let (url, shown) = (escape(url), escape(shown));
    format!(
        r#"<span class="h-card"><a href="{url}" class="u-url mention">@<span>{shown}</span></a></span>"#
    )
}

fn render_hashtag(hashtag: &Hashtag, url: &str) -> String {
    let (url, shown) = (escape(url), escape(&hashtag.display));
    format!(r##"<a href="{url}" class="mention hashtag" rel="tag">#<span>{shown}</span></a>"##)
}

/// Number of visible characters of a link; the rest is hidden behind an ellipsis.
const SHOWN_URL_LENGTH: usize = 30;

/// Maximum length of scheme, host and port that are always visible in full, in bytes.
const LONGEST_HOST: usize = 300;

/// Renders a link with the beginning of its address as the label, without the scheme but with the
/// complete host. The hidden parts remain in the text, so that copying gives the whole address.
fn render_url(Url { href, typed }: &Url, rel: Rel) -> String {
    let rel = match rel {
        Rel::Plain => "nofollow noopener",
        Rel::Me => "me nofollow noopener",
    };
    let (prefix, address) = typed.split_at(hidden_prefix_length(typed));
    let cut = address.char_indices().nth(SHOWN_URL_LENGTH).map_or(address.len(), |(at, _)| at);
    let end_of_host = end_of_host(typed).saturating_sub(prefix.len());
    let cut = if end_of_host > LONGEST_HOST { cut } else { cut.max(end_of_host) };
    let (shown, hidden) = address.split_at(cut);
    let class = if hidden.is_empty() { "" } else { r#" class="ellipsis""# };
    format!(
        r#"<a href="{}" rel="{rel}"><span class="invisible">{}</span><span{class}>{}</span><span class="invisible">{}</span></a>"#,
        escape(href),
        escape(prefix),
        escape(shown),
        escape(hidden),
    )
}

/// Returns the length of a link up to the end of host and port, in bytes.
fn end_of_host(typed: &str) -> usize {
    let begin = typed.find("://").map_or(0, |at| at + 3);
    typed[begin..].find(['/', '?', '#']).map_or(typed.len(), |length| begin + length)
}

/// Returns the length of the prefix of a link that is hidden because it is obvious, in bytes.
/// `www.` is not hidden if the rest of the host has no dot.
fn hidden_prefix_length(typed: &str) -> usize {
    let prefixes = ["https://www.", "http://www.", "https://", "http://", "xmpp:"];
    let begins_with = |prefix: &&str| {
        let begins = typed.get(..prefix.len()).is_some_and(|it| it.eq_ignore_ascii_case(prefix));
        let rest = typed.get(prefix.len()..end_of_host(typed)).unwrap_or_default();
        begins && (!prefix.ends_with('.') || rest.contains('.'))
    };
    prefixes.iter().find(|prefix| begins_with(prefix)).map_or(0, |prefix| prefix.len())
}

/// Escapes text for HTML, both between tags and in quoted attributes.
///
/// ```
/// assert_eq!(siskin_text::escape("Tom & <Jerry>"), "Tom &amp; &lt;Jerry&gt;");
/// ```
pub fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            // HTML cannot contain NUL.
            '\0' => {}
            _ => html.push(c),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    /// Server on which only `bob` and `eve@far.example` exist.
    struct Town;

    impl Links for Town {
        fn mention(&self, handle: &Handle) -> Option<MentionLink> {
            let shown = handle.username.to_lowercase();
            match (shown.as_str(), handle.domain.as_deref()) {
                ("bob", None) => {
                    Some(MentionLink { url: "https://town.example/@bob".into(), shown })
                }
                ("eve", Some(domain)) => Some(MentionLink {
                    url: format!("https://{domain}/@eve"),
                    shown: format!("eve@{domain}"),
                }),
                _ => None,
            }
        }

        fn hashtag(&self, hashtag: &Hashtag) -> String {
            format!("https://town.example/tags/{}", hashtag.name)
        }
    }

    fn html(text: &str) -> String {
        render(&parse(text), &Town)
    }

    #[test]
    fn blank_lines_split_paragraphs_and_other_line_breaks_stay() {
        assert_eq!(html("one"), "<p>one</p>");
        assert_eq!(html("one\ntwo\n\nthree"), "<p>one<br />two</p><p>three</p>");
        assert_eq!(html("one\r\n\r\ntwo\rthree"), "<p>one</p><p>two<br />three</p>");
        assert_eq!(html("\n\none \n \t\n\n\ntwo\n"), "<p>one</p><p>two</p>");
        assert_eq!(html("  indented"), "<p>  indented</p>");
    }

    #[test]
    fn white_space_alone_renders_to_nothing() {
        for text in ["", " ", "\n", " \n\u{3000}\n"] {
            assert_eq!(html(text), "");
        }
    }

    #[test]
    fn typed_text_is_escaped() {
        assert_eq!(
            html("<b>Tom & 'Jerry'</b> \""),
            "<p>&lt;b&gt;Tom &amp; &#39;Jerry&#39;&lt;/b&gt; &quot;</p>"
        );
        assert_eq!(html("&amp; :blobcat:"), "<p>&amp;amp; :blobcat:</p>");
    }

    #[test]
    fn mentions_of_known_accounts_are_links() {
        assert_eq!(
            html("Hi @Bob#tag <b>"),
            "<p>Hi <span class=\"h-card\"><a href=\"https://town.example/@bob\" class=\"u-url mention\">@<span>bob</span></a></span>#tag &lt;b&gt;</p>"
        );
        assert_eq!(
            html("@eve@Far.example"),
            "<p><span class=\"h-card\"><a href=\"https://far.example/@eve\" class=\"u-url mention\">@<span>eve@far.example</span></a></span></p>"
        );
        assert_eq!(html("@nobody@Far.example"), "<p>@nobody@Far.example</p>");
    }

    #[test]
    fn hashtags_show_the_typed_spelling() {
        assert_eq!(
            html("＃BLÅHAJ!"),
            "<p><a href=\"https://town.example/tags/blahaj\" class=\"mention hashtag\" rel=\"tag\">#<span>BLÅHAJ</span></a>!</p>"
        );
    }

    #[test]
    fn links_show_their_first_thirty_characters() {
        assert_eq!(
            html("https://www.a.example/é?a&b"),
            "<p><a href=\"https://www.a.example/é?a&amp;b\" rel=\"nofollow noopener\"><span class=\"invisible\">https://www.</span><span>a.example/é?a&amp;b</span><span class=\"invisible\"></span></a></p>"
        );
        assert_eq!(
            html("HTTP://A.example/2345678901234567890éxyz"),
            "<p><a href=\"http://a.example/2345678901234567890éxyz\" rel=\"nofollow noopener\"><span class=\"invisible\">HTTP://</span><span class=\"ellipsis\">A.example/2345678901234567890é</span><span class=\"invisible\">xyz</span></a></p>"
        );
    }

    #[test]
    fn a_shortened_link_shows_its_whole_host() {
        let shown = |text: &str| {
            let html = html(text);
            let (_, shown) = html.split_once("</span><span").unwrap();
            let (_, shown) = shown.split_once('>').unwrap();
            shown.split_once('<').unwrap().0.to_owned()
        };
        let host = format!("bank.example.{}.evil.example:8080", "a".repeat(60));
        assert_eq!(shown(&format!("https://{host}/path")), host);
        assert_eq!(shown(&format!("https://www.{host}")), host);
        assert_eq!(shown(&format!("gemini://{host}?x")), format!("gemini://{host}"));
        assert_eq!(shown("https://www.com/x"), "www.com/x");
        assert_eq!(
            shown(&format!("ipfs://{}/x", "Q".repeat(400))),
            format!("ipfs://{}", "Q".repeat(23))
        );
    }

    #[test]
    fn a_field_is_one_line_with_rel_me_links() {
        assert_eq!(
            render_field(&parse("https://a.example\n& @nobody"), &Town),
            "<a href=\"https://a.example\" rel=\"me nofollow noopener\"><span class=\"invisible\">https://</span><span>a.example</span><span class=\"invisible\"></span></a> &amp; @nobody"
        );
    }
}
