//! The pages that can be read without signing in, and embedded statuses on other sites.

mod about;
mod oembed;
mod profile;
mod status;
mod tag;

use crate::support::Response;

/// Checks that the response is a page that caches may store, and returns it.
fn page(response: &Response) -> String {
    assert_eq!(response.status, 200, "{response:?}");
    assert_eq!(response.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(response.header("cache-control"), Some("public, no-cache"));
    assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(response.header("set-cookie"), None);
    let policy = response.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; style-src 'self'; img-src 'self';"),
        "{policy}"
    );
    let page = response.text();
    assert!(!page.contains("<script") && !page.contains("style=\""), "{page}");
    page
}

/// Checks that the response is a page with this status that caches must not store.
fn refused(response: &Response, status: u16) {
    assert_eq!(response.status, status, "{response:?}");
    assert_eq!(response.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(response.header("cache-control"), Some("private, no-store"));
    assert!(response.text().contains("<h1>There is nothing here"));
}

/// Checks that the response is a redirect and returns its target.
fn leads_to(response: &Response) -> &str {
    assert_eq!(response.status, 302, "{response:?}");
    response.header("location").unwrap()
}
