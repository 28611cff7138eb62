//! Crash test: servers are killed while they process uploads, `SISKIN_KILL_ROUNDS` times
//! (default 2) on one database.

#![expect(clippy::print_stdout, reason = "a soak test prints its results")]

use std::{
    collections::HashSet,
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use siskin_media::Tools;
use siskin_test_support::both_engines;

use super::{
    crowd::{self, Connection, Failure, Person, text},
    from_env, pass_time,
};
use crate::{pictures, program::Program, program::Server};

/// The server is killed a random time after it has acknowledged this number of uploads.
const ENOUGH: usize = 12;
const MAX_DELAY_MS: u64 = 800;
/// One of this number of uploads is a video, if FFmpeg is installed.
const FILMS: usize = 2;
/// Lease of a job: the time until another worker may take the job of a worker that died.
const LEASE: Duration = Duration::from_secs(900);
const PATIENCE: Duration = Duration::from_secs(120);

/// Acknowledged uploads of one account.
type Uploads = Vec<String>;

both_engines! {
    fn uploads_are_processed_completely_despite_kills(database: &TestDatabase) {
        let film = Tools::find().map(|_| film());
        let program = Program::on(database).with("SISKIN_RATE_LIMITS_ENABLED", "false");
        let people = crowd::found(&program);
        let mut server = program.serve();
        for round in 1..=from_env("SISKIN_KILL_ROUNDS", 2) {
            let uploads = kill_while_working(server, &people, film.as_deref());
            pass_time(database, LEASE);
            server = program.serve();
            let count: usize = uploads.iter().map(Vec::len).sum();
            let waited_for = settle(&server, &people, &uploads);
            program.run(&["doctor"]);
            println!(
                "{:?} round {round}: killed with {count} uploads acknowledged; {waited_for} were \
                 still in progress, now all are visible and attached, once; `doctor` finds no \
                 problems",
                database.engine(),
            );
        }
    }
}

/// Creates a test video of half a second.
fn film() -> Vec<u8> {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("film.webm");
    let made = Command::new("ffmpeg")
        .args(["-nostdin", "-loglevel", "error", "-f", "lavfi", "-i"])
        .arg("testsrc=size=64x48:rate=10:duration=0.5")
        .arg(&path)
        .status();
    assert!(made.unwrap().success());
    std::fs::read(path).unwrap()
}

/// Lets all accounts upload, and kills the server at a random moment.
fn kill_while_working(server: Server, people: &[Person], film: Option<&[u8]>) -> Vec<Uploads> {
    let acknowledged = AtomicUsize::new(0);
    let begun = Instant::now();
    thread::scope(|scope| {
        let uploading: Vec<_> = people
            .iter()
            .map(|person| {
                let connection = Connection::new(person, &server);
                let acknowledged = &acknowledged;
                scope.spawn(move || upload(&connection, film, acknowledged))
            })
            .collect();
        while acknowledged.load(Ordering::Relaxed) < ENOUGH {
            assert!(begun.elapsed() < PATIENCE, "too few uploads succeeded");
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(rand::random_range(0..MAX_DELAY_MS)));
        server.kill();
        uploading.into_iter().map(|one| one.join().unwrap()).collect()
    })
}

/// Uploads until the server is gone.
fn upload(connection: &Connection<'_>, film: Option<&[u8]>, acknowledged: &AtomicUsize) -> Uploads {
    let mut uploads = Vec::new();
    for number in connection.person.number.. {
        let content = match film {
            Some(film) if number.is_multiple_of(FILMS) => film.to_vec(),
            _ => pictures::png(300, 200),
        };
        match connection.upload(content) {
            Ok(attachment) => {
                uploads.push(text(&attachment["id"]));
                acknowledged.fetch_add(1, Ordering::Relaxed);
            }
            Err(Failure::Unanswered(_)) => break,
            Err(refused) => panic!("{refused:?}"),
        }
    }
    uploads
}

/// Checks that all files can be downloaded and attached. Returns how many were not ready at first.
fn settle(server: &Server, people: &[Person], uploads: &[Uploads]) -> usize {
    let mut waited_for = 0;
    for (person, uploads) in people.iter().zip(uploads) {
        let connection = Connection::new(person, server);
        for id in uploads {
            let (attachment, waited) = ready(&connection, id);
            waited_for += usize::from(waited);
            for file in ["url", "preview_url"] {
                // The URLs contain the address of the first start, which had another port.
                let here = format!("http://{}", server.address);
                let file = text(&attachment[file]).replace(&server.base, &here);
                let (status, length) = connection.download(&file);
                assert!(status == 200 && length > 0, "{file} of {attachment}");
            }
            let status = connection.post("/api/v1/statuses", &json!({ "media_ids": [id] }));
            assert_eq!(status.unwrap()["media_attachments"][0]["id"], **id);
        }
        assert_each_once(&connection);
    }
    waited_for
}

/// Waits until the attachment is ready. Returns it, and whether it was not ready at first.
fn ready(connection: &Connection<'_>, id: &str) -> (Value, bool) {
    let begun = Instant::now();
    for looks in 0.. {
        let attachment = connection.get(&format!("/api/v1/media/{id}"));
        if !attachment["url"].is_null() {
            return (attachment, looks > 0);
        }
        assert!(begun.elapsed() < PATIENCE, "{attachment} is never ready");
        thread::sleep(Duration::from_millis(50));
    }
    unreachable!("the clock stands still")
}

/// Checks that every attachment belongs to one status, and every file to one attachment.
fn assert_each_once(connection: &Connection<'_>) {
    let path = format!("/api/v1/accounts/{}/statuses?limit=40", connection.person.id);
    let mut seen = HashSet::new();
    for status in connection.list(&path) {
        for attachment in status["media_attachments"].as_array().unwrap() {
            for key in ["id", "url"] {
                assert!(seen.insert(text(&attachment[key])), "twice: {attachment}");
            }
        }
    }
}
