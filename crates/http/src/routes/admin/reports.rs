//! `/api/v1/admin/reports`: reports, what staff do with them, and their notes. The notes are an
//! extension (`docs/openapi/report-notes.yaml`).

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::FilterContext;
use siskin_ids::{ReportId, ReportNoteId};
use siskin_persistence::Tx;
use siskin_policy::{
    limits::LONG_PAGE,
    roles::{Authority, ManageReports},
    scopes::{AdminReadReports, AdminWriteReports},
};
use siskin_services::{
    Result as Served,
    reports::{self, Selection},
};
use siskin_wire::{empty::Empty, report};

use crate::{
    Result, Staff,
    paging::{self, PageQuery, Previous},
    params::{Form, chosen, record_id},
    table::Table,
};

/// A caller who may read reports.
type Reader = Staff<AdminReadReports, ManageReports>;
/// A caller who may change reports.
type Writer = Staff<AdminWriteReports, ManageReports>;

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/admin/reports", web::get().to(list))
        .route("/api/v1/admin/reports/{id}", web::get().to(show))
        .route("/api/v1/admin/reports/{id}", web::put().to(update))
        .route("/api/v1/admin/reports/{id}/assign_to_self", web::post().to(assign_to_self))
        .route("/api/v1/admin/reports/{id}/notes", web::get().to(notes))
        .route("/api/v1/admin/reports/{id}/notes", web::post().to(add_note))
        .route("/api/v1/admin/reports/{id}/notes/{note_id}", web::delete().to(delete_note))
        .route("/api/v1/admin/reports/{id}/reopen", web::post().to(reopen))
        .route("/api/v1/admin/reports/{id}/resolve", web::post().to(resolve))
        .route("/api/v1/admin/reports/{id}/unassign", web::post().to(unassign));
}

#[derive(Debug, Deserialize)]
struct ListQuery {
    #[serde(default)]
    resolved: bool,
    account_id: Option<String>,
    target_account_id: Option<String>,
}

async fn list(
    app: Data<App>,
    staff: Reader,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
    Form(query): Form<ListQuery>,
) -> Result<HttpResponse> {
    let (now, page, authority) = (app.now(), page.request(LONG_PAGE)?, staff.authority);
    let selection = Selection {
        is_resolved: query.resolved,
        account: chosen(query.account_id),
        target: chosen(query.target_account_id),
        is_own: false,
    };
    let found = app.read(move |conn| reports::list(conn, authority, &selection, page)).await?;
    let found = app.marked(Some(authority.account), FilterContext::Account, found).await?;
    let render = |one: &_| report::render_for_staff(one, app.urls(), now);
    Ok(paging::response(&request, app.urls(), &found, Previous::SinceId, render))
}

async fn show(app: Data<App>, staff: Reader, id: Path<String>) -> Result<HttpResponse> {
    shown(&app, staff.authority, record_id(&id)?).await
}

/// Renders a report for staff.
async fn shown(app: &App, authority: Authority, id: ReportId) -> Result<HttpResponse> {
    let found = app.read(move |conn| reports::show(conn, authority, id)).await?;
    let found = app.marked(Some(authority.account), FilterContext::Account, found).await?;
    Ok(HttpResponse::Ok().json(report::render_for_staff(&found, app.urls(), app.now())))
}

#[derive(Debug, Deserialize)]
struct UpdateForm {
    category: Option<String>,
    rule_ids: Option<Vec<String>>,
}

async fn update(
    app: Data<App>,
    staff: Writer,
    id: Path<String>,
    Form(form): Form<UpdateForm>,
) -> Result<HttpResponse> {
    let (id, authority) = (record_id(&id)?, staff.authority);
    let changes =
        reports::prepare_changes(chosen(form.category).as_deref(), form.rule_ids.as_deref())?;
    app.write(move |tx| reports::update(tx, authority, id, &changes)).await?;
    shown(&app, authority, id).await
}

async fn assign_to_self(app: Data<App>, staff: Writer, id: Path<String>) -> Result<HttpResponse> {
    decide(&app, staff, &id, reports::assign_to_self).await
}

async fn unassign(app: Data<App>, staff: Writer, id: Path<String>) -> Result<HttpResponse> {
    decide(&app, staff, &id, reports::unassign).await
}

async fn resolve(app: Data<App>, staff: Writer, id: Path<String>) -> Result<HttpResponse> {
    decide(&app, staff, &id, reports::resolve).await
}

async fn reopen(app: Data<App>, staff: Writer, id: Path<String>) -> Result<HttpResponse> {
    decide(&app, staff, &id, reports::reopen).await
}

async fn decide(
    app: &App,
    staff: Writer,
    id: &str,
    decision: fn(&mut Tx<'_>, Authority, ReportId) -> Served<()>,
) -> Result<HttpResponse> {
    let (id, authority) = (record_id(id)?, staff.authority);
    app.write(move |tx| decision(tx, authority, id)).await?;
    shown(app, authority, id).await
}

async fn notes(
    app: Data<App>,
    staff: Reader,
    request: HttpRequest,
    id: Path<String>,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    let (id, page, authority) = (record_id(&id)?, page.request(LONG_PAGE)?, staff.authority);
    let found = app.read(move |conn| reports::notes(conn, authority, id, page)).await?;
    let render = |one: &_| report::render_note(one, app.urls());
    Ok(paging::response(&request, app.urls(), &found, Previous::SinceId, render))
}

#[derive(Debug, Deserialize)]
struct NoteForm {
    #[serde(default)]
    content: String,
}

async fn add_note(
    app: Data<App>,
    staff: Writer,
    id: Path<String>,
    Form(form): Form<NoteForm>,
) -> Result<HttpResponse> {
    let (id, authority) = (record_id(&id)?, staff.authority);
    let content = form.content;
    let note = app.write(move |tx| reports::add_note(tx, authority, id, &content)).await?;
    Ok(HttpResponse::Ok().json(report::render_note(&note, app.urls())))
}

async fn delete_note(
    app: Data<App>,
    staff: Writer,
    path: Path<(String, String)>,
) -> Result<HttpResponse> {
    let (id, note) = path.into_inner();
    let (id, authority) = (record_id(&id)?, staff.authority);
    let note: ReportNoteId = record_id(&note)?;
    app.write(move |tx| reports::delete_note(tx, authority, id, note)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}
