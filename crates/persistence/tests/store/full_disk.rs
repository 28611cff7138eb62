//! The file system refuses to write: in a savepoint, in COMMIT, in a checkpoint. A child process
//! writes into a database that cannot grow beyond a few megabytes, and prints the acknowledged
//! rows. Afterwards exactly those rows must exist.

use std::{
    collections::BTreeSet,
    env,
    io::Write,
    path::Path,
    process::{Command, Output},
    thread,
};

use diesel::prelude::*;
use siskin_persistence::{Store, Tx, schema::tags};
use siskin_test_support::{Engine, TestDatabase};

use crate::rows::{names, open};

/// Variable with the address of the database, for the writing process.
const DATABASE: &str = "SISKIN_TEST_DATABASE";
/// Variable with a folder on a file system of a few megabytes, for a test on a really full disk.
const SMALL_DISK: &str = "SISKIN_TEST_SMALL_DISK";
/// Prefix of the output lines that name an acknowledged row.
const ACKNOWLEDGED: &str = "acknowledged ";

#[test]
fn a_size_limited_file_contains_the_acknowledged_rows() {
    let database = TestDatabase::new(Engine::Sqlite);
    // With the signal ignored, the write fails instead of killing the process.
    let limited = "trap '' XFSZ; ulimit -f 6000; exec \"$@\"";
    check_acknowledged(
        database.url(),
        Command::new("sh").args(["-c", limited, "sh"]).arg(program()),
    );
}

#[test]
fn a_full_file_system_contains_the_acknowledged_rows() {
    let Some(folder) = env::var_os(SMALL_DISK) else { return };
    let file = Path::new(&folder).join("siskin.sqlite3");
    check_acknowledged(&format!("sqlite://{}", file.display()), &mut Command::new(program()));
}

fn program() -> std::path::PathBuf {
    env::current_exe().unwrap()
}

fn check_acknowledged(url: &str, command: &mut Command) {
    let arguments = ["--exact", "full_disk::write_until_the_disk_is_full", "--ignored"];
    let output = command.args(arguments).arg("--nocapture").env(DATABASE, url).output().unwrap();
    let acknowledged = acknowledged(&output);
    assert!(acknowledged.len() > 50, "{} rows and {output:?}", acknowledged.len());
    let stored: BTreeSet<String> = names(&open(url)).into_iter().collect();
    assert_eq!(stored, acknowledged);
}

fn acknowledged(output: &Output) -> BTreeSet<String> {
    let output_text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    output_text
        .lines()
        .filter_map(|line| line.strip_prefix(ACKNOWLEDGED))
        .map(str::to_owned)
        .collect()
}

#[test]
#[ignore = "helper process: writes rows for the tests above"]
fn write_until_the_disk_is_full() {
    let store = open(&env::var(DATABASE).unwrap());
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let store = store.clone();
            thread::spawn(move || write(&store, writer))
        })
        .collect();
    let written: BTreeSet<String> =
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect();
    let stored: BTreeSet<String> = names(&store).into_iter().collect();
    assert_eq!(stored, written, "according to this process");
    let mut output = std::io::stdout().lock();
    writeln!(output).unwrap(); // the test runner may have begun a line
    for name in written {
        writeln!(output, "{ACKNOWLEDGED}{name}").unwrap();
    }
}

/// Writes until five writes have failed. Returns the acknowledged names.
fn write(store: &Store, writer: u32) -> Vec<String> {
    let (mut written, mut failed) = (Vec::new(), 0);
    for number in 0..20_000 {
        let name = format!("{writer} {number:05}");
        let row = name.clone();
        match store.write(move |tx| add_large(tx, &row)) {
            Ok(()) => written.push(name),
            Err(_) => failed += 1,
        }
        if failed == 5 {
            return written;
        }
    }
    panic!("the disk was never full")
}

fn add_large(tx: &mut Tx<'_>, name: &str) -> siskin_persistence::Result<()> {
    let row = (
        tags::id.eq(tx.next_id()),
        tags::name.eq(name),
        tags::display_name.eq("x".repeat(3000)),
        tags::created_at.eq(tx.now().unix_ms()),
    );
    diesel::insert_into(tags::table).values(row).execute(&mut **tx)?;
    Ok(())
}
