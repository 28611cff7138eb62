//! Callers are cached, and refused as soon as their access ends.

use std::time::Duration;

use siskin_app::{App, Handlers};
use siskin_ids::{AccountId, TokenId};
use siskin_persistence::{
    Store, Tx,
    accounts::Decision,
    tokens::{self, NewToken},
};
use siskin_services::{
    accounts,
    authentication::{self, UserState},
};
use siskin_test_support::{both_engines, builders::local_account};

use crate::support::{TestClock, command, open_counting, run};

const TOKEN: &str = "a-token-of-ann";

fn ann(tx: &mut Tx<'_>) -> siskin_services::Result<(AccountId, TokenId)> {
    let ann = local_account(tx, "ann", "http://localhost:3000")?;
    // Otherwise there is no other owner when she is suspended.
    local_account(tx, "bob", "http://localhost:3000")?;
    let hash = authentication::hash(TOKEN);
    let token =
        NewToken { hash: &hash, application: None, account: Some(ann), scopes: "read write" };
    let token = tokens::insert(tx, &token)?;
    tokens::record_use(tx, token, Some(ann))?;
    Ok((ann, token))
}

/// Returns `true` if the caller is found without an SQL statement.
async fn is_known(app: &App) -> bool {
    drop(app.store().take_counted());
    app.caller(TOKEN.to_owned()).await.unwrap();
    let here = |file: &str| file.ends_with("app/src/callers.rs");
    !app.store().take_counted().iter().any(|counted| here(counted.at.file()))
}

async fn wait_until_known(app: &App) {
    for _ in 0..1000 {
        if is_known(app).await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the caller was never cached");
}

async fn state(app: &App) -> Option<UserState> {
    let caller = app.caller(TOKEN.to_owned()).await.unwrap();
    caller.map(|caller| caller.user.unwrap().state)
}

/// Ends Ann's access in this process, and returns her standing once that is answered.
async fn state_after(
    app: &App,
    end: impl Fn(&mut Tx<'_>) -> siskin_services::Result<()> + Send + 'static,
) -> Option<UserState> {
    wait_until_known(app).await;
    app.write(end).await.unwrap();
    state(app).await
}

fn in_other_process(
    other: &Store,
    end: impl Fn(&mut Tx<'_>) -> siskin_services::Result<()> + Send + 'static,
) {
    other.write(end).unwrap();
}

both_engines! {
    fn a_caller_is_refused_once_the_end_of_access_is_answered(database: &TestDatabase) {
        run(async {
            let app = open_counting(database, &TestClock::new(), Handlers::new());
            app.start(0);
            let (ann, token) = app.write(ann).await.unwrap();
            let disable = |yes| move |tx: &mut Tx<'_>| {
                accounts::decide(tx, ann, Decision::Disabled(yes))
            };
            let suspend = |yes| move |tx: &mut Tx<'_>| {
                accounts::decide(tx, ann, Decision::Suspended(yes))
            };
            // Several rounds: a processed event must not make the cache valid for unprocessed ones.
            for _ in 0..5 {
                assert_eq!(state_after(&app, disable(true)).await, Some(UserState::Disabled));
                app.write(disable(false)).await.unwrap();
                assert_eq!(state(&app).await, Some(UserState::Active));
                assert_eq!(state_after(&app, suspend(true)).await, Some(UserState::Disabled));
                app.write(suspend(false)).await.unwrap();
            }
            let revoke = move |tx: &mut Tx<'_>| Ok(tokens::delete(tx, token).map(|_| ())?);
            assert_eq!(state_after(&app, revoke).await, None);
            app.shutdown().await;
        });
    }

    fn access_ended_by_another_process_ends_with_its_event(database: &TestDatabase) {
        run(async {
            let app = open_counting(database, &TestClock::new(), Handlers::new());
            app.start(0);
            let (ann, _) = app.write(ann).await.unwrap();
            wait_until_known(&app).await;
            let other = command(database);
            in_other_process(&other, move |tx| Ok(tokens::delete_of_account(tx, ann)?));
            let started = std::time::Instant::now();
            while state(&app).await.is_some() {
                // The clock of the instance stands still, so no entry expires.
                assert!(started.elapsed() < Duration::from_secs(20), "still accepted");
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            app.shutdown().await;
        });
    }

    fn callers_are_cached_briefly_and_only_while_events_arrive(database: &TestDatabase) {
        run(async {
            let clock = TestClock::new();
            let app = open_counting(database, &clock, Handlers::new());
            app.write(ann).await.unwrap();
            assert!(!is_known(&app).await);
            assert!(!is_known(&app).await, "no event may arrive before the start");
            app.start(0);
            wait_until_known(&app).await;
            clock.forward(Duration::from_secs(5));
            assert!(!is_known(&app).await);
            app.shutdown().await;
        });
    }
}
