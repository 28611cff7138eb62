//! The running instance: store, clock, settings and what runs beside the requests.
//!
//! HTTP and the command line reach the use cases through [`App::read`] and [`App::write`], one
//! hop to a blocking thread each. No SQL, no JSON, no HTTP here.

use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use siskin_entities::{Settings, Timestamp, Urls};
use siskin_persistence::{Conn, Store, Tx};
use siskin_services::{Error, Instance, Result};

/// A running instance; clones share it.
#[derive(Clone)]
pub struct App {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    instance: Instance,
    settings: RwLock<Arc<Settings>>,
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("instance", &self.inner.instance).finish_non_exhaustive()
    }
}

impl App {
    /// An instance on an opened store.
    #[must_use]
    pub fn new(store: Store, instance: Instance, settings: Settings) -> Self {
        let settings = RwLock::new(Arc::new(settings));
        Self { inner: Arc::new(Inner { store, instance, settings }) }
    }

    /// Where this instance lives.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        &self.inner.instance
    }

    /// The addresses of this server.
    #[must_use]
    pub fn urls(&self) -> &Urls {
        &self.inner.instance.urls
    }

    /// The operator's settings as they are now.
    #[must_use]
    pub fn settings(&self) -> Arc<Settings> {
        self.inner.settings.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Runs `body` with a connection on a blocking thread.
    ///
    /// # Errors
    /// What `body` returns; [`Error::Internal`] where it panics.
    pub async fn read<T: Send + 'static>(
        &self,
        body: impl FnOnce(&mut Conn) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let store = self.inner.store.clone();
        tokio::task::spawn_blocking(move || store.read(body)).await.map_err(Error::internal)?
    }

    /// Runs `body` in a write transaction on a blocking thread, perhaps more than once; the
    /// answer comes after the commit.
    ///
    /// # Errors
    /// What `body` returns; [`Error::Unavailable`] where the commit failed.
    pub async fn write<T: Send + 'static>(
        &self,
        body: impl Fn(&mut Tx<'_>) -> Result<T> + Send + Sync + 'static,
    ) -> Result<T> {
        let store = self.inner.store.clone();
        tokio::task::spawn_blocking(move || store.write(body)).await.map_err(Error::internal)?
    }

    /// The time now, by the instance's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Timestamp::from_unix_ms(
            since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX)),
        )
    }
}
