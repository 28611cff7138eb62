//! The headers that every response has.

use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};

use super::{Area, RequestFacts};
use crate::pages::FRAMED_BY_ALL;

/// Content security policy of all responses but pages: nothing in them may run, load anything or be
/// shown inside another page. Pages set a policy of their own.
const POLICY: &str = "default-src 'none'; frame-ancestors 'none'";
/// HSTS: a browser that came by https does not try http for a year (in seconds).
const HTTPS_ONLY: &str = "max-age=31536000";

pub(super) fn add(facts: &RequestFacts, headers: &mut HeaderMap) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Forms of this server must carry their origin, which `no-referrer` would hide.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    insert_if_absent(headers, CONTENT_SECURITY_POLICY, POLICY);
    if !may_be_framed(headers) {
        headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    }
    // A file that may be cached says so. A 404 must not be: its file may appear later.
    if facts.area != Area::Other {
        insert_if_absent(headers, CACHE_CONTROL, "private, no-store");
    }
    if facts.secure {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(HTTPS_ONLY));
    }
    if let Ok(id) = HeaderValue::from_str(&facts.id.to_string()) {
        headers.insert(HeaderName::from_static("x-request-id"), id);
    }
}

/// Returns `true` if the policy of the page lets other sites frame it. `X-Frame-Options` tells
/// older browsers the same as the policy.
fn may_be_framed(headers: &HeaderMap) -> bool {
    let policy = headers.get(CONTENT_SECURITY_POLICY).and_then(|policy| policy.to_str().ok());
    policy.is_some_and(|policy| policy.contains(FRAMED_BY_ALL))
}

fn insert_if_absent(headers: &mut HeaderMap, name: HeaderName, value: &'static str) {
    if !headers.contains_key(&name) {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
