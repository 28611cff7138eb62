//! The guarded HTTP client.
//!
//! Redirects are followed here and not by the library, so that every hop is judged; names are
//! looked up by a resolver of ours, so that the address that is connected to is the one that was
//! judged. No proxy, no cookie, no login.

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
    FetchError, Limits, Names, charset,
    guard::{Guard, Server, judge_port},
    names::{GlobalOnly, System},
    tls,
};

/// Longest wait for one connection.
const CONNECTING: Duration = Duration::from_secs(5);
/// How long a connection is kept for the next request.
const IDLE: Duration = Duration::from_secs(30);

/// What is asked.
#[derive(Debug, Clone)]
pub struct Request {
    method: Method,
    url: String,
    headers: HeaderMap,
    body: Vec<u8>,
    beginning_only: bool,
}

impl Request {
    /// Asks for a page. Redirects are followed.
    #[must_use]
    pub fn get(url: impl Into<String>) -> Self {
        Self {
            method: Method::GET,
            url: url.into(),
            headers: HeaderMap::new(),
            body: Vec::new(),
            beginning_only: false,
        }
    }

    /// Delivers something. A redirect is an answer like others.
    #[must_use]
    pub fn post(url: impl Into<String>, body: Vec<u8>) -> Self {
        Self { method: Method::POST, body, ..Self::get(url) }
    }

    /// With a header more; it does not follow to another server.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// The same, where the beginning will do: a body that is longer than allowed is cut there
    /// instead of being refused.
    #[must_use]
    pub fn beginning_only(self) -> Self {
        Self { beginning_only: true, ..self }
    }
}

/// What came back.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Where it came from, after redirects.
    pub url: Url,
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Answer {
    /// Whether it says that it is a page of HTML.
    #[must_use]
    pub fn is_html(&self) -> bool {
        let kind =
            self.content_type().and_then(|kind| kind.split(';').next()).unwrap_or_default().trim();
        ["text/html", "application/xhtml+xml"].iter().any(|html| kind.eq_ignore_ascii_case(html))
    }

    /// The page as text, in whatever encoding it came: what the headers or the page name, else
    /// UTF-8 where it is that.
    #[must_use]
    pub fn page_text(&self) -> String {
        charset::decode(self.content_type(), &self.body)
    }

    fn content_type(&self) -> Option<&str> {
        self.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok())
    }
}

/// Asks other servers; clones share connections.
#[derive(Clone)]
pub struct HttpClient {
    inner: Arc<Inner>,
}

struct Inner {
    guard: Guard,
    names: Arc<dyn Names>,
    user_agent: String,
    /// Made at the first use, as it reads the certificates of the system.
    shared: OnceLock<Client>,
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClient").field("guard", &self.inner.guard).finish_non_exhaustive()
    }
}

impl HttpClient {
    /// A client that says it is `user_agent`, and may reach these private addresses too.
    #[must_use]
    pub fn new(user_agent: impl Into<String>, allowed: Vec<SocketAddr>) -> Self {
        Self::looking_up(user_agent, allowed, Arc::new(System))
    }

    /// A client that looks up names in its own way.
    #[must_use]
    pub fn looking_up(
        user_agent: impl Into<String>,
        allowed: Vec<SocketAddr>,
        names: Arc<dyn Names>,
    ) -> Self {
        tls::prepare();
        let inner = Inner {
            guard: Guard::new(allowed),
            names,
            user_agent: user_agent.into(),
            shared: OnceLock::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// A client for one purpose that may reach, besides, the server that the operator named by this
    /// address, wherever it is.
    ///
    /// # Errors
    /// [`FetchError::Address`] where that is no server that can be asked.
    pub fn trusting(&self, server: &Url) -> Result<Self, FetchError> {
        let inner = Inner {
            guard: self.inner.guard.trusting(server)?,
            names: Arc::clone(&self.inner.names),
            user_agent: self.inner.user_agent.clone(),
            shared: OnceLock::new(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Sends a request and reads the answer, whatever its status, within `limits`.
    ///
    /// # Errors
    /// [`FetchError`], which says whether trying again makes sense.
    pub async fn send(&self, request: &Request, limits: Limits) -> Result<Answer, FetchError> {
        timeout(limits.time, self.follow(request, limits)).await.map_err(|_| FetchError::TooSlow)?
    }

    async fn follow(&self, request: &Request, limits: Limits) -> Result<Answer, FetchError> {
        let first = Url::parse(&request.url).map_err(|_| FetchError::Address("it is malformed"))?;
        let (mut url, mut hops) = (first.clone(), 0);
        loop {
            let home = url.origin() == first.origin();
            let response = self.hop(request, &url, home).await?;
            if request.method != Method::GET || !response.status().is_redirection() {
                return read(url, response, limits, request.beginning_only).await;
            }
            let Some(next) = next_hop(&url, &response)? else {
                return read(url, response, limits, request.beginning_only).await;
            };
            hops += 1;
            if hops > limits.redirects {
                return Err(FetchError::Redirects);
            }
            url = next;
        }
    }

    /// One exchange with the server that `url` names, `home` being the one that was asked first.
    async fn hop(&self, request: &Request, url: &Url, home: bool) -> Result<Response, FetchError> {
        let guard = &self.inner.guard;
        let (client, is_trusted) = match guard.judge(url)? {
            Server::Judged => (self.shared()?, false),
            Server::Named { name, port } => {
                (self.client_for(&name, port).await?, guard.trusts(&name, port))
            }
        };
        let mut sent = client.request(request.method.clone(), url.clone());
        if home {
            sent = sent.headers(request.headers.clone());
        }
        if !request.body.is_empty() {
            sent = sent.body(request.body.clone());
        }
        let response = sent.send().await.map_err(failed)?;
        match response.remote_addr() {
            Some(peer) if !is_trusted && !guard.permits(peer) => {
                Err(FetchError::Private(peer.ip().to_string()))
            }
            _ => Ok(response),
        }
    }

    /// The client for a name: the shared one, which meets nobody but the open internet, unless the
    /// name means an address that the operator named. Then it is bound to that address.
    async fn client_for(&self, name: &str, port: u16) -> Result<Client, FetchError> {
        let Inner { guard, names, .. } = &*self.inner;
        let is_trusted = guard.trusts(name, port);
        if is_trusted || guard.has_exceptions() {
            let found =
                names.look_up(name).await.map_err(|error| FetchError::Failed(error.into()))?;
            let mut named: Vec<SocketAddr> =
                found.into_iter().map(|address| (address, port).into()).collect();
            named.retain(|address| is_trusted || guard.is_exception(*address));
            if !named.is_empty() {
                let bound = self.builder().resolve_to_addrs(name, &named);
                return bound.build().map_err(failed);
            }
        }
        judge_port(port)?;
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
            .connect_timeout(CONNECTING)
            .pool_idle_timeout(IDLE)
            .dns_resolver(Arc::new(GlobalOnly(Arc::clone(&self.inner.names))))
    }
}

/// Where a redirect leads; None for an answer of that kind that leads nowhere by itself, such as
/// 304.
fn next_hop(url: &Url, response: &Response) -> Result<Option<Url>, FetchError> {
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
    beginning_only: bool,
) -> Result<Answer, FetchError> {
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
    Ok(Answer { url, status, headers, body })
}

/// A refusal by the resolver comes back inside the library's own error.
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
