//! Crash test for streams: a client subscribes while others post. The server is killed meanwhile,
//! and the connection breaks repeatedly. `SISKIN_KILL_ROUNDS` times (default 2) on one database.

#![expect(clippy::print_stdout, reason = "a soak test prints its results")]

use std::{
    collections::{BTreeSet, HashMap},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use siskin_test_support::both_engines;
use tokio::{
    runtime::{Builder, Runtime},
    time::{sleep, timeout},
};
use tokio_tungstenite::tungstenite::Error;

use super::{
    crowd::{self, Connection, Failure, Person, text},
    from_env,
};
use crate::{
    program::{Program, Server},
    socket::{Frame, Socket},
};

/// The server is killed a random time after it has delivered this number of events.
const ENOUGH_EVENTS: usize = 60;
const MAX_DELAY_MS: u64 = 400;
/// Pause between two posts of an account. Without it the server would have no time to deliver
/// events, and the test would prove nothing.
const PAUSE: Duration = Duration::from_millis(100);
/// The connection breaks after at most this number of events, and is back after at most this time.
const MAX_EVENTS: usize = 30;
const MAX_BREAK_MS: u64 = 50;
/// If no event arrives for this time, none is pending.
const QUIET: Duration = Duration::from_millis(300);
const PATIENCE: Duration = Duration::from_secs(60);

both_engines! {
    fn resumed_streams_receive_missed_events_once_and_in_order(database: &TestDatabase) {
        let program = Program::on(database).with("SISKIN_RATE_LIMITS_ENABLED", "false");
        let people = crowd::found(&program);
        let (reader, writers) = people.split_first().unwrap();
        let mut server = program.serve();
        let mut listener = Listener::new(reader);
        let mut acknowledged = listener.begin(&server, writers);
        for round in 1..=from_env("SISKIN_KILL_ROUNDS", 2) {
            let name = format!("round{round}");
            let published = kill_while_streaming(server, &mut listener, writers, &name);
            let posts = published.len();
            acknowledged.extend(published);
            let (before, breaks) = (listener.received_count(), std::mem::take(&mut listener.breaks));
            server = program.serve();
            listener.receive_the_rest(&server, &acknowledged);
            println!(
                "{:?} round {round}: {posts} posts acknowledged before the end; the connection \
                 broke {breaks} times, then {} missing events were delivered; all {} once and in \
                 order",
                database.engine(),
                listener.received_count() - before,
                listener.received_count(),
            );
        }
    }
}

/// Lets accounts post and kills the server at a random moment. Returns the acknowledged statuses.
fn kill_while_streaming(
    server: Server,
    listener: &mut Listener<'_>,
    writers: &[Person],
    name: &str,
) -> Vec<String> {
    let (acknowledged, received_count) = (Mutex::default(), &AtomicUsize::new(0));
    thread::scope(|scope| {
        for writer in writers {
            let (connection, acknowledged) = (Connection::new(writer, &server), &acknowledged);
            scope.spawn(move || write(&connection, name, acknowledged));
        }
        let address = server.address.clone();
        scope.spawn(move || listener.receive_until_the_server_is_gone(&address, received_count));
        let begun = Instant::now();
        while received_count.load(Ordering::Relaxed) < ENOUGH_EVENTS {
            assert!(begun.elapsed() < PATIENCE, "too few events arrived");
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(rand::random_range(0..MAX_DELAY_MS)));
        server.kill();
    });
    acknowledged.into_inner().unwrap()
}

/// Posts until the server is gone. Every third post mentions the subscriber.
fn write(connection: &Connection<'_>, name: &str, acknowledged: &Mutex<Vec<String>>) {
    for number in 1_usize.. {
        let visibility = ["public", "unlisted", "private"][number % 3];
        let to = if number.is_multiple_of(3) { "@person0" } else { "everybody" };
        let text_of = format!("{name}, {number}: for {to}");
        let parameters = json!({ "status": text_of, "visibility": visibility });
        match connection.post("/api/v1/statuses", &parameters) {
            Ok(status) => acknowledged.lock().unwrap().push(text(&status["id"])),
            Err(Failure::Unanswered(_)) => return,
            Err(Failure::Refused(status, body)) => panic!("{status} {body}"),
        }
        thread::sleep(PAUSE);
    }
}

/// A subscriber of `user` with a connection that breaks.
struct Listener<'p> {
    person: &'p Person,
    runtime: Runtime,
    received: Received,
    /// Number of times that the connection broke.
    breaks: usize,
}

/// Events that were delivered.
#[derive(Default)]
struct Received {
    statuses: BTreeSet<String>,
    notifications: BTreeSet<String>,
    /// Position from which to resume the stream. `None` before the first event.
    last: Option<i64>,
    /// Last status of each author.
    latest: HashMap<String, i64>,
}

impl<'p> Listener<'p> {
    fn new(person: &'p Person) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        Self { person, runtime, received: Received::default(), breaks: 0 }
    }

    /// Follows all writers and waits for a first status of each. Returns these statuses.
    fn begin(&mut self, server: &Server, writers: &[Person]) -> Vec<String> {
        let connection = Connection::new(self.person, server);
        for writer in writers {
            let path = format!("/api/v1/accounts/{}/follow", writer.id);
            connection.post(&path, &json!({})).unwrap();
        }
        let opening = connect(self.person, &server.address, None);
        let mut socket = self.runtime.block_on(opening).expect("the server must be running");
        let publish = |writer: &Person| {
            let writer = Connection::new(writer, server);
            let status = writer.post("/api/v1/statuses", &json!({ "status": "First" })).unwrap();
            let frame = self.runtime.block_on(next(&mut socket)).expect("the connection ended");
            self.received.record(&frame);
            text(&status["id"])
        };
        writers.iter().map(publish).collect()
    }

    /// Receives events until the server is gone. The connection breaks repeatedly and loses pending
    /// events; then the stream is resumed. Counts the events in `received_count`.
    fn receive_until_the_server_is_gone(&mut self, address: &str, received_count: &AtomicUsize) {
        let Self { person, runtime, received, breaks } = self;
        runtime.block_on(async {
            while let Some(mut socket) = connect(person, address, received.last).await {
                for _ in 0..rand::random_range(1..=MAX_EVENTS) {
                    let Some(frame) = next(&mut socket).await else { break };
                    received.record(&frame);
                    received_count.fetch_add(1, Ordering::Relaxed);
                }
                drop(socket);
                *breaks += 1;
                sleep(Duration::from_millis(rand::random_range(0..MAX_BREAK_MS))).await;
            }
        });
    }

    /// Resumes the stream and receives events until all entries of the pages were delivered. Panics
    /// if there is another event, or if an acknowledged status is missing.
    fn receive_the_rest(&mut self, server: &Server, acknowledged: &[String]) {
        let connection = Connection::new(self.person, server);
        let opening = connect(self.person, &server.address, self.received.last);
        let mut socket = self.runtime.block_on(opening).expect("the server must be running");
        let begun = Instant::now();
        loop {
            self.receive_until_quiet(&mut socket);
            let home = ids(&connection, "/api/v1/timelines/home?limit=40");
            let notification_ids = ids(&connection, "/api/v1/notifications?limit=80");
            let lost = acknowledged.iter().find(|status| !home.contains(*status));
            assert_eq!(lost, None, "acknowledged and lost");
            let (statuses, notifications) = (&self.received.statuses, &self.received.notifications);
            if (statuses, notifications) == (&home, &notification_ids) {
                return;
            }
            let unexpected: Vec<_> = statuses
                .difference(&home)
                .chain(notifications.difference(&notification_ids))
                .collect();
            assert!(unexpected.is_empty(), "delivered, but not stored: {unexpected:?}");
            let missing: Vec<_> = home
                .difference(statuses)
                .chain(notification_ids.difference(notifications))
                .collect();
            assert!(begun.elapsed() < PATIENCE, "not delivered: {missing:?}");
        }
    }

    fn receive_until_quiet(&mut self, socket: &mut Socket) {
        let Self { runtime, received, .. } = self;
        runtime.block_on(async {
            while let Ok(frame) = timeout(QUIET, socket.next()).await {
                received.record(&frame.expect("the connection ended"));
            }
        });
    }

    /// Returns the number of delivered events.
    fn received_count(&self) -> usize {
        self.received.statuses.len() + self.received.notifications.len()
    }
}

impl Received {
    /// Records an event. Panics if it was delivered twice, or before an older one.
    fn record(&mut self, frame: &Frame) {
        assert!(self.last < Some(frame.id), "{frame:?} arrived after {:?}", self.last);
        self.last = Some(frame.id);
        let entity = frame.entity();
        let id = text(&entity["id"]);
        let is_new = match frame.event.as_str() {
            "update" => {
                let number: i64 = id.parse().unwrap();
                let before = self.latest.insert(text(&entity["account"]["id"]), number);
                assert!(before < Some(number), "an older event arrived later: {frame:?}");
                self.statuses.insert(id)
            }
            "notification" => self.notifications.insert(id),
            _ => panic!("no client caused this event: {frame:?}"),
        };
        assert!(is_new, "twice: {frame:?}");
    }
}

/// Opens the stream from now on, or resumes it. Returns `None` if the server does not answer.
async fn connect(person: &Person, address: &str, last: Option<i64>) -> Option<Socket> {
    let since = last.map(|last| format!("&since={last}")).unwrap_or_default();
    match Socket::open_as(&person.token, address, &format!("stream=user{since}")).await {
        Ok(socket) => Some(socket),
        Err(Error::Http(response)) => panic!("refused: {response:?}"),
        Err(_) => None,
    }
}

async fn next(socket: &mut Socket) -> Option<Frame> {
    timeout(PATIENCE, socket.next()).await.expect("no event arrived")
}

/// Returns the ids of all entries on all pages of a list.
fn ids(connection: &Connection<'_>, path: &str) -> BTreeSet<String> {
    connection.list(path).iter().map(|one: &Value| text(&one["id"])).collect()
}
