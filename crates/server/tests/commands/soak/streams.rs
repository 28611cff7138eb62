//! A client that listens while others post: the server is killed in the middle of it, and the line
//! breaks again and again. `SISKIN_KILL_ROUNDS` times on one database, 2 where it is not set.

#![expect(clippy::print_stdout, reason = "a soak says what it did")]

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
    asked,
    crowd::{self, Connection, Failure, Person, text},
};
use crate::{
    program::{Program, Server},
    socket::{Frame, Socket},
};

/// The server is killed once it told so much of the burst, and some time later.
const ENOUGH_EVENTS: usize = 60;
const LATER_MS: u64 = 400;
/// Between two posts of somebody: a server that has no time to tell anything is no test of it.
const PAUSE: Duration = Duration::from_millis(100);
/// The line breaks after at most so many events, and is there again after at most so long.
const MOST_EVENTS: usize = 30;
const LONGEST_BREAK_MS: u64 = 50;
/// Nothing is on its way any more where nothing comes for so long.
const QUIET: Duration = Duration::from_millis(300);
const PATIENCE: Duration = Duration::from_secs(60);

both_engines! {
    fn whoever_comes_back_is_told_what_was_missed_once_and_in_order(database: &TestDatabase) {
        let program = Program::on(database).with("SISKIN_RATE_LIMITS_ENABLED", "false");
        let people = crowd::found(&program);
        let (reader, writers) = people.split_first().unwrap();
        let mut server = program.serve();
        let mut listener = Listener::new(reader);
        let mut acknowledged = listener.begin(&server, writers);
        for round in 1..=asked("SISKIN_KILL_ROUNDS", 2) {
            let name = format!("round{round}");
            let published = kill_while_telling(server, &mut listener, writers, &name);
            let posts = published.len();
            acknowledged.extend(published);
            let (before, breaks) = (listener.told(), std::mem::take(&mut listener.breaks));
            server = program.serve();
            listener.hear_the_rest(&server, &acknowledged);
            println!(
                "{:?} round {round}: {posts} posts acknowledged before the end; the line broke {breaks} \
                 times, then {} events were missing and told; all {} once and in order",
                database.engine(),
                listener.told() - before,
                listener.told(),
            );
        }
    }
}

/// Lets people post and kills the server at some moment; returns the statuses that it acknowledged.
fn kill_while_telling(
    server: Server,
    listener: &mut Listener<'_>,
    writers: &[Person],
    name: &str,
) -> Vec<String> {
    let (acknowledged, told) = (Mutex::default(), &AtomicUsize::new(0));
    thread::scope(|scope| {
        for writer in writers {
            let (connection, acknowledged) = (Connection::new(writer, &server), &acknowledged);
            scope.spawn(move || write(&connection, name, acknowledged));
        }
        let address = server.address.clone();
        scope.spawn(move || listener.hear_until_nobody_answers(&address, told));
        let begun = Instant::now();
        while told.load(Ordering::Relaxed) < ENOUGH_EVENTS {
            assert!(begun.elapsed() < PATIENCE, "hardly anything is told");
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(rand::random_range(0..LATER_MS)));
        server.kill();
    });
    acknowledged.into_inner().unwrap()
}

/// Posts until the server is gone; every third post mentions the listener.
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

/// Somebody who listens to `user`, over a line that breaks.
struct Listener<'p> {
    person: &'p Person,
    runtime: Runtime,
    heard: Heard,
    /// How often the line broke.
    breaks: usize,
}

/// What was told.
#[derive(Default)]
struct Heard {
    statuses: BTreeSet<String>,
    notifications: BTreeSet<String>,
    /// Where to take the stream up again; None before the first event.
    last: Option<i64>,
    /// By author, the last of their statuses.
    latest: HashMap<String, i64>,
}

impl<'p> Listener<'p> {
    fn new(person: &'p Person) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        Self { person, runtime, heard: Heard::default(), breaks: 0 }
    }

    /// Follows everybody, and hears a first status of each: returns those.
    fn begin(&mut self, server: &Server, writers: &[Person]) -> Vec<String> {
        let connection = Connection::new(self.person, server);
        for writer in writers {
            let path = format!("/api/v1/accounts/{}/follow", writer.id);
            connection.post(&path, &json!({})).unwrap();
        }
        let opening = come(self.person, &server.address, None);
        let mut socket = self.runtime.block_on(opening).expect("the server is there");
        let publish = |writer: &Person| {
            let writer = Connection::new(writer, server);
            let status = writer.post("/api/v1/statuses", &json!({ "status": "First" })).unwrap();
            let frame = self.runtime.block_on(next(&mut socket)).expect("the line ends");
            self.heard.note(&frame);
            text(&status["id"])
        };
        writers.iter().map(publish).collect()
    }

    /// Listens until the server is gone. Again and again the line breaks, with whatever is on its
    /// way, and the stream is taken up where it was left. Counts in `told`.
    fn hear_until_nobody_answers(&mut self, address: &str, told: &AtomicUsize) {
        let Self { person, runtime, heard, breaks } = self;
        runtime.block_on(async {
            while let Some(mut socket) = come(person, address, heard.last).await {
                for _ in 0..rand::random_range(1..=MOST_EVENTS) {
                    let Some(frame) = next(&mut socket).await else { break };
                    heard.note(&frame);
                    told.fetch_add(1, Ordering::Relaxed);
                }
                drop(socket);
                *breaks += 1;
                sleep(Duration::from_millis(rand::random_range(0..LONGEST_BREAK_MS))).await;
            }
        });
    }

    /// Takes the stream up again and listens until everything that the pages show was told; panics
    /// where something else was, or what was acknowledged is not there.
    fn hear_the_rest(&mut self, server: &Server, acknowledged: &[String]) {
        let connection = Connection::new(self.person, server);
        let opening = come(self.person, &server.address, self.heard.last);
        let mut socket = self.runtime.block_on(opening).expect("the server is there");
        let begun = Instant::now();
        loop {
            self.hear_until_it_is_quiet(&mut socket);
            let home = ids(&connection, "/api/v1/timelines/home?limit=40");
            let news = ids(&connection, "/api/v1/notifications?limit=80");
            let lost = acknowledged.iter().find(|status| !home.contains(*status));
            assert_eq!(lost, None, "acknowledged and lost");
            let (statuses, notifications) = (&self.heard.statuses, &self.heard.notifications);
            if (statuses, notifications) == (&home, &news) {
                return;
            }
            let invented: Vec<_> =
                statuses.difference(&home).chain(notifications.difference(&news)).collect();
            assert!(invented.is_empty(), "told, but not there: {invented:?}");
            let missing: Vec<_> =
                home.difference(statuses).chain(news.difference(notifications)).collect();
            assert!(begun.elapsed() < PATIENCE, "not told: {missing:?}");
        }
    }

    fn hear_until_it_is_quiet(&mut self, socket: &mut Socket) {
        let Self { runtime, heard, .. } = self;
        runtime.block_on(async {
            while let Ok(frame) = timeout(QUIET, socket.next()).await {
                heard.note(&frame.expect("the line ends"));
            }
        });
    }

    /// How many events were told.
    fn told(&self) -> usize {
        self.heard.statuses.len() + self.heard.notifications.len()
    }
}

impl Heard {
    /// Panics where something is told twice, or before something older.
    fn note(&mut self, frame: &Frame) {
        assert!(self.last < Some(frame.id), "after {:?} comes {frame:?}", self.last);
        self.last = Some(frame.id);
        let entity = frame.entity();
        let id = text(&entity["id"]);
        let is_new = match frame.event.as_str() {
            "update" => {
                let number: i64 = id.parse().unwrap();
                let before = self.latest.insert(text(&entity["account"]["id"]), number);
                assert!(before < Some(number), "the older comes later: {frame:?}");
                self.statuses.insert(id)
            }
            "notification" => self.notifications.insert(id),
            _ => panic!("nobody did anything of the kind: {frame:?}"),
        };
        assert!(is_new, "twice: {frame:?}");
    }
}

/// Opens the stream from now on or where it was left; None where nobody answers.
async fn come(person: &Person, address: &str, last: Option<i64>) -> Option<Socket> {
    let since = last.map(|last| format!("&since={last}")).unwrap_or_default();
    match Socket::open_as(&person.token, address, &format!("stream=user{since}")).await {
        Ok(socket) => Some(socket),
        Err(Error::Http(answer)) => panic!("refused: {answer:?}"),
        Err(_) => None,
    }
}

async fn next(socket: &mut Socket) -> Option<Frame> {
    timeout(PATIENCE, socket.next()).await.expect("nothing comes")
}

/// The ids of everything on all pages of a list.
fn ids(connection: &Connection<'_>, path: &str) -> BTreeSet<String> {
    connection.list(path).iter().map(|one: &Value| text(&one["id"])).collect()
}
