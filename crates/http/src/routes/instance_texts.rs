//! Texts about the instance, known servers, and the activity by week.

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use siskin_app::App;
use siskin_entities::time::Date;
use siskin_services::{Error as Domain, instance_texts as texts};
use siskin_wire::instance_text;

use crate::{Result, table::Table};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/instance/activity", web::get().to(activity))
        .route("/api/v1/instance/extended_description", web::get().to(extended_description))
        .route("/api/v1/instance/peers", web::get().to(peers))
        .route("/api/v1/instance/privacy_policy", web::get().to(privacy_policy))
        .route("/api/v1/instance/terms_of_service", web::get().to(terms_of_service))
        .route("/api/v1/instance/terms_of_service/{date}", web::get().to(version_of_terms));
}

async fn extended_description(app: Data<App>) -> HttpResponse {
    let texts = app.texts();
    HttpResponse::Ok().json(instance_text::render_description(&texts.extended_description))
}

async fn privacy_policy(app: Data<App>) -> HttpResponse {
    HttpResponse::Ok().json(instance_text::render_policy(&app.texts().privacy_policy))
}

async fn terms_of_service(app: Data<App>) -> Result<HttpResponse> {
    terms(&app, None)
}

async fn version_of_terms(app: Data<App>, date: Path<String>) -> Result<HttpResponse> {
    terms(&app, Some(Date::parse(&date).ok_or(Domain::NotFound)?))
}

fn terms(app: &App, date: Option<Date>) -> Result<HttpResponse> {
    let terms = texts::terms(&app.texts(), date, app.now())?;
    Ok(HttpResponse::Ok().json(instance_text::render_terms(&terms)))
}

/// Lists the domains of known servers. Without the setting, the route does not exist.
async fn peers(app: Data<App>) -> Result<HttpResponse> {
    if !app.settings().peers_api {
        return Err(Domain::NotFound.into());
    }
    Ok(HttpResponse::Ok().json(&*app.peers().await?))
}

/// Returns the activity of the last twelve weeks. Without the setting, the route does not exist.
async fn activity(app: Data<App>) -> Result<HttpResponse> {
    if !app.settings().activity_api {
        return Err(Domain::NotFound.into());
    }
    Ok(HttpResponse::Ok().json(instance_text::render_activity(&app.activity().await?)))
}
