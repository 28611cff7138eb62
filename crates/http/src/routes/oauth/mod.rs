//! `/oauth`: the authorization server.

mod authorize;
mod client;
mod metadata;
mod revoke;
mod token;
mod userinfo;

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, PRAGMA, WWW_AUTHENTICATE},
    },
    web,
};
use siskin_services::oauth::{Fault, Refusal};
use siskin_wire::error;

use crate::table::Table;

pub(super) fn configure(table: &mut Table) {
    table
        .route("/.well-known/oauth-authorization-server", web::get().to(metadata::show))
        .route("/oauth/token", web::post().to(token::issue))
        .route("/oauth/revoke", web::post().to(revoke::revoke))
        .route("/oauth/userinfo", web::get().to(userinfo::show))
        .route("/oauth/userinfo", web::post().to(userinfo::show))
        .configure(authorize::configure);
}

/// Renders an error response (RFC 6749, 5.2).
fn refusal_response(refusal: Refusal) -> HttpResponse {
    let status = match refusal.fault {
        Fault::InvalidClient => StatusCode::UNAUTHORIZED,
        Fault::UnauthorizedClient => StatusCode::FORBIDDEN,
        _ => StatusCode::BAD_REQUEST,
    };
    let mut response = HttpResponse::build(status);
    if refusal.fault == Fault::InvalidClient {
        response.insert_header((WWW_AUTHENTICATE, "Basic realm=\"oauth\""));
    }
    forbid_caching(&mut response);
    response.json(error::described(refusal.fault.code(), refusal.description))
}

/// Forbids caches to store a response that contains a token or is about one (RFC 6749, 5.1).
fn forbid_caching(response: &mut actix_web::HttpResponseBuilder) {
    response.insert_header((CACHE_CONTROL, "no-store")).insert_header((PRAGMA, "no-cache"));
}
