//! Makes requests plain before they are routed: one spelling of a path, one method for reading.

use actix_web::{
    HttpMessage as _, HttpRequest,
    dev::ServiceRequest,
    http::{
        Method, Uri,
        uri::{Parts, PathAndQuery},
    },
};

/// A slash at the end of a path means nothing: `/api/v1/instance/` is `/api/v1/instance`.
pub(super) fn trim_slash(request: &mut ServiceRequest) {
    let path = request.path();
    let trimmed = path.trim_end_matches('/');
    if trimmed.len() == path.len() || path.len() == 1 {
        return;
    }
    let trimmed = if trimmed.is_empty() { "/" } else { trimmed };
    let target = match request.query_string() {
        "" => trimmed.to_owned(),
        query => format!("{trimmed}?{query}"),
    };
    let Some(uri) = with_target(request.uri().clone().into_parts(), &target) else { return };
    request.match_info_mut().get_mut().update(&uri);
    request.head_mut().uri = uri;
}

fn with_target(mut parts: Parts, target: &str) -> Option<Uri> {
    parts.path_and_query = Some(target.parse::<PathAndQuery>().ok()?);
    Uri::from_parts(parts).ok()
}

/// HEAD is answered wherever GET is: the route answers a GET, and the connection, which
/// remembers, leaves the body out.
pub(super) fn answer_head_like_get(request: &mut ServiceRequest) {
    if request.method() == Method::HEAD {
        request.extensions_mut().insert(HeadOnly);
        request.head_mut().method = Method::GET;
    }
}

/// The mark of a request that came as HEAD.
struct HeadOnly;

/// Whether the request came as HEAD: what has no end must not be begun for it.
pub(crate) fn wants_head_only(request: &HttpRequest) -> bool {
    request.extensions().contains::<HeadOnly>()
}
