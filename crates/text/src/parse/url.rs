//! Links, recognised by scheme: `scheme://host…`, `xmpp:…` and `magnet:?…`.
//!
//! The part after the host accepts more than the standard, because users paste links as browsers
//! display them: international letters, and balanced parentheses.

use crate::{
    characters::is_directional,
    domain::{host_name, normalise_host, port_length},
    token::{Token, Url},
};
use std::net::{Ipv4Addr, Ipv6Addr};

/// Schemes of links that contain a DNS host.
const SCHEMES_WITH_HOST: [&str; 4] = ["http", "https", "gopher", "gemini"];

/// Schemes of links that contain a name instead of a host, often a case-sensitive key.
const SCHEMES_WITH_NAME: [&str; 5] = ["dat", "dweb", "ipfs", "ipns", "ssb"];

/// Schemes of links that contain neither.
#[cfg(feature = "html")]
const SCHEMES_WITHOUT_HOST: [&str; 2] = ["xmpp", "magnet"];

/// Length of the longest scheme with its colon, in bytes.
const SCHEME_REACH: usize = 7;

/// Maximum length of an IPv6 address in brackets, in bytes.
const LONGEST_ADDRESS: usize = 47;

/// Maximum nesting of parentheses in a link. A bound keeps the parser linear: the content of
/// unclosed parentheses is read again as text, once per level.
const MAX_NESTING: usize = 2;

/// Returns `true` if a link can begin after this character. A link does not begin inside a word of
/// ASCII letters. Scripts written without spaces may touch it.
pub(super) fn may_precede(c: char) -> bool {
    !c.is_ascii_alphanumeric() && !matches!(c, '@' | '＠' | '#' | '＃' | '$')
}

/// Returns the link at the start of the text and its length in bytes.
pub(super) fn at_start_of(text: &str) -> Option<(Token, usize)> {
    let colon = text.bytes().take(SCHEME_REACH).position(|b| b == b':')?;
    let scheme = text[..colon].to_ascii_lowercase();
    let after_colon = &text[colon + 1..];
    let (length, body) = match scheme.as_str() {
        "xmpp" => opaque_body(after_colon, char::is_alphanumeric)?,
        "magnet" => opaque_body(after_colon, |c| c == '?')?,
        scheme if SCHEMES_WITH_HOST.contains(&scheme) => body_with_host(after_colon)?,
        scheme if SCHEMES_WITH_NAME.contains(&scheme) => body_with_name(after_colon)?,
        _ => return None,
    };
    let length = colon + 1 + length;
    let url = Url { href: format!("{scheme}:{body}"), typed: text[..length].to_owned() };
    Some((Token::Url(url), length))
}

/// Reads the part after the colon of a link without a host. Returns its length in bytes as typed,
/// and its form in the address.
///
/// Here and in [`body_with_host`], the end of the link is searched last. If the text is not a link,
/// parsing continues at its second character. An early search would then repeat for each character.
fn opaque_body(text: &str, may_begin: fn(char) -> bool) -> Option<(usize, String)> {
    if !text.starts_with(may_begin) {
        return None;
    }
    let length = tail_length(text);
    (length > 1).then(|| (length, text[..length].to_owned()))
}

/// Reads the part after the colon of a link with a host, as in [`opaque_body`].
fn body_with_host(text: &str) -> Option<(usize, String)> {
    let text = text.strip_prefix("//")?;
    if has_credentials(text) {
        return None;
    }
    let host = host_at_start_of(text)?;
    let address = address_of_host(host)?;
    let after_host = &text[host.len()..];
    let port = port_length(after_host)?;
    let after_port = &after_host[port..];
    let tail = if after_port.starts_with(['/', '?', '#']) { tail_length(after_port) } else { 0 };
    let body = format!("//{address}{}", &after_host[..port + tail]);
    Some((2 + host.len() + port + tail, body))
}

/// Reads the part after the colon of a link of [`SCHEMES_WITH_NAME`], as in [`opaque_body`]. It
/// keeps the typed form.
fn body_with_name(text: &str) -> Option<(usize, String)> {
    let name = text.strip_prefix("//")?;
    if !name.starts_with(char::is_alphanumeric) || has_credentials(name) {
        return None;
    }
    let end = name.find(|c| !is_in_name(c)).unwrap_or(name.len());
    let tail = if name[end..].starts_with(['/', '?', '#']) { tail_length(&name[end..]) } else { 0 };
    let end = if tail == 0 { name[..end].trim_end_matches(['.', '-', '~']).len() } else { end };
    let length = 2 + end + tail;
    Some((length, text[..length].to_owned()))
}

/// Returns `true` for characters of a name that takes the place of a host.
fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '~' | '%' | '=' | '+')
}

/// Returns `true` for credentials in a link. `https://bank.example@evil.example` leads elsewhere
/// than it seems to.
fn has_credentials(text: &str) -> bool {
    let authority = text.split(|c| matches!(c, '/' | '?' | '#') || ends_url(c)).next();
    authority.is_some_and(|authority| authority.contains('@'))
}

/// Returns the host name or address at the start of the text.
fn host_at_start_of(text: &str) -> Option<&str> {
    if text.starts_with('[') {
        let end = text.bytes().take(LONGEST_ADDRESS).position(|b| b == b']')?;
        return Some(&text[..=end]);
    }
    host_name(text)
}

/// Normalises the link in an HTML attribute: scheme and host become lower-case ASCII. Returns
/// `None` for a forbidden scheme, for credentials, and if the host or name is missing or invalid.
#[cfg(feature = "html")]
pub(crate) fn read_href(href: &str) -> Option<String> {
    let (scheme, rest) = href.split_once(':')?;
    let scheme = scheme.to_ascii_lowercase();
    if SCHEMES_WITH_HOST.contains(&scheme.as_str()) {
        let rest = rest.strip_prefix("//")?;
        let (authority, tail) = rest.split_at(authority_length(rest));
        let (host, port) = split_port(authority)?;
        return Some(format!("{scheme}://{}{port}{tail}", address_of_host(host)?));
    }
    let names_something = if SCHEMES_WITH_NAME.contains(&scheme.as_str()) {
        let rest = rest.strip_prefix("//")?;
        let (name, _) = split_port(&rest[..authority_length(rest)])?;
        !name.is_empty() && name.chars().all(is_in_name)
    } else {
        let is_known = SCHEMES_WITHOUT_HOST.contains(&scheme.as_str());
        is_known && !rest.is_empty() && !rest.starts_with('/')
    };
    names_something.then(|| format!("{scheme}:{rest}"))
}

/// Splits an authority into the host and the port with its colon.
#[cfg(feature = "html")]
fn split_port(authority: &str) -> Option<(&str, &str)> {
    let after_address = authority.rfind(']').map_or(0, |at| at + 1);
    let host =
        authority[after_address..].find(':').map_or(authority.len(), |at| after_address + at);
    let (host, port) = authority.split_at(host);
    (port_length(port)? == port.len()).then_some((host, port))
}

#[cfg(feature = "html")]
fn authority_length(text: &str) -> usize {
    text.find(['/', '?', '#', '\\']).unwrap_or(text.len())
}

/// Returns the host of a link of [`read_href`] or [`Url`], without its port, or the name in its
/// place. Returns an empty string for a link with neither.
#[cfg(feature = "html")]
pub(crate) fn destination(href: &str) -> &str {
    let (scheme, rest) = href.split_once(':').unwrap_or_default();
    if let Some(rest) = rest.strip_prefix("//") {
        let authority = &rest[..authority_length(rest)];
        return split_port(authority).map_or(authority, |(host, _)| host);
    }
    let address = &rest[..authority_length(rest)];
    if scheme == "xmpp" { address.rsplit('@').next().unwrap_or_default() } else { "" }
}

fn address_of_host(host: &str) -> Option<String> {
    if is_malformed_number(host) {
        return None;
    }
    match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(address) => address.parse::<Ipv6Addr>().ok().map(|address| format!("[{address}]")),
        None => normalise_host(host),
    }
}

/// Returns `true` if the last label is a number but the host is not an IPv4 address.
fn is_malformed_number(host: &str) -> bool {
    let last = host.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_number = last.bytes().all(|b| b.is_ascii_digit())
        || last.strip_prefix("0x").is_some_and(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
    !last.is_empty() && is_number && host.parse::<Ipv4Addr>().is_err()
}

/// Returns the length in bytes of the path, query and fragment at the start of the text. They end
/// with the last character that may end a link and leaves all parentheses balanced.
fn tail_length(text: &str) -> usize {
    let mut depth = 0;
    let mut end = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' if depth < MAX_NESTING => depth += 1,
            ')' if depth > 0 => depth -= 1,
            '(' | ')' => break,
            _ if ends_url(c) => break,
            _ => {}
        }
        if depth == 0 && may_be_last(c) {
            end = at + c.len_utf8();
        }
    }
    end
}

/// Returns `true` for characters that links do not contain.
fn ends_url(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || is_directional(c)
        || "<>\"“”„«»\u{200B}\u{FEFF}".contains(c)
        || "。、，！？：；「」『』【】《》".contains(c)
}

/// Returns `true` if a link can end with this character. Punctuation at the end belongs to the
/// sentence.
fn may_be_last(c: char) -> bool {
    !"!?.,:;*'`‘’…$%~|@[]".contains(c)
}

#[cfg(test)]
#[cfg(feature = "idn")]
mod tests {
    use crate::{Token, Url, parse};

    fn urls(text: &str) -> Vec<Url> {
        let url = |token| match token {
            Token::Url(url) => Some(url),
            _ => None,
        };
        parse(text).into_iter().filter_map(url).collect()
    }

    /// Returns the links of a text as typed.
    fn typed(text: &str) -> Vec<String> {
        urls(text).into_iter().map(|url| url.typed).collect()
    }

    #[test]
    fn links_of_all_schemes_are_found() {
        for link in [
            "http://example.com",
            "https://example.com/a/b?c=d&e=f#g",
            "https://example.com/?q=",
            "HTTPS://Example.com",
            "http://localhost:3000/@alice/1",
            "http://127.0.0.1:8080",
            "http://[::1]:3000/x",
            "https://bücher.example/straße",
            "https://x.example/Nestlé/#frag",
            "https://example.com?a=b",
            "dat://abc",
            "dweb:",
            "ipfs://QmX/y",
            "ipns://a.example",
            "ssb://x/y",
            "gopher://a.example/0/",
            "gemini://a.example/",
            "xmpp:muc@a.example?join",
            "magnet:?xt=urn:btih:abc&dn=x",
        ] {
            let found = if link == "dweb:" { vec![] } else { vec![link.to_owned()] };
            assert_eq!(typed(link), found);
            assert_eq!(typed(&format!("see ({link}), ok")), found);
        }
    }

    #[test]
    fn other_schemes_and_bare_hosts_are_text() {
        for text in [
            "javascript:alert(1)",
            "data:text/html,x",
            "ftp://a.example",
            "file:///etc",
            "vbscript:x",
            "example.com",
            "http:/a",
            "http://",
            "http:///a",
            "http://.",
            "https:// a",
            "xhttp://a",
            "xmpp: hi",
            "magnet:x",
            "http://a..b/",
            "https://u@example.com/",
            "https://u:p@example.com/",
            "http://[::g]/",
            "http://-a",
            "http://1.2.3.999",
            "http://12345",
            "https://a.example:0/",
            "https://a.example:99999/",
            "https://a.example:80x/",
            "https://a.example:80.evil.example/",
            "https://a.example:port",
            "https://a.example:/",
            "https://a.example%2eevil.example/",
            "https://a.example&.evil.example/",
            "https://a.example,evil.example/",
            "https://a.example!evil/",
            "https://a.example\u{200B}.evil.example/",
            "https://a.example\u{AD}.evil.example/",
            "https://a.example。com",
            "https://a.example./",
        ] {
            assert!(typed(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn the_sentence_around_a_link_is_not_part_of_it() {
        for text in [
            "https://a.example/b.",
            "https://a.example/b, and",
            "(https://a.example/b)",
            "https://a.example/b!?",
            "<https://a.example/b>",
            "\"https://a.example/b\"",
            "「https://a.example/b」です",
            "https://a.example/b。次",
            "“https://a.example/b”",
            "見よhttps://a.example/b 次",
            "https://a.example/b…",
            "[https://a.example/b]",
            "*https://a.example/b*",
            "https://a.example/b\u{202E}c",
        ] {
            assert_eq!(typed(text), ["https://a.example/b"], "{text}");
        }
        assert_eq!(typed("https://a.example. Next"), ["https://a.example"]);
        assert_eq!(typed("https://a.example: x"), ["https://a.example"]);
        for text in ["です", "🎉", "👩\u{200D}💻 x", "—it", "…and", "'s", ",https://b", "。次の"]
        {
            let text = format!("https://a.example{text}");
            assert_eq!(typed(&text)[0], "https://a.example", "{text}");
        }
    }

    #[test]
    fn balanced_parentheses_belong_to_a_link() {
        assert_eq!(typed("(https://a.example/b_(c))"), ["https://a.example/b_(c)"]);
        assert_eq!(typed("https://a.example/(b(c)d)e"), ["https://a.example/(b(c)d)e"]);
        assert_eq!(typed("https://a.example/b(c"), ["https://a.example/b"]);
        assert_eq!(typed("https://a.example/b)c"), ["https://a.example/b"]);
        assert_eq!(
            typed("https://a.example/(https://b.example/"),
            ["https://a.example/", "https://b.example/"]
        );
    }

    #[test]
    fn nothing_else_is_recognised_inside_a_link() {
        let tokens = parse("https://a.example/@bob/#frag?q=@eve");
        assert!(matches!(tokens.as_slice(), [Token::Url(_)]), "{tokens:?}");
    }

    #[test]
    fn hosts_with_symbols_are_parsed_completely() {
        for (text, host) in [
            ("https://♥.ws/x", "xn--g6h.ws"),
            ("https://x♥.ws/x", "xn--x-n3p.ws"),
            ("https://a.example♥.ws/x", "a.xn--example-um7d.ws"),
            ("https://a.example🎉/x", "a.xn--example-5k84f"),
            ("https://🌈.st", "xn--og8h.st"),
        ] {
            let found = urls(text);
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(found[0].typed, text);
            assert_eq!(super::destination(&found[0].href), host, "{text}");
        }
    }

    #[test]
    fn case_sensitive_names_keep_their_case() {
        for link in
            ["ipfs://QmYwAPJzv5CZsnA/Readme", "ssb://Message/SHA256", "dat://AbC", "IPNS://K51qZ"]
        {
            let (scheme, rest) = link.split_once(':').unwrap();
            let href = format!("{}:{rest}", scheme.to_lowercase());
            assert_eq!(urls(link), [Url { href: href.clone(), typed: link.to_owned() }]);
            assert_eq!(super::read_href(link), Some(href));
        }
        assert_eq!(typed("ipfs://Qm](https://b.example)"), ["ipfs://Qm", "https://b.example"]);
        assert_eq!(typed("(ipns://a.example). x"), ["ipns://a.example"]);
        assert_eq!(super::read_href("ipfs://Qm]/x"), None);
        assert_eq!(super::read_href("ipfs://a@Qm/x"), None);
    }

    #[test]
    fn addresses_have_scheme_and_host_in_ascii() {
        let href = |text| urls(text).remove(0).href;
        assert_eq!(href("HTTP://BÜCHER.example:80/Ü"), "http://xn--bcher-kva.example:80/Ü");
        assert_eq!(href("https://Example.COM/Path"), "https://example.com/Path");
        assert_eq!(href("http://[0:0::1]/"), "http://[::1]/");
    }
}
