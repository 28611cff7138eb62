//! Pages that are the same for every viewer. Caches may store them, but revalidate them for each
//! use, so that deleted content disappears at once.

use actix_web::http::header::EntityTag;
use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, ETAG, Header as _, IfNoneMatch},
};
use askama::Template;

use super::{POLICY, assets::fnv1a, rendering_failed};
use crate::{Error, Result};

/// The part of a page's policy that lets other sites show it in a frame.
pub(crate) const FRAMED_BY_ALL: &str = "frame-ancestors *";
const FRAMED_BY_NONE: &str = "frame-ancestors 'none'";

const REVALIDATED: &str = "public, no-cache";

/// Renders a page for every viewer.
pub(crate) fn show_to_all(request: &HttpRequest, page: &impl Template) -> Result<HttpResponse> {
    show(request, page, POLICY)
}

/// Renders a page for every viewer that other sites may show in a frame.
pub(crate) fn show_to_frames(request: &HttpRequest, page: &impl Template) -> Result<HttpResponse> {
    show(request, page, &POLICY.replace(FRAMED_BY_NONE, FRAMED_BY_ALL))
}

fn show(request: &HttpRequest, page: &impl Template, policy: &str) -> Result<HttpResponse> {
    let html = page.render().map_err(|error| Error::from(rendering_failed(&error)))?;
    let tag = EntityTag::new_weak(format!("{:016x}", fnv1a(html.as_bytes())));
    let is_known = has_current_version(request, &tag);
    let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response
        .insert_header((CACHE_CONTROL, REVALIDATED))
        .insert_header((CONTENT_SECURITY_POLICY, policy))
        .insert_header((ETAG, tag.to_string()));
    if is_known {
        return Ok(response.finish());
    }
    Ok(response.content_type("text/html; charset=utf-8").body(html))
}

/// Returns `true` if the requester has the version with this tag.
pub(crate) fn has_current_version(request: &HttpRequest, tag: &EntityTag) -> bool {
    match IfNoneMatch::parse(request) {
        Ok(IfNoneMatch::Items(known)) => known.iter().any(|known| known.weak_eq(tag)),
        Ok(IfNoneMatch::Any) | Err(_) => false,
    }
}
