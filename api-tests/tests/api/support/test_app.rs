//! A server for one test.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, UNIX_EPOCH},
};

use siskin_app::App;
use siskin_entities::Timestamp;
use siskin_ids::{AccountId, ApplicationId};
use siskin_outbound::{LookupFuture, NameResolver};
use siskin_persistence::{
    Clock, Tx,
    tokens::{self, NewToken},
};
use siskin_server::{Config, Running};
use siskin_services::{applications, secrets};
use siskin_test_support::{RedisServer, TestDatabase, builders};
use tempfile::TempDir;

use super::{Client, Response};

/// All scopes of accounts that are not moderators.
const ALL_SCOPES: &str = "read write follow push";

/// A running server with test hooks, reached over HTTP by its clients. Operations without an
/// endpoint go through [`TestApp::app`].
pub struct TestApp {
    running: Running,
    /// Another process of the same instance that serves the streams. `None` if one process does
    /// everything.
    streaming: Option<Running>,
    clock: TestClock,
    http: reqwest::Client,
    media: TempDir,
}

/// An account with a token. Dereferences to the client that uses the token.
pub struct User {
    /// Id of the account as a decimal number.
    pub id: String,
    pub username: String,
    pub client: Client,
}

impl std::ops::Deref for User {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl TestApp {
    pub(super) async fn start(
        database: &TestDatabase,
        configure: impl FnOnce(&mut Config),
    ) -> Self {
        let (clock, media) = (TestClock::default(), TempDir::new().unwrap());
        let mut config = config(database, &clock, media.path());
        configure(&mut config);
        let running = siskin_server::start(config).await.unwrap();
        let http = client_builder().build().unwrap();
        Self { running, streaming: None, clock, http, media }
    }

    /// Starts two processes that share events by `redis`: one serves the streams, the other all
    /// other requests.
    pub(super) async fn start_two(database: &TestDatabase, redis: &RedisServer) -> Self {
        let by_redis = |config: &mut Config| config.redis_url = Some(redis.url());
        let mut app = Self::start(database, by_redis).await;
        let mut second = config(database, &app.clock, app.media.path());
        by_redis(&mut second);
        second.base_url = Some(app.base_url().to_owned());
        app.streaming = Some(siskin_server::start(second).await.unwrap());
        app
    }

    /// Returns the instance behind the server.
    pub fn app(&self) -> &App {
        &self.running.app
    }

    /// Returns the base address, such as `http://127.0.0.1:40123`.
    pub fn base_url(&self) -> &str {
        self.app().urls().base()
    }

    /// Returns the process that serves the streams.
    pub fn streaming(&self) -> &Running {
        self.streaming.as_ref().unwrap_or(&self.running)
    }

    fn client(&self, http: reqwest::Client, token: Option<&str>) -> Client {
        Client::new(http, self.base_url(), token)
            .with_streams_at(format!("http://{}", self.streaming().address))
    }

    /// Returns the folder for uploaded files.
    pub fn media_folder(&self) -> &Path {
        self.media.path()
    }

    /// Returns the domain in handles, such as `127.0.0.1:40123`.
    pub fn domain(&self) -> &str {
        self.app().urls().domain()
    }

    /// Returns a client without a token.
    pub fn anonymous(&self) -> Client {
        self.client(self.http.clone(), None)
    }

    /// Returns a client without a token that uses the bound address, even if the instance has
    /// another base address.
    pub fn behind_the_name(&self) -> Client {
        let address = format!("http://{}", self.running.address);
        Client::new(self.http.clone(), &address, None)
    }

    /// Returns a client without a token that stores cookies, like a browser.
    pub fn browser(&self) -> Client {
        let http = client_builder().cookie_store(true).build().unwrap();
        self.client(http, None)
    }

    /// Returns a client that sends this token, valid or not.
    pub fn with_token(&self, token: &str) -> Client {
        self.client(self.http.clone(), Some(token))
    }

    /// Creates an active account with a token for all scopes. It can sign in with
    /// `USERNAME@example.com` and [`builders::PASSWORD`].
    pub async fn user(&self, username: &str) -> User {
        let (name, base_url) = (username.to_owned(), self.base_url().to_owned());
        let id = self
            .app()
            .write(move |tx| Ok(builders::local_account(tx, &name, &base_url)?))
            .await
            .unwrap();
        let token = self.token(None, Some(id), ALL_SCOPES).await;
        User { id: id.to_string(), username: username.to_owned(), client: self.with_token(&token) }
    }

    /// Returns a client for the same account with another token, which has only these scopes.
    pub async fn user_with_scopes(&self, user: &User, scopes: &str) -> Client {
        let token = self.token(None, Some(user.id.parse().unwrap()), scopes).await;
        self.with_token(&token)
    }

    /// Returns a client with a token that acts for an application alone.
    pub async fn application(&self, scopes: &str) -> Client {
        let application = self.register(scopes).await;
        let token = self.token(Some(application), None, scopes).await;
        self.with_token(&token)
    }

    /// Returns a client for the same account through an application named "Client".
    pub async fn user_by_application(&self, user: &User, scopes: &str) -> Client {
        let application = self.register(scopes).await;
        let token = self.token(Some(application), Some(user.id.parse().unwrap()), scopes).await;
        self.with_token(&token)
    }

    async fn register(&self, scopes: &str) -> ApplicationId {
        let asked = applications::Registration {
            name: "Client".to_owned(),
            redirect_uris: vec!["urn:ietf:wg:oauth:2.0:oob".to_owned()],
            scopes: Some(scopes.to_owned()),
            website: None,
        };
        let prepared = applications::prepare(&asked).unwrap();
        let register = move |tx: &mut Tx<'_>| applications::register(tx, &prepared);
        self.app().write(register).await.unwrap().application.id
    }

    async fn token(
        &self,
        application: Option<ApplicationId>,
        account: Option<AccountId>,
        scopes: &str,
    ) -> String {
        let (token, scopes) = (secrets::generate(), scopes.to_owned());
        let hash = secrets::hash(&token);
        let insert = move |tx: &mut Tx<'_>| {
            let new = NewToken { hash: &hash, application, account, scopes: &scopes };
            Ok(tokens::insert(tx, &new)?)
        };
        self.app().write(insert).await.unwrap();
        token
    }

    /// Moves the instance's clock forward.
    pub fn advance(&self, by: Duration) {
        self.clock.advance(by);
    }

    /// Stores a setting without the checks of this version, as another version of the program
    /// could, and waits until it takes effect.
    pub async fn store_setting(&self, key: &str, value: &str) {
        let (name, text) = (key.to_owned(), value.to_owned());
        let stored =
            move |tx: &mut Tx<'_>| Ok(siskin_persistence::settings::set(tx, &name, &text)?);
        self.app().write(stored).await.unwrap();
        while self.app().settings().get(key).unwrap() != value {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub(super) async fn finish(self) {
        self.app().drain_jobs().await.unwrap();
        if let Some(streaming) = self.streaming {
            streaming.stop().await.unwrap();
        }
        self.running.stop().await.unwrap();
    }
}

fn config(database: &TestDatabase, clock: &TestClock, media: &Path) -> Config {
    let mut config = Config::new(database.url());
    config.bind = "127.0.0.1:0".to_owned();
    config.media_dir = media.to_owned();
    config.test_hooks = true;
    config.clock = clock.as_clock();
    config.names = Some(Arc::new(NoNames));
    // No test asks the DNS servers of the machine.
    config.dns_servers = None;
    config.http_workers = 1;
    config.fixed_settings.push(("rate_limits.enabled".to_owned(), "false".to_owned()));
    config
}

impl User {
    /// Returns the response with the account's own data.
    pub async fn credentials(&self) -> Response {
        self.get("/api/v1/accounts/verify_credentials").await
    }
}

/// Returns the builder of HTTP clients. They do not follow redirects, because tests check these.
/// They load no certificates, because no test uses https, and no proxy, because loopback must not
/// go through one. They reuse no connection: on a busy machine the server may close an idle one at
/// the moment of its reuse.
fn client_builder() -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .tls_certs_only([])
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .pool_max_idle_per_host(0)
}

/// A resolver without names: tests use addresses only.
struct NoNames;

impl NameResolver for NoNames {
    fn look_up(&self, _: &str) -> LookupFuture {
        Box::pin(async { Err(std::io::ErrorKind::NotFound.into()) })
    }
}

/// The system clock plus an offset that tests can increase.
#[derive(Default, Clone)]
struct TestClock {
    ahead_ms: Arc<AtomicI64>,
}

impl TestClock {
    fn as_clock(&self) -> Clock {
        let clock = self.clone();
        Arc::new(move || {
            let now = i64::try_from(UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
            Timestamp::from_unix_ms(now + clock.ahead_ms.load(Ordering::Relaxed))
        })
    }

    fn advance(&self, by: Duration) {
        self.ahead_ms.fetch_add(i64::try_from(by.as_millis()).unwrap(), Ordering::Relaxed);
    }
}
