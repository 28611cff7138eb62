//! Runs the benchmark with tiny numbers, to check that it works. The measured times mean nothing.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    env,
    io::{self, Write as _},
    path::Path,
    process::Command,
};

use siskin_test_support::Engine;

const PROGRAM: &str = env!("CARGO_BIN_EXE_siskin-bench");

/// Returns `true` if the benchmark can run. Otherwise prints why it is skipped.
///
/// # Panics
/// Panics if it cannot run and `SISKIN_REQUIRE_SERVICES` is 1.
fn can_run() -> bool {
    let missing = if Command::new("wrk").arg("--version").output().is_err() {
        "wrk is not installed"
    } else if !Path::new(PROGRAM).with_file_name("siskin").exists() {
        // A run of the tests of this package alone does not build it.
        "siskin is not built, which --workspace does"
    } else {
        return true;
    };
    let is_required = env::var_os("SISKIN_REQUIRE_SERVICES").is_some_and(|value| value == "1");
    assert!(!is_required, "SISKIN_REQUIRE_SERVICES is 1, but {missing}");
    // Bypasses the capture of test output, so that the message is visible even if all tests pass.
    drop(
        io::stderr()
            .write_all(format!("skipped the test of the benchmark: {missing}\n").as_bytes()),
    );
    false
}

fn bench(arguments: &[&str]) -> String {
    let output = Command::new(PROGRAM)
        .args(["--statuses", "30", "--follows", "3", "--seconds", "1", "--connections", "2"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn two_worlds_are_measured_beside_each_other() {
    if !can_run() {
        return;
    }
    // The mixed scenario contains nearly all other requests.
    let world = ["--accounts", "6", "--engine", "sqlite", "--world", "both"];
    let printed = bench(&[&world[..], &["--only", "mixed"]].concat());
    for part in [
        "SQLite, 6 accounts",
        "readers in the moderated world",
        "| what | connections | CPU ms | moderated | ratio |",
        "| mixed | 2 |",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
}

#[test]
fn trends_push_messages_and_quotes_are_measured() {
    if !can_run() {
        return;
    }
    let arguments = ["--engine", "sqlite", "--only", "home,trends,push", "--messages", "20"];
    let printed = bench(&[&["--accounts", "20"], &arguments[..]].concat());
    for part in ["quoting | ratio |", "| home | 2 |", "| trends | 2 |", "push subscriptions took"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
}

#[test]
fn all_accounts_of_one_world_read_in_turn_on_each_engine() {
    if !can_run() {
        return;
    }
    let world = ["--accounts", "6", "--world", "moderated", "--readers", "all"];
    let printed = bench(&[&world[..], &["--only", "status"]].concat());
    let tables = printed.matches("| status | 2 |").count();
    assert_eq!(tables, 1 + usize::from(Engine::Postgres.is_available()), "{printed}");
    assert!(!printed.contains("ratio") && !printed.contains("| home |"), "{printed}");
}
