//! Handling of missing external services in tests.

use std::{
    collections::BTreeSet,
    env,
    io::{self, Write},
    sync::{Mutex, PoisonError},
};

/// Environment variable, set to 1 if a missing service must fail the tests and not just skip them.
const REQUIRED: &str = "SISKIN_REQUIRE_SERVICES";

/// Prints once to standard error that the tests of `what` are skipped, and why.
///
/// # Panics
/// Panics if `SISKIN_REQUIRE_SERVICES` is 1.
pub fn skip(what: &'static str, why: &str) {
    static REPORTED: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    let required = env::var_os(REQUIRED).is_some_and(|value| value == "1");
    assert!(!required, "{REQUIRED} is 1, but {why}");
    if REPORTED.lock().unwrap_or_else(PoisonError::into_inner).insert(what) {
        // Bypasses the capture of test output, so that skipped tests are visible even if all tests
        // pass. A closed standard error is ignored.
        drop(io::stderr().write_all(format!("skipped the tests on {what}: {why}\n").as_bytes()));
    }
}
