//! Configuration of an instance: everything that is fixed while it runs.
//!
//! This module does not know the sources of the values (flags, environment, a file).

use std::{fmt, net::SocketAddr, path::PathBuf, sync::Arc};

use siskin_media::{S3Options, Tools};
use siskin_outbound::{DnsServers, NameResolver, openid::ProviderConfig};
use siskin_persistence::{Clock, system_time};

use crate::Translation;

/// The configuration of an instance. [`Config::new`] returns the defaults of everything but the
/// database.
#[derive(Clone)]
pub struct Config {
    /// `HOST:PORT` to listen on; port 0 picks a free one.
    pub bind: String,
    /// `HOST:PORT` for metrics. `None` if they are not served.
    pub metrics_bind: Option<String>,
    /// `sqlite://PATH` or `postgres://…`.
    pub database_url: String,
    /// Redis server by which several processes of one instance share events at once. `None` if they
    /// poll the database.
    pub redis_url: Option<String>,
    /// Folder for uploaded files; with a bucket, the folder for uploads in progress.
    pub media_dir: PathBuf,
    /// Bucket for uploaded files, if there is one.
    pub bucket: Option<S3Options>,
    /// Programs for videos and audio. `None` if only pictures are accepted.
    pub tools: Option<Tools>,
    /// Public address of the server. `None` means the address that the database remembers or, on a
    /// first start, the bound address over plain http.
    pub base_url: Option<String>,
    /// Domain of handles, if it is not the host of the public address. `None` means the domain that
    /// the database remembers.
    pub domain: Option<String>,
    /// `true` if `base_url` may replace another address that the database remembers.
    pub change_base_url: bool,
    /// Enables test hooks: workers wake at each commit, and short durations are accepted.
    pub test_hooks: bool,
    /// Settings that the environment fixes: keys with values in text form.
    pub fixed_settings: Vec<(String, String)>,
    /// Proxies with a trusted `X-Forwarded-For` header.
    pub trusted_proxies: Vec<String>,
    /// Private addresses that outgoing requests may connect to.
    pub outbound_allow: Vec<SocketAddr>,
    /// DNS servers that look up the mail servers of email domains, for blocks of email domains.
    /// `None` if they are not looked up.
    pub dns_servers: Option<DnsServers>,
    /// The operator's mail server (`smtp://…`, `smtps://…`). `None` if no email is sent.
    pub smtp_url: Option<String>,
    /// Sender of emails. `None` means `siskin@` and the host of the base URL.
    pub mail_from: Option<String>,
    /// Translation backend for statuses. `None` if there is none.
    pub translation: Option<Translation>,
    /// Providers by which people sign in. Empty if there are none.
    pub external_logins: Vec<ProviderConfig>,
    /// Resolver for the names of other servers. `None` means the resolver of the machine.
    pub names: Option<Arc<dyn NameResolver>>,
    /// Clock of the instance.
    pub clock: Clock,
    /// Counts the statements of every read and write, for tests.
    pub count_statements: bool,
    /// Maximum number of open connections for one address, without streams; behind a trusted proxy,
    /// of requests in progress.
    pub connections_per_address: usize,
    /// Number of threads that serve HTTP.
    pub http_workers: usize,
    /// Number of jobs that run at the same time.
    pub job_workers: usize,
}

impl Config {
    /// Returns the defaults with the database at `database_url`.
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
            domain: None,
            change_base_url: false,
            test_hooks: false,
            fixed_settings: Vec::new(),
            trusted_proxies: Vec::new(),
            outbound_allow: Vec::new(),
            dns_servers: Some(DnsServers::System),
            smtp_url: None,
            mail_from: None,
            translation: None,
            external_logins: Vec::new(),
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
    /// Leaves out the addresses of the database and the mail server, which may contain passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("bind", &self.bind)
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}
