//! Tests of the server under load, and killed under load. `make soak` runs them longer.

mod audience;
mod crowd;
mod kill;
mod ledger;
mod load;
mod polls;
mod post;
mod scheduled;
mod streams;
mod uploads;

use std::{env, str::FromStr, time::Duration};

use siskin_persistence::{Store, StoreOptions};
use siskin_test_support::{TestDatabase, due};

/// Returns the value of an environment variable, or else `otherwise`.
fn from_env<T: FromStr>(name: &str, otherwise: T) -> T {
    env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// Makes waiting jobs of a database due, as if this time had passed. No server may use it
/// meanwhile.
fn pass_time(database: &TestDatabase, time: Duration) {
    let store = Store::open(&StoreOptions::new(database.url())).unwrap();
    store.write(move |tx| due::bring_forward(tx, time)).unwrap();
}
