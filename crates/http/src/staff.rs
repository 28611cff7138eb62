//! Members of staff as a type: a handler that takes `Staff<AdminReadReports, ManageReports>` cannot
//! run without that permission.

use std::{fmt, marker::PhantomData};

use actix_web::{
    FromRequest, HttpRequest, ResponseError as _, dev::Payload, http::StatusCode, web::Data,
};
use futures_util::future::LocalBoxFuture;
use siskin_app::App;
use siskin_entities::Actor;
use siskin_ids::AccountId;
use siskin_policy::{
    roles::{Authority, RequiredPermission},
    scopes::RequiredScope,
};
use siskin_services::{
    Error as Domain,
    authentication::{self, require_permission},
};

use crate::{
    Error, Result,
    admission::{Admission, before_parameters},
    auth,
    browser::{self, Browser, Member, Posted, PostedMember},
    limits::{self, Budget, Subject},
    pages::PageError,
    routes::staff_area,
};

/// An active account with a role that grants the permission `P`. A token must have the scope `S`.
/// Instead of a token, a script on a page of this server can use the session of the browser. It
/// must send the CSRF token of the session.
pub struct Staff<S, P> {
    /// What the role of the caller allows.
    pub authority: Authority,
    required: PhantomData<(S, P)>,
}

impl<S, P> Staff<S, P> {
    /// Returns the account of the caller.
    #[must_use]
    pub const fn account(&self) -> AccountId {
        self.authority.account
    }

    /// Returns the caller as the author of changes.
    #[must_use]
    pub const fn actor(&self) -> Actor {
        Actor::Staff(self.account())
    }
}

impl<S, P> fmt::Debug for Staff<S, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Staff").field("authority", &self.authority).finish_non_exhaustive()
    }
}

impl<S: RequiredScope, P: RequiredPermission> FromRequest for Staff<S, P> {
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let admission = Admission::of(request);
        let request = request.clone();
        Box::pin(async move {
            let account = caller::<S>(&request).await?;
            let app = request.app_data::<Data<App>>().cloned();
            let app = app.ok_or_else(|| Domain::internal("the instance is not registered"))?;
            let authority = app.read(move |conn| require_permission(conn, account, P::ANY)).await?;
            admission.grant(Some(account));
            Ok(Self { authority, required: PhantomData })
        })
    }
}

/// Returns the account of the token, or without a token that of the session.
async fn caller<S: RequiredScope>(request: &HttpRequest) -> Result<AccountId> {
    if let Some(token) = auth::access_token(request) {
        return Ok(auth::active_user::<S>(request, Some(token)).await?.1.account);
    }
    let signed_in = browser::of_script(request).await?.ok_or_else(auth::no_token)?;
    limits::spend(request, Budget::Everything, Subject::Account(signed_in.account))?;
    Ok(signed_in.account)
}

/// A signed-in person who may open a page of the staff, because the role grants `P`. Visitors are
/// redirected to sign-in. For others the page does not exist.
pub(crate) struct StaffMember<P> {
    /// What the role of the person allows.
    pub(crate) authority: Authority,
    pub(crate) browser: Browser,
    required: PhantomData<P>,
}

impl<P> StaffMember<P> {
    /// Returns the account of the person.
    pub(crate) const fn account(&self) -> AccountId {
        self.authority.account
    }
}

impl<P> fmt::Debug for StaffMember<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StaffMember").field("authority", &self.authority).finish_non_exhaustive()
    }
}

impl<P: RequiredPermission> FromRequest for StaffMember<P> {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let member = Member::from_request(request, payload);
        let cloned = request.clone();
        before_parameters(request, async move {
            let Member { browser, signed_in } = member.await?;
            let authority = on_pages::<P>(&cloned, signed_in.account).await?;
            Ok(Self { authority, browser, required: PhantomData })
        })
    }
}

/// A form that a person with the permission `P` sent from a page of this server.
pub(crate) struct PostedStaff<P> {
    /// What the role of the person allows.
    pub(crate) authority: Authority,
    pub(crate) posted: Posted,
    required: PhantomData<P>,
}

impl<P> PostedStaff<P> {
    /// Returns the account of the person.
    pub(crate) const fn account(&self) -> AccountId {
        self.authority.account
    }

    /// Returns the person as the author of changes.
    pub(crate) const fn actor(&self) -> Actor {
        Actor::Staff(self.account())
    }
}

impl<P> fmt::Debug for PostedStaff<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostedStaff").field("authority", &self.authority).finish_non_exhaustive()
    }
}

impl<P: RequiredPermission> FromRequest for PostedStaff<P> {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let form = PostedMember::from_request(request, payload);
        let cloned = request.clone();
        before_parameters(request, async move {
            let PostedMember { posted, signed_in } = match form.await {
                Ok(form) => form,
                Err(error) => return Err(unless_refused::<P>(&cloned, error).await),
            };
            let authority = on_pages::<P>(&cloned, signed_in.account).await?;
            Ok(Self { authority, posted, required: PhantomData })
        })
    }
}

/// Returns the error of a form that could not be read. People who may not open the page get the
/// refusal of the page instead. A forged form is refused as forged for all. For people with the
/// permission, the error page leads back to the area.
async fn unless_refused<P: RequiredPermission>(
    request: &HttpRequest,
    error: PageError,
) -> PageError {
    match StaffMember::<P>::extract(request).await {
        Err(refused) if error.status_code() != StatusCode::FORBIDDEN => refused,
        _ => error,
    }
}

/// Returns the authority of a person on pages. Without the permission a page does not exist. With
/// it, error pages of the request lead back to the area.
async fn on_pages<P: RequiredPermission>(
    request: &HttpRequest,
    account: AccountId,
) -> Result<Authority, PageError> {
    let app = request.app_data::<Data<App>>().cloned();
    let app = app.ok_or_else(|| Domain::internal("the instance is not registered"))?;
    let found = app.read(move |conn| authentication::authority(conn, account)).await?;
    if !found.can_any(P::ANY) {
        return Err(Domain::NotFound.into());
    }
    if let Some(area) = staff_area(request.path(), found) {
        area.remember();
    }
    Ok(found)
}
