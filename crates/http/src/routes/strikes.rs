//! `/api/v1/strikes`: what moderators did against the account of the caller, and its appeals. An
//! extension of this server.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::{
    limits::ACCOUNT_PAGE,
    scopes::{ReadAccounts, WriteAccounts},
};
use siskin_services::moderation::{appeals, strikes};
use siskin_wire::strike;

use crate::{
    Authorized, Result,
    paging::{self, PageQuery, Previous},
    params::{Form, record_id},
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/strikes", web::get().to(list))
        .route("/api/v1/strikes/{id}", web::get().to(show))
        .route("/api/v1/strikes/{id}/appeal", web::post().to(appeal));
}

async fn list(
    app: Data<App>,
    user: Authorized<ReadAccounts>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    let page = page.request(ACCOUNT_PAGE)?;
    let found = app.read(move |conn| strikes::of_account(conn, user.account, page)).await?;
    let render = |one: &_| strike::render_own(one, app.urls());
    Ok(paging::response(&request, app.urls(), &found, Previous::MinId, render))
}

async fn show(
    app: Data<App>,
    user: Authorized<ReadAccounts>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let id = record_id(&id)?;
    let found = app.read(move |conn| strikes::find(conn, user.account, id)).await?;
    Ok(HttpResponse::Ok().json(strike::render_own(&found, app.urls())))
}

#[derive(Debug, Deserialize)]
struct AppealForm {
    #[serde(default)]
    text: String,
}

async fn appeal(
    app: Data<App>,
    user: Authorized<WriteAccounts>,
    id: Path<String>,
    Form(form): Form<AppealForm>,
) -> Result<HttpResponse> {
    let id = record_id(&id)?;
    let found = app.write(move |tx| appeals::appeal(tx, user.account, id, &form.text)).await?;
    Ok(HttpResponse::Ok().json(strike::render_own(&found, app.urls())))
}
