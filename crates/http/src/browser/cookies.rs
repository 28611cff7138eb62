//! The cookies of this server. Scripts cannot read them, and other sites do not send them along
//! with forms. If the server is reached by https, browsers send them over https only.

use actix_web::{
    HttpRequest,
    cookie::{Cookie, SameSite, time::Duration},
};
use siskin_policy::{
    external_login::{FLOW_PERIOD, PROOF_PERIOD, SIGN_UP_PERIOD},
    second_factor::SIGN_IN_PERIOD,
};
use siskin_services::sessions::IDLE_LIFETIME;

use crate::serving::is_secure;

/// The purpose of a cookie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Token of a session.
    Session,
    /// Secret behind the CSRF tokens of forms that are shown before sign-in.
    Visitor,
    /// Page to return to after signing in.
    ReturnTo,
    /// Secret of a sign-in that waits for a code, after the password was correct.
    PendingSignIn,
    /// A sign-in at an external provider that is not finished, encrypted.
    ExternalFlow,
    /// A person who signed in at an external provider and has no account here, encrypted.
    Newcomer,
    /// Proof that a person has just signed in at an external provider once more, encrypted.
    ExternalProof,
}

impl Kind {
    /// Returns the name of the cookie. Only this very host can set a name that begins with
    /// `__Host-`, and browsers accept such a name for secure cookies only.
    const fn name(self, secure: bool) -> &'static str {
        match (self, secure) {
            (Self::Session, true) => "__Host-siskin_session",
            (Self::Session, false) => "siskin_session",
            (Self::Visitor, true) => "__Host-siskin_visitor",
            (Self::Visitor, false) => "siskin_visitor",
            (Self::ReturnTo, true) => "__Host-siskin_return_to",
            (Self::ReturnTo, false) => "siskin_return_to",
            (Self::PendingSignIn, true) => "__Host-siskin_sign_in",
            (Self::PendingSignIn, false) => "siskin_sign_in",
            (Self::ExternalFlow, true) => "__Host-siskin_external",
            (Self::ExternalFlow, false) => "siskin_external",
            (Self::Newcomer, true) => "__Host-siskin_newcomer",
            (Self::Newcomer, false) => "siskin_newcomer",
            (Self::ExternalProof, true) => "__Host-siskin_proof",
            (Self::ExternalProof, false) => "siskin_proof",
        }
    }

    fn max_age(self) -> Option<Duration> {
        match self {
            Self::Session => Duration::try_from(IDLE_LIFETIME).ok(),
            // The cookie lasts until the browser is closed.
            Self::Visitor => None,
            Self::ReturnTo => Some(Duration::minutes(30)),
            Self::PendingSignIn => Duration::try_from(SIGN_IN_PERIOD).ok(),
            Self::ExternalFlow => Duration::try_from(FLOW_PERIOD).ok(),
            Self::Newcomer => Duration::try_from(SIGN_UP_PERIOD).ok(),
            Self::ExternalProof => Duration::try_from(PROOF_PERIOD).ok(),
        }
    }
}

/// Returns the value of a cookie. `None` if it is absent or empty.
pub(crate) fn get(request: &HttpRequest, kind: Kind) -> Option<String> {
    let cookie = request.cookie(kind.name(is_secure(request)))?;
    Some(cookie.value().to_owned()).filter(|value| !value.is_empty())
}

/// Builds a cookie to be set.
pub(crate) fn set(request: &HttpRequest, kind: Kind, value: String) -> Cookie<'static> {
    let secure = is_secure(request);
    let mut cookie = Cookie::build(kind.name(secure), value)
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(secure)
        .finish();
    if let Some(max_age) = kind.max_age() {
        cookie.set_max_age(max_age);
    }
    cookie
}

/// Builds a cookie that removes one that was set.
pub(crate) fn clear(request: &HttpRequest, kind: Kind) -> Cookie<'static> {
    let mut cookie = set(request, kind, String::new());
    cookie.make_removal();
    cookie
}
