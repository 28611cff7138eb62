//! The guarded HTTP client.
//!
//! Redirects are followed here and not by the library, so that every hop is checked. Names are
//! resolved by our resolver, so that the connection goes to exactly the address that was checked.
//! The client uses no proxy, no cookies and no credentials.

use std::{
    fmt,
    net::SocketAddr,
    sync::{Arc, OnceLock},
    time::Duration,
};

use reqwest::{
    Client, ClientBuilder, Method, Response, StatusCode,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION},
    redirect::Policy,
};
use tokio::time::timeout;
use url::Url;

use crate::{
    FetchError, Limits, NameResolver, charset,
    guard::{Guard, Server, check_port},
    resolver::{GlobalOnly, System},
    tls,
};

/// Timeout of establishing a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Time for which an idle connection is kept open.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// Outgoing request.
#[derive(Debug, Clone)]
pub struct Request {
    method: Method,
    url: String,
    headers: HeaderMap,
    body: Vec<u8>,
    response_body: ResponseBody,
}

/// Part of the body of a response that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResponseBody {
    /// All of it. A body that exceeds the limit is an error.
    Whole,
    /// As much as the limit allows.
    Beginning,
    /// Nothing: only the status and the headers matter.
    Nothing,
}

impl Request {
    /// Builds a `GET` request. Redirects are followed.
    #[must_use]
    pub fn get(url: impl Into<String>) -> Self {
        Self {
            method: Method::GET,
            url: url.into(),
            headers: HeaderMap::new(),
            body: Vec::new(),
            response_body: ResponseBody::Whole,
        }
    }

    /// Builds a `POST` request. A redirect is returned like any other response.
    #[must_use]
    pub fn post(url: impl Into<String>, body: Vec<u8>) -> Self {
        Self { method: Method::POST, body, ..Self::get(url) }
    }

    /// Adds a header. It is not sent to another origin after a redirect.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Accepts a partial body: a body that exceeds the limit is cut instead of rejected.
    #[must_use]
    pub fn beginning_only(self) -> Self {
        Self { response_body: ResponseBody::Beginning, ..self }
    }

    /// Reads only the status and the headers of the response. So a body that is too long or
    /// incomplete does not turn a success into an error.
    #[must_use]
    pub fn without_response_body(self) -> Self {
        Self { response_body: ResponseBody::Nothing, ..self }
    }
}

/// Response to a request.
#[derive(Debug, Clone)]
pub struct HttpResponse {
    /// URL of the response, after redirects.
    pub url: Url,
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl HttpResponse {
    /// Returns `true` if the `Content-Type` is that of an HTML page.
    #[must_use]
    pub fn is_html(&self) -> bool {
        let kind =
            self.content_type().and_then(|kind| kind.split(';').next()).unwrap_or_default().trim();
        ["text/html", "application/xhtml+xml"].iter().any(|html| kind.eq_ignore_ascii_case(html))
    }

    /// Decodes the page with the encoding that the headers or the page declare, or else as UTF-8 if
    /// it is valid.
    #[must_use]
    pub fn page_text(&self) -> String {
        charset::decode(self.content_type(), &self.body)
    }

    fn content_type(&self) -> Option<&str> {
        self.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok())
    }
}

/// HTTP client for remote servers. Clones share connections.
#[derive(Clone)]
pub struct HttpClient {
    inner: Arc<Inner>,
}

struct Inner {
    guard: Guard,
    resolver: Arc<dyn NameResolver>,
    user_agent: String,
    /// Created at first use, because it reads the certificates of the system.
    shared: OnceLock<Client>,
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClient").field("guard", &self.inner.guard).finish_non_exhaustive()
    }
}

impl HttpClient {
    /// Creates a client with this `User-Agent` that may also reach these private addresses.
    #[must_use]
    pub fn new(user_agent: impl Into<String>, allowed: Vec<SocketAddr>) -> Self {
        Self::with_resolver(user_agent, allowed, Arc::new(System))
    }

    /// Creates a client with a custom name resolver.
    #[must_use]
    pub fn with_resolver(
        user_agent: impl Into<String>,
        allowed: Vec<SocketAddr>,
        resolver: Arc<dyn NameResolver>,
    ) -> Self {
        tls::prepare();
        let inner = Inner {
            guard: Guard::new(allowed),
            resolver,
            user_agent: user_agent.into(),
            shared: OnceLock::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Returns a client for one purpose that may also reach the server that the operator
    /// configured, even on a private address.
    ///
    /// # Errors
    /// Returns [`FetchError::Address`] if the URL does not name a server.
    pub fn trusting(&self, server: &Url) -> Result<Self, FetchError> {
        let inner = Inner {
            guard: self.inner.guard.trusting(server)?,
            resolver: Arc::clone(&self.inner.resolver),
            user_agent: self.inner.user_agent.clone(),
            shared: OnceLock::new(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Checks an address to which secrets may be sent, as far as possible without a name lookup: it
    /// uses https, or names an address that the operator allowed.
    ///
    /// # Errors
    /// Returns [`FetchError::Address`] or [`FetchError::Private`].
    pub fn check_secure(&self, url: &Url) -> Result<(), FetchError> {
        let guard = &self.inner.guard;
        match guard.check(url)? {
            Server::Allowed if guard.is_exception_to(url) => Ok(()),
            Server::Allowed | Server::Named { .. } if url.scheme() == "https" => Ok(()),
            Server::Allowed | Server::Named { .. } => {
                Err(FetchError::Address("it does not use https"))
            }
        }
    }

    /// Sends a request and reads the response within `limits`, whether its status is a success or
    /// not.
    ///
    /// # Errors
    /// Returns a [`FetchError`], which tells whether a retry makes sense.
    pub async fn send(
        &self,
        request: &Request,
        limits: Limits,
    ) -> Result<HttpResponse, FetchError> {
        timeout(limits.time, self.follow(request, limits)).await.map_err(|_| FetchError::TooSlow)?
    }

    async fn follow(&self, request: &Request, limits: Limits) -> Result<HttpResponse, FetchError> {
        let first = Url::parse(&request.url).map_err(|_| FetchError::Address("it is malformed"))?;
        let (mut url, mut hops) = (first.clone(), 0);
        loop {
            let is_first_origin = url.origin() == first.origin();
            let response = self.hop(request, &url, is_first_origin).await?;
            if request.method != Method::GET || !response.status().is_redirection() {
                return read(url, response, limits, request.response_body).await;
            }
            let Some(next) = redirect_target(&url, &response)? else {
                return read(url, response, limits, request.response_body).await;
            };
            hops += 1;
            if hops > limits.redirects {
                return Err(FetchError::Redirects);
            }
            url = next;
        }
    }

    /// Sends the request to the server of `url`. `is_first_origin` is `true` if that is the origin
    /// of the first request, which alone receives the custom headers.
    async fn hop(
        &self,
        request: &Request,
        url: &Url,
        is_first_origin: bool,
    ) -> Result<Response, FetchError> {
        let guard = &self.inner.guard;
        let (client, is_trusted) = match guard.check(url)? {
            Server::Allowed => (self.shared()?, false),
            Server::Named { name, port } => {
                (self.client_for(&name, port).await?, guard.trusts(&name, port))
            }
        };
        let mut sent = client.request(request.method.clone(), url.clone());
        if is_first_origin {
            sent = sent.headers(request.headers.clone());
        }
        if !request.body.is_empty() {
            sent = sent.body(request.body.clone());
        }
        let response = sent.send().await.map_err(failed)?;
        match response.remote_addr() {
            Some(peer) if !is_trusted && !guard.allows(peer) => {
                Err(FetchError::Private(peer.ip().to_string()))
            }
            _ => Ok(response),
        }
    }

    /// Returns the client for a name. This is the shared client, which only connects to the public
    /// internet, unless the name resolves to an address that the operator configured. Then it is a
    /// client that is bound to that address.
    async fn client_for(&self, name: &str, port: u16) -> Result<Client, FetchError> {
        let Inner { guard, resolver, .. } = &*self.inner;
        let is_trusted = guard.trusts(name, port);
        if is_trusted || guard.has_exceptions() {
            let found =
                resolver.look_up(name).await.map_err(|error| FetchError::Failed(error.into()))?;
            let mut named: Vec<SocketAddr> =
                found.into_iter().map(|address| (address, port).into()).collect();
            named.retain(|address| is_trusted || guard.is_exception(*address));
            if !named.is_empty() {
                let bound = self.builder().resolve_to_addrs(name, &named);
                return bound.build().map_err(failed);
            }
        }
        check_port(port)?;
        self.shared()
    }

    fn shared(&self) -> Result<Client, FetchError> {
        if let Some(client) = self.inner.shared.get() {
            return Ok(client.clone());
        }
        let client = self.builder().build().map_err(failed)?;
        Ok(self.inner.shared.get_or_init(|| client).clone())
    }

    fn builder(&self) -> ClientBuilder {
        Client::builder()
            .user_agent(&self.inner.user_agent)
            .redirect(Policy::none())
            .no_proxy()
            .referer(false)
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_idle_timeout(IDLE_TIMEOUT)
            .dns_resolver(Arc::new(GlobalOnly(Arc::clone(&self.inner.resolver))))
    }
}

/// Returns the target of a redirect, or `None` for other responses, including 304.
fn redirect_target(url: &Url, response: &Response) -> Result<Option<Url>, FetchError> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
    let location = location.ok_or(FetchError::Redirects)?;
    url.join(location).map(Some).map_err(|_| FetchError::Redirects)
}

async fn read(
    url: Url,
    mut response: Response,
    limits: Limits,
    part: ResponseBody,
) -> Result<HttpResponse, FetchError> {
    if part == ResponseBody::Nothing {
        let (status, headers) = (response.status(), response.headers().clone());
        return Ok(HttpResponse { url, status, headers, body: Vec::new() });
    }
    let beginning_only = part == ResponseBody::Beginning;
    let announced = response.content_length().unwrap_or_default();
    let is_long = usize::try_from(announced).map_or(true, |announced| announced > limits.bytes);
    if is_long && !beginning_only {
        return Err(FetchError::TooLarge);
    }
    let (status, headers) = (response.status(), response.headers().clone());
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        let room = limits.bytes - body.len();
        if chunk.len() > room {
            if !beginning_only {
                return Err(FetchError::TooLarge);
            }
            body.extend_from_slice(&chunk[..room]);
            break;
        }
        body.extend_from_slice(&chunk);
    }
    Ok(HttpResponse { url, status, headers, body })
}

/// Converts an error. A rejection by the resolver is nested in the error of the library.
fn failed(error: reqwest::Error) -> FetchError {
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        if let Some(FetchError::Private(name)) = inner.downcast_ref() {
            return FetchError::Private(name.clone());
        }
        cause = inner.source();
    }
    if error.is_timeout() { FetchError::TooSlow } else { FetchError::Failed(error.into()) }
}
