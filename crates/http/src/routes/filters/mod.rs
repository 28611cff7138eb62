//! `/api/v2/filters`, the remaining routes of `/api/v1/filters`, and keywords under both.

mod forms;
mod keywords;
mod legacy;
mod preview;
mod statuses;

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use siskin_app::App;
use siskin_persistence::Tx;
use siskin_policy::scopes::{ReadFilters, WriteFilters};
use siskin_services::filters;
use siskin_wire::{empty::Empty, filter};

use self::forms::FilterForm;
use crate::{Authorized, Result, params::Form, table::Table};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v2/filters", web::get().to(list))
        .route("/api/v2/filters", web::post().to(create))
        .route("/api/v2/filters/preview", web::post().to(preview::preview))
        .route("/api/v2/filters/keywords/{id}", web::get().to(keywords::show))
        .route("/api/v2/filters/keywords/{id}", web::put().to(keywords::change))
        .route("/api/v2/filters/keywords/{id}", web::delete().to(keywords::remove))
        .route("/api/v2/filters/statuses/{id}", web::get().to(statuses::show))
        .route("/api/v2/filters/statuses/{id}", web::delete().to(statuses::remove))
        .route("/api/v2/filters/{filter_id}/keywords", web::get().to(keywords::list))
        .route("/api/v2/filters/{filter_id}/keywords", web::post().to(keywords::add))
        .route("/api/v2/filters/{filter_id}/keywords/{id}", web::post().to(keywords::add_by_id))
        .route("/api/v2/filters/{filter_id}/statuses", web::get().to(statuses::list))
        .route("/api/v2/filters/{filter_id}/statuses", web::post().to(statuses::add))
        .route("/api/v2/filters/{id}", web::get().to(show))
        .route("/api/v2/filters/{id}", web::put().to(edit))
        .route("/api/v2/filters/{id}", web::delete().to(remove))
        .route("/api/v1/filters", web::get().to(legacy::list))
        .route("/api/v1/filters", web::post().to(legacy::create))
        .route("/api/v1/filters/keywords/{id}", web::get().to(keywords::show))
        .route("/api/v1/filters/keywords/{id}", web::put().to(keywords::change))
        .route("/api/v1/filters/keywords/{id}", web::delete().to(keywords::remove))
        .route("/api/v1/filters/{id}", web::get().to(legacy::show))
        .route("/api/v1/filters/{id}", web::put().to(legacy::change))
        .route("/api/v1/filters/{id}", web::delete().to(keywords::remove));
}

async fn list(app: Data<App>, owner: Authorized<ReadFilters>) -> Result<HttpResponse> {
    let own = app.read(move |conn| filters::list(conn, owner.account)).await?;
    Ok(HttpResponse::Ok().json(filter::render_all(&own)))
}

async fn create(
    app: Data<App>,
    owner: Authorized<WriteFilters>,
    Form(form): Form<FilterForm>,
) -> Result<HttpResponse> {
    let new = filters::prepare_new(form.draft()?)?;
    let create = move |tx: &mut Tx<'_>, owner| filters::create(tx, owner, &new);
    let created = app.change_filters(owner.account, create).await?;
    Ok(HttpResponse::Ok().json(filter::render(&created)))
}

async fn show(
    app: Data<App>,
    owner: Authorized<ReadFilters>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let found = app.read(move |conn| filters::find(conn, owner.account, &id)).await?;
    Ok(HttpResponse::Ok().json(filter::render(&found)))
}

async fn edit(
    app: Data<App>,
    owner: Authorized<WriteFilters>,
    id: Path<String>,
    Form(form): Form<FilterForm>,
) -> Result<HttpResponse> {
    let prepared = filters::prepare_edit(form.draft()?)?;
    let edit = move |tx: &mut Tx<'_>, owner| filters::edit(tx, owner, &id, &prepared);
    let edited = app.change_filters(owner.account, edit).await?;
    Ok(HttpResponse::Ok().json(filter::render(&edited)))
}

async fn remove(
    app: Data<App>,
    owner: Authorized<WriteFilters>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let remove = move |tx: &mut Tx<'_>, owner| filters::remove(tx, owner, &id);
    app.change_filters(owner.account, remove).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}
