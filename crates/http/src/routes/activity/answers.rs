//! Responses with documents, and what a page says about the document at its address.

use std::sync::Arc;

use actix_web::{
    HttpRequest, HttpResponse, ResponseError as _,
    http::header::{
        ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE, ETAG, EntityTag, HeaderValue,
        LINK, VARY,
    },
    web::Bytes,
};
use siskin_app::App;
use siskin_federation::write;
use siskin_services::{
    Result,
    federation::{Document, Found},
};

use crate::{Error, pages::has_current_version};

/// Time for which caches may use a document without asking: peers fetch a popular one at once.
const CACHED: &str = "public, max-age=180";

/// Returns `true` if this server answers others.
pub(in crate::routes) fn is_on(app: &App) -> bool {
    app.settings().federation_mode.is_on()
}

/// Returns the response with a document. What is hidden has the same response as what never
/// existed.
pub(super) fn answer(request: &HttpRequest, found: Result<Found>) -> HttpResponse {
    let mut response = match found {
        Ok(Found::Document(document)) => current(request, &document),
        Ok(Found::Gone(tombstone)) => HttpResponse::Gone()
            .insert_header((CONTENT_TYPE, write::CONTENT_TYPE))
            .insert_header((CACHE_CONTROL, CACHED))
            .body(tombstone),
        Err(error) => Error::from(error).error_response(),
    };
    // Scripts of other sites may read what every program may read.
    let any_origin = HeaderValue::from_static("*");
    response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, any_origin);
    negotiated(response)
}

/// Returns the document, or that the requester already has its current version.
fn current(request: &HttpRequest, document: &Document) -> HttpResponse {
    let tag = EntityTag::new_strong(document.version.to_string());
    let is_known = has_current_version(request, &tag);
    let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((CACHE_CONTROL, CACHED)).insert_header((ETAG, tag.to_string()));
    if is_known {
        return response.finish();
    }
    response
        .insert_header((CONTENT_TYPE, write::CONTENT_TYPE))
        .body(Bytes::from_owner(Arc::clone(&document.bytes)))
}

/// Says that the response depends on what the request prefers.
fn negotiated(mut response: HttpResponse) -> HttpResponse {
    response.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
    response
}

/// Returns the redirect from an address with a document to its page.
pub(super) fn to_page(app: &App, redirect: HttpResponse) -> HttpResponse {
    if is_on(app) { negotiated(redirect) } else { redirect }
}

/// Returns a page with the id of its document in a header, while other servers may read that.
pub(in crate::routes) fn with_document(
    app: &App,
    mut page: HttpResponse,
    id: &str,
) -> HttpResponse {
    if !is_on(app) {
        return page;
    }
    let link = format!("<{id}>; rel=\"alternate\"; type=\"{}\"", write::CONTENT_TYPE);
    if let Ok(link) = HeaderValue::from_str(&link) {
        page.headers_mut().insert(LINK, link);
    }
    negotiated(page)
}

/// Returns the id of the document of a page, for the head of the page. `None` while federation is
/// off.
pub(in crate::routes) fn shown_document(app: &App, id: String) -> Option<String> {
    is_on(app).then_some(id)
}
