//! Link labels, which must not look like the address of another host than the target.

use unicode_normalization::UnicodeNormalization;

use crate::{
    characters::is_invisible, domain::normalise_host, element::has_class, parse::destination,
    token::Token,
};

/// Label of a link.
#[derive(Debug, Default)]
pub(super) struct Label {
    whole: String,
    /// The text that clients show.
    visible: String,
    /// Whether the server of the author says that the link is a mention.
    is_mention: bool,
}

impl Label {
    /// Returns the label of a link with these classes. The tokens are those since it was opened.
    pub(super) fn of(tokens: &[Token], classes: &str) -> Self {
        let mut label = Self { is_mention: has_class(classes, "mention"), ..Self::default() };
        let mut are_invisible = Vec::new();
        for token in tokens {
            match token {
                Token::Open(element) => are_invisible.push(element.is_invisible()),
                Token::Close => drop(are_invisible.pop()),
                Token::Text(text) | Token::Code(text) => label.add(text, &are_invisible),
                Token::LineBreak => label.add(" ", &are_invisible),
                _ => {}
            }
        }
        label
    }

    fn add(&mut self, text: &str, are_invisible: &[bool]) {
        self.whole.push_str(text);
        if !are_invisible.contains(&true) {
            self.visible.push_str(text);
        }
    }

    /// Returns `true` if no blank is needed after the label.
    pub(super) fn ends_with_blank(&self) -> bool {
        self.whole.ends_with(char::is_whitespace)
    }
}

/// Returns the host to display after the label of a link: the host of `href`. Returns `None` if the
/// label already shows it, or does not look like an address or handle of another host. A text that
/// is not shown could complete a false address, or hide the real one.
///
/// For a link without a host, the scheme is returned.
pub(super) fn missing_host<'h>(label: &Label, href: &'h str) -> Option<&'h str> {
    let scheme = href.split(':').next().unwrap_or_default();
    let host = Some(destination(href)).filter(|host| !host.is_empty());
    let shown = host.unwrap_or(scheme);
    if label.visible.trim_end().ends_with(&format!("[{shown}]")) {
        return None;
    }
    let host = host.unwrap_or_default().to_lowercase();
    let is_false = |text: &str| claims_other_host(text, &host, label.is_mention);
    let is_hidden = label.visible.len() < label.whole.len();
    (is_false(&label.whole) || (is_hidden && is_false(&label.visible))).then_some(shown)
}

/// Returns `true` if a label names a host other than this one, in any spelling. The label of a
/// mention may be a name without a host.
fn claims_other_host(label: &str, host: &str, is_mention: bool) -> bool {
    // Fast path: most labels are plain words.
    if !label.contains(may_join_labels) {
        return false;
    }
    let label: String = label.chars().filter(|&c| !is_invisible(c)).nfkc().collect();
    let label = label.to_lowercase();
    label.split_whitespace().filter_map(claim).any(|claim| match claim {
        Claim::Here => !is_mention,
        Claim::Host(claimed) => !is_same(claimed, host),
    })
}

/// Returns `true` for characters of which every address or handle contains at least one.
fn may_join_labels(c: char) -> bool {
    matches!(c, '.' | '@' | ':' | '/') || !c.is_ascii()
}

enum Claim<'w> {
    /// An account of this server.
    Here,
    Host(&'w str),
}

/// Returns the host that a word claims to belong to. A file name may look like a host; then the
/// real host is displayed without need, which is harmless.
fn claim(word: &str) -> Option<Claim<'_>> {
    let end_of_host = |text: &str| text.find(['/', '?', '#', '\\']).unwrap_or(text.len());
    if let Some((_, address)) = word.split_once("://") {
        let authority = &address[..end_of_host(address)];
        return Some(Claim::Host(host_of(authority)));
    }
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '@');
    let authority = &word[..end_of_host(word)];
    match authority.rsplit_once('@') {
        Some((_, rest)) if is_host(host_of(rest)) => return Some(Claim::Host(host_of(rest))),
        Some(("", rest)) if rest.starts_with(char::is_alphanumeric) => return Some(Claim::Here),
        _ => {}
    }
    let bare = host_of(authority);
    is_host(bare).then_some(Claim::Host(bare))
}

/// Returns the host of an authority, without credentials, port and trailing punctuation.
fn host_of(authority: &str) -> &str {
    let host = authority.rsplit('@').next().unwrap_or_default();
    if let Some(end) = host.find(']').filter(|_| host.starts_with('[')) {
        return &host[..=end];
    }
    let host = host.split(':').next().unwrap_or_default();
    host.trim_end_matches(|c: char| !c.is_alphanumeric())
}

/// Returns `true` if the text is a DNS name with more than one label.
fn is_host(text: &str) -> bool {
    let top = text.rsplit(['.', '。']).next().unwrap_or_default();
    let is_top = top.len() > 1 && !top.starts_with(|c: char| c.is_ascii_digit());
    is_top && normalise_host(text).is_some_and(|host| host.contains('.'))
}

fn is_same(claimed: &str, host: &str) -> bool {
    let without_www = |host: &str| host.strip_prefix("www.").unwrap_or(host).to_owned();
    let claimed = normalise_host(claimed).unwrap_or_else(|| claimed.to_owned());
    without_www(&claimed) == without_www(host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Element;

    fn missing_host<'h>(label: &str, href: &'h str) -> Option<&'h str> {
        super::missing_host(&Label::of(&[Token::Text(label.to_owned())], ""), href)
    }

    #[test]
    fn text_that_is_not_shown_neither_hides_nor_replaces_the_host() {
        let shown = |parts: [(&str, &str); 2]| {
            let tokens: Vec<Token> = parts
                .into_iter()
                .flat_map(|(classes, text)| {
                    let span = Element::Span { classes: classes.to_owned() };
                    [Token::Open(span), Token::Text(text.to_owned()), Token::Close]
                })
                .collect();
            super::missing_host(&Label::of(&tokens, ""), "https://evil.example/x")
        };
        for parts in [
            [("invisible", "https://evil.example/"), ("", "bank.example")],
            [("", "bank.example"), ("invisible", " [evil.example]")],
            [("", "bank"), ("invisible", ".example")],
            [("invisible", "bank.example"), ("ellipsis", "")],
        ] {
            assert_eq!(shown(parts), Some("evil.example"), "{parts:?}");
        }
        for parts in [
            [("invisible", "https://"), ("ellipsis", "evil.example/x")],
            [("", "bank.example "), ("", "[evil.example]")],
            [("", "a cat "), ("invisible", "evil.example")],
        ] {
            assert_eq!(shown(parts), None, "{parts:?}");
        }
    }

    #[test]
    fn mentions_may_leave_out_the_host() {
        let shown = |label: &str| {
            let label = Label::of(&[Token::Text(label.to_owned())], "u-url mention");
            super::missing_host(&label, "https://far.example/@bob")
        };
        assert_eq!(shown("@bob"), None);
        assert_eq!(shown("@bob@far.example"), None);
        assert_eq!(shown("@bob@bank.example"), Some("far.example"));
        assert_eq!(shown("bank.example"), Some("far.example"));
    }

    #[test]
    fn misleading_labels_are_followed_by_the_real_host() {
        for label in [
            "https://bank.example",
            "HTTPS://BANK.example/login",
            "bank.example",
            "www.bank.example",
            "visit www.bank.example today",
            "see https://bank.example/ now",
            "(bank.example)",
            "bank.example/evil.example",
            "ba\u{200B}nk.example",
            "ｂａｎｋ.example",
            "bank。example",
            "bank․example",
            "https：//bank.example",
            "evil.example.bank.example",
            "@admin",
            "hello @admin",
            "@bob@bank.example",
            "bob@bank.example",
            "＠admin",
            "https://evil.example@bank.example",
            "evil.example [bank.example]",
            "log in at bank.example, please",
        ] {
            let shown = missing_host(label, "https://evil.example:8080/x");
            assert_eq!(shown, Some("evil.example"), "{label}");
        }
        assert_eq!(missing_host("bank.example", "magnet:?xt=x"), Some("magnet"));
        assert_eq!(missing_host("bank.example", "ipfs://QmX/y"), Some("QmX"));
        assert_eq!(missing_host("a@bank.example", "xmpp:a@evil.example?x"), Some("evil.example"));
    }

    #[test]
    fn other_labels_are_unchanged() {
        for label in [
            "",
            "a cat",
            "evil.example",
            "Evil.example/x",
            "https://www.evil.example/x",
            "@bob@evil.example",
            "bob@evil.example",
            "version 1.2",
            "1.2",
            "etc.",
            "and/or",
            "5 @ home",
            "#tag",
            "bank.example [evil.example]",
            "Größe: 5",
        ] {
            assert_eq!(missing_host(label, "https://evil.example/x"), None, "{label}");
        }
        assert_eq!(missing_host("ipfs://QmX/y", "ipfs://QmX/y"), None);
        assert_eq!(missing_host("http://[::1]:3000/x", "http://[::1]:3000/x"), None);
        assert_eq!(missing_host("xmpp:a@b.example", "xmpp:a@b.example"), None);
        assert_eq!(missing_host("bücher.example", "https://xn--bcher-kva.example/"), None);
    }
}
