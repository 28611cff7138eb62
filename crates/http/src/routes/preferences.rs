//! `/api/v1/preferences`.

use actix_web::{HttpResponse, web};
use siskin_app::App;
use siskin_policy::scopes::ReadAccounts;
use siskin_services::preferences;
use siskin_wire::preferences as wire;

use crate::{Authorized, Result, table::Table};

pub(super) fn configure(table: &mut Table) {
    table.route("/api/v1/preferences", web::get().to(show));
}

async fn show(app: web::Data<App>, viewer: Authorized<ReadAccounts>) -> Result<HttpResponse> {
    let chosen = app.read(move |conn| preferences::load(conn, viewer.account)).await?;
    Ok(HttpResponse::Ok().json(wire::render(&chosen)))
}
