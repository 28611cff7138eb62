//! `/auth/external/{provider}/callback`: where a provider sends people back.

use actix_web::{
    HttpRequest, HttpResponse, ResponseError as _,
    http::StatusCode,
    web::{Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{ExternalPerson, Timestamp};
use siskin_ids::{AccountId, SessionId};
use siskin_persistence::Conn;
use siskin_policy::{external_login::is_fresh, sign_up::Way};
use siskin_services::{
    Error as Domain,
    accounts::sign_up,
    external_login::{
        Arrival, Flow, Newcomer, Prover, Purpose, arrive as arrive_here, link, open_flow, prove,
        seal_newcomer,
    },
    sign_in,
};

use super::{Failure, TRY_AGAIN, newcomer, start_path, without_cookie};
use crate::{
    Result, address,
    browser::{self, Browser, Kind, ReturnTo, ReturnToParams},
    limits::{self, Budget, Subject},
    pages::{PageError, PageForm, SIGN_IN, go_to},
    routes::{
        auth::{self, Entrant},
        second_factor,
    },
};

const SETTINGS: &str = "/settings/external-logins";
const TOO_OFTEN: &str = "Too many attempts to sign in. Wait a few minutes, then try again.";
const OVER: &str = "This sign-in is over: it took too long, was finished before, or began in \
                    another browser. If your browser blocks cookies, allow them for this server.";

/// What the provider adds to the address (RFC 6749, 4.1.2 and 4.1.2.1; RFC 9207).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Answer {
    code: Option<String>,
    state: Option<String>,
    error: Option<String>,
    iss: Option<String>,
}

/// Continues the sign-in that this browser began. It ends with the first answer, whether it
/// succeeds or not.
pub(super) async fn arrive(
    request: HttpRequest,
    app: Data<App>,
    browser: Browser,
    id: Path<String>,
    PageForm(answer): PageForm<Answer>,
) -> Result<HttpResponse, PageError> {
    let Some(flow) = flow_of(&request, &app, &id, &answer).await? else {
        let failure = Failure::new(StatusCode::BAD_REQUEST, "This sign-in is over", OVER);
        let is_known = app.providers().any(|provider| provider.id == *id);
        let again = if is_known { start_path(&id, None, None) } else { SIGN_IN.to_owned() };
        return failure.show(&app, &browser, again, TRY_AGAIN);
    };
    let arrival = Arriving { request: &request, app: &app, browser: &browser, flow: &flow };
    without_cookie(&request, arrival.finish(answer).await, Kind::ExternalFlow)
}

/// Returns the sign-in that this browser began and that this answer belongs to.
async fn flow_of(
    request: &HttpRequest,
    app: &App,
    id: &str,
    answer: &Answer,
) -> Result<Option<Flow>> {
    let Some(sealed) = browser::get(request, Kind::ExternalFlow) else { return Ok(None) };
    let now = app.now();
    let flow = app.read(move |conn| open_flow(conn, &sealed, now)).await?;
    let state = answer.state.as_deref().unwrap_or_default();
    Ok(flow.filter(|flow| flow.provider == id && flow.is_answered_by(state)))
}

/// A person who comes back.
struct Arriving<'a> {
    request: &'a HttpRequest,
    app: &'a App,
    browser: &'a Browser,
    flow: &'a Flow,
}

impl Arriving<'_> {
    async fn finish(&self, answer: Answer) -> Result<HttpResponse, PageError> {
        let person = match self.identify(answer).await? {
            Ok(person) => person,
            Err(failure) => return self.show(failure),
        };
        match self.flow.purpose.clone() {
            Purpose::SignIn { return_to, invite_code } => {
                let return_to = return_to.as_deref().and_then(ReturnTo::parse);
                // A very long address is only in the cookie that the sign-in page reads, too.
                let remembered = || ReturnToParams::default().page_or_remembered(self.request);
                self.sign_in(person, return_to.or_else(remembered), invite_code).await
            }
            Purpose::Link { account, session } => self.link(person, account, session).await,
            Purpose::Prove { account, session, return_to } => {
                self.prove(person, Prover { account, session }, return_to.as_deref()).await
            }
        }
    }

    /// Returns the person, or why the provider did not tell who it is.
    async fn identify(&self, answer: Answer) -> Result<Result<ExternalPerson, Failure>, PageError> {
        let name = self.provider_name();
        if let Some(error) = answer.error {
            return Ok(Err(refusal(&error, &name)));
        }
        let issuer = self.app.providers().find(|provider| provider.id == self.flow.provider);
        let is_other = |iss: &String| issuer.is_none_or(|provider| provider.issuer != *iss);
        let code = answer.code.filter(|code| !code.is_empty());
        let (Some(code), false) = (code, answer.iss.as_ref().is_some_and(is_other)) else {
            return Ok(Err(invalid(&name)));
        };
        // Each exchange is a request to the provider.
        let client = Subject::address(address::of(self.request));
        if let Err(error) = limits::spend_unreported(self.request, Budget::SignIn, client) {
            return match error.domain() {
                Domain::TooMany(_) => {
                    let status = error.status_code();
                    Ok(Err(Failure::new(status, "Too many attempts", TOO_OFTEN)))
                }
                _ => Err(error.into()),
            };
        }
        match self.app.identify(self.flow, code).await {
            Ok(person) => Ok(Ok(person)),
            Err(Domain::Gone(reason)) => {
                let words = format!("{reason}.");
                Ok(Err(Failure::new(StatusCode::BAD_REQUEST, "This sign-in is over", words)))
            }
            Err(Domain::ExternalService(reason)) => Ok(Err(Failure::unavailable(&reason))),
            Err(error) => Err(error.into()),
        }
    }

    /// Signs the person in as after a correct password, or shows how to get an account.
    async fn sign_in(
        &self,
        person: ExternalPerson,
        return_to: Option<ReturnTo>,
        invite_code: Option<String>,
    ) -> Result<HttpResponse, PageError> {
        let (request, app) = (self.request, self.app);
        let arrived = person.clone();
        let is_silent = !is_fresh(person.authenticated_at, self.flow.began_at());
        match app.write(move |tx| arrive_here(tx, &arrived)).await {
            Ok(Arrival::Known { account, has_second_factor: true, .. }) => {
                second_factor::ask(request, app, account, Some(person.issuer), return_to.as_ref())
                    .await
            }
            Ok(Arrival::Known { account, reach, .. }) => {
                let former = self.browser.session();
                let entrant = Entrant { account, reach, is_silent };
                auth::begin_with(request, app, entrant, former, return_to).await
            }
            Ok(Arrival::EmailKnown) => self.show_known_email(return_to.as_ref()),
            Ok(Arrival::Unknown) => self.admit(person, return_to, invite_code).await,
            Err(Domain::Forbidden(reason)) => self.show(forbidden(&format!("{reason}."))),
            Err(error) => Err(error.into()),
        }
    }

    /// Tells the owner of an email address that an account has it. It is not linked by that alone.
    fn show_known_email(&self, return_to: Option<&ReturnTo>) -> Result<HttpResponse, PageError> {
        let title = "You have an account here already";
        let known = "An account on this server has your email address.";
        let status = StatusCode::CONFLICT;
        if sign_in::require_passwords(&self.app.settings()).is_err() {
            let words =
                format!("{known} It has no login at {} yet. {}", self.provider_name(), STAFF);
            let failure = Failure::new(status, title, words);
            return failure.show(self.app, self.browser, "/".to_owned(), "Go to the front page");
        }
        let words = format!(
            "{known} Sign in to it with its password first. Then you can link your login at {} to \
             it: in the settings, under “External logins”.",
            self.provider_name()
        );
        let path = ReturnTo::append_to(return_to, SIGN_IN);
        Failure::new(status, title, words).show(self.app, self.browser, path, "Sign in")
    }

    /// Leads a person without an account to the sign-up, if it is open to them.
    async fn admit(
        &self,
        person: ExternalPerson,
        return_to: Option<ReturnTo>,
        invite_code: Option<String>,
    ) -> Result<HttpResponse, PageError> {
        let (settings, now) = (self.app.settings(), self.app.now());
        let client = address::of(self.request);
        let newcomer = Newcomer {
            provider: self.flow.provider.clone(),
            person,
            return_to: return_to.map(ReturnTo::into_text),
            invite_code: invite_code.clone(),
            arrived_at: now,
        };
        let read = move |conn: &mut Conn| {
            let code = invite_code.as_deref();
            sign_up::admit(conn, &settings, Way::Provider, client, code, now)?;
            seal_newcomer(conn, &newcomer)
        };
        match self.app.read(read).await {
            Ok(cookie) => newcomer::lead_to_form(self.request, self.app, cookie),
            Err(Domain::Forbidden(reason)) => {
                let reason = reason.trim_end_matches('.');
                let words = format!("No account here belongs to this login. {reason}.");
                self.show(forbidden(&words))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Links the login to the account of the session that asked for it.
    async fn link(
        &self,
        person: ExternalPerson,
        account: AccountId,
        session: SessionId,
    ) -> Result<HttpResponse, PageError> {
        if !self.is_in_session(account, session) || self.browser.signed_in.is_none() {
            return self.show(signed_out());
        }
        let name = self.provider_name();
        match self.app.write(move |tx| link(tx, account, &person, &name)).await {
            Ok(()) => Ok(go_to(&self.app.urls().page(&format!("{SETTINGS}?done=linked")))),
            Err(Domain::Invalid(reason)) => {
                let title = "This login cannot be linked";
                self.show(Failure::new(StatusCode::CONFLICT, title, format!("{reason}.")))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Notes that the person of the session has signed in at the provider once more.
    async fn prove(
        &self,
        person: ExternalPerson,
        prover: Prover,
        return_to: Option<&str>,
    ) -> Result<HttpResponse, PageError> {
        if !self.is_in_session(prover.account, prover.session) {
            return self.show(signed_out());
        }
        let asked: Timestamp = self.flow.began_at();
        let proof = match self.app.write(move |tx| prove(tx, prover, &person, asked)).await {
            Ok(proof) => proof,
            Err(Domain::Forbidden(reason)) => return self.show(forbidden(&format!("{reason}."))),
            Err(error) => return Err(error.into()),
        };
        let page = return_to.and_then(ReturnTo::parse);
        let page = page.map_or_else(|| self.app.urls().page("/"), |it| it.address(self.app.urls()));
        let mut response = go_to(&page);
        let cookie = browser::set(self.request, Kind::ExternalProof, proof);
        response.add_cookie(&cookie).map_err(Domain::internal)?;
        Ok(response)
    }

    fn is_in_session(&self, account: AccountId, session: SessionId) -> bool {
        self.browser.session() == Some((account, session))
    }

    fn provider_name(&self) -> String {
        let id = &self.flow.provider;
        let provider = self.app.providers().find(|provider| provider.id == *id);
        provider.map_or_else(|| id.clone(), |provider| provider.name.clone())
    }

    fn show(&self, failure: Failure) -> Result<HttpResponse, PageError> {
        failure.show(self.app, self.browser, self.again(), TRY_AGAIN)
    }

    /// Returns the path to try again.
    fn again(&self) -> String {
        match &self.flow.purpose {
            Purpose::SignIn { return_to, invite_code } => {
                let page = return_to.as_deref().and_then(ReturnTo::parse);
                start_path(&self.flow.provider, page.as_ref(), invite_code.as_deref())
            }
            Purpose::Link { .. } => SETTINGS.to_owned(),
            Purpose::Prove { return_to, .. } => {
                let page = return_to.as_deref().and_then(ReturnTo::parse);
                page.map_or_else(|| "/".to_owned(), ReturnTo::into_text)
            }
        }
    }
}

const STAFF: &str = "The staff of this server can help you.";

/// The provider did not tell who the person is, with this error code.
fn refusal(error: &str, provider: &str) -> Failure {
    let (status, title, words) = match error {
        "access_denied" => (
            StatusCode::FORBIDDEN,
            "The sign-in was cancelled",
            format!(
                "You did not sign in at {provider}, or did not let it tell this server who you are."
            ),
        ),
        "server_error" | "temporarily_unavailable" => (
            StatusCode::BAD_GATEWAY,
            "The provider cannot sign you in now",
            format!("{provider} reports an error. Wait a moment, then try again."),
        ),
        _ => (
            StatusCode::BAD_REQUEST,
            "The provider did not sign you in",
            format!("{provider} refused the sign-in."),
        ),
    };
    Failure::new(status, title, words)
}

fn invalid(provider: &str) -> Failure {
    let words = format!("This is no answer of {provider} to your sign-in.");
    Failure::new(StatusCode::BAD_REQUEST, "The sign-in failed", words)
}

fn forbidden(words: &str) -> Failure {
    Failure::new(StatusCode::FORBIDDEN, "You cannot sign in", words)
}

fn signed_out() -> Failure {
    let words = "You were signed out here meanwhile. Sign in, then try again.";
    Failure::new(StatusCode::FORBIDDEN, "You were signed out", words)
}
