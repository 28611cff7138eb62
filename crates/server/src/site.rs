//! An instance for commands: its database, opened while a server may be running.

use anyhow::{Context, Result};
use siskin_media::Media;
use siskin_persistence::{Conn, OnOpen, Role, Store, StoreOptions, Tx};
use siskin_services::{BaseUrl, Instance, settings::FixedSettings};

use crate::{
    cli::{Options, Resolved},
    output::print_error,
    storage,
};

/// Address of an instance that was never started and has no configured address.
const BASE_URL: &str = "http://127.0.0.1:3000";

/// An opened database, with the context that use cases need.
#[derive(Debug)]
pub struct Site {
    pub store: Store,
    pub instance: Instance,
    pub fixed: FixedSettings,
    pub options: Resolved,
    /// `true` if the database remembers the address of the instance.
    is_settled: bool,
}

impl Site {
    /// Opens a database that has the schema of this program, without changing anything.
    ///
    /// # Errors
    /// Those of the options; the database is missing, empty or has another schema.
    pub fn open(options: &Options) -> Result<Self> {
        Self::open_as(options, Role::Command, OnOpen::Require)
    }

    /// Opens a database. Creates or migrates it if needed.
    ///
    /// # Errors
    /// Those of the options; a newer program has migrated the database.
    pub fn open_or_create(options: &Options) -> Result<Self> {
        Self::open_as(options, Role::Command, OnOpen::Migrate)
    }

    /// [`Site::open_or_create`] for a command that needs exclusive access to the database. It is
    /// refused while a server runs on the same `SQLite` file, and a server is refused while it
    /// runs.
    ///
    /// # Errors
    /// As [`Site::open_or_create`].
    pub fn open_exclusively(options: &Options) -> Result<Self> {
        Self::open_as(options, Role::Server, OnOpen::Migrate)
    }

    fn open_as(options: &Options, role: Role, on_open: OnOpen) -> Result<Self> {
        let options = options.resolve()?;
        let store = StoreOptions::new(&options.database_url).role(role).on_open(on_open);
        let store = Store::open(&store)?;
        let (stored_base_url, stored_domain) = store.read(|conn| {
            Ok::<_, siskin_services::Error>((
                Instance::stored_base_url(conn)?,
                Instance::stored_domain(conn)?,
            ))
        })?;
        let is_settled = stored_base_url.is_some();
        let base_url = stored_base_url.or_else(|| options.base_url.clone());
        let instance = at(base_url.as_deref().unwrap_or(BASE_URL), options.test_hooks)?;
        let domain = if is_settled { stored_domain } else { options.domain.clone() };
        let instance = match domain {
            Some(domain) => with_domain(instance, &domain)?,
            None => instance,
        };
        Ok(Self { store, instance, fixed: options.fixed_settings.clone(), options, is_settled })
    }

    /// Settles the address of the instance, for a command that creates accounts: their addresses do
    /// not change later. It stores the address in the options, and prints a warning if none is
    /// known.
    ///
    /// # Errors
    /// The database remembers another address than the options name.
    pub fn settled(mut self) -> Result<Self> {
        if self.options.base_url.is_some() {
            let address = BaseUrl {
                given: self.options.base_url.clone(),
                domain: self.options.domain.clone(),
                default_url: BASE_URL.to_owned(),
                change: false,
                test_hooks: self.options.test_hooks,
            };
            self.instance = self.write(move |tx| Instance::resolve(tx, &address))?.instance;
        } else if !self.is_settled {
            print_error(&format!(
                "The address of this server is not known yet, so the accounts are created for \
                 {BASE_URL}. To use another address, pass --base-url, or run `siskin serve` first."
            ));
        }
        Ok(self)
    }

    /// Opens the storage for uploaded files.
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
        self.store.read(body).map_err(with_cause)
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
        self.store.write(body).map_err(with_cause)
    }
}

/// Builds the instance for this address.
///
/// # Errors
/// If the address is invalid.
pub fn at(base_url: &str, test_hooks: bool) -> Result<Instance> {
    Instance::at(base_url, test_hooks).with_context(|| {
        format!("the base address must be http(s)://HOST[:PORT] without a path, not {base_url}")
    })
}

/// Gives the handles of the instance this domain.
///
/// # Errors
/// If it is no domain.
fn with_domain(instance: Instance, domain: &str) -> Result<Instance> {
    instance
        .with_domain(domain)
        .with_context(|| format!("the domain of handles must be HOST[:PORT], not {domain}"))
}

/// Adds the cause to an error. Clients must not see it, but the operator must.
pub fn with_cause(error: siskin_services::Error) -> anyhow::Error {
    match error {
        siskin_services::Error::Internal(cause)
        | siskin_services::Error::Unavailable(cause)
        | siskin_services::Error::Unreachable(cause) => anyhow::Error::from_boxed(cause),
        other => other.into(),
    }
}
