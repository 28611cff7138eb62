//! `/settings/second-factor`: the second factor of a person. Setup, removal and new recovery codes
//! require the password, so that an unattended browser is not enough.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_services::{
    Error as Domain,
    second_factor::{self, Enabling, RecoveryCodes, Setup},
    sessions::SignedIn,
};

use super::{Done, account::verify, proof::Proof};
use crate::{
    Result,
    browser::{self, Browser, MemberBeforeSetup, PostedBeforeSetup, ReturnTo, ReturnToParams},
    limits,
    pages::{Frame, Moment, PageError, PageForm, Problem, Qr, go_to, show},
    table::Table,
};

const PAGE: &str = "/settings/second-factor";
const TITLE: &str = "Your second factor";
const WRONG_PASSWORD: &str = "The password is wrong.";
const WRONG_CODE: &str = "The code is wrong. Check that the clock of your device is right, and enter \
                          the code that the app shows now.";
const EXPIRED: &str = "The page was open for too long. Begin again, and remove the former entry from \
                       your app.";

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(show_state))
        .route("/settings/second-factor/setup", web::post().to(begin_setup))
        .route("/settings/second-factor/enable", web::post().to(enable))
        .route("/settings/second-factor/disable", web::post().to(disable))
        .route("/settings/second-factor/recovery-codes", web::post().to(renew_codes));
}

#[derive(Template)]
#[template(path = "second_factor.html")]
struct StatePage {
    frame: Frame,
    done: Option<&'static str>,
    problem: Option<String>,
    enabled: Option<Enabled>,
    /// `true` if the person must set up a second factor first.
    must_set_up: bool,
    proof: Proof,
    return_to: Option<ReturnTo>,
}

/// A second factor, for the page.
struct Enabled {
    since: Moment,
    /// Number of recovery codes that are left.
    codes: i64,
}

async fn state_page(
    request: &HttpRequest,
    app: &App,
    browser: &Browser,
    signed_in: &SignedIn,
    return_to: Option<ReturnTo>,
) -> Result<StatePage> {
    let (account, now) = (signed_in.account, app.now());
    let page = ReturnTo::append_to(return_to.as_ref(), PAGE);
    let proof = Proof::of(request, app, (account, signed_in.session), page).await?;
    let found = app.read(move |conn| second_factor::status(conn, account)).await?;
    let enabled = found.map(|status| Enabled {
        since: Moment::of(status.enabled_at, now),
        codes: status.recovery_codes,
    });
    Ok(StatePage {
        frame: Frame::of(app, browser, TITLE),
        done: None,
        problem: None,
        must_set_up: enabled.is_none() && browser::must_set_up(app, signed_in),
        proof,
        enabled,
        return_to,
    })
}

async fn show_state(
    request: HttpRequest,
    app: web::Data<App>,
    member: MemberBeforeSetup,
    PageForm(done): PageForm<Done>,
    PageForm(onward): PageForm<ReturnToParams>,
) -> Result<HttpResponse, PageError> {
    let done = match done.done.as_deref() {
        Some("disabled") => Some("Your second factor was removed."),
        _ => None,
    };
    let (browser, signed_in) = (&member.browser, &member.signed_in);
    let page = state_page(&request, &app, browser, signed_in, onward.page()).await?;
    Ok(show(StatusCode::OK, &StatePage { done, ..page })?)
}

#[derive(Deserialize)]
struct PasswordForm {
    #[serde(default)]
    current_password: String,
}

/// Checks the password in a form. Returns the page with the problem if it is wrong.
async fn refuse_wrong_password(
    request: &HttpRequest,
    app: &App,
    form: &PostedBeforeSetup,
) -> Result<Option<HttpResponse>, PageError> {
    let PasswordForm { current_password } = form.posted.decode()?;
    let Err(error) = verify(request, app, &form.person, current_password).await else {
        return Ok(None);
    };
    let problem = match error.domain() {
        Domain::Unauthenticated(_) => Problem::with_input(WRONG_PASSWORD),
        _ => Problem::of(error)?,
    };
    show_problem(request, app, form, problem).await.map(Some)
}

async fn show_problem(
    request: &HttpRequest,
    app: &App,
    form: &PostedBeforeSetup,
    problem: Problem,
) -> Result<HttpResponse, PageError> {
    let return_to = form.posted.decode::<ReturnToParams>()?.page();
    let browser = &form.posted.browser;
    let page = state_page(request, app, browser, &form.person, return_to).await?;
    Ok(show(problem.status, &StatePage { problem: Some(problem.words), ..page })?)
}

#[derive(Template)]
#[template(path = "second_factor_setup.html")]
struct SetupPage<'a> {
    frame: Frame,
    problem: Option<&'static str>,
    setup: &'a Setup,
    uri: String,
    /// The same address for a camera. `None` if the name of the server is very long.
    qr: Option<Qr>,
    return_to: Option<ReturnTo>,
}

async fn begin_setup(
    request: HttpRequest,
    app: web::Data<App>,
    form: PostedBeforeSetup,
) -> Result<HttpResponse, PageError> {
    if let Some(refused) = refuse_wrong_password(&request, &app, &form).await? {
        return Ok(refused);
    }
    let SignedIn { account, session, .. } = form.person;
    let setup = app.write(move |tx| second_factor::begin_setup(tx, account, session)).await?;
    show_setup(&app, &form, &setup, None)
}

fn show_setup(
    app: &App,
    form: &PostedBeforeSetup,
    setup: &Setup,
    problem: Option<&'static str>,
) -> Result<HttpResponse, PageError> {
    let status = problem.map_or(StatusCode::OK, |_| StatusCode::UNPROCESSABLE_ENTITY);
    let uri = setup.uri(app.urls().domain(), &form.person.username);
    let page = SetupPage {
        frame: Frame::of(app, &form.posted.browser, TITLE),
        problem,
        setup,
        qr: Qr::of(&uri),
        uri,
        return_to: form.posted.decode::<ReturnToParams>()?.page(),
    };
    Ok(show(status, &page)?)
}

#[derive(Deserialize)]
struct EnableForm {
    /// The new secret, encrypted.
    #[serde(default)]
    setup: String,
    #[serde(default)]
    code: String,
}

async fn enable(
    request: HttpRequest,
    app: web::Data<App>,
    form: PostedBeforeSetup,
) -> Result<HttpResponse, PageError> {
    let EnableForm { setup: sealed, code } = form.posted.decode()?;
    let SignedIn { account, session, .. } = form.person;
    if let Err(error) = limits::spend_code(&request, account) {
        return show_problem(&request, &app, &form, Problem::of(error)?).await;
    }
    let (text, now) = (sealed.clone(), app.now());
    let enabling =
        app.write(move |tx| second_factor::enable(tx, account, session, &text, &code)).await?;
    let expired = || Problem::with_input(EXPIRED);
    match enabling {
        Enabling::Enabled(codes) => show_codes(&app, &form, &codes),
        Enabling::Already => Ok(go_to(&app.urls().page(PAGE))),
        Enabling::Expired => show_problem(&request, &app, &form, expired()).await,
        Enabling::WrongCode => {
            let resumed = app
                .read(move |conn| second_factor::resume_setup(conn, account, session, &sealed, now))
                .await?;
            match resumed {
                Some(setup) => show_setup(&app, &form, &setup, Some(WRONG_CODE)),
                None => show_problem(&request, &app, &form, expired()).await,
            }
        }
    }
}

#[derive(Template)]
#[template(path = "recovery_codes.html")]
struct CodesPage<'a> {
    frame: Frame,
    codes: &'a [String],
    /// Where the person goes next.
    next: &'a str,
}

/// Shows new recovery codes. Only their hashes are stored, so there is no address at which they
/// could be shown again.
fn show_codes(
    app: &App,
    form: &PostedBeforeSetup,
    codes: &RecoveryCodes,
) -> Result<HttpResponse, PageError> {
    let return_to = form.posted.decode::<ReturnToParams>()?.page();
    let page = CodesPage {
        frame: Frame::of(app, &form.posted.browser, TITLE),
        codes: codes.codes(),
        next: return_to.as_ref().map_or(PAGE, ReturnTo::as_str),
    };
    Ok(show(StatusCode::OK, &page)?)
}

async fn disable(
    request: HttpRequest,
    app: web::Data<App>,
    form: PostedBeforeSetup,
) -> Result<HttpResponse, PageError> {
    if let Some(refused) = refuse_wrong_password(&request, &app, &form).await? {
        return Ok(refused);
    }
    let account = form.person.account;
    app.write(move |tx| second_factor::disable(tx, account)).await?;
    Ok(go_to(&app.urls().page(&format!("{PAGE}?done=disabled"))))
}

async fn renew_codes(
    request: HttpRequest,
    app: web::Data<App>,
    form: PostedBeforeSetup,
) -> Result<HttpResponse, PageError> {
    if let Some(refused) = refuse_wrong_password(&request, &app, &form).await? {
        return Ok(refused);
    }
    let account = form.person.account;
    match app.write(move |tx| second_factor::renew_recovery_codes(tx, account)).await {
        Ok(codes) => show_codes(&app, &form, &codes),
        // It was removed in another window.
        Err(Domain::NotFound) => Ok(go_to(&app.urls().page(PAGE))),
        Err(error) => Err(error.into()),
    }
}
