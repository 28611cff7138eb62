//! First half of the authorization code flow: the request of an application, and the code that it
//! gets.

use std::time::Duration;

use siskin_entities::Application;
use siskin_ids::{AccountId, SessionId};
use siskin_persistence::{
    Conn, Tx, accounts, applications,
    codes::{self, Code},
    sessions,
};
use siskin_policy::scopes::Scopes;

use super::{Challenge, Fault, InvalidChallenge, Outcome, RedirectUri, Refusal, scope};
use crate::{Error, Result, secrets};

/// How long a code can be exchanged (RFC 6749, 4.1.2, recommends at most ten minutes).
const CODE_LIFETIME: Duration = Duration::from_secs(600);
/// Maximum length of `state`. A longer one would not fit into the URLs that carry it.
const MAX_STATE: usize = 2000;

/// Parameters of an authorization request, as sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuthorizationParams {
    pub response_type: Option<String>,
    pub client_id: Option<String>,
    pub redirect_uri: Option<String>,
    pub scope: Option<String>,
    pub state: Option<String>,
    pub code_challenge: Option<String>,
    pub code_challenge_method: Option<String>,
}

/// Checked request, ready to be shown to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorization {
    pub application: Application,
    pub redirect_uri: RedirectUri,
    pub scopes: Scopes,
    /// Returned to the application with the response.
    pub state: Option<String>,
    pub challenge: Option<Challenge>,
}

/// Result of checking a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    Valid(Box<Authorization>),
    /// The application or the redirect URI is not trustworthy. Only the user sees the error, and
    /// the application gets no response (RFC 6749, 4.1.2.1). Contains the message for the user.
    Untrusted(&'static str),
    /// The application gets the error.
    Refused {
        redirect_uri: RedirectUri,
        refusal: Refusal,
        state: Option<String>,
    },
}

/// Checks a request. Callers must check the displayed request again when the user agrees.
///
/// # Errors
/// Storage errors only.
pub fn check(conn: &mut Conn, requested: &AuthorizationParams) -> Result<Checked> {
    let client_id = requested.client_id.as_deref().unwrap_or_default();
    let Some(client) = applications::find_client(conn, client_id)? else {
        return Ok(Checked::Untrusted(
            "This server does not know this application. It may have been removed, or the link \
             that you followed is broken.",
        ));
    };
    let application = client.application;
    let Some(redirect_uri) = redirect_uri(&application, requested.redirect_uri.as_deref()) else {
        return Ok(Checked::Untrusted(
            "The application asked to send you to an address that it did not register. To protect \
             your account, nothing was sent there.",
        ));
    };
    let state = requested.state.clone().filter(|state| state.len() <= MAX_STATE);
    Ok(match grantable(&application, requested)? {
        Ok((scopes, challenge)) => {
            let valid = Authorization { application, redirect_uri, scopes, state, challenge };
            Checked::Valid(Box::new(valid))
        }
        Err(refusal) => Checked::Refused { redirect_uri, refusal, state },
    })
}

/// Returns the redirect URI of the request if the application registered exactly this one.
fn redirect_uri(application: &Application, requested: Option<&str>) -> Option<RedirectUri> {
    let registered =
        application.redirect_uris.iter().find(|uri| Some(uri.as_str()) == requested)?;
    RedirectUri::parse(registered).ok()
}

fn grantable(
    application: &Application,
    requested: &AuthorizationParams,
) -> Result<Outcome<(Scopes, Option<Challenge>)>> {
    let refuse = |fault, description| Ok(Err(Refusal::new(fault, description)));
    match requested.response_type.as_deref() {
        Some("code") => {}
        None | Some("") => return refuse(Fault::InvalidRequest, "response_type is missing"),
        Some(_) => {
            return refuse(Fault::UnsupportedResponseType, "response_type must be code");
        }
    }
    if requested.state.as_ref().is_some_and(|state| state.len() > MAX_STATE) {
        return refuse(Fault::InvalidRequest, "state is too long");
    }
    let challenge = match challenge(requested) {
        Ok(challenge) => challenge,
        Err(InvalidChallenge::Method) => {
            return refuse(Fault::InvalidRequest, "code_challenge_method must be S256");
        }
        Err(InvalidChallenge::Form) => {
            return refuse(Fault::InvalidRequest, "code_challenge is not an S256 challenge");
        }
        // The client intended to send a challenge. Without one its code would be unprotected.
        Err(InvalidChallenge::Missing) => {
            return refuse(Fault::InvalidRequest, "code_challenge is missing");
        }
    };
    let scopes = scope::granted(requested.scope.as_deref(), &application.scopes)?;
    Ok(scopes.map(|scopes| (scopes, challenge)))
}

fn challenge(
    requested: &AuthorizationParams,
) -> std::result::Result<Option<Challenge>, InvalidChallenge> {
    let method = requested.code_challenge_method.as_deref();
    match (requested.code_challenge.as_deref(), method) {
        (None | Some(""), None | Some("")) => Ok(None),
        (None | Some(""), Some(_)) => Err(InvalidChallenge::Missing),
        (Some(challenge), method) => Challenge::parse(challenge, method).map(Some),
    }
}

/// Creates an authorization code for the application on behalf of the user who agreed. Returns the
/// code.
///
/// # Errors
/// [`Error::Unauthenticated`] if the session has ended meanwhile.
pub fn approve(
    tx: &mut Tx<'_>,
    account: AccountId,
    session: SessionId,
    granted: &Authorization,
) -> Result<String> {
    accounts::lock(tx, &[account])?;
    if !sessions::exists(tx, account, session)? {
        return Err(Error::Unauthenticated("The session has ended".to_owned()));
    }
    let code = secrets::generate();
    let row = Code {
        application: granted.application.id,
        account,
        redirect_uri: granted.redirect_uri.as_str().to_owned(),
        scopes: granted.scopes.to_string(),
        challenge: granted.challenge.as_ref().map(|challenge| challenge.as_str().to_owned()),
        expires_at: tx.now().after(CODE_LIFETIME),
    };
    codes::insert(tx, &secrets::hash(&code), &row)?;
    Ok(code)
}
