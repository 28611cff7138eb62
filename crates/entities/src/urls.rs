//! URLs of this server that entities contain.

use std::fmt::Write as _;

use siskin_ids::StatusId;

use crate::picture::Picture;

/// Paths of the placeholder images for accounts without an avatar or header, as in Mastodon.
const MISSING_AVATAR: &str = "/avatars/original/missing.png";
const MISSING_HEADER: &str = "/headers/original/missing.png";

/// Base URLs of this server and of its files, stored without a trailing slash.
///
/// ```
/// use siskin_entities::Urls;
///
/// let urls = Urls::new("https://example.com/", "example.com", "https://files.example");
/// assert_eq!(urls.profile("alice"), "https://example.com/@alice");
/// assert_eq!(urls.file("a.png"), "https://files.example/a.png");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Urls {
    base: String,
    domain: String,
    media: String,
}

impl Urls {
    /// Builds the URLs. `base` is such as `https://example.com`; `domain` is the part of handles
    /// after the `@`; `media` is the base URL of stored files.
    #[must_use]
    pub fn new(base: &str, domain: &str, media: &str) -> Self {
        let base = base.trim_end_matches('/').to_owned();
        Self { base, domain: domain.to_owned(), media: media.trim_end_matches('/').to_owned() }
    }

    /// Returns the base URL, without a trailing slash.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Returns the domain of handles, with its port if that is not the default port.
    #[must_use]
    pub fn domain(&self) -> &str {
        &self.domain
    }

    /// Returns the host of the base URL, with its port if that is not the default port. It differs
    /// from [`domain`](Self::domain) if handles have another domain than the server.
    #[must_use]
    pub fn host(&self) -> &str {
        self.base.split_once("://").map_or(&*self.base, |(_, host)| host)
    }

    /// Returns `true` if handles with this domain, in its normalised form, name accounts of this
    /// server: the domain of its handles, and its own host.
    #[must_use]
    pub fn is_own_domain(&self, domain: &str) -> bool {
        domain == self.domain || domain == self.host()
    }

    /// Returns the base URL of the streaming API: the base URL with `ws://` or `wss://`.
    #[must_use]
    pub fn streaming(&self) -> String {
        match self.base.strip_prefix("http") {
            Some(rest) => format!("ws{rest}"),
            None => self.base.clone(),
        }
    }

    /// Returns the URL of a page of this server; `path` begins with a slash.
    #[must_use]
    pub fn page(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Returns the URL of the profile of a local account.
    #[must_use]
    pub fn profile(&self, username: &str) -> String {
        format!("{}/@{username}", self.base)
    }

    /// Returns the URL of the page of a local status.
    #[must_use]
    pub fn status(&self, username: &str, id: StatusId) -> String {
        format!("{}/@{username}/{id}", self.base)
    }

    /// Returns the federation URI of a local account.
    #[must_use]
    pub fn account_uri(&self, username: &str) -> String {
        format!("{}/users/{username}", self.base)
    }

    /// Returns the federation URI of a local status.
    #[must_use]
    pub fn status_uri(&self, username: &str, id: StatusId) -> String {
        format!("{}/users/{username}/statuses/{id}", self.base)
    }

    /// Returns the URL of the page of a hashtag.
    #[must_use]
    pub fn tag(&self, name: &str) -> String {
        format!("{}/tags/{}", self.base, percent_encoded(name))
    }

    /// Returns the URL of the page with an account's statuses that have a hashtag.
    #[must_use]
    pub fn tagged(&self, username: &str, name: &str) -> String {
        format!("{}/tagged/{}", self.profile(username), percent_encoded(name))
    }

    /// Returns the URL of a stored file.
    #[must_use]
    pub fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.media)
    }

    /// Returns the URL of an account's avatar, or of the placeholder.
    #[must_use]
    pub fn avatar(&self, picture: Option<&Picture>) -> String {
        self.file_or(picture.map(|picture| &*picture.file), MISSING_AVATAR)
    }

    /// Returns the URL of the avatar without animation, or of the placeholder.
    #[must_use]
    pub fn avatar_still(&self, picture: Option<&Picture>) -> String {
        self.file_or(picture.map(Picture::still), MISSING_AVATAR)
    }

    /// Returns the URL of an account's header, or of the placeholder.
    #[must_use]
    pub fn header(&self, picture: Option<&Picture>) -> String {
        self.file_or(picture.map(|picture| &*picture.file), MISSING_HEADER)
    }

    /// Returns the URL of the header without animation, or of the placeholder.
    #[must_use]
    pub fn header_still(&self, picture: Option<&Picture>) -> String {
        self.file_or(picture.map(Picture::still), MISSING_HEADER)
    }

    fn file_or(&self, file: Option<&str>, placeholder: &str) -> String {
        file.map_or_else(|| self.page(placeholder), |name| self.file(name))
    }
}

/// Encodes `text` as one path segment: all bytes of its UTF-8 form are percent-encoded, except for
/// the unreserved characters of RFC 3986.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a `String` cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls() -> Urls {
        Urls::new("https://example.com/", "example.com", "https://example.com/media/")
    }

    #[test]
    fn page_urls_start_with_the_base() {
        assert_eq!(urls().base(), "https://example.com");
        assert_eq!(urls().profile("alice"), "https://example.com/@alice");
        assert_eq!(urls().status("alice", StatusId::new(7)), "https://example.com/@alice/7");
    }

    #[test]
    fn handles_may_have_another_domain_than_the_server() {
        let urls = Urls::new("https://social.example.com:8443/", "example.com", "");
        assert_eq!((urls.domain(), urls.host()), ("example.com", "social.example.com:8443"));
        assert!(urls.is_own_domain("example.com"));
        assert!(urls.is_own_domain("social.example.com:8443"));
        for other in ["social.example.com", "example.com:8443", "com", "a.example.com", ""] {
            assert!(!urls.is_own_domain(other), "{other}");
        }
    }

    #[test]
    fn streaming_urls_use_the_websocket_scheme() {
        assert_eq!(urls().streaming(), "wss://example.com");
        let plain = Urls::new("http://localhost:3000", "localhost:3000", "");
        assert_eq!(plain.streaming(), "ws://localhost:3000");
    }

    #[test]
    fn a_tag_is_one_encoded_segment() {
        assert_eq!(urls().tag("rust_lang"), "https://example.com/tags/rust_lang");
        assert_eq!(urls().tag("é/%"), "https://example.com/tags/%C3%A9%2F%25");
    }

    #[test]
    fn a_missing_picture_has_a_placeholder() {
        assert_eq!(urls().avatar(None), "https://example.com/avatars/original/missing.png");
        assert_eq!(urls().header(None), "https://example.com/headers/original/missing.png");
        let moving = Picture { file: "a.gif".to_owned(), still: Some("b.png".to_owned()) };
        assert_eq!(urls().avatar(Some(&moving)), "https://example.com/media/a.gif");
        assert_eq!(urls().header_still(Some(&moving)), "https://example.com/media/b.png");
        let still = Picture { still: None, ..moving };
        assert_eq!(urls().avatar_still(Some(&still)), "https://example.com/media/a.gif");
    }
}
