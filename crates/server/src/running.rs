//! Start and shutdown of an instance.

use std::{
    net::{SocketAddr, TcpListener},
    sync::Arc,
    time::Duration,
};

use actix_web::{HttpServer, dev::ServerHandle};
use anyhow::{Context, Result, ensure};
use rlimit::Resource;
use siskin_app::{
    ActivityCounter, App, ArchiveWriter, DomainFinder, EmailSender, ExportWriter, FeedBuilder,
    FeedMaintainer, Handlers, KeyMaker, LinkVerifier, Outbound, PageFetcher, PictureProcessor,
    PushDeliverer, ScheduledPublisher, TrendCounter, UnconfirmedRemover, VideoProcessor,
    delete_files, in_transaction,
};
use siskin_http::{ConnectionLimits, Metrics, Serving, TrustedProxies};
use siskin_media::Media;
use siskin_outbound::{DnsClient, HttpClient, openid::OpenIdProvider};
use siskin_persistence::{Store, StoreOptions};
use siskin_services::{
    BaseUrl, Instance, ResolvedInstance, accounts, announcements, attachments, cards, emails,
    external_login, federation, feeds, follow_list, instance_domains, moderation, polls,
    proxies as noted, push, relationships, reports, search, settings::FixedSettings, statuses,
    terms, vapid,
};
use tokio::task::JoinHandle;

use crate::{Config, commands::mail::mailer, site, storage};

/// Number of file descriptors that are reserved for the database, media, child processes and
/// outgoing requests.
const OTHER_FILES: u64 = 256;
/// Maximum number of connections of a process if the system sets no limit.
const MAX_CONNECTIONS: u64 = 16_384;

/// Time after which the rate limits are stored again.
const LIMITS_STORED_EVERY: Duration = Duration::from_secs(10);

/// A running instance.
#[derive(Debug)]
pub struct Running {
    /// Address that it listens on.
    pub address: SocketAddr,
    /// The running application.
    pub app: App,
    handle: ServerHandle,
    server: JoinHandle<std::io::Result<()>>,
    /// Address of the metrics server, and the server.
    metrics: Option<(SocketAddr, ServerHandle)>,
    serving: Serving,
    /// The task that stores the rate limits.
    limits: JoinHandle<()>,
}

impl Running {
    /// Returns the address of the metrics server.
    #[must_use]
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics.as_ref().map(|(address, _)| *address)
    }

    /// Waits until the server ends by itself, which it should not.
    ///
    /// # Errors
    /// The reason why it ended.
    pub async fn ended(&mut self) -> Result<()> {
        (&mut self.server)
            .await
            .context("the server panicked")?
            .context("the server stopped with an error")
    }

    /// Answers the requests in progress, finishes the running jobs, then ends.
    ///
    /// # Errors
    /// The server had already ended with an error.
    pub async fn stop(self) -> Result<()> {
        // Streams would never end by themselves, and clients resume them at another process.
        self.app.close_streams();
        self.handle.stop(true).await;
        if let Some((_, metrics)) = self.metrics {
            metrics.stop(false).await;
        }
        self.limits.abort();
        store_limits(&self.serving).await;
        self.app.shutdown().await;
        self.server
            .await
            .context("the server panicked")?
            .context("the server stopped with an error")
    }
}

/// Opens the database, migrates it and begins to listen; must be called inside a tokio runtime.
///
/// # Errors
/// The address is taken, the database cannot be opened, or a value of `config` is wrong.
pub async fn start(config: Config) -> Result<Running> {
    let listener = TcpListener::bind(&config.bind)
        .with_context(|| format!("cannot listen on {}", config.bind))?;
    let address = listener.local_addr()?;
    let metrics_listener = config.metrics_bind.as_deref().map(bind_metrics).transpose()?;
    let (workers, job_workers) = (config.http_workers, config.job_workers);
    let per_address = config.connections_per_address;
    let redis_url = config.redis_url.clone();
    let proxies = TrustedProxies::parse(&config.trusted_proxies)?;
    let config = Arc::new(config);
    let (opening, trusted) = (Arc::clone(&config), proxies.clone());
    // First, so that no folder for files is created if the database is refused.
    let (store, instance) =
        tokio::task::spawn_blocking(move || open_database(&opening, address, trusted)).await??;
    let media = media(&config).await?;
    let app = tokio::task::spawn_blocking(move || open(&config, store, instance, media)).await??;
    if let Some(url) = redis_url {
        app.share_events(&url)?;
    }
    app.start(job_workers);
    let metrics = metrics_listener.is_some().then(|| Metrics::new(app.clone()));
    let serving = Serving::new(app.clone(), proxies, connections(per_address)?);
    let serving = serving.with_metrics(metrics.clone());
    serving.restore_limits().await.map_err(site::with_cause)?;
    let server = siskin_http::listen(&serving, listener, workers)?;
    let handle = server.handle();
    let metrics = metrics_listener.zip(metrics);
    let metrics =
        metrics.map(|(listener, metrics)| serve_metrics(listener, metrics)).transpose()?;
    let limits = tokio::spawn(keep_limits(serving.clone()));
    Ok(Running { address, app, handle, server: tokio::spawn(server), metrics, serving, limits })
}

/// Stores the rate limits again and again, so that little is forgotten if the process is killed.
async fn keep_limits(serving: Serving) {
    loop {
        tokio::time::sleep(LIMITS_STORED_EVERY).await;
        store_limits(&serving).await;
    }
}

async fn store_limits(serving: &Serving) {
    if let Err(error) = serving.store_limits().await {
        log::warn!("cannot store the rate limits: {error}");
    }
}

fn bind_metrics(address: &str) -> Result<TcpListener> {
    TcpListener::bind(address).with_context(|| format!("cannot serve metrics on {address}"))
}

/// Serves metrics, and nothing else, on a port of their own.
fn serve_metrics(listener: TcpListener, metrics: Metrics) -> Result<(SocketAddr, ServerHandle)> {
    let address = listener.local_addr()?;
    let server = HttpServer::new(move || {
        let metrics = metrics.clone();
        actix_web::App::new().configure(move |config| metrics.configure(config))
    })
    .workers(1)
    .disable_signals()
    .listen(listener)?
    .run();
    let handle = server.handle();
    tokio::spawn(server);
    log::info!("metrics are served on http://{address}/metrics");
    Ok((address, handle))
}

/// Returns the maximum number of connections: the limit of open files minus the reserve.
fn connections(per_address: usize) -> Result<ConnectionLimits> {
    let (files, _) = Resource::NOFILE.get().context("cannot determine the limit of open files")?;
    let total = files.saturating_sub(OTHER_FILES).clamp(OTHER_FILES / 4, MAX_CONNECTIONS);
    Ok(ConnectionLimits { total: usize::try_from(total)?, per_address })
}

/// Opens the database of `config` and settles the address of the instance.
fn open_database(
    config: &Config,
    address: SocketAddr,
    proxies: TrustedProxies,
) -> Result<(Store, Instance)> {
    let store = Store::open(&store_options(config))?;
    let requested = BaseUrl {
        given: config.base_url.clone(),
        domain: config.domain.clone(),
        default_url: format!("http://{address}"),
        change: config.change_base_url,
        test_hooks: config.test_hooks,
    };
    let settled = store.write(move |tx| {
        vapid::ensure(tx)?;
        search::ensure_indexed(tx)?;
        external_login::ensure_key(tx)?;
        noted::remove_trusted(tx, |address| proxies.trusts(address))?;
        Instance::resolve(tx, &requested)
    });
    let settled = settled.map_err(site::with_cause)?;
    warn_about_former_address(&settled);
    Ok((store, settled.instance))
}

/// Warns about accounts that were created under another address, and what no longer works for them.
fn warn_about_former_address(settled: &ResolvedInstance) {
    let here = settled.instance.urls.base();
    if let Some(before) = &settled.before {
        log::warn!("the address of this server changed from {before} to {here}");
    }
    if settled.accounts_under_other_url > 0 {
        log::warn!(
            "{} accounts were created under another address than {here}: published handles, links \
             to profiles and posts, mentions in old posts, and apps that are signed in use the old \
             address; other servers treat these accounts as unknown",
            settled.accounts_under_other_url
        );
    }
}

/// Opens the instance that `config` describes.
fn open(config: &Config, store: Store, instance: Instance, media: Media) -> Result<App> {
    let has_provider = !config.external_logins.is_empty();
    let issuers = config.external_logins.iter().map(|provider| provider.issuer.clone()).collect();
    let fixed = FixedSettings::new(config.fixed_settings.clone())?.with_providers(issuers)?;
    let outbound = outbound(config, &instance)?;
    let app = App::open(store, instance, fixed, handlers(), media, outbound)?;
    ensure!(
        has_provider || !app.settings().external_only,
        "the setting external_only is on, but no provider is configured, so nobody could sign in. \
         Configure one (SISKIN_EXTERNAL_LOGINS), or run `siskin settings set external_only false`"
    );
    if app.settings().federation_mode.is_on() {
        // The environment may have switched it on.
        app.store().write(federation::keys::make_all).map_err(site::with_cause)?;
    }
    Ok(app)
}

/// Opens the storage for uploaded files and checks that it works.
async fn media(config: &Config) -> Result<Media> {
    let storage = storage::storage(&config.media_dir, config.bucket.as_ref())?;
    storage::check(&*storage, &config.media_dir, config.bucket.as_ref()).await?;
    let media = Media::new(storage).with_probed_tools(config.tools.clone()).await;
    media.context("cannot use the media folder")
}

/// Builds the clients for outgoing requests, with the name of the instance as user agent.
fn outbound(config: &Config, instance: &Instance) -> Result<Outbound> {
    let name = format!("Siskin/{} (+{})", env!("CARGO_PKG_VERSION"), instance.urls.base());
    let allowed = config.outbound_allow.clone();
    let http = match &config.names {
        None => HttpClient::new(name, allowed),
        Some(names) => HttpClient::with_resolver(name, allowed, Arc::clone(names)),
    };
    let dns = config.dns_servers.clone().map(DnsClient::new);
    let mail = config.smtp_url.as_deref();
    let mail = mail.map(|url| mailer(url, config.mail_from.as_deref(), instance)).transpose()?;
    let translation = config.translation.as_ref();
    let translator = translation.map(|named| named.translator(&http)).transpose()?;
    let providers = config.external_logins.iter().map(|provider| {
        let client = OpenIdProvider::new(&http, provider.clone());
        client.map(Arc::new).with_context(|| format!("the provider {:?}", provider.id))
    });
    let providers = providers.collect::<Result<_>>()?;
    Ok(Outbound { http, dns, mail, translator, providers })
}

/// Returns the handlers for each kind of job.
fn handlers() -> Handlers {
    Handlers::new()
        .with(in_transaction(relationships::accept_requests))
        .with(in_transaction(relationships::sever_from_server))
        .with(in_transaction(reports::notify_staff))
        .with(in_transaction(reports::resolve_some))
        .with(in_transaction(statuses::notify_subscribers))
        .with(in_transaction(statuses::notify_rebloggers))
        .with(in_transaction(statuses::notify_quoters))
        .with(in_transaction(statuses::remove_step))
        .with(in_transaction(announcements::publish_due))
        .with(in_transaction(announcements::end_due))
        .with(in_transaction(polls::end))
        .with(in_transaction(feeds::fan_out_some))
        .with(FeedBuilder)
        .with(FeedMaintainer)
        .with(ScheduledPublisher)
        .with(LinkVerifier)
        .with(in_transaction(follow_list::import_follows))
        .with(in_transaction(accounts::removal::remove_step))
        .with(in_transaction(moderation::act::delete_suspended))
        .with(in_transaction(moderation::sign_ups::announce_sign_up))
        .with(in_transaction(moderation::sign_ups::mail_sign_ups))
        .with(in_transaction(moderation::sign_ups::remove_rejected))
        .with(EmailSender)
        .with(ExportWriter)
        .with(ArchiveWriter)
        .with(in_transaction(terms::announce_some))
        .with(in_transaction(emails::plan_digests))
        .with(UnconfirmedRemover)
        .with(delete_files())
        .with(PictureProcessor)
        .with(VideoProcessor)
        .with(in_transaction(attachments::sweep))
        .with(PageFetcher)
        .with(in_transaction(cards::raise_statuses))
        .with(in_transaction(cards::sweep))
        .with(in_transaction(search::index_some))
        .with(in_transaction(search::index_author))
        .with(in_transaction(push::plan))
        .with(PushDeliverer::default())
        .with(TrendCounter)
        .with(DomainFinder)
        .with(in_transaction(instance_domains::limit_domain))
        .with(ActivityCounter)
        .with(KeyMaker)
}

fn store_options(config: &Config) -> StoreOptions {
    let options = StoreOptions::new(&config.database_url).clock(config.clock.clone());
    if config.count_statements { options.count_statements() } else { options }
}
