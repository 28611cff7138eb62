//! Where a person goes after signing in: a page of this server, and never anywhere else.

use actix_web::{HttpRequest, cookie::Cookie, http::Method};
use siskin_entities::Urls;

use super::{Kind, cookies};

/// Browsers drop cookies of more than 4096 bytes, name and attributes included.
const MAX_LENGTH: usize = 3900;

/// A path with its query on this server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReturnTo(String);

impl ReturnTo {
    /// Reads a path; None for what could lead to another server.
    pub(crate) fn parse(path: &str) -> Option<Self> {
        let other_server = path.starts_with("//") || path.contains('\\');
        let plain = path.starts_with('/') && path.bytes().all(|byte| byte.is_ascii_graphic());
        (plain && !other_server && path.len() <= MAX_LENGTH).then(|| Self(path.to_owned()))
    }

    /// The page that a request asks for, without the parameters named; None for what is not
    /// safe to ask for again.
    pub(crate) fn of(request: &HttpRequest, without: &[&str]) -> Option<Self> {
        if request.method() != Method::GET {
            return None;
        }
        let kept: Vec<&str> = request
            .query_string()
            .split('&')
            .filter(|pair| {
                let name = pair.split('=').next().unwrap_or_default();
                !pair.is_empty() && !without.contains(&name)
            })
            .collect();
        let path = request.path();
        let target =
            if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) };
        // Characters that may stand in a query, but not in a cookie.
        let target = target.replace(',', "%2C").replace(';', "%3B").replace('"', "%22");
        Self::parse(&target)
    }

    /// The page that the browser was told to remember.
    pub(crate) fn remembered(request: &HttpRequest) -> Option<Self> {
        Self::parse(&cookies::get(request, Kind::ReturnTo)?)
    }

    /// The cookie that lets the browser remember it.
    pub(crate) fn remember(self, request: &HttpRequest) -> Cookie<'static> {
        cookies::set(request, Kind::ReturnTo, self.0)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The whole address.
    pub(crate) fn address(&self, urls: &Urls) -> String {
        urls.page(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn a_path_of_this_server_is_kept_and_nothing_else() {
        assert_eq!(ReturnTo::parse("/a?b=c%20d").unwrap().as_str(), "/a?b=c%20d");
        for elsewhere in [
            "",
            "a",
            "https://evil.example",
            "//evil.example",
            "/\\evil.example",
            "/\t/evil.example",
            "javascript:x",
            "/a b",
        ] {
            assert_eq!(ReturnTo::parse(elsewhere), None, "{elsewhere:?}");
        }
        assert_eq!(ReturnTo::parse(&format!("/{}", "x".repeat(MAX_LENGTH))), None);
    }

    #[test]
    fn a_request_is_remembered_without_what_would_lead_in_circles() {
        let of = |uri: &str| {
            let request = TestRequest::with_uri(uri).to_http_request();
            ReturnTo::of(&request, &["force_login"]).map(|to| to.0)
        };
        assert_eq!(
            of("/oauth/authorize?a=1&force_login=true&b=2;x").as_deref(),
            Some("/oauth/authorize?a=1&b=2%3Bx")
        );
        assert_eq!(of("/settings/sessions?force_login=1").as_deref(), Some("/settings/sessions"));
        let post = TestRequest::post().uri("/x").to_http_request();
        assert_eq!(ReturnTo::of(&post, &[]), None);
    }
}
