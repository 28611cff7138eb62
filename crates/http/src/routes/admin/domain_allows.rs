//! `/api/v1/admin/domain_allows`: servers that staff allow.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::{
    limits::LONG_PAGE,
    roles::ManageFederation,
    scopes::{AdminReadDomainAllows, AdminWriteDomainAllows},
};
use siskin_services::instance_domains;
use siskin_wire::instance_domain::render_allow;

use crate::{
    Result, Staff,
    paging::{self, PageQuery, Previous},
    params::{Form, record_id},
    table::Table,
};

/// A caller who may read allowed domains.
type Reader = Staff<AdminReadDomainAllows, ManageFederation>;
/// A caller who may change allowed domains.
type Writer = Staff<AdminWriteDomainAllows, ManageFederation>;

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/admin/domain_allows", web::get().to(list))
        .route("/api/v1/admin/domain_allows", web::post().to(create))
        .route("/api/v1/admin/domain_allows/{id}", web::get().to(show))
        .route("/api/v1/admin/domain_allows/{id}", web::delete().to(delete));
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NewAllowForm {
    domain: String,
}

async fn list(
    app: Data<App>,
    _: Reader,
    request: HttpRequest,
    Form(query): Form<PageQuery>,
) -> Result<HttpResponse> {
    let page = query.request(LONG_PAGE)?;
    let found = app.read(move |conn| instance_domains::list_allows(conn, page)).await?;
    Ok(paging::response(&request, app.urls(), &found, Previous::SinceId, render_allow))
}

/// Allows a domain. If it is allowed already, the response is the existing record.
async fn create(
    app: Data<App>,
    staff: Writer,
    Form(form): Form<NewAllowForm>,
) -> Result<HttpResponse> {
    let actor = staff.actor();
    let allow = app.write(move |tx| instance_domains::allow(tx, actor, &form.domain)).await?;
    Ok(HttpResponse::Ok().json(render_allow(&allow)))
}

async fn show(app: Data<App>, _: Reader, id: Path<String>) -> Result<HttpResponse> {
    let id = record_id(&id)?;
    let allow = app.read(move |conn| instance_domains::find_allow(conn, id)).await?;
    Ok(HttpResponse::Ok().json(render_allow(&allow)))
}

async fn delete(app: Data<App>, staff: Writer, id: Path<String>) -> Result<HttpResponse> {
    let (actor, id) = (staff.actor(), record_id(&id)?);
    let allow = app.write(move |tx| instance_domains::disallow(tx, actor, id)).await?;
    Ok(HttpResponse::Ok().json(render_allow(&allow)))
}
