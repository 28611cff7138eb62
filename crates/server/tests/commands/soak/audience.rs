//! Load test with many subscribers. `SISKIN_STREAM_LISTENERS` accounts (default 100) subscribe to
//! `user`, and each post goes to 40 of them. 50 sockets subscribe to `public`. Meanwhile,
//! `SISKIN_STREAM_POSTS` statuses are published per second for `SISKIN_SOAK_SECONDS`. The default
//! is one status for 40 subscribers, within 5 to 50.

#![expect(clippy::print_stdout, reason = "a soak test prints its results")]

use std::{
    collections::HashMap,
    fs,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::json;
use siskin_ids::AccountId;
use siskin_persistence::{
    Result, Store, StoreOptions, Tx,
    tokens::{self, NewToken},
};
use siskin_services::secrets;
use siskin_test_support::{TestDatabase, both_engines, builders, standing};
use tokio::{
    runtime::{Builder, Runtime},
    sync::watch,
    task::{JoinHandle, spawn_blocking},
    time::{interval, sleep},
};

use super::from_env;
use crate::{
    program::{Program, Server},
    socket::Socket,
};

/// Number of followers of each author.
const FOLLOWERS: usize = 40;
const PUBLIC_SOCKETS: usize = 50;
/// Time after the last event in which no other may arrive.
const QUIET: Duration = Duration::from_millis(500);
const PATIENCE: Duration = Duration::from_secs(60);
/// Prefix of the number of a post in its text.
const MARK: &str = "post number ";

both_engines! {
    fn listeners_receive_visible_events_once_and_in_order(database: &TestDatabase) {
        let listeners: usize = from_env("SISKIN_STREAM_LISTENERS", 100);
        let audience = Arc::new(Audience::found(database, listeners));
        let program = Program::on(database).with("SISKIN_RATE_LIMITS_ENABLED", "false");
        let server = program.serve();
        let pace = Pace {
            posts: from_env("SISKIN_STREAM_POSTS", (listeners / FOLLOWERS).clamp(5, 50)),
            seconds: from_env("SISKIN_SOAK_SECONDS", 2),
        };
        let outcome = runtime().block_on(audience.listen(&server, pace));
        println!(
            "{:?}, {}: {listeners} listen to user, {PUBLIC_SOCKETS} to public; {} posts a second for \
             {} s: {outcome}",
            database.engine(),
            if cfg!(debug_assertions) { "not optimised" } else { "optimised" },
            pace.posts,
            pace.seconds,
        );
        outcome.assert_complete(&audience);
        let log = program.log();
        assert!(!log.contains("ERROR") && !log.contains("panicked"), "{log}");
    }
}

/// The rate and duration of publishing.
#[derive(Clone, Copy)]
struct Pace {
    /// Posts per second.
    posts: usize,
    seconds: usize,
}

/// Tokens of authors and subscribers. Subscriber `n` follows author `n / FOLLOWERS`.
struct Audience {
    authors: Vec<String>,
    listeners: Vec<String>,
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Creates an account with a token.
fn person(tx: &mut Tx<'_>, name: &str) -> Result<(AccountId, String)> {
    let account = builders::local_account(tx, name, "http://localhost")?;
    let token = secrets::generate();
    let hash = secrets::hash(&token);
    let new =
        NewToken { hash: &hash, application: None, account: Some(account), scopes: "read write" };
    tokens::insert(tx, &new)?;
    Ok((account, token))
}

fn found(tx: &mut Tx<'_>, listeners: usize) -> Result<Audience> {
    let mut audience = Audience { authors: Vec::new(), listeners: Vec::new() };
    let mut followed = None;
    for number in 0..listeners {
        if number.is_multiple_of(FOLLOWERS) {
            let (author, token) = person(tx, &format!("author{}", number / FOLLOWERS))?;
            audience.authors.push(token);
            followed = Some(author);
        }
        let (listener, token) = person(tx, &format!("listener{number}"))?;
        audience.listeners.push(token);
        standing::follow(tx, listener, followed.expect("the first number is a multiple"))?;
    }
    Ok(audience)
}

impl Audience {
    /// Creates the accounts in a database that no server uses.
    fn found(database: &TestDatabase, listeners: usize) -> Self {
        let store = Store::open(&StoreOptions::new(database.url())).unwrap();
        store.write(move |tx| found(tx, listeners)).unwrap()
    }

    /// Opens all sockets while the authors post in turn.
    async fn listen(self: &Arc<Self>, server: &Server, pace: Pace) -> Outcome {
        let idle = memory(server);
        let mut sockets = Vec::new();
        for token in &self.listeners {
            sockets.push(Socket::open_as(token, &server.address, "stream=user").await.unwrap());
        }
        for number in 0..PUBLIC_SOCKETS {
            let token = &self.listeners[number % self.listeners.len()];
            sockets.push(Socket::open_as(token, &server.address, "stream=public").await.unwrap());
        }
        let connected = memory(server);
        let (begun, received_count) = (Instant::now(), Arc::new(AtomicUsize::new(0)));
        let (stop, stopped) = watch::channel(false);
        let receive = |socket| {
            tokio::spawn(receive(socket, begun, Arc::clone(&received_count), stopped.clone()))
        };
        let receiving: Vec<JoinHandle<Vec<Received>>> = sockets.into_iter().map(receive).collect();

        let (audience, address) = (Arc::clone(self), server.address.clone());
        let posting =
            spawn_blocking(move || runtime().block_on(audience.publish(&address, pace, begun)));
        let (sent, posted) = (posting.await.unwrap(), Instant::now());
        let expected: usize = (0..sent.len()).map(|post| self.listeners_to(post)).sum();
        while received_count.load(Ordering::Relaxed) < expected && posted.elapsed() < PATIENCE {
            sleep(Duration::from_millis(20)).await;
        }
        sleep(QUIET).await;
        let busy = memory(server);
        stop.send_replace(true);
        let mut received = Vec::new();
        for one in receiving {
            received.push(one.await.unwrap());
        }
        Outcome { sent, received, memory: [idle, connected, busy] }
    }

    /// Publishes at an even rate, independent of response times. Returns the time at which each
    /// post was sent.
    async fn publish(&self, address: &str, pace: Pace, begun: Instant) -> Vec<Duration> {
        siskin_outbound::prepare_tls();
        let http = reqwest::Client::builder().tls_certs_only([]).no_proxy().build().unwrap();
        let url = format!("http://{address}/api/v1/statuses");
        let mut beat = interval(Duration::from_secs(1) / u32::try_from(pace.posts).unwrap());
        let mut sending = Vec::new();
        for post in 0..pace.posts * pace.seconds {
            beat.tick().await;
            let text =
                format!("{MARK}{post}, which says as much as people say on an ordinary day.");
            let request = http.post(&url).bearer_auth(&self.authors[self.author(post)]);
            let request = request.json(&json!({ "status": text }));
            sending.push(tokio::spawn(async move {
                let sent = begun.elapsed();
                let response = request.send().await.unwrap();
                assert_eq!(response.status(), 200);
                sent
            }));
        }
        let mut sent = Vec::new();
        for one in sending {
            sent.push(one.await.unwrap());
        }
        sent
    }

    fn author(&self, post: usize) -> usize {
        post % self.authors.len()
    }

    /// Returns the number of sockets that receive a post.
    fn listeners_to(&self, post: usize) -> usize {
        let following = self.listeners.chunks(FOLLOWERS).nth(self.author(post)).unwrap();
        following.len() + PUBLIC_SOCKETS
    }
}

/// A post that a socket received.
struct Received {
    post: usize,
    /// Id of the event.
    id: i64,
    at: Duration,
}

/// Records events until the test stops it. Panics if the connection ends earlier.
async fn receive(
    mut socket: Socket,
    begun: Instant,
    received_count: Arc<AtomicUsize>,
    mut stopped: watch::Receiver<bool>,
) -> Vec<Received> {
    let mut received = Vec::new();
    loop {
        let frame = tokio::select! {
            _ = stopped.wait_for(|stopped| *stopped) => return received,
            frame = socket.next() => frame.expect("the connection ended"),
        };
        let at = begun.elapsed();
        assert_eq!(frame.event, "update");
        let (_, number) = frame.payload.split_once(MARK).expect("every post has its number");
        let digits = number.split(',').next().unwrap_or_default();
        received.push(Received { post: digits.parse().unwrap(), id: frame.id, at });
        received_count.fetch_add(1, Ordering::Relaxed);
    }
}

/// The results of a run.
struct Outcome {
    /// Time at which each post was sent.
    sent: Vec<Duration>,
    /// Events by socket: those of `user` in the order of the subscribers, then those of `public`.
    received: Vec<Vec<Received>>,
    /// Memory of the server in KiB: without subscribers, with all subscribers, and at the end.
    memory: [u64; 3],
}

impl Outcome {
    /// Panics if a subscriber missed a post, received one twice or one that was not for it, or if
    /// two subscribers disagree about the order of events.
    fn assert_complete(&self, audience: &Audience) {
        let mut ids: HashMap<usize, i64> = HashMap::new();
        for (number, received) in self.received.iter().enumerate() {
            let author = (number < audience.listeners.len()).then_some(number / FOLLOWERS);
            assert!(received.is_sorted_by(|a, b| a.id < b.id), "not in order for {number}");
            let mut posts: Vec<usize> = received.iter().map(|received| received.post).collect();
            posts.sort_unstable();
            let is_for =
                |post: &usize| author.is_none_or(|author| audience.author(*post) == author);
            let expected: Vec<usize> = (0..self.sent.len()).filter(is_for).collect();
            assert_eq!(posts, expected, "for {number}");
            for received in received {
                assert_eq!(*ids.entry(received.post).or_insert(received.id), received.id);
            }
        }
    }

    /// Returns the times from sending a post to each of its arrivals, in ascending order.
    fn latencies(&self) -> Vec<Duration> {
        let all = self.received.iter().flatten();
        let mut latencies: Vec<Duration> =
            all.map(|received| received.at.saturating_sub(self.sent[received.post])).collect();
        latencies.sort_unstable();
        latencies
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let latencies = self.latencies();
        let Some(last) = latencies.len().checked_sub(1) else {
            return write!(f, "no event arrived");
        };
        let percentile = |percent: usize| latencies[last * percent / 100];
        let [idle, connected, busy] = self.memory;
        let sockets =
            u64::try_from(self.received.len()).expect("the number of sockets fits into u64");
        write!(
            f,
            "{} posts, {} events, from sending a post to each arrival p50 {:.1?}, p99 {:.1?}, at most \
             {:.1?}; memory {} MiB, {:.1} KiB more for each socket, {} MiB at the end",
            self.sent.len(),
            latencies.len(),
            percentile(50),
            percentile(99),
            latencies[last],
            idle / 1024,
            (connected.saturating_sub(idle) as f64) / (sockets as f64),
            busy / 1024,
        )
    }
}

/// Returns the resident memory of a server in KiB; 0 if the system does not report it.
fn memory(server: &Server) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.trim().split(' ').next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}
