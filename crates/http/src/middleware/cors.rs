//! Lets web clients of any origin call the interface. They bring a token; a browser's cookies are
//! never sent along, because nothing here allows credentials.

use actix_web::{
    HttpResponse,
    dev::ServiceRequest,
    http::{
        Method,
        header::{
            ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
            ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
            ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, HeaderMap, HeaderValue,
            VARY,
        },
    },
};

use super::area::Area;

const METHODS: &str = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
/// What clients are known to send, for those who ask for nothing by name.
const HEADERS: &str = "Authorization, Content-Type, Idempotency-Key";
const EXPOSED: &str =
    "Link, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id";
/// Browsers keep the answer to a preflight for so many seconds, at most.
const MAX_AGE: &str = "86400";

/// The answer to a browser that asks whether it may; None for any other request.
pub(super) fn preflight(request: &ServiceRequest, area: Area) -> Option<HttpResponse> {
    let asks = request.method() == Method::OPTIONS
        && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    if !asks || area != Area::Interface {
        return None;
    }
    let asked = request.headers().get(ACCESS_CONTROL_REQUEST_HEADERS).cloned();
    let headers = asked.unwrap_or(HeaderValue::from_static(HEADERS));
    let answer = HttpResponse::NoContent()
        .insert_header((ACCESS_CONTROL_ALLOW_METHODS, METHODS))
        .insert_header((ACCESS_CONTROL_ALLOW_HEADERS, headers))
        .insert_header((ACCESS_CONTROL_MAX_AGE, MAX_AGE))
        .insert_header((VARY, "Access-Control-Request-Headers"))
        .finish();
    Some(answer)
}

/// Lets scripts read an answer.
pub(super) fn allow(area: Area, headers: &mut HeaderMap) {
    if matches!(area, Area::Interface | Area::File) {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    }
    if area == Area::Interface {
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    }
}
