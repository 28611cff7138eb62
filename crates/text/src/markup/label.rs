//! Link labels, which must not look like the address of another host than the target.

use unicode_normalization::UnicodeNormalization;

use crate::{characters::is_invisible, domain::normalise_host, parse::destination};

/// Returns the host to display after the label of a link: the host of `href`. Returns `None` if the
/// label already shows it, or does not look like an address or handle of another host.
///
/// For a link without a host, the scheme is returned.
pub(super) fn missing_host<'h>(label: &str, href: &'h str) -> Option<&'h str> {
    let scheme = href.split(':').next().unwrap_or_default();
    let host = Some(destination(href)).filter(|host| !host.is_empty());
    let shown = host.unwrap_or(scheme);
    let is_shown = label.trim_end().ends_with(&format!("[{shown}]"));
    let host = host.unwrap_or_default().to_lowercase();
    (!is_shown && claims_other_host(label, &host)).then_some(shown)
}

/// Returns `true` if a label names a host other than this one, in any spelling.
fn claims_other_host(label: &str, host: &str) -> bool {
    // Fast path: most labels are plain words.
    if !label.contains(may_join_labels) {
        return false;
    }
    let label: String = label.chars().filter(|&c| !is_invisible(c)).nfkc().collect();
    let label = label.to_lowercase();
    label.split_whitespace().filter_map(claim).any(|claim| match claim {
        Claim::Here => true,
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
