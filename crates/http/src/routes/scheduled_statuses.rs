//! `/api/v1/scheduled_statuses`: statuses that wait for their time of publication.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::{
    limits::STATUS_PAGE,
    scopes::{ReadStatuses, WriteStatuses},
};
use siskin_services::{
    Error as Domain,
    statuses::{self, Change},
};
use siskin_wire::{empty::Empty, scheduled};

use crate::{
    Authorized, Result, instant,
    paging::{self, PageQuery, Previous},
    params::{Form, Patch, record_id},
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/scheduled_statuses", web::get().to(list))
        .route("/api/v1/scheduled_statuses/{id}", web::get().to(show))
        .route("/api/v1/scheduled_statuses/{id}", web::put().to(change))
        .route("/api/v1/scheduled_statuses/{id}", web::delete().to(delete));
}

async fn list(
    app: Data<App>,
    author: Authorized<ReadStatuses>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    let page = page.request(STATUS_PAGE)?;
    let page = app.read(move |conn| statuses::scheduled(conn, author.account, page)).await?;
    Ok(paging::response(&request, app.urls(), &page, Previous::MinId, |status| {
        scheduled::render(status, app.urls())
    }))
}

async fn show(
    app: Data<App>,
    author: Authorized<ReadStatuses>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let id = record_id(&id)?;
    let found = app.read(move |conn| statuses::find_scheduled(conn, author.account, id)).await?;
    Ok(HttpResponse::Ok().json(scheduled::render(&found, app.urls())))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ChangeForm {
    scheduled_at: Patch<String>,
    media_ids: Patch<Vec<String>>,
}

async fn change(
    app: Data<App>,
    author: Authorized<WriteStatuses>,
    id: Path<String>,
    Form(form): Form<ChangeForm>,
) -> Result<HttpResponse> {
    let id = record_id(&id)?;
    let at = match form.scheduled_at {
        Patch::Keep => None,
        Patch::Clear => return Err(Domain::validation("Scheduled at can't be blank").into()),
        Patch::Set(at) => instant::read(Some(&at))?,
    };
    let change = Change { at, media_ids: form.media_ids.or_default() };
    let write = app.write(move |tx| statuses::change_scheduled(tx, author.account, id, &change));
    let changed = write.await?;
    Ok(HttpResponse::Ok().json(scheduled::render(&changed, app.urls())))
}

async fn delete(
    app: Data<App>,
    author: Authorized<WriteStatuses>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let id = record_id(&id)?;
    app.write(move |tx| statuses::unschedule(tx, author.account, id)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}
