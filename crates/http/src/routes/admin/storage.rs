//! `/api/v1/admin/storage`: what the server uses. An extension (`docs/openapi/operations.yaml`).

use actix_web::{
    HttpResponse,
    web::{self, Data},
};
use siskin_app::App;
use siskin_policy::{roles::ViewDashboard, scopes::AdminRead};
use siskin_wire::storage;

use crate::{Result, Staff, table::Table};

pub(super) fn configure(table: &mut Table) {
    table.route("/api/v1/admin/storage", web::get().to(show));
}

async fn show(app: Data<App>, _: Staff<AdminRead, ViewDashboard>) -> Result<HttpResponse> {
    Ok(HttpResponse::Ok().json(storage::render(&app.storage_usage().await?)))
}
