//! The pages that anybody reads without signing in, and what other sites show of them.

mod oembed;
mod profile;
mod status;
mod tag;

use crate::support::Response;

/// The page of an answer that must be one that everybody may keep.
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

/// The answer must be a page with this status, that nobody keeps.
fn refused(answer: &Response, status: u16) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(answer.header("cache-control"), Some("private, no-store"));
    assert!(answer.text().contains("<h1>There is nothing here"));
}

/// Where the answer sends the browser.
fn leads_to(answer: &Response) -> &str {
    assert_eq!(answer.status, 302, "{answer:?}");
    answer.header("location").unwrap()
}
