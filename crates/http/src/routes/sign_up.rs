//! `/auth/sign_up`: registration in a browser.

use actix_web::{HttpRequest, HttpResponse, ResponseError as _, http::StatusCode, web};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{Rule, Settings, settings::Registrations};
use siskin_services::{
    Error as Domain,
    accounts::{
        Created,
        sign_up::{self, SignUp},
    },
    passwords, rules,
};

use super::auth;
use crate::{
    Result, address,
    browser::{Browser, Posted, ReturnTo, ReturnToParams},
    hashing,
    limits::{self, Budget, Subject},
    pages::{Frame, Notice, PageError, PageForm, show},
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
    problems: Vec<String>,
    rules: Vec<Rule>,
    approval: bool,
    form: SignUpForm,
    return_to: Option<ReturnTo>,
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

async fn page(
    app: &App,
    browser: &Browser,
    form: SignUpForm,
    return_to: Option<ReturnTo>,
    problems: Vec<String>,
) -> Result<SignUpPage> {
    let settings = app.settings();
    let closed = sign_up::require_open(&settings).err();
    Ok(SignUpPage {
        frame: Frame::of(app, browser, "Create an account"),
        closed: closed.map(|error| error.to_string().trim_end_matches('.').to_owned()),
        problems,
        rules: app.read(rules::list).await?,
        approval: settings.registrations == Registrations::Approval,
        form,
        return_to,
        domain: app.urls().domain().to_owned(),
        shortest_password: passwords::MIN_LENGTH,
    })
}

async fn show_form(
    request: HttpRequest,
    app: web::Data<App>,
    browser: Browser,
    PageForm(params): PageForm<ReturnToParams>,
) -> Result<HttpResponse, PageError> {
    let return_to = params.page_or_remembered(&request);
    let page = page(&app, &browser, SignUpForm::default(), return_to, Vec::new()).await?;
    auth::with_visitor(&request, &browser, show(StatusCode::OK, &page)?)
}

async fn create_account(
    request: HttpRequest,
    app: web::Data<App>,
    posted: Posted,
) -> Result<HttpResponse, PageError> {
    let form: SignUpForm = posted.decode()?;
    let return_to = posted.decode::<ReturnToParams>()?.page();
    let settings = app.settings();
    match sign_up(&request, &app, &settings, form.clone(), return_to.clone()).await {
        Ok(account) => welcome(&request, &app, &settings, posted, &account, return_to).await,
        Err(error) => {
            let problems = match error.domain() {
                Domain::InvalidFields(fields) => fields.iter().map(ToString::to_string).collect(),
                Domain::Forbidden(_) => Vec::new(),
                Domain::TooMany(_) => vec![TOO_OFTEN.to_owned()],
                _ => return Err(error.into()),
            };
            let page = page(&app, &posted.browser, form, return_to, problems).await?;
            Ok(show(error.status_code(), &page)?)
        }
    }
}

async fn sign_up(
    request: &HttpRequest,
    app: &App,
    settings: &Settings,
    form: SignUpForm,
    return_to: Option<ReturnTo>,
) -> Result<Created> {
    sign_up::require_open(settings)?;
    let address = address::of(request);
    limits::spend(request, Budget::SignUp, Subject::address(address))?;
    let sign_up_params = SignUp {
        username: form.username,
        email: form.email,
        password: form.password,
        agreement: form.agreement,
        locale: None,
        reason: Some(form.reason),
        ip: Some(address.to_string()),
        application: None,
        scopes: String::new(),
        return_to: return_to.map(ReturnTo::into_text),
    };
    let (instance, settings) = (app.instance().clone(), settings.clone());
    let prepared =
        hashing::run(move || sign_up::prepare(&instance, &settings, sign_up_params)).await?;
    Ok(app.write(move |tx| sign_up::create_account(tx, &prepared)).await?)
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
        return auth::begin(request, app, account.id, posted.browser.signed_in, return_to).await;
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
