//! Metrics in the text format of Prometheus (OpenMetrics).
//!
//! Requests are counted while they are answered. Everything else is read when a scrape asks for it.

use std::{
    borrow::Cow,
    fmt::{self, Debug},
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use actix_web::{
    HttpResponse,
    http::Method,
    web::{self, Data, ServiceConfig},
};
use prometheus_client::{
    encoding::{EncodeLabelSet, text},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Registry, Unit},
};
use siskin_app::{App, Usage};
use siskin_services::Error as Domain;

use crate::{Error, Result};

/// Upper bounds of the histogram of durations, in seconds.
const BUCKETS: [f64; 12] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];
/// Label for requests that match no route.
const NO_ROUTE: &str = "none";
const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The metrics of a server process. Clones share them.
#[derive(Clone)]
pub struct Metrics {
    inner: Arc<Inner>,
}

struct Inner {
    app: App,
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    durations: Family<RouteLabels, Histogram, fn() -> Histogram>,
}

/// Labels of the request counter. No label holds text that a client chose: the number of
/// combinations is bounded by the table of routes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    route: Cow<'static, str>,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    method: &'static str,
    route: Cow<'static, str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindLabels {
    kind: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RunLabels {
    kind: String,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct JobLabels {
    kind: String,
    state: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabels {
    state: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ResultLabels {
    result: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LookupLabels {
    cache: &'static str,
    result: &'static str,
}

type Seconds = Counter<f64, AtomicU64>;
type Number = Gauge<f64, AtomicU64>;

fn histogram() -> Histogram {
    Histogram::new(BUCKETS)
}

impl Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Metrics {
    /// Builds the metrics of a running instance. All counters start at zero.
    #[must_use]
    pub fn new(app: App) -> Self {
        let mut registry = Registry::with_prefix("siskin");
        let requests = Family::<RequestLabels, Counter>::default();
        let durations = Family::<RouteLabels, Histogram, fn() -> Histogram>::new_with_constructor(
            histogram as fn() -> Histogram,
        );
        registry.register("http_requests", "Completed requests", requests.clone());
        registry.register_with_unit(
            "http_request_duration",
            "Time until the response started",
            Unit::Seconds,
            durations.clone(),
        );
        Self { inner: Arc::new(Inner { app, registry, requests, durations }) }
    }

    /// Counts an answered request. `route` is the pattern of its route.
    pub(crate) fn record_request(
        &self,
        method: &Method,
        route: Option<&str>,
        status: u16,
        took: Duration,
    ) {
        let (method, route) = (method_name(method), route.unwrap_or(NO_ROUTE).to_owned());
        let labels = RouteLabels { method, route: route.into() };
        self.inner.durations.get_or_create(&labels).observe(took.as_secs_f64());
        let RouteLabels { method, route } = labels;
        self.inner.requests.get_or_create(&RequestLabels { method, route, status }).inc();
    }

    /// Adds the route `/metrics` to an application that serves nothing else.
    pub fn configure(&self, config: &mut ServiceConfig) {
        config.app_data(Data::new(self.clone())).route("/metrics", web::get().to(show));
    }

    /// Returns all metrics as text.
    ///
    /// # Errors
    /// Storage errors only.
    pub async fn text(&self) -> Result<String> {
        let usage = self.inner.app.usage().await?;
        let mut text = String::new();
        text::encode_registry(&mut text, &self.inner.registry)
            .and_then(|()| text::encode_registry(&mut text, &usage_registry(&usage)))
            .and_then(|()| text::encode_eof(&mut text))
            .map_err(|error| Error::from(Domain::internal(error.to_string())))?;
        Ok(text)
    }
}

async fn show(metrics: Data<Metrics>) -> Result<HttpResponse> {
    let text = metrics.text().await?;
    Ok(HttpResponse::Ok().content_type(CONTENT_TYPE).body(text))
}

/// Returns the name of a method. Names that a client makes up all become `other`.
pub(crate) fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// Builds the registry of the metrics that are read for each scrape.
fn usage_registry(usage: &Usage) -> Registry {
    let mut registry = Registry::with_prefix("siskin");
    jobs(&mut registry, usage);
    caches(&mut registry, usage);
    mail_servers(&mut registry, usage);
    store(&mut registry, usage);
    gauge(&mut registry, "streams", "Open streams", usage.streams as f64);
    registry
}

fn jobs(registry: &mut Registry, usage: &Usage) {
    let (runs, took) =
        (Family::<RunLabels, Counter>::default(), Family::<KindLabels, Seconds>::default());
    for (kind, outcome, ended) in &usage.runs {
        let labels = RunLabels { kind: kind.clone(), outcome: outcome.name() };
        runs.get_or_create(&labels).inc_by(ended.count);
        took.get_or_create(&KindLabels { kind: kind.clone() }).inc_by(ended.took.as_secs_f64());
    }
    registry.register("job_runs", "Job runs completed in this process", runs);
    let help = "Duration of job runs in this process";
    registry.register_with_unit("job_run_duration", help, Unit::Seconds, took);

    let waiting = Family::<JobLabels, Number>::default();
    for (kind, counts) in &usage.jobs {
        for (state, count) in
            [("due", counts.due), ("later", counts.later), ("given_up", counts.dead)]
        {
            let labels = JobLabels { kind: kind.clone(), state };
            waiting.get_or_create(&labels).set(count as f64);
        }
    }
    registry.register(
        "jobs",
        "Jobs in the database: due or running, scheduled for later, dead",
        waiting,
    );
}

fn caches(registry: &mut Registry, usage: &Usage) {
    let lookups = Family::<LookupLabels, Counter>::default();
    for (cache, counted) in &usage.caches {
        for (result, count) in [("hit", counted.hits), ("miss", counted.misses)] {
            lookups.get_or_create(&LookupLabels { cache, result }).inc_by(count);
        }
    }
    registry.register("cache_lookups", "Lookups in the caches of this process", lookups);
}

fn mail_servers(registry: &mut Registry, usage: &Usage) {
    let lookups = Family::<ResultLabels, Counter>::default();
    let counted = usage.mail_server_lookups;
    for (result, count) in [("answered", counted.answered), ("failed", counted.failed)] {
        lookups.get_or_create(&ResultLabels { result }).inc_by(count);
    }
    let help = "Lookups of the mail servers of email domains by this process";
    registry.register("mail_server_lookups", help, lookups);
}

fn store(registry: &mut Registry, usage: &Usage) {
    let pool = usage.store.pool;
    let connections = Family::<StateLabels, Number>::default();
    for (state, count) in [("busy", pool.open.saturating_sub(pool.idle)), ("idle", pool.idle)] {
        connections.get_or_create(&StateLabels { state }).set(f64::from(count));
    }
    registry.register("pool_connections", "Open connections to the database", connections);
    gauge(
        registry,
        "pool_size",
        "Maximum number of connections to the database",
        f64::from(pool.size),
    );
    counter(registry, "commits", "Committed transactions", usage.store.commits);
    let Some(lane) = usage.store.lane else { return };
    gauge(registry, "writer_waiting", "Writes in the queue of the writer", lane.waiting as f64);
    counter(registry, "writer_batches", "Batches committed by the writer", lane.batches);
    counter(registry, "writer_writes", "Writes in these batches", lane.writes);
    let busy = Seconds::default();
    busy.inc_by(lane.busy);
    registry.register_with_unit("writer_busy", "Time the writer was busy", Unit::Seconds, busy);
}

fn gauge(registry: &mut Registry, name: &str, help: &str, value: f64) {
    let gauge = Number::default();
    gauge.set(value);
    registry.register(name, help, gauge);
}

fn counter(registry: &mut Registry, name: &str, help: &str, value: u64) {
    let counter = <Counter>::default();
    counter.inc_by(value);
    registry.register(name, help, counter);
}
