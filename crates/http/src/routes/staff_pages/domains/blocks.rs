//! Blocked domains: the list, new blocks with their dry run, changes and deletion.

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{
    DomainBlockEffect, DomainBlockPreview, DomainSeverity, InstanceDomainBlock, Page, PageRequest,
    Timestamp,
};
use siskin_policy::{limits::LONG_PAGE, roles::ManageFederation};
use siskin_services::{
    Error as Domain,
    instance_domains::{self, Blocking},
};

use super::{PAGE, effect, form::BlockForm, tabs};
use crate::{
    pages::{PageError, PageForm, Problem},
    paging::PageQuery,
    params::{chosen, record_id},
    routes::{
        public::{neighbours::Neighbours, view::counted},
        staff_pages::{
            confirm::Confirmation,
            fields::{Field, InputForm},
            layout::{Confirmed, Done, Layout, Link, Section, Viewer},
            rows::{Cell, DataTable, Row},
        },
    },
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const NEW: &str = "/admin/domains/new";
const PREVIEW: &str = "/admin/domains/preview";
const HAPPENED: &[(&str, &str)] = &[
    ("added", "The server is blocked. Its accounts follow in the background."),
    ("changed", "The block was changed. The accounts follow in the background."),
    ("deleted", "The block was deleted. The accounts are restored in the background."),
];

pub(super) fn configure(table: &mut Table) {
    table
        .route("/admin/domains", web::get().to(list))
        .route("/admin/domains", web::post().to(create))
        .route(NEW, web::get().to(show_new))
        .route(PREVIEW, web::post().to(preview))
        .route("/admin/domains/{id}", web::get().to(show))
        .route("/admin/domains/{id}", web::post().to(change))
        .route("/admin/domains/{id}/delete", web::post().to(delete));
}

/// Which blocks are shown.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Search {
    /// Only the block of exactly this domain.
    domain: String,
}

async fn list(
    app: Data<App>,
    staff: StaffMember<ManageFederation>,
    PageForm(page): PageForm<PageQuery>,
    PageForm(search): PageForm<Search>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let (request, now) = (page.request(LONG_PAGE)?, app.now());
    let (found, problem) = match find(&app, &search.domain, request).await {
        Ok(found) => (found, None),
        Err(error) => (none(), Some(Problem::of(error)?)),
    };
    let form = InputForm::get("search", PAGE, "Search")
        .with(Field::text("domain", "Domain", &search.domain))
        .refused(problem.as_ref());
    let columns = ["Domain", "Its accounts are", "Also", "Comment for staff", "Since"];
    let table = DataTable::new("Blocked servers", &columns, "No such server is blocked.")
        .rows(found.items.iter().map(|block| row(block, now)))
        .paged(Neighbours::of(PAGE, &found, request));
    let links = vec![Link::new(NEW, "Block a server")];
    Viewer::of(&app, &staff)
        .layout(PAGE, "Blocked servers")
        .done(&done, HAPPENED)
        .refused(problem.as_ref())
        .tabs(tabs(PAGE))
        .with(Section::untitled().links(links).form(form).table(table))
        .show()
}

/// Loads a page of the blocks, or the block of one domain.
async fn find(
    app: &App,
    domain: &str,
    request: PageRequest,
) -> Result<Page<InstanceDomainBlock>, Domain> {
    let Some(domain) = chosen(Some(domain.trim().to_owned())) else {
        return app.read(move |conn| instance_domains::list(conn, request)).await;
    };
    match app.read(move |conn| instance_domains::find_by_domain(conn, &domain)).await {
        Ok(block) => Ok(Page { items: vec![block], ..none() }),
        Err(Domain::NotFound) => Ok(none()),
        Err(error) => Err(error),
    }
}

fn none() -> Page<InstanceDomainBlock> {
    Page::of(Vec::new(), 0, |_| 0)
}

fn row(block: &InstanceDomainBlock, now: Timestamp) -> Row {
    let limits = block.limits;
    let cells = vec![
        Cell::text(effect(limits.severity)),
        Cell::tags(&[
            (limits.reject_media, "No media"),
            (limits.reject_reports, "No reports"),
            (block.obfuscate, "Partly hidden"),
        ]),
        Cell::Lines(block.private_comment.clone().unwrap_or_default()),
        Cell::time(block.created_at, now),
    ];
    let path = format!("{PAGE}/{}", block.id);
    Row::new(&block.domain, cells)
        .link(path.clone(), "Change")
        .negative(format!("{path}/delete"), "Delete")
}

async fn show_new(
    app: Data<App>,
    staff: StaffMember<ManageFederation>,
) -> Result<HttpResponse, PageError> {
    new_layout(Viewer::of(&app, &staff), &BlockForm::blank(), None).show()
}

fn new_layout(viewer: Viewer<'_>, typed: &BlockForm, problem: Option<&Problem>) -> Layout {
    let form = InputForm::post("block", PREVIEW, "Show what it would change");
    let form = typed.fields(typed.domain_field(form)).refused(problem);
    viewer
        .layout(PAGE, "Block a server")
        .refused(problem)
        .with(Section::untitled().form(form).links(vec![Link::new(PAGE, "All blocked servers")]))
}

/// Shows what a new block would change. Changes nothing.
async fn preview(
    app: Data<App>,
    form: PostedStaff<ManageFederation>,
) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(&app, &form), form.posted.decode::<BlockForm>()?);
    match dry_run(&app, &typed).await {
        Ok(preview) => preview_layout(viewer, &typed, &preview).show(),
        Err(error) => new_layout(viewer, &typed, Some(&Problem::of(error)?)).show(),
    }
}

async fn dry_run(app: &App, typed: &BlockForm) -> Result<DomainBlockPreview, Domain> {
    let (urls, request) = (app.urls().clone(), typed.request()?);
    instance_domains::prepare(&urls, &request)?;
    let (domain, limits) = (request.domain, request.limits);
    app.read(move |conn| instance_domains::preview(conn, &urls, &domain, limits)).await
}

fn preview_layout(viewer: Viewer<'_>, typed: &BlockForm, preview: &DomainBlockPreview) -> Layout {
    let domain = &preview.domain;
    let result = Section::new("effect", "What would change");
    let result = match &preview.conflict {
        Some(conflict) => {
            let path = format!("{PAGE}/{}", conflict.id);
            result
                .text(format!("{} already blocks {domain} as strictly.", conflict.domain))
                .links(vec![Link::new(path, format!("Change the block of {}", conflict.domain))])
        }
        None => result
            .lines(effects(preview.severity, preview.effect))
            .text("Nothing is deleted. The end of the block restores what it hid.")
            .form(typed.repeated(InputForm::post("confirm", PAGE, "Block the server").negative())),
    };
    let form = InputForm::post("block", PREVIEW, "Show what it would change");
    let form = typed.fields(typed.domain_field(form));
    viewer
        .layout(PAGE, format!("Block {domain}?"))
        .with(result)
        .with(Section::new("change", "Choose something else").form(form))
        .with(Section::untitled().links(vec![Link::new(PAGE, "Cancel")]))
}

/// Returns what a block would change, in words.
fn effects(severity: DomainSeverity, effect: DomainBlockEffect) -> Vec<String> {
    let known = counted(effect.accounts, "known account", "known accounts");
    match severity {
        DomainSeverity::Noop => vec![format!("{known} would stay as they are.")],
        DomainSeverity::Silence => vec![format!("{known} would be limited.")],
        DomainSeverity::Suspend => vec![
            format!("{known} would be suspended."),
            format!("{} of people here would end.", counted(effect.follows, "follow", "follows")),
            format!("{} from there would end.", counted(effect.followers, "follow", "follows")),
            format!("{} would be hidden.", counted(effect.statuses, "post", "posts")),
        ],
    }
}

async fn create(
    app: Data<App>,
    form: PostedStaff<ManageFederation>,
) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(&app, &form), form.posted.decode::<BlockForm>()?);
    let actor = form.actor();
    let prepared = typed.request().and_then(|new| instance_domains::prepare(app.urls(), &new));
    let created = match prepared {
        Ok(new) => {
            app.change_domain_blocks(move |tx| instance_domains::block(tx, actor, &new)).await
        }
        Err(error) => Err(error),
    };
    match created {
        Ok(Blocking::Created(_)) => Ok(viewer.after(PAGE, "added")),
        // It was blocked in the meantime, so the dry run has another result now.
        Ok(Blocking::Conflict(_)) => {
            let problem = Problem::with_input(format!("{}.", instance_domains::CONFLICT));
            let preview = dry_run(&app, &typed).await?;
            preview_layout(viewer, &typed, &preview).refused(Some(&problem)).show()
        }
        Err(error) => new_layout(viewer, &typed, Some(&Problem::of(error)?)).show(),
    }
}

async fn load(app: &App, id: &str) -> Result<InstanceDomainBlock, PageError> {
    let id = record_id(id)?;
    Ok(app.read(move |conn| instance_domains::find(conn, id)).await?)
}

async fn show(
    app: Data<App>,
    staff: StaffMember<ManageFederation>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let block = load(&app, &id).await?;
    block_layout(Viewer::of(&app, &staff), &block, &BlockForm::of(&block), None).show()
}

fn block_layout(
    viewer: Viewer<'_>,
    block: &InstanceDomainBlock,
    typed: &BlockForm,
    problem: Option<&Problem>,
) -> Layout {
    let form = InputForm::post("block", format!("{PAGE}/{}", block.id), "Save");
    let form = typed.fields(form).refused(problem);
    viewer
        .layout(PAGE, format!("Block of {}", block.domain))
        .refused(problem)
        .with(Section::untitled().form(form).links(vec![Link::new(PAGE, "All blocked servers")]))
}

async fn change(
    app: Data<App>,
    form: PostedStaff<ManageFederation>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(&app, &form), form.posted.decode::<BlockForm>()?);
    let block = load(&app, &id).await?;
    let (actor, id) = (form.actor(), block.id);
    let changes = typed.changes().and_then(|it| instance_domains::prepare_changes(&it));
    let changed = match changes {
        Ok(changes) => {
            app.change_domain_blocks(move |tx| instance_domains::update(tx, actor, id, &changes))
                .await
        }
        Err(error) => Err(error),
    };
    match changed {
        Ok(_) => Ok(viewer.after(PAGE, "changed")),
        Err(error) => block_layout(viewer, &block, &typed, Some(&Problem::of(error)?)).show(),
    }
}

async fn delete(
    app: Data<App>,
    form: PostedStaff<ManageFederation>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let viewer = Viewer::posted(&app, &form);
    let Confirmed { confirmed } = form.posted.decode()?;
    let block = load(&app, &id).await?;
    if !confirmed {
        let page = Confirmation {
            frame: viewer.frame(PAGE, format!("Delete the block of {}?", block.domain)),
            words: "What it hid is shown again, unless another block covers the server.".to_owned(),
            names: Vec::new(),
            action: format!("{PAGE}/{}/delete", block.id),
            fields: Vec::new(),
            button: "Delete the block".to_owned(),
            back: PAGE.to_owned(),
        };
        return Ok(page.show()?);
    }
    let (actor, id) = (form.actor(), block.id);
    app.change_domain_blocks(move |tx| instance_domains::unblock(tx, actor, id)).await?;
    Ok(viewer.after(PAGE, "deleted"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dry_run_says_what_would_end() {
        let effect = DomainBlockEffect { accounts: 1, follows: 12, followers: 0, statuses: 1 };
        assert_eq!(
            effects(DomainSeverity::Suspend, effect),
            [
                "1 known account would be suspended.",
                "12 follows of people here would end.",
                "0 follows from there would end.",
                "1 post would be hidden.",
            ]
        );
        assert_eq!(effects(DomainSeverity::Noop, effect).len(), 1);
    }
}
