//! Authenticated callers and their scopes as types: a handler that takes `Authorized<ReadStatuses>`
//! cannot run without that scope.

use std::{
    fmt,
    future::{Ready, ready},
    marker::PhantomData,
    net::IpAddr,
};

use actix_web::{
    FromRequest, HttpRequest,
    dev::Payload,
    http::header::{AUTHORIZATION, SEC_WEBSOCKET_PROTOCOL},
    web::Data,
};
use futures_util::future::LocalBoxFuture;
use siskin_app::App;
use siskin_ids::{AccountId, ApplicationId, TokenId};
use siskin_policy::scopes::{RequiredScope, Scopes, Streams};
use siskin_services::{
    Error as Domain,
    authentication::{Caller, TokenUser},
};

use crate::{
    Error, Result, address,
    admission::Admission,
    limits::{self, Budget, Subject},
};

const NO_TOKEN: &str = "The access token is invalid";
const OUT_OF_SCOPE: &str = "This action is outside the authorized scopes";
const NO_USER: &str = "This method requires an authenticated user";

/// An active account that is authenticated by a token with the scope `S`.
pub struct Authorized<S> {
    /// The account of the caller.
    pub account: AccountId,
    /// The application that the token belongs to. `None` for a token that was created on the
    /// command line.
    pub application: Option<ApplicationId>,
    /// The token itself, for use cases that revoke it.
    pub token: TokenId,
    scopes: Scopes,
    scope: PhantomData<S>,
}

/// A viewer who may be signed in. If the request carries a token, it must be valid and have the
/// scope `S`.
pub struct Optional<S> {
    /// The account of the viewer. `None` for anonymous viewers and for applications without an
    /// account.
    pub account: Option<AccountId>,
    scope: PhantomData<S>,
}

/// An active account that subscribes to streams, by a token with at least one of the scopes in
/// [`Streams`]. Browsers can send a token for a WebSocket only as a subprotocol.
pub struct StreamListener {
    /// The account that subscribes.
    pub account: AccountId,
    pub token: TokenId,
    pub application: Option<ApplicationId>,
    pub scopes: Scopes,
    /// The subprotocol that carried the token. The response must name it.
    pub protocol: Option<String>,
    /// Address of the client. `None` if no IP block may end the stream.
    pub address: Option<IpAddr>,
}

/// Any valid token with the scope `S`, of an account in any state or of an application alone.
pub struct AnyToken<S> {
    /// The caller that the token authenticates.
    pub caller: Caller,
    scope: PhantomData<S>,
}

/// The access token itself, for use cases that give it back to the client later. It must be taken
/// together with [`Authorized`], which checks it.
pub(crate) struct PresentedToken(pub(crate) String);

impl fmt::Debug for PresentedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PresentedToken")
    }
}

impl FromRequest for PresentedToken {
    type Error = Error;
    type Future = Ready<Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(access_token(request).map(Self).ok_or_else(|| no_token().into()))
    }
}

impl<S> fmt::Debug for Authorized<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authorized").field("account", &self.account).finish_non_exhaustive()
    }
}

impl<S> fmt::Debug for Optional<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Optional").field("account", &self.account).finish_non_exhaustive()
    }
}

impl fmt::Debug for StreamListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamListener").field("account", &self.account).finish_non_exhaustive()
    }
}

impl<S> fmt::Debug for AnyToken<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyToken").field("caller", &self.caller).finish_non_exhaustive()
    }
}

impl<S: RequiredScope> FromRequest for Authorized<S> {
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let (request, admission) = (request.clone(), Admission::of(request));
        Box::pin(async move {
            let (caller, user) = active_user::<S>(&request, access_token(&request)).await?;
            admission.grant(Some(user.account));
            Ok(Self {
                account: user.account,
                application: caller.application,
                token: caller.token,
                scopes: caller.scopes,
                scope: PhantomData,
            })
        })
    }
}

impl<S: RequiredScope> FromRequest for Optional<S> {
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let (caller, admission) = (caller(request), Admission::of(request));
        Box::pin(async move {
            let Some(caller) = caller.await? else {
                admission.grant(None);
                return Ok(Self { account: None, scope: PhantomData });
            };
            require::<S>(&caller)?;
            if let Some(user) = caller.user {
                user.state.require_active()?;
            }
            let account = caller.user.map(|user| user.account);
            admission.grant(account);
            Ok(Self { account, scope: PhantomData })
        })
    }
}

impl FromRequest for StreamListener {
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let token = access_token(request);
        let protocol = if token.is_none() { subprotocol(request) } else { None };
        let caller = authenticate(request, token.or_else(|| protocol.clone()));
        let (admission, address) = (Admission::of(request), address::unless_exempt(request));
        Box::pin(async move {
            let caller = caller.await?.ok_or_else(no_token)?;
            require::<Streams>(&caller)?;
            // Streams belong to accounts. An application without an account cannot subscribe.
            let user = caller.user.ok_or_else(no_token)?;
            user.state.require_active()?;
            admission.grant(Some(user.account));
            Ok(Self {
                account: user.account,
                token: caller.token,
                application: caller.application,
                scopes: caller.scopes,
                protocol,
                address,
            })
        })
    }
}

impl<S: RequiredScope> FromRequest for AnyToken<S> {
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let (caller, admission) = (caller(request), Admission::of(request));
        Box::pin(async move {
            let caller = caller.await?.ok_or_else(no_token)?;
            require::<S>(&caller)?;
            admission.grant(caller.user.map(|user| user.account));
            Ok(Self { caller, scope: PhantomData })
        })
    }
}

impl<S> Authorized<S> {
    /// Requires an additional scope.
    ///
    /// # Errors
    /// If the token does not have the scope.
    pub(crate) fn and<R: RequiredScope>(&self) -> Result<()> {
        if self.scopes.satisfy::<R>() { Ok(()) } else { Err(out_of_scope()) }
    }
}

impl<S> AnyToken<S> {
    /// Returns the person that the token acts for. Their account may be in any state.
    ///
    /// # Errors
    /// If the token acts for an application alone.
    pub(crate) fn user(&self) -> Result<TokenUser> {
        Ok(self.caller.user.ok_or_else(|| Domain::invalid(NO_USER))?)
    }
}

/// Returns the active user with `token`, which must have the scope `S`.
pub(crate) async fn active_user<S: RequiredScope>(
    request: &HttpRequest,
    token: Option<String>,
) -> Result<(Caller, TokenUser)> {
    let caller = authenticate(request, token).await?.ok_or_else(no_token)?;
    require::<S>(&caller)?;
    let user = caller.user.ok_or_else(|| Domain::invalid(NO_USER))?;
    user.state.require_active()?;
    Ok((caller, user))
}

pub(crate) fn no_token() -> Domain {
    Domain::Unauthenticated(NO_TOKEN.to_owned())
}

fn require<S: RequiredScope>(caller: &Caller) -> Result<()> {
    if caller.scopes.satisfy::<S>() { Ok(()) } else { Err(out_of_scope()) }
}

fn out_of_scope() -> Error {
    Domain::forbidden(OUT_OF_SCOPE).into()
}

/// Returns the caller that the token of the request authenticates. `None` if it carries no token.
fn caller(request: &HttpRequest) -> impl Future<Output = Result<Option<Caller>>> + use<> {
    authenticate(request, access_token(request))
}

/// Returns the caller that `token` authenticates, and counts the request for it.
fn authenticate(
    request: &HttpRequest,
    token: Option<String>,
) -> impl Future<Output = Result<Option<Caller>>> + use<> {
    let request = request.clone();
    async move {
        let Some(token) = token else { return Ok(None) };
        let app = request.app_data::<Data<App>>().cloned();
        let app = app.ok_or_else(|| Domain::internal("the instance is not registered"))?;
        let caller = app.caller(token).await?.ok_or_else(no_token)?;
        if let Some(user) = caller.user {
            limits::spend(&request, Budget::Everything, Subject::Account(user.account))?;
        }
        app.record_use(&caller);
        Ok(Some(caller))
    }
}

/// Returns the token from the header or, for clients that cannot set headers, from the query
/// parameter `access_token`.
pub(crate) fn access_token(request: &HttpRequest) -> Option<String> {
    let header = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    if let Some((scheme, token)) = header.and_then(|value| value.split_once(' '))
        && scheme.eq_ignore_ascii_case("bearer")
    {
        return Some(token.trim().to_owned());
    }
    form_urlencoded::parse(request.query_string().as_bytes())
        .find(|(name, value)| name == "access_token" && !value.is_empty())
        .map(|(_, value)| value.into_owned())
}

/// Returns the first subprotocol that a WebSocket client offers.
fn subprotocol(request: &HttpRequest) -> Option<String> {
    let offered = request.headers().get(SEC_WEBSOCKET_PROTOCOL)?.to_str().ok()?;
    let first = offered.split(',').next()?.trim();
    (!first.is_empty()).then(|| first.to_owned())
}
