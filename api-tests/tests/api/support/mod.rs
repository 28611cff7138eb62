//! The test harness: a server in the test process on a free port, and its clients.

#[macro_use]
mod snapshot;
pub mod announcements;
mod client;
pub mod federation;
pub mod lines;
mod mail;
pub mod measures;
pub mod moderation;
mod people;
pub mod pictures;
pub mod promises;
pub mod providers;
pub mod push;
pub mod reports;
mod response;
pub mod second_factors;
pub mod sign_ups;
mod staff;
pub mod streams;
mod test_app;
mod texts;
pub mod translators;
pub mod trends;
pub mod visitors;

pub use client::Client;
pub use mail::{with_mail, with_mail_and};
pub use people::{GOOD, id, ids};
pub use response::Response;
pub use snapshot::assert_snapshot;
pub use staff::STAFF_SCOPES;
pub use test_app::{TestApp, User};

use siskin_server::Config;
use siskin_test_support::{RedisServer, TestDatabase};

/// Turns each function into two tests, `NAME::sqlite` and `NAME::postgres`, which run it with a
/// fresh server. At the end it runs all due jobs. A job that fails or stays in the queue fails the
/// test.
///
/// ```ignore
/// api_tests! {
///     async fn a_server_that_is_ready_says_so(app: &TestApp) {
///         assert_eq!(app.anonymous().get("/health").await.status, 200);
///     }
/// }
/// ```
macro_rules! api_tests {
    ($(
        $(#[$meta:meta])*
        async fn $name:ident($app:ident: &TestApp) $body:block
    )+) => {
        siskin_test_support::both_engines! { $(
            $(#[$meta])*
            fn $name(database: &TestDatabase) {
                $crate::support::run(
                    database,
                    |_| (),
                    async move |$app: &$crate::support::TestApp| $body,
                );
            }
        )+ }
    };
}

/// Like `api_tests!`, with a third test `NAME::by_redis` of each. It uses two processes on one
/// PostgreSQL database: one serves the streams and the other everything else.
macro_rules! stream_tests {
    ($(
        $(#[$meta:meta])*
        async fn $name:ident($app:ident: &TestApp) $body:block
    )+) => { $(
        $(#[$meta])*
        async fn $name($app: &$crate::support::TestApp) $body

        mod $name {
            use siskin_test_support::{Engine, RedisServer};

            #[test]
            fn sqlite() {
                Engine::Sqlite.on_fresh_database(|database| {
                    $crate::support::run(database, |_| (), super::$name);
                });
            }

            #[test]
            fn postgres() {
                Engine::Postgres.on_fresh_database(|database| {
                    $crate::support::run(database, |_| (), super::$name);
                });
            }

            #[test]
            fn by_redis() {
                let Some(redis) = RedisServer::find() else { return };
                Engine::Postgres.on_fresh_database(|database| {
                    $crate::support::run_two(database, redis, super::$name);
                });
            }
        }
    )+ };
}

/// Runs `test` with a server on `database`. `configure` may change its configuration.
pub fn run(
    database: &TestDatabase,
    configure: impl FnOnce(&mut Config),
    test: impl AsyncFnOnce(&TestApp),
) {
    play(TestApp::start(database, configure), test);
}

/// Runs `test` with two servers on `database`, which share events by `redis`.
pub fn run_two(database: &TestDatabase, redis: &RedisServer, test: impl AsyncFnOnce(&TestApp)) {
    play(TestApp::start_two(database, redis), test);
}

fn play(start: impl Future<Output = TestApp>, test: impl AsyncFnOnce(&TestApp)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let app = start.await;
        test(&app).await;
        app.finish().await;
    });
}
