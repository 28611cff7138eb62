//! Responses with statuses, and with entities that contain statuses, one or many. They are written
//! from pieces (`wire::pieces`) instead of through serde. They accept only values that went through
//! the viewer's filters.

use std::ops::Range;

use actix_web::{HttpRequest, HttpResponse, http::header::ContentType};
use siskin_app::App;
use siskin_entities::{
    Conversation, GroupedNotifications, Marked, Notification, NotificationRequest, Page, Status,
    filters::Preview,
};
use siskin_services::{search::Results, statuses::Thread};
use siskin_wire::{
    budget::Budget,
    filter_preview,
    notification_group::{self, ExpandAccounts},
    notification_policy::render_request,
    pieces::{self, Pieces},
    search,
    status::render_deleted,
};

use crate::paging::{Previous, response, response_written};

fn pieces(app: &App) -> Pieces<'_> {
    Pieces { urls: app.urls(), now: app.now() }
}

fn paged<T>(
    app: &App,
    request: &HttpRequest,
    page: &Page<T>,
    write: impl FnOnce(&mut Vec<u8>, Budget) -> Range<usize>,
) -> HttpResponse {
    response_written(request, app.urls(), page, Previous::MinId, write)
}

/// Renders one status.
pub(crate) fn status(app: &App, status: &Marked<Status>) -> HttpResponse {
    let mut body = Vec::new();
    pieces::write_status(&mut body, status, &pieces(app));
    HttpResponse::Ok().content_type(ContentType::json()).body(body)
}

/// Renders a status that its author has just deleted.
pub(crate) fn deleted(app: &App, status: &Marked<Status>) -> HttpResponse {
    HttpResponse::Ok().json(render_deleted(status, app.urls(), app.now()))
}

/// Renders a page of statuses with its `Link` header.
pub(crate) fn statuses(
    app: &App,
    request: &HttpRequest,
    page: &Marked<Page<Status>>,
    previous: Previous,
) -> HttpResponse {
    let pieces = pieces(app);
    response_written(request, app.urls(), page, previous, |out, budget| {
        pieces::write_statuses(out, &page.items, budget, &pieces)
    })
}

/// Renders statuses without pagination.
pub(crate) fn find_many(app: &App, statuses: &Marked<Vec<Status>>) -> HttpResponse {
    let mut body = Vec::new();
    pieces::write_statuses(&mut body, statuses, Budget::FIRST, &pieces(app));
    HttpResponse::Ok().content_type(ContentType::json()).body(body)
}

/// Renders the thread around a status.
pub(crate) fn thread(app: &App, thread: &Marked<Thread>) -> HttpResponse {
    let mut body = Vec::new();
    let pieces = pieces(app);
    pieces::write_context(&mut body, &thread.ancestors, &thread.descendants, &pieces);
    HttpResponse::Ok().content_type(ContentType::json()).body(body)
}

/// Renders the results of a search.
pub(crate) fn search(app: &App, found: &Marked<Results>) -> HttpResponse {
    let Results { accounts, statuses, hashtags } = &**found;
    let body = search::write(accounts, statuses, hashtags, &pieces(app));
    HttpResponse::Ok().content_type(ContentType::json()).body(body)
}

/// Renders one conversation.
pub(crate) fn conversation(app: &App, conversation: &Marked<Conversation>) -> HttpResponse {
    let mut body = Vec::new();
    pieces::write_conversation(&mut body, conversation, &pieces(app));
    HttpResponse::Ok().content_type(ContentType::json()).body(body)
}

/// Renders a page of conversations with its `Link` header.
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

/// Renders one notification.
pub(crate) fn notification(app: &App, notification: &Marked<Notification>) -> HttpResponse {
    let mut body = Vec::new();
    pieces::write_notification(&mut body, notification, &pieces(app));
    HttpResponse::Ok().content_type(ContentType::json()).body(body)
}

/// Renders a page of notifications with its `Link` header.
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

/// Renders a page of groups of notifications with its `Link` header.
pub(crate) fn notification_groups(
    app: &App,
    request: &HttpRequest,
    groups: &Marked<GroupedNotifications>,
    expand: ExpandAccounts,
) -> HttpResponse {
    let pieces = pieces(app);
    paged(app, request, &groups.groups, |out, budget| {
        notification_group::write(out, groups, expand, budget, &pieces)
    })
}

/// Renders one group of notifications.
pub(crate) fn notification_group(app: &App, group: &Marked<GroupedNotifications>) -> HttpResponse {
    let mut body = Vec::new();
    let expand = ExpandAccounts::default();
    notification_group::write(&mut body, group, expand, Budget::FIRST, &pieces(app));
    HttpResponse::Ok().content_type(ContentType::json()).body(body)
}

/// Renders a page of requests of filtered senders with its `Link` header.
pub(crate) fn notification_requests(
    app: &App,
    request: &HttpRequest,
    requests: &Marked<Page<NotificationRequest>>,
) -> HttpResponse {
    let now = app.now();
    response(request, app.urls(), requests, Previous::MinId, |one| {
        render_request(one, app.urls(), now)
    })
}

/// Renders one request of a filtered sender.
pub(crate) fn notification_request(
    app: &App,
    request: &Marked<NotificationRequest>,
) -> HttpResponse {
    HttpResponse::Ok().json(render_request(request, app.urls(), app.now()))
}

/// Renders the statuses that a filter with the keywords `words` would match.
pub(crate) fn filter_preview(
    app: &App,
    preview: &Marked<Preview>,
    words: &[String],
) -> HttpResponse {
    HttpResponse::Ok().json(filter_preview::render(preview, words, app.urls(), app.now()))
}
