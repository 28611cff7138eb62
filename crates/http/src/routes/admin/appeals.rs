//! `/api/v1/admin/appeals`: appeals of accounts, and the decisions about them. An extension of this
//! server.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{AppealState, Urls};
use siskin_ids::AppealId;
use siskin_persistence::Tx;
use siskin_policy::{
    limits::LONG_PAGE,
    roles::{Authority, ManageAppeals},
    scopes::{AdminReadAccounts, AdminWriteAccounts},
};
use siskin_services::{
    Error as Domain, Result as Served,
    moderation::appeals::{self, ShownAppeal},
};
use siskin_wire::strike::{self, AdminAppeal};

use crate::{
    Result, Staff,
    paging::{self, PageQuery, Previous},
    params::{Form, chosen, record_id},
    table::Table,
};

/// A caller who may decide about appeals.
type Decider = Staff<AdminWriteAccounts, ManageAppeals>;

const WRONG_STATE: &str = "State must be pending, approved or rejected";

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/admin/appeals", web::get().to(list))
        .route("/api/v1/admin/appeals/{id}/approve", web::post().to(approve))
        .route("/api/v1/admin/appeals/{id}/reject", web::post().to(reject));
}

#[derive(Debug, Deserialize)]
struct ListQuery {
    /// `pending`, `approved` or `rejected`; without it all appeals are listed.
    state: Option<String>,
}

async fn list(
    app: Data<App>,
    _: Staff<AdminReadAccounts, ManageAppeals>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
    Form(query): Form<ListQuery>,
) -> Result<HttpResponse> {
    let page = page.request(LONG_PAGE)?;
    let state = chosen(query.state).map(|name| name.parse::<AppealState>());
    let state = state.transpose().map_err(|_| Domain::validation(WRONG_STATE))?;
    let found = app.read(move |conn| appeals::list(conn, state, page)).await?;
    let render = |one: &ShownAppeal| render(one, app.urls());
    Ok(paging::response(&request, app.urls(), &found, Previous::MinId, render))
}

async fn approve(app: Data<App>, staff: Decider, id: Path<String>) -> Result<HttpResponse> {
    decide(&app, staff, &id, appeals::approve).await
}

async fn reject(app: Data<App>, staff: Decider, id: Path<String>) -> Result<HttpResponse> {
    decide(&app, staff, &id, appeals::reject).await
}

async fn decide(
    app: &App,
    staff: Decider,
    id: &str,
    decision: fn(&mut Tx<'_>, Authority, AppealId) -> Served<()>,
) -> Result<HttpResponse> {
    let id: AppealId = record_id(id)?;
    let authority = staff.authority;
    app.write(move |tx| decision(tx, authority, id)).await?;
    let shown = app.read(move |conn| appeals::find(conn, id)).await?;
    Ok(HttpResponse::Ok().json(render(&shown, app.urls())))
}

fn render(shown: &ShownAppeal, urls: &Urls) -> AdminAppeal {
    let ShownAppeal { appeal, strike, moderator, decided_by } = shown;
    strike::render_for_staff(appeal, strike, moderator.as_deref(), decided_by.as_deref(), urls)
}
