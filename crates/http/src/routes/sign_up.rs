//! `/auth/sign_up`: registration in a browser.

use std::{net::IpAddr, sync::Arc};

use actix_web::{HttpRequest, HttpResponse, ResponseError as _, http::StatusCode, web};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{Rule, Settings, Timestamp};
use siskin_persistence::{Conn, Tx};
use siskin_policy::sign_up::Way;
use siskin_services::{
    Error as Domain,
    accounts::{
        Created,
        sign_up::{self, Admission, SignUp},
    },
    invites::{self, NO_LONGER_VALID},
    passwords, rules,
};

use super::{auth, external::ProviderLink};
use crate::{
    Result, address,
    browser::{Browser, Posted, ReturnTo, ReturnToParams},
    hashing,
    limits::{self, Budget, Subject},
    pages::{Frame, Notice, PageError, PageForm, said, show},
    table::Table,
};

const PAGE: &str = "/auth/sign_up";
const TOO_OFTEN: &str =
    "Too many accounts were created from your address. Try again in half an hour.";

pub(super) fn configure(table: &mut Table) {
    table.route(PAGE, web::get().to(show_form)).route(PAGE, web::post().to(create_account));
}

#[derive(Template)]
#[template(path = "sign_up.html")]
struct SignUpPage {
    frame: Frame,
    /// Reason why registrations are closed, if they are.
    closed: Option<String>,
    /// Sentences about the invite, if it is not valid. The form goes on without it.
    lost_invite: Option<String>,
    problems: Vec<String>,
    rules: Vec<Rule>,
    approval: bool,
    form: SignUpForm,
    invite_code: Option<String>,
    return_to: Option<ReturnTo>,
    providers: Vec<ProviderLink>,
    domain: String,
    shortest_password: usize,
}

impl SignUpPage {
    fn sign_in(&self) -> String {
        ReturnTo::append_to(self.return_to.as_ref(), "/auth/sign_in")
    }
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct SignUpForm {
    username: String,
    email: String,
    password: String,
    reason: String,
    agreement: bool,
}

/// Where a visitor comes from: the invite of another user, and the page to return to.
#[derive(Clone)]
struct Origin {
    invite_code: Option<String>,
    return_to: Option<ReturnTo>,
}

/// The parameter by which the pages carry an invite.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct InviteParams {
    invite_code: Option<String>,
}

impl InviteParams {
    fn code(self) -> Option<String> {
        self.invite_code.filter(|code| !code.trim().is_empty())
    }
}

/// Returns the path of the page, with the code of an invite.
pub(super) fn path_with_invite(code: &str) -> String {
    let code: String = form_urlencoded::byte_serialize(code.as_bytes()).collect();
    format!("{PAGE}?invite_code={code}")
}

async fn page(
    request: &HttpRequest,
    app: &App,
    browser: &Browser,
    form: SignUpForm,
    origin: Origin,
    problems: Vec<String>,
) -> Result<SignUpPage> {
    let Origin { invite_code, return_to } = origin;
    let conditions = Conditions::load(request, app, Way::Form, invite_code, problems).await?;
    let Conditions { closed, lost_invite, invite_code, problems, approval, rules } = conditions;
    Ok(SignUpPage {
        frame: Frame::of(app, browser, "Create an account"),
        closed,
        lost_invite,
        problems,
        rules,
        approval,
        form,
        providers: ProviderLink::all(app, return_to.as_ref(), invite_code.as_deref()),
        invite_code,
        return_to,
        domain: app.urls().domain().to_owned(),
        shortest_password: passwords::MIN_LENGTH,
    })
}

/// Under which conditions a person can sign up, for the pages of both ways.
pub(super) struct Conditions {
    /// Reason why the person cannot sign up, if there is one.
    pub(super) closed: Option<String>,
    /// Sentences about the invite, if it is not valid.
    pub(super) lost_invite: Option<String>,
    /// The invite, if it is valid. The form goes on without one that is lost.
    pub(super) invite_code: Option<String>,
    /// The given problems, without what the sentences about the invite say.
    pub(super) problems: Vec<String>,
    /// `true` if the staff approve the account.
    pub(super) approval: bool,
    pub(super) rules: Vec<Rule>,
}

impl Conditions {
    /// Loads the conditions for the person who sent a request.
    pub(super) async fn load(
        request: &HttpRequest,
        app: &App,
        way: Way,
        invite_code: Option<String>,
        problems: Vec<String>,
    ) -> Result<Self> {
        let (settings, address, now) = (app.settings(), address::of(request), app.now());
        let code = invite_code.clone();
        let read = move |conn: &mut Conn| {
            let code = code.as_deref();
            let admission = match sign_up::admit(conn, &settings, way, address, code, now) {
                Err(Domain::Forbidden(reason)) => Err(reason),
                other => Ok(other?),
            };
            Ok((admission, has_lost_invite(conn, code, now)?, rules::list(conn)?))
        };
        let (admission, is_lost, rules) = app.read(read).await?;
        let problems = problems.into_iter().filter(|words| !is_lost || words != NO_LONGER_VALID);
        Ok(Self {
            lost_invite: if is_lost { about_lost_invite(&admission) } else { None },
            invite_code: invite_code.filter(|_| !is_lost),
            problems: problems.collect(),
            approval: admission.as_ref().is_ok_and(Admission::needs_approval),
            closed: admission.err().map(|reason| reason.trim_end_matches('.').to_owned()),
            rules,
        })
    }
}

/// Admits a person at this address who sent the form of a sign-up.
///
/// # Errors
/// [`Domain::Forbidden`] as in [`sign_up::admit`], and for an invite that is lost: the page says so
/// first, and its form then has no code.
pub(super) async fn admit(
    app: &App,
    settings: &Arc<Settings>,
    way: Way,
    address: IpAddr,
    invite_code: Option<String>,
) -> Result<Admission> {
    let (settings, now) = (Arc::clone(settings), app.now());
    let read = move |conn: &mut Conn| {
        let code = invite_code.as_deref();
        let admission = sign_up::admit(conn, &settings, way, address, code, now)?;
        if has_lost_invite(conn, code, now)? {
            return Err(Domain::forbidden(NO_LONGER_VALID));
        }
        Ok(admission)
    };
    Ok(app.read(read).await?)
}

/// Returns `true` if the code is that of no valid invite.
fn has_lost_invite(conn: &mut Conn, code: Option<&str>, now: Timestamp) -> Result<bool, Domain> {
    code.map_or(Ok(false), |code| Ok(!invites::is_valid(conn, code, now)?))
}

/// Returns what a person with an invite that is not valid can do. `None` if the reason why
/// registrations are closed says it already.
fn about_lost_invite(admission: &Result<Admission, String>) -> Option<String> {
    let rest = match admission {
        Ok(admission) if admission.needs_approval() => {
            " You can ask for an account without it: the staff decides then."
        }
        Ok(_) => " You can sign up without it.",
        Err(reason) if reason == NO_LONGER_VALID => return None,
        Err(_) => "",
    };
    Some(format!("{NO_LONGER_VALID}.{rest}"))
}

async fn show_form(
    request: HttpRequest,
    app: web::Data<App>,
    browser: Browser,
    PageForm(params): PageForm<ReturnToParams>,
    PageForm(invite): PageForm<InviteParams>,
) -> Result<HttpResponse, PageError> {
    let return_to = params.page_or_remembered(&request);
    let origin = Origin { invite_code: invite.code(), return_to };
    let form = SignUpForm::default();
    let page = page(&request, &app, &browser, form, origin, Vec::new()).await?;
    auth::with_visitor(&request, &browser, show(StatusCode::OK, &page)?)
}

async fn create_account(
    request: HttpRequest,
    app: web::Data<App>,
    posted: Posted,
) -> Result<HttpResponse, PageError> {
    let form: SignUpForm = posted.decode()?;
    let origin = Origin {
        invite_code: posted.decode::<InviteParams>()?.code(),
        return_to: posted.decode::<ReturnToParams>()?.page(),
    };
    let settings = app.settings();
    match sign_up(&request, &app, &settings, form.clone(), origin.clone()).await {
        Ok(account) => welcome(&request, &app, &settings, posted, &account, origin.return_to).await,
        Err(error) => {
            let problems = match error.domain() {
                Domain::InvalidFields(fields) => said(fields).map(ToString::to_string).collect(),
                Domain::Forbidden(reason) => vec![reason.clone()],
                Domain::TooMany(_) => vec![TOO_OFTEN.to_owned()],
                _ => return Err(error.into()),
            };
            let page = page(&request, &app, &posted.browser, form, origin, problems).await?;
            Ok(show(error.status_code(), &page)?)
        }
    }
}

async fn sign_up(
    request: &HttpRequest,
    app: &App,
    settings: &Arc<Settings>,
    form: SignUpForm,
    origin: Origin,
) -> Result<Created> {
    let Origin { invite_code, return_to } = origin;
    if invite_code.is_none() {
        sign_up::require_open(settings)?;
    }
    let address = address::of(request);
    limits::spend(request, Budget::SignUp, Subject::address(address))?;
    let admission = admit(app, settings, Way::Form, address, invite_code).await?;
    let sign_up_params = SignUp {
        username: form.username,
        email: form.email,
        password: Some(form.password),
        person: None,
        arrived_at: None,
        agreement: form.agreement,
        locale: None,
        reason: Some(form.reason),
        ip: Some(address.to_string()),
        application: None,
        scopes: String::new(),
        return_to: return_to.map(ReturnTo::into_text),
    };
    let (instance, settings) = (app.instance().clone(), Arc::clone(settings));
    let prepare = move || sign_up::prepare(&instance, &settings, admission, sign_up_params);
    let prepared = limits::spend_mail_of(request, hashing::run(prepare).await?)?;
    let mail_servers = app.mail_servers(prepared.email()).await?;
    let create = move |tx: &mut Tx<'_>| sign_up::create_account(tx, &prepared, &mail_servers);
    Ok(app.write(create).await??)
}

/// Signs the person in, or shows the steps that are still missing.
async fn welcome(
    request: &HttpRequest,
    app: &App,
    settings: &Settings,
    posted: Posted,
    account: &Created,
    return_to: Option<ReturnTo>,
) -> Result<HttpResponse, PageError> {
    if account.state.reachable {
        return auth::begin(request, app, account.id, posted.browser.session(), return_to).await;
    }
    let frame = Frame::of(app, &posted.browser, "Almost there");
    let words = match (settings.email_confirmation, &frame.no_mail) {
        (true, None) => {
            "We sent you an email with a link. Open the link to confirm that the address is yours."
                .to_owned()
        }
        (true, Some(no_mail)) => {
            format!("Your email address is not confirmed yet. {no_mail}")
        }
        (false, _) => {
            "The staff will review your request. You can sign in as soon as it is approved."
                .to_owned()
        }
    };
    Ok(Notice::then_sign_in(frame, words, return_to.as_ref()).show()?)
}
