//! What an instance is started with: everything that is fixed while it runs.
//!
//! Where the values come from (flags, environment, a file) is not known here.

use std::{fmt, net::SocketAddr, path::PathBuf, sync::Arc};

use siskin_media::{S3Options, Tools};
use siskin_outbound::Names;
use siskin_persistence::{Clock, system_time};

use crate::Translation;

/// How to start an instance. [`Config::new`] gives the defaults of everything but the database.
#[derive(Clone)]
pub struct Config {
    /// `HOST:PORT` to listen on; port 0 takes a free one.
    pub bind: String,
    /// `HOST:PORT` where metrics are served; `None`: nowhere.
    pub metrics_bind: Option<String>,
    /// `sqlite://PATH` or `postgres://…`.
    pub database_url: String,
    /// The Redis server that tells several processes of one instance at once what happens; None: they
    /// look by themselves.
    pub redis_url: Option<String>,
    /// The folder of uploaded files; where there is a bucket, of those that are being received.
    pub media_dir: PathBuf,
    /// Where uploaded files lie instead.
    pub bucket: Option<S3Options>,
    /// The programs for videos and recordings; None: pictures alone are taken.
    pub tools: Option<Tools>,
    /// The address under which people reach the server. `None`: the one that the database remembers
    /// or, on a first start, the bound address over plain http.
    pub base_url: Option<String>,
    /// Whether `base_url` may replace another address that the database remembers.
    pub change_base_url: bool,
    /// Whether what tests need is on: workers woken at each commit, short durations accepted.
    pub test_hooks: bool,
    /// Settings that the environment fixes: key and value in its text form.
    pub fixed_settings: Vec<(String, String)>,
    /// Whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<String>,
    /// Private addresses that outgoing requests may reach.
    pub outbound_allow: Vec<SocketAddr>,
    /// The operator's mail server (`smtp://…`, `smtps://…`); None: no mail is sent.
    pub smtp_url: Option<String>,
    /// In whose name mail is sent; None: `siskin@` the host of the base address.
    pub mail_from: Option<String>,
    /// What translates statuses; None: nothing does.
    pub translation: Option<Translation>,
    /// How the names of other servers are looked up; None: as the machine does it.
    pub names: Option<Arc<dyn Names>>,
    /// The instance's clock.
    pub clock: Clock,
    /// Whether the statements of every read and write are counted, for tests.
    pub count_statements: bool,
    /// Connections that one address may have open at the same time, without streams; behind a trusted
    /// proxy, requests under way.
    pub connections_per_address: usize,
    /// Threads that speak HTTP.
    pub http_workers: usize,
    /// Jobs that run at the same time.
    pub job_workers: usize,
}

impl Config {
    /// The defaults on the database at `database_url`.
    #[must_use]
    pub fn new(database_url: impl Into<String>) -> Self {
        Self {
            bind: "127.0.0.1:3000".to_owned(),
            metrics_bind: None,
            database_url: database_url.into(),
            redis_url: None,
            media_dir: PathBuf::from("data/media"),
            bucket: None,
            tools: None,
            base_url: None,
            change_base_url: false,
            test_hooks: false,
            fixed_settings: Vec::new(),
            trusted_proxies: Vec::new(),
            outbound_allow: Vec::new(),
            smtp_url: None,
            mail_from: None,
            translation: None,
            names: None,
            clock: Arc::new(system_time),
            count_statements: false,
            connections_per_address: 256,
            http_workers: std::thread::available_parallelism().map_or(1, usize::from),
            job_workers: 4,
        }
    }
}

impl fmt::Debug for Config {
    /// Without the addresses of the database and the mail server, which may hold passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("bind", &self.bind)
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}
