//! Tests of the program `with-database`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::{Command, Output};

fn with_database(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_with-database")).args(arguments).output().unwrap()
}

#[test]
fn the_command_gets_a_url_of_the_requested_engine() {
    for engine in ["sqlite", "postgres"] {
        let output = with_database(&[engine, "sh", "-c", "echo $SISKIN_DATABASE_URL"]);
        assert!(output.status.success());
        let url = String::from_utf8(output.stdout).unwrap();
        let skipped = String::from_utf8(output.stderr).unwrap().contains("skipped");
        assert!(skipped || url.starts_with(&format!("{engine}://")), "{url}");
    }
}

#[test]
fn a_failing_command_fails_the_program() {
    assert!(!with_database(&["sqlite", "false"]).status.success());
    assert!(!with_database(&["sqlite", "/nonexistent"]).status.success());
    assert!(!with_database(&["oracle", "true"]).status.success());
    assert!(!with_database(&["sqlite"]).status.success());
}
