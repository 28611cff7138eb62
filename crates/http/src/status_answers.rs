//! Answers written from pieces (`wire::pieces`) instead of through serde: statuses and what carries
//! them, one or many.

use actix_web::{HttpRequest, HttpResponse, http::header::ContentType};
use siskin_app::App;
use siskin_entities::{Notification, Page, Status};
use siskin_services::statuses::Thread;
use siskin_wire::pieces::{self, Unkept};

use crate::paging::{Previous, with_links};

fn pieces(app: &App) -> Unkept<'_> {
    Unkept { urls: app.urls(), now: app.now() }
}

/// One status.
pub(crate) fn status(app: &App, status: &Status) -> HttpResponse {
    let mut body = Vec::new();
    pieces::write_status(&mut body, status, &pieces(app));
    HttpResponse::Ok().content_type(ContentType::json()).body(body)
}

/// A page of statuses with its `Link` header.
pub(crate) fn statuses(app: &App, request: &HttpRequest, page: &Page<Status>) -> HttpResponse {
    let mut body = Vec::new();
    pieces::write_statuses(&mut body, &page.items, &pieces(app));
    with_links(request, app.urls(), page, Previous::MinId)
        .content_type(ContentType::json())
        .body(body)
}

/// Statuses that make no page.
pub(crate) fn several(app: &App, statuses: &[Status]) -> HttpResponse {
    let mut body = Vec::new();
    pieces::write_statuses(&mut body, statuses, &pieces(app));
    HttpResponse::Ok().content_type(ContentType::json()).body(body)
}

/// The thread around a status.
pub(crate) fn thread(app: &App, thread: &Thread) -> HttpResponse {
    let mut body = Vec::new();
    let pieces = pieces(app);
    pieces::write_context(&mut body, &thread.ancestors, &thread.descendants, &pieces);
    HttpResponse::Ok().content_type(ContentType::json()).body(body)
}

/// One notification.
pub(crate) fn notification(app: &App, notification: &Notification) -> HttpResponse {
    let mut body = Vec::new();
    pieces::write_notification(&mut body, notification, &pieces(app));
    HttpResponse::Ok().content_type(ContentType::json()).body(body)
}

/// A page of notifications with its `Link` header.
pub(crate) fn notifications(
    app: &App,
    request: &HttpRequest,
    page: &Page<Notification>,
) -> HttpResponse {
    let mut body = Vec::new();
    pieces::write_notifications(&mut body, &page.items, &pieces(app));
    with_links(request, app.urls(), page, Previous::MinId)
        .content_type(ContentType::json())
        .body(body)
}
