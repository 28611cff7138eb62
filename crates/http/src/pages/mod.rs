//! Pages for people: rendered on the server, complete without scripts. They contain no business
//! rules.

mod agent;
mod assets;
mod error;
mod form;
mod frame;
mod notice;
mod problem;
mod public;
mod qr;
mod way_back;

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{CONTENT_SECURITY_POLICY, LOCATION},
    },
};
use askama::Template;

pub(crate) use agent::describe as describe_browser;
pub(crate) use assets::configure as configure_assets;
pub(crate) use error::{PageError, render_error};
pub(crate) use form::PageForm;
pub(crate) use frame::{
    AreaLink, Frame, Moment, SIGN_IN, closed_message, only_provider_path, provider_path,
};
pub(crate) use notice::Notice;
pub(crate) use problem::{Problem, Problems, said};
pub(crate) use public::{FRAMED_BY_ALL, has_current_version, show_to_all, show_to_frames};
pub(crate) use qr::Qr;
pub(crate) use way_back::WayBack;

use crate::{Error, Result};

/// Content security policy of pages: no scripts; styles, images and media come from this server;
/// forms may only lead to this server.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; base-uri 'none'; \
     frame-ancestors 'none'; form-action 'self'";

/// Renders a page with this status.
pub(crate) fn show(status: StatusCode, page: &impl Template) -> Result<HttpResponse> {
    show_with_form_target(status, page, "")
}

/// Renders a page with a form that may redirect to `source` too, after this server has handled it.
pub(crate) fn show_with_form_target(
    status: StatusCode,
    page: &impl Template,
    source: &str,
) -> Result<HttpResponse> {
    let html = page.render().map_err(|error| Error::from(rendering_failed(&error)))?;
    let policy = format!("{POLICY} {source}");
    Ok(HttpResponse::build(status)
        .insert_header((CONTENT_SECURITY_POLICY, policy.trim_end()))
        .content_type("text/html; charset=utf-8")
        .body(html))
}

fn rendering_failed(error: &askama::Error) -> siskin_services::Error {
    siskin_services::Error::internal(error.to_string())
}

/// Redirects the browser after a form was handled. It asks for the page with `GET`.
pub(crate) fn see_other(address: &str) -> HttpResponse {
    HttpResponse::SeeOther().insert_header((LOCATION, address)).finish()
}

/// Redirects the browser.
pub(crate) fn go_to(address: &str) -> HttpResponse {
    HttpResponse::Found().insert_header((LOCATION, address)).finish()
}
