//! Sanitising of texts and URLs from foreign pages.

use siskin_policy::limits::MAX_CARD_URL_BYTES;
use url::Url;

/// Maximum length of a title, in characters.
pub(super) const TITLE: usize = 300;
/// Maximum length of a description, in characters.
pub(super) const DESCRIPTION: usize = 1000;
/// Maximum length of the name of an author or site, in characters.
pub(super) const NAME: usize = 100;

/// Returns the text as one line of at most `most` characters. A cut text ends with an ellipsis.
/// Invisible characters that change the text direction are removed.
pub(super) fn line(text: &str, most: usize) -> String {
    let visible = |c: &char| !matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    let spaced = |c: char| if c.is_control() { ' ' } else { c };
    // Longer texts are cut in any case, however many blanks they contain.
    let begin: String =
        text.trim_start().chars().take(most * 8).filter(visible).map(spaced).collect();
    let line = begin.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let cut: String = line.chars().take(most - 1).collect();
    cut.trim_end().to_owned() + "…"
}

/// Returns a URL of http or https without credentials and within the length limit. Relative URLs
/// are resolved against `base`.
pub(super) fn web(base: &Url, text: &str) -> Option<Url> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_CARD_URL_BYTES {
        return None;
    }
    let url = base.join(text).ok()?;
    let fits = matches!(url.scheme(), "http" | "https")
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none()
        && url.as_str().len() <= MAX_CARD_URL_BYTES;
    fits.then_some(url)
}

/// Returns a URL like [`web`], but only https, for content that is shown in a frame.
pub(super) fn secure(base: &Url, text: &str) -> Option<Url> {
    web(base, text).filter(|url| url.scheme() == "https")
}

/// Parses a length in pixels; returns 0 for invalid and implausible values.
pub(super) fn pixels(text: &str) -> u32 {
    text.trim().trim_end_matches("px").parse().ok().filter(|pixels| *pixels <= 10_000).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_one_line_of_limited_length() {
        assert_eq!(line(" a\n\tb\u{0} \u{202E}c ", 9), "a b c");
        assert_eq!(line("abcdef", 6), "abcdef");
        assert_eq!(line("abcd ef", 6), "abcd…");
        assert_eq!(line(&"x ".repeat(1 << 20), 10).chars().count(), 10);
    }

    #[test]
    fn only_web_urls_are_accepted() {
        let base = Url::parse("https://a.example/b/c").unwrap();
        let web = |text: &str| web(&base, text).map(String::from);
        assert_eq!(web(" ../d ").as_deref(), Some("https://a.example/d"));
        assert_eq!(web("//e.example").as_deref(), Some("https://e.example/"));
        for other in [
            "",
            "javascript:alert(1)",
            "data:text/html,x",
            "ftp://a.example/",
            "http://u:p@a.example/",
            "http://[",
        ] {
            assert_eq!(web(other), None, "{other}");
        }
        assert_eq!(web(&format!("/{}", "x".repeat(MAX_CARD_URL_BYTES))), None);
        assert_eq!(secure(&base, "http://a.example/"), None);
    }

    #[test]
    fn lengths_are_parsed_as_pixels() {
        assert_eq!(
            [pixels("640"), pixels("48px"), pixels("100%"), pixels("-1"), pixels("99999")],
            [640, 48, 0, 0, 0]
        );
    }
}
