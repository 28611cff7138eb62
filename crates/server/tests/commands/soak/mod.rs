//! The server under load, and killed under load. `make soak` takes its time over it.

mod crowd;
mod kill;
mod ledger;
mod load;
mod post;

use std::{env, str::FromStr};

/// What the environment asks for, else `otherwise`.
fn asked<T: FromStr>(name: &str, otherwise: T) -> T {
    env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}
