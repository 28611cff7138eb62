//! `/settings/follows`: export and import of follow lists.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header::CONTENT_DISPOSITION},
    web,
};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_services::{Error as Domain, follow_list};
use tokio::task::spawn_blocking;

use crate::{
    browser::{Browser, Member, PostedMember},
    limits::{self, Budget, Subject},
    pages::{Frame, PageError, PageForm, Problem, go_to, show},
    table::Table,
};

const PAGE: &str = "/settings/follows";
/// Label of the file, after the beginnings of messages about it.
const LABELS: &[(&str, &str)] =
    &[("This file", "List (CSV)"), ("The file", "List (CSV)"), ("The list", "List (CSV)")];

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(show_form))
        .route("/settings/follows/export", web::get().to(export))
        .route("/settings/follows/import", web::post().to(import));
}

#[derive(Template)]
#[template(path = "follows.html")]
struct FollowsPage {
    frame: Frame,
    done: Option<String>,
    problem: Option<String>,
    most: usize,
}

fn page(app: &App, browser: &Browser) -> FollowsPage {
    FollowsPage {
        frame: Frame::of(app, browser, "Your follows"),
        done: None,
        problem: None,
        most: follow_list::MAX_LINES,
    }
}

#[derive(Deserialize)]
struct Done {
    imported: Option<usize>,
}

async fn show_form(
    app: web::Data<App>,
    member: Member,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let done = done
        .imported
        .map(|count| format!("{count} lines were read. Following their accounts takes a while."));
    Ok(show(StatusCode::OK, &FollowsPage { done, ..page(&app, &member.browser) })?)
}

async fn export(app: web::Data<App>, member: Member) -> Result<HttpResponse, PageError> {
    let (account, domain) = (member.signed_in.account, app.urls().domain().to_owned());
    let list = app.read(move |conn| follow_list::export(conn, account, &domain)).await?;
    Ok(HttpResponse::Ok()
        .content_type("text/csv; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"following.csv\""))
        .body(list))
}

async fn import(
    app: web::Data<App>,
    request: HttpRequest,
    form: PostedMember,
) -> Result<HttpResponse, PageError> {
    limits::spend(&request, Budget::Import, Subject::Account(form.signed_in.account))?;
    let file = form.posted.file("file").await?.unwrap_or_default();
    let (account, threshold) = (form.signed_in.account, app.settings().limits_follows);
    // A list may have megabytes, so a blocking thread parses it instead of the threads that serve
    // requests.
    let parsed = spawn_blocking(move || follow_list::parse(&file)).await;
    let imported = match parsed.map_err(Domain::internal)? {
        Ok(lines) => {
            let count = lines.len();
            app.write(move |tx| follow_list::import(tx, account, threshold, &lines)).await?;
            Ok(count)
        }
        Err(error) => Err(Problem::of_form(error, LABELS)?),
    };
    match imported {
        Ok(count) => Ok(go_to(&app.urls().page(&format!("{PAGE}?imported={count}")))),
        Err(problem) => {
            let page = page(&app, &form.posted.browser);
            Ok(show(problem.status, &FollowsPage { problem: Some(problem.words), ..page })?)
        }
    }
}
