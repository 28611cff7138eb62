//! The services of a server process, shared by all its workers.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
};

use actix_web::{
    HttpRequest,
    web::{Data, ServiceConfig},
};
use siskin_app::App;
use siskin_services::spent_budgets;

use crate::{
    Metrics, TrustedProxies, access_log,
    address::Untrusted,
    connections::{ConnectionLimits, Connections},
    limits::{Limiter, Subject},
    params::Bodies,
    routes,
};

/// The routes with their dependencies. Build one for each process, and [`listen`](crate::listen)
/// with it.
#[derive(Clone)]
pub struct Serving {
    app: Data<App>,
    proxies: Data<TrustedProxies>,
    limiter: Data<Limiter>,
    metrics: Option<Metrics>,
    bodies: Data<Bodies>,
    connections: Arc<Connections>,
    untrusted: Data<Untrusted>,
}

impl Serving {
    /// Builds the service for a running instance, with these trusted proxies and connection limits.
    #[must_use]
    pub fn new(app: App, proxies: TrustedProxies, connections: ConnectionLimits) -> Self {
        let connections = Arc::new(Connections::new(connections));
        let open = Arc::clone(&connections);
        app.when_networks_are_blocked(move |is_blocked| open.close_blocked(is_blocked));
        Self {
            app: Data::new(app),
            proxies: Data::new(proxies),
            limiter: Data::default(),
            bodies: Data::default(),
            connections,
            untrusted: Data::default(),
            metrics: None,
        }
    }

    /// Counts requests in `metrics`.
    #[must_use]
    pub fn with_metrics(self, metrics: Option<Metrics>) -> Self {
        Self { metrics, ..self }
    }

    /// Adds data and routes to an actix application.
    pub(crate) fn configure(&self, config: &mut ServiceConfig) {
        config
            .app_data(self.app.clone())
            .app_data(self.proxies.clone())
            .app_data(self.limiter.clone())
            .app_data(self.untrusted.clone())
            .app_data(self.bodies.clone())
            .app_data(Data::from(Arc::clone(&self.connections)));
        if let Some(metrics) = &self.metrics {
            config.app_data(metrics.clone());
        }
        let named = self.metrics.is_some() || access_log::is_on();
        routes::configure(config, named);
    }

    /// Takes over what was spent of the rate limits before a restart.
    ///
    /// # Errors
    /// Storage errors only.
    pub async fn restore_limits(&self) -> siskin_services::Result<()> {
        let now = self.app.now();
        let stored = self.app.read(move |conn| spent_budgets::load(conn, now)).await?;
        stored.iter().for_each(|budget| self.limiter.restore(budget));
        Ok(())
    }

    /// Stores what was spent of the rate limits since the last call. After an error, the next call
    /// stores the rest.
    ///
    /// # Errors
    /// Storage errors only.
    pub async fn store_limits(&self) -> siskin_services::Result<()> {
        let changed = self.limiter.take_changed();
        let mut rest = changed.as_slice();
        while !rest.is_empty() {
            let (some, others) = rest.split_at(rest.len().min(spent_budgets::STORED_AT_ONCE));
            let stored = some.to_vec();
            if let Err(error) = self.app.write(move |tx| spent_budgets::store(tx, &stored)).await {
                self.limiter.put_back(rest);
                return Err(error);
            }
            rest = others;
        }
        Ok(())
    }

    pub(crate) const fn connections(&self) -> &Arc<Connections> {
        &self.connections
    }

    /// Returns the address that a connection from `peer` counts for. `None` for trusted proxies,
    /// which forward the connections of all their clients.
    pub(crate) fn attempt_key(&self, peer: Option<SocketAddr>) -> Option<IpAddr> {
        let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip().to_canonical());
        (!self.proxies.trusts(peer)).then(|| Subject::network(peer))
    }
}

impl fmt::Debug for Serving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serving").field("app", &self.app).finish_non_exhaustive()
    }
}

/// Returns `true` if the public address of this server uses https.
pub(crate) fn is_secure(request: &HttpRequest) -> bool {
    request.app_data::<Data<App>>().is_some_and(|app| app.urls().base().starts_with("https://"))
}
