//! Search for accounts, and the directory.

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::scopes::ReadAccounts;
use siskin_services::{
    accounts::directory::{self, Query},
    search,
};
use siskin_wire::account::render;

use crate::{Authorized, Optional, Result, paging, params::Form, table::Table};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/accounts/search", web::get().to(search))
        .route("/api/v1/directory", web::get().to(show));
}

/// Parameters of the search. `resolve` is ignored: accounts of other servers are found once this
/// server knows them.
#[derive(Debug, Deserialize)]
struct SearchParams {
    q: String,
    limit: Option<String>,
    offset: Option<String>,
    #[serde(default)]
    following: bool,
}

async fn search(
    app: web::Data<App>,
    viewer: Authorized<ReadAccounts>,
    Form(params): Form<SearchParams>,
) -> Result<HttpResponse> {
    let query = search::prepare_accounts(search::Query {
        q: params.q,
        limit: params.limit,
        offset: params.offset,
        following: params.following,
        ..search::Query::default()
    })?;
    let instance = app.instance().clone();
    let (viewer, now) = (Some(viewer.account), app.now());
    let found =
        app.read(move |conn| search::accounts(conn, &instance, viewer, &query, now)).await?;
    Ok(paging::list(&found, |account| render(account, app.urls())))
}

#[derive(Debug, Deserialize)]
struct DirectoryParams {
    order: Option<String>,
    #[serde(default)]
    local: bool,
    limit: Option<String>,
    offset: Option<String>,
}

async fn show(
    app: web::Data<App>,
    viewer: Optional<ReadAccounts>,
    Form(DirectoryParams { order, local, limit, offset }): Form<DirectoryParams>,
) -> Result<HttpResponse> {
    let prepared = directory::prepare(&Query { order, local, limit, offset })?;
    let now = app.now();
    let found = app.read(move |conn| directory::show(conn, viewer.account, prepared, now)).await?;
    Ok(paging::list(&found, |account| render(account, app.urls())))
}
