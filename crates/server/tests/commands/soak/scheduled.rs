//! Crash test: servers are killed while many scheduled posts are due, `SISKIN_KILL_ROUNDS` times
//! (default 2) on one database.

#![expect(clippy::print_stdout, reason = "a soak test prints its results")]

use std::{
    thread,
    time::{Duration, Instant},
};

use siskin_persistence::system_time;
use siskin_test_support::both_engines;

use super::{
    crowd::{self, Connection, Person, text},
    from_env,
    ledger::{Ledger, check_mentions, own_statuses},
    pass_time,
    post::Post,
};
use crate::program::{Program, Server};

/// Number of posts that each account schedules in a round. The limit for a day is 25.
const POSTS: usize = 15;
/// The server is killed within this time, in milliseconds. It is about the time that it needs to
/// publish all posts.
const MAX_DELAY_MS: u64 = 150;
/// Time until the posts are due. It is longer than the lease of the jobs of a dead worker.
const AHEAD: Duration = Duration::from_secs(3600);
const PATIENCE: Duration = Duration::from_secs(60);

both_engines! {
    fn scheduled_statuses_are_published_once_despite_kills(database: &TestDatabase) {
        let program = Program::on(database).with("SISKIN_RATE_LIMITS_ENABLED", "false");
        let people = crowd::found(&program);
        let mut ledgers: Vec<Ledger> = people.iter().map(|_| Ledger::default()).collect();
        let mut server = program.serve();
        for round in 1..=from_env("SISKIN_KILL_ROUNDS", 2) {
            let posts: Vec<Vec<Post>> =
                people.iter().map(|person| schedule(&server, person, round)).collect();
            server.kill();
            pass_time(database, AHEAD);
            let killed_after = publish_and_kill(&program);
            pass_time(database, AHEAD);
            program.run(&["doctor"]);
            server = program.serve();
            let (begun, mut remaining) = (Instant::now(), 0);
            for ((person, ledger), posts) in people.iter().zip(&mut ledgers).zip(posts) {
                let connection = Connection::new(person, &server);
                remaining += wait_until_published(&connection, begun);
                record(ledger, &connection, posts);
                assert_eq!(ledger.settle(&connection), 0);
            }
            program.run(&["doctor"]);
            println!(
                "{:?} round {round}: killed after {killed_after:?}, when {remaining} of {} scheduled \
                 posts were not published yet; now all are, once; `doctor` finds no problems",
                database.engine(),
                POSTS * people.len(),
            );
        }
        for person in &people {
            check_mentions(&Connection::new(person, &server), &ledgers);
        }
    }
}

/// Schedules posts of an account for an hour later. All of them are acknowledged.
fn schedule(server: &Server, person: &Person, round: usize) -> Vec<Post> {
    let connection = Connection::new(person, server);
    let at = system_time().after(AHEAD).to_string();
    let scheduled = |number| {
        let key = format!("scheduled{round}-{}-{number}", person.number);
        let post = Post::new(key, person.number, &[]);
        let response = connection.schedule(&post, &at).unwrap();
        assert_eq!(response["params"]["text"], *post.text);
        // The same request again returns the same scheduled status.
        assert_eq!(connection.schedule(&post, &at).unwrap()["id"], response["id"]);
        post
    };
    (0..POSTS).map(scheduled).collect()
}

/// Starts a server when all posts are due and kills it meanwhile. Returns its lifetime.
fn publish_and_kill(program: &Program) -> Duration {
    let server = program.serve();
    let begun = Instant::now();
    thread::sleep(Duration::from_millis(rand::random_range(0..MAX_DELAY_MS)));
    server.kill();
    begun.elapsed()
}

/// Waits until all posts are published. Returns how many of the account's posts were not published
/// at first.
fn wait_until_published(connection: &Connection<'_>, begun: Instant) -> usize {
    let waiting = || connection.list("/api/v1/scheduled_statuses?limit=40").len();
    let at_first = waiting();
    while waiting() > 0 {
        assert!(begun.elapsed() < PATIENCE, "the scheduled posts were not published");
        thread::sleep(Duration::from_millis(50));
    }
    at_first
}

/// Adds acknowledged posts to the ledger: each of them is a status now.
fn record(ledger: &mut Ledger, connection: &Connection<'_>, posts: Vec<Post>) {
    let stored = own_statuses(connection);
    for post in posts {
        let status = stored.get(&post.key).unwrap_or_else(|| panic!("{post:?} is lost"));
        ledger.published.push((text(&status["id"]), post));
    }
}
