//! Documents for other servers: what is found and read while federation is on, and that nothing is
//! while it is off.

mod actors;
mod caching;
mod collections;
mod domains;
mod negotiation;
mod off;
mod outbox;
mod statements;
mod statuses;
mod webfinger;

use std::collections::BTreeMap;

use crate::support::Response;

/// Body of the response to everything that is hidden or does not exist.
const NOT_FOUND: &str = r#"{"error":"Record not found"}"#;

/// Returns what a requester may learn from a response: its status, its body, and the headers that
/// do not differ between any two responses.
fn answer(response: &Response) -> (u16, String, BTreeMap<String, String>) {
    const OF_THE_MOMENT: [&str; 4] =
        ["date", "x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset"];
    let headers =
        response.headers.iter().filter(|(name, _)| !OF_THE_MOMENT.contains(&name.as_str()));
    let headers =
        headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
    (response.status, response.text(), headers.collect())
}

/// Checks that a response is that to something that does not exist.
#[track_caller]
fn assert_not_found(response: &Response, what: &str) {
    assert_eq!(response.status, 404, "{what}: {response:?}");
    assert_eq!(response.text(), NOT_FOUND, "{what}");
    assert_eq!(response.header("content-type"), Some("application/json"), "{what}");
}
