//! `/api/v1/admin/accounts` and `/api/v2/admin/accounts`: accounts as staff see them, and decisions
//! about sign-ups. Decisions about other accounts are in `actions.rs`.

mod bulk;
mod lists;

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use siskin_app::App;
use siskin_entities::{AdminAccount, SignUpAction};
use siskin_policy::{
    roles::ManageUsers,
    scopes::{AdminReadAccounts, AdminWriteAccounts},
};
use siskin_services::moderation::{accounts, act::Decider, sign_ups};
use siskin_wire::admin_account;

use crate::{Result, Staff, params::record_id, table::Table};

pub(in crate::routes) use bulk::decide_all;
pub(super) use bulk::without_duplicates;

/// A caller who may read the data of accounts.
type Reader = Staff<AdminReadAccounts, ManageUsers>;
/// A caller who may decide about sign-ups.
type Writer = Staff<AdminWriteAccounts, ManageUsers>;

pub(super) fn configure(table: &mut Table) {
    table
        .configure(lists::configure)
        .configure(bulk::configure)
        .route("/api/v1/admin/accounts/{id}", web::get().to(show))
        .route("/api/v1/admin/accounts/{id}/approve", web::post().to(approve))
        .route("/api/v1/admin/accounts/{id}/reject", web::post().to(reject));
}

async fn show(app: Data<App>, _: Reader, id: Path<String>) -> Result<HttpResponse> {
    let id = record_id(&id)?;
    let found = app.read(move |conn| accounts::find(conn, id)).await?;
    Ok(rendered(&app, &found))
}

async fn approve(app: Data<App>, staff: Writer, id: Path<String>) -> Result<HttpResponse> {
    decide(&app, staff, &id, SignUpAction::Approve).await
}

async fn reject(app: Data<App>, staff: Writer, id: Path<String>) -> Result<HttpResponse> {
    decide(&app, staff, &id, SignUpAction::Reject).await
}

async fn decide(app: &App, staff: Writer, id: &str, action: SignUpAction) -> Result<HttpResponse> {
    let (id, decider) = (record_id(id)?, Decider::Staff(staff.authority));
    let instance = app.instance().clone();
    let decided =
        app.write(move |tx| sign_ups::decide_one(tx, &instance, decider, id, action)).await?;
    Ok(rendered(app, &decided))
}

fn rendered(app: &App, account: &AdminAccount) -> HttpResponse {
    HttpResponse::Ok().json(admin_account::render(account, app.urls()))
}
