//! Load test: eight accounts write and sixteen read at the same time, for `SISKIN_SOAK_SECONDS`
//! (default 2).

#![expect(clippy::print_stdout, reason = "a soak test prints its results")]

use std::{
    sync::atomic::Ordering,
    thread,
    time::{Duration, Instant},
};

use rand::seq::IndexedRandom as _;
use siskin_test_support::both_engines;

use super::{
    crowd::{self, Connection},
    from_env,
    ledger::{Burst, Ledger, check_mentions},
};
use crate::program::Program;

const READERS_PER_PERSON: usize = 2;

both_engines! {
    fn all_writers_and_readers_are_served(database: &TestDatabase) {
        let program = Program::on(database).with("SISKIN_RATE_LIMITS_ENABLED", "false");
        let people = crowd::found(&program);
        let server = program.serve();
        let burst = &Burst::default();
        let time = Duration::from_secs(from_env("SISKIN_SOAK_SECONDS", 2));
        let connections = || people.iter().map(|person| Connection::new(person, &server));
        let (mut ledgers, reads) = thread::scope(|scope| {
            let mut readers = Vec::new();
            for reader in (0..READERS_PER_PERSON).flat_map(|_| connections()) {
                readers.push(scope.spawn(move || read(&reader, burst)));
            }
            let writers: Vec<_> = connections()
                .map(|writer| scope.spawn(move || write(&writer, burst)))
                .collect();
            thread::sleep(time);
            burst.over.store(true, Ordering::Relaxed);
            let reads: Vec<Reads> = readers.into_iter().map(|one| one.join().unwrap()).collect();
            let ledgers: Vec<_> = writers.into_iter().map(|one| one.join().unwrap()).collect();
            (ledgers, reads)
        });
        let count: u32 = reads.iter().map(|reads| reads.count).sum();
        let slowest = reads.iter().map(|reads| reads.slowest).max().unwrap();
        let posts = burst.acknowledged.load(Ordering::Relaxed);
        let acts: usize = ledgers.iter().map(|ledger| ledger.acts.len()).sum();
        println!(
            "{:?}: in {time:?} {} writers published {posts} posts and made {acts} other requests, \
             {} readers made {count} requests, the slowest in {slowest:?}",
            database.engine(),
            ledgers.len(),
            reads.len(),
        );
        assert!(posts > 0 && count > 0);
        for (connection, ledger) in connections().zip(&mut ledgers) {
            assert_eq!(ledger.refusals, Vec::<String>::new());
            assert_eq!(ledger.settle(&connection), 0);
        }
        connections().for_each(|connection| check_mentions(&connection, &ledgers));
        let log = program.log();
        for complaint in ["database is locked", "panicked", "ERROR"] {
            assert!(!log.contains(complaint), "{log}");
        }
        program.run(&["doctor"]);
    }
}

fn write(connection: &Connection<'_>, burst: &Burst) -> Ledger {
    let mut ledger = Ledger::default();
    ledger.write(connection, "load", burst);
    ledger
}

struct Reads {
    count: u32,
    slowest: Duration,
}

/// Reads until the burst is over. Panics if a response is not 200.
fn read(connection: &Connection<'_>, burst: &Burst) -> Reads {
    let mut reads = Reads { count: 0, slowest: Duration::ZERO };
    while !burst.over.load(Ordering::Relaxed) {
        let begun = Instant::now();
        connection.get(&random_path(connection, burst));
        reads.slowest = reads.slowest.max(begun.elapsed());
        reads.count += 1;
    }
    reads
}

/// Returns a random path to read.
fn random_path(connection: &Connection<'_>, burst: &Burst) -> String {
    let status = burst.known.lock().unwrap().choose(&mut rand::rng()).cloned();
    let (status, account) = (status.unwrap_or_default(), &connection.person.id);
    let places = [
        "/api/v1/timelines/home".to_owned(),
        "/api/v1/timelines/public".to_owned(),
        "/api/v1/timelines/tag/burst1".to_owned(),
        "/api/v1/notifications".to_owned(),
        format!("/api/v1/accounts/{account}/statuses"),
        format!("/api/v1/statuses/{status}"),
        format!("/api/v1/statuses/{status}/context"),
        format!("/api/v1/statuses/{status}/favourited_by"),
    ];
    // The places with a status come last, and are left out until there is one.
    let known = if status.is_empty() { 5 } else { places.len() };
    places[rand::random_range(0..known)].clone()
}
