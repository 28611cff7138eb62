//! Who calls and what they allowed, as types: a handler that takes `Authorized<ReadStatuses>`
//! cannot run for anyone else.

use std::{fmt, marker::PhantomData};

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
    authentication::{Caller, Person},
};

use crate::{
    Error, Result,
    admission::Admission,
    limits::{self, Budget, Subject},
};

const NO_TOKEN: &str = "The access token is invalid";
const OUT_OF_SCOPE: &str = "This action is outside the authorized scopes";
const NO_PERSON: &str = "This method requires an authenticated user";

/// A person in good standing, by a token that covers the scope `S`.
pub struct Authorized<S> {
    /// The account that acts.
    pub account: AccountId,
    /// The client it acts through; None for a token made on the command line.
    pub application: Option<ApplicationId>,
    /// The token itself, for use cases that end it.
    pub token: TokenId,
    scopes: Scopes,
    scope: PhantomData<S>,
}

/// A reader who may be signed in. A token that is sent must be good and cover `S`.
pub struct Optional<S> {
    /// None for anonymous readers and for applications without a person.
    pub account: Option<AccountId>,
    scope: PhantomData<S>,
}

/// A person in good standing who wants to listen, by a token that covers at least one of
/// [`Streams`]: where browsers open WebSockets they can send a token as a subprotocol alone.
pub struct StreamListener {
    /// The account that listens.
    pub account: AccountId,
    pub token: TokenId,
    pub application: Option<ApplicationId>,
    pub scopes: Scopes,
    /// The subprotocol that was the token, to be named in the answer.
    pub protocol: Option<String>,
}

/// Any valid token that covers `S`, of a person in whatever standing or of an application alone.
pub struct AnyToken<S> {
    /// Who bears it.
    pub caller: Caller,
    scope: PhantomData<S>,
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
        let (caller, admission) = (caller(request), Admission::of(request));
        Box::pin(async move {
            let caller = caller.await?.ok_or_else(no_token)?;
            require::<S>(&caller)?;
            let person = caller.person.ok_or_else(|| Domain::invalid(NO_PERSON))?;
            person.standing.require_good()?;
            admission.grant(Some(person.account));
            Ok(Self {
                account: person.account,
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
            if let Some(person) = caller.person {
                person.standing.require_good()?;
            }
            let account = caller.person.map(|person| person.account);
            admission.grant(account);
            Ok(Self { account, scope: PhantomData })
        })
    }
}

impl FromRequest for StreamListener {
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let token = bearer(request);
        let protocol = if token.is_none() { subprotocol(request) } else { None };
        let caller = caller_by(request, token.or_else(|| protocol.clone()));
        let admission = Admission::of(request);
        Box::pin(async move {
            let caller = caller.await?.ok_or_else(no_token)?;
            require::<Streams>(&caller)?;
            // Nothing is told to an application by itself: it is nobody who could listen.
            let person = caller.person.ok_or_else(no_token)?;
            person.standing.require_good()?;
            admission.grant(Some(person.account));
            Ok(Self {
                account: person.account,
                token: caller.token,
                application: caller.application,
                scopes: caller.scopes,
                protocol,
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
            admission.grant(caller.person.map(|person| person.account));
            Ok(Self { caller, scope: PhantomData })
        })
    }
}

impl<S> Authorized<S> {
    /// Requires another scope besides.
    ///
    /// # Errors
    /// Where the token does not cover it.
    pub(crate) fn and<R: RequiredScope>(&self) -> Result<()> {
        if self.scopes.satisfy::<R>() { Ok(()) } else { Err(out_of_scope()) }
    }
}

impl<S> AnyToken<S> {
    /// The person whom the token acts for, in whatever standing.
    ///
    /// # Errors
    /// Where it acts for an application alone.
    pub(crate) fn person(&self) -> Result<Person> {
        Ok(self.caller.person.ok_or_else(|| Domain::invalid(NO_PERSON))?)
    }
}

fn no_token() -> Domain {
    Domain::Unauthenticated(NO_TOKEN.to_owned())
}

fn require<S: RequiredScope>(caller: &Caller) -> Result<()> {
    if caller.scopes.satisfy::<S>() { Ok(()) } else { Err(out_of_scope()) }
}

fn out_of_scope() -> Error {
    Domain::forbidden(OUT_OF_SCOPE).into()
}

/// The bearer of the request's token; None where it carries none.
fn caller(request: &HttpRequest) -> impl Future<Output = Result<Option<Caller>>> + use<> {
    caller_by(request, bearer(request))
}

/// The bearer of `token`, who sends the request.
fn caller_by(
    request: &HttpRequest,
    token: Option<String>,
) -> impl Future<Output = Result<Option<Caller>>> + use<> {
    let request = request.clone();
    async move {
        let Some(token) = token else { return Ok(None) };
        let app = request.app_data::<Data<App>>().cloned();
        let app = app.ok_or_else(|| Domain::internal("the instance is not part of the server"))?;
        let caller = app.caller(token).await?.ok_or_else(no_token)?;
        if let Some(person) = caller.person {
            limits::spend(&request, Budget::Everything, Subject::Account(person.account))?;
        }
        app.note_use(&caller);
        Ok(Some(caller))
    }
}

/// The token in the header or, for clients that cannot set one, in the query (`access_token`).
fn bearer(request: &HttpRequest) -> Option<String> {
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

/// The first subprotocol that a WebSocket client offers.
fn subprotocol(request: &HttpRequest) -> Option<String> {
    let offered = request.headers().get(SEC_WEBSOCKET_PROTOCOL)?.to_str().ok()?;
    let first = offered.split(',').next()?.trim();
    (!first.is_empty()).then(|| first.to_owned())
}
