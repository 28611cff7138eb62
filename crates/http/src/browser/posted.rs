//! Forms that cannot have been forged.

use actix_web::{
    FromRequest, HttpRequest,
    dev::Payload,
    web::{Bytes, Data},
};
use futures_util::future::LocalBoxFuture;
use serde::de::DeserializeOwned;
use siskin_app::App;
use siskin_ids::{AccountId, SessionId};
use siskin_services::sessions::SignedIn;

use super::{Browser, Kind, cookies, forgery, require_set_up};
use crate::{
    admission::{Admission, before_parameters},
    pages::PageError,
    params::Params,
};

/// A form that was sent from a page of this server in this browser, before or after sign-in.
#[derive(Debug)]
pub(crate) struct Posted {
    pub(crate) browser: Browser,
    params: Params,
    /// `true` if the form is older than the session: it was rendered before the person signed in,
    /// perhaps in another tab.
    older_than_session: bool,
}

impl Posted {
    /// Decodes the form.
    pub(crate) fn decode<T: DeserializeOwned>(&self) -> Result<T, PageError> {
        self.params.decode().map_err(|error| PageError::unreadable(&error))
    }
}

impl Posted {
    /// Returns the form, unless it was rendered before the present session began.
    fn of_this_session(self) -> Result<Self, PageError> {
        if self.older_than_session { Err(PageError::forged()) } else { Ok(self) }
    }

    /// Returns the bytes of an uploaded file. `None` if the person chose none.
    pub(crate) async fn file(&self, name: &str) -> Result<Option<Bytes>, PageError> {
        let file = self.params.file(name).map_err(|error| PageError::unreadable(&error))?;
        let Some(file) = file else { return Ok(None) };
        file.read().await.map(Some).map_err(|error| PageError::unreadable(&error))
    }
}

impl FromRequest for Posted {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        // Reading the form waits until the browser is identified: visitors may send small forms
        // only.
        let admission = Admission::of(request);
        let params = Params::from_request(request, payload);
        let browser = Browser::from_request(request, payload);
        let cloned = request.clone();
        before_parameters(request, async move {
            let browser = browser.await?;
            admission.grant(browser.signed_in.as_ref().map(|signed_in| signed_in.account));
            let params = params.await.map_err(|error| PageError::unreadable(&error))?;
            let base_url = cloned.app_data::<Data<App>>().map(|app| app.urls().base());
            let field = params.text(forgery::FIELD);
            let base_url = base_url.unwrap_or_default();
            let is_genuine = |secret: &str| forgery::is_genuine(&cloned, base_url, secret, field);
            if is_genuine(&browser.secret) {
                return Ok(Self { browser, params, older_than_session: false });
            }
            match cookies::get(&cloned, Kind::Visitor) {
                Some(visitor) if is_genuine(&visitor) => {
                    Ok(Self { browser, params, older_than_session: true })
                }
                _ => Err(PageError::forged()),
            }
        })
    }
}

/// A form that a signed-in person sent from a page of this server. People who must set up a second
/// factor are redirected to that.
#[derive(Debug)]
pub(crate) struct PostedMember {
    pub(crate) posted: Posted,
    pub(crate) signed_in: SignedIn,
}

impl FromRequest for PostedMember {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let form = PostedBeforeSetup::from_request(request, payload);
        let cloned = request.clone();
        before_parameters(request, async move {
            let PostedBeforeSetup { posted, person: signed_in } = form.await?;
            require_set_up(&cloned, &signed_in)?;
            Ok(Self { posted, signed_in })
        })
    }
}

/// A form that a person with a session sent from a page of this server, also one who must set up a
/// second factor first. `P` says which sessions may send it.
#[derive(Debug)]
pub(crate) struct PostedBy<P> {
    pub(crate) posted: Posted,
    pub(crate) person: P,
}

/// Like [`PostedMember`], but also for people who must set up a second factor.
pub(crate) type PostedBeforeSetup = PostedBy<SignedIn>;

/// A form that a person with any session sent. Only for the end of the session.
pub(crate) type PostedSession = PostedBy<(AccountId, SessionId)>;

/// What a handler learns of a person with a session.
pub(crate) trait Person: Sized + 'static {
    /// Returns the person. `None` if the session of the browser may not send the form.
    fn of(browser: &Browser) -> Option<Self>;
}

/// An active person.
impl Person for SignedIn {
    fn of(browser: &Browser) -> Option<Self> {
        browser.signed_in.clone()
    }
}

/// A person in any state, perhaps with a restricted session.
impl Person for (AccountId, SessionId) {
    fn of(browser: &Browser) -> Option<Self> {
        browser.session()
    }
}

impl<P: Person> FromRequest for PostedBy<P> {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let posted = Posted::from_request(request, payload);
        let sign_in = PageError::sign_in_first(request);
        before_parameters(request, async move {
            let posted = posted.await?.of_this_session()?;
            let person = P::of(&posted.browser).ok_or(sign_in)?;
            Ok(Self { posted, person })
        })
    }
}
