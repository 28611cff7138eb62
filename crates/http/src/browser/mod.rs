//! Browser sessions: cookies, and proof that a form came from a page of this server.
//!
//! The extractors express this in their types. A handler that takes [`Member`] runs for people who
//! are signed in, one that takes [`Posted`] for forms that cannot have been forged.

mod cookies;
mod forgery;
mod posted;
mod return_to;

use std::fmt;

use actix_web::{FromRequest, HttpRequest, dev::Payload, web::Data};
use futures_util::future::LocalBoxFuture;
use siskin_app::App;
use siskin_services::{
    Error as Domain, forgery as tokens, secrets,
    sessions::{self, SignedIn},
};

pub(crate) use cookies::{Kind, clear, set};
pub(crate) use posted::{Posted, PostedMember};
pub(crate) use return_to::{ReturnTo, ReturnToParams, without_force_login};

use crate::pages::PageError;

/// A browser, signed in or not.
pub(crate) struct Browser {
    /// Secret that only this browser knows: the token of its session or of a visitor.
    secret: String,
    /// `true` if the browser does not have the secret yet.
    fresh: bool,
    /// The account that is signed in to the session. `None` for visitors.
    pub(crate) signed_in: Option<SignedIn>,
}

impl fmt::Debug for Browser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Browser").field("signed_in", &self.signed_in).finish_non_exhaustive()
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

    fn visitor(request: &HttpRequest) -> Self {
        match cookies::get(request, Kind::Visitor) {
            Some(secret) => Self { secret, fresh: false, signed_in: None },
            None => Self { secret: secrets::generate(), fresh: true, signed_in: None },
        }
    }
}

impl FromRequest for Browser {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let visitor = Self::visitor(request);
        let token = cookies::get(request, Kind::Session);
        let app = request.app_data::<Data<App>>().cloned();
        Box::pin(async move {
            let Some(token) = token else { return Ok(visitor) };
            let app = app.ok_or_else(|| Domain::internal("the instance is not registered"))?;
            Ok(match member(&app, token.clone()).await? {
                Some(signed_in) => Self { secret: token, fresh: false, signed_in: Some(signed_in) },
                None => visitor,
            })
        })
    }
}

/// Returns the person whose session a script uses. `None` without a session.
///
/// # Errors
/// [`Domain::Forbidden`] if the request does not carry the CSRF token of the session in its header,
/// or comes from another origin.
pub(crate) async fn of_script(request: &HttpRequest) -> Result<Option<SignedIn>, Domain> {
    let Some(token) = cookies::get(request, Kind::Session) else { return Ok(None) };
    let app = request.app_data::<Data<App>>().cloned();
    let app = app.ok_or_else(|| Domain::internal("the instance is not registered"))?;
    if !forgery::is_genuine(request, app.urls().base(), &token, None) {
        return Err(Domain::forbidden("The request needs the CSRF token of the session"));
    }
    member(&app, token).await
}

async fn member(app: &App, token: String) -> Result<Option<SignedIn>, Domain> {
    let now = app.now();
    let found = app.read(move |conn| sessions::find(conn, &token, now)).await?;
    if let Some(SignedIn { touch: true, session, .. }) = found {
        app.write(move |tx| sessions::touch(tx, session)).await?;
    }
    Ok(found)
}

/// A browser with a signed-in person. Others are redirected to sign-in and return afterwards.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) browser: Browser,
    pub(crate) signed_in: SignedIn,
}

impl FromRequest for Member {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let browser = Browser::from_request(request, payload);
        let sign_in = PageError::sign_in_first(request);
        Box::pin(async move {
            let browser = browser.await?;
            match browser.signed_in.clone() {
                Some(signed_in) => Ok(Self { browser, signed_in }),
                None => Err(sign_in),
            }
        })
    }
}
