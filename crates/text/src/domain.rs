//! Normalisation of domains: lower-case ASCII, with a port if one is given.

use crate::{
    characters::{is_invisible, is_word},
    fold::is_latin,
};
#[cfg(feature = "idn")]
use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};
#[cfg(feature = "idn")]
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Maximum length of a domain in the DNS, in bytes. Longer input is rejected before any costly
/// work.
const MAX_DOMAIN_LENGTH: usize = 253;

/// Normalises `host` or `host:port` for storage and comparison: lower case, international names in
/// ASCII form (`BÜCHER.example` becomes `xn--bcher-kva.example`).
///
/// Returns `None` for invalid domains (empty labels, a trailing dot, a bad port, forbidden
/// characters). Also returns `None` for look-alikes: full-width letters, ideographic dots or
/// invisible characters, which would silently turn into another domain.
///
/// Without the feature `idn`, domains outside of ASCII and their `xn--` forms are invalid, too.
pub fn normalise_domain(typed: &str) -> Option<String> {
    let (host, port) = split_port(typed)?;
    let mut domain = normalise_host(host)?;
    if is_look_alike(host, &domain) {
        return None;
    }
    if let Some(port) = port {
        domain = format!("{domain}:{port}");
    }
    Some(domain)
}

/// Returns the ASCII form of a host name in any spelling that browsers accept.
pub(crate) fn normalise_host(host: &str) -> Option<String> {
    if host.len() > MAX_DOMAIN_LENGTH {
        return None;
    }
    to_ascii(host)
}

#[cfg(feature = "idn")]
fn to_ascii(host: &str) -> Option<String> {
    let uts46 = Uts46::new();
    let ascii =
        uts46.to_ascii(host.as_bytes(), AsciiDenyList::URL, Hyphens::Allow, DnsLength::Verify);
    ascii.ok().map(std::borrow::Cow::into_owned)
}

#[cfg(not(feature = "idn"))]
fn to_ascii(host: &str) -> Option<String> {
    lower_case_ascii(host)
}

/// Returns a host in lower case if all its labels are ASCII and no label is in the `xn--` form,
/// which only IDNA can check.
#[cfg(any(test, not(feature = "idn")))]
fn lower_case_ascii(host: &str) -> Option<String> {
    /// The forbidden domain code points of the URL standard, without control characters.
    const FORBIDDEN: &[u8] = b" #%/:<>?@[\\]^|";
    const MAX_LABEL_LENGTH: usize = 63;
    let host = host.to_ascii_lowercase();
    let is_allowed = |b: u8| b.is_ascii() && !b.is_ascii_control() && !FORBIDDEN.contains(&b);
    let is_label =
        |label: &str| (1..=MAX_LABEL_LENGTH).contains(&label.len()) && !label.starts_with("xn--");
    (host.bytes().all(is_allowed) && host.split('.').all(is_label)).then_some(host)
}

/// Splits off a port of 1 to 65535. The outer `Option` is `None` if the text after the colon is not
/// a port.
fn split_port(typed: &str) -> Option<(&str, Option<u16>)> {
    let Some((host, port)) = typed.split_once(':') else {
        return Some((typed, None));
    };
    let digits_only = port.bytes().all(|b| b.is_ascii_digit());
    let port = port.parse().ok().filter(|&port| digits_only && port != 0)?;
    Some((host, Some(port)))
}

/// Returns the whole host name at the start of a text. Returns `None` if there is none, or if
/// characters follow that might belong to it. A part of a host name would be a different host name.
///
/// The result is not validated; the caller normalises it.
pub(crate) fn host_name(text: &str) -> Option<&str> {
    let run = host_run_length(text);
    let name = text[..run].trim_end_matches(['.', '-']);
    if name.is_empty() || name.starts_with(['.', '-']) || !ends_host(&text[name.len()..]) {
        return None;
    }
    let after = &text[name.len()..];
    let goes_on = |after: &str| after.starts_with(is_host_character);
    let is_whole =
        after.starts_with('/') || after.strip_prefix(['?', '#', ':']).is_some_and(goes_on);
    Some(if is_whole { name } else { without_sentence(name) })
}

/// Returns the length of the port after a host, in bytes with the colon; 0 if there is no port.
/// Returns `None` if a colon is followed by something that is not a port of 1 to 65535.
pub(crate) fn port_length(after_host: &str) -> Option<usize> {
    let Some(after_colon) = after_host.strip_prefix(':') else { return Some(0) };
    let digits = after_colon.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        let goes_on = |c: char| matches!(c, '/' | ':') || is_host_character(c);
        return (!after_colon.starts_with(goes_on) && ends_host(after_colon)).then_some(0);
    }
    let is_port = digits <= 5 && after_colon[..digits].parse::<u16>().is_ok_and(|port| port != 0);
    let after_port = &after_colon[digits..];
    let goes_on = after_port.starts_with(|c| c == ':' || is_name_character(c));
    (is_port && !goes_on && ends_host(after_port)).then_some(1 + digits)
}

/// Returns `true` for characters that a host name can have in any spelling. Later checks reject
/// some.
fn is_host_character(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    }
    is_word(c) || !(c.is_whitespace() || c.is_control() || is_invisible(c) || is_punctuation(c))
}

/// Returns `true` for sentence punctuation outside of ASCII.
const fn is_punctuation(c: char) -> bool {
    matches!(c,
        '\u{A1}' | '\u{AB}' | '\u{BB}' | '\u{BF}'
        | '\u{60C}' | '\u{61B}' | '\u{61F}' | '\u{6D4}' // Arabic
        | '\u{964}' | '\u{965}' // dandas
        | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205E}' // dashes, quotes, ellipsis
        | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301F}' // CJK
        | '\u{FF01}'..='\u{FF0F}' | '\u{FF1A}'..='\u{FF20}' // full-width forms
        | '\u{FF3B}'..='\u{FF40}' | '\u{FF5B}'..='\u{FF65}')
}

fn host_run_length(text: &str) -> usize {
    text.find(|c| !is_host_character(c)).unwrap_or(text.len())
}

/// Cuts off symbols and words of another script directly after a host (`example.orgです`). No
/// top-level domain mixes them with ASCII. A host of one label stays unchanged.
fn without_sentence(name: &str) -> &str {
    let Some(dot) = name.rfind('.') else { return name };
    let label = &name[dot + 1..];
    let is_foreign = |c: char| !c.is_ascii() && !is_latin(c) && !is_combining_mark(c);
    let is_cut = label.starts_with(|c: char| c.is_ascii_alphanumeric());
    match label.find(is_foreign).filter(|_| is_cut) {
        Some(at) => name[..dot + 1 + at].trim_end_matches('-'),
        None => name,
    }
}

/// Returns `true` if a host ends where `after` begins. It does not end at punctuation that is
/// followed by the rest of a host. Browsers treat most punctuation as a part of the name, or skip
/// it.
fn ends_host(after: &str) -> bool {
    if after.starts_with(['%', '&', '=', '+', '$', '@', '＠']) {
        return false;
    }
    let is_separator = |c: char| {
        matches!(c, '!' | '\'' | '(' | ')' | '*' | ',' | ';' | '~' | '.' | '-')
            || is_invisible(c)
            || is_punctuation(c)
    };
    let rest = after.trim_start_matches(is_separator);
    let separators = &after[..after.len() - rest.len()];
    if separators.is_empty() {
        return true;
    }
    let may_follow = |c| is_separator(c) || is_host_character(c) || "%&=+$".contains(c);
    let more = rest.trim_start_matches(may_follow);
    let (behind, more) = (more, &after[..after.len() - more.len()]);
    // The scheme of another link is followed by two slashes.
    let has_port = behind.strip_prefix(':').is_some_and(|rest| {
        let goes_on = |c| matches!(c, '/' | ':') || may_follow(c);
        !rest.starts_with("//") && rest.starts_with(goes_on)
    });
    let has_more_labels = more.split('.').skip(1).any(|label| label.starts_with(is_name_character));
    // IDNA treats these characters as dots.
    let has_dot = separators.ends_with(['。', '．', '｡']) && rest.starts_with(is_ascii_word);
    let is_next_label = has_dot && !behind.starts_with(':');
    !(has_more_labels || has_port || behind.starts_with(['/', '@']) || is_next_label)
}

fn is_name_character(c: char) -> bool {
    is_host_character(c) && !matches!(c, '.' | '-')
}

fn is_ascii_word(c: char) -> bool {
    c.is_ascii_alphanumeric()
}

#[cfg(not(feature = "idn"))]
const fn is_look_alike(_: &str, _: &str) -> bool {
    false
}

/// Returns `true` if the typed host and its ASCII form differ in more than case and composition.
#[cfg(feature = "idn")]
fn is_look_alike(host: &str, ascii: &str) -> bool {
    if host.is_ascii() {
        return false;
    }
    let (shown, _) = Uts46::new().to_unicode(ascii.as_bytes(), AsciiDenyList::URL, Hyphens::Allow);
    !shown.chars().eq(host.to_lowercase().nfc())
}

#[cfg(test)]
#[cfg(feature = "idn")]
mod tests {
    use proptest::prelude::*;

    use super::{lower_case_ascii, normalise_domain, to_ascii};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn ascii_domains_are_the_same_without_idna(host in "([ -~\\x00-\\x1f\\x7f]|[a-zA-Z0-9.-]){1,70}") {
            let without_idna = lower_case_ascii(&host);
            let is_encoded = host.to_ascii_lowercase().split('.').any(|label| label.starts_with("xn--"));
            prop_assert_eq!(without_idna, to_ascii(&host).filter(|_| !is_encoded));
        }
    }

    #[test]
    fn only_idna_reads_domains_outside_of_ascii() {
        for host in ["bücher.example", "xn--bcher-kva.example", "a.XN--bcher-kva"] {
            assert_eq!(lower_case_ascii(host), None, "{host}");
        }
        assert_eq!(lower_case_ascii("Example.COM").as_deref(), Some("example.com"));
    }

    #[test]
    fn domains_are_lower_case_ascii() {
        for (typed, stored) in [
            ("Example.COM", "example.com"),
            ("BÜCHER.example", "xn--bcher-kva.example"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"),
            ("bu\u{308}cher.example", "xn--bcher-kva.example"),
            ("日本.example", "xn--wgv71a.example"),
            ("localhost:3000", "localhost:3000"),
            ("localhost:0080", "localhost:80"),
            ("127.0.0.1:3000", "127.0.0.1:3000"),
            ("under_score.example", "under_score.example"),
        ] {
            assert_eq!(normalise_domain(typed).as_deref(), Some(stored), "{typed}");
        }
    }

    #[test]
    fn invalid_domains_are_refused() {
        for typed in [
            "",
            ".",
            "a..b",
            ".a",
            "example.com.",
            "a b",
            "a/b",
            "a@b",
            "%20",
            "a:",
            "a:b",
            "a:0",
            "a:65536",
            "a:+1",
            "a:1:2",
            ":1",
            "[::1]:1",
            "xn--a",
            "a\0b",
        ] {
            assert_eq!(normalise_domain(typed), None, "{typed}");
        }
        assert_eq!(normalise_domain(&"a.".repeat(50_000)), None);
    }

    #[test]
    fn look_alikes_are_refused() {
        for typed in [
            "ｌｏｃａｌhost",
            "example。com",
            "exam\u{200B}ple.com",
            "exam\u{AD}ple.com",
            "ﬁn.example",
        ] {
            assert_eq!(normalise_domain(typed), None, "{typed}");
        }
    }
}
