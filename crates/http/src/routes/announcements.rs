//! `/api/v1/announcements`: announcements of the operator, their dismissal and reactions.

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use siskin_app::App;
use siskin_policy::scopes::{Unscoped, WriteAccounts, WriteFavourites};
use siskin_services::announcements;
use siskin_wire::{announcement, empty::Empty};

use crate::{Authorized, Result, paging, params::record_id, table::Table};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/announcements", web::get().to(list))
        .route("/api/v1/announcements/{id}/dismiss", web::post().to(dismiss))
        .route("/api/v1/announcements/{id}/reactions/{name}", web::put().to(react))
        .route("/api/v1/announcements/{id}/reactions/{name}", web::delete().to(unreact));
}

async fn list(app: Data<App>, viewer: Authorized<Unscoped>) -> Result<HttpResponse> {
    let (now, urls) = (app.now(), app.urls().clone());
    let found = app.read(move |conn| announcements::list(conn, &urls, viewer.account, now)).await?;
    Ok(paging::list(&found, |shown| announcement::render(shown, app.urls())))
}

async fn dismiss(
    app: Data<App>,
    reader: Authorized<WriteAccounts>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let id = record_id(&id)?;
    app.write(move |tx| announcements::dismiss(tx, reader.account, id)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}

async fn react(
    app: Data<App>,
    user: Authorized<WriteFavourites>,
    path: Path<(String, String)>,
) -> Result<HttpResponse> {
    let (id, name) = path.into_inner();
    let id = record_id(&id)?;
    app.write(move |tx| announcements::react(tx, user.account, id, &name)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}

async fn unreact(
    app: Data<App>,
    user: Authorized<WriteFavourites>,
    path: Path<(String, String)>,
) -> Result<HttpResponse> {
    let (id, name) = path.into_inner();
    let id = record_id(&id)?;
    app.write(move |tx| announcements::unreact(tx, user.account, id, &name)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}
