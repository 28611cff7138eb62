//! Whether a request that changes something comes from a page of ours.

use actix_web::{
    HttpRequest,
    http::header::{HOST, ORIGIN},
};
use siskin_services::forgery as tokens;

/// The header in which scripts send the token.
const HEADER: &str = "x-csrf-token";
/// The field in which forms send it.
pub(super) const FIELD: &str = "authenticity_token";

/// Whether the request carries the token of the browser with this secret (in the header, or in
/// the form as `field`), and does not come from another origin.
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

/// Whether the browser says that the request comes from this server, or says nothing. It is this
/// server too where a person reaches it by another name than its own.
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
