//! Statuses in filters.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_persistence::Tx;
use siskin_policy::scopes::{ReadFilters, WriteFilters};
use siskin_services::{Error as Domain, filters};
use siskin_wire::{empty::Empty, filter};

use crate::{Authorized, Result, params::Form};

#[derive(Debug, Deserialize)]
pub(super) struct StatusForm {
    status_id: Option<String>,
}

pub(super) async fn list(
    app: Data<App>,
    owner: Authorized<ReadFilters>,
    filter_id: Path<String>,
) -> Result<HttpResponse> {
    let found = app.read(move |conn| filters::find(conn, owner.account, &filter_id)).await?;
    Ok(HttpResponse::Ok().json(filter::render_statuses(&found.statuses)))
}

pub(super) async fn add(
    app: Data<App>,
    owner: Authorized<WriteFilters>,
    filter_id: Path<String>,
    Form(form): Form<StatusForm>,
) -> Result<HttpResponse> {
    let status = form.status_id.ok_or(Domain::NotFound)?;
    let add = move |tx: &mut Tx<'_>, owner| filters::add_status(tx, owner, &filter_id, &status);
    let added = app.change_filters(owner.account, add).await?;
    Ok(HttpResponse::Ok().json(filter::render_status(&added)))
}

pub(super) async fn show(
    app: Data<App>,
    owner: Authorized<ReadFilters>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let found = app.read(move |conn| filters::find_status(conn, owner.account, &id)).await?;
    Ok(HttpResponse::Ok().json(filter::render_status(&found)))
}

pub(super) async fn remove(
    app: Data<App>,
    owner: Authorized<WriteFilters>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let remove = move |tx: &mut Tx<'_>, owner| filters::remove_status(tx, owner, &id);
    app.change_filters(owner.account, remove).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}
