//! Content negotiation: the kind of response that a request asks for in its `Accept` header.

use actix_web::{
    HttpRequest,
    http::header::{Accept, Header as _, Quality},
};

/// Types of pages.
const PAGE: [&str; 2] = ["text/html", "application/xhtml+xml"];
/// Types of documents of ActivityPub, with any profile.
const DOCUMENT: [&str; 2] = ["application/activity+json", "application/ld+json"];
const JSON: [&str; 2] = ["application/json", "text/json"];

/// A kind of response that a request can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResponseFormat {
    /// HTML, the kind that browsers ask for.
    Page,
    Json,
}

impl ResponseFormat {
    /// Returns the kind that the request prefers. `None` if it names neither of them.
    pub(crate) fn by(request: &HttpRequest) -> Option<Self> {
        preferred(request, |essence| match essence {
            _ if PAGE.contains(&essence) => Some(Self::Page),
            _ if JSON.contains(&essence) || essence.ends_with("+json") => Some(Self::Json),
            _ => None,
        })
    }
}

/// Returns `true` if the request prefers a document of ActivityPub to a page. Only a request that
/// names one of its types does: no browser does, and most programs do not.
pub(crate) fn prefers_document(request: &HttpRequest) -> bool {
    let kind = preferred(request, |essence| match essence {
        _ if PAGE.contains(&essence) => Some(false),
        _ if DOCUMENT.contains(&essence) => Some(true),
        _ => None,
    });
    kind.unwrap_or(false)
}

/// Returns what is offered for the type that the request prefers, among those for which something
/// is offered. Types are passed in lower case, without parameters.
fn preferred<T>(request: &HttpRequest, offered: impl Fn(&str) -> Option<T>) -> Option<T> {
    let accept = Accept::parse(request).ok()?;
    // An entry with a quality of zero excludes its type.
    let refused = |essence: &str| {
        accept
            .iter()
            .any(|item| item.item.essence_str() == essence && item.quality == Quality::ZERO)
    };
    accept.ranked().iter().find_map(|kind| {
        let essence = kind.essence_str();
        if refused(essence) { None } else { offered(essence) }
    })
}

#[cfg(test)]
mod tests {
    use actix_web::{http::header::ACCEPT, test::TestRequest};

    use super::*;

    fn request(accept: &str) -> HttpRequest {
        TestRequest::get().insert_header((ACCEPT, accept)).to_http_request()
    }

    #[test]
    fn the_format_with_the_highest_quality_is_preferred() {
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        for (accept, expected) in [
            (browser, Some(ResponseFormat::Page)),
            ("application/json", Some(ResponseFormat::Json)),
            ("application/activity+json", Some(ResponseFormat::Json)),
            ("application/json;q=0.5, text/html", Some(ResponseFormat::Page)),
            ("text/html;q=0.5, application/json", Some(ResponseFormat::Json)),
            ("application/json, text/plain, */*", Some(ResponseFormat::Json)),
            ("text/html;q=0", None),
            ("*/*", None),
            ("text/plain", None),
            ("", None),
            ("nonsense", None),
        ] {
            assert_eq!(ResponseFormat::by(&request(accept)), expected, "{accept}");
        }
        assert_eq!(ResponseFormat::by(&TestRequest::get().to_http_request()), None);
    }

    #[test]
    fn only_requests_that_name_a_type_of_documents_get_one() {
        let profile = r#"application/ld+json; profile="https://www.w3.org/ns/activitystreams""#;
        let peer = format!("application/activity+json, {profile}, text/html;q=0.1");
        for accept in [
            "application/activity+json",
            "Application/Activity+JSON; charset=utf-8",
            "application/ld+json",
            profile,
            &peer,
            "application/json, application/activity+json;q=0.5",
            "*/*, application/activity+json;q=0.1",
            "application/activity+json, text/html",
            "text/html;q=0, application/activity+json;q=0.1",
        ] {
            assert!(prefers_document(&request(accept)), "{accept}");
        }
        for accept in [
            "",
            "nonsense",
            "*/*",
            "application/*",
            "application/json",
            "text/html",
            "text/html, application/activity+json",
            "text/html, application/activity+json;q=0.9, */*;q=0.1",
            "application/activity+json;q=0",
            "application/activity+json;q=0, application/activity+json",
            "application/activity",
            "application/rdf+json",
            "application/xhtml+xml, application/ld+json;q=0.5",
        ] {
            assert!(!prefers_document(&request(accept)), "{accept}");
        }
        assert!(!prefers_document(&TestRequest::get().to_http_request()));
    }
}
