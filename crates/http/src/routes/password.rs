//! `/auth/password`: reset of a forgotten password.

use actix_web::{HttpRequest, HttpResponse, ResponseError as _, http::StatusCode, web};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_services::{
    Error as Domain,
    accounts::{NewPassword, email},
    passwords, sign_in,
};

use super::{auth, email_request::EmailRequestPage};
use crate::{
    Error, Result,
    browser::{Browser, Posted, ReturnTo, ReturnToParams},
    hashing,
    pages::{Frame, Notice, PageError, PageForm, go_to, show},
    table::Table,
};

const FORGOTTEN: &str = "/auth/password/new";
const EDIT: &str = "/auth/password/edit";

pub(super) fn configure(table: &mut Table) {
    table
        .route(FORGOTTEN, web::get().to(show_form))
        .route(FORGOTTEN, web::post().to(send))
        .route(EDIT, web::get().to(choose))
        .route(EDIT, web::post().to(change));
}

const EMAIL_REQUEST: EmailRequestPage = EmailRequestPage {
    title: "Forgot your password?",
    words: "We will send you an email with a link to choose a new password.",
    action: FORGOTTEN,
    send: email::forgot_password,
    sent: "If an account with this address exists, we have sent it an email with a link. The link \
           is valid for one hour.",
};

async fn show_form(
    request: HttpRequest,
    app: web::Data<App>,
    browser: Browser,
    PageForm(params): PageForm<ReturnToParams>,
) -> Result<HttpResponse, PageError> {
    sign_in::require_passwords(&app.settings())?;
    EMAIL_REQUEST.show_form(&request, &app, &browser, &params)
}

async fn send(
    request: HttpRequest,
    app: web::Data<App>,
    posted: Posted,
) -> Result<HttpResponse, PageError> {
    sign_in::require_passwords(&app.settings())?;
    EMAIL_REQUEST.submit(&request, &app, &posted).await
}

#[derive(Template)]
#[template(path = "new_password.html")]
struct NewPasswordPage<'a> {
    frame: Frame,
    token: &'a str,
    problem: Option<String>,
    shortest_password: usize,
    /// Whether people may have logins at external providers.
    has_providers: bool,
}

#[derive(Deserialize)]
struct NewPasswordForm {
    #[serde(default)]
    reset_password_token: String,
    #[serde(default)]
    password: String,
}

fn page<'a>(
    app: &App,
    browser: &Browser,
    token: &'a str,
    problem: Option<String>,
) -> NewPasswordPage<'a> {
    NewPasswordPage {
        frame: Frame::of(app, browser, "Choose a new password"),
        token,
        problem,
        shortest_password: passwords::MIN_LENGTH,
        has_providers: app.providers().next().is_some(),
    }
}

fn dead_link() -> PageError {
    PageError::with_message(
        StatusCode::NOT_FOUND,
        "This link is no longer valid",
        "It was already used, or is older than one hour. Request a new link.",
    )
}

async fn require_link(app: &App, token: &str) -> Result<(), PageError> {
    sign_in::require_passwords(&app.settings())?;
    let (token, now) = (token.to_owned(), app.now());
    let works = app.read(move |conn| email::may_reset(conn, &token, now)).await?;
    if works { Ok(()) } else { Err(dead_link()) }
}

async fn choose(
    request: HttpRequest,
    app: web::Data<App>,
    browser: Browser,
    PageForm(form): PageForm<NewPasswordForm>,
) -> Result<HttpResponse, PageError> {
    let token = form.reset_password_token;
    if token.is_empty() {
        return Ok(go_to(&app.urls().page(FORGOTTEN)));
    }
    require_link(&app, &token).await?;
    let page = show(StatusCode::OK, &page(&app, &browser, &token, None))?;
    auth::with_visitor(&request, &browser, page)
}

/// Sets a new password. It checks the link before it hashes the password, because otherwise
/// anonymous clients could make the server hash at will.
async fn change(app: web::Data<App>, posted: Posted) -> Result<HttpResponse, PageError> {
    let NewPasswordForm { reset_password_token: token, password } = posted.decode()?;
    require_link(&app, &token).await?;
    let new = match hashing::run(move || NewPassword::new(&password)).await {
        Ok(new) => new,
        Err(Domain::Invalid(problem)) => {
            let status = Error::from(Domain::invalid("")).status_code();
            let page = page(&app, &posted.browser, &token, Some(format!("{problem}.")));
            return Ok(show(status, &page)?);
        }
        Err(error) => return Err(error.into()),
    };
    let changed = app.write(move |tx| email::reset_password(tx, &token, &new)).await;
    match changed {
        Ok(return_to) => {
            let frame = Frame::bare("Your password was changed");
            let page = return_to.as_deref().and_then(ReturnTo::parse);
            Ok(Notice::then_sign_in(frame, "Sign in with the new password.", page.as_ref())
                .show()?)
        }
        Err(Domain::NotFound) => Err(dead_link()),
        Err(error) => Err(error.into()),
    }
}
