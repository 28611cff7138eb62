//! `/admin/emails`: email addresses that no new account may have, in any spelling. The server
//! stores their hashes alone, so the page can test an address but not list them.

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{CanonicalEmailBlock, PageRequest};
use siskin_ids::CanonicalEmailBlockId;
use siskin_policy::{limits::LONG_PAGE, roles::ManageBlocks};
use siskin_services::{
    Error as Domain,
    accounts::email::NewEmail,
    sign_up_blocks::canonical_emails::{self, EmailHash},
};

use super::{
    fields::{Field, InputForm},
    layout::{Done, Layout, Section, Viewer},
    rows::{DataTable, Row},
};
use crate::{
    pages::{PageError, PageForm, Problem},
    paging::PageQuery,
    params::record_id,
    routes::public::neighbours::Neighbours,
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PAGE: &str = "/admin/emails";
const TEST: &str = "/admin/emails/test";
const HAPPENED: &[(&str, &str)] =
    &[("added", "The address is blocked."), ("deleted", "The block was deleted.")];

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(list))
        .route(PAGE, web::post().to(add))
        .route(TEST, web::post().to(test))
        .route("/admin/emails/{id}/delete", web::post().to(delete));
}

/// An address as it was typed, in one of the two forms.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Typed {
    email: String,
}

/// What the page shows besides the blocks.
#[derive(Default)]
struct Shown {
    typed: String,
    /// Whether the address was typed in the form for tests.
    is_test: bool,
    result: Option<String>,
    problem: Option<Problem>,
}

async fn list(
    app: Data<App>,
    staff: StaffMember<ManageBlocks>,
    PageForm(page): PageForm<PageQuery>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let (viewer, request) = (Viewer::of(&app, &staff), page.request(LONG_PAGE)?);
    layout(viewer, request, Shown::default()).await?.done(&done, HAPPENED).show()
}

async fn layout(
    viewer: Viewer<'_>,
    request: PageRequest,
    shown: Shown,
) -> Result<Layout, PageError> {
    let found = viewer.app.read(move |conn| canonical_emails::list(conn, request)).await?;
    let Shown { typed, is_test, result, problem } = shown;
    let with_field = |form: InputForm, is_used: bool| {
        let typed = if is_used { typed.as_str() } else { "" };
        let field = Field::typed("email", "email", "Email address", typed)
            .about("Email")
            .about("Canonical email hash");
        form.with(field).refused(problem.as_ref().filter(|_| is_used))
    };
    let add = with_field(InputForm::post("block", PAGE, "Block the address"), !is_test);
    let test = with_field(InputForm::post("test", TEST, "Test the address"), is_test);
    let table =
        DataTable::new("Blocked email addresses", &["Hash"], "No email addresses are blocked.")
            .rows(found.items.iter().map(row))
            .paged(Neighbours::of(PAGE, &found, request));
    let explained = "These addresses are refused when someone signs up, also with dots or a plus \
                     form in them. The server stores a hash of each, not the address.";
    Ok(viewer
        .layout(PAGE, "Blocked email addresses")
        .refused(problem.as_ref())
        .happened(result)
        .with(Section::untitled().text(explained).form(add))
        .with(Section::new("test", "Is an email address blocked?").form(test))
        .with(Section::new("blocked", "All blocked email addresses").table(table)))
}

fn row(block: &CanonicalEmailBlock) -> Row {
    Row::new(&block.hash, Vec::new()).negative(format!("{PAGE}/{}/delete", block.id), "Delete")
}

/// Returns the hash of a typed address, or everything that is wrong with the address.
fn hash_of(email: &str) -> Result<EmailHash, Domain> {
    NewEmail::parse(email).map(|email| EmailHash::of(&email))
}

async fn add(app: Data<App>, form: PostedStaff<ManageBlocks>) -> Result<HttpResponse, PageError> {
    let viewer = Viewer::posted(&app, &form);
    let (actor, Typed { email }) = (form.actor(), form.posted.decode()?);
    let hash = hash_of(&email);
    let added =
        app.write_prepared(hash, move |tx, hash| canonical_emails::create(tx, actor, hash)).await;
    match added {
        Ok(_) => Ok(viewer.after(PAGE, "added")),
        Err(error) => {
            let problem = Some(Problem::of(error)?);
            let shown = Shown { typed: email, problem, ..Shown::default() };
            layout(viewer, first_page(), shown).await?.show()
        }
    }
}

/// Says whether an address is blocked. Changes nothing, but the address must not be in the address
/// of a page, which servers write to their logs.
async fn test(app: Data<App>, form: PostedStaff<ManageBlocks>) -> Result<HttpResponse, PageError> {
    let Typed { email } = form.posted.decode()?;
    let tested = match hash_of(&email) {
        Ok(hash) => app.read(move |conn| canonical_emails::matching(conn, &hash)).await,
        Err(error) => Err(error),
    };
    let mut shown = Shown { typed: email.clone(), is_test: true, ..Shown::default() };
    match tested {
        Ok(found) if found.is_empty() => shown.result = Some(format!("{email} is not blocked.")),
        Ok(_) => shown.result = Some(format!("{email} is blocked.")),
        Err(error) => shown.problem = Some(Problem::of(error)?),
    }
    layout(Viewer::posted(&app, &form), first_page(), shown).await?.show()
}

const fn first_page() -> PageRequest {
    PageRequest::newest(LONG_PAGE.default)
}

async fn delete(
    app: Data<App>,
    form: PostedStaff<ManageBlocks>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let id: CanonicalEmailBlockId = record_id(&id)?;
    let actor = form.actor();
    app.write(move |tx| canonical_emails::delete(tx, actor, id)).await?;
    Ok(Viewer::posted(&app, &form).after(PAGE, "deleted"))
}
