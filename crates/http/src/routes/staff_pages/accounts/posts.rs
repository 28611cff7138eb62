//! `/admin/accounts/{id}/statuses`: what an account published. Staff choose statuses to delete them
//! or to mark them as sensitive.

use std::sync::Arc;

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{self, Path},
};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{Account, Page, PageRequest, Status};
use siskin_ids::AccountId;
use siskin_persistence::Conn;
use siskin_policy::{
    limits::STATUS_PAGE,
    roles::{Authority, ModerateUsers},
};
use siskin_services::{
    Result as Served,
    moderation::{
        accounts,
        overview::{outranks, statuses},
        statuses::Within,
    },
};

use super::super::{
    forms::{first_page, see, this_page},
    frame,
    layout::Viewer,
    people::{Choice, handle},
    posts::{Outcome, Place, PostItem, PostsForm, act},
};
use crate::{
    browser::Browser,
    pages::{Frame, PageError, PageForm, Problem, show},
    paging::PageQuery,
    params::record_id,
    routes::public::{
        neighbours::Neighbours,
        view::{QuoteItem, ReplyTo},
    },
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const AREA: &str = "/admin/accounts";
const PAGE: &str = "/admin/accounts/{id}/statuses";

pub(super) fn configure(table: &mut Table) {
    table.route(PAGE, web::get().to(list)).route(PAGE, web::post().to(decide));
}

#[derive(Template)]
#[template(path = "staff_account_posts.html")]
struct PostsPage {
    frame: Frame,
    done: Option<String>,
    problem: Option<String>,
    posts: Vec<PostItem>,
    action: String,
    kinds: Vec<Choice>,
    form: PostsForm,
    /// Whether the rank of the member of staff allows to act on the account.
    may_act: bool,
    is_local: bool,
    neighbours: Neighbours,
}

/// An account with a page of its statuses.
struct Loaded {
    account: Arc<Account>,
    is_below: bool,
    page: Page<Status>,
}

fn load(conn: &mut Conn, staff: Authority, id: AccountId, request: PageRequest) -> Served<Loaded> {
    let account = accounts::find(conn, id)?;
    let is_below = outranks(staff, &account);
    let page = statuses(conn, staff, id, request)?;
    Ok(Loaded { account: account.account, is_below, page })
}

#[derive(Debug, Deserialize)]
struct Done {
    done: Option<String>,
}

async fn list(
    app: web::Data<App>,
    staff: StaffMember<ModerateUsers>,
    id: Path<String>,
    request: HttpRequest,
    PageForm(page): PageForm<PageQuery>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let id = record_id(&id)?;
    let shown = Shown {
        page_request: page.request(STATUS_PAGE)?,
        done: done.done.filter(|done| done == "acted"),
        form: PostsForm::blank(),
        problem: None,
    };
    response(&app, &request, (&staff.browser, staff.authority), id, shown).await
}

/// Which statuses are shown, with the form below them.
struct Shown {
    page_request: PageRequest,
    done: Option<String>,
    form: PostsForm,
    problem: Option<Problem>,
}

async fn response(
    app: &App,
    request: &HttpRequest,
    (browser, staff): (&Browser, Authority),
    id: AccountId,
    shown: Shown,
) -> Result<HttpResponse, PageError> {
    let Shown { page_request, done, form, problem } = shown;
    let found = app.read(move |conn| load(conn, staff, id, page_request)).await?;
    let handle = handle(&found.account);
    let status = problem.as_ref().map_or(StatusCode::OK, |problem| problem.status);
    let page = PostsPage {
        frame: frame(app, browser, staff, AREA, format!("Posts of {handle}")),
        done: done.map(|_| "The decision took effect.".to_owned()),
        problem: problem.map(|problem| problem.words),
        posts: PostItem::all(&found.page.items, &form, app.urls(), app.now()),
        action: this_page(request),
        kinds: form.kinds(),
        form,
        may_act: found.is_below,
        is_local: found.account.is_local(),
        neighbours: Neighbours::of(&first_page(request), &found.page, page_request),
    };
    Ok(show(status, &page)?)
}

async fn decide(
    app: web::Data<App>,
    staff: PostedStaff<ModerateUsers>,
    id: Path<String>,
    request: HttpRequest,
    PageForm(page): PageForm<PageQuery>,
) -> Result<HttpResponse, PageError> {
    let id = record_id(&id)?;
    let form: PostsForm = staff.posted.decode()?;
    let action = this_page(&request);
    let within = Within::Account(id);
    let place = Place { area: AREA, page: action.clone(), action, report: None, within };
    let problem = match act(Viewer::posted(&app, &staff), &form, place).await? {
        Outcome::Done => return Ok(see(&app, &format!("{AREA}/{id}/statuses?done=acted"))),
        Outcome::Question(question) => return Ok(question.show()?),
        Outcome::Refused(problem) => problem,
    };
    let page_request = page.request(STATUS_PAGE)?;
    let shown = Shown { page_request, done: None, form, problem: Some(problem) };
    response(&app, &request, (&staff.posted.browser, staff.authority), id, shown).await
}
