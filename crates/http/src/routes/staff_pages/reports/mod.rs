//! `/admin/reports`: reports, and what staff do with them.

mod bulk;
mod changes;
mod show;

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{AdminReport, PageRequest, ReportCategory, Timestamp, Urls};
use siskin_ids::ReportId;
use siskin_policy::{
    limits::LONG_PAGE,
    roles::{Authority, ManageReports},
};
use siskin_services::reports::{self, Selection};
use siskin_text::{isolate, shorten};

use super::{
    forms::{all_chosen, first_page, with_params},
    layout::Viewer,
    outcome::UnchangedList,
    people::{Person, handle},
};
use crate::{
    pages::{Frame, Moment, PageError, PageForm, Problem, show},
    paging::PageQuery,
    params::chosen,
    routes::public::neighbours::Neighbours,
    staff::StaffMember,
    table::Table,
};

const PAGE: &str = "/admin/reports";
/// Limits of the beginning of a comment in lists, in characters and in bytes.
const COMMENT: (usize, usize) = (200, 2000);

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(list))
        .route(PAGE, web::post().to(bulk::decide))
        .configure(show::configure)
        .configure(changes::configure);
}

#[derive(Template)]
#[template(path = "staff_reports.html")]
struct ReportsPage {
    frame: Frame,
    done: Option<String>,
    problem: Option<String>,
    unchanged: UnchangedList,
    query: ListQuery,
    tab: Tab,
    /// Whether only reports by or about one account are shown.
    is_filtered: bool,
    reports: Vec<ReportItem>,
    /// Path of this page with every report chosen.
    choose_all: String,
    neighbours: Neighbours,
}

/// The list that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tab {
    Open,
    Mine,
    Resolved,
}

/// A report in a list.
pub(super) struct ReportItem {
    pub(super) id: ReportId,
    /// Handle of the reported account.
    pub(super) about: String,
    pub(super) by: Person,
    pub(super) category: &'static str,
    /// The beginning of the comment.
    pub(super) comment: String,
    /// Number of reported statuses.
    pub(super) posts: usize,
    /// Handle of the member of staff that works on it; may be empty.
    pub(super) assigned: String,
    pub(super) created: Moment,
    /// Whether it is chosen for a decision about several.
    pub(super) chosen: bool,
}

impl ReportItem {
    pub(super) fn of(found: &AdminReport, staff: Authority, urls: &Urls, now: Timestamp) -> Self {
        let report = &found.report;
        let assigned = found.assigned.as_ref();
        Self {
            id: report.id,
            about: handle(&found.target.account),
            by: Person::of(&found.account.account, staff, urls),
            category: category(report.category),
            comment: isolate(&shorten(report.comment.trim(), COMMENT.0, COMMENT.1)),
            posts: report.statuses.len(),
            assigned: assigned.map(|account| handle(&account.account)).unwrap_or_default(),
            created: Moment::of(report.created_at, now),
            chosen: false,
        }
    }
}

/// Returns the name of a category for people.
fn category(category: ReportCategory) -> &'static str {
    match category {
        ReportCategory::Spam => "Spam",
        ReportCategory::Legal => "Illegal content",
        ReportCategory::Violation => "Breach of the rules",
        ReportCategory::Other => "Other",
    }
}

/// Which reports are shown.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct ListQuery {
    /// `mine` or `resolved`; everything else means the open ones.
    list: String,
    account_id: String,
    target_account_id: String,
}

impl ListQuery {
    fn tab(&self) -> Tab {
        match self.list.as_str() {
            "mine" => Tab::Mine,
            "resolved" => Tab::Resolved,
            _ => Tab::Open,
        }
    }

    fn selection(&self) -> Selection {
        Selection {
            is_resolved: self.tab() == Tab::Resolved,
            account: chosen(Some(self.account_id.clone())),
            target: chosen(Some(self.target_account_id.clone())),
            is_own: self.tab() == Tab::Mine,
        }
    }

    /// Returns the fields that keep the list in a form.
    fn fields(&self) -> [(&'static str, &str); 3] {
        let Self { list, account_id, target_account_id } = self;
        [("list", list), ("account_id", account_id), ("target_account_id", target_account_id)]
    }

    /// Returns the path of the list with these further parameters.
    fn path(&self, others: &[(&str, &str)]) -> String {
        with_params(PAGE, &[&self.fields()[..], others].concat())
    }
}

/// The last decision, in the address after a form was handled.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Done {
    done: Option<String>,
    count: usize,
    failed: usize,
    /// Which reports did not change.
    unchanged: String,
    /// Whether every report of the page is chosen.
    all: bool,
}

/// What a page shows besides the reports.
#[derive(Default)]
struct Shown<'a> {
    done: Option<String>,
    unchanged: UnchangedList,
    problem: Option<Problem>,
    /// Ids of the chosen reports.
    chosen: &'a [String],
    all: bool,
}

async fn list(
    app: web::Data<App>,
    staff: StaffMember<ManageReports>,
    request: HttpRequest,
    PageForm(page): PageForm<PageQuery>,
    PageForm(query): PageForm<ListQuery>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let page_request = page.request(LONG_PAGE)?;
    let (message, authority) = (bulk::outcome(&done), staff.authority);
    let unchanged =
        UnchangedList::of_reports(&app, authority, &done.unchanged, done.failed).await?;
    let shown = Shown { done: message, unchanged, all: done.all, ..Shown::default() };
    let paths = (first_page(&request), all_chosen(&request));
    response(Viewer::of(&app, &staff), query, page_request, paths, shown).await
}

/// Shows a page of reports. `first` is the path of the first page of the list, and `choose_all` that
/// of the shown page with every report chosen.
async fn response(
    viewer: Viewer<'_>,
    query: ListQuery,
    page_request: PageRequest,
    (first, choose_all): (String, String),
    shown: Shown<'_>,
) -> Result<HttpResponse, PageError> {
    let (app, authority, now) = (viewer.app, viewer.authority, viewer.app.now());
    let (tab, selection) = (query.tab(), query.selection());
    let is_filtered = selection.account.is_some() || selection.target.is_some();
    let found =
        app.read(move |conn| reports::list(conn, authority, &selection, page_request)).await?;
    let title = match tab {
        Tab::Open => "Reports",
        Tab::Mine => "My reports",
        Tab::Resolved => "Resolved reports",
    };
    let item = |report: &AdminReport| ReportItem {
        chosen: shown.all || shown.chosen.contains(&report.report.id.to_string()),
        ..ReportItem::of(report, authority, app.urls(), now)
    };
    let status = shown.problem.as_ref().map_or(StatusCode::OK, |problem| problem.status);
    let page = ReportsPage {
        frame: viewer.frame(PAGE, title),
        done: shown.done,
        unchanged: shown.unchanged,
        problem: shown.problem.map(|problem| problem.words),
        tab,
        is_filtered,
        reports: found.items.iter().map(item).collect(),
        neighbours: Neighbours::of(&first, &found, page_request),
        choose_all,
        query,
    };
    Ok(show(status, &page)?)
}
