//! `POST /oauth/token`.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::settings::RequiredFor;
use siskin_ids::AccountId;
use siskin_policy::second_factor::is_required;
use siskin_services::{
    Error as Domain,
    authentication::authority,
    oauth::{self, ClientSecret, Fault, Grant, Outcome, Refusal, TokenRequest},
    sign_in,
};
use siskin_wire::oauth::render_token;

use super::{client, forbid_caching, refusal_response};
use crate::{
    Error, Result, address, hashing,
    limits::{self, Budget, Subject},
    params::{self, Params},
};

const UNREADABLE: Refusal = Refusal::new(Fault::InvalidRequest, "The request cannot be read");
const NO_GRANT: Refusal = Refusal::new(Fault::InvalidRequest, "grant_type is missing");
const UNKNOWN_GRANT: Refusal =
    Refusal::new(Fault::UnsupportedGrantType, "The grant_type is not supported here");
const NO_CODE: Refusal =
    Refusal::new(Fault::InvalidRequest, "code and redirect_uri are both needed");
const NO_PASSWORD: Refusal =
    Refusal::new(Fault::InvalidRequest, "username and password are both needed");
const WRONG_PASSWORD: Refusal =
    Refusal::new(Fault::InvalidGrant, "The user name or the password is wrong");
/// The grant has no field for a code, and must not make the password sufficient.
const NEEDS_BROWSER: Refusal = Refusal::new(
    Fault::InvalidGrant,
    "The account has or needs a second factor, so the user must authorize the client in a browser",
);
const SIGN_IN_FORBIDDEN: Refusal =
    Refusal::new(Fault::InvalidGrant, "The login is disabled, or awaits confirmation or approval");

#[derive(Deserialize)]
struct TokenForm {
    grant_type: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
    code: Option<String>,
    redirect_uri: Option<String>,
    code_verifier: Option<String>,
    scope: Option<String>,
    username: Option<String>,
    password: Option<String>,
}

/// A request with a password that is still to be checked, if it has one.
struct PendingTokenRequest {
    client: Option<ClientSecret>,
    grant: PendingGrant,
}

enum PendingGrant {
    Ready(Grant),
    Password(Password),
}

struct Password {
    username: String,
    password: String,
    scope: Option<String>,
}

pub(super) async fn issue(
    request: HttpRequest,
    app: web::Data<App>,
    params: Result<Params, params::Error>,
) -> Result<HttpResponse> {
    let token_request = match read(&request, &app, params) {
        Ok(token_request) => token_request,
        Err(refusal) => return Ok(refusal_response(refusal)),
    };
    let grant = match token_request.grant {
        PendingGrant::Ready(grant) => {
            // These tokens need no account, and each inserts a row.
            if let Grant::ClientCredentials { .. } = grant {
                let subject = Subject::address(address::of(&request));
                limits::spend(&request, Budget::AppToken, subject)?;
            }
            grant
        }
        PendingGrant::Password(Password { username, password, scope }) => {
            match check_password(&request, &app, username, password).await? {
                Ok(account) => Grant::Password { account, scope },
                Err(refusal) => return Ok(refusal_response(refusal)),
            }
        }
    };
    let token_request = TokenRequest { client: token_request.client, grant };
    Ok(match app.write(move |tx| oauth::exchange(tx, &token_request)).await? {
        Ok(issued) => {
            let mut response = HttpResponse::Ok();
            forbid_caching(&mut response);
            response.json(render_token(&issued.token, &issued.scopes, issued.created_at))
        }
        Err(refusal) => refusal_response(refusal),
    })
}

fn read(
    request: &HttpRequest,
    app: &App,
    params: Result<Params, params::Error>,
) -> Outcome<PendingTokenRequest> {
    let form: TokenForm = params.and_then(|params| params.decode()).map_err(|_| UNREADABLE)?;
    let client = client::credentials(request, form.client_id, form.client_secret)?;
    let grant = match form.grant_type.as_deref() {
        None | Some("") => return Err(NO_GRANT),
        Some("authorization_code") => PendingGrant::Ready(Grant::Code {
            code: form.code.ok_or(NO_CODE)?,
            redirect_uri: form.redirect_uri.ok_or(NO_CODE)?,
            verifier: form.code_verifier.filter(|verifier| !verifier.is_empty()),
        }),
        Some("client_credentials") => {
            PendingGrant::Ready(Grant::ClientCredentials { scope: form.scope })
        }
        Some("password") if sign_in::allows_password_grant(&app.settings()) => {
            PendingGrant::Password(Password {
                username: form.username.ok_or(NO_PASSWORD)?,
                password: form.password.ok_or(NO_PASSWORD)?,
                scope: form.scope,
            })
        }
        Some(_) => return Err(UNKNOWN_GRANT),
    };
    Ok(PendingTokenRequest { client, grant })
}

/// Returns `true` if the user of this account must set up a second factor.
async fn needs_second_factor(app: &App, account: AccountId) -> Result<bool> {
    let required_for = app.settings().second_factor_required_for;
    if required_for == RequiredFor::None {
        return Ok(false);
    }
    let authority = app.read(move |conn| authority(conn, account)).await?;
    Ok(is_required(required_for, authority.permissions.are_of_staff()))
}

/// Checks the password and returns the account that it belongs to.
async fn check_password(
    request: &HttpRequest,
    app: &web::Data<App>,
    username: String,
    password: String,
) -> Result<Outcome<AccountId>> {
    limits::spend_sign_in(request, app, &username)?;
    let instance = app.instance().clone();
    let candidate = app.read(move |conn| sign_in::find(conn, &instance, &username)).await?;
    let verified = hashing::run(move || {
        let has_second_factor = candidate.has_second_factor();
        candidate.verify(&password).map(|account| (account, has_second_factor))
    });
    match verified.await {
        Ok((_, true)) => Ok(Err(NEEDS_BROWSER)),
        Ok((account, false)) if needs_second_factor(app, account).await? => Ok(Err(NEEDS_BROWSER)),
        Ok((account, false)) => Ok(Ok(account)),
        Err(Domain::Unauthenticated(_)) => Ok(Err(WRONG_PASSWORD)),
        Err(Domain::Forbidden(_)) => Ok(Err(SIGN_IN_FORBIDDEN)),
        Err(error) => Err(Error::from(error)),
    }
}
