//! Cached settings: requests see a snapshot that each change replaces.

use std::sync::{Arc, PoisonError, RwLock};

use siskin_entities::{Actor, Settings};
use siskin_services::{
    Result,
    instance_texts::{self, TextChange},
    settings::{self, FixedSettings, SettingChange},
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
    /// Returns the settings that the environment or the configuration file fixes.
    #[must_use]
    pub fn fixed_settings(&self) -> &FixedSettings {
        &self.inner.settings.fixed
    }

    /// Changes one setting for the operator. This process sees the change when this returns, other
    /// processes within a second.
    ///
    /// # Errors
    /// As [`settings::set`].
    pub async fn change_setting(&self, key: String, value: String) -> Result<()> {
        let fixed = Arc::clone(&self.inner.settings.fixed);
        self.write(move |tx| settings::set(tx, Actor::Operator, &fixed, &key, &value)).await?;
        self.reload_settings().await
    }

    /// Changes several settings: all or, if one is refused, none. This process sees the changes when
    /// this returns, other processes within a second.
    ///
    /// # Errors
    /// As [`settings::change`].
    pub async fn change_settings(&self, actor: Actor, changes: Vec<SettingChange>) -> Result<()> {
        let fixed = Arc::clone(&self.inner.settings.fixed);
        let changed = self.write(move |tx| settings::change(tx, actor, &fixed, &changes)).await;
        // Another process may have made the change because of which this one was refused.
        self.reload_settings().await?;
        changed
    }

    /// Changes a text about the instance, and returns whether it was different before. This process
    /// shows it when this returns, other processes within a second.
    ///
    /// # Errors
    /// As [`instance_texts::set`].
    pub async fn change_text(&self, actor: Actor, change: TextChange) -> Result<bool> {
        let fixed = Arc::clone(&self.inner.settings.fixed);
        let changed = self.write(move |tx| instance_texts::set(tx, &fixed, actor, &change)).await;
        // Another process may have made the change because of which this one was refused.
        self.reload_settings().await?;
        changed
    }

    /// Reloads the settings.
    pub(crate) async fn reload_settings(&self) -> Result<()> {
        let cache = &self.inner.settings;
        let _turn = cache.reloading.lock().await;
        let fixed = Arc::clone(&cache.fixed);
        let settings = self.read(move |conn| settings::load(conn, &fixed)).await?;
        *cache.now.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
        // Texts name the title and the contact of the instance.
        self.reload_texts().await
    }
}
