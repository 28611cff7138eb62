//! `/admin/appeals`: appeals of accounts against strikes, and the decisions about them.

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{self, Path},
};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{AppealState, PageRequest, StrikeAction, Timestamp, Urls};
use siskin_ids::AppealId;
use siskin_persistence::Tx;
use siskin_policy::{
    limits::STATUS_PAGE,
    roles::{Authority, ManageAppeals},
};
use siskin_services::{
    Error as Domain,
    moderation::appeals::{self, ShownAppeal},
};
use siskin_text::isolate;

use super::{
    forms::{first_page, see},
    frame,
    people::{Person, happened},
};
use crate::{
    browser::Browser,
    pages::{Frame, Moment, PageError, PageForm, Problem, show},
    paging::PageQuery,
    params::record_id,
    routes::public::neighbours::Neighbours,
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PAGE: &str = "/admin/appeals";

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(list))
        .route("/admin/appeals/{id}/approve", web::post().to(approve))
        .route("/admin/appeals/{id}/reject", web::post().to(reject));
}

#[derive(Template)]
#[template(path = "staff_appeals.html")]
struct AppealsPage {
    frame: Frame,
    done: Option<String>,
    problem: Option<String>,
    state: AppealState,
    appeals: Vec<AppealItem>,
    neighbours: Neighbours,
}

struct AppealItem {
    id: AppealId,
    person: Person,
    created: Moment,
    text: String,
    /// What the strike did.
    happened: &'static str,
    struck: Moment,
    /// What the moderator wrote.
    reason: String,
    /// Beginnings of the statuses that the strike is about.
    excerpts: Vec<String>,
    moderator: Option<Person>,
    decided_by: Option<Person>,
    decided: Option<Moment>,
}

impl AppealItem {
    fn of(shown: &ShownAppeal, staff: Authority, urls: &Urls, now: Timestamp) -> Self {
        let ShownAppeal { appeal, strike, moderator, decided_by } = shown;
        let excerpts = strike.statuses.iter().map(|status| isolate(&status.excerpt));
        let person = |account: &_| Person::of(account, staff, urls);
        Self {
            id: appeal.id,
            person: person(&strike.target),
            created: Moment::of(appeal.created_at, now),
            text: isolate(&appeal.text),
            happened: happened(strike.action),
            struck: Moment::of(strike.created_at, now),
            reason: isolate(&strike.text),
            excerpts: excerpts.filter(|excerpt| !excerpt.is_empty()).collect(),
            moderator: moderator.as_deref().map(person),
            decided_by: decided_by.as_deref().map(person),
            decided: appeal.decided_at.map(|at| Moment::of(at, now)),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ListQuery {
    /// Name of a state; everything else means those that wait.
    state: String,
    done: Option<String>,
}

impl ListQuery {
    fn message(&self) -> Option<&'static str> {
        match self.done.as_deref()? {
            "approve" => Some("The appeal was approved, and the decision taken back."),
            "approve_deletion" => Some(
                "The appeal was approved. The strike no longer counts. The deleted posts cannot be \
                 restored.",
            ),
            "reject" => Some("The appeal was rejected."),
            _ => None,
        }
    }
}

async fn list(
    app: web::Data<App>,
    staff: StaffMember<ManageAppeals>,
    request: HttpRequest,
    PageForm(page): PageForm<PageQuery>,
    PageForm(query): PageForm<ListQuery>,
) -> Result<HttpResponse, PageError> {
    let page_request = page.request(STATUS_PAGE)?;
    let state = query.state.parse().unwrap_or_default();
    let list = Listed { state, page_request, first: first_page(&request) };
    response(&app, (&staff.browser, staff.authority), list, query.message(), None).await
}

/// A page of the appeals in a state.
struct Listed {
    state: AppealState,
    page_request: PageRequest,
    /// Path of the first page.
    first: String,
}

async fn response(
    app: &App,
    (browser, staff): (&Browser, Authority),
    Listed { state, page_request, first }: Listed,
    done: Option<&'static str>,
    problem: Option<Problem>,
) -> Result<HttpResponse, PageError> {
    let found = app.read(move |conn| appeals::list(conn, Some(state), page_request)).await?;
    let now = app.now();
    let status = problem.as_ref().map_or(StatusCode::OK, |problem| problem.status);
    let item = |appeal: &ShownAppeal| AppealItem::of(appeal, staff, app.urls(), now);
    let title = match state {
        AppealState::Pending => "Appeals",
        AppealState::Approved => "Approved appeals",
        AppealState::Rejected => "Rejected appeals",
    };
    let page = AppealsPage {
        frame: frame(app, browser, staff, PAGE, title),
        done: done.map(str::to_owned),
        problem: problem.map(|problem| problem.words),
        state,
        appeals: found.items.iter().map(item).collect(),
        neighbours: Neighbours::of(&first, &found, page_request),
    };
    Ok(show(status, &page)?)
}

async fn approve(
    app: web::Data<App>,
    form: PostedStaff<ManageAppeals>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (id, authority) = (record_id(&id)?, form.authority);
    let decide = move |tx: &mut Tx<'_>| {
        appeals::approve(tx, authority, id)?;
        Ok::<_, Domain>(match appeals::find(tx, id)?.strike.action {
            StrikeAction::DeleteStatuses => "approve_deletion",
            _ => "approve",
        })
    };
    outcome(&app, &form, app.write(decide).await).await
}

async fn reject(
    app: web::Data<App>,
    form: PostedStaff<ManageAppeals>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (id, authority) = (record_id(&id)?, form.authority);
    let decided = app.write(move |tx| appeals::reject(tx, authority, id)).await;
    outcome(&app, &form, decided.map(|()| "reject")).await
}

/// Redirects to the appeals that wait, or shows them with the problem.
async fn outcome(
    app: &App,
    form: &PostedStaff<ManageAppeals>,
    decided: Result<&'static str, Domain>,
) -> Result<HttpResponse, PageError> {
    let error = match decided {
        Ok(done) => return Ok(see(app, &format!("{PAGE}?done={done}"))),
        Err(error) => error,
    };
    let problem = Problem::of(error)?;
    let list = Listed {
        state: AppealState::Pending,
        page_request: PageRequest::newest(STATUS_PAGE.default),
        first: PAGE.to_owned(),
    };
    response(app, (&form.posted.browser, form.authority), list, None, Some(problem)).await
}
