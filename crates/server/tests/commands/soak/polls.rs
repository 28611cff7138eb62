//! Crash test: servers are killed while polls end, `SISKIN_KILL_ROUNDS` times (default 2) on one
//! database.

#![expect(clippy::print_stdout, reason = "a soak test prints its results")]

use std::{
    collections::BTreeMap,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use siskin_test_support::both_engines;

use super::{
    crowd::{self, Connection, PEOPLE, Person, text},
    from_env, pass_time,
};
use crate::program::{Program, Server};

/// Number of polls that each account opens in a round.
const POLLS: usize = 6;
/// Minimum duration of a poll.
const LASTS: Duration = Duration::from_secs(300);
/// The server is killed a random time after the first notification, at most this many milliseconds.
const MAX_DELAY_MS: u64 = 80;
const PATIENCE: Duration = Duration::from_secs(60);

both_engines! {
    fn poll_end_notifications_are_sent_once_despite_kills(database: &TestDatabase) {
        let program = Program::on(database).with("SISKIN_RATE_LIMITS_ENABLED", "false");
        let people = crowd::found(&program);
        let mut polls = Vec::new();
        let mut server = program.serve();
        for round in 1..=from_env("SISKIN_KILL_ROUNDS", 2) {
            let before = polls.len();
            polls.extend(open_polls(&server, &people));
            server.kill();
            pass_time(database, 2 * LASTS);
            server = program.serve();
            let notifications = kill_while_polls_end(server, &people[0], before);
            pass_time(database, 2 * LASTS);
            server = program.serve();
            wait_for_all(&server, &people, &polls);
            program.run(&["doctor"]);
            println!(
                "{:?} round {round}: killed after notifications of the end of {notifications} of {} polls; \
                 then all {PEOPLE} users are notified of each, once; `doctor` finds no problems",
                database.engine(),
                polls.len() - before,
            );
        }
    }
}

/// Opens polls of all accounts, and lets every account vote in the polls of the others. Returns the
/// statuses.
fn open_polls(server: &Server, people: &[Person]) -> Vec<String> {
    let connections: Vec<_> = people.iter().map(|person| Connection::new(person, server)).collect();
    let mut statuses = Vec::new();
    for author in connections.iter().cycle().take(PEOPLE * POLLS) {
        let poll = json!({ "options": ["yes", "no"], "expires_in": LASTS.as_secs() });
        let status = author.post("/api/v1/statuses", &json!({ "status": "Well?", "poll": poll }));
        let status = status.unwrap();
        let votes = format!("/api/v1/polls/{}/votes", text(&status["poll"]["id"]));
        for voter in connections.iter().filter(|one| one.person.id != author.person.id) {
            voter.post(&votes, &json!({ "choices": [voter.person.number % 2] })).unwrap();
        }
        statuses.push(text(&status["id"]));
    }
    statuses
}

/// Kills the server at a random moment after it has begun to send notifications. Returns how many
/// it had sent a moment before.
fn kill_while_polls_end(server: Server, person: &Person, before: usize) -> usize {
    let connection = Connection::new(person, &server);
    let begun = Instant::now();
    while notifications(&connection).len() == before {
        assert!(begun.elapsed() < PATIENCE, "no poll ends");
    }
    thread::sleep(Duration::from_millis(rand::random_range(0..MAX_DELAY_MS)));
    let notifications = notifications(&connection).len() - before;
    server.kill();
    notifications
}

/// Waits for the notifications. Panics if an account lacks one for the end of a poll, or has one
/// twice.
fn wait_for_all(server: &Server, people: &[Person], polls: &[String]) {
    let begun = Instant::now();
    for person in people {
        let connection = Connection::new(person, server);
        while notifications(&connection).len() < polls.len() {
            assert!(begun.elapsed() < PATIENCE, "{} is not notified of all polls", person.name);
            thread::sleep(Duration::from_millis(20));
        }
        let notifications = notifications(&connection);
        assert!(
            notifications.values().all(|times| *times == 1),
            "notified twice: {notifications:?}"
        );
        assert!(polls.iter().all(|poll| notifications.contains_key(poll)), "{notifications:?}");
        let last = polls.last().expect("every round opens polls");
        let status = connection.get(&format!("/api/v1/statuses/{last}"));
        let poll = &status["poll"];
        assert_eq!((&poll["expired"], &poll["votes_count"]), (&json!(true), &json!(PEOPLE - 1)));
    }
}

/// Returns the polls for which an account has notifications, with their number.
fn notifications(connection: &Connection<'_>) -> BTreeMap<String, usize> {
    let mut notifications = BTreeMap::new();
    for notification in connection.list("/api/v1/notifications?types[]=poll&limit=80") {
        *notifications.entry(text(&notification["status"]["id"])).or_default() += 1;
    }
    notifications
}
