//! Content negotiation: the kind of response that a request asks for in its `Accept` header.

use actix_web::{
    HttpRequest,
    http::header::{Accept, Header as _, Quality},
};

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
        let accept = Accept::parse(request).ok()?;
        // An entry with a quality of zero excludes its type.
        let refused = |essence: &str| {
            accept
                .iter()
                .any(|item| item.item.essence_str() == essence && item.quality == Quality::ZERO)
        };
        accept.ranked().iter().find_map(|kind| {
            let essence = kind.essence_str();
            match essence {
                _ if refused(essence) => None,
                "text/html" | "application/xhtml+xml" => Some(Self::Page),
                "application/json" | "text/json" => Some(Self::Json),
                _ if kind.suffix().is_some_and(|suffix| suffix == "json") => Some(Self::Json),
                _ => None,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use actix_web::{http::header::ACCEPT, test::TestRequest};

    use super::*;

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
            let request = TestRequest::get().insert_header((ACCEPT, accept)).to_http_request();
            assert_eq!(ResponseFormat::by(&request), expected, "{accept}");
        }
        assert_eq!(ResponseFormat::by(&TestRequest::get().to_http_request()), None);
    }
}
