//! Browser sessions: cookies, and proof that a form came from a page of this server.
//!
//! The extractors express this in their types. A handler that takes [`Member`] runs for people who
//! are signed in, one that takes [`Posted`] for forms that cannot have been forged. Only a handler
//! that takes [`MemberBeforeSetup`] or [`PostedBeforeSetup`] also runs for people who must set up a
//! second factor first. Only one that takes [`Holder`] or [`PostedHolder`] also runs for disabled
//! and suspended people, who have restricted sessions.

mod cookies;
mod forgery;
mod holder;
mod posted;
mod return_to;

use std::fmt;

use actix_web::{FromRequest, HttpRequest, dev::Payload, web::Data};
use futures_util::future::LocalBoxFuture;
use siskin_app::App;
use siskin_ids::{AccountId, SessionId};
use siskin_policy::second_factor::is_required;
use siskin_services::{
    Error as Domain, forgery as tokens, secrets,
    sessions::{self, RestrictedUser, SessionUser, SignedIn},
};

pub(crate) use cookies::{Kind, clear, get, set};
pub(crate) use holder::{Holder, PostedHolder, Restriction, page_of_holder};
pub(crate) use posted::{Posted, PostedBeforeSetup, PostedMember, PostedSession};
pub(crate) use return_to::{ReturnTo, ReturnToParams, without_force_login};

use crate::{admission::before_parameters, pages::PageError};

/// A browser, signed in or not.
pub(crate) struct Browser {
    /// Secret that only this browser knows: the token of its session or of a visitor.
    secret: String,
    /// `true` if the browser does not have the secret yet.
    fresh: bool,
    /// The account that is signed in to the session. `None` for visitors, and for people with a
    /// restricted session.
    pub(crate) signed_in: Option<SignedIn>,
    /// The account of a restricted session.
    restricted: Option<RestrictedUser>,
}

impl fmt::Debug for Browser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Browser")
            .field("signed_in", &self.signed_in)
            .field("restricted", &self.restricted)
            .finish_non_exhaustive()
    }
}

impl Browser {
    /// Returns the CSRF token for forms on the pages of this browser.
    pub(crate) fn forgery_token(&self) -> String {
        tokens::token(&self.secret)
    }

    /// Returns the secret of a visitor that does not have it yet, to be set as a cookie.
    pub(crate) fn new_secret(&self) -> Option<&str> {
        self.fresh.then_some(self.secret.as_str())
    }

    /// Returns the account and the session of the person, also of a restricted session. A new
    /// session replaces it.
    pub(crate) fn session(&self) -> Option<(AccountId, SessionId)> {
        let full = self.signed_in.as_ref().map(|user| (user.account, user.session));
        full.or_else(|| self.restricted.as_ref().map(|user| (user.account, user.session)))
    }

    /// Returns the user name of the person, also of a restricted session.
    pub(crate) fn username(&self) -> Option<&str> {
        let full = self.signed_in.as_ref().map(|user| &*user.username);
        full.or_else(|| self.restricted.as_ref().map(|user| &*user.username))
    }

    /// Returns why the session is restricted. `None` for visitors and active people.
    pub(crate) fn restriction(&self) -> Option<Restriction> {
        self.restricted.as_ref().map(Restriction::of)
    }

    fn visitor(request: &HttpRequest) -> Self {
        let known = get(request, Kind::Visitor);
        let fresh = known.is_none();
        let secret = known.unwrap_or_else(secrets::generate);
        Self { secret, fresh, signed_in: None, restricted: None }
    }

    /// Builds the browser with the session of this token.
    fn with_session(token: String, user: SessionUser) -> Self {
        let (signed_in, restricted) = match user {
            SessionUser::Active(user) => (Some(user), None),
            SessionUser::Restricted(user) => (None, Some(user)),
        };
        Self { secret: token, fresh: false, signed_in, restricted }
    }
}

impl FromRequest for Browser {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let visitor = Self::visitor(request);
        let token = get(request, Kind::Session);
        let app = request.app_data::<Data<App>>().cloned();
        Box::pin(async move {
            let Some(token) = token else { return Ok(visitor) };
            let app = app.ok_or_else(|| Domain::internal("the instance is not registered"))?;
            let user = user_of_session(&app, token.clone()).await?;
            Ok(user.map_or(visitor, |user| Self::with_session(token, user)))
        })
    }
}

/// Returns the person with the session that a script uses. `None` without a session, and for a
/// restricted one.
///
/// # Errors
/// [`Domain::Forbidden`] if the request does not carry the CSRF token of the session in its header,
/// or comes from another origin, and if the person must set up a second factor first.
pub(crate) async fn of_script(request: &HttpRequest) -> Result<Option<SignedIn>, Domain> {
    let Some(token) = get(request, Kind::Session) else { return Ok(None) };
    let app = request.app_data::<Data<App>>().cloned();
    let app = app.ok_or_else(|| Domain::internal("the instance is not registered"))?;
    if !forgery::is_genuine(request, app.urls().base(), &token, None) {
        return Err(Domain::forbidden("The request needs the CSRF token of the session"));
    }
    let found = user_of_session(&app, token).await?.and_then(SessionUser::active);
    if found.as_ref().is_some_and(|signed_in| must_set_up(&app, signed_in)) {
        return Err(Domain::forbidden("This account needs a second factor: set it up first"));
    }
    Ok(found)
}

async fn user_of_session(app: &App, token: String) -> Result<Option<SessionUser>, Domain> {
    let now = app.now();
    let found = app.read(move |conn| sessions::find_in_any_state(conn, &token, now)).await?;
    if let Some((session, true)) = found.as_ref().map(SessionUser::use_of_session) {
        app.write(move |tx| sessions::touch(tx, session)).await?;
    }
    Ok(found)
}

/// Returns `true` if the person must set up a second factor before anything else on pages.
pub(crate) fn must_set_up(app: &App, signed_in: &SignedIn) -> bool {
    let required_for = app.settings().second_factor_required_for;
    !signed_in.has_second_factor && is_required(required_for, signed_in.is_staff)
}

fn require_set_up(request: &HttpRequest, signed_in: &SignedIn) -> Result<(), PageError> {
    let app = request.app_data::<Data<App>>();
    let app = app.ok_or_else(|| Domain::internal("the instance is not registered"))?;
    if must_set_up(app, signed_in) { Err(PageError::set_up_first(request)) } else { Ok(()) }
}

/// A browser with a signed-in active person. Others, also people with a restricted session, are
/// redirected to sign-in and return afterwards. People who must set up a second factor are
/// redirected to that.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) browser: Browser,
    pub(crate) signed_in: SignedIn,
}

impl FromRequest for Member {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let member = MemberBeforeSetup::from_request(request, payload);
        let cloned = request.clone();
        before_parameters(request, async move {
            let MemberBeforeSetup { browser, signed_in } = member.await?;
            require_set_up(&cloned, &signed_in)?;
            Ok(Self { browser, signed_in })
        })
    }
}

/// Like [`Member`], but also for people who must set up a second factor.
#[derive(Debug)]
pub(crate) struct MemberBeforeSetup {
    pub(crate) browser: Browser,
    pub(crate) signed_in: SignedIn,
}

impl FromRequest for MemberBeforeSetup {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let browser = Browser::from_request(request, payload);
        let sign_in = PageError::sign_in_first(request);
        before_parameters(request, async move {
            let browser = browser.await?;
            match browser.signed_in.clone() {
                Some(signed_in) => Ok(Self { browser, signed_in }),
                None => Err(sign_in),
            }
        })
    }
}
