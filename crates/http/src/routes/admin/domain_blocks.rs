//! `/api/v1/admin/domain_blocks`: servers that staff block. Dry run, import and export are
//! extensions of this server: see `docs/openapi/domain-blocks.yaml`.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::CONTENT_DISPOSITION,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{DomainLimits, DomainSeverity, Urls};
use siskin_policy::{
    limits::LONG_PAGE,
    roles::ManageFederation,
    scopes::{AdminReadDomainBlocks, AdminWriteDomainBlocks},
};
use siskin_services::{
    Error as Domain,
    instance_domains::{self, BlockRequest, Blocking, ChangeRequest, ParsedLine},
};
use siskin_wire::{
    empty::Empty,
    instance_domain::{render_block, render_conflict, render_import, render_preview},
};
use tokio::task::spawn_blocking;

use crate::{
    Result, Staff,
    paging::{self, PageQuery, Previous},
    params::{Form, Params, Patch, Value, record_id},
    table::Table,
    wording::translated,
};

/// A caller who may read domain blocks.
type Reader = Staff<AdminReadDomainBlocks, ManageFederation>;
/// A caller who may change domain blocks.
type Writer = Staff<AdminWriteDomainBlocks, ManageFederation>;

/// Field with the file of an import.
const FILE: &str = "data";

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/admin/domain_blocks", web::get().to(list))
        .route("/api/v1/admin/domain_blocks", web::post().to(create))
        .route("/api/v1/admin/domain_blocks/preview", web::post().to(preview))
        .route("/api/v1/admin/domain_blocks/export", web::get().to(export))
        .route("/api/v1/admin/domain_blocks/import", web::post().to(import))
        .route("/api/v1/admin/domain_blocks/{id}", web::get().to(show))
        .route("/api/v1/admin/domain_blocks/{id}", web::put().to(update))
        .route("/api/v1/admin/domain_blocks/{id}", web::delete().to(delete));
}

/// Parameters of a new block.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NewBlockForm {
    domain: String,
    severity: Option<String>,
    reject_media: Option<bool>,
    reject_reports: Option<bool>,
    private_comment: Option<String>,
    public_comment: Option<String>,
    obfuscate: Option<bool>,
}

impl NewBlockForm {
    fn request(self) -> Result<BlockRequest, Domain> {
        Ok(BlockRequest {
            domain: self.domain,
            limits: DomainLimits {
                severity: severity(self.severity.as_deref())?.unwrap_or(DomainSeverity::Silence),
                reject_media: self.reject_media.unwrap_or_default(),
                reject_reports: self.reject_reports.unwrap_or_default(),
            },
            private_comment: self.private_comment,
            public_comment: self.public_comment,
            obfuscate: self.obfuscate.unwrap_or_default(),
        })
    }
}

/// Parses a severity. An empty one counts as absent.
fn severity(name: Option<&str>) -> Result<Option<DomainSeverity>, Domain> {
    name.filter(|name| !name.is_empty()).map(instance_domains::severity).transpose()
}

/// Changes of a block. The domain cannot change.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ChangeForm {
    severity: Option<String>,
    reject_media: Patch<bool>,
    reject_reports: Patch<bool>,
    private_comment: Patch<String>,
    public_comment: Patch<String>,
    obfuscate: Patch<bool>,
}

impl ChangeForm {
    fn request(self) -> Result<ChangeRequest, Domain> {
        Ok(ChangeRequest {
            severity: severity(self.severity.as_deref())?,
            reject_media: self.reject_media.or_default(),
            reject_reports: self.reject_reports.or_default(),
            private_comment: self.private_comment.into_options(),
            public_comment: self.public_comment.into_options(),
            obfuscate: self.obfuscate.or_default(),
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
    let found = app.read(move |conn| instance_domains::list(conn, page)).await?;
    Ok(paging::response(&request, app.urls(), &found, Previous::SinceId, render_block))
}

async fn create(
    app: Data<App>,
    staff: Writer,
    Form(form): Form<NewBlockForm>,
) -> Result<HttpResponse> {
    let actor = staff.actor();
    let new = instance_domains::prepare(app.urls(), &form.request()?)?;
    let done = app.change_domain_blocks(move |tx| instance_domains::block(tx, actor, &new)).await?;
    Ok(match done {
        Blocking::Created(block) => HttpResponse::Ok().json(render_block(&block)),
        Blocking::Conflict(existing) => {
            let error = translated(instance_domains::CONFLICT);
            HttpResponse::UnprocessableEntity().json(render_conflict(&error, &existing))
        }
    })
}

async fn show(app: Data<App>, _: Reader, id: Path<String>) -> Result<HttpResponse> {
    let id = record_id(&id)?;
    let block = app.read(move |conn| instance_domains::find(conn, id)).await?;
    Ok(HttpResponse::Ok().json(render_block(&block)))
}

async fn update(
    app: Data<App>,
    staff: Writer,
    id: Path<String>,
    Form(form): Form<ChangeForm>,
) -> Result<HttpResponse> {
    let (actor, id) = (staff.actor(), record_id(&id)?);
    let changes = instance_domains::prepare_changes(&form.request()?)?;
    let block = app
        .change_domain_blocks(move |tx| instance_domains::update(tx, actor, id, &changes))
        .await?;
    Ok(HttpResponse::Ok().json(render_block(&block)))
}

async fn delete(app: Data<App>, staff: Writer, id: Path<String>) -> Result<HttpResponse> {
    let (actor, id) = (staff.actor(), record_id(&id)?);
    app.change_domain_blocks(move |tx| instance_domains::unblock(tx, actor, id)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}

/// Returns what a new block would change. Stores nothing.
async fn preview(
    app: Data<App>,
    _: Reader,
    Form(form): Form<NewBlockForm>,
) -> Result<HttpResponse> {
    let (urls, BlockRequest { domain, limits, .. }) = (app.urls().clone(), form.request()?);
    let preview =
        app.read(move |conn| instance_domains::preview(conn, &urls, &domain, limits)).await?;
    Ok(HttpResponse::Ok().json(render_preview(&preview)))
}

async fn export(app: Data<App>, _: Reader) -> Result<HttpResponse> {
    let list =
        app.read(|conn| instance_domains::export(&instance_domains::list_all(conn)?)).await?;
    Ok(HttpResponse::Ok()
        .content_type("text/csv; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"domain_blocks.csv\""))
        .body(list))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ImportForm {
    dry_run: Option<bool>,
}

async fn import(
    app: Data<App>,
    staff: Writer,
    params: Params,
    Form(form): Form<ImportForm>,
) -> Result<HttpResponse> {
    let lines = parse(app.urls().clone(), file(&params).await?).await?;
    let import = if form.dry_run.unwrap_or_default() {
        app.read(move |conn| instance_domains::dry_run(conn, &lines)).await?
    } else {
        app.import_domain_blocks(staff.actor(), lines).await?
    };
    let rendered = render_import(&import, |problem| translated(problem).into_owned());
    Ok(HttpResponse::Ok().json(rendered))
}

/// Returns the list of an import: an uploaded file, or a text.
async fn file(params: &Params) -> Result<Vec<u8>, Domain> {
    if let Some(Value::Text(text)) = params.get(FILE) {
        return Ok(text.clone().into_bytes());
    }
    let file = params.file(FILE).map_err(|error| Domain::invalid(error.to_string()))?;
    let file = file.ok_or_else(|| Domain::validation("File can't be blank"))?;
    let bytes = file.read().await.map_err(|error| Domain::internal(error.to_string()))?;
    Ok(bytes.to_vec())
}

/// Parses a list on a blocking thread, because it may have megabytes.
async fn parse(urls: Urls, file: Vec<u8>) -> Result<Vec<ParsedLine>, Domain> {
    spawn_blocking(move || instance_domains::parse(&urls, &file)).await.map_err(Domain::internal)?
}
