//! Domains as they are stored and compared: lower-case ASCII, with a port where one is named.

use crate::{
    characters::{is_word, joined_words_length},
    fold::is_latin,
};
use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// The longest domain the DNS allows, in bytes. Longer ones are refused before any costly work.
const MAX_DOMAIN_LENGTH: usize = 253;

/// `host` or `host:port` as it is stored and compared: in lower case, international names in
/// their ASCII form (`BÜCHER.example` is `xn--bcher-kva.example`).
///
/// `None` for what is no domain (empty labels, a trailing dot, a bad port, characters that do not
/// belong), and for look-alikes: full-width letters, ideographic dots or invisible characters
/// that would quietly become another domain.
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

/// The ASCII form of a host name, however it is spelled; browsers accept the same spellings.
pub(crate) fn normalise_host(host: &str) -> Option<String> {
    if host.len() > MAX_DOMAIN_LENGTH {
        return None;
    }
    let ascii = Uts46::new().to_ascii(
        host.as_bytes(),
        AsciiDenyList::URL,
        Hyphens::Allow,
        DnsLength::Verify,
    );
    ascii.ok().map(Cow::into_owned)
}

/// Splits off a port of 1 to 65535; outer `None` when what follows the colon is no port.
fn split_port(typed: &str) -> Option<(&str, Option<u16>)> {
    let Some((host, port)) = typed.split_once(':') else {
        return Some((typed, None));
    };
    let digits_only = port.bytes().all(|b| b.is_ascii_digit());
    let port = port.parse().ok().filter(|&port| digits_only && port != 0)?;
    Some((host, Some(port)))
}

/// Length in bytes of the host name at the start of the text, or 0.
pub(crate) fn host_name_length(text: &str) -> usize {
    let length = joined_words_length(text, is_word);
    let last_label = text[..length].rfind('.').map_or(0, |dot| dot + 1);
    last_label + last_label_length(&text[last_label..length])
}

/// Cuts off words of another script that are written right behind a host (`example.orgです`): no
/// top-level domain mixes them with ASCII.
fn last_label_length(label: &str) -> usize {
    let is_foreign = |c: char| c.is_alphabetic() && !is_latin(c);
    if label.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        label.find(is_foreign).unwrap_or(label.len())
    } else {
        label.len()
    }
}

/// Length in bytes of `:port` at the start of the text, or 0: a colon may also just end a clause.
pub(crate) fn port_length(text: &str) -> usize {
    let Some(after_colon) = text.strip_prefix(':') else { return 0 };
    let digits = after_colon.bytes().take_while(u8::is_ascii_digit).count();
    let is_port = digits <= 5 && after_colon[..digits].parse::<u16>().is_ok();
    if is_port { 1 + digits } else { 0 }
}

/// Whether more than case and composition lies between the typed host and its ASCII form.
fn is_look_alike(host: &str, ascii: &str) -> bool {
    if host.is_ascii() {
        return false;
    }
    let (shown, _) = Uts46::new().to_unicode(ascii.as_bytes(), AsciiDenyList::URL, Hyphens::Allow);
    !shown.chars().eq(host.to_lowercase().nfc())
}

#[cfg(test)]
mod tests {
    use super::normalise_domain;

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
    fn what_is_no_domain_is_refused() {
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
