//! Data about the instance for all visitors: the texts of staff, known servers, and the activity by
//! week. All of it is cached, because anonymous visitors request it.

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use siskin_entities::{InstanceTexts, ShownDomainBlock, WeeklyActivity};
use siskin_services::{
    Result,
    activity::{self, CountActivity},
    instance_domains, instance_texts, peers,
};
use tokio::sync::Mutex;

use crate::{App, Finish, JobHandler, cached::Cached, nothing_to_store};

/// Maximum age of the cached list of servers.
const MAX_AGE_OF_PEERS: Duration = Duration::from_secs(300);
/// Maximum age of the cached activity, and of the list of blocked servers.
const MAX_AGE: Duration = Duration::from_secs(60);

/// Cached data about the instance.
#[derive(Debug)]
pub(crate) struct InstanceData {
    texts: RwLock<Arc<InstanceTexts>>,
    /// Serialises reloads, as for settings.
    reloading: Mutex<()>,
    peers: Cached<Arc<Vec<String>>>,
    activity: Cached<Arc<Vec<WeeklyActivity>>>,
    blocked: Cached<Arc<Vec<ShownDomainBlock>>>,
}

impl InstanceData {
    pub(crate) fn new(texts: InstanceTexts) -> Self {
        Self {
            texts: RwLock::new(Arc::new(texts)),
            reloading: Mutex::new(()),
            peers: Cached::default(),
            activity: Cached::default(),
            blocked: Cached::default(),
        }
    }
}

impl App {
    /// Returns the texts about the instance.
    #[must_use]
    pub fn texts(&self) -> Arc<InstanceTexts> {
        self.inner.data.texts.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Loads the texts about the instance again. Call it after a change of one of them, and after a
    /// change of the settings, which the texts name.
    ///
    /// # Errors
    /// Storage errors only.
    pub async fn reload_texts(&self) -> Result<()> {
        let data = &self.inner.data;
        let _turn = data.reloading.lock().await;
        let (settings, urls) = (self.settings(), self.urls().clone());
        let texts = self.read(move |conn| instance_texts::load(conn, &settings, &urls)).await?;
        *data.texts.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(texts);
        Ok(())
    }

    /// Returns the domains of known servers, at most five minutes old.
    ///
    /// # Errors
    /// Storage errors only.
    pub async fn peers(&self) -> Result<Arc<Vec<String>>> {
        let load = async { Ok(Arc::new(self.read(peers::list).await?)) };
        self.inner.data.peers.get(self.now(), MAX_AGE_OF_PEERS, load).await
    }

    /// Returns the activity of the last weeks, at most a minute old.
    ///
    /// # Errors
    /// Storage errors only.
    pub async fn activity(&self) -> Result<Arc<Vec<WeeklyActivity>>> {
        let now = self.now();
        let load = async { Ok(Arc::new(self.read(move |conn| activity::list(conn, now)).await?)) };
        self.inner.data.activity.get(now, MAX_AGE, load).await
    }

    /// Returns the blocked servers as others see them, at most a minute old. The caller decides who
    /// sees them and their comments.
    ///
    /// # Errors
    /// Storage errors only.
    pub async fn blocked_servers(&self) -> Result<Arc<Vec<ShownDomainBlock>>> {
        let load = async { Ok(Arc::new(self.read(instance_domains::shown).await?)) };
        self.inner.data.blocked.get(self.now(), MAX_AGE, load).await
    }
}

/// Runs [`CountActivity`]. Counts in a read, so that the writer lane is held only for the result.
#[derive(Debug, Clone, Copy)]
pub struct ActivityCounter;

impl JobHandler for ActivityCounter {
    type Job = CountActivity;

    async fn run(&self, app: &App, _: CountActivity) -> Result<Finish> {
        let now = app.now();
        let step = app.read(move |conn| activity::count(conn, now)).await?;
        if step.is_empty() {
            return nothing_to_store();
        }
        Ok(Box::new(move |tx| activity::store(tx, &step)))
    }
}
