//! `/.well-known` and `/nodeinfo`: lets other programs discover this server and its accounts.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{ACCEPT, VARY},
    web,
};
use serde::Deserialize;
use siskin_app::App;
use siskin_services::{Error as Domain, discovery};
use siskin_wire::discovery::{self as wire, NodeInfoVersion};

use crate::{Result, params::Form, table::Table};

use super::instance;

pub(super) fn configure(table: &mut Table) {
    table
        .route("/.well-known/host-meta", web::get().to(host_meta))
        .route("/.well-known/host-meta.json", web::get().to(host_meta_json))
        .route("/.well-known/nodeinfo", web::get().to(node_info_links))
        .route("/.well-known/webfinger", web::get().to(web_finger))
        .route("/nodeinfo/{version}", web::get().to(node_info));
}

#[derive(Debug, Deserialize)]
struct WebFingerParams {
    resource: String,
}

async fn web_finger(
    app: web::Data<App>,
    Form(params): Form<WebFingerParams>,
) -> Result<HttpResponse> {
    let urls = app.urls().clone();
    let account = app.read(move |conn| discovery::find(conn, &urls, &params.resource)).await?;
    Ok(HttpResponse::Ok()
        .content_type("application/jrd+json")
        .json(wire::render_web_finger(&account, app.urls())))
}

/// Returns XML, or JSON for clients that ask for it (RFC 6415, section 3).
async fn host_meta(app: web::Data<App>, request: HttpRequest) -> HttpResponse {
    let accept = request.headers().get(ACCEPT).and_then(|accept| accept.to_str().ok());
    if accept.is_some_and(|accept| accept.contains("json") && !accept.contains("xml")) {
        return host_meta_json(app).await;
    }
    HttpResponse::Ok()
        .content_type("application/xrd+xml; charset=utf-8")
        .insert_header((VARY, "Accept"))
        .body(wire::write_host_meta(app.urls()))
}

async fn host_meta_json(app: web::Data<App>) -> HttpResponse {
    HttpResponse::Ok().insert_header((VARY, "Accept")).json(wire::render_host_meta(app.urls()))
}

async fn node_info_links(app: web::Data<App>) -> HttpResponse {
    HttpResponse::Ok().json(wire::render_node_info_links(app.urls()))
}

async fn node_info(app: web::Data<App>, version: web::Path<String>) -> Result<HttpResponse> {
    let version = NodeInfoVersion::from_number(&version).ok_or(Domain::NotFound)?;
    let facts = instance::facts(&app).await?;
    Ok(HttpResponse::Ok()
        .content_type(format!("application/json; profile=\"{}#\"", version.schema()))
        .json(wire::render_node_info(&facts, version)))
}
