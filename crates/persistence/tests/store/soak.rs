//! Eight writers and sixteen readers at once, for `SISKIN_SOAK_SECONDS` (default 2).

#![expect(clippy::print_stdout, reason = "a soak test prints its results")]

use std::{
    env, fs, thread,
    time::{Duration, Instant},
};

use diesel::prelude::*;
use siskin_persistence::{Result, Store, Tx, schema::tags};
use siskin_test_support::{Engine, TestDatabase, both_engines};

use crate::rows::{add, open};

fn duration() -> Duration {
    let seconds = env::var("SISKIN_SOAK_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(seconds.unwrap_or(2))
}

/// Writes until `until`. Returns the number of rows.
fn write(store: &Store, writer: u32, until: Instant) -> u32 {
    let mut written = 0;
    while Instant::now() < until {
        let name = format!("{writer} {written}");
        store.write(move |tx| add(tx, &name)).unwrap();
        written += 1;
    }
    written
}

/// Reads until `until`. The number of visible rows never decreases.
fn read(store: &Store, until: Instant) -> i64 {
    let mut last_count = 0;
    while Instant::now() < until {
        let (count, again) = store
            .read(|conn| -> Result<(i64, i64)> {
                let count = tags::table.count().get_result(conn)?;
                Ok((count, tags::table.count().get_result(conn)?))
            })
            .unwrap();
        assert_eq!(count, again, "one snapshot");
        assert!(count >= last_count, "{count} rows after {last_count}");
        last_count = count;
    }
    last_count
}

/// Holds under readers that never pause all at once.
#[test]
fn the_write_ahead_log_is_bounded() {
    let database = TestDatabase::new(Engine::Sqlite);
    let store = open(database.url());
    let log = format!("{}-wal", database.url().strip_prefix("sqlite://").unwrap());
    let until = Instant::now() + Duration::from_secs(4);
    let (mut written, mut largest) = (0_u64, 0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| read(&store, until));
        }
        while Instant::now() < until {
            store.write(write_a_megabyte).unwrap();
            written += 1;
            largest = fs::metadata(&log).unwrap().len().max(largest);
        }
    });
    let log = fs::metadata(&log).unwrap().len();
    println!("{written} MB were written, the log had up to {largest} bytes, and {log} at the end");
    assert!(log < (32 << 20) + (written << 20) / 2);
}

fn write_a_megabyte(tx: &mut Tx<'_>) -> Result<()> {
    diesel::delete(tags::table.filter(tags::name.eq("large"))).execute(&mut **tx)?;
    let row = (
        tags::id.eq(tx.next_id()),
        tags::name.eq("large"),
        tags::display_name.eq("x".repeat(1 << 20)),
        tags::created_at.eq(0),
    );
    diesel::insert_into(tags::table).values(row).execute(&mut **tx)?;
    Ok(())
}

both_engines! {
    fn concurrent_access_loses_no_write(database: &TestDatabase) {
        let store = open(database.url());
        let until = Instant::now() + duration();
        let (written, read): (u32, i64) = thread::scope(|scope| {
            let store = &store;
            let writers: Vec<_> = (0..8)
                .map(|writer| scope.spawn(move || write(store, writer, until)))
                .collect();
            let readers: Vec<_> = (0..16).map(|_| scope.spawn(move || read(store, until))).collect();
            (
                writers.into_iter().map(|writer| writer.join().unwrap()).sum(),
                readers.into_iter().map(|reader| reader.join().unwrap()).max().unwrap(),
            )
        });
        let stored: i64 = store
            .read(|conn| -> Result<_> { Ok(tags::table.count().get_result(conn)?) })
            .unwrap();
        assert_eq!(stored, i64::from(written));
        assert!(read > 0);
        println!("{written} rows in {:?}", duration());
    }
}
