//! `/settings/account`: email and password of the account. Each change requires the password, so
//! that an unattended browser is not enough.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_services::{
    Error as Domain,
    accounts::{
        self, NewPassword,
        email::{self, NewEmail},
    },
    passwords,
    sessions::SignedIn,
    sign_in,
};

use super::{
    Done,
    proof::{self, Proof},
};
use crate::{
    Result, address,
    browser::{Browser, Member, PostedMember},
    hashing,
    limits::{self, Budget, Subject},
    pages::{Frame, PageError, PageForm, Problem, go_to, show},
    table::Table,
};

const PAGE: &str = "/settings/account";
const WRONG: &str = "The password is wrong.";
const NO_MAIL: &str = "This server does not send email, so its staff must change the address";
/// Labels of the new values, after the beginnings of messages about them.
const LABELS: &[(&str, &str)] = &[("The password", "New password"), ("Email", "New email address")];

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(show_form))
        .route("/settings/password", web::post().to(change_password))
        .route("/settings/email", web::post().to(change_email));
}

#[derive(Template)]
#[template(path = "account.html")]
struct AccountPage {
    frame: Frame,
    done: Option<&'static str>,
    problem: Option<String>,
    email: String,
    shortest_password: usize,
    proof: Proof,
    /// `true` if people can sign in with a password.
    passwords: bool,
}

async fn page(request: &HttpRequest, app: &App, browser: &Browser) -> Result<AccountPage> {
    let SignedIn { account, session, .. } = *browser.signed_in.as_ref().ok_or(Domain::NotFound)?;
    let (_, credentials) = app.read(move |conn| accounts::own(conn, account)).await?;
    Ok(AccountPage {
        frame: Frame::of(app, browser, "Your account"),
        done: None,
        problem: None,
        email: credentials.email,
        shortest_password: passwords::MIN_LENGTH,
        proof: Proof::of(request, app, (account, session), PAGE).await?,
        passwords: sign_in::require_passwords(&app.settings()).is_ok(),
    })
}

async fn show_form(
    request: HttpRequest,
    app: web::Data<App>,
    member: Member,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let done = match done.done.as_deref() {
        Some("password") => Some("Your password was changed."),
        Some("email") => Some("Open the link in the email that was sent to the new address."),
        _ => None,
    };
    let page = page(&request, &app, &member.browser).await?;
    Ok(show(StatusCode::OK, &AccountPage { done, ..page })?)
}

#[derive(Deserialize)]
struct PasswordForm {
    #[serde(default)]
    current_password: String,
    #[serde(default)]
    password: String,
}

async fn change_password(
    request: HttpRequest,
    app: web::Data<App>,
    form: PostedMember,
) -> Result<HttpResponse, PageError> {
    let typed: PasswordForm = form.posted.decode()?;
    let changed = replace_password(&request, &app, &form, typed).await;
    response(&request, &app, &form, changed, "password").await
}

async fn replace_password(
    request: &HttpRequest,
    app: &App,
    form: &PostedMember,
    typed: PasswordForm,
) -> Result<()> {
    sign_in::require_passwords(&app.settings())?;
    verify(request, app, &form.signed_in, typed.current_password).await?;
    let (account, session) = (form.signed_in.account, form.signed_in.session);
    let new = hashing::run(move || NewPassword::new(&typed.password)).await?;
    Ok(app.write(move |tx| accounts::change_password(tx, account, session, &new)).await?)
}

#[derive(Deserialize)]
struct EmailForm {
    #[serde(default)]
    current_password: String,
    #[serde(default)]
    email: String,
}

async fn change_email(
    request: HttpRequest,
    app: web::Data<App>,
    form: PostedMember,
) -> Result<HttpResponse, PageError> {
    let typed: EmailForm = form.posted.decode()?;
    let requested = request_email_change(&request, &app, &form, typed).await;
    response(&request, &app, &form, requested, "email").await
}

async fn request_email_change(
    request: &HttpRequest,
    app: &App,
    form: &PostedMember,
    typed: EmailForm,
) -> Result<()> {
    if app.mail().is_none() {
        return Err(Domain::invalid(NO_MAIL).into());
    }
    verify(request, app, &form.signed_in, typed.current_password).await?;
    let (account, new) = (form.signed_in.account, NewEmail::parse(&typed.email)?);
    limits::spend(request, Budget::Mail, Subject::Account(account))?;
    // A mailbox that has used up its emails gets no more. The response must not reveal that.
    if !limits::spend_mail_to(request, new.as_str())? {
        return Ok(());
    }
    let mail_servers = app.mail_servers(new.as_str()).await?;
    Ok(app.write(move |tx| email::request_change(tx, account, &new, &mail_servers)).await?)
}

/// Checks the password of the person, or the other proof of one who cannot use a password. Attempts
/// count for the address and the account alone: attempts of others to sign in do not lock the person
/// out of this page.
pub(super) async fn verify(
    request: &HttpRequest,
    app: &App,
    signed_in: &SignedIn,
    password: String,
) -> Result<()> {
    for subject in [Subject::address(address::of(request)), Subject::Account(signed_in.account)] {
        limits::spend_unreported(request, Budget::SignIn, subject)?;
    }
    if !proof::is_by_password(app, signed_in.account).await? {
        return proof::require_given(request, app, (signed_in.account, signed_in.session)).await;
    }
    let (instance, login) = (app.instance().clone(), format!("@{}", signed_in.username));
    let candidate = app.read(move |conn| sign_in::find(conn, &instance, &login)).await?;
    hashing::run(move || candidate.verify(&password)).await?;
    Ok(())
}

/// Redirects to the page with a message about the change, or shows the problem.
async fn response(
    request: &HttpRequest,
    app: &App,
    form: &PostedMember,
    outcome: Result<()>,
    what: &str,
) -> Result<HttpResponse, PageError> {
    let Err(error) = outcome else {
        return Ok(go_to(&app.urls().page(&format!("{PAGE}?done={what}"))));
    };
    let problem = match error.domain() {
        Domain::Unauthenticated(_) => Problem::with_input(WRONG),
        _ => Problem::of_form(error, LABELS)?,
    };
    let page = page(request, app, &form.posted.browser).await?;
    Ok(show(problem.status, &AccountPage { problem: Some(problem.words), ..page })?)
}
