//! `/api/v1/custom_emojis`.

use actix_web::{HttpResponse, web};
use siskin_app::App;
use siskin_services::emojis;
use siskin_wire::emoji;

use crate::{Result, table::Table};

pub(super) fn configure(table: &mut Table) {
    table.route("/api/v1/custom_emojis", web::get().to(list));
}

async fn list(app: web::Data<App>) -> Result<HttpResponse> {
    let emojis = app.read(emojis::list).await?;
    Ok(HttpResponse::Ok().json(emoji::render_all(&emojis, app.urls())))
}
