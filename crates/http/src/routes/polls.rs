//! `/api/v1/polls`: reading a poll and voting in it.

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::scopes::{ReadStatuses, WriteStatuses};
use siskin_services::polls;
use siskin_wire::poll;

use crate::{
    Authorized, Optional, Result,
    params::{Form, record_id},
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/polls/{id}", web::get().to(show))
        .route("/api/v1/polls/{id}/votes", web::post().to(vote));
}

async fn show(
    app: Data<App>,
    viewer: Optional<ReadStatuses>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let id = record_id(&id)?;
    let found = app.read(move |conn| polls::find(conn, viewer.account, id)).await?;
    Ok(HttpResponse::Ok().json(poll::render(&found, app.urls(), app.now())))
}

#[derive(Debug, Deserialize)]
struct Vote {
    /// Indexes of the chosen options, starting at 0.
    #[serde(default)]
    choices: Vec<String>,
}

async fn vote(
    app: Data<App>,
    voter: Authorized<WriteStatuses>,
    id: Path<String>,
    Form(Vote { choices }): Form<Vote>,
) -> Result<HttpResponse> {
    let id = record_id(&id)?;
    let counted = app.write(move |tx| polls::vote(tx, voter.account, id, &choices)).await?;
    Ok(HttpResponse::Ok().json(poll::render(&counted, app.urls(), app.now())))
}
