//! A view of an HTTP request, for signatures of it.
//!
//! The inbox of a server builds it of what arrived, and an HTTP client of what it is about to send.
//! The view borrows everything and decides nothing.

use std::fmt;

use url::{Position, Url};

/// HTTP request of any version.
#[derive(Clone, Copy)]
pub struct Request<'r> {
    /// Method in the case in which it was sent, such as `POST`.
    pub method: &'r str,
    /// `https` or `http`, as the other side sees it: a proxy may have ended TLS.
    pub scheme: &'r str,
    /// Host, and port if it is named: the header `Host`, or `:authority` of HTTP/2.
    pub authority: &'r str,
    /// Path and query as they were sent, such as `/users/a/inbox?page=1`.
    pub target: &'r str,
    /// Names in any case and values, in the order in which they were sent. A name that was sent
    /// twice is there twice.
    pub headers: &'r [(&'r str, &'r [u8])],
    /// Body without transfer encoding, but with its content encoding.
    pub body: &'r [u8],
}

impl<'r> Request<'r> {
    /// Returns the view of a request to this URL. Returns `None` if the URL has no host.
    ///
    /// ```
    /// use siskin_federation::request::Request;
    ///
    /// let url = "https://town.example/users/a?page=1#top".parse().unwrap();
    /// let request = Request::to_url("GET", &url, &[], b"").unwrap();
    /// assert_eq!((request.authority, request.target), ("town.example", "/users/a?page=1"));
    /// ```
    #[must_use]
    pub fn to_url(
        method: &'r str,
        url: &'r Url,
        headers: &'r [(&'r str, &'r [u8])],
        body: &'r [u8],
    ) -> Option<Self> {
        let authority = &url[Position::BeforeHost..Position::AfterPort];
        let target = &url[Position::BeforePath..Position::AfterQuery];
        let request = Self { method, scheme: url.scheme(), authority, target, headers, body };
        (!authority.is_empty()).then_some(request)
    }

    /// Returns `true` if the method only reads and there is no body, so that no digest is needed.
    pub(crate) fn is_bodyless(&self) -> bool {
        matches!(self.method, "GET" | "HEAD") && self.body.is_empty()
    }

    /// Returns the values of a header without the white space around them.
    pub(crate) fn values(&self, name: &str) -> impl Iterator<Item = &'r [u8]> {
        let lines = self.headers.iter().filter(move |(known, _)| known.eq_ignore_ascii_case(name));
        lines.map(|(_, value)| value.trim_ascii())
    }

    /// Returns the values of a header in one line, as both signature schemes sign them. Returns
    /// `None` if the header is absent, or if a value has a control character that ends a line.
    pub(crate) fn combined(&self, name: &str) -> Option<Vec<u8>> {
        let values: Vec<&[u8]> = self.values(name).collect();
        let is_clean = |value: &&[u8]| !value.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0));
        (!values.is_empty() && values.iter().all(is_clean)).then(|| values.join(&b", "[..]))
    }

    /// Returns the host and the port in lower case, without a port that the scheme implies.
    pub(crate) fn normal_authority(&self) -> String {
        normal_authority(self.scheme, self.authority)
    }

    /// Returns the path. It ends before the query.
    pub(crate) fn path(&self) -> &'r str {
        self.target.split_once('?').map_or(self.target, |(path, _)| path)
    }

    /// Returns the request without its query. Returns `None` if it has no query.
    pub(crate) fn without_query(&self) -> Option<Self> {
        let (path, _) = self.target.split_once('?')?;
        Some(Self { target: path, ..*self })
    }
}

/// Returns a host and port in lower case, without a port that the scheme implies.
pub(crate) fn normal_authority(scheme: &str, authority: &str) -> String {
    let implied = if scheme.eq_ignore_ascii_case("http") { ":80" } else { ":443" };
    let lower = authority.to_ascii_lowercase();
    lower.strip_suffix(implied).map_or(lower.clone(), str::to_owned)
}

/// Shows no headers and no body, because they may be private.
impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("scheme", &self.scheme)
            .field("authority", &self.authority)
            .field("target", &self.target)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_implied_port_is_not_part_of_the_authority() {
        for (scheme, authority, normal) in [
            ("https", "Town.Example", "town.example"),
            ("https", "town.example:443", "town.example"),
            ("https", "town.example:80", "town.example:80"),
            ("http", "town.example:80", "town.example"),
            ("http", "127.0.0.1:3000", "127.0.0.1:3000"),
            ("https", "[::1]:443", "[::1]"),
        ] {
            assert_eq!(normal_authority(scheme, authority), normal, "{scheme} {authority}");
        }
    }

    #[test]
    fn values_of_one_name_are_joined_in_their_order() {
        let headers: &[(&str, &[u8])] =
            &[("Accept", b" a "), ("X-Odd", b"1\r\n2"), ("accept", b"b, c"), ("X-Empty", b"")];
        let url = "https://town.example/".parse().unwrap();
        let request = Request::to_url("GET", &url, headers, b"").unwrap();
        assert_eq!(request.combined("ACCEPT").unwrap(), b"a, b, c");
        assert_eq!(request.combined("x-empty").unwrap(), b"");
        assert_eq!(request.combined("x-odd"), None);
        assert_eq!(request.combined("host"), None);
    }

    #[test]
    fn debug_output_shows_no_headers() {
        let headers: &[(&str, &[u8])] = &[("Authorization", b"secret")];
        let url = "https://town.example/".parse().unwrap();
        let request = Request::to_url("POST", &url, headers, b"private").unwrap();
        let shown = format!("{request:?}");
        assert!(!shown.contains("secret") && !shown.contains("private"), "{shown}");
    }

    #[test]
    fn a_url_without_host_is_no_request() {
        let url = "mailto:a@town.example".parse().unwrap();
        assert!(Request::to_url("GET", &url, &[], b"").is_none());
    }
}
