//! `/admin/reports`: reports, and what staff do with them.

mod changes;
mod show;

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{AdminReport, ReportCategory, Timestamp, Urls};
use siskin_ids::ReportId;
use siskin_policy::{
    limits::LONG_PAGE,
    roles::{Authority, ManageReports},
};
use siskin_services::{
    Error as Domain,
    reports::{self, Selection},
};
use siskin_text::{isolate, shorten};

use super::{
    forms::first_page,
    frame,
    people::{Person, handle},
};
use crate::{
    pages::{Frame, Moment, PageError, PageForm, show},
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
    table.route(PAGE, web::get().to(list)).configure(show::configure).configure(changes::configure);
}

#[derive(Template)]
#[template(path = "staff_reports.html")]
struct ReportsPage {
    frame: Frame,
    tab: Tab,
    /// Whether only reports by or about one account are shown.
    is_filtered: bool,
    reports: Vec<ReportItem>,
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

/// Parses the id of a report. An invalid id gives the same error as an unknown one.
fn report_id(text: &str) -> Result<ReportId, Domain> {
    text.parse().map_err(|_| Domain::NotFound)
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ListQuery {
    /// `mine` or `resolved`; everything else means the open ones.
    list: Option<String>,
    account_id: Option<String>,
    target_account_id: Option<String>,
}

impl ListQuery {
    fn tab(&self) -> Tab {
        match self.list.as_deref() {
            Some("mine") => Tab::Mine,
            Some("resolved") => Tab::Resolved,
            _ => Tab::Open,
        }
    }
}

async fn list(
    app: web::Data<App>,
    staff: StaffMember<ManageReports>,
    request: HttpRequest,
    PageForm(page): PageForm<PageQuery>,
    PageForm(query): PageForm<ListQuery>,
) -> Result<HttpResponse, PageError> {
    let (page_request, authority, now) = (page.request(LONG_PAGE)?, staff.authority, app.now());
    let tab = query.tab();
    let selection = Selection {
        is_resolved: tab == Tab::Resolved,
        account: chosen(query.account_id),
        target: chosen(query.target_account_id),
        is_own: tab == Tab::Mine,
    };
    let is_filtered = selection.account.is_some() || selection.target.is_some();
    let found =
        app.read(move |conn| reports::list(conn, authority, &selection, page_request)).await?;
    let title = match tab {
        Tab::Open => "Reports",
        Tab::Mine => "My reports",
        Tab::Resolved => "Resolved reports",
    };
    let item = |report: &AdminReport| ReportItem::of(report, authority, app.urls(), now);
    let page = ReportsPage {
        frame: frame(&app, &staff.browser, authority, PAGE, title),
        tab,
        is_filtered,
        reports: found.items.iter().map(item).collect(),
        neighbours: Neighbours::of(&first_page(&request), &found, page_request),
    };
    Ok(show(StatusCode::OK, &page)?)
}
