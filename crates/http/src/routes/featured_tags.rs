//! Featured hashtags on profiles: `/api/v1/featured_tags`, and the related routes of `/api/v1/tags`
//! and `/api/v1/accounts`.

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::scopes::{ReadAccounts, Unscoped, WriteAccounts};
use siskin_services::featured_tags;
use siskin_wire::{
    empty::Empty,
    tag::{render, render_featured},
};

use crate::{Authorized, Optional, Result, params::Form, table::Table};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/accounts/{id}/featured_tags", web::get().to(on_profile))
        .route("/api/v1/featured_tags", web::get().to(own))
        .route("/api/v1/featured_tags", web::post().to(add))
        .route("/api/v1/featured_tags/suggestions", web::get().to(suggestions))
        .route("/api/v1/featured_tags/{id}", web::delete().to(remove))
        .route("/api/v1/tags/{name}/feature", web::post().to(feature))
        .route("/api/v1/tags/{name}/unfeature", web::post().to(unfeature));
}

async fn on_profile(
    app: web::Data<App>,
    _: Optional<Unscoped>,
    id: web::Path<String>,
) -> Result<HttpResponse> {
    response(&app, id.into_inner()).await
}

async fn own(app: web::Data<App>, owner: Authorized<ReadAccounts>) -> Result<HttpResponse> {
    response(&app, owner.account.to_string()).await
}

async fn response(app: &App, owner: String) -> Result<HttpResponse> {
    let (owner, tags) = app.read(move |conn| featured_tags::on_profile(conn, &owner)).await?;
    let body: Vec<_> = tags.iter().map(|tag| render_featured(tag, &owner, app.urls())).collect();
    Ok(HttpResponse::Ok().json(body))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TagParams {
    name: String,
}

async fn add(
    app: web::Data<App>,
    owner: Authorized<WriteAccounts>,
    Form(TagParams { name }): Form<TagParams>,
) -> Result<HttpResponse> {
    let (owner, tag) = app.write(move |tx| featured_tags::add(tx, owner.account, &name)).await?;
    Ok(HttpResponse::Ok().json(render_featured(&tag, &owner, app.urls())))
}

async fn suggestions(app: web::Data<App>, owner: Authorized<ReadAccounts>) -> Result<HttpResponse> {
    let now = app.now();
    let tags = app.read(move |conn| featured_tags::suggestions(conn, owner.account, now)).await?;
    let body: Vec<_> = tags.iter().map(|tag| render(tag, app.urls())).collect();
    Ok(HttpResponse::Ok().json(body))
}

async fn remove(
    app: web::Data<App>,
    owner: Authorized<WriteAccounts>,
    id: web::Path<String>,
) -> Result<HttpResponse> {
    app.write(move |tx| featured_tags::remove(tx, owner.account, &id)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}

async fn feature(
    app: web::Data<App>,
    owner: Authorized<WriteAccounts>,
    name: web::Path<String>,
) -> Result<HttpResponse> {
    let tag = app.write(move |tx| featured_tags::feature(tx, owner.account, &name)).await?;
    Ok(HttpResponse::Ok().json(render(&tag, app.urls())))
}

async fn unfeature(
    app: web::Data<App>,
    owner: Authorized<WriteAccounts>,
    name: web::Path<String>,
) -> Result<HttpResponse> {
    let tag = app.write(move |tx| featured_tags::unfeature(tx, owner.account, &name)).await?;
    Ok(HttpResponse::Ok().json(render(&tag, app.urls())))
}
