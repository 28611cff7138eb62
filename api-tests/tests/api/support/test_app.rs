//! A server of its own for one test.

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
use siskin_outbound::{Looked, Names};
use siskin_persistence::{
    Clock, Tx,
    tokens::{self, NewToken},
};
use siskin_server::{Config, Running};
use siskin_services::{applications, secrets};
use siskin_test_support::{RedisServer, TestDatabase, builders};
use tempfile::TempDir;

use super::{Client, Response};

/// Every scope there is for people who are no staff.
const ALL_SCOPES: &str = "read write follow push";

/// A running server with test hooks on, reached over HTTP through its handles. What has no
/// endpoint is done through [`TestApp::app`].
pub struct TestApp {
    running: Running,
    /// Another process of the same instance, as far as can be told from here, which speaks the
    /// streams; None where the one does everything.
    streaming: Option<Running>,
    clock: TestClock,
    http: reqwest::Client,
    media: TempDir,
}

/// A person with a token; derefs to the client that uses it.
pub struct User {
    /// The decimal id of the account.
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

    /// Two processes, which tell each other by `redis` what happens: streams are listened to at the
    /// one, everything else is asked of the other.
    pub(super) async fn start_two(database: &TestDatabase, redis: &RedisServer) -> Self {
        let by_redis = |config: &mut Config| config.redis_url = Some(redis.url());
        let mut app = Self::start(database, by_redis).await;
        let mut second = config(database, &app.clock, app.media.path());
        by_redis(&mut second);
        second.base_url = Some(app.base_url().to_owned());
        app.streaming = Some(siskin_server::start(second).await.unwrap());
        app
    }

    /// The instance behind the server.
    pub fn app(&self) -> &App {
        &self.running.app
    }

    /// The base address, such as `http://127.0.0.1:40123`.
    pub fn base_url(&self) -> &str {
        self.app().urls().base()
    }

    /// The process that speaks the streams.
    pub fn streaming(&self) -> &Running {
        self.streaming.as_ref().unwrap_or(&self.running)
    }

    fn client(&self, http: reqwest::Client, token: Option<&str>) -> Client {
        Client::new(http, self.base_url(), token)
            .with_streams_at(format!("http://{}", self.streaming().address))
    }

    /// The folder of uploaded files.
    pub fn media_folder(&self) -> &Path {
        self.media.path()
    }

    /// The domain in handles, such as `127.0.0.1:40123`.
    pub fn domain(&self) -> &str {
        self.app().urls().domain()
    }

    /// A client without a token.
    pub fn anonymous(&self) -> Client {
        self.client(self.http.clone(), None)
    }

    /// A client without a token that goes to the bound address, wherever the instance says that
    /// it lives.
    pub fn behind_the_name(&self) -> Client {
        let address = format!("http://{}", self.running.address);
        Client::new(self.http.clone(), &address, None)
    }

    /// A client without a token that keeps cookies, as browsers do.
    pub fn browser(&self) -> Client {
        let http = client_builder().cookie_store(true).build().unwrap();
        self.client(http, None)
    }

    /// A client that sends this token, good or not.
    pub fn with_token(&self, token: &str) -> Client {
        self.client(self.http.clone(), Some(token))
    }

    /// A new account in good standing, with a token for everything. The person signs in with
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

    /// The same person by another token, with these scopes alone.
    pub async fn user_with_scopes(&self, user: &User, scopes: &str) -> Client {
        let token = self.token(None, Some(user.id.parse().unwrap()), scopes).await;
        self.with_token(&token)
    }

    /// A client whose token acts for an application and nobody else.
    pub async fn application(&self, scopes: &str) -> Client {
        let application = self.register(scopes).await;
        let token = self.token(Some(application), None, scopes).await;
        self.with_token(&token)
    }

    /// The same person through an application that is called "Client".
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

    /// Stores a setting as another version of the program may have, past what this one refuses, and
    /// waits until it counts.
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
    config.http_workers = 1;
    config.fixed_settings.push(("rate_limits.enabled".to_owned(), "false".to_owned()));
    config
}

impl User {
    /// The person's own account as they see it.
    pub async fn credentials(&self) -> Response {
        self.get("/api/v1/accounts/verify_credentials").await
    }
}

/// Redirects are answers like others here; nobody is met by https, so that no certificates of the
/// system need to be read; loopback must not go through a proxy. No connection is
/// used twice: on a busy machine the server may close an idle one at the moment of its reuse.
fn client_builder() -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .tls_certs_only([])
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .pool_max_idle_per_host(0)
}

/// Tests meet nobody by name.
struct NoNames;

impl Names for NoNames {
    fn look_up(&self, _: &str) -> Looked {
        Box::pin(async { Err(std::io::ErrorKind::NotFound.into()) })
    }
}

/// The system's clock, moved forward at will.
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
