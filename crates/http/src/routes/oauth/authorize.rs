//! `/oauth/authorize`: asks a person whether an application may act for them.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::scopes::Scope;
use siskin_services::{
    oauth::{self, Authorization, AuthorizationParams, Checked, Fault, RedirectUri, Refusal},
    sessions::SignedIn,
};

use crate::{
    Result,
    browser::{self, Browser, Member, PostedMember, without_force_login},
    pages::{Frame, PageError, PageForm, go_to, show, show_with_form_target},
    table::Table,
};

/// Page that shows the code to people who copy it into the application by hand.
const NATIVE: &str = "/oauth/authorize/native";
const DENIED: Refusal = Refusal::new(Fault::AccessDenied, "The user denied the request");

pub(super) fn configure(table: &mut Table) {
    table
        .route("/oauth/authorize", web::get().to(show_consent))
        .route("/oauth/authorize", web::post().to(decide))
        .route(NATIVE, web::get().to(show_code));
}

/// The parameters of a request. RFC 6749 and RFC 7636 define their names.
#[derive(Clone, Deserialize)]
struct AuthorizeForm {
    response_type: Option<String>,
    client_id: Option<String>,
    redirect_uri: Option<String>,
    scope: Option<String>,
    state: Option<String>,
    code_challenge: Option<String>,
    code_challenge_method: Option<String>,
    #[serde(default)]
    force_login: bool,
    /// The choice of the person on the consent page.
    decision: Option<String>,
}

impl From<AuthorizeForm> for AuthorizationParams {
    fn from(form: AuthorizeForm) -> Self {
        Self {
            response_type: form.response_type,
            client_id: form.client_id,
            redirect_uri: form.redirect_uri,
            scope: form.scope,
            state: form.state,
            code_challenge: form.code_challenge,
            code_challenge_method: form.code_challenge_method,
        }
    }
}

/// Shows the consent page. An untrusted request gets an error page at once. The server redirects to
/// an application only after sign-in (RFC 9700, 4.11.2). Otherwise an attacker could register an
/// application and get a link to this server that leads to any other.
async fn show_consent(
    request: HttpRequest,
    app: web::Data<App>,
    browser: Browser,
    PageForm(form): PageForm<AuthorizeForm>,
) -> Result<HttpResponse, PageError> {
    let force_login = form.force_login;
    let checked = check(&app, form.into()).await?;
    match &browser.signed_in {
        Some(signed_in) if !force_login => {
            if browser::must_set_up(&app, signed_in) {
                return Err(PageError::set_up_first(&request));
            }
        }
        _ => return Err(PageError::sign_in_first(&request)),
    }
    let granted = match checked {
        Ok(granted) => granted,
        Err(response) => return Ok(response),
    };
    Ok(consent(&request, &app, &browser, &granted)?)
}

/// Returns the request if it can be granted, or the response to one that cannot.
async fn check(
    app: &web::Data<App>,
    asked: AuthorizationParams,
) -> Result<Result<Authorization, HttpResponse>, PageError> {
    match app.read(move |conn| oauth::check(conn, &asked)).await? {
        Checked::Valid(granted) => Ok(Ok(*granted)),
        Checked::Untrusted(message) => Err(not_granted(message)),
        Checked::Refused { redirect_uri, refusal, state } => {
            Ok(Err(refuse(&redirect_uri, refusal, state.as_deref())?))
        }
    }
}

fn not_granted(message: &str) -> PageError {
    PageError::with_message(StatusCode::BAD_REQUEST, "This request cannot be granted", message)
}

/// Reports an error to the application (RFC 6749, 4.1.2.1), or to the person if there is no address
/// to redirect to.
fn refuse(
    redirect_uri: &RedirectUri,
    refusal: Refusal,
    state: Option<&str>,
) -> Result<HttpResponse, PageError> {
    let Refusal { fault, description } = refusal;
    if redirect_uri.is_out_of_band() {
        return Err(not_granted(&format!("{description} ({}).", fault.code())));
    }
    let params = [("error", fault.code()), ("error_description", description)];
    Ok(redirect_back(redirect_uri, &params, state))
}

fn redirect_back(
    redirect_uri: &RedirectUri,
    params: &[(&str, &str)],
    state: Option<&str>,
) -> HttpResponse {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(params).extend_pairs(state.map(|state| ("state", state)));
    // A plus sign means a space only in this encoding, and some clients read it as a plus.
    go_to(&redirect_uri.with_query(&query.finish().replace('+', "%20")))
}

#[derive(Template)]
#[template(path = "consent.html")]
struct ConsentPage<'a> {
    frame: Frame,
    application: &'a str,
    website: Option<&'a str>,
    scopes: Vec<Scope>,
    /// `true` if scopes for moderation or administration are requested.
    staff: bool,
    /// Text about what happens after the person agrees.
    afterwards: String,
    /// The request again: it is checked again when the person agrees.
    request: Vec<(&'static str, String)>,
    /// Address of the same request after signing in to another account.
    elsewhere: String,
}

fn consent(
    request: &HttpRequest,
    app: &App,
    browser: &Browser,
    granted: &Authorization,
) -> Result<HttpResponse> {
    let scopes: Vec<Scope> = granted.scopes.iter().collect();
    let page = ConsentPage {
        frame: Frame::of(app, browser, "Authorise an application"),
        application: &granted.application.name,
        website: granted.application.website.as_deref(),
        staff: scopes.iter().any(|scope| scope.as_str().starts_with("admin:")),
        scopes,
        afterwards: afterwards(&granted.redirect_uri),
        request: request_fields(granted),
        elsewhere: format!(
            "{}?{}&force_login=true",
            request.path(),
            without_force_login(request.query_string())
        ),
    };
    show_with_form_target(StatusCode::OK, &page, &granted.redirect_uri.source())
}

fn afterwards(redirect_uri: &RedirectUri) -> String {
    if redirect_uri.is_out_of_band() {
        "After you agree, you will see a code to paste into the application.".to_owned()
    } else {
        let source = redirect_uri.source();
        let destination = source.split_once("://").map_or_else(
            || format!("the application that opens {source} links"),
            |(_, host)| host.to_owned(),
        );
        format!("After you agree, you will be sent to {destination}.")
    }
}

fn request_fields(granted: &Authorization) -> Vec<(&'static str, String)> {
    let challenge = granted.challenge.as_ref().map(|challenge| challenge.as_str().to_owned());
    let method = challenge.as_ref().map(|_| "S256".to_owned());
    [
        ("response_type", Some("code".to_owned())),
        ("client_id", Some(granted.application.client_id.clone())),
        ("redirect_uri", Some(granted.redirect_uri.to_string())),
        ("scope", Some(granted.scopes.to_string())),
        ("state", granted.state.clone()),
        ("code_challenge", challenge),
        ("code_challenge_method", method),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect()
}

/// Handles the decision of the person. A form without a decision was sent by its default button,
/// which agrees. An unknown decision counts as a denial.
async fn decide(app: web::Data<App>, form: PostedMember) -> Result<HttpResponse, PageError> {
    let asked: AuthorizeForm = form.posted.decode()?;
    let agreed = asked.decision.as_deref().unwrap_or("agree") == "agree";
    let granted = match check(&app, asked.into()).await? {
        Ok(granted) => granted,
        Err(response) => return Ok(response),
    };
    if !agreed {
        return refuse(&granted.redirect_uri, DENIED, granted.state.as_deref());
    }
    let (redirect_uri, state) = (granted.redirect_uri.clone(), granted.state.clone());
    let SignedIn { account, session, .. } = form.signed_in;
    let code = app.write(move |tx| oauth::approve(tx, account, session, &granted)).await?;
    if redirect_uri.is_out_of_band() {
        return Ok(go_to(&app.urls().page(&format!("{NATIVE}?code={code}"))));
    }
    Ok(redirect_back(&redirect_uri, &[("code", &code)], state.as_deref()))
}

#[derive(Template)]
#[template(path = "code.html")]
struct CodePage<'a> {
    frame: Frame,
    code: &'a str,
}

#[derive(Deserialize)]
struct CodeQuery {
    #[serde(default)]
    code: String,
}

/// Shows a code to the person who agreed. It does not show a text that cannot be a code of this
/// server.
async fn show_code(
    app: web::Data<App>,
    member: Member,
    PageForm(CodeQuery { code }): PageForm<CodeQuery>,
) -> Result<HttpResponse, PageError> {
    let plausible = code.len() == 43
        && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if !plausible {
        return Err(not_granted("This address contains no authorisation code."));
    }
    let frame = Frame::of(&app, &member.browser, "Almost done");
    Ok(show(StatusCode::OK, &CodePage { frame, code: &code })?)
}
