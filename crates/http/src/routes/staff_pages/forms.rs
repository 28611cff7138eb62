//! What the forms of the staff have in common: the way back.

use actix_web::{HttpRequest, HttpResponse, http::header::LOCATION};
use siskin_app::App;

use super::outcome;

/// Parameters about the form that was handled before, and those of one page of a list.
const OF_THE_MOMENT: [&str; 5] = ["done", "count", "failed", "all", outcome::PARAMETER];
const OF_THE_PAGE: [&str; 3] = ["max_id", "min_id", "since_id"];

/// Redirects to a page of the staff after a form was handled. `path` begins with a slash. The
/// browser asks for it with `GET`.
pub(super) fn see(app: &App, path: &str) -> HttpResponse {
    HttpResponse::SeeOther().insert_header((LOCATION, app.urls().page(path))).finish()
}

/// Returns the path of the first page of the list that a request shows, with its other parameters.
pub(super) fn first_page(request: &HttpRequest) -> String {
    address(request, |name| !OF_THE_PAGE.contains(&name))
}

/// Returns the path of the page of the list that a request shows.
pub(super) fn this_page(request: &HttpRequest) -> String {
    address(request, |_| true)
}

/// Does the same for the page with every entry chosen.
pub(super) fn all_chosen(request: &HttpRequest) -> String {
    let page = this_page(request);
    format!("{page}{}all=1", if page.contains('?') { '&' } else { '?' })
}

fn address(request: &HttpRequest, keeps: impl Fn(&str) -> bool) -> String {
    let kept = form_urlencoded::parse(request.query_string().as_bytes()).filter(|(name, value)| {
        !value.is_empty() && !OF_THE_MOMENT.contains(&name.as_ref()) && keeps(name)
    });
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(kept).finish();
    with_query(request.path(), &query)
}

/// Returns a path with these parameters. Empty values are left out.
pub(super) fn with_params(path: &str, params: &[(&str, &str)]) -> String {
    let given = params.iter().filter(|(_, value)| !value.is_empty());
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(given).finish();
    with_query(path, &query)
}

fn with_query(path: &str, query: &str) -> String {
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// Returns a text such as `1 sign-up` or `12 sign-ups`.
pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn the_first_page_keeps_the_filters() {
        let first = |uri: &str| first_page(&TestRequest::with_uri(uri).to_http_request());
        assert_eq!(
            first("/admin/accounts?email=a%40b&ip=&max_id=7&done=x"),
            "/admin/accounts?email=a%40b"
        );
        assert_eq!(first("/admin/accounts?min_id=7"), "/admin/accounts");
        let all = |uri: &str| all_chosen(&TestRequest::with_uri(uri).to_http_request());
        assert_eq!(all("/admin/sign-ups?max_id=7&done=x"), "/admin/sign-ups?max_id=7&all=1");
        assert_eq!(all("/admin/sign-ups"), "/admin/sign-ups?all=1");
    }
}
