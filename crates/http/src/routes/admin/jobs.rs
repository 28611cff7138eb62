//! `/api/v1/admin/jobs`: background jobs. An extension (`docs/openapi/operations.yaml`).

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::JobState;
use siskin_policy::{
    limits::LONG_PAGE,
    roles::Devops,
    scopes::{AdminRead, AdminWrite},
};
use siskin_services::{Error as Domain, stored_jobs};
use siskin_wire::{empty::Empty, job};

use crate::{
    Result, Staff,
    paging::{self, PageQuery, Previous},
    params::{Form, chosen, record_id},
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/admin/jobs", web::get().to(list))
        .route("/api/v1/admin/jobs/{id}/retry", web::post().to(retry))
        .route("/api/v1/admin/jobs/{id}/discard", web::post().to(discard));
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Selection {
    state: Option<String>,
}

async fn list(
    app: Data<App>,
    _: Staff<AdminRead, Devops>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
    Form(selection): Form<Selection>,
) -> Result<HttpResponse> {
    let state = chosen(selection.state.as_deref()).map_or(Ok(JobState::Dead), str::parse);
    let state = state.map_err(|_| Domain::validation("State is not included in the list"))?;
    let (page, now) = (page.request(LONG_PAGE)?, app.now());
    let page = app.read(move |conn| stored_jobs::list(conn, state, now, page)).await?;
    Ok(paging::response(&request, app.urls(), &page, Previous::MinId, job::render))
}

async fn retry(
    app: Data<App>,
    staff: Staff<AdminWrite, Devops>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let (id, actor) = (record_id(&id)?, staff.actor());
    let retried = app.write(move |tx| stored_jobs::retry(tx, actor, id)).await?;
    Ok(HttpResponse::Ok().json(job::render(&retried)))
}

async fn discard(
    app: Data<App>,
    staff: Staff<AdminWrite, Devops>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let (id, actor) = (record_id(&id)?, staff.actor());
    app.write(move |tx| stored_jobs::discard(tx, actor, id)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}
