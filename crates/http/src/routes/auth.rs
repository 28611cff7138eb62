//! `/auth`: sign-in and sign-out.

use actix_web::{
    HttpRequest, HttpResponse, ResponseError as _,
    http::{StatusCode, header::USER_AGENT},
    web,
};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::settings::RequiredFor;
use siskin_ids::{AccountId, SessionId};
use siskin_services::{
    Error as Domain,
    accounts::sign_up,
    sessions::{self, Reach},
    sign_in,
};

use super::{external::ProviderLink, second_factor};
use crate::{
    Result, address,
    browser::{self, Browser, Kind, Posted, PostedSession, ReturnTo, ReturnToParams},
    hashing, limits,
    pages::{Frame, PageError, PageForm, closed_message, go_to, only_provider_path, show},
    table::Table,
};

/// Page on which people must set up a second factor first.
const SET_UP: &str = "/settings/second-factor";
const TOO_OFTEN: &str = "Too many attempts to sign in. Wait a few minutes, then try again.";

pub(super) fn configure(table: &mut Table) {
    table
        .route("/auth/sign_in", web::get().to(show_form))
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
    return_to: Option<ReturnTo>,
    /// `true` if people can sign in with a password.
    passwords: bool,
    providers: Vec<ProviderLink>,
    /// `true` if registrations are open.
    sign_up: bool,
    /// What the operator wrote for people who cannot sign up; may be empty.
    closed: String,
}

impl SignInPage {
    fn new(app: &App, browser: &Browser, return_to: Option<ReturnTo>) -> Self {
        Self {
            frame: Frame::of(app, browser, "Sign in"),
            problem: None,
            login: String::new(),
            passwords: sign_in::require_passwords(&app.settings()).is_ok(),
            providers: ProviderLink::all(app, return_to.as_ref(), None),
            return_to,
            sign_up: sign_up::require_open(&app.settings()).is_ok(),
            closed: closed_message(&app.settings()).to_owned(),
        }
    }

    /// Returns the address of another page of `/auth` that leads back to the same page.
    fn onward(&self, path: &str) -> String {
        ReturnTo::append_to(self.return_to.as_ref(), path)
    }
}

/// Shows the form, also to people who are signed in: they may want to change to another account. If
/// people sign in only through one provider, they go there at once.
async fn show_form(
    request: HttpRequest,
    app: web::Data<App>,
    browser: Browser,
    PageForm(onward): PageForm<ReturnToParams>,
) -> Result<HttpResponse, PageError> {
    let return_to = onward.page_or_remembered(&request);
    if let Some(path) = only_provider_path(&app) {
        return Ok(go_to(&app.urls().page(&ReturnTo::append_to(return_to.as_ref(), &path))));
    }
    let page = SignInPage::new(&app, &browser, return_to);
    with_visitor(&request, &browser, show(StatusCode::OK, &page)?)
}

/// Adds the cookie that a form for a visitor needs: the secret behind its CSRF token.
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
    let SignInForm { user } = form.decode()?;
    let return_to = form.decode::<ReturnToParams>()?.page();
    let login = user.email.clone();
    match verify(&request, &app, user).await {
        Ok(Verified { account, has_second_factor: true, .. }) => {
            second_factor::ask(&request, &app, account, None, return_to.as_ref()).await
        }
        Ok(Verified { account, reach, .. }) => {
            let entrant = Entrant::asked(account, reach);
            begin_with(&request, &app, entrant, form.browser.session(), return_to).await
        }
        Err(error) => {
            let (status, problem) = match error.domain() {
                Domain::Unauthenticated(_) => (StatusCode::UNPROCESSABLE_ENTITY, error.to_string()),
                Domain::Forbidden(_) => (StatusCode::FORBIDDEN, format!("{error}.")),
                Domain::TooMany(_) => (error.status_code(), TOO_OFTEN.to_owned()),
                _ => return Err(error.into()),
            };
            let page = SignInPage {
                problem: Some(problem),
                login,
                ..SignInPage::new(&app, &form.browser, return_to)
            };
            Ok(show(status, &page)?)
        }
    }
}

/// Shows the form again, because the password is needed once more.
pub(super) fn show_again(
    app: &App,
    browser: &Browser,
    return_to: Option<ReturnTo>,
    problem: &str,
) -> Result<HttpResponse> {
    let page = SignInPage {
        problem: Some(problem.to_owned()),
        ..SignInPage::new(app, browser, return_to)
    };
    show(StatusCode::UNPROCESSABLE_ENTITY, &page)
}

/// A person who sent the right password.
struct Verified {
    account: AccountId,
    /// What a session reaches: those who may not act see only decisions about them.
    reach: Reach,
    has_second_factor: bool,
}

async fn verify(request: &HttpRequest, app: &App, login: Login) -> Result<Verified> {
    sign_in::require_passwords(&app.settings())?;
    limits::spend_sign_in(request, app, &login.email)?;
    let (instance, email) = (app.instance().clone(), login.email);
    let candidate = app.read(move |conn| sign_in::find(conn, &instance, &email)).await?;
    let verified = hashing::run(move || {
        let has_second_factor = candidate.has_second_factor();
        let verified = candidate.verify_for_session(&login.password);
        verified.map(|(account, reach)| Verified { account, reach, has_second_factor })
    });
    Ok(verified.await?)
}

/// Begins a session of an active person, as [`begin_with`].
pub(super) async fn begin(
    request: &HttpRequest,
    app: &App,
    account: AccountId,
    former: Option<FormerSession>,
    return_to: Option<ReturnTo>,
) -> Result<HttpResponse, PageError> {
    begin_with(request, app, Entrant::asked(account, Reach::Full), former, return_to).await
}

/// The person of a session that begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entrant {
    pub(super) account: AccountId,
    pub(super) reach: Reach,
    /// Whether a provider signed the person in without asking who it is.
    pub(super) is_silent: bool,
}

impl Entrant {
    /// Returns a person who has just shown who it is.
    pub(super) const fn asked(account: AccountId, reach: Reach) -> Self {
        Self { account, reach, is_silent: false }
    }
}

/// Account and session of a person who signs in again.
pub(super) type FormerSession = (AccountId, SessionId);

/// Begins a session in place of the previous one, and redirects to `return_to` or the front page. A
/// person who must set up a second factor goes there first, and one with a restricted session to a
/// page that it reaches. The secret of the visitor stays: a form in another tab may carry its
/// token.
pub(super) async fn begin_with(
    request: &HttpRequest,
    app: &App,
    entrant: Entrant,
    former: Option<FormerSession>,
    return_to: Option<ReturnTo>,
) -> Result<HttpResponse, PageError> {
    let Entrant { account, reach, is_silent } = entrant;
    let user_agent = request.headers().get(USER_AGENT).and_then(|value| value.to_str().ok());
    let browser = sessions::Browser {
        user_agent: user_agent.unwrap_or_default().to_owned(),
        ip: address::of(request).to_string(),
    };
    let token = app
        .write(move |tx| {
            if let Some((account, session)) = former {
                end_if_there(sessions::end(tx, account, session))?;
            }
            if is_silent {
                return sessions::begin_silently(tx, account, reach, &browser);
            }
            sessions::begin_with(tx, account, reach, &browser)
        })
        .await?;
    let target = match reach {
        Reach::Full => return_to.clone(),
        Reach::Restricted => browser::page_of_holder(return_to.clone()),
    };
    let page = target.as_ref();
    let mut response = if must_set_up(app, &token).await? {
        go_to(&app.urls().page(&ReturnTo::append_to(page, SET_UP)))
    } else {
        go_to(&page.map_or_else(|| app.urls().page("/"), |page| page.address(app.urls())))
    };
    let session = browser::set(request, Kind::Session, token);
    response.add_cookie(&session).map_err(Domain::internal)?;
    // If the cookie holds another page, it belongs to another tab and stays.
    if return_to.is_some_and(|page| page.is_remembered(request)) {
        let remembered = browser::clear(request, Kind::ReturnTo);
        response.add_cookie(&remembered).map_err(Domain::internal)?;
    }
    Ok(response)
}

/// Returns `true` if the person with this new session must set up a second factor.
async fn must_set_up(app: &App, token: &str) -> Result<bool> {
    if app.settings().second_factor_required_for == RequiredFor::None {
        return Ok(false);
    }
    let (token, now) = (token.to_owned(), app.now());
    let found = app.read(move |conn| sessions::find(conn, &token, now)).await?;
    Ok(found.is_some_and(|signed_in| browser::must_set_up(app, &signed_in)))
}

/// Accepts that the session no longer exists: it may have been ended from another browser a moment
/// ago.
fn end_if_there(ended: siskin_services::Result<()>) -> siskin_services::Result<()> {
    match ended {
        Err(Domain::NotFound) => Ok(()),
        other => other,
    }
}

async fn sign_out(
    request: HttpRequest,
    app: web::Data<App>,
    form: PostedSession,
) -> Result<HttpResponse, PageError> {
    let (account, session) = form.person;
    app.write(move |tx| end_if_there(sessions::end(tx, account, session))).await?;
    let mut response = go_to(&app.urls().page("/"));
    response.add_cookie(&browser::clear(&request, Kind::Session)).map_err(Domain::internal)?;
    Ok(response)
}
