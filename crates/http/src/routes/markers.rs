//! `/api/v1/markers`.

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::scopes::{ReadStatuses, WriteStatuses};
use siskin_services::markers;
use siskin_wire::marker;
use validator::Validate;

use crate::{
    Authorized, Result,
    params::{Checked, Form},
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/markers", web::get().to(show))
        .route("/api/v1/markers", web::post().to(set));
}

#[derive(Debug, Deserialize, Validate)]
struct MarkersParams {
    /// Names of timelines. Only two of them are known.
    #[serde(default)]
    #[validate(length(max = 100))]
    timeline: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Positions {
    home: Option<Position>,
    notifications: Option<Position>,
}

#[derive(Debug, Deserialize)]
struct Position {
    last_read_id: Option<String>,
}

async fn show(
    app: web::Data<App>,
    viewer: Authorized<ReadStatuses>,
    Checked(named): Checked<MarkersParams>,
) -> Result<HttpResponse> {
    let all = app.read(move |conn| markers::load(conn, viewer.account)).await?;
    let markers = markers::named(all, &named.timeline);
    Ok(HttpResponse::Ok().json(marker::render(&markers)))
}

async fn set(
    app: web::Data<App>,
    viewer: Authorized<WriteStatuses>,
    Form(to): Form<Positions>,
) -> Result<HttpResponse> {
    let id = |position: Option<Position>| position.and_then(|position| position.last_read_id);
    let (home, notifications) = (id(to.home), id(to.notifications));
    let to = markers::Move::parse(home.as_deref(), notifications.as_deref())?;
    let current = app.read(move |conn| markers::load(conn, viewer.account)).await?;
    let moved = app.write(move |tx| markers::apply(tx, viewer.account, &current, &to)).await?;
    Ok(HttpResponse::Ok().json(marker::render(&moved)))
}
