//! `/api/v1/instance`, `/api/v2/instance` and related routes.

use actix_web::{HttpResponse, web};
use siskin_app::App;
use siskin_entities::InstanceFacts;
use siskin_services::{
    about::{self, Capabilities},
    rules,
};
use siskin_wire::{instance, instance_v1, language, rule, translation};

use crate::{Result, table::Table};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/instance", web::get().to(show_v1))
        .route("/api/v1/instance/languages", web::get().to(list_languages))
        .route("/api/v1/instance/translation_languages", web::get().to(list_translations))
        .route("/api/v1/instance/rules", web::get().to(list_rules))
        .route("/api/v2/instance", web::get().to(show));
}

/// Loads the public information about the instance.
pub(super) async fn facts(app: &App) -> Result<InstanceFacts> {
    let (settings, counts) = (app.settings(), app.counts().await?);
    let offered = Capabilities {
        media_types: app.media().accepted_types().map(str::to_owned).collect(),
        translation: app.translates(),
        terms: !app.texts().terms.is_empty(),
        external_login: app.providers().next().is_some(),
    };
    Ok(app.read(move |conn| about::describe(conn, &settings, counts, offered)).await?)
}

async fn show(app: web::Data<App>) -> Result<HttpResponse> {
    let facts = facts(&app).await?;
    Ok(HttpResponse::Ok().json(instance::render(&facts, app.urls())))
}

async fn show_v1(app: web::Data<App>) -> Result<HttpResponse> {
    let facts = facts(&app).await?;
    Ok(HttpResponse::Ok().json(instance_v1::render(&facts, app.urls())))
}

async fn list_rules(app: web::Data<App>) -> Result<HttpResponse> {
    let rules = app.read(rules::list).await?;
    Ok(HttpResponse::Ok().json(rule::render_all(&rules)))
}

/// Lists the languages that a status can be in.
async fn list_languages() -> HttpResponse {
    let known = siskin_text::language::LANGUAGES.iter();
    HttpResponse::Ok().json(language::render_all(known.map(|known| (known.code, known.name))))
}

/// Lists the languages that statuses can be translated into.
async fn list_translations(app: web::Data<App>) -> Result<HttpResponse> {
    let languages = app.translation_languages().await?;
    Ok(HttpResponse::Ok().json(translation::render_languages(&languages)))
}
