//! `/api/v1/conversations`.

use actix_web::{HttpRequest, HttpResponse, web};
use siskin_app::App;
use siskin_entities::FilterContext;
use siskin_ids::AccountId;
use siskin_policy::{
    limits::STATUS_PAGE,
    scopes::{ReadStatuses, WriteConversations},
};
use siskin_services::conversations;
use siskin_wire::empty::Empty;

use crate::{Authorized, Result, paging::PageQuery, params::Form, status_responses, table::Table};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/conversations", web::get().to(list))
        .route("/api/v1/conversations/{id}", web::delete().to(remove))
        .route("/api/v1/conversations/{id}/read", web::post().to(mark_read))
        .route("/api/v1/conversations/{id}/unread", web::post().to(mark_unread));
}

/// Lists conversations. The cursors are the ids of the last statuses.
async fn list(
    app: web::Data<App>,
    viewer: Authorized<ReadStatuses>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    let (now, page) = (app.now(), page.request(STATUS_PAGE)?);
    let page = app.read(move |conn| conversations::list(conn, viewer.account, now, page)).await?;
    let page = app.marked(Some(viewer.account), FilterContext::Thread, page).await?;
    Ok(status_responses::conversations(&app, &request, &page))
}

async fn remove(
    app: web::Data<App>,
    viewer: Authorized<WriteConversations>,
    id: web::Path<String>,
) -> Result<HttpResponse> {
    app.write(move |tx| conversations::remove(tx, viewer.account, &id)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}

async fn mark_read(
    app: web::Data<App>,
    viewer: Authorized<WriteConversations>,
    id: web::Path<String>,
) -> Result<HttpResponse> {
    mark(&app, viewer.account, id.into_inner(), false).await
}

async fn mark_unread(
    app: web::Data<App>,
    viewer: Authorized<WriteConversations>,
    id: web::Path<String>,
) -> Result<HttpResponse> {
    mark(&app, viewer.account, id.into_inner(), true).await
}

async fn mark(app: &App, viewer: AccountId, id: String, unread: bool) -> Result<HttpResponse> {
    let conversation = app.write(move |tx| conversations::mark(tx, viewer, &id, unread)).await?;
    let conversation = app.marked(Some(viewer), FilterContext::Thread, conversation).await?;
    Ok(status_responses::conversation(app, &conversation))
}
