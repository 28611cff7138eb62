//! Pagination: reads cursors from a request and writes the `Link` header.

pub(crate) mod offset;

use std::{num::IntErrorKind, ops::Range};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{ContentType, LINK},
};
use serde::{Deserialize, Serialize};
use siskin_entities::{Cursor, Page, PageRequest, Urls};
use siskin_policy::limits::PageLimit;
use siskin_services::Error as Domain;
use siskin_wire::budget::{Budget, write_rendered};

use crate::Result;

/// Limit of a list without pages.
const WHOLE: PageLimit = PageLimit { default: i64::MAX, max: i64::MAX };

/// The parameters of every paginated list.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct PageQuery {
    max_id: Option<String>,
    since_id: Option<String>,
    min_id: Option<String>,
    limit: Option<String>,
}

impl PageQuery {
    /// Returns the requested page. All lists follow one rule: an empty cursor counts as absent, a
    /// cursor that is not a number is refused, and an invalid limit means the default.
    pub(crate) fn request(&self, limit: PageLimit) -> Result<PageRequest> {
        let requested = self.limit.as_deref().and_then(number_of_entries);
        Ok(PageRequest {
            cursor: Cursor {
                max: cursor("max_id", self.max_id.as_deref())?,
                since: cursor("since_id", self.since_id.as_deref())?,
                min: cursor("min_id", self.min_id.as_deref())?,
            },
            limit: limit.clamp(requested),
        })
    }

    /// Returns the request for a list that is complete unless `limit` is given: all entries between
    /// the cursors. `None` if a page is requested.
    pub(crate) fn whole(&self) -> Result<Option<PageRequest>> {
        let requested = self.limit.as_deref().and_then(number_of_entries);
        if requested.is_some_and(|requested| requested > 0) {
            return Ok(None);
        }
        Ok(Some(PageRequest { limit: i64::MAX, ..self.request(WHOLE)? }))
    }
}

/// Returns the value of `limit`, if it is a number. A number that is too large means all entries.
fn number_of_entries(text: &str) -> Option<i64> {
    match text.trim().parse::<i64>() {
        Ok(number) => Some(number),
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => Some(i64::MAX),
        Err(_) => None,
    }
}

/// Parses a cursor. An empty one counts as absent.
pub(crate) fn cursor(name: &str, text: Option<&str>) -> Result<Option<i64>> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Domain::invalid(format!("Invalid parameter: {name} must be an id")).into());
    }
    // A number larger than any id means the end of the list.
    Ok(Some(text.parse().unwrap_or(i64::MAX)))
}

/// The kind of cursor in the `prev` link (`x-paging` in the contract).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Previous {
    /// For lists with cursors that are the ids of the entries.
    MinId,
    /// For lists with cursors that are ids which the entries do not show.
    SinceId,
}

/// Renders a page as JSON with its `Link` header. `next` is there if older rows may follow. `prev`
/// is always there if a cursor is known, so that a client that reaches an empty page can continue
/// from it.
///
/// Entries that exceed the byte budget are left to the next page.
pub(crate) fn response<T, R: Serialize>(
    request: &HttpRequest,
    urls: &Urls,
    page: &Page<T>,
    previous: Previous,
    render: impl Fn(&T) -> R,
) -> HttpResponse {
    response_written(request, urls, page, previous, |out, budget| {
        write_rendered(out, &page.items, budget, render)
    })
}

/// As [`response`], for a body that `write` writes. `write` gets the byte budget and returns which
/// items of the page it wrote.
pub(crate) fn response_written<T>(
    request: &HttpRequest,
    urls: &Urls,
    page: &Page<T>,
    previous: Previous,
    write: impl FnOnce(&mut Vec<u8>, Budget) -> Range<usize>,
) -> HttpResponse {
    // A page that goes upwards continues at its upper end, so the budget keeps the lower entries.
    let is_upwards = requested(request, "min_id").is_some();
    let mut body = Vec::new();
    let written = write(&mut body, if is_upwards { Budget::LAST } else { Budget::FIRST });
    let link = if written.len() < page.items.len() {
        link(request, urls, &page.ends_of(written), previous)
    } else {
        link(request, urls, page, previous)
    };
    let mut response = HttpResponse::Ok();
    if let Some(link) = link {
        response.insert_header((LINK, link));
    }
    response.content_type(ContentType::json()).body(body)
}

/// Renders a list without pages, as far as the byte budget allows.
pub(crate) fn list<T, R: Serialize>(items: &[T], render: impl Fn(&T) -> R) -> HttpResponse {
    let mut body = Vec::new();
    write_rendered(&mut body, items, Budget::FIRST, render);
    HttpResponse::Ok().content_type(ContentType::json()).body(body)
}

/// Returns the value of the `Link` header. It preserves every other parameter of the request.
pub(crate) fn link<T>(
    request: &HttpRequest,
    urls: &Urls,
    page: &Page<T>,
    previous: Previous,
) -> Option<String> {
    let base = urls.page(request.path());
    let other_params: Vec<(String, String)> =
        form_urlencoded::parse(request.query_string().as_bytes())
            .filter(|(name, _)| {
                !matches!(name.as_ref(), "max_id" | "since_id" | "min_id" | "access_token")
            })
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect();
    let url = |cursor: &str, id: i64| {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(&other_params).append_pair(cursor, &id.to_string());
        format!("{base}?{}", query.finish())
    };
    let previous = match previous {
        Previous::MinId => "min_id",
        Previous::SinceId => "since_id",
    };
    let next = page.oldest.filter(|_| page.full).map(|id| url("max_id", id));
    let previous = page.newest.or_else(|| upward_cursor(request)).map(|id| url(previous, id));
    let links = [
        next.map(|u| format!("<{u}>; rel=\"next\"")),
        previous.map(|u| format!("<{u}>; rel=\"prev\"")),
    ];
    let links: Vec<String> = links.into_iter().flatten().collect();
    (!links.is_empty()).then(|| links.join(", "))
}

/// Returns the cursor that led upwards to an empty page: its `prev` link is the same page again.
fn upward_cursor(request: &HttpRequest) -> Option<i64> {
    form_urlencoded::parse(request.query_string().as_bytes())
        .filter(|(name, _)| name == "min_id" || name == "since_id")
        .find_map(|(_, value)| value.parse().ok())
}

/// Returns the value of a cursor in the query of a request.
fn requested(request: &HttpRequest, cursor: &str) -> Option<i64> {
    form_urlencoded::parse(request.query_string().as_bytes())
        .filter(|(name, _)| name == cursor)
        .find_map(|(_, value)| value.parse().ok())
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;
    use siskin_policy::limits::STATUS_PAGE;

    use super::*;

    fn urls() -> Urls {
        Urls::new("http://a.example", "a.example", "http://a.example/media")
    }

    fn page(rows: &[i64], limit: i64) -> Page<i64> {
        Page::of(rows.to_vec(), limit, |row| *row)
    }

    #[test]
    fn both_links_keep_the_other_parameters() {
        let request =
            TestRequest::with_uri("/api/v1/x?limit=2&types[]=mention&max_id=9&access_token=t")
                .to_http_request();
        assert_eq!(
            link(&request, &urls(), &page(&[8, 7], 2), Previous::MinId).unwrap(),
            "<http://a.example/api/v1/x?limit=2&types%5B%5D=mention&max_id=7>; rel=\"next\", \
             <http://a.example/api/v1/x?limit=2&types%5B%5D=mention&min_id=8>; rel=\"prev\""
        );
    }

    #[test]
    fn a_page_that_is_not_full_has_no_next() {
        let request = TestRequest::with_uri("/x").to_http_request();
        assert_eq!(
            link(&request, &urls(), &page(&[8], 2), Previous::SinceId).unwrap(),
            "<http://a.example/x?since_id=8>; rel=\"prev\""
        );
    }

    #[test]
    fn an_empty_newer_page_still_leads_back_to_itself() {
        let request = TestRequest::with_uri("/x?min_id=5").to_http_request();
        assert_eq!(
            link(&request, &urls(), &page(&[], 2), Previous::MinId).unwrap(),
            "<http://a.example/x?min_id=5>; rel=\"prev\""
        );
        let request = TestRequest::with_uri("/x").to_http_request();
        assert_eq!(link(&request, &urls(), &page(&[], 2), Previous::MinId), None);
    }

    #[test]
    fn cursors_are_numbers_or_absent() {
        let query =
            |max_id: &str| PageQuery { max_id: Some(max_id.to_owned()), ..PageQuery::default() };
        assert_eq!(query("").request(STATUS_PAGE).unwrap().cursor, Cursor::default());
        assert_eq!(query("0").request(STATUS_PAGE).unwrap().cursor.max, Some(0));
        assert_eq!(
            query("99999999999999999999").request(STATUS_PAGE).unwrap().cursor.max,
            Some(i64::MAX)
        );
        assert!(query("abc").request(STATUS_PAGE).is_err());
        assert!(query("-1").request(STATUS_PAGE).is_err());
    }
}
