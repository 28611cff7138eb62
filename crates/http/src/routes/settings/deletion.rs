//! `/settings/delete-account`: deletion of an account by its owner, also of a suspended one.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_ids::AccountId;
use siskin_services::{Error as Domain, accounts::removal, second_factor, sign_in};

use super::proof::{self, Proof};
use crate::{
    Result, address,
    browser::{self, Browser, Holder, Kind, PostedHolder},
    hashing,
    limits::{self, Budget, Subject},
    pages::{Frame, Notice, PageError, Problems, show},
    table::Table,
};

const PAGE: &str = "/settings/delete-account";
const WRONG_PASSWORD: &str = "The password is wrong";
const WRONG_CODE: &str = "The code is wrong";
/// Messages about wrong values, with their fields.
const FIELDS: &[(&str, &str)] = &[(WRONG_PASSWORD, "current_password"), (WRONG_CODE, "code")];

pub(super) fn configure(table: &mut Table) {
    table.route(PAGE, web::get().to(show_form)).route(PAGE, web::post().to(delete));
}

#[derive(Template)]
#[template(path = "delete_account.html")]
struct DeletionPage {
    frame: Frame,
    done: Option<String>,
    problem: Option<String>,
    problems: Problems,
    username: String,
    proof: Proof,
    /// Whether the person has a second factor.
    has_code: bool,
}

async fn page(
    request: &HttpRequest,
    app: &App,
    browser: &Browser,
    account: AccountId,
    problems: Problems,
) -> Result<DeletionPage, PageError> {
    let session = browser.session().ok_or(Domain::NotFound)?;
    let factor = app.read(move |conn| second_factor::status(conn, account)).await?;
    Ok(DeletionPage {
        frame: Frame::of(app, browser, "Delete your account"),
        done: None,
        problem: problems.of_form(),
        problems,
        username: browser.username().unwrap_or_default().to_owned(),
        proof: Proof::of(request, app, session, PAGE).await?,
        has_code: factor.is_some(),
    })
}

async fn show_form(
    request: HttpRequest,
    app: web::Data<App>,
    holder: Holder,
) -> Result<HttpResponse, PageError> {
    let (browser, account) = (&holder.browser, holder.account);
    let page = page(&request, &app, browser, account, Problems::default()).await?;
    Ok(show(StatusCode::OK, &page)?)
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct DeletionForm {
    current_password: String,
    code: String,
}

async fn delete(
    request: HttpRequest,
    app: web::Data<App>,
    form: PostedHolder,
) -> Result<HttpResponse, PageError> {
    let typed: DeletionForm = form.posted.decode()?;
    match delete_account(&request, &app, &form, typed).await {
        Ok(()) => gone(&request),
        Err(error) => {
            let problems = Problems::of(error, FIELDS)?;
            let browser = &form.posted.browser;
            let page = page(&request, &app, browser, form.account, problems).await?;
            Ok(show(page.problems.status(), &page)?)
        }
    }
}

/// Deletes the account, if the password and the code of a second factor are right.
async fn delete_account(
    request: &HttpRequest,
    app: &App,
    form: &PostedHolder,
    typed: DeletionForm,
) -> Result<()> {
    verify(request, app, form, typed.current_password).await?;
    let (account, code) = (form.account, typed.code);
    let deleted = app.write(move |tx| {
        if !second_factor::confirms(tx, account, &code)? {
            return Err(Domain::invalid(WRONG_CODE));
        }
        removal::begin(tx, account)
    });
    Ok(deleted.await?)
}

/// Checks the password of a person in any state, or the other proof of one who cannot use a password.
/// Attempts count for the address and the account alone: attempts of others to sign in do not lock
/// the person out of this page.
async fn verify(
    request: &HttpRequest,
    app: &App,
    form: &PostedHolder,
    password: String,
) -> Result<()> {
    for subject in [Subject::address(address::of(request)), Subject::Account(form.account)] {
        limits::spend_unreported(request, Budget::SignIn, subject)?;
    }
    if !proof::is_by_password(app, form.account).await? {
        let session = form.posted.browser.session().ok_or(Domain::NotFound)?;
        return proof::require_given(request, app, session).await;
    }
    let username = form.posted.browser.username().unwrap_or_default();
    let (instance, login) = (app.instance().clone(), format!("@{username}"));
    let candidate = app.read(move |conn| sign_in::find(conn, &instance, &login)).await?;
    match hashing::run(move || candidate.verify_for_session(&password)).await {
        Ok((account, _)) if account == form.account => Ok(()),
        Ok(_) | Err(Domain::Unauthenticated(_)) => Err(Domain::invalid(WRONG_PASSWORD).into()),
        Err(error) => Err(error.into()),
    }
}

/// Tells the person that the account is gone, and ends the session of the browser.
fn gone(request: &HttpRequest) -> Result<HttpResponse, PageError> {
    let mut gone = Notice {
        frame: Frame::bare("Your account was deleted"),
        words: "It is no longer visible, and your data are being deleted.".to_owned(),
        path: "/".to_owned(),
        link: "Go to the front page",
    }
    .show()?;
    gone.add_cookie(&browser::clear(request, Kind::Session)).map_err(Domain::internal)?;
    Ok(gone)
}
