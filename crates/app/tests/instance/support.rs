//! Instances for tests.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use siskin_app::{App, Handlers, Outbound};
use siskin_entities::Timestamp;
use siskin_media::Media;
use siskin_outbound::HttpClient;
use siskin_persistence::{Role, Store, StoreOptions, system_time};
use siskin_services::{Instance, settings::FixedSettings};
use siskin_test_support::TestDatabase;

/// A clock that starts at the system's time and stands still until it is moved.
#[derive(Clone)]
pub struct TestClock(Arc<AtomicI64>);

impl TestClock {
    pub fn new() -> Self {
        Self(Arc::new(AtomicI64::new(system_time().unix_ms())))
    }

    pub fn forward(&self, duration: Duration) {
        self.0.fetch_add(i64::try_from(duration.as_millis()).unwrap(), Ordering::SeqCst);
    }
}

/// Opens an instance on `database` without background tasks.
pub fn open(database: &TestDatabase, clock: &TestClock, handlers: Handlers) -> App {
    open_fixed(database, clock, handlers, FixedSettings::default())
}

pub fn open_fixed(
    database: &TestDatabase,
    clock: &TestClock,
    handlers: Handlers,
    fixed: FixedSettings,
) -> App {
    open_on(&options(database, clock), handlers, fixed)
}

/// As [`open`], counting statements.
pub fn open_counting(database: &TestDatabase, clock: &TestClock, handlers: Handlers) -> App {
    open_on(&options(database, clock).count_statements(), handlers, FixedSettings::default())
}

fn options(database: &TestDatabase, clock: &TestClock) -> StoreOptions {
    let millis = Arc::clone(&clock.0);
    let clock = move || Timestamp::from_unix_ms(millis.load(Ordering::SeqCst));
    StoreOptions::new(database.url()).clock(Arc::new(clock))
}

fn open_on(options: &StoreOptions, handlers: Handlers, fixed: FixedSettings) -> App {
    let store = Store::open(options).unwrap();
    let instance = Instance::at("http://localhost:3000", true).unwrap();
    let http = HttpClient::new("Siskin", Vec::new());
    let outbound =
        Outbound { http, dns: None, mail: None, translator: None, providers: Vec::new() };
    // The tests upload nothing, so the folder is never created.
    let media = Media::in_folder("no-such-folder");
    App::open(store, instance, fixed, handlers, media, outbound).unwrap()
}

/// Opens the database as another process sees it.
pub fn command(database: &TestDatabase) -> Store {
    Store::open(&StoreOptions::new(database.url()).role(Role::Command)).unwrap()
}

/// Runs an asynchronous test.
pub fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(test);
}

/// Waits until `done`. Returns how long that took.
pub async fn until(mut done: impl FnMut() -> bool) -> Duration {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(20), "timed out");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    start.elapsed()
}
