//! `/auth/second_factor`: the second step of a sign-in, with a code after the password or after a
//! sign-in at a provider.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, ResponseError as _, http::StatusCode, web};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::Settings;
use siskin_ids::AccountId;
use siskin_services::{
    Error as Domain,
    second_factor::challenge::{self, Attempt, OpenWays},
};

use super::{
    auth::{self, Entrant},
    settings::issuers,
};
use crate::{
    Result,
    browser::{self, Browser, Kind, Posted, ReturnTo, ReturnToParams},
    limits,
    pages::{Frame, PageError, PageForm, go_to, show},
    table::Table,
};

const PAGE: &str = "/auth/second_factor";
const WRONG: &str = "The code is wrong, or was used before.";
const ENDED: &str = "Sign in again: too many codes were wrong, or the code came too late.";
const TOO_OFTEN: &str = "Too many codes were tried. Wait half an hour, then try again. If it was not \
                         you, others know your password: choose a new one.";

pub(super) fn configure(table: &mut Table) {
    table.route(PAGE, web::get().to(show_form)).route(PAGE, web::post().to(check));
}

/// Sends a person who took the first step to the page that asks for the code, and on to
/// `return_to`. `issuer` is the identifier of the provider at which the person signed in; `None`
/// after a password.
pub(super) async fn ask(
    request: &HttpRequest,
    app: &App,
    account: AccountId,
    issuer: Option<String>,
    return_to: Option<&ReturnTo>,
) -> Result<HttpResponse, PageError> {
    let token = app.write(move |tx| challenge::begin(tx, account, issuer.as_deref())).await?;
    let mut response = go_to(&app.urls().page(&ReturnTo::append_to(return_to, PAGE)));
    let cookie = browser::set(request, Kind::PendingSignIn, token);
    response.add_cookie(&cookie).map_err(Domain::internal)?;
    Ok(response)
}

#[derive(Template)]
#[template(path = "sign_in_code.html")]
struct CodePage {
    frame: Frame,
    problem: Option<&'static str>,
    return_to: Option<ReturnTo>,
}

impl CodePage {
    fn new(app: &App, browser: &Browser, return_to: Option<ReturnTo>) -> Self {
        Self { frame: Frame::of(app, browser, "Enter your code"), problem: None, return_to }
    }
}

async fn show_form(
    request: HttpRequest,
    app: web::Data<App>,
    browser: Browser,
    PageForm(onward): PageForm<ReturnToParams>,
) -> Result<HttpResponse, PageError> {
    let return_to = onward.page();
    let waits = match browser::get(&request, Kind::PendingSignIn) {
        Some(token) => pending_account(&app, token).await?.is_some(),
        None => false,
    };
    if !waits {
        let sign_in = ReturnTo::append_to(return_to.as_ref(), "/auth/sign_in");
        return Ok(go_to(&app.urls().page(&sign_in)));
    }
    let page = show(StatusCode::OK, &CodePage::new(&app, &browser, return_to))?;
    auth::with_visitor(&request, &browser, page)
}

/// Returns the account that waits for its code with this secret.
async fn pending_account(app: &App, token: String) -> Result<Option<AccountId>> {
    let (now, open) = (app.now(), Open::of(app));
    Ok(app.read(move |conn| challenge::account(conn, open.ways(), &token, now)).await?)
}

/// The ways by which people can sign in at present.
struct Open {
    settings: Arc<Settings>,
    issuers: Vec<String>,
}

impl Open {
    fn of(app: &App) -> Self {
        Self { settings: app.settings(), issuers: issuers(app) }
    }

    fn ways(&self) -> OpenWays<'_> {
        OpenWays { settings: &self.settings, issuers: &self.issuers }
    }
}

#[derive(Deserialize)]
struct CodeForm {
    #[serde(default)]
    code: String,
}

async fn check(
    request: HttpRequest,
    app: web::Data<App>,
    form: Posted,
) -> Result<HttpResponse, PageError> {
    let CodeForm { code } = form.decode()?;
    let return_to = form.decode::<ReturnToParams>()?.page();
    let (status, problem) = match attempt(&request, &app, code).await {
        Ok(Attempt::Accepted { account, reach }) => {
            let former = form.browser.session();
            let entrant = Entrant::asked(account, reach);
            let begun = auth::begin_with(&request, &app, entrant, former, return_to);
            return without_pending(&request, begun.await?);
        }
        Ok(Attempt::Ended) => {
            let response = auth::show_again(&app, &form.browser, return_to, ENDED)?;
            return without_pending(&request, response);
        }
        Ok(Attempt::Wrong) => (StatusCode::UNPROCESSABLE_ENTITY, WRONG),
        Err(error) => match error.domain() {
            Domain::TooMany(_) => (error.status_code(), TOO_OFTEN),
            _ => return Err(error.into()),
        },
    };
    let page = CodePage::new(&app, &form.browser, return_to);
    Ok(show(status, &CodePage { problem: Some(problem), ..page })?)
}

async fn attempt(request: &HttpRequest, app: &App, code: String) -> Result<Attempt> {
    let Some(token) = browser::get(request, Kind::PendingSignIn) else {
        return Ok(Attempt::Ended);
    };
    let Some(account) = pending_account(app, token.clone()).await? else {
        return Ok(Attempt::Ended);
    };
    limits::spend_code(request, account)?;
    let open = Open::of(app);
    Ok(app.write(move |tx| challenge::attempt(tx, open.ways(), &token, &code)).await?)
}

/// Removes the cookie of the sign-in, which has ended.
fn without_pending(
    request: &HttpRequest,
    mut response: HttpResponse,
) -> Result<HttpResponse, PageError> {
    let cookie = browser::clear(request, Kind::PendingSignIn);
    response.add_cookie(&cookie).map_err(Domain::internal)?;
    Ok(response)
}
