//! Answers written from pieces (`wire::pieces`) instead of through serde: statuses and what carries
//! them, one or many. They take what went through its reader's filters, and nothing else.

use std::ops::Range;

use actix_web::{HttpRequest, HttpResponse, http::header::ContentType};
use siskin_app::App;
use siskin_entities::{Conversation, Marked, Notification, Page, Status, filters::Preview};
use siskin_services::statuses::Thread;
use siskin_wire::{
    budget::Budget,
    filter_preview,
    pieces::{self, Pieces},
    status::render_deleted,
};

use crate::paging::{Previous, answer_written};

fn pieces(app: &App) -> Pieces<'_> {
    Pieces { urls: app.urls(), now: app.now() }
}

fn paged<T>(
    app: &App,
    request: &HttpRequest,
    page: &Page<T>,
    write: impl FnOnce(&mut Vec<u8>, Budget) -> Range<usize>,
) -> HttpResponse {
    answer_written(request, app.urls(), page, Previous::MinId, write)
}

/// One status.
pub(crate) fn status(app: &App, status: &Marked<Status>) -> HttpResponse {
    let mut body = Vec::new();
    pieces::write_status(&mut body, status, &pieces(app));
    HttpResponse::Ok().content_type(ContentType::json()).body(body)
}

/// One that its author has just deleted.
pub(crate) fn deleted(app: &App, status: &Marked<Status>) -> HttpResponse {
    HttpResponse::Ok().json(render_deleted(status, app.urls(), app.now()))
}

/// A page of statuses with its `Link` header.
pub(crate) fn statuses(
    app: &App,
    request: &HttpRequest,
    page: &Marked<Page<Status>>,
) -> HttpResponse {
    let pieces = pieces(app);
    paged(app, request, page, |out, budget| {
        pieces::write_statuses(out, &page.items, budget, &pieces)
    })
}

/// Statuses that make no page.
pub(crate) fn several(app: &App, statuses: &Marked<Vec<Status>>) -> HttpResponse {
    let mut body = Vec::new();
    pieces::write_statuses(&mut body, statuses, Budget::FIRST, &pieces(app));
    HttpResponse::Ok().content_type(ContentType::json()).body(body)
}

/// The thread around a status.
pub(crate) fn thread(app: &App, thread: &Marked<Thread>) -> HttpResponse {
    let mut body = Vec::new();
    let pieces = pieces(app);
    pieces::write_context(&mut body, &thread.ancestors, &thread.descendants, &pieces);
    HttpResponse::Ok().content_type(ContentType::json()).body(body)
}

/// One conversation.
pub(crate) fn conversation(app: &App, conversation: &Marked<Conversation>) -> HttpResponse {
    let mut body = Vec::new();
    pieces::write_conversation(&mut body, conversation, &pieces(app));
    HttpResponse::Ok().content_type(ContentType::json()).body(body)
}

/// A page of conversations with its `Link` header.
pub(crate) fn conversations(
    app: &App,
    request: &HttpRequest,
    page: &Marked<Page<Conversation>>,
) -> HttpResponse {
    let pieces = pieces(app);
    paged(app, request, page, |out, budget| {
        pieces::write_conversations(out, &page.items, budget, &pieces)
    })
}

/// One notification.
pub(crate) fn notification(app: &App, notification: &Marked<Notification>) -> HttpResponse {
    let mut body = Vec::new();
    pieces::write_notification(&mut body, notification, &pieces(app));
    HttpResponse::Ok().content_type(ContentType::json()).body(body)
}

/// A page of notifications with its `Link` header.
pub(crate) fn notifications(
    app: &App,
    request: &HttpRequest,
    page: &Marked<Page<Notification>>,
) -> HttpResponse {
    let pieces = pieces(app);
    paged(app, request, page, |out, budget| {
        pieces::write_notifications(out, &page.items, budget, &pieces)
    })
}

/// What a filter would mark, whose keywords are `words`.
pub(crate) fn filter_preview(
    app: &App,
    preview: &Marked<Preview>,
    words: &[String],
) -> HttpResponse {
    HttpResponse::Ok().json(filter_preview::render(preview, words, app.urls(), app.now()))
}
