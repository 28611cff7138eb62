//! CSRF protection: checks that a request that changes something comes from a page of this server.

use actix_web::{
    HttpRequest,
    http::header::{HOST, ORIGIN},
};
use siskin_services::forgery as tokens;

/// Header in which scripts send the CSRF token.
const HEADER: &str = "x-csrf-token";
/// Form field that carries the CSRF token.
pub(super) const FIELD: &str = "authenticity_token";

/// Returns `true` if the request carries the CSRF token that belongs to `secret` and does not come
/// from another origin. The token is in the header, or in the form as `field`.
pub(super) fn is_genuine(
    request: &HttpRequest,
    base_url: &str,
    secret: &str,
    field: Option<&str>,
) -> bool {
    let header = request.headers().get(HEADER).and_then(|value| value.to_str().ok());
    let presented = header.or(field);
    is_from_here(request, base_url)
        && presented.is_some_and(|presented| tokens::is_genuine(secret, presented))
}

/// Returns `true` if the browser names this server as the origin, or names no origin. A request
/// that reaches this server under another host name than its own counts as its own, too.
fn is_from_here(request: &HttpRequest, base_url: &str) -> bool {
    let text = |name| request.headers().get(name).map(|value| value.to_str().unwrap_or_default());
    match text(ORIGIN) {
        None => true,
        Some(origin) => {
            let host = origin.split_once("://").map(|(_, host)| host);
            origin.eq_ignore_ascii_case(base_url)
                || host.is_some_and(|host| text(HOST) == Some(host))
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    const BASE: &str = "https://siskin.example";

    fn genuine(headers: &[(&str, &str)], field: Option<&str>) -> bool {
        let mut request = TestRequest::post();
        for header in headers {
            request = request.insert_header(*header);
        }
        is_genuine(&request.to_http_request(), BASE, "secret", field)
    }

    #[test]
    fn the_token_comes_in_the_header_or_the_form() {
        let token = tokens::token("secret");
        assert!(genuine(&[("x-csrf-token", &token)], None));
        assert!(genuine(&[], Some(&token)));
        assert!(!genuine(&[], None));
        assert!(!genuine(&[("x-csrf-token", "wrong")], Some(&token)));
        assert!(!genuine(&[], Some(&tokens::token("another"))));
    }

    #[test]
    fn a_good_token_from_another_origin_is_refused() {
        let token = tokens::token("secret");
        for (origin, host, good) in [
            (BASE, "siskin.example", true),
            ("http://127.0.0.1:3000", "127.0.0.1:3000", true),
            ("https://evil.example", "siskin.example", false),
            ("null", "siskin.example", false),
            ("", "siskin.example", false),
        ] {
            let headers = [("origin", origin), ("host", host)];
            assert_eq!(genuine(&headers, Some(&token)), good, "{origin}");
        }
    }
}
