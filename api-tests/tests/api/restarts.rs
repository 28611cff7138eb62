//! What survives a restart of the server: the rate limits that protect passwords and emails.

use std::time::Duration;

use siskin_entities::Timestamp;
use siskin_persistence::{
    Conn,
    spent_budgets::{self, SpentBudget},
};
use siskin_server::Config;
use siskin_test_support::{both_engines, builders::PASSWORD};

use crate::{
    oauth::{Registered, register},
    support::{Client, TestApp, run},
};

const HALF_AN_HOUR_MS: i64 = 1_800_000;

/// Enables the rate limits, with three attempts to sign in, and the password grant.
fn limited(config: &mut Config) {
    config.fixed_settings.clear();
    for (key, value) in [("rate_limits.sign_in", "3"), ("oauth_password_grant", "true")] {
        config.fixed_settings.push((key.to_owned(), value.to_owned()));
    }
}

/// Lets the clock of the server show this time, so that all attempts are in the same windows.
fn go_to(app: &TestApp, time: Timestamp) {
    let ahead = time.unix_ms() - app.app().now().unix_ms();
    app.advance(Duration::from_millis(u64::try_from(ahead).unwrap()));
}

/// Tries a password, and returns the status of the response.
async fn attempt(client: &Client, application: &Registered, login: &str, password: &str) -> u16 {
    let form = [("grant_type", "password"), ("username", login), ("password", password)];
    application.token(client, &form).await.status
}

/// Loads all stored counters.
fn all(conn: &mut Conn) -> siskin_services::Result<Vec<SpentBudget>> {
    Ok(spent_budgets::load(conn, Timestamp::from_unix_ms(0), 100)?)
}

both_engines! {
    fn attempts_to_sign_in_count_over_a_restart(database: &TestDatabase) {
        let (mut application, mut start) = (None, Timestamp::from_unix_ms(0));
        run(database, limited, async |app: &TestApp| {
            let windows = app.app().now().unix_ms() / HALF_AN_HOUR_MS + 1;
            start = Timestamp::from_unix_ms(windows * HALF_AN_HOUR_MS + 1000);
            go_to(app, start);
            app.user("ann").await;
            let registered = register(app, "read").await;
            for _ in 0..3 {
                let status = attempt(&app.anonymous(), &registered, "ann@example.com", "wrong").await;
                assert_ne!(status, 429);
            }
            application = Some(registered);
        });
        let application = application.unwrap();
        run(database, limited, async |app: &TestApp| {
            go_to(app, start.after(Duration::from_secs(30)));
            let client = app.behind_the_name();
            for login in ["ann@example.com", "unknown@example.com"] {
                assert_eq!(attempt(&client, &application, login, PASSWORD).await, 429, "{login}");
            }
            let stored = app.app().read(all).await.unwrap();
            assert!(stored.len() >= 3, "{stored:?}");
            assert!(stored.iter().all(|budget| budget.key_hash.len() == 43), "{stored:?}");
            app.advance(Duration::from_secs(1800));
            let status = attempt(&client, &application, "ann@example.com", PASSWORD).await;
            assert_eq!(status, 200);
            // The rows are deleted after the end of the window.
            app.app().sweep_rows().await.unwrap();
            let left = app.app().read(all).await.unwrap();
            assert!(left.iter().all(|budget| budget.until > app.app().now()), "{left:?}");
        });
    }
}
