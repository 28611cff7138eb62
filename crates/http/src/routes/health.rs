//! `GET /health`: whether the server can answer.

use actix_web::{HttpResponse, web};
use siskin_app::App;
use siskin_wire::health;

use crate::{Result, table::Table};

pub(super) fn configure(table: &mut Table) {
    table.route("/health", web::get().to(show));
}

/// 200 once the database answers.
async fn show(app: web::Data<App>) -> Result<HttpResponse> {
    app.read(|_| Ok(())).await?;
    Ok(HttpResponse::Ok().json(health::up()))
}
