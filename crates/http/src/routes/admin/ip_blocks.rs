//! `/api/v1/admin/ip_blocks`: networks that may not sign up, or have no access at all.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::{
    limits::LONG_PAGE,
    roles::ManageBlocks,
    scopes::{AdminReadIpBlocks, AdminWriteIpBlocks},
};
use siskin_services::{
    Error as Domain,
    sign_up_blocks::ips::{self, IpBlockChanges, IpBlockParams},
};
use siskin_wire::{empty::Empty, sign_up_block::render_ip};

use crate::{
    Result, Staff, address,
    paging::{self, PageQuery, Previous},
    params::{Form, Patch, record_id},
    table::Table,
};

type Reader = Staff<AdminReadIpBlocks, ManageBlocks>;
type Writer = Staff<AdminWriteIpBlocks, ManageBlocks>;

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/admin/ip_blocks", web::get().to(list))
        .route("/api/v1/admin/ip_blocks", web::post().to(create))
        .route("/api/v1/admin/ip_blocks/{id}", web::get().to(show))
        .route("/api/v1/admin/ip_blocks/{id}", web::put().to(update))
        .route("/api/v1/admin/ip_blocks/{id}", web::delete().to(delete));
}

/// Parameters of a new or changed block.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct IpBlockForm {
    ip: Patch<String>,
    severity: Patch<String>,
    comment: Patch<String>,
    expires_in: Patch<i64>,
}

impl IpBlockForm {
    fn changes(self) -> Result<IpBlockChanges, Domain> {
        IpBlockChanges::new(IpBlockParams {
            ip: self.ip.or_default(),
            severity: self.severity.or_default(),
            comment: self.comment.or_default(),
            expires_in: self.expires_in.into_options(),
        })
    }
}

async fn list(
    app: Data<App>,
    _: Reader,
    request: HttpRequest,
    Form(query): Form<PageQuery>,
) -> Result<HttpResponse> {
    let page = query.request(LONG_PAGE)?;
    let found = app.read(move |conn| ips::list(conn, page)).await?;
    Ok(paging::response(&request, app.urls(), &found, Previous::SinceId, render_ip))
}

async fn create(
    app: Data<App>,
    staff: Writer,
    request: HttpRequest,
    Form(form): Form<IpBlockForm>,
) -> Result<HttpResponse> {
    let (actor, client) = (staff.actor(), Some(address::of(&request)));
    let changes = form.changes()?;
    let created = app.change_ip_blocks(move |tx| ips::create(tx, actor, &changes, client)).await?;
    Ok(HttpResponse::Ok().json(render_ip(&created)))
}

async fn show(app: Data<App>, _: Reader, id: Path<String>) -> Result<HttpResponse> {
    let id = record_id(&id)?;
    let found = app.read(move |conn| ips::find(conn, id)).await?;
    Ok(HttpResponse::Ok().json(render_ip(&found)))
}

async fn update(
    app: Data<App>,
    staff: Writer,
    request: HttpRequest,
    id: Path<String>,
    Form(form): Form<IpBlockForm>,
) -> Result<HttpResponse> {
    let (actor, client) = (staff.actor(), Some(address::of(&request)));
    let (id, changes) = (record_id(&id)?, form.changes()?);
    let updated =
        app.change_ip_blocks(move |tx| ips::update(tx, actor, id, &changes, client)).await?;
    Ok(HttpResponse::Ok().json(render_ip(&updated)))
}

async fn delete(app: Data<App>, staff: Writer, id: Path<String>) -> Result<HttpResponse> {
    let (actor, id) = (staff.actor(), record_id(&id)?);
    app.change_ip_blocks(move |tx| ips::delete(tx, actor, id)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}
