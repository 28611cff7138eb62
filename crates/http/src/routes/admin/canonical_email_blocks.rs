//! `/api/v1/admin/canonical_email_blocks`: email addresses that no new account may have, in any
//! spelling.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::{
    limits::LONG_PAGE,
    roles::ManageBlocks,
    scopes::{AdminReadCanonicalEmailBlocks, AdminWriteCanonicalEmailBlocks},
};
use siskin_services::sign_up_blocks::canonical_emails::{self, EmailHash};
use siskin_wire::{empty::Empty, sign_up_block::render_canonical_email};

use crate::{
    Result, Staff,
    paging::{self, PageQuery, Previous},
    params::{Form, record_id},
    table::Table,
};

type Reader = Staff<AdminReadCanonicalEmailBlocks, ManageBlocks>;
type Writer = Staff<AdminWriteCanonicalEmailBlocks, ManageBlocks>;

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/admin/canonical_email_blocks", web::get().to(list))
        .route("/api/v1/admin/canonical_email_blocks", web::post().to(create))
        .route("/api/v1/admin/canonical_email_blocks/test", web::post().to(test))
        .route("/api/v1/admin/canonical_email_blocks/{id}", web::get().to(show))
        .route("/api/v1/admin/canonical_email_blocks/{id}", web::delete().to(delete));
}

async fn list(
    app: Data<App>,
    _: Reader,
    request: HttpRequest,
    Form(query): Form<PageQuery>,
) -> Result<HttpResponse> {
    let page = query.request(LONG_PAGE)?;
    let found = app.read(move |conn| canonical_emails::list(conn, page)).await?;
    Ok(paging::response(&request, app.urls(), &found, Previous::SinceId, render_canonical_email))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NewBlock {
    email: Option<String>,
    canonical_email_hash: Option<String>,
}

async fn create(app: Data<App>, staff: Writer, Form(form): Form<NewBlock>) -> Result<HttpResponse> {
    let actor = staff.actor();
    let NewBlock { email, canonical_email_hash } = form;
    let hash = EmailHash::of_params(email.as_deref(), canonical_email_hash.as_deref())?;
    let created = app.write(move |tx| canonical_emails::create(tx, actor, &hash)).await?;
    Ok(HttpResponse::Ok().json(render_canonical_email(&created)))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TestedEmail {
    email: String,
}

/// Returns the blocks that apply to an email address.
async fn test(app: Data<App>, _: Reader, Form(form): Form<TestedEmail>) -> Result<HttpResponse> {
    let hash = EmailHash::of_email(&form.email)?;
    let found = app.read(move |conn| canonical_emails::matching(conn, &hash)).await?;
    Ok(paging::list(&found, render_canonical_email))
}

async fn show(app: Data<App>, _: Reader, id: Path<String>) -> Result<HttpResponse> {
    let id = record_id(&id)?;
    let found = app.read(move |conn| canonical_emails::find(conn, id)).await?;
    Ok(HttpResponse::Ok().json(render_canonical_email(&found)))
}

async fn delete(app: Data<App>, staff: Writer, id: Path<String>) -> Result<HttpResponse> {
    let (actor, id) = (staff.actor(), record_id(&id)?);
    app.write(move |tx| canonical_emails::delete(tx, actor, id)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}
