//! Where a person is sent back to: which addresses an application may register.
//!
//! A registered address is compared with the one in a request character by character (RFC 6749,
//! 3.1.2.3), so nothing here normalises.

use std::fmt;

/// The address that is none: the code is shown, and the person carries it over.
pub const OUT_OF_BAND: &str = "urn:ietf:wg:oauth:2.0:oob";

/// The longest address, in bytes.
const MAX_LENGTH: usize = 2000;

/// Schemes that run code, or read what is not the application's, instead of leading to it.
const FORBIDDEN_SCHEMES: &[&str] = &[
    "about",
    "blob",
    "chrome",
    "content",
    "data",
    "file",
    "filesystem",
    "ftp",
    "intent",
    "jar",
    "javascript",
    "livescript",
    "mailto",
    "mhtml",
    "mocha",
    "resource",
    "vbscript",
    "view-source",
    "ws",
    "wss",
];

/// An address that an application may register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectUri(String);

/// The text is no address that an application may register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRedirectUri {
    #[error("must be an absolute URI without a fragment")]
    NotAbsolute,
    #[error("must not have that scheme")]
    Forbidden,
    #[error("is too long (maximum is {MAX_LENGTH} characters)")]
    TooLong,
}

impl RedirectUri {
    /// Reads an address: [`OUT_OF_BAND`], an `http(s)` address with a host, or one with the scheme
    /// of an application, such as `com.example.app://back`.
    ///
    /// # Errors
    /// Why it cannot be registered.
    pub fn parse(text: &str) -> Result<Self, InvalidRedirectUri> {
        if text.len() > MAX_LENGTH {
            return Err(InvalidRedirectUri::TooLong);
        }
        if text != OUT_OF_BAND {
            let (scheme, rest) = split(text).ok_or(InvalidRedirectUri::NotAbsolute)?;
            if FORBIDDEN_SCHEMES.contains(&scheme.as_str()) {
                return Err(InvalidRedirectUri::Forbidden);
            }
            let leads_somewhere = match scheme.as_str() {
                "http" | "https" => rest.strip_prefix("//").is_some_and(names_a_host),
                _ => rest.starts_with('/'),
            };
            if !leads_somewhere || !is_uri_text(rest) {
                return Err(InvalidRedirectUri::NotAbsolute);
            }
        }
        Ok(Self(text.to_owned()))
    }

    /// The address as it was registered.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the code is to be shown instead of sent.
    #[must_use]
    pub fn is_out_of_band(&self) -> bool {
        self.0 == OUT_OF_BAND
    }

    /// The address with more in its query; `query` is encoded, and the query there is stays
    /// (RFC 6749, 3.1.2).
    #[must_use]
    pub fn with_query(&self, query: &str) -> String {
        let joint = match self.0.split_once('?') {
            None => "?",
            Some((_, before)) if before.is_empty() || before.ends_with('&') => "",
            Some(_) => "&",
        };
        format!("{}{joint}{query}", self.0)
    }

    /// What a page must name to let its form lead here: `https://host:port`, or the scheme with
    /// its colon.
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

/// The scheme in lower case and what follows its colon (RFC 3986, 3.1).
fn split(text: &str) -> Option<(String, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let starts = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    let goes_on = scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    (starts && goes_on).then(|| (scheme.to_ascii_lowercase(), rest))
}

/// Whether what follows `//` begins with a host and, perhaps, a port: no user, no password.
fn names_a_host(rest: &str) -> bool {
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let (host, port) = match authority.strip_prefix('[') {
        Some(bracketed) => match bracketed.split_once(']') {
            Some((host, port)) => (host, port),
            None => return false,
        },
        None => authority.find(':').map_or((authority, ""), |colon| authority.split_at(colon)),
    };
    let numeric = |port: &str| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    !host.is_empty()
        && !authority.contains('@')
        && (port.is_empty() || port.strip_prefix(':').is_some_and(numeric))
}

/// Whether each character may stand in a URI, a `#` apart (RFC 3986, 2).
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
    fn web_addresses_schemes_of_applications_and_out_of_band_are_accepted() {
        for uri in [
            OUT_OF_BAND,
            "https://app.example/callback",
            "http://localhost:8080/",
            "http://127.0.0.1:7007",
            "https://[2001:db8::1]:443/a?b=c&d=%20",
            "com.example.app://oauth",
            "ExampleApp:/back",
            "tooter://",
            "https://app.example?x",
        ] {
            assert_eq!(RedirectUri::parse(uri).map(|uri| uri.0), Ok(uri.to_owned()));
        }
    }

    #[test]
    fn addresses_that_run_code_are_refused_however_they_are_spelled() {
        for uri in [
            "javascript:alert(1)",
            "JavaScript://%0aalert(1)",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "blob:https://a.example/x",
            "view-source:https://a.example",
        ] {
            assert_eq!(RedirectUri::parse(uri), Err(InvalidRedirectUri::Forbidden), "{uri}");
        }
        for uri in [" javascript:alert(1)", "java\nscript:alert(1)", "\u{1}javascript:alert(1)"] {
            assert_eq!(RedirectUri::parse(uri), Err(InvalidRedirectUri::NotAbsolute), "{uri:?}");
        }
    }

    #[test]
    fn relative_and_malformed_addresses_are_refused() {
        for uri in [
            "",
            "/callback",
            "app.example/callback",
            "//app.example/callback",
            "localhost:3000/callback",
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
            "urn:ietf:wg:oauth:2.0:other",
            "1app://x",
        ] {
            assert_eq!(RedirectUri::parse(uri), Err(InvalidRedirectUri::NotAbsolute), "{uri:?}");
        }
        let long = format!("https://a.example/{}", "x".repeat(MAX_LENGTH));
        assert_eq!(RedirectUri::parse(&long), Err(InvalidRedirectUri::TooLong));
    }

    #[test]
    fn a_query_is_added_to_the_one_there_is() {
        let with = |uri| RedirectUri::parse(uri).unwrap().with_query("code=1");
        assert_eq!(with("https://a.example/cb"), "https://a.example/cb?code=1");
        assert_eq!(with("https://a.example/cb?x=y"), "https://a.example/cb?x=y&code=1");
        assert_eq!(with("https://a.example/cb?"), "https://a.example/cb?code=1");
        assert_eq!(with("app://"), "app://?code=1");
    }

    #[test]
    fn a_form_may_lead_to_the_host_or_the_scheme() {
        let source = |uri| RedirectUri::parse(uri).unwrap().source();
        assert_eq!(source("https://a.example:8443/cb?x=y"), "https://a.example:8443");
        assert_eq!(source("http://localhost?x"), "http://localhost");
        assert_eq!(source("com.example.app://oauth/x"), "com.example.app:");
        assert_eq!(source(OUT_OF_BAND), "urn:");
    }

    proptest! {
        #[test]
        fn what_is_accepted_is_kept_as_it_is_and_can_stand_in_a_header(text in "\\PC{0,60}") {
            if let Ok(uri) = RedirectUri::parse(&text) {
                prop_assert_eq!(uri.as_str(), &text);
                prop_assert!(text.bytes().all(|byte| byte.is_ascii_graphic()));
                prop_assert!(!text.contains('#') && text.contains(':'));
            }
        }

        #[test]
        fn an_address_of_a_host_is_accepted(
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
        fn a_forbidden_scheme_is_refused_in_any_case(
            scheme in proptest::sample::select(FORBIDDEN_SCHEMES),
            upper in proptest::collection::vec(any::<bool>(), 12),
            rest in "[ -~]{0,20}",
        ) {
            let scheme: String = scheme
                .chars()
                .zip(upper.iter().cycle())
                .map(|(c, upper)| if *upper { c.to_ascii_uppercase() } else { c })
                .collect();
            let uri = format!("{scheme}:{rest}");
            prop_assert_eq!(RedirectUri::parse(&uri), Err(InvalidRedirectUri::Forbidden));
        }
    }
}
