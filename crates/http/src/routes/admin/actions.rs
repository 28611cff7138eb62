//! `/api/v1/admin/accounts/{id}/…`: what staff do against accounts, and the ends of it.

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::{
    roles::{DeleteUserData, ManageUsers, ModerateUsers},
    scopes::AdminWriteAccounts,
};
use siskin_services::{
    accounts::Decision,
    moderation::act::{self, AccountAction},
};
use siskin_wire::{admin_account, empty::Empty};

use crate::{
    Result, Staff,
    params::{Form, chosen, record_id},
    table::Table,
};

/// A caller who may end restrictions.
type Undoer = Staff<AdminWriteAccounts, ManageUsers>;

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/admin/accounts/{id}", web::delete().to(delete))
        .route("/api/v1/admin/accounts/{id}/action", web::post().to(action))
        .route("/api/v1/admin/accounts/{id}/enable", web::post().to(enable))
        .route("/api/v1/admin/accounts/{id}/unsensitive", web::post().to(unsensitive))
        .route("/api/v1/admin/accounts/{id}/unsilence", web::post().to(unsilence))
        .route("/api/v1/admin/accounts/{id}/unsuspend", web::post().to(unsuspend));
}

#[derive(Debug, Deserialize)]
struct ActionForm {
    #[serde(rename = "type", default)]
    kind: String,
    report_id: Option<String>,
    warning_preset_id: Option<String>,
    #[serde(default)]
    text: String,
    send_email_notification: Option<bool>,
}

async fn action(
    app: Data<App>,
    staff: Staff<AdminWriteAccounts, ModerateUsers>,
    id: Path<String>,
    Form(form): Form<ActionForm>,
) -> Result<HttpResponse> {
    let (id, authority) = (record_id(&id)?, staff.authority);
    let sent = AccountAction {
        kind: form.kind,
        text: form.text,
        report: chosen(form.report_id),
        preset: chosen(form.warning_preset_id),
        by_email: form.send_email_notification.unwrap_or(true),
    };
    app.write(move |tx| act::act(tx, authority, id, &sent)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}

async fn enable(app: Data<App>, staff: Undoer, id: Path<String>) -> Result<HttpResponse> {
    undo(&app, staff, &id, Decision::Disabled(false)).await
}

async fn unsensitive(app: Data<App>, staff: Undoer, id: Path<String>) -> Result<HttpResponse> {
    undo(&app, staff, &id, Decision::Sensitized(false)).await
}

async fn unsilence(app: Data<App>, staff: Undoer, id: Path<String>) -> Result<HttpResponse> {
    undo(&app, staff, &id, Decision::Silenced(false)).await
}

async fn unsuspend(app: Data<App>, staff: Undoer, id: Path<String>) -> Result<HttpResponse> {
    undo(&app, staff, &id, Decision::Suspended(false)).await
}

async fn undo(app: &App, staff: Undoer, id: &str, decision: Decision) -> Result<HttpResponse> {
    let (id, authority) = (record_id(id)?, staff.authority);
    let account = app.write(move |tx| act::undo(tx, authority, id, decision)).await?;
    Ok(HttpResponse::Ok().json(admin_account::render(&account, app.urls())))
}

async fn delete(
    app: Data<App>,
    staff: Staff<AdminWriteAccounts, DeleteUserData>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let (id, authority) = (record_id(&id)?, staff.authority);
    let before = app.write(move |tx| act::delete(tx, authority, id)).await?;
    Ok(HttpResponse::Ok().json(admin_account::render(&before, app.urls())))
}
