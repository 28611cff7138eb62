//! `/auth/external_sign_up`: the rest of a sign-up after a sign-in at an external provider.

use actix_web::{
    HttpRequest, HttpResponse, ResponseError as _,
    http::StatusCode,
    web::{self, Data},
};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::Rule;
use siskin_persistence::Tx;
use siskin_policy::sign_up::Way;
use siskin_services::{
    Error as Domain,
    accounts::{
        Created,
        sign_up::{self, verified_email},
    },
    external_login::{ExternalSignUp, Newcomer, open_newcomer, sign_up_params, suggested_username},
    sign_in,
};

use super::{Failure, TRY_AGAIN, start_path, without_cookie};
use crate::{
    Result, address,
    browser::{self, Browser, Kind, Posted, ReturnTo},
    limits::{self, Budget, Subject},
    pages::{Frame, Notice, PageError, SIGN_IN, go_to, said, show},
    routes::{
        auth,
        sign_up::{Conditions, admit},
    },
    table::Table,
};

const PAGE: &str = "/auth/external_sign_up";
const TOO_OFTEN: &str =
    "Too many accounts were created from your address. Try again in half an hour.";

pub(super) fn configure(table: &mut Table) {
    table.route(PAGE, web::get().to(show_form)).route(PAGE, web::post().to(create_account));
}

/// Leads a person with this cookie to the form.
pub(super) fn lead_to_form(
    request: &HttpRequest,
    app: &App,
    cookie: String,
) -> Result<HttpResponse, PageError> {
    let mut response = go_to(&app.urls().page(PAGE));
    let cookie = browser::set(request, Kind::Newcomer, cookie);
    response.add_cookie(&cookie).map_err(Domain::internal)?;
    Ok(response)
}

#[derive(Template)]
#[template(path = "external_sign_up.html")]
struct ExternalSignUpPage {
    frame: Frame,
    provider: String,
    /// Reason why the person cannot sign up, if there is one.
    closed: Option<String>,
    /// Sentences about the invite, if it is not valid.
    lost_invite: Option<String>,
    problems: Vec<String>,
    rules: Vec<Rule>,
    approval: bool,
    form: Form,
    /// The address that the provider has verified.
    verified_email: Option<String>,
    /// `true` if people can sign in with a password, so that they may have an account already.
    passwords: bool,
    domain: String,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct Form {
    username: String,
    email: String,
    reason: String,
    agreement: bool,
    /// The invite that the page offered to use.
    invite_code: Option<String>,
}

impl Form {
    /// Returns the form for a newcomer, with what the provider tells.
    fn of(newcomer: &Newcomer) -> Self {
        Self {
            username: suggested_username(&newcomer.person),
            email: newcomer.person.email.clone().unwrap_or_default(),
            invite_code: newcomer.invite_code.clone(),
            ..Self::default()
        }
    }

    /// Returns the form with no other invite than that with which the person came.
    fn with_invite_of(self, newcomer: &Newcomer) -> Self {
        let invite_code =
            self.invite_code.filter(|code| newcomer.invite_code.as_ref() == Some(code));
        Self { invite_code, ..self }
    }
}

/// Returns the person who signed in at a provider with this browser.
async fn newcomer(request: &HttpRequest, app: &App) -> Result<Option<Newcomer>> {
    let Some(sealed) = browser::get(request, Kind::Newcomer) else { return Ok(None) };
    let now = app.now();
    let found = app.read(move |conn| open_newcomer(conn, &sealed, now)).await?;
    // The operator may have removed the provider meanwhile.
    Ok(found.filter(|newcomer| name_of(app, &newcomer.provider).is_some()))
}

fn name_of(app: &App, id: &str) -> Option<String> {
    let provider = app.providers().find(|provider| provider.id == id);
    provider.map(|provider| provider.name.clone())
}

async fn page(
    request: &HttpRequest,
    app: &App,
    browser: &Browser,
    newcomer: &Newcomer,
    form: Form,
    problems: Vec<String>,
) -> Result<ExternalSignUpPage> {
    let code = form.invite_code.clone();
    let conditions = Conditions::load(request, app, Way::Provider, code, problems).await?;
    let Conditions { closed, lost_invite, invite_code, problems, approval, rules } = conditions;
    Ok(ExternalSignUpPage {
        frame: Frame::of(app, browser, "Create an account"),
        provider: name_of(app, &newcomer.provider).unwrap_or_default(),
        closed,
        lost_invite,
        problems,
        rules,
        approval,
        form: Form { invite_code, ..form },
        verified_email: verified_email(&newcomer.person).map(str::to_owned),
        passwords: sign_in::require_passwords(&app.settings()).is_ok(),
        domain: app.urls().domain().to_owned(),
    })
}

async fn show_form(
    request: HttpRequest,
    app: Data<App>,
    browser: Browser,
) -> Result<HttpResponse, PageError> {
    let Some(newcomer) = newcomer(&request, &app).await? else {
        return Ok(go_to(&app.urls().page(SIGN_IN)));
    };
    let form = Form::of(&newcomer);
    let page = page(&request, &app, &browser, &newcomer, form, Vec::new()).await?;
    auth::with_visitor(&request, &browser, show(StatusCode::OK, &page)?)
}

async fn create_account(
    request: HttpRequest,
    app: Data<App>,
    posted: Posted,
) -> Result<HttpResponse, PageError> {
    let form: Form = posted.decode()?;
    let Some(newcomer) = newcomer(&request, &app).await? else {
        return Err(over());
    };
    let form = form.with_invite_of(&newcomer);
    match sign_up(&request, &app, newcomer.clone(), form.clone()).await {
        Ok(account) => {
            let welcome = welcome(&request, &app, &posted, &newcomer, &account).await;
            without_cookie(&request, welcome, Kind::Newcomer)
        }
        Err(error) => {
            let problems = match error.domain() {
                Domain::InvalidFields(fields) => said(fields).map(ToString::to_string).collect(),
                Domain::Forbidden(reason) => vec![reason.clone()],
                Domain::TooMany(_) => vec![TOO_OFTEN.to_owned()],
                Domain::Conflict(reason) => {
                    let words = format!("{reason}.");
                    let failure = Failure::new(
                        error.status_code(),
                        "You have an account here already",
                        words,
                    );
                    let again = start_path(&newcomer.provider, None, None);
                    let shown = failure.show(&app, &posted.browser, again, TRY_AGAIN);
                    return without_cookie(&request, shown, Kind::Newcomer);
                }
                _ => return Err(error.into()),
            };
            let page = page(&request, &app, &posted.browser, &newcomer, form, problems).await?;
            Ok(show(error.status_code(), &page)?)
        }
    }
}

/// The person signed in at the provider too long ago, or has finished the sign-up already.
fn over() -> PageError {
    PageError::with_message(
        StatusCode::BAD_REQUEST,
        "This sign-up is over",
        "It took too long, or was finished already. Sign in at the provider again.",
    )
}

async fn sign_up(
    request: &HttpRequest,
    app: &App,
    newcomer: Newcomer,
    form: Form,
) -> Result<Created> {
    let client = address::of(request);
    limits::spend(request, Budget::SignUp, Subject::address(client))?;
    let settings = app.settings();
    let Form { username, email, reason, agreement, invite_code } = form;
    let admission = admit(app, &settings, Way::Provider, client, invite_code).await?;
    let typed = ExternalSignUp { username, email, agreement, reason };
    let params = sign_up_params(newcomer, typed, client.to_string());
    // Without a password, nothing is hashed.
    let prepared = sign_up::prepare(app.instance(), &settings, admission, params)?;
    let prepared = limits::spend_mail_of(request, prepared)?;
    let mail_servers = app.mail_servers(prepared.email()).await?;
    let create = move |tx: &mut Tx<'_>| sign_up::create_account(tx, &prepared, &mail_servers);
    Ok(app.write(create).await??)
}

/// Signs the person in, or shows the steps that are still missing.
async fn welcome(
    request: &HttpRequest,
    app: &App,
    posted: &Posted,
    newcomer: &Newcomer,
    account: &Created,
) -> Result<HttpResponse, PageError> {
    let return_to = newcomer.return_to.as_deref().and_then(ReturnTo::parse);
    if account.state.reachable {
        let former = posted.browser.session();
        return auth::begin(request, app, account.id, former, return_to).await;
    }
    let frame = Frame::of(app, &posted.browser, "Almost there");
    let must_confirm =
        app.settings().email_confirmation && verified_email(&newcomer.person).is_none();
    let words = match (must_confirm, &frame.no_mail) {
        (true, None) => {
            "We sent you an email with a link. Open the link to confirm that the address is yours."
                .to_owned()
        }
        (true, Some(no_mail)) => format!("Your email address is not confirmed yet. {no_mail}"),
        (false, _) => {
            "The staff will review your request. You can sign in as soon as it is approved."
                .to_owned()
        }
    };
    Ok(Notice::then_sign_in(frame, words, return_to.as_ref()).show()?)
}
