//! Operations on a whole database: checks, backup and restore.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod archive;
mod doctor;
mod migrations;
mod stale;
mod tables;

use siskin_persistence::{Store, StoreOptions};
use siskin_test_support::TestDatabase;

fn open(database: &TestDatabase) -> Store {
    Store::open(&StoreOptions::new(database.url())).unwrap()
}
