//! `/admin/email-domains`: domains that no new account may have an email address at.

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{EmailDomainBlock, PageRequest, Timestamp};
use siskin_ids::EmailDomainBlockId;
use siskin_policy::{limits::LONG_PAGE, roles::ManageBlocks};
use siskin_services::sign_up_blocks::email_domains;

use super::{
    fields::{Field, InputForm},
    layout::{Done, Layout, Section, Viewer},
    rows::{Cell, DataTable, Row},
};
use crate::{
    pages::{PageError, PageForm, Problem},
    paging::PageQuery,
    params::record_id,
    routes::public::neighbours::Neighbours,
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PAGE: &str = "/admin/email-domains";
const HAPPENED: &[(&str, &str)] =
    &[("added", "The domain is blocked."), ("deleted", "The block was deleted.")];

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(list))
        .route(PAGE, web::post().to(add))
        .route("/admin/email-domains/{id}/delete", web::post().to(delete));
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NewBlock {
    domain: String,
}

async fn list(
    app: Data<App>,
    staff: StaffMember<ManageBlocks>,
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
    let found = viewer.app.read(move |conn| email_domains::list(conn, request, now)).await?;
    let form = InputForm::post("block", PAGE, "Block the domain")
        .with(Field::text("domain", "Domain", typed).hint(
            "Such as mail.example. Its subdomains are blocked too, and so are all domains with \
             mail servers there.",
        ))
        .refused(problem);
    let table = DataTable::new(
        "Blocked email domains",
        &["Domain", "Refused sign-ups in seven days", "Since"],
        "No email domains are blocked.",
    );
    let table = table
        .rows(found.items.iter().map(|block| row(block, now)))
        .paged(Neighbours::of(PAGE, &found, request));
    let explained = "Email addresses at these domains are refused when someone signs up or \
                     changes their address.";
    Ok(viewer
        .layout(PAGE, "Blocked email domains")
        .refused(problem)
        .with(Section::untitled().text(explained).form(form))
        .with(Section::new("blocked", "All blocked email domains").table(table)))
}

fn row(block: &EmailDomainBlock, now: Timestamp) -> Row {
    let refused: i64 = block.history.iter().map(|day| day.uses).sum();
    let cells = vec![Cell::text(refused.to_string()), Cell::time(block.created_at, now)];
    Row::new(&block.domain, cells).negative(format!("{PAGE}/{}/delete", block.id), "Delete")
}

async fn add(app: Data<App>, form: PostedStaff<ManageBlocks>) -> Result<HttpResponse, PageError> {
    let viewer = Viewer::posted(&app, &form);
    let (actor, NewBlock { domain }) = (form.actor(), form.posted.decode()?);
    let typed = domain.clone();
    match app.write(move |tx| email_domains::create(tx, actor, &domain)).await {
        Ok(_) => Ok(viewer.after(PAGE, "added")),
        Err(error) => {
            let (first, problem) = (PageRequest::newest(LONG_PAGE.default), Problem::of(error)?);
            layout(viewer, first, &typed, Some(&problem)).await?.show()
        }
    }
}

async fn delete(
    app: Data<App>,
    form: PostedStaff<ManageBlocks>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let id: EmailDomainBlockId = record_id(&id)?;
    let actor = form.actor();
    app.write(move |tx| email_domains::delete(tx, actor, id)).await?;
    Ok(Viewer::posted(&app, &form).after(PAGE, "deleted"))
}
