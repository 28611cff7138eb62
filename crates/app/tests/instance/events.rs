//! Every listener receives every event once and in order, whichever process wrote it.

use siskin_app::{App, Handlers, Subscription};
use siskin_persistence::{Store, events};
use siskin_test_support::{Engine, both_engines};

use crate::support::{TestClock, command, open, run};

fn write_event(store: &Store, payload: String) {
    store.write(move |tx| events::insert(tx, "test", &payload)).unwrap();
}

async fn receive(subscription: &mut Subscription, number: usize) -> Vec<(i64, String)> {
    let mut received = Vec::new();
    for _ in 0..number {
        let event = subscription.next().await.unwrap().unwrap();
        received.push((event.position, event.payload.clone()));
    }
    received
}

fn expected(payloads: std::ops::Range<i64>) -> Vec<(i64, String)> {
    payloads.map(|number| (number + 1, number.to_string())).collect()
}

fn start(app: App) -> App {
    app.start(0);
    app
}

both_engines! {
    fn events_of_all_processes_arrive_in_order(database: &TestDatabase) {
        run(async {
            let app = start(open(database, &TestClock::new(), Handlers::new()));
            let mut subscription = app.subscribe();
            let other = command(database);
            for number in 0..10 {
                write_event(if number % 3 == 0 { &other } else { app.store() }, number.to_string());
                assert_eq!(receive(&mut subscription, 1).await, expected(number..number + 1));
            }
            app.shutdown().await;
            assert!(subscription.next().await.unwrap().is_none(), "must end with the instance");
        });
    }

    fn a_slow_listener_misses_nothing(database: &TestDatabase) {
        run(async {
            let app = open(database, &TestClock::new(), Handlers::new());
            let mut slow = app.subscribe();
            app.write(|tx| {
                for number in 0..3000 {
                    events::insert(tx, "test", &number.to_string())?;
                }
                Ok(())
            }).await.unwrap();
            let app = start(app);
            let mut quick = app.subscribe();
            assert_eq!(receive(&mut quick, 3000).await, expected(0..3000));
            assert_eq!(receive(&mut slow, 3000).await, expected(0..3000));
            app.shutdown().await;
        });
    }

    fn events_left_by_a_dead_server_are_published_by_the_next(database: &TestDatabase) {
        run(async {
            write_event(&command(database), "0".to_owned());
            let app = open(database, &TestClock::new(), Handlers::new());
            let mut subscription = app.subscribe();
            let app = start(app);
            if database.engine() == Engine::Postgres {
                assert_eq!(receive(&mut subscription, 1).await, expected(0..1));
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
