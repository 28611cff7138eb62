//! What tests need and a machine may lack.

use std::{
    collections::BTreeSet,
    env,
    io::{self, Write},
    sync::{Mutex, PoisonError},
};

/// Set to 1 where a missing service must fail the tests instead of thinning them out.
const REQUIRED: &str = "SISKIN_REQUIRE_SERVICES";

/// Says once on standard error that the tests of `what` are left out, and why.
///
/// # Panics
/// `SISKIN_REQUIRE_SERVICES` is 1.
pub fn skip(what: &'static str, why: &str) {
    static SAID: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    let required = env::var_os(REQUIRED).is_some_and(|value| value == "1");
    assert!(!required, "{REQUIRED} is 1, but {why}");
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(what) {
        // Past the capture of test output: what was left out must be seen when all is green.
        // Nobody listens where standard error is closed.
        drop(io::stderr().write_all(format!("skipped the tests on {what}: {why}\n").as_bytes()));
    }
}
