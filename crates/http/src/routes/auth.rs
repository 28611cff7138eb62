//! `/auth`: people sign in and out.

use actix_web::{
    HttpRequest, HttpResponse, ResponseError as _,
    http::{StatusCode, header::USER_AGENT},
    web,
};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_ids::AccountId;
use siskin_services::{
    Error as Domain,
    accounts::sign_up,
    sessions::{self, SignedIn},
    sign_in,
};

use crate::{
    Result, address,
    browser::{self, Browser, Kind, Posted, PostedMember, ReturnTo},
    hashing,
    limits::{self, Budget, Subject},
    pages::{Frame, PageError, go_to, show},
    table::Table,
};

const TOO_OFTEN: &str =
    "Too many attempts were made to sign in. Wait a few minutes, then try again.";

pub(super) fn configure(table: &mut Table) {
    table
        .route("/auth/sign_in", web::get().to(ask))
        .route("/auth/sign_in", web::post().to(sign_in))
        .route("/auth/sign_out", web::post().to(sign_out))
        .route("/auth/sign_out", web::delete().to(sign_out));
}

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage {
    frame: Frame,
    problem: Option<String>,
    login: String,
    return_to: Option<String>,
    /// Whether strangers may make accounts.
    sign_up: bool,
}

/// The form, also for those who are signed in: they may want to be someone else.
async fn ask(
    request: HttpRequest,
    app: web::Data<App>,
    browser: Browser,
) -> Result<HttpResponse, PageError> {
    let return_to = ReturnTo::remembered(&request);
    let page = SignInPage {
        frame: Frame::of(&app, &browser, "Sign in"),
        problem: None,
        login: String::new(),
        return_to: return_to.map(|page| page.as_str().to_owned()),
        sign_up: sign_up::require_open(&app.settings()).is_ok(),
    };
    with_visitor(&request, &browser, show(StatusCode::OK, &page)?)
}

/// A page with a form for a visitor, whose browser must keep what the form is checked against.
pub(super) fn with_visitor(
    request: &HttpRequest,
    browser: &Browser,
    mut page: HttpResponse,
) -> Result<HttpResponse, PageError> {
    if let Some(secret) = browser.new_secret() {
        let cookie = browser::set(request, Kind::Visitor, secret.to_owned());
        page.add_cookie(&cookie).map_err(Domain::internal)?;
    }
    Ok(page)
}

#[derive(Deserialize)]
struct SignInForm {
    #[serde(default)]
    user: Login,
    return_to: Option<String>,
}

#[derive(Default, Deserialize)]
struct Login {
    #[serde(default)]
    email: String,
    #[serde(default)]
    password: String,
}

async fn sign_in(
    request: HttpRequest,
    app: web::Data<App>,
    form: Posted,
) -> Result<HttpResponse, PageError> {
    let SignInForm { user, return_to } = form.decode()?;
    let return_to = return_to.as_deref().and_then(ReturnTo::parse);
    let login = user.email.clone();
    match verify(&request, &app, user).await {
        Ok(account) => {
            let former = form.browser.signed_in;
            let page =
                return_to.map_or_else(|| app.urls().page("/"), |page| page.address(app.urls()));
            begin(&request, &app, account, former, &page).await
        }
        Err(error) => {
            let (status, problem) = match error.domain() {
                Domain::Unauthenticated(_) => (StatusCode::UNPROCESSABLE_ENTITY, error.to_string()),
                Domain::Forbidden(_) => (StatusCode::FORBIDDEN, format!("{error}.")),
                Domain::TooMany(_) => (error.status_code(), TOO_OFTEN.to_owned()),
                _ => return Err(error.into()),
            };
            let page = SignInPage {
                frame: Frame::of(&app, &form.browser, "Sign in"),
                problem: Some(problem),
                login,
                return_to: return_to.map(|page| page.as_str().to_owned()),
                sign_up: sign_up::require_open(&app.settings()).is_ok(),
            };
            Ok(show(status, &page)?)
        }
    }
}

/// Each try is counted for the address and for the person whose password is tried.
async fn verify(request: &HttpRequest, app: &App, login: Login) -> Result<AccountId> {
    limits::spend(request, Budget::SignIn, Subject::address(address::of(request)))?;
    let (instance, email) = (app.instance().clone(), login.email);
    let candidate = app.read(move |conn| sign_in::find(conn, &instance, &email)).await?;
    limits::spend(request, Budget::SignIn, Subject::Login(candidate.whose()))?;
    Ok(hashing::run(move || candidate.verify(&login.password)).await?)
}

/// Begins a session in place of the one the browser had, and goes to `page`.
pub(super) async fn begin(
    request: &HttpRequest,
    app: &App,
    account: AccountId,
    former: Option<SignedIn>,
    page: &str,
) -> Result<HttpResponse, PageError> {
    let user_agent = request.headers().get(USER_AGENT).and_then(|value| value.to_str().ok());
    let browser = sessions::Browser {
        user_agent: user_agent.unwrap_or_default().to_owned(),
        ip: address::of(request).to_string(),
    };
    let token = app
        .write(move |tx| {
            if let Some(SignedIn { account, session, .. }) = former {
                end_if_there(sessions::end(tx, account, session))?;
            }
            sessions::begin(tx, account, &browser)
        })
        .await?;
    let mut answer = go_to(page);
    for cookie in [
        browser::set(request, Kind::Session, token),
        browser::clear(request, Kind::Visitor),
        browser::clear(request, Kind::ReturnTo),
    ] {
        answer.add_cookie(&cookie).map_err(Domain::internal)?;
    }
    Ok(answer)
}

/// A session may have been ended from another browser a moment ago.
fn end_if_there(ended: siskin_services::Result<()>) -> siskin_services::Result<()> {
    match ended {
        Err(Domain::NotFound) => Ok(()),
        other => other,
    }
}

async fn sign_out(
    request: HttpRequest,
    app: web::Data<App>,
    form: PostedMember,
) -> Result<HttpResponse, PageError> {
    let SignedIn { account, session, .. } = form.who;
    app.write(move |tx| end_if_there(sessions::end(tx, account, session))).await?;
    let mut answer = go_to(&app.urls().page("/"));
    answer.add_cookie(&browser::clear(&request, Kind::Session)).map_err(Domain::internal)?;
    Ok(answer)
}
