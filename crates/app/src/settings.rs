//! Cached settings: requests see a snapshot that each change replaces.

use std::sync::{Arc, PoisonError, RwLock};

use siskin_entities::Settings;
use siskin_services::{
    Result,
    settings::{self, FixedSettings},
};
use tokio::sync::Mutex;

use crate::App;

/// Cache of the current settings.
pub(crate) struct CachedSettings {
    fixed: Arc<FixedSettings>,
    now: RwLock<Arc<Settings>>,
    /// Serialises reloads: a reload that began before a change must not overwrite a later one.
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
    /// Changes one setting. This process sees the change when this returns, other processes within
    /// a second.
    ///
    /// # Errors
    /// As [`settings::set`].
    pub async fn change_setting(&self, key: String, value: String) -> Result<()> {
        let fixed = Arc::clone(&self.inner.settings.fixed);
        self.write(move |tx| settings::set(tx, &fixed, &key, &value)).await?;
        self.reload_settings().await
    }

    /// Reloads the settings.
    pub(crate) async fn reload_settings(&self) -> Result<()> {
        let cache = &self.inner.settings;
        let _turn = cache.reloading.lock().await;
        let fixed = Arc::clone(&cache.fixed);
        let settings = self.read(move |conn| settings::load(conn, &fixed)).await?;
        *cache.now.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
        Ok(())
    }
}
