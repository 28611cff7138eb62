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

use crate::{Authorized, Optional, Result, paging, params::Form};

/// Parameters of the search. `resolve` is ignored: accounts of other servers are found once this
/// server knows them.
#[derive(Debug, Deserialize)]
pub(super) struct Sought {
    q: String,
    limit: Option<String>,
    offset: Option<String>,
    #[serde(default)]
    following: bool,
}

pub(super) async fn search(
    app: web::Data<App>,
    viewer: Authorized<ReadAccounts>,
    Form(sought): Form<Sought>,
) -> Result<HttpResponse> {
    let query = search::prepare_accounts(search::Query {
        q: sought.q,
        limit: sought.limit,
        offset: sought.offset,
        following: sought.following,
        ..search::Query::default()
    })?;
    let instance = app.instance().clone();
    let (viewer, now) = (Some(viewer.account), app.now());
    let found =
        app.read(move |conn| search::accounts(conn, &instance, viewer, &query, now)).await?;
    Ok(paging::list(&found, |account| render(account, app.urls())))
}

#[derive(Debug, Deserialize)]
pub(super) struct Asked {
    order: Option<String>,
    #[serde(default)]
    local: bool,
    limit: Option<String>,
    offset: Option<String>,
}

pub(super) async fn show(
    app: web::Data<App>,
    viewer: Optional<ReadAccounts>,
    Form(Asked { order, local, limit, offset }): Form<Asked>,
) -> Result<HttpResponse> {
    let asked = directory::prepare(&Query { order, local, limit, offset })?;
    let now = app.now();
    let found = app.read(move |conn| directory::show(conn, viewer.account, asked, now)).await?;
    Ok(paging::list(&found, |account| render(account, app.urls())))
}
