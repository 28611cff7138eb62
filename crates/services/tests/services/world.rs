//! Instance with a database, for the tests of use cases.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use siskin_entities::Timestamp;
use siskin_ids::AccountId;
use siskin_persistence::{Conn, Store, StoreOptions, Tx, accounts as rows};
use siskin_services::{
    Instance, Result,
    accounts::{self, Created, NewAccount},
};
use siskin_test_support::TestDatabase;

/// An instance at `http://siskin.test` on one test's database.
pub struct World {
    pub instance: Instance,
    store: Store,
    now: Arc<AtomicI64>,
}

impl World {
    pub fn on(database: &TestDatabase) -> Self {
        let now = Arc::new(AtomicI64::new(1_795_766_400_000));
        let clock = {
            let now = Arc::clone(&now);
            Arc::new(move || Timestamp::from_unix_ms(now.load(Ordering::Relaxed)))
        };
        let options = StoreOptions::new(database.url()).clock(clock).count_statements();
        Self {
            instance: Instance::at("http://siskin.test", true).unwrap(),
            store: Store::open(&options).unwrap(),
            now,
        }
    }

    pub fn now(&self) -> Timestamp {
        Timestamp::from_unix_ms(self.now.load(Ordering::Relaxed))
    }

    /// Advances the clock.
    pub fn pass(&self, time: Duration) {
        let ms = i64::try_from(time.as_millis()).unwrap();
        self.now.fetch_add(ms, Ordering::Relaxed);
    }

    pub fn read<T>(&self, body: impl FnOnce(&mut Conn) -> Result<T>) -> T {
        self.store.read(body).unwrap()
    }

    pub fn write<T: Send + 'static>(
        &self,
        body: impl Fn(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.store.write(body)
    }

    /// Counts the statements of `body`.
    pub fn statements<T>(&self, body: impl FnOnce(&Self) -> T) -> u32 {
        drop(self.store.take_counted());
        body(self);
        self.store.take_counted().iter().map(|counted| counted.statements).sum()
    }

    /// Creates an account as the operator does.
    pub fn create(&self, new: NewAccount) -> Result<Created> {
        let prepared = accounts::prepare(&self.instance, new)?;
        self.write(move |tx| accounts::apply(tx, &prepared))
    }

    /// Returns the current state of the account.
    pub fn account(&self, id: AccountId) -> Created {
        self.read(|conn| Ok(rows::find(conn, id)?)).unwrap()
    }

    /// Creates a confirmed and approved account with this name.
    pub fn person(&self, username: &str) -> Created {
        let email = format!("{username}@mail.test");
        self.create(NewAccount::by_operator(username, &email, "correct horse")).unwrap()
    }
}
