//! Every listener receives every event once and in order, whichever process wrote it.

use siskin_app::{App, Handlers, Subscription};
use siskin_persistence::{Store, events};
use siskin_test_support::{Engine, both_engines};

use crate::support::{Hands, command, open, run};

fn say(store: &Store, payload: String) {
    store.write(move |tx| events::insert(tx, "test", &payload)).unwrap();
}

async fn hear(subscription: &mut Subscription, number: usize) -> Vec<(i64, String)> {
    let mut heard = Vec::new();
    for _ in 0..number {
        let event = subscription.next().await.unwrap().unwrap();
        heard.push((event.position, event.payload.clone()));
    }
    heard
}

fn expected(payloads: std::ops::Range<i64>) -> Vec<(i64, String)> {
    payloads.map(|number| (number + 1, number.to_string())).collect()
}

fn start(app: App) -> App {
    app.start(0);
    app
}

both_engines! {
    fn events_of_this_and_other_processes_are_heard_in_order(database: &TestDatabase) {
        run(async {
            let app = start(open(database, &Hands::new(), Handlers::new()));
            let mut subscription = app.subscribe();
            let other = command(database);
            for number in 0..10 {
                say(if number % 3 == 0 { &other } else { app.store() }, number.to_string());
                assert_eq!(hear(&mut subscription, 1).await, expected(number..number + 1));
            }
            app.shutdown().await;
            assert!(subscription.next().await.unwrap().is_none(), "must end with the instance");
        });
    }

    fn a_slow_listener_misses_nothing(database: &TestDatabase) {
        run(async {
            let app = open(database, &Hands::new(), Handlers::new());
            let mut slow = app.subscribe();
            app.write(|tx| {
                for number in 0..3000 {
                    events::insert(tx, "test", &number.to_string())?;
                }
                Ok(())
            }).await.unwrap();
            let app = start(app);
            let mut quick = app.subscribe();
            assert_eq!(hear(&mut quick, 3000).await, expected(0..3000));
            assert_eq!(hear(&mut slow, 3000).await, expected(0..3000));
            app.shutdown().await;
        });
    }

    fn what_a_dead_server_left_is_said_by_the_next(database: &TestDatabase) {
        run(async {
            say(&command(database), "0".to_owned());
            let app = open(database, &Hands::new(), Handlers::new());
            let mut subscription = app.subscribe();
            let app = start(app);
            if database.engine() == Engine::Postgres {
                assert_eq!(hear(&mut subscription, 1).await, expected(0..1));
            }
            // On SQLite the event had its position when the server started. A listener that resumes
            // from an earlier position finds it in the table.
            let found = app.store().read(|conn| events::since(conn, 0, 10)).unwrap();
            let found: Vec<_> = found.into_iter().map(|event| (event.position, event.payload)).collect();
            assert_eq!(found, expected(0..1));
            app.shutdown().await;
        });
    }
}
