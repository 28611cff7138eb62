//! The headers that every answer has.

use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};

use super::{Area, Seen};
use crate::pages::FRAMED_BY_ALL;

/// Nothing in an answer may be run, shown inside of another page, or fetch anything. Pages come
/// with a policy of their own.
const POLICY: &str = "default-src 'none'; frame-ancestors 'none'";
/// A browser that came by https once does not try http for a year.
const HTTPS_ONLY: &str = "max-age=31536000";

pub(super) fn add(seen: &Seen, headers: &mut HeaderMap) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Forms of ours must carry their origin, which `no-referrer` would hide.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    unless_there(headers, CONTENT_SECURITY_POLICY, POLICY);
    if !may_be_framed(headers) {
        headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    }
    // A file that may be cached says so. A 404 must not be: its file may appear later.
    if seen.area != Area::Other {
        unless_there(headers, CACHE_CONTROL, "private, no-store");
    }
    if seen.secure {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(HTTPS_ONLY));
    }
    if let Ok(id) = HeaderValue::from_str(&seen.id.to_string()) {
        headers.insert(HeaderName::from_static("x-request-id"), id);
    }
}

/// `X-Frame-Options` says to older browsers what the policy says, which is the page's to decide.
fn may_be_framed(headers: &HeaderMap) -> bool {
    let policy = headers.get(CONTENT_SECURITY_POLICY).and_then(|policy| policy.to_str().ok());
    policy.is_some_and(|policy| policy.contains(FRAMED_BY_ALL))
}

fn unless_there(headers: &mut HeaderMap, name: HeaderName, value: &'static str) {
    if !headers.contains_key(&name) {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
