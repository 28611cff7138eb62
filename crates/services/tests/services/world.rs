//! An instance with its database, as the tests of use cases need one.

use std::sync::Arc;

use siskin_entities::Timestamp;
use siskin_persistence::{Conn, Store, StoreOptions, Tx};
use siskin_services::{
    Instance, Result,
    accounts::{self, Created, NewAccount},
};
use siskin_test_support::TestDatabase;

/// An instance at `http://siskin.test` on one test's database.
pub struct World {
    pub instance: Instance,
    store: Store,
}

impl World {
    pub fn on(database: &TestDatabase) -> Self {
        let clock = Arc::new(|| Timestamp::from_unix_ms(1_795_766_400_000));
        let options = StoreOptions::new(database.url()).clock(clock);
        Self {
            instance: Instance::at("http://siskin.test", true).unwrap(),
            store: Store::open(&options).unwrap(),
        }
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

    /// Makes an account as the operator does.
    pub fn create(&self, new: NewAccount) -> Result<Created> {
        let prepared = accounts::prepare(&self.instance, new)?;
        self.write(move |tx| accounts::apply(tx, &prepared))
    }

    /// A confirmed and approved person with this name.
    pub fn person(&self, username: &str) -> Created {
        let email = format!("{username}@mail.test");
        self.create(NewAccount::by_operator(username, &email, "correct horse")).unwrap()
    }
}
