//! Domains that staff allow, for servers that federate with allowed ones only.

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{InstanceDomainAllow, PageRequest, Timestamp};
use siskin_ids::InstanceDomainAllowId;
use siskin_policy::{limits::LONG_PAGE, roles::ManageFederation};
use siskin_services::instance_domains;

use super::{ALLOWED, PAGE, tabs};
use crate::{
    pages::{PageError, PageForm, Problem},
    paging::PageQuery,
    params::record_id,
    routes::{
        public::neighbours::Neighbours,
        staff_pages::{
            fields::{Field, InputForm},
            layout::{Done, Layout, Section, Viewer},
            rows::{Cell, DataTable, Row},
        },
    },
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const HAPPENED: &[(&str, &str)] =
    &[("added", "The server is allowed."), ("deleted", "The server is not allowed any more.")];

pub(super) fn configure(table: &mut Table) {
    table
        .route("/admin/domains/allowed", web::get().to(list))
        .route("/admin/domains/allowed", web::post().to(add))
        .route("/admin/domains/allowed/{id}/delete", web::post().to(delete));
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NewAllow {
    domain: String,
}

async fn list(
    app: Data<App>,
    staff: StaffMember<ManageFederation>,
    PageForm(page): PageForm<PageQuery>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let (viewer, request) = (Viewer::of(&app, &staff), page.request(LONG_PAGE)?);
    layout(viewer, request, "", None).await?.done(&done, HAPPENED).show()
}

async fn layout(
    viewer: Viewer<'_>,
    request: PageRequest,
    typed: &str,
    problem: Option<&Problem>,
) -> Result<Layout, PageError> {
    let now = viewer.app.now();
    let found = viewer.app.read(move |conn| instance_domains::list_allows(conn, request)).await?;
    let form = InputForm::post("allow", ALLOWED, "Allow the server")
        .with(Field::text("domain", "Domain", typed))
        .refused(problem);
    let table = DataTable::new("Allowed servers", &["Domain", "Since"], "No server is allowed.")
        .rows(found.items.iter().map(|allow| row(allow, now)))
        .paged(Neighbours::of(ALLOWED, &found, request));
    let explained = "This list has no effect yet: it is for a server that federates with allowed \
                     servers alone, and this server does not federate yet.";
    Ok(viewer
        .layout(PAGE, "Allowed servers")
        .refused(problem)
        .tabs(tabs(ALLOWED))
        .with(Section::untitled().text(explained).form(form).table(table)))
}

fn row(allow: &InstanceDomainAllow, now: Timestamp) -> Row {
    let path = format!("{ALLOWED}/{}/delete", allow.id);
    Row::new(&allow.domain, vec![Cell::time(allow.created_at, now)]).negative(path, "Delete")
}

async fn add(
    app: Data<App>,
    form: PostedStaff<ManageFederation>,
) -> Result<HttpResponse, PageError> {
    let viewer = Viewer::posted(&app, &form);
    let (actor, NewAllow { domain }) = (form.actor(), form.posted.decode()?);
    let typed = domain.clone();
    match app.write(move |tx| instance_domains::allow(tx, actor, &domain)).await {
        Ok(_) => Ok(viewer.after(ALLOWED, "added")),
        Err(error) => {
            let (first, problem) = (PageRequest::newest(LONG_PAGE.default), Problem::of(error)?);
            layout(viewer, first, &typed, Some(&problem)).await?.show()
        }
    }
}

async fn delete(
    app: Data<App>,
    form: PostedStaff<ManageFederation>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let id: InstanceDomainAllowId = record_id(&id)?;
    let actor = form.actor();
    app.write(move |tx| instance_domains::disallow(tx, actor, id)).await?;
    Ok(Viewer::posted(&app, &form).after(ALLOWED, "deleted"))
}
