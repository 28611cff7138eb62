//! Pages selected by offset, with their `Link` header.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{ContentType, LINK},
};
use serde::{Deserialize, Serialize};
use siskin_entities::Urls;
use siskin_policy::limits::PageLimit;
use siskin_services::{OffsetPage, trends::TrendPage};
use siskin_wire::budget::{Budget, write_rendered};

use crate::Result;

/// The parameters of a list that is paginated by offset.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct OffsetQuery {
    limit: Option<String>,
    offset: Option<String>,
}

impl OffsetQuery {
    /// Returns the requested page.
    ///
    /// # Errors
    /// Those of [`OffsetPage::read_any`].
    pub(crate) fn page(&self, limit: PageLimit) -> Result<OffsetPage> {
        Ok(OffsetPage::read_any(self.limit.as_deref(), self.offset.as_deref(), limit)?)
    }
}

/// Renders a part of a list as JSON with its `Link` header.
pub(crate) fn response<T, R: Serialize>(
    request: &HttpRequest,
    urls: &Urls,
    page: OffsetPage,
    found: &TrendPage<T>,
    render: impl Fn(&T) -> R,
) -> HttpResponse {
    let mut body = Vec::new();
    write_rendered(&mut body, &found.items, Budget::FIRST, render);
    let response = HttpResponse::Ok().content_type(ContentType::json()).body(body);
    with_links(response, request, urls, page, found.has_more)
}

/// Adds the `Link` header to a response: `next` if the list continues, `prev` on all pages but the
/// first, also on empty ones.
pub(crate) fn with_links(
    mut response: HttpResponse,
    request: &HttpRequest,
    urls: &Urls,
    page: OffsetPage,
    has_more: bool,
) -> HttpResponse {
    let link = link(request, urls, page, has_more).and_then(|link| link.parse().ok());
    if let Some(link) = link {
        response.headers_mut().insert(LINK, link);
    }
    response
}

/// Returns the value of the `Link` header. It preserves every other parameter of the request.
fn link(request: &HttpRequest, urls: &Urls, page: OffsetPage, has_more: bool) -> Option<String> {
    let base = urls.page(request.path());
    let others: Vec<(String, String)> = form_urlencoded::parse(request.query_string().as_bytes())
        .filter(|(name, _)| !matches!(name.as_ref(), "offset" | "access_token"))
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    let url = |offset: i64, relation: &str| {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(&others).append_pair("offset", &offset.to_string());
        format!("<{base}?{}>; rel=\"{relation}\"", query.finish())
    };
    let next = has_more.then(|| url(page.offset.saturating_add(page.limit), "next"));
    let previous = page.offset.saturating_sub(page.limit).max(0);
    let previous = (page.limit > 0 && page.offset > 0).then(|| url(previous, "prev"));
    let links: Vec<String> = [next, previous].into_iter().flatten().collect();
    (!links.is_empty()).then(|| links.join(", "))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn links(query: &str, limit: i64, offset: i64, has_more: bool) -> Option<String> {
        let urls = Urls::new("http://a.example", "a.example", "http://a.example/media");
        let request = TestRequest::with_uri(&format!("/x?{query}")).to_http_request();
        link(&request, &urls, OffsetPage { limit, offset }, has_more)
    }

    #[test]
    fn a_page_leads_to_both_neighbours() {
        assert_eq!(
            links("limit=10&offset=20&access_token=t", 10, 20, true).unwrap(),
            "<http://a.example/x?limit=10&offset=30>; rel=\"next\", \
             <http://a.example/x?limit=10&offset=10>; rel=\"prev\""
        );
    }

    #[test]
    fn an_empty_page_leads_back() {
        let back = "<http://a.example/x?limit=10&offset=90>; rel=\"prev\"";
        assert_eq!(links("limit=10&offset=100", 10, 100, false).unwrap(), back);
    }

    #[test]
    fn the_first_page_has_no_previous_one() {
        assert_eq!(links("", 10, 0, false), None);
        let next = "<http://a.example/x?offset=10>; rel=\"next\"";
        assert_eq!(links("", 10, 0, true).unwrap(), next);
        let first = "<http://a.example/x?offset=0>; rel=\"prev\"";
        assert_eq!(links("offset=3", 10, 3, false).unwrap(), first);
        assert_eq!(links("limit=0&offset=3", 0, 3, false), None);
    }
}
