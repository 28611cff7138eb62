//! Documents by which other servers find and read local accounts and their statuses, and the keys of
//! these accounts.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use siskin_entities::{Timestamp, Urls};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{CacheCounters, Conn, Recent};
use siskin_services::{
    Error, Result,
    federation::{Answer, Document, DocumentCache, Found, Key, actors, base, keys, statuses},
};

use crate::{App, app::blocking};

/// Maximum size of the cached documents, in bytes.
const MAX_BYTES: usize = 16 << 20;
/// Assumed size of the key of a document, in bytes.
const KEY: usize = 256;

/// Cached documents, and what else they need.
pub(crate) struct Documents {
    kept: Mutex<Recent<Key, Document>>,
    pub(crate) lookups: CacheCounters,
    /// Turns in which keys are made: they need much time of a processor.
    making_keys: tokio::sync::Mutex<()>,
    /// Whether this process knows that the addresses of this server are fixed.
    is_base_fixed: AtomicBool,
}

impl Default for Documents {
    fn default() -> Self {
        Self {
            kept: Mutex::new(Recent::new(MAX_BYTES)),
            lookups: CacheCounters::default(),
            making_keys: tokio::sync::Mutex::default(),
            is_base_fixed: AtomicBool::new(false),
        }
    }
}

impl Documents {
    fn lock(&self) -> MutexGuard<'_, Recent<Key, Document>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DocumentCache for Documents {
    fn get(&self, key: &Key) -> Option<Document> {
        let found = self.lock().get(key);
        self.lookups.record(usize::from(found.is_some()), usize::from(found.is_none()));
        found.map(|document| Document::clone(&document))
    }

    fn insert(&self, key: Key, document: &Document) {
        let memory = KEY + document.bytes.len();
        self.lock().insert(key, document.clone().into(), memory);
    }
}

impl App {
    /// Returns the document of the local account with this name. Makes its keys if it has none.
    ///
    /// # Errors
    /// Those of [`actors::find`].
    pub async fn actor_document(&self, username: String) -> Result<Found> {
        self.document_with_keys(move |app, conn| {
            actors::find(conn, app.urls(), &username, &app.inner.documents)
        })
        .await
    }

    /// Returns the document of the actor of the whole server. Makes its keys if it has none.
    ///
    /// # Errors
    /// Those of [`actors::instance`].
    pub async fn instance_document(&self) -> Result<Found> {
        self.document_with_keys(|app, conn| {
            actors::instance(conn, app.urls(), &app.inner.documents)
        })
        .await
    }

    /// Returns the document of a status by the local account with this name.
    ///
    /// # Errors
    /// Those of [`statuses::find`].
    pub async fn status_document(&self, username: String, id: StatusId) -> Result<Found> {
        let app = self.clone();
        self.document(move |conn, urls, now| {
            statuses::find(conn, urls, &username, id, now, &app.inner.documents)
        })
        .await
    }

    /// Returns the document of the activity by which the local account with this name published or
    /// reblogged a status.
    ///
    /// # Errors
    /// Those of [`statuses::activity`].
    pub async fn activity_document(&self, username: String, id: StatusId) -> Result<Found> {
        let app = self.clone();
        self.document(move |conn, urls, now| {
            statuses::activity(conn, urls, &username, id, now, &app.inner.documents)
        })
        .await
    }

    /// Returns the document that `find` finds, such as a collection: reads as [`App::read`] does,
    /// and fixes the addresses of this server.
    ///
    /// # Errors
    /// What `find` returns; storage errors.
    pub async fn document<F>(&self, find: F) -> Result<Found>
    where
        F: FnOnce(&mut Conn, &Urls, Timestamp) -> Result<Found> + Send + 'static,
    {
        let app = self.clone();
        let found = self.read(move |conn| find(conn, app.urls(), app.now())).await?;
        self.fix_base().await?;
        Ok(found)
    }

    /// Fixes the addresses of this server, because others learn them now. Costs nothing after the
    /// first call.
    ///
    /// # Errors
    /// Storage errors only.
    pub async fn fix_base(&self) -> Result<()> {
        let is_fixed = &self.inner.documents.is_base_fixed;
        if is_fixed.load(Ordering::Relaxed) {
            return Ok(());
        }
        let urls = self.urls().clone();
        self.write(move |tx| base::fix(tx, &urls)).await?;
        is_fixed.store(true, Ordering::Relaxed);
        Ok(())
    }

    async fn document_with_keys<F>(&self, find: F) -> Result<Found>
    where
        F: Fn(&Self, &mut Conn) -> Result<Answer> + Clone + Send + Sync + 'static,
    {
        let read = || {
            let (app, find) = (self.clone(), find.clone());
            self.read(move |conn| find(&app, conn))
        };
        let answer = match read().await? {
            Answer::WithoutKeys(account) => {
                self.make_keys(account).await?;
                read().await?
            }
            found @ Answer::Found(_) => found,
        };
        let Answer::Found(found) = answer else {
            return Err(Error::internal("the keys of an actor disappeared"));
        };
        self.fix_base().await?;
        Ok(found)
    }

    /// Makes the keys of a local account if it has none. `None` is the actor of the whole server.
    /// Makes one pair at a time, and holds no connection meanwhile.
    ///
    /// # Errors
    /// Storage errors; [`Error::NotFound`] if the account is gone; [`Error::Internal`] if no keys can
    /// be made.
    pub async fn make_keys(&self, account: Option<AccountId>) -> Result<()> {
        let _turn = self.inner.documents.making_keys.lock().await;
        if self.read(move |conn| keys::load(conn, account)).await?.is_some() {
            return Ok(());
        }
        let new = blocking(keys::generate).await?;
        self.write(move |tx| keys::store(tx, account, &new).map(drop)).await
    }
}
