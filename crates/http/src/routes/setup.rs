//! `/setup`: creates the owner's account, through the one-time link of the first start.

use actix_web::{HttpRequest, HttpResponse, ResponseError as _, http::StatusCode, web};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_services::{Error as Domain, passwords, setup};

use super::auth;
use crate::{
    Error, Result,
    browser::{Browser, Posted, ReturnTo},
    hashing,
    pages::{Frame, PageError, PageForm, said, show},
    table::Table,
};

/// Page that leads the owner through the rest of the set-up.
const FIRST_STEPS: &str = "/admin/first-steps";

pub(super) fn configure(table: &mut Table) {
    table.route("/setup", web::get().to(show_form)).route("/setup", web::post().to(create_owner));
}

#[derive(Template)]
#[template(path = "setup.html")]
struct SetupPage {
    frame: Frame,
    problems: Vec<String>,
    form: OwnerForm,
    domain: String,
    shortest_password: usize,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct OwnerForm {
    token: String,
    username: String,
    email: String,
    password: String,
}

fn page(app: &App, browser: &Browser, form: OwnerForm, problems: Vec<String>) -> SetupPage {
    SetupPage {
        frame: Frame::of(app, browser, "Set up this server"),
        problems,
        form,
        domain: app.urls().domain().to_owned(),
        shortest_password: passwords::MIN_LENGTH,
    }
}

fn dead_link() -> PageError {
    PageError::with_message(
        StatusCode::NOT_FOUND,
        "This link is no longer valid",
        "The server is already set up, or it was restarted and printed a new link.",
    )
}

async fn show_form(
    request: HttpRequest,
    app: web::Data<App>,
    browser: Browser,
    PageForm(form): PageForm<OwnerForm>,
) -> Result<HttpResponse, PageError> {
    let token = form.token.clone();
    if !app.read(move |conn| setup::is_open(conn, &token)).await? {
        return Err(dead_link());
    }
    let form = OwnerForm { token: form.token, ..OwnerForm::default() };
    let page = show(StatusCode::OK, &page(&app, &browser, form, Vec::new()))?;
    auth::with_visitor(&request, &browser, page)
}

async fn create_owner(
    request: HttpRequest,
    app: web::Data<App>,
    posted: Posted,
) -> Result<HttpResponse, PageError> {
    let form: OwnerForm = posted.decode()?;
    match complete(&app, form.clone()).await {
        Ok(account) => {
            let page = ReturnTo::parse(FIRST_STEPS);
            auth::begin(&request, &app, account, posted.browser.session(), page).await
        }
        Err(error) => match error.domain() {
            Domain::NotFound => Err(dead_link()),
            Domain::InvalidFields(fields) => {
                let problems = said(fields).map(ToString::to_string).collect();
                let page = page(&app, &posted.browser, form, problems);
                Ok(show(error.status_code(), &page)?)
            }
            _ => Err(error.into()),
        },
    }
}

/// Creates the account. It checks the link before it hashes the password, because otherwise
/// anonymous clients could make the server hash at will.
async fn complete(app: &App, form: OwnerForm) -> Result<siskin_ids::AccountId> {
    let token = form.token.clone();
    if !app.read(move |conn| setup::is_open(conn, &token)).await? {
        return Err(Error::from(Domain::NotFound));
    }
    let instance = app.instance().clone();
    let OwnerForm { token, username, email, password } = form;
    let prepared =
        hashing::run(move || setup::prepare(&instance, &username, &email, &password)).await?;
    Ok(app.write(move |tx| setup::complete(tx, &token, &prepared)).await?.id)
}
