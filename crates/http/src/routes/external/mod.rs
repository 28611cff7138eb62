//! `/auth/external`: sign-in through external providers. A link leads to the provider, which sends
//! the person back to the callback. An encrypted cookie binds the two to one browser, so that
//! others cannot sign it in to an account of theirs.

mod callback;
mod newcomer;

use actix_web::{
    HttpRequest, HttpResponse, ResponseError as _,
    http::StatusCode,
    web::{self, Data, Path},
};
use askama::Template;
use serde::Deserialize;
use siskin_app::{App, Departure};
use siskin_entities::ExternalProvider;
use siskin_services::{Error as Domain, external_login::Purpose};

use crate::{
    Result,
    browser::{self, Browser, Kind, PostedSession, ReturnTo, ReturnToParams},
    pages::{Frame, Notice, PageError, PageForm, go_to, provider_path, show},
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/auth/external/{provider}", web::get().to(start))
        .route("/auth/external/{provider}/callback", web::get().to(callback::arrive))
        .route("/auth/external/{provider}/prove", web::post().to(prove))
        .configure(newcomer::configure);
}

/// A link to a provider, or the target of a form about it.
pub(super) struct ProviderLink {
    pub(super) path: String,
    pub(super) name: String,
}

impl ProviderLink {
    /// Returns the links that begin a sign-in, one for each provider.
    pub(super) fn all(
        app: &App,
        return_to: Option<&ReturnTo>,
        invite_code: Option<&str>,
    ) -> Vec<Self> {
        let link = |provider: &ExternalProvider| Self {
            path: start_path(&provider.id, return_to, invite_code),
            name: provider.name.clone(),
        };
        app.providers().map(link).collect()
    }
}

/// Returns the path that begins a sign-in at a provider.
fn start_path(id: &str, return_to: Option<&ReturnTo>, invite_code: Option<&str>) -> String {
    let path = ReturnTo::append_to(return_to, &provider_path(id));
    let Some(code) = invite_code else { return path };
    let code: String = form_urlencoded::byte_serialize(code.as_bytes()).collect();
    let sign = if path.contains('?') { '&' } else { '?' };
    format!("{path}{sign}invite_code={code}")
}

/// The parameter by which the pages carry an invite.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct InviteParams {
    invite_code: Option<String>,
}

/// Sends the browser to the provider.
async fn start(
    request: HttpRequest,
    app: Data<App>,
    browser: Browser,
    id: Path<String>,
    PageForm(onward): PageForm<ReturnToParams>,
    PageForm(invite): PageForm<InviteParams>,
) -> Result<HttpResponse, PageError> {
    let return_to = onward.page_or_remembered(&request);
    let invite_code = invite.invite_code.filter(|code| !code.trim().is_empty());
    let again = start_path(&id, return_to.as_ref(), invite_code.as_deref());
    let purpose = Purpose::SignIn { return_to: return_to.map(ReturnTo::into_text), invite_code };
    match app.depart(&id, purpose).await {
        Ok(Departure { url, cookie }) => with_flow(&request, go_to(&url), cookie),
        Err(error) => no_departure(&app, &browser, error, again),
    }
}

/// Sends a person who cannot use a password to the provider, to prove who they are. Also for people
/// who must set up a second factor first, and for those with a restricted session.
async fn prove(
    request: HttpRequest,
    app: Data<App>,
    id: Path<String>,
    form: PostedSession,
) -> Result<HttpResponse, PageError> {
    let (account, session) = form.person;
    let return_to = form.posted.decode::<ReturnToParams>()?.page();
    let page = return_to.as_ref().map_or("/", ReturnTo::as_str).to_owned();
    let return_to = return_to.map(ReturnTo::into_text);
    let purpose = Purpose::Prove { account, session, return_to };
    leave(&request, &app, &form.posted.browser, &id, purpose, &page).await
}

/// Adds the cookie of a sign-in that begins.
fn with_flow(
    request: &HttpRequest,
    mut response: HttpResponse,
    cookie: String,
) -> Result<HttpResponse, PageError> {
    let cookie = browser::set(request, Kind::ExternalFlow, cookie);
    response.add_cookie(&cookie).map_err(Domain::internal)?;
    Ok(response)
}

/// Shows that a provider does not answer. `again` is the path to try again.
fn no_departure(
    app: &App,
    browser: &Browser,
    error: Domain,
    again: String,
) -> Result<HttpResponse, PageError> {
    match error {
        Domain::ExternalService(reason) => {
            Failure::unavailable(&reason).show(app, browser, again, TRY_AGAIN)
        }
        other => Err(other.into()),
    }
}

const TRY_AGAIN: &str = "Try again";

/// Why a sign-in at a provider failed, for a plain page.
struct Failure {
    status: StatusCode,
    title: &'static str,
    words: String,
}

impl Failure {
    fn new(status: StatusCode, title: &'static str, words: impl Into<String>) -> Self {
        Self { status, title, words: words.into() }
    }

    /// The provider does not answer, or not properly.
    fn unavailable(reason: &str) -> Self {
        let words = format!("{reason}. Wait a moment, then try again.");
        Self::new(StatusCode::BAD_GATEWAY, "The provider does not answer", words)
    }

    /// Shows the page, with a link to this path.
    fn show(
        self,
        app: &App,
        browser: &Browser,
        path: String,
        link: &'static str,
    ) -> Result<HttpResponse, PageError> {
        let mut frame = Frame::of(app, browser, self.title);
        if browser.session().is_none() {
            // The page has no form for visitors and needs no cookie.
            frame.forgery_token.clear();
        }
        Ok(Notice { frame, words: self.words, path, link }.show_with(self.status)?)
    }
}

#[derive(Template)]
#[template(path = "leave.html")]
struct LeavePage<'a> {
    frame: Frame,
    url: &'a str,
    provider: &'a str,
}

/// Sends the browser to a provider after a form was sent. It is a page that leads on, and no
/// redirect: browsers block redirects of forms to other servers, which the security policy of pages
/// demands.
pub(super) async fn leave(
    request: &HttpRequest,
    app: &App,
    browser: &Browser,
    id: &str,
    purpose: Purpose,
    page: &str,
) -> Result<HttpResponse, PageError> {
    let known = app.providers().find(|provider| provider.id == id);
    let provider = known.ok_or(Domain::NotFound)?;
    match app.depart(id, purpose).await {
        Ok(Departure { url, cookie }) => {
            let frame = Frame::of(app, browser, "On to the provider");
            let page = LeavePage { frame, url: &url, provider: &provider.name };
            with_flow(request, show(StatusCode::OK, &page)?, cookie)
        }
        Err(error) => no_departure(app, browser, error, page.to_owned()),
    }
}

/// Removes the cookie of a sign-in that is over.
fn without_cookie(
    request: &HttpRequest,
    response: Result<HttpResponse, PageError>,
    kind: Kind,
) -> Result<HttpResponse, PageError> {
    let mut response = response.unwrap_or_else(|error| error.error_response());
    response.add_cookie(&browser::clear(request, kind)).map_err(Domain::internal)?;
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_carries_the_page_and_the_invite() {
        let page = ReturnTo::parse("/a?b=c");
        assert_eq!(start_path("main", None, None), "/auth/external/main");
        assert_eq!(
            start_path("main", page.as_ref(), Some("x y")),
            "/auth/external/main?return_to=%2Fa%3Fb%3Dc&invite_code=x+y"
        );
        assert_eq!(start_path("main", None, Some("x")), "/auth/external/main?invite_code=x");
    }
}
