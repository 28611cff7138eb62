//! `/api/v1/admin/instance_texts`: the texts about the instance, for staff who write them. An
//! extension of the API.

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{TextName, time::Date};
use siskin_policy::{
    roles::ManageSettings,
    scopes::{AdminRead, AdminWrite},
};
use siskin_services::{Error as Domain, instance_texts};
use siskin_wire::{empty::Empty, instance_text};

use crate::{
    Result, Staff,
    params::{Form, chosen},
    table::Table,
};

/// A caller who may read the source of the texts.
type Reader = Staff<AdminRead, ManageSettings>;
/// A caller who may change the texts.
type Writer = Staff<AdminWrite, ManageSettings>;

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/admin/instance_texts/{name}", web::get().to(show))
        .route("/api/v1/admin/instance_texts/{name}", web::put().to(update))
        .route("/api/v1/admin/instance_texts/{name}", web::delete().to(remove));
}

#[derive(Debug, Deserialize)]
struct VersionQuery {
    effective_date: Option<String>,
}

async fn show(
    app: Data<App>,
    _: Reader,
    name: Path<String>,
    Form(query): Form<VersionQuery>,
) -> Result<HttpResponse> {
    let name = text_name(&name)?;
    shown(&app, name, effective_date(query.effective_date)?).await
}

#[derive(Debug, Deserialize)]
struct TextForm {
    text: String,
    effective_date: Option<String>,
    /// Whether all users get an email about the version of the terms of service.
    send_email_notification: Option<bool>,
}

async fn update(
    app: Data<App>,
    staff: Writer,
    name: Path<String>,
    Form(form): Form<TextForm>,
) -> Result<HttpResponse> {
    let (name, date) = (text_name(&name)?, effective_date(form.effective_date)?);
    let announced = form.send_email_notification.unwrap_or(true);
    // Rendering a long text takes a while.
    let prepare = move || instance_texts::prepare(name, &form.text, date);
    let change = web::block(prepare).await.map_err(Domain::internal)??;
    let change = change.announced(announced);
    app.change_text(staff.actor(), change).await?;
    shown(&app, name, date).await
}

/// Brings the default of a text back, or removes a version of the terms of service.
async fn remove(
    app: Data<App>,
    staff: Writer,
    name: Path<String>,
    Form(query): Form<VersionQuery>,
) -> Result<HttpResponse> {
    let (name, date) = (text_name(&name)?, effective_date(query.effective_date)?);
    let change = instance_texts::prepare_removal(name, date)?;
    app.change_text(staff.actor(), change).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}

async fn shown(app: &App, name: TextName, date: Option<Date>) -> Result<HttpResponse> {
    let (settings, urls, now) = (app.settings(), app.urls().clone(), app.now());
    let source = app
        .read(move |conn| instance_texts::source(conn, &settings, &urls, name, date, now))
        .await?;
    Ok(HttpResponse::Ok().json(instance_text::render_source(&source)))
}

fn text_name(name: &str) -> Result<TextName> {
    Ok(TextName::from_name(name).ok_or(Domain::NotFound)?)
}

/// Parses the date of a version. Returns `None` if it is absent.
fn effective_date(text: Option<String>) -> Result<Option<Date>> {
    let Some(text) = chosen(text) else { return Ok(None) };
    let date = Date::parse(&text);
    Ok(Some(date.ok_or_else(|| Domain::validation("effective_date must be like 2026-12-24"))?))
}
