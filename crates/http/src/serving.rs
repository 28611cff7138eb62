//! What a server process serves with, shared by all its workers.

use std::fmt;

use actix_web::{
    HttpRequest,
    web::{Data, ServiceConfig},
};
use siskin_app::App;

use crate::{Metrics, TrustedProxies, access_log, limits::Limiter, routes};

/// The routes with everything they need. Make one for each process, clone it for each worker, and
/// wrap the application in [`crate::around`]:
///
/// ```ignore
/// let serving = Serving::new(app, proxies);
/// HttpServer::new(move || {
///     let serving = serving.clone();
///     actix_web::App::new().wrap(from_fn(siskin_http::around)).configure(move |c| serving.configure(c))
/// })
/// ```
#[derive(Clone)]
pub struct Serving {
    app: Data<App>,
    proxies: Data<TrustedProxies>,
    limiter: Data<Limiter>,
    metrics: Option<Metrics>,
}

impl Serving {
    /// What serves a running instance and believes these proxies.
    #[must_use]
    pub fn new(app: App, proxies: TrustedProxies) -> Self {
        Self {
            app: Data::new(app),
            proxies: Data::new(proxies),
            limiter: Data::default(),
            metrics: None,
        }
    }

    /// Counts requests in `metrics`.
    #[must_use]
    pub fn counting(self, metrics: Option<Metrics>) -> Self {
        Self { metrics, ..self }
    }

    /// Adds data and routes to an actix application.
    pub fn configure(&self, config: &mut ServiceConfig) {
        config
            .app_data(self.app.clone())
            .app_data(self.proxies.clone())
            .app_data(self.limiter.clone());
        if let Some(metrics) = &self.metrics {
            config.app_data(metrics.clone());
        }
        let named = self.metrics.is_some() || access_log::is_on();
        routes::configure(config, named);
    }
}

impl fmt::Debug for Serving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serving").field("app", &self.app).finish_non_exhaustive()
    }
}

/// Whether people reach this server by https.
pub(crate) fn is_secure(request: &HttpRequest) -> bool {
    request.app_data::<Data<App>>().is_some_and(|app| app.urls().base().starts_with("https://"))
}
