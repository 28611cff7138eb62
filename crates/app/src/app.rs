//! A running instance, and access to its database.

use std::{fmt, future::Future, panic::Location, sync::Arc};

use siskin_entities::{Settings, Timestamp, Urls};
use siskin_media::Media;
use siskin_persistence::{Conn, Engine, Store, Tx, events, jobs};
use siskin_services::{
    Error, Instance, Result, instance_texts,
    settings::{self as stored, FixedSettings},
    sign_up_blocks::ips,
};

use crate::{
    Outbound, background::Background, bus::Bus, callers::CachedCallers, counts::CachedCounts,
    domain_blocks::CachedDomainBlocks, federation::Documents, filters::CachedFilters,
    instance_data::InstanceData, ip_blocks::CachedIpBlocks, jobs::Handlers,
    mail_servers::LookupMeter, measures::Statistics, media::UploadTurns, readers::Readers,
    settings::CachedSettings, streams::Streams, translation::TranslationService,
};

/// A running instance. Clones share its state.
#[derive(Clone)]
pub struct App {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) store: Store,
    readers: Readers,
    pub(crate) instance: Instance,
    pub(crate) settings: CachedSettings,
    pub(crate) counts: CachedCounts,
    pub(crate) domain_blocks: CachedDomainBlocks,
    pub(crate) data: InstanceData,
    pub(crate) documents: Documents,
    pub(crate) filters: CachedFilters,
    pub(crate) ip_blocks: CachedIpBlocks,
    pub(crate) callers: CachedCallers,
    pub(crate) handlers: Handlers,
    pub(crate) translation_service: TranslationService,
    pub(crate) outbound: Outbound,
    pub(crate) mail_server_lookups: LookupMeter,
    pub(crate) media: Media,
    pub(crate) upload_turns: UploadTurns,
    pub(crate) statistics: Statistics,
    pub(crate) bus: Bus,
    pub(crate) streams: Streams,
    pub(crate) background: Background,
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("instance", &self.inner.instance).finish_non_exhaustive()
    }
}

impl App {
    /// Builds an instance on an open store, with its job handlers, media storage and outbound
    /// clients. Blocks while it reads the settings. No background task runs until [`App::start`].
    ///
    /// # Errors
    /// Storage errors only.
    pub fn open(
        store: Store,
        instance: Instance,
        fixed: FixedSettings,
        handlers: Handlers,
        media: Media,
        outbound: Outbound,
    ) -> Result<Self> {
        // Read all in one snapshot: an event after this position may change a setting after this
        // load.
        let (settings, texts, without_access, position) = store.read(|conn| -> Result<_> {
            let settings = stored::load(conn, &fixed)?;
            let without_access = ips::without_access(conn)?;
            let texts = instance_texts::load(conn, &settings, &instance.urls)?;
            Ok((settings, texts, without_access, events::last_position(conn)?))
        })?;
        if store.engine() == Engine::Sqlite {
            store.write(|tx| -> Result<_> { Ok(jobs::release_all(tx)?) })?;
        }
        let background = Background::default();
        store.on_commit(background.waker());
        let inner = Inner {
            readers: Readers::new(store.usage().pool.size)?,
            store,
            instance,
            settings: CachedSettings::new(fixed, settings),
            counts: CachedCounts::default(),
            domain_blocks: CachedDomainBlocks::default(),
            data: InstanceData::new(texts),
            documents: Documents::default(),
            filters: CachedFilters::default(),
            ip_blocks: CachedIpBlocks::new(without_access.into_iter().collect()),
            callers: CachedCallers::default(),
            handlers,
            translation_service: TranslationService::by(outbound.translator.clone()),
            outbound,
            mail_server_lookups: LookupMeter::default(),
            media,
            upload_turns: UploadTurns::default(),
            statistics: Statistics::default(),
            bus: Bus::new(position),
            streams: Streams::new(position),
            background,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Returns the addresses of this instance, and whether test hooks are on.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        &self.inner.instance
    }

    /// Returns the URL builder of this server.
    #[must_use]
    pub fn urls(&self) -> &Urls {
        &self.inner.instance.urls
    }

    /// Returns the database, for code that may block.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    /// Returns the operator's current settings.
    #[must_use]
    pub fn settings(&self) -> Arc<Settings> {
        self.inner.settings.now()
    }

    /// Returns the current time of the instance's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.inner.store.now()
    }

    /// Runs `body` on one read-only snapshot of the database, on a thread for readers.
    ///
    /// # Errors
    /// What `body` returns; [`Error::Internal`] if it panics.
    #[track_caller]
    pub fn read<T, F>(&self, body: F) -> impl Future<Output = Result<T>> + Send + use<T, F>
    where
        T: Send + 'static,
        F: FnOnce(&mut Conn) -> Result<T> + Send + 'static,
    {
        let (inner, at) = (Arc::clone(&self.inner), Location::caller());
        async move {
            let store = inner.store.clone();
            inner.readers.run(move || store.read_at(at, body)).await
        }
    }

    /// Runs `body` in a write transaction, possibly more than once. Returns after the commit.
    ///
    /// # Errors
    /// What `body` returns; [`Error::Unavailable`] if nothing was written, because the commit
    /// failed or `body` panicked.
    #[track_caller]
    pub fn write<T, F>(&self, body: F) -> impl Future<Output = Result<T>> + Send + use<T, F>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        let (store, at) = (self.inner.store.clone(), Location::caller());
        async move { blocking(move || store.write_at(at, body)).await }
    }

    /// Runs `body` as [`App::write`] does, with what was prepared for it. If the preparation failed,
    /// runs nothing and returns its error.
    ///
    /// # Errors
    /// The error of the preparation, and as [`App::write`].
    #[track_caller]
    pub fn write_prepared<P, T, F>(
        &self,
        prepared: Result<P>,
        body: F,
    ) -> impl Future<Output = Result<T>> + Send + use<P, T, F>
    where
        P: Send + 'static,
        T: Send + 'static,
        F: Fn(&mut Tx<'_>, &P) -> Result<T> + Send + 'static,
    {
        let (store, at) = (self.inner.store.clone(), Location::caller());
        async move {
            let prepared = prepared?;
            blocking(move || store.write_at(at, move |tx| body(tx, &prepared))).await
        }
    }
}

/// Runs `work` on a blocking thread. A panic there fails this request only.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)?
}
