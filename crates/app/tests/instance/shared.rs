//! Several processes of one instance, and the bus between them.

use std::time::Duration;

use futures_util::{Stream, StreamExt as _};
use redis::AsyncCommands as _;
use siskin_app::{App, Handlers, Subscription};
use siskin_persistence::events;
use siskin_test_support::{Engine, RedisServer, TestDatabase};
use tokio::time::timeout;

use crate::support::{TestClock, open, run};

const EVENTS: i64 = 30;
/// Channel on which the instances of these tests announce their positions.
const CHANNEL: &str = "siskin:events:localhost:3000";

async fn write_event(app: &App, number: i64) {
    app.write(move |tx| Ok(events::insert(tx, "test", &number.to_string())?)).await.unwrap();
}

async fn receive(subscription: &mut Subscription) -> (i64, String) {
    let event = subscription.next().await.unwrap().unwrap();
    (event.position, event.payload.clone())
}

/// Starts two instances in one process, which behave like two processes as far as possible.
fn two(database: &TestDatabase, redis: Option<&str>) -> [App; 2] {
    [(), ()].map(|()| {
        let app = open(database, &TestClock::new(), Handlers::new());
        redis.into_iter().for_each(|url| app.share_events(url).unwrap());
        app.start(0);
        app
    })
}

async fn assert_all_events_received(apps: [App; 2]) {
    let mut subscriptions = apps.each_ref().map(App::subscribe);
    for number in 0..EVENTS {
        write_event(&apps[usize::try_from(number % 2).unwrap()], number).await;
        for subscription in &mut subscriptions {
            assert_eq!(receive(subscription).await, (number + 1, number.to_string()));
        }
    }
    for app in apps {
        app.shutdown().await;
    }
}

#[test]
fn processes_receive_each_others_events_without_redis() {
    Engine::Postgres.on_fresh_database(|database| {
        run(async { assert_all_events_received(two(database, None)).await });
    });
}

#[test]
fn processes_receive_each_others_events_through_redis() {
    let Some(redis) = RedisServer::find() else { return };
    Engine::Postgres.on_fresh_database(|database| {
        run(async { assert_all_events_received(two(database, Some(&redis.url()))).await });
    });
}

#[test]
fn an_unreachable_redis_server_delays_nothing() {
    Engine::Postgres.on_fresh_database(|database| {
        run(async { assert_all_events_received(two(database, Some("redis://127.0.0.1:1"))).await });
    });
}

#[test]
fn an_invalid_redis_url_is_refused() {
    Engine::Sqlite.on_fresh_database(|database| {
        run(async {
            let app = open(database, &TestClock::new(), Handlers::new());
            assert!(app.share_events("http://localhost").is_err());
        });
    });
}

/// Positions are announced, and forged messages do no harm.
#[test]
fn only_positions_go_through_redis() {
    let Some(redis) = RedisServer::find() else { return };
    Engine::Postgres.on_fresh_database(|database| {
        run(async {
            let client = redis::Client::open(redis.url()).unwrap();
            let mut pubsub = client.get_async_pubsub().await.unwrap();
            pubsub.subscribe(CHANNEL).await.unwrap();
            let mut messages = pubsub.on_message();
            let app = open(database, &TestClock::new(), Handlers::new());
            app.share_events(&redis.url()).unwrap();
            app.start(0);
            let mut subscription = app.subscribe();
            let mut other_client = client.get_multiplexed_async_connection().await.unwrap();
            for nonsense in ["nonsense", "-1", "99999", "99999"] {
                let () = other_client.publish(CHANNEL, nonsense).await.unwrap();
                assert_eq!(next_message(&mut messages).await, nonsense);
            }
            write_event(&app, 0).await;
            assert_eq!(receive(&mut subscription).await, (1, "0".to_owned()));
            assert_eq!(next_message(&mut messages).await, "1");
            app.shutdown().await;
        });
    });
}

async fn next_message(messages: &mut (impl Stream<Item = redis::Msg> + Unpin)) -> String {
    let message = timeout(Duration::from_secs(20), messages.next()).await.unwrap();
    message.unwrap().get_payload().unwrap()
}
