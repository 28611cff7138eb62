//! An instance as a command sees it: its database, opened beside a server that may be running.

use anyhow::{Context, Result};
use siskin_media::Media;
use siskin_persistence::{Conn, Role, Store, StoreOptions, Tx};
use siskin_services::{Instance, settings::FixedSettings};

use crate::{
    cli::{Options, Resolved},
    storage,
};

/// The address of an instance that was never started and is not told where it lives.
const BASE_URL: &str = "http://127.0.0.1:3000";

/// An opened database with what else use cases need to know.
#[derive(Debug)]
pub struct Site {
    pub store: Store,
    pub instance: Instance,
    pub fixed: FixedSettings,
    pub options: Resolved,
}

impl Site {
    /// Opens the database, making and migrating it where that is needed.
    ///
    /// # Errors
    /// Those of the options and of the database.
    pub fn open(options: &Options) -> Result<Self> {
        Self::open_as(options, Role::Command)
    }

    /// [`Site::open`] for a command that needs the database for itself: it is refused while a
    /// server runs on the same `SQLite` file, and the other way round.
    ///
    /// # Errors
    /// As [`Site::open`].
    pub fn open_alone(options: &Options) -> Result<Self> {
        Self::open_as(options, Role::Server)
    }

    fn open_as(options: &Options, role: Role) -> Result<Self> {
        let options = options.resolve()?;
        let store = Store::open(&StoreOptions::new(&options.database_url).role(role))?;
        let remembered = store.read(Instance::remembered)?;
        let base_url = options.base_url.clone().or(remembered);
        let instance = at(base_url.as_deref().unwrap_or(BASE_URL), options.test_hooks)?;
        Ok(Self { store, instance, fixed: options.fixed_settings.clone(), options })
    }

    /// Where uploaded files lie.
    ///
    /// # Errors
    /// Those of the options.
    pub fn media(&self) -> Result<Media> {
        let options = &self.options;
        Ok(Media::new(storage::storage(&options.media_dir, options.bucket.as_ref())?))
    }

    /// Reads one snapshot.
    ///
    /// # Errors
    /// Those of `body`.
    #[track_caller]
    pub fn read<T>(&self, body: impl FnOnce(&mut Conn) -> siskin_services::Result<T>) -> Result<T> {
        self.store.read(body).map_err(explained)
    }

    /// Runs a write transaction.
    ///
    /// # Errors
    /// Those of `body` and of the COMMIT.
    #[track_caller]
    pub fn write<T: Send + 'static>(
        &self,
        body: impl Fn(&mut Tx<'_>) -> siskin_services::Result<T> + Send + 'static,
    ) -> Result<T> {
        self.store.write(body).map_err(explained)
    }
}

/// The instance at this address.
///
/// # Errors
/// It is none.
pub fn at(base_url: &str, test_hooks: bool) -> Result<Instance> {
    Instance::at(base_url, test_hooks).with_context(|| {
        format!("the base address must be http(s)://HOST[:PORT] and no more, not {base_url}")
    })
}

/// An error whose message hides its cause from clients must not hide it from the operator.
fn explained(error: siskin_services::Error) -> anyhow::Error {
    match error {
        siskin_services::Error::Internal(cause) | siskin_services::Error::Unavailable(cause) => {
            anyhow::Error::from_boxed(cause)
        }
        other => other.into(),
    }
}
