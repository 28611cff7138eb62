//! `/admin/networks`: networks that may not sign up, or have no access at all.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{IpBlock, IpBlockSeverity, PageRequest, Timestamp};
use siskin_policy::{limits::LONG_PAGE, roles::ManageBlocks};
use siskin_services::{
    Error as Domain,
    sign_up_blocks::ips::{self, IpBlockChanges, IpBlockParams},
};

use super::{
    fields::{Field, InputForm, unix_lines},
    layout::{Done, Layout, Link, Section, Viewer},
    people::Choice,
    rows::{Cell, DataTable, Row},
};
use crate::{
    address,
    pages::{PageError, PageForm, Problem},
    paging::PageQuery,
    params::record_id,
    routes::public::neighbours::Neighbours,
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PAGE: &str = "/admin/networks";
const HAPPENED: &[(&str, &str)] = &[
    ("added", "The network is blocked."),
    ("changed", "The block was changed."),
    ("deleted", "The block was deleted."),
];

/// Choice that leaves the end of a block as it is.
const KEEP: &str = "keep";
/// Lifetimes of blocks in seconds. The empty one has no end.
const LIFETIMES: [(&str, &str); 6] = [
    ("", "No end"),
    ("3600", "One hour"),
    ("86400", "One day"),
    ("604800", "One week"),
    ("2592000", "30 days"),
    ("31536000", "One year"),
];

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(list))
        .route(PAGE, web::post().to(add))
        .route("/admin/networks/{id}", web::get().to(show))
        .route("/admin/networks/{id}", web::post().to(change))
        .route("/admin/networks/{id}/delete", web::post().to(delete));
}

/// The submitted form.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct BlockForm {
    ip: String,
    severity: String,
    comment: String,
    expires_in: String,
}

impl BlockForm {
    fn of(block: &IpBlock) -> Self {
        Self {
            ip: block.network.to_string(),
            severity: block.severity.as_str().to_owned(),
            comment: block.comment.clone(),
            expires_in: KEEP.to_owned(),
        }
    }

    fn changes(&self) -> Result<IpBlockChanges, Domain> {
        let seconds = |text: &str| {
            let wrong = || Domain::validation("Expires in must be one of the choices");
            text.parse::<i64>().map_err(|_| wrong())
        };
        IpBlockChanges::new(IpBlockParams {
            ip: Some(self.ip.clone()),
            severity: Some(self.severity.clone()),
            comment: Some(unix_lines(&self.comment)),
            expires_in: match self.expires_in.as_str() {
                KEEP => None,
                "" => Some(None),
                text => Some(Some(seconds(text)?)),
            },
        })
    }

    /// Adds the fields to a form. `lifetimes` begins with the choice for the present end.
    fn fields(&self, form: InputForm, lifetimes: &[(&'static str, &'static str)]) -> InputForm {
        let severity = |severity: IpBlockSeverity| {
            Choice::new(severity.as_str(), effect(severity), &self.severity)
        };
        let lifetime =
            |(value, words): &(&str, &str)| Choice::new(*value, *words, &self.expires_in);
        let ip = Field::text("ip", "Address or network", &self.ip).about("IP");
        form.with(ip.hint("Such as 192.0.2.1, 192.0.2.0/24 or 2001:db8::/32."))
            .with(
                Field::select("severity", "Effect", IpBlockSeverity::ALL.map(severity).into())
                    .about("Severity"),
            )
            .with(
                Field::select("expires_in", "Duration", lifetimes.iter().map(lifetime).collect())
                    .about("Expires in"),
            )
            .with(Field::lines("comment", "Comment", 3, &self.comment).hint("Only staff see it."))
    }
}

const fn effect(severity: IpBlockSeverity) -> &'static str {
    match severity {
        IpBlockSeverity::SignUpRequiresApproval => "Sign-ups wait for approval",
        IpBlockSeverity::SignUpBlock => "Sign-ups are refused",
        IpBlockSeverity::NoAccess => "All requests are refused",
    }
}

async fn list(
    app: Data<App>,
    staff: StaffMember<ManageBlocks>,
    PageForm(page): PageForm<PageQuery>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let (viewer, request) = (Viewer::of(&app, &staff), page.request(LONG_PAGE)?);
    let empty = BlockForm::default();
    layout(viewer, request, &empty, None).await?.done(&done, HAPPENED).show()
}

async fn layout(
    viewer: Viewer<'_>,
    request: PageRequest,
    typed: &BlockForm,
    problem: Option<&Problem>,
) -> Result<Layout, PageError> {
    let now = viewer.app.now();
    let found = viewer.app.read(move |conn| ips::list(conn, request)).await?;
    let form = InputForm::post("block", PAGE, "Block the network");
    let form = typed.fields(form, &LIFETIMES).refused(problem);
    let columns = ["Address or network", "Effect", "Comment", "Since", "Ends"];
    let table = DataTable::new("Blocked addresses (IP)", &columns, "No addresses are blocked.")
        .rows(found.items.iter().map(|block| row(block, now)))
        .paged(Neighbours::of(PAGE, &found, request));
    Ok(viewer
        .layout(PAGE, "Blocked addresses (IP)")
        .refused(problem)
        .with(Section::untitled().form(form))
        .with(Section::new("blocked", "All blocked addresses (IP)").table(table)))
}

fn row(block: &IpBlock, now: Timestamp) -> Row {
    let end = match block.expires_at {
        Some(_) if !block.is_active(now) => Cell::text("Over"),
        end => Cell::time_if(end, now),
    };
    let cells = vec![
        Cell::text(effect(block.severity)),
        Cell::Lines(block.comment.clone()),
        Cell::time(block.created_at, now),
        end,
    ];
    let path = format!("{PAGE}/{}", block.id);
    Row::new(block.network.to_string(), cells)
        .link(path.clone(), "Change")
        .negative(format!("{path}/delete"), "Delete")
}

async fn add(
    app: Data<App>,
    request: HttpRequest,
    form: PostedStaff<ManageBlocks>,
) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(&app, &form), form.posted.decode::<BlockForm>()?);
    let (actor, client) = (form.actor(), Some(address::of(&request)));
    let added = match typed.changes() {
        Ok(new) => app.change_ip_blocks(move |tx| ips::create(tx, actor, &new, client)).await,
        Err(error) => Err(error),
    };
    match added {
        Ok(_) => Ok(viewer.after(PAGE, "added")),
        Err(error) => {
            let (first, problem) = (PageRequest::newest(LONG_PAGE.default), Problem::of(error)?);
            layout(viewer, first, &typed, Some(&problem)).await?.show()
        }
    }
}

async fn show(
    app: Data<App>,
    staff: StaffMember<ManageBlocks>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let id = record_id(&id)?;
    let block = app.read(move |conn| ips::find(conn, id)).await?;
    block_layout(Viewer::of(&app, &staff), &block, &BlockForm::of(&block), None).show()
}

fn block_layout(
    viewer: Viewer<'_>,
    block: &IpBlock,
    typed: &BlockForm,
    problem: Option<&Problem>,
) -> Layout {
    let mut lifetimes = vec![(KEEP, "As before")];
    lifetimes.extend(LIFETIMES);
    let form = InputForm::post("change", format!("{PAGE}/{}", block.id), "Save");
    let form = typed.fields(form, &lifetimes).refused(problem);
    let section =
        Section::untitled().form(form).links(vec![Link::new(PAGE, "All blocked addresses (IP)")]);
    viewer.layout(PAGE, format!("Block of {}", block.network)).refused(problem).with(section)
}

async fn change(
    app: Data<App>,
    request: HttpRequest,
    form: PostedStaff<ManageBlocks>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(&app, &form), form.posted.decode::<BlockForm>()?);
    let (actor, client, id) = (form.actor(), Some(address::of(&request)), record_id(&id)?);
    let changed = match typed.changes() {
        Ok(changes) => {
            app.change_ip_blocks(move |tx| ips::update(tx, actor, id, &changes, client)).await
        }
        Err(error) => Err(error),
    };
    match changed {
        Ok(_) => Ok(viewer.after(PAGE, "changed")),
        Err(error) => {
            let problem = Problem::of(error)?;
            let block = app.read(move |conn| ips::find(conn, id)).await?;
            block_layout(viewer, &block, &typed, Some(&problem)).show()
        }
    }
}

async fn delete(
    app: Data<App>,
    form: PostedStaff<ManageBlocks>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (actor, id) = (form.actor(), record_id(&id)?);
    app.change_ip_blocks(move |tx| ips::delete(tx, actor, id)).await?;
    Ok(Viewer::posted(&app, &form).after(PAGE, "deleted"))
}
