//! The page to return to after signing in: always a page of this server, never of another.
//!
//! Everything that carries a return address goes through [`ReturnTo`]: hidden fields of forms, the
//! `return_to` parameter of links between the pages of `/auth`, the cookie behind a bare
//! `/auth/sign_in`, and links in emails. The address is carried byte for byte; each carrier encodes
//! it once and decodes it once.

use std::borrow::Cow;

use actix_web::{
    HttpRequest,
    cookie::Cookie,
    http::{Method, header::HOST},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Deserialize;
use siskin_entities::Urls;

use super::{Kind, cookies};

/// Maximum length of the address, in bytes: a state and a redirect URI of full length, with each
/// byte escaped.
const MAX_LENGTH: usize = 16_384;
/// Maximum length of the cookie's value, in bytes. Browsers drop cookies of more than 4096 bytes,
/// name and attributes included.
const MAX_COOKIE: usize = 3900;
/// Parameter that forces a new sign-in. It must not be repeated after one.
const FORCE_LOGIN: &str = "force_login";

/// A path on this server, with its query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReturnTo(String);

/// The parameter by which pages and forms of `/auth` carry a return address.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ReturnToParams {
    return_to: Option<String>,
}

impl ReturnToParams {
    /// Returns the address if it belongs to this server.
    pub(crate) fn page(&self) -> Option<ReturnTo> {
        self.return_to.as_deref().and_then(ReturnTo::parse)
    }

    /// Returns the address in the request, or else the one in the browser's cookie.
    pub(crate) fn page_or_remembered(&self, request: &HttpRequest) -> Option<ReturnTo> {
        self.page().or_else(|| ReturnTo::remembered(request))
    }
}

impl ReturnTo {
    /// Parses a path with its query. Returns `None` if it could lead to another server.
    pub(crate) fn parse(address: &str) -> Option<Self> {
        let path = address.split('?').next().unwrap_or_default();
        // Browsers read a backslash in a path as a slash. In a query it is an ordinary character.
        let other_server = path.starts_with("//") || path.contains('\\');
        let is_path = path.starts_with('/') && address.bytes().all(|byte| byte.is_ascii_graphic());
        (is_path && !other_server && address.len() <= MAX_LENGTH).then(|| Self(address.to_owned()))
    }

    /// Returns the page that a request asks for, or `None` if it must not be repeated.
    pub(crate) fn of(request: &HttpRequest) -> Option<Self> {
        if request.method() != Method::GET {
            return None;
        }
        let query = without_force_login(request.query_string());
        let address = match &*query {
            "" => request.path().to_owned(),
            query => format!("{}?{query}", request.path()),
        };
        Self::parse(&ascii(&address))
    }

    /// Returns the page in the browser's cookie.
    fn remembered(request: &HttpRequest) -> Option<Self> {
        let value = cookies::get(request, Kind::ReturnTo)?;
        let address = URL_SAFE_NO_PAD.decode(value).ok()?;
        Self::parse(std::str::from_utf8(&address).ok()?)
    }

    /// Returns `true` if the browser's cookie holds this very page.
    pub(crate) fn is_remembered(&self, request: &HttpRequest) -> bool {
        Self::remembered(request).as_ref() == Some(self)
    }

    /// Returns the cookie in which the browser remembers the page. Returns `None` if the browser
    /// would not send it to the sign-in page: it is too long, or the request reached the server by
    /// another host name than that of `urls`.
    pub(crate) fn cookie(&self, request: &HttpRequest, urls: &Urls) -> Option<Cookie<'static>> {
        // Encoded, because the cookie parser decodes percent signs.
        let value = URL_SAFE_NO_PAD.encode(&self.0);
        let fits = value.len() <= MAX_COOKIE && is_reached_by(request, urls);
        fits.then(|| cookies::set(request, Kind::ReturnTo, value))
    }

    /// Returns `path` with a query that carries the page, or `path` itself if there is none.
    pub(crate) fn append_to(page: Option<&Self>, path: &str) -> String {
        let encode = |page: &Self| -> String {
            form_urlencoded::byte_serialize(page.0.as_bytes()).collect()
        };
        page.map_or_else(|| path.to_owned(), |page| format!("{path}?return_to={}", encode(page)))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the page as a text for the database.
    pub(crate) fn into_text(self) -> String {
        self.0
    }

    /// Returns the full URL of the page.
    pub(crate) fn address(&self, urls: &Urls) -> String {
        urls.page(&self.0)
    }
}

/// Returns `query` without [`FORCE_LOGIN`], in any escaped spelling of the name.
pub(crate) fn without_force_login(query: &str) -> Cow<'_, str> {
    let is_force_login = |pair: &str| {
        form_urlencoded::parse(pair.as_bytes()).next().is_some_and(|(name, _)| name == FORCE_LOGIN)
    };
    if query.split('&').any(is_force_login) {
        let others: Vec<&str> = query.split('&').filter(|pair| !is_force_login(pair)).collect();
        Cow::Owned(others.join("&"))
    } else {
        Cow::Borrowed(query)
    }
}

/// Escapes characters that are not allowed in a URL; some clients send them unescaped.
fn ascii(address: &str) -> Cow<'_, str> {
    const NOT_ASCII: &percent_encoding::AsciiSet = percent_encoding::CONTROLS;
    percent_encoding::utf8_percent_encode(address, NOT_ASCII).into()
}

/// Returns `true` if the request names the host of the base URL, to which the cookies belong.
fn is_reached_by(request: &HttpRequest, urls: &Urls) -> bool {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    let own = urls.base().split_once("://").map(|(_, own)| own);
    host.zip(own).is_some_and(|(host, own)| host.eq_ignore_ascii_case(own))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;
    use proptest::prelude::*;

    use super::*;

    fn of(uri: &str) -> Option<String> {
        ReturnTo::of(&TestRequest::with_uri(uri).to_http_request()).map(ReturnTo::into_text)
    }

    #[test]
    fn a_path_of_this_server_is_accepted_and_nothing_else() {
        for here in ["/", "/a?b=c%20d", "/a?b=c\\d", "/a?b=//evil.example", "/a%5C%5Cb"] {
            assert_eq!(ReturnTo::parse(here).unwrap().as_str(), here);
        }
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
    fn a_request_is_remembered_without_force_login() {
        for (uri, page) in [
            ("/oauth/authorize?a=1&force_login=true&b=2;x", "/oauth/authorize?a=1&b=2;x"),
            ("/oauth/authorize?a=1&force%5Flogin=true", "/oauth/authorize?a=1"),
            ("/oauth/authorize?a=%2BforceXlogin&&b", "/oauth/authorize?a=%2BforceXlogin&&b"),
            ("/settings/sessions?force_login=1", "/settings/sessions"),
        ] {
            assert_eq!(of(uri).as_deref(), Some(page));
        }
        let post = TestRequest::post().uri("/x").to_http_request();
        assert_eq!(ReturnTo::of(&post), None);
    }

    proptest! {
        #[test]
        fn each_carrier_preserves_the_address(query in "[!$%-;=?-~]{0,200}") {
            let address = format!("/oauth/authorize?x={query}");
            let page = ReturnTo::parse(&address).unwrap();

            let link = ReturnTo::append_to(Some(&page), "/auth/sign_in");
            let (_, carried) = link.split_once('?').unwrap();
            let (name, value) = form_urlencoded::parse(carried.as_bytes()).next().unwrap();
            prop_assert_eq!((&*name, &*value), ("return_to", address.as_str()));

            let urls = Urls::new("http://localhost:3000", "localhost:3000", "http://localhost:3000/media");
            let first = TestRequest::get().insert_header((HOST, "localhost:3000"));
            let cookie = page.cookie(&first.to_http_request(), &urls).unwrap();
            let text = cookie.to_string();
            let sent = Cookie::parse_encoded(text.split(';').next().unwrap().to_owned()).unwrap();
            let second = TestRequest::get().cookie(sent).to_http_request();
            prop_assert!(page.is_remembered(&second));
        }
    }

    #[test]
    fn cookies_are_set_only_if_the_sign_in_page_receives_them() {
        let urls =
            Urls::new("https://siskin.example", "siskin.example", "https://siskin.example/media");
        let cookie = |host: &str, page: &str| {
            let request = TestRequest::get().insert_header((HOST, host)).to_http_request();
            ReturnTo::parse(page).unwrap().cookie(&request, &urls).is_some()
        };
        assert!(cookie("siskin.example", "/a") && cookie("Siskin.example", "/a"));
        assert!(!cookie("www.siskin.example", "/a"));
        assert!(!cookie("siskin.example", &format!("/{}", "x".repeat(3000))));
    }
}
