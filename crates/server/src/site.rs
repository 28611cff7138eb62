//! An instance as a command sees it: its database, opened beside a server that may be running.

use anyhow::{Context, Result};
use siskin_media::Media;
use siskin_persistence::{Conn, OnOpen, Role, Store, StoreOptions, Tx};
use siskin_services::{Address, Instance, settings::FixedSettings};

use crate::{
    cli::{Options, Resolved},
    output::complain,
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
    /// Whether the database remembers the address of the instance.
    is_settled: bool,
}

impl Site {
    /// Opens a database that has the schema of this program, and changes nothing.
    ///
    /// # Errors
    /// Those of the options; the database is missing, empty or has another schema.
    pub fn open(options: &Options) -> Result<Self> {
        Self::open_as(options, Role::Command, OnOpen::Require)
    }

    /// Opens a database, and makes or migrates it first if that is needed.
    ///
    /// # Errors
    /// Those of the options; a newer program has migrated the database.
    pub fn open_or_make(options: &Options) -> Result<Self> {
        Self::open_as(options, Role::Command, OnOpen::Migrate)
    }

    /// [`Site::open_or_make`] for a command that needs the database for itself: it is refused while
    /// a server runs on the same `SQLite` file, and the other way round.
    ///
    /// # Errors
    /// As [`Site::open_or_make`].
    pub fn open_or_make_alone(options: &Options) -> Result<Self> {
        Self::open_as(options, Role::Server, OnOpen::Migrate)
    }

    fn open_as(options: &Options, role: Role, on_open: OnOpen) -> Result<Self> {
        let options = options.resolve()?;
        let store = StoreOptions::new(&options.database_url).role(role).on_open(on_open);
        let store = Store::open(&store)?;
        let remembered = store.read(Instance::remembered)?;
        let is_settled = remembered.is_some();
        let base_url = remembered.or_else(|| options.base_url.clone());
        let instance = at(base_url.as_deref().unwrap_or(BASE_URL), options.test_hooks)?;
        Ok(Self { store, instance, fixed: options.fixed_settings.clone(), options, is_settled })
    }

    /// For a command that makes accounts: their addresses do not change later. The address that the
    /// options name is remembered; a warning is printed if none is known.
    ///
    /// # Errors
    /// The database remembers another address than the options name.
    pub fn settled(mut self) -> Result<Self> {
        if self.options.base_url.is_some() {
            let address = Address {
                given: self.options.base_url.clone(),
                otherwise: BASE_URL.to_owned(),
                change: false,
                test_hooks: self.options.test_hooks,
            };
            self.instance = self.write(move |tx| Instance::settle(tx, &address))?.instance;
        } else if !self.is_settled {
            complain(&format!(
                "The address of this server is not known yet: accounts are made for {BASE_URL}. \
                 If it is another, name it with --base-url, or run `siskin serve` first."
            ));
        }
        Ok(self)
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
pub fn explained(error: siskin_services::Error) -> anyhow::Error {
    match error {
        siskin_services::Error::Internal(cause)
        | siskin_services::Error::Unavailable(cause)
        | siskin_services::Error::Unreachable(cause) => anyhow::Error::from_boxed(cause),
        other => other.into(),
    }
}
