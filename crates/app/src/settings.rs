//! The settings as every request sees them: a snapshot that a change replaces.

use std::sync::{Arc, PoisonError, RwLock};

use siskin_entities::Settings;
use siskin_services::{
    Result,
    settings::{self, FixedSettings},
};
use tokio::sync::Mutex;

use crate::App;

/// The settings in force.
pub(crate) struct CachedSettings {
    fixed: Arc<FixedSettings>,
    now: RwLock<Arc<Settings>>,
    /// Reloads take turns: one that began before a change must not overwrite what came after.
    reloading: Mutex<()>,
}

impl CachedSettings {
    pub(crate) fn new(fixed: FixedSettings, settings: Settings) -> Self {
        let now = RwLock::new(Arc::new(settings));
        Self { fixed: Arc::new(fixed), now, reloading: Mutex::new(()) }
    }

    pub(crate) fn now(&self) -> Arc<Settings> {
        self.now.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl App {
    /// Changes one setting; this process sees it when this returns, others within a second.
    ///
    /// # Errors
    /// As [`settings::set`].
    pub async fn change_setting(&self, key: String, value: String) -> Result<()> {
        let fixed = Arc::clone(&self.inner.settings.fixed);
        self.write(move |tx| settings::set(tx, &fixed, &key, &value)).await?;
        self.reload_settings().await
    }

    /// Reads the settings anew.
    pub(crate) async fn reload_settings(&self) -> Result<()> {
        let cache = &self.inner.settings;
        let _turn = cache.reloading.lock().await;
        let fixed = Arc::clone(&cache.fixed);
        let settings = self.read(move |conn| settings::load(conn, &fixed)).await?;
        *cache.now.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
        Ok(())
    }
}
