//! Crash test: servers are killed in the middle of a burst of posts, `SISKIN_KILL_ROUNDS` times
//! (default 3) on one database. Another server loses its database connections instead.

#![expect(clippy::print_stdout, reason = "a soak test prints its results")]

use std::{
    sync::atomic::Ordering,
    thread,
    time::{Duration, Instant},
};

use siskin_test_support::{Engine, TestDatabase, both_engines};

use super::{
    crowd::{self, Connection, Person},
    from_env,
    ledger::{Burst, Ledger, check_mentions},
};
use crate::program::{Program, Server};

/// The server is killed a random time after it has acknowledged this number of posts.
const ENOUGH_POSTS: usize = 40;
const MAX_DELAY_MS: u64 = 400;
/// Number of times that database connections are cut, and of posts between two cuts.
const CUTS: usize = 5;
const POSTS_PER_CUT: usize = 10;

both_engines! {
    fn a_killed_server_has_all_acknowledged_writes_and_no_partial_ones(database: &TestDatabase) {
        let program = Program::on(database).with("SISKIN_RATE_LIMITS_ENABLED", "false");
        let people = crowd::found(&program);
        let mut ledgers: Vec<Ledger> = people.iter().map(|_| Ledger::default()).collect();
        let mut burst = Burst::default();
        let mut server = program.serve();
        for round in 1..=from_env("SISKIN_KILL_ROUNDS", 3) {
            let name = format!("round{round}");
            let killed_after = kill_while_writing(server, &people, &mut ledgers, &name, &mut burst);
            program.run(&["doctor"]);
            server = program.serve();
            let open: usize = ledgers.iter().map(|ledger| ledger.open.len()).sum();
            let found = settle(&server, &people, &mut ledgers);
            program.run(&["doctor"]);
            println!(
                "{:?} round {round}: killed after {killed_after:?} with {} posts acknowledged, all \
                 present; of {open} posts without a response, {found} were published, and after \
                 the retry all are, once; `doctor` finds no problems",
                database.engine(),
                burst.acknowledged.load(Ordering::Relaxed),
            );
        }
        for person in &people {
            check_mentions(&Connection::new(person, &server), &ledgers);
        }
    }
}

#[test]
fn responses_are_correct_when_postgres_connections_are_cut() {
    Engine::Postgres.on_fresh_database(|database| {
        let program = Program::on(database).with("SISKIN_RATE_LIMITS_ENABLED", "false");
        let people = crowd::found(&program);
        let mut ledgers: Vec<Ledger> = people.iter().map(|_| Ledger::default()).collect();
        let (burst, server) = (Burst::default(), program.serve());
        cut_while_writing(database, &server, &people, &mut ledgers, &burst);
        let refused: Vec<_> = ledgers.iter().flat_map(|ledger| &ledger.refusals).collect();
        let posts = burst.acknowledged.load(Ordering::Relaxed);
        println!("{CUTS} cuts: {posts} posts acknowledged, {} requests refused", refused.len());
        assert!(refused.iter().all(|refusal| refusal.starts_with("50")), "{refused:?}");
        settle(&server, &people, &mut ledgers);
        program.run(&["doctor"]);
    });
}

/// Lets all accounts write while connections are cut, and some time after.
fn cut_while_writing(
    database: &TestDatabase,
    server: &Server,
    people: &[Person],
    ledgers: &mut [Ledger],
    burst: &Burst,
) {
    thread::scope(|scope| {
        for (person, ledger) in people.iter().zip(ledgers) {
            let connection = Connection::new(person, server);
            scope.spawn(move || ledger.write(&connection, "cut", burst));
        }
        for cut in 1..=CUTS {
            burst.wait_for(cut * POSTS_PER_CUT);
            database.disconnect();
        }
        burst.wait_for((CUTS + 1) * POSTS_PER_CUT);
        burst.over.store(true, Ordering::Relaxed);
    });
}

/// Lets all accounts write and kills the server at a random moment. Returns its lifetime.
fn kill_while_writing(
    server: Server,
    people: &[Person],
    ledgers: &mut [Ledger],
    name: &str,
    burst: &mut Burst,
) -> Duration {
    *burst.acknowledged.get_mut() = 0;
    let (burst, begun) = (&*burst, Instant::now());
    thread::scope(|scope| {
        for (person, ledger) in people.iter().zip(&mut *ledgers) {
            let connection = Connection::new(person, &server);
            scope.spawn(move || ledger.write(&connection, name, burst));
        }
        burst.wait_for(ENOUGH_POSTS);
        thread::sleep(Duration::from_millis(rand::random_range(0..MAX_DELAY_MS)));
        server.kill();
    });
    let refusals: Vec<_> = ledgers.iter().flat_map(|ledger| &ledger.refusals).collect();
    assert!(refusals.is_empty(), "{refusals:?}");
    begun.elapsed()
}

/// Checks all ledgers. Returns the number of posts that were published without a response.
fn settle(server: &Server, people: &[Person], ledgers: &mut [Ledger]) -> usize {
    thread::scope(|scope| {
        let settling: Vec<_> = people
            .iter()
            .zip(ledgers)
            .map(|(person, ledger)| {
                let connection = Connection::new(person, server);
                scope.spawn(move || ledger.settle(&connection))
            })
            .collect();
        settling.into_iter().map(|one| one.join().unwrap()).sum()
    })
}
