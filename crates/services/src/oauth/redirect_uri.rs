//! Redirect URIs that an application may register.
//!
//! A registered URI is compared with the one in a request character by character (RFC 6749,
//! 3.1.2.3), so this module normalises nothing.

use std::{
    fmt,
    net::{IpAddr, Ipv6Addr},
};

/// Special value for applications without a redirect URI. The user sees the code and copies it.
pub const OUT_OF_BAND: &str = "urn:ietf:wg:oauth:2.0:oob";

/// Maximum length of a redirect URI, in bytes.
const MAX_LENGTH: usize = 2000;

/// Schemes without a dot that existing Mastodon clients register. New clients use a reverse domain
/// name, which needs no entry here (RFC 8252, 7.1).
const KNOWN_SCHEMES: &[&str] = &[
    "amaroq",
    "cx-c3-toot",
    "fedi",
    "fedilab",
    "feditext",
    "honeymustard",
    "husky",
    "hyperspace",
    "icecubesapp",
    "imast",
    "ivory",
    "kaiteki",
    "mammoth",
    "mastodon",
    "megalodon",
    "metatext",
    "mona",
    "moshidon",
    "oauth-vernissage",
    "oauth2redirect",
    "opener",
    "pachli",
    "pixelfed",
    "radiant",
    "sengi",
    "spring",
    "subwaytooter",
    "tackle",
    "threaded",
    "tokodon",
    "toot",
    "tootle",
    "tooot",
    "trunks",
    "tuba",
    "tusker",
    "tusky",
    "vernissage",
    "whalebird",
    "woolly",
    "yuito",
];

/// Suffix of the schemes that the official client for Android and its many variants use.
const KNOWN_SCHEME_SUFFIX: &str = "-android-auth";

/// Prefixes of schemes with a dot that operating systems handle themselves.
const SYSTEM_SCHEMES: &[&str] =
    &["android.", "com.android.", "com.apple.", "com.microsoft.", "microsoft.", "ms-", "x-apple"];

/// Redirect URI that an application may register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectUri(String);

/// Reason why a redirect URI cannot be registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRedirectUri {
    #[error("must be an absolute URI without a fragment")]
    NotAbsolute,
    #[error(
        "must begin with https, with http for a loopback address, or with the scheme of an \
         application, such as com.example.app"
    )]
    Forbidden,
    #[error("is too long (maximum is {MAX_LENGTH} characters)")]
    TooLong,
}

impl RedirectUri {
    /// Parses a redirect URI: [`OUT_OF_BAND`], an `https` URL, an `http` URL of a loopback host, or
    /// one with the scheme of an application, such as `com.example.app://back`. Every accepted URI
    /// is safe in an HTTP header.
    ///
    /// # Errors
    /// [`InvalidRedirectUri`] with the reason.
    pub fn parse(text: &str) -> Result<Self, InvalidRedirectUri> {
        if text.len() > MAX_LENGTH {
            return Err(InvalidRedirectUri::TooLong);
        }
        if text == OUT_OF_BAND {
            return Ok(Self(text.to_owned()));
        }
        let (scheme, rest) = split(text).ok_or(InvalidRedirectUri::NotAbsolute)?;
        let is_web = matches!(scheme.as_str(), "http" | "https");
        if !is_web && !is_application_scheme(&scheme) {
            return Err(InvalidRedirectUri::Forbidden);
        }
        let host = if is_web { rest.strip_prefix("//").and_then(host) } else { None };
        if !rest.starts_with('/') || is_web && host.is_none() || !is_uri_text(rest) {
            return Err(InvalidRedirectUri::NotAbsolute);
        }
        if scheme == "http" && !host.is_some_and(is_loopback) {
            return Err(InvalidRedirectUri::Forbidden);
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the URI as it was registered.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns `true` if the code is shown to the user instead of sent.
    #[must_use]
    pub fn is_out_of_band(&self) -> bool {
        self.0 == OUT_OF_BAND
    }

    /// Returns the URI with `query`, which is already encoded, added to its query. An existing
    /// query stays (RFC 6749, 3.1.2).
    #[must_use]
    pub fn with_query(&self, query: &str) -> String {
        let joint = match self.0.split_once('?') {
            None => "?",
            Some((_, before)) if before.is_empty() || before.ends_with('&') => "",
            Some(_) => "&",
        };
        format!("{}{joint}{query}", self.0)
    }

    /// Returns the source that a content security policy must name to let a form lead to this URI:
    /// `https://host:port`, or the scheme with its colon.
    #[must_use]
    pub fn source(&self) -> String {
        let (scheme, rest) = self.0.split_once(':').unwrap_or((&self.0, ""));
        let authority = rest.strip_prefix("//").and_then(|rest| rest.split(['/', '?']).next());
        match authority {
            Some(host) if matches!(&*scheme.to_ascii_lowercase(), "http" | "https") => {
                format!("{scheme}://{host}")
            }
            _ => format!("{scheme}:"),
        }
    }
}

impl fmt::Display for RedirectUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns the scheme in lower case and the text after its colon (RFC 3986, 3.1).
fn split(text: &str) -> Option<(String, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let starts = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    let goes_on = scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    (starts && goes_on).then(|| (scheme.to_ascii_lowercase(), rest))
}

/// Returns `true` if an application handles the scheme, and not the operating system.
fn is_application_scheme(scheme: &str) -> bool {
    let named_after_a_domain = scheme.contains('.')
        && scheme.split('.').all(|label| !label.is_empty())
        && !SYSTEM_SCHEMES.iter().any(|begin| scheme.starts_with(begin));
    named_after_a_domain
        || KNOWN_SCHEMES.contains(&scheme)
        || scheme.strip_suffix(KNOWN_SCHEME_SUFFIX).is_some_and(|client| !client.is_empty())
}

/// Returns the host at the start of the text after `//`, without brackets. Returns `None` if the
/// authority contains anything but a host and an optional port: a user, a password, a wildcard.
fn host(rest: &str) -> Option<&str> {
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let (host, port) = match authority.strip_prefix('[') {
        Some(bracketed) => {
            let (host, port) = bracketed.split_once(']')?;
            host.parse::<Ipv6Addr>().ok()?;
            (host, port)
        }
        None => {
            let (host, port) = authority.split_at(authority.find(':').unwrap_or(authority.len()));
            let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
            (!host.is_empty() && host.bytes().all(fits)).then_some(())?;
            (host, port)
        }
    };
    let numeric = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let is_port = |port: &str| numeric(port) && port.parse::<u16>().is_ok();
    (port.is_empty() || port.strip_prefix(':').is_some_and(is_port)).then_some(host)
}

/// Returns `true` if the host is the user's own machine (RFC 8252, 7.3).
fn is_loopback(host: &str) -> bool {
    let name = host.to_ascii_lowercase();
    name == "localhost"
        || name.ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Returns `true` if every character is allowed in a URI; `#` is not (RFC 3986, 2).
fn is_uri_text(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().all(|(position, byte)| match byte {
        b'%' => bytes
            .get(position + 1..position + 3)
            .is_some_and(|escape| escape.iter().all(u8::is_ascii_hexdigit)),
        byte => byte.is_ascii_alphanumeric() || b"-._~:/?[]@!$&'()*+,;=".contains(byte),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn web_urls_application_schemes_and_out_of_band_are_accepted() {
        for uri in [
            OUT_OF_BAND,
            "https://app.example/callback",
            "http://localhost:8080/",
            "http://127.0.0.1:7007",
            "https://[2001:db8::1]:443/a?b=c&d=%20",
            "com.example.app://oauth",
            "ExampleApp.example:/back",
            "https://app.example?x",
            "http://localhost?x",
            "http://[::1]:3000/back",
            "http://app.localhost/back",
            // Registered by existing clients.
            "oauth2redirect://com.keylesspalace.tusky/",
            "mastodon://joinmastodon.org/oauth",
            "mastodon-android-auth://callback",
            "moshidon-android-auth://callback",
            "icecubesapp://",
            "com.tapbots.Ivory.219://request_token/4567",
            "tooot://instance-auth",
            "metatext://oauth.callback",
            "fedilab://backtofedilab",
            "subwaytooter://oauth/",
            "tokodon://oauth",
            "tuba://auth_code",
            "oauth-vernissage://oauth-callback/mastodon",
            "dev.geopjr.Tuba://auth_code",
        ] {
            assert_eq!(RedirectUri::parse(uri).map(|uri| uri.0), Ok(uri.to_owned()));
        }
    }

    #[test]
    fn system_and_unknown_schemes_are_refused_in_any_spelling() {
        for uri in [
            "javascript:alert(1)",
            "JavaScript://%0aalert(1)",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "blob:https://a.example/x",
            "view-source:https://a.example",
            "ms-msdt:/id",
            "MS-MSDT://id",
            "search-ms://query",
            "ms-settings.x://y",
            "microsoft.windows.camera://x",
            "x-apple.systempreferences://x",
            "com.apple.tv://x",
            "tel://1",
            "intent://x",
            "vscode://x",
            "steam://run/1",
            "unknown://x",
            "-android-auth://x",
            ".://x",
            "a.://x",
            "urn:ietf:wg:oauth:2.0:other",
            "localhost:3000/callback",
        ] {
            assert!(RedirectUri::parse(uri).is_err(), "{uri}");
        }
        for uri in [" javascript:alert(1)", "java\nscript:alert(1)", "\u{1}javascript:alert(1)"] {
            assert_eq!(RedirectUri::parse(uri), Err(InvalidRedirectUri::NotAbsolute), "{uri:?}");
        }
    }

    #[test]
    fn http_is_accepted_for_loopback_hosts_only() {
        for uri in [
            "http://app.example/",
            "http://10.0.0.1/",
            "http://localhost.evil.example/",
            "http://127.0.0.1.evil.example/",
            "http://[::2]/",
            "HTTP://app.example/",
        ] {
            assert_eq!(RedirectUri::parse(uri), Err(InvalidRedirectUri::Forbidden), "{uri}");
        }
    }

    #[test]
    fn relative_and_malformed_uris_are_refused() {
        for uri in [
            "",
            "/callback",
            "app.example/callback",
            "//app.example/callback",
            "https:",
            "https:///callback",
            "https://",
            "https://:80/",
            "https://a.example:port/",
            "https://user:secret@a.example/",
            "https://a.example@evil.example/",
            "https://a.example/#fragment",
            "https://a.example/a b",
            "https://a.example\\@evil.example/",
            "https://a.example/%zz",
            "https://ä.example/",
            "https://[::1/",
            "https://[a;b]/",
            "https://a.example;x/",
            "https://*.example/",
            "https://*/",
            "https://a.example:99999/",
            "https://a.example:+1/",
            "https://%61.example/",
            "https://a,b.example/",
            "https://'self'/",
            "com.example.app:back",
            "1app://x",
        ] {
            assert_eq!(RedirectUri::parse(uri), Err(InvalidRedirectUri::NotAbsolute), "{uri:?}");
        }
        let long = format!("https://a.example/{}", "x".repeat(MAX_LENGTH));
        assert_eq!(RedirectUri::parse(&long), Err(InvalidRedirectUri::TooLong));
    }

    #[test]
    fn a_query_is_appended_to_an_existing_query() {
        let with = |uri| RedirectUri::parse(uri).unwrap().with_query("code=1");
        assert_eq!(with("https://a.example/cb"), "https://a.example/cb?code=1");
        assert_eq!(with("https://a.example/cb?x=y"), "https://a.example/cb?x=y&code=1");
        assert_eq!(with("https://a.example/cb?"), "https://a.example/cb?code=1");
        assert_eq!(with("icecubesapp://"), "icecubesapp://?code=1");
    }

    #[test]
    fn the_form_source_is_the_host_or_the_scheme() {
        let source = |uri| RedirectUri::parse(uri).unwrap().source();
        assert_eq!(source("https://a.example:8443/cb?x=y"), "https://a.example:8443");
        assert_eq!(source("http://localhost?x"), "http://localhost");
        assert_eq!(source("com.example.app://oauth/x"), "com.example.app:");
        assert_eq!(source(OUT_OF_BAND), "urn:");
    }

    proptest! {
        #[test]
        fn accepted_uris_are_unchanged_and_safe_in_headers(text in "\\PC{0,60}") {
            if let Ok(uri) = RedirectUri::parse(&text) {
                prop_assert_eq!(uri.as_str(), &text);
                prop_assert!(text.bytes().all(|byte| byte.is_ascii_graphic()));
                prop_assert!(!text.contains('#') && text.contains(':'));
                prop_assert!(is_one_source(&uri.source()), "{}", uri.source());
            }
        }

        #[test]
        fn an_https_url_with_a_host_is_accepted(
            host in "[a-z0-9-]{1,20}(\\.[a-z0-9-]{1,10}){0,3}",
            port in proptest::option::of(1u16..),
            path in "(/[A-Za-z0-9._~!$&'()*+,;=:@-]{0,10}){0,4}",
        ) {
            let port = port.map(|port| format!(":{port}")).unwrap_or_default();
            let uri = format!("https://{host}{port}{path}");
            prop_assert!(RedirectUri::parse(&uri).is_ok(), "{}", uri);
            prop_assert_eq!(
                RedirectUri::parse(&uri).unwrap().source(),
                format!("https://{host}{port}")
            );
        }

        #[test]
        fn an_accepted_uri_is_one_policy_source(
            scheme in "https|http|com\\.example|mona",
            authority in "[a-z0-9.:*;,'\\[\\]@_!$&()+=~%-]{0,20}",
            path in "(/[ -~]{0,10}){0,2}",
        ) {
            if let Ok(uri) = RedirectUri::parse(&format!("{scheme}://{authority}{path}")) {
                prop_assert!(is_one_source(&uri.source()), "{}", uri.source());
            }
        }

        #[test]
        fn schemes_ignore_case(
            scheme in proptest::sample::select(KNOWN_SCHEMES),
            upper in proptest::collection::vec(any::<bool>(), 12),
        ) {
            let scheme: String = scheme
                .chars()
                .zip(upper.iter().cycle())
                .map(|(c, upper)| if *upper { c.to_ascii_uppercase() } else { c })
                .collect();
            let uri = format!("{scheme}://x");
            prop_assert!(RedirectUri::parse(&uri).is_ok());
        }
    }

    /// Returns `true` if a content security policy parses the text as one source without wildcards.
    fn is_one_source(source: &str) -> bool {
        source.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":/.-_+[]".contains(&byte))
    }
}
