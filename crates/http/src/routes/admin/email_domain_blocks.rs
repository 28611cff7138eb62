//! `/api/v1/admin/email_domain_blocks`: domains that no new account may have an email address at.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::{
    limits::LONG_PAGE,
    roles::ManageBlocks,
    scopes::{AdminReadEmailDomainBlocks, AdminWriteEmailDomainBlocks},
};
use siskin_services::sign_up_blocks::email_domains;
use siskin_wire::{empty::Empty, sign_up_block::render_email_domain};

use crate::{
    Result, Staff,
    paging::{self, PageQuery, Previous},
    params::{Form, record_id},
    table::Table,
};

type Reader = Staff<AdminReadEmailDomainBlocks, ManageBlocks>;
type Writer = Staff<AdminWriteEmailDomainBlocks, ManageBlocks>;

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/admin/email_domain_blocks", web::get().to(list))
        .route("/api/v1/admin/email_domain_blocks", web::post().to(create))
        .route("/api/v1/admin/email_domain_blocks/{id}", web::get().to(show))
        .route("/api/v1/admin/email_domain_blocks/{id}", web::delete().to(delete));
}

async fn list(
    app: Data<App>,
    _: Reader,
    request: HttpRequest,
    Form(query): Form<PageQuery>,
) -> Result<HttpResponse> {
    let (now, page) = (app.now(), query.request(LONG_PAGE)?);
    let found = app.read(move |conn| email_domains::list(conn, page, now)).await?;
    Ok(paging::response(&request, app.urls(), &found, Previous::MinId, render_email_domain))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NewBlock {
    domain: String,
}

async fn create(app: Data<App>, staff: Writer, Form(form): Form<NewBlock>) -> Result<HttpResponse> {
    let actor = staff.actor();
    let created = app.write(move |tx| email_domains::create(tx, actor, &form.domain)).await?;
    Ok(HttpResponse::Ok().json(render_email_domain(&created)))
}

async fn show(app: Data<App>, _: Reader, id: Path<String>) -> Result<HttpResponse> {
    let (now, id) = (app.now(), record_id(&id)?);
    let found = app.read(move |conn| email_domains::find(conn, id, now)).await?;
    Ok(HttpResponse::Ok().json(render_email_domain(&found)))
}

async fn delete(app: Data<App>, staff: Writer, id: Path<String>) -> Result<HttpResponse> {
    let (actor, id) = (staff.actor(), record_id(&id)?);
    app.write(move |tx| email_domains::delete(tx, actor, id)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}
