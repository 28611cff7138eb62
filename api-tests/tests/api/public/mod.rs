//! The pages that can be read without signing in, and embedded statuses on other sites.

mod oembed;
mod profile;
mod status;
mod tag;

use crate::support::Response;

/// Checks that the response is a page that caches may store, and returns it.
fn page(answer: &Response) -> String {
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(answer.header("cache-control"), Some("public, no-cache"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("set-cookie"), None);
    let policy = answer.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; style-src 'self'; img-src 'self';"),
        "{policy}"
    );
    let page = answer.text();
    assert!(!page.contains("<script") && !page.contains("style=\""), "{page}");
    page
}

/// Checks that the response is a page with this status that caches must not store.
fn refused(answer: &Response, status: u16) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(answer.header("cache-control"), Some("private, no-store"));
    assert!(answer.text().contains("<h1>There is nothing here"));
}

/// Checks that the response is a redirect and returns its target.
fn leads_to(answer: &Response) -> &str {
    assert_eq!(answer.status, 302, "{answer:?}");
    answer.header("location").unwrap()
}
