//! CORS: lets web clients of any origin call the API. They authenticate by a token. Browsers never
//! send cookies along, because nothing here allows credentials.

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
/// Headers that clients are known to send, for preflight requests that name no headers.
const HEADERS: &str = "Authorization, Content-Type, Idempotency-Key";
const EXPOSED: &str =
    "Link, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id";
/// Maximum time that browsers cache the response to a preflight request, in seconds.
const MAX_AGE: &str = "86400";

/// Returns the response to a preflight request. `None` for any other request.
pub(super) fn preflight(request: &ServiceRequest, area: Area) -> Option<HttpResponse> {
    let is_preflight = request.method() == Method::OPTIONS
        && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    if !is_preflight || area != Area::Interface {
        return None;
    }
    let requested_headers = request.headers().get(ACCESS_CONTROL_REQUEST_HEADERS).cloned();
    let headers = requested_headers.unwrap_or(HeaderValue::from_static(HEADERS));
    let response = HttpResponse::NoContent()
        .insert_header((ACCESS_CONTROL_ALLOW_METHODS, METHODS))
        .insert_header((ACCESS_CONTROL_ALLOW_HEADERS, headers))
        .insert_header((ACCESS_CONTROL_MAX_AGE, MAX_AGE))
        .insert_header((VARY, "Access-Control-Request-Headers"))
        .finish();
    Some(response)
}

/// Lets scripts of other origins read a response.
pub(super) fn allow(area: Area, headers: &mut HeaderMap) {
    if matches!(area, Area::Interface | Area::File) {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    }
    if area == Area::Interface {
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    }
}
