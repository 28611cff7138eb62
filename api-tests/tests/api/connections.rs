//! Limits on concurrent connections and requests of one address.

use siskin_server::Config;
use siskin_test_support::both_engines;

use crate::support::{TestApp, run};

fn three(config: &mut Config) {
    config.connections_per_address = 3;
}

/// Returns a request with an incomplete body.
fn unfinished(forwarded: &str, token: &str) -> String {
    format!(
        "POST /api/v1/statuses HTTP/1.1\nHost: a\nX-Forwarded-For: {forwarded}\n\
         Authorization: Bearer {token}\nContent-Length: 100\n\nstatus="
    )
}

both_engines! {
    fn idle_connections_make_room_for_new_ones(database: &TestDatabase) {
        run(database, three, async |app: &TestApp| {
            let mut lines = Vec::new();
            for _ in 0..10 {
                lines.push(app.line().await);
            }
            for _ in 0..3 {
                assert_eq!(app.anonymous().get("/health").await.status, 200);
            }
            assert!(lines[0].is_closed().await);
            // Connections with an incomplete request head can be closed too.
            let mut slow = Vec::new();
            for _ in 0..10 {
                let mut line = app.line().await;
                line.send("GET /health HTTP/1.1\nHost:").await;
                slow.push(line);
            }
            assert_eq!(app.anonymous().get("/health").await.status, 200);
        });
    }

    fn connections_in_use_stay_open(database: &TestDatabase) {
        run(database, three, async |app: &TestApp| {
            let alice = app.user("alice").await;
            let mut socket = app.listen(&alice, "stream=user").await;
            let mut events = alice.events("user").await;
            let _idle = [app.line().await, app.line().await, app.line().await, app.line().await];
            let status = alice.publish("Hello").await;
            assert_eq!(socket.until("update").await["id"], status["id"]);
            assert_eq!(events.next().await.entity(), status["id"].as_str().unwrap());
        });
    }

    fn streams_do_not_count_towards_the_connection_limit(database: &TestDatabase) {
        run(database, three, async |app: &TestApp| {
            let alice = app.user("alice").await;
            let mut streams = Vec::new();
            for _ in 0..6 {
                streams.push(app.listen(&alice, "stream=user").await);
            }
            assert_eq!(app.anonymous().get("/health").await.status, 200);
        });
    }

    // All connections come from the proxy: the limit applies to the requests of the clients behind
    // it.
    fn limits_apply_to_clients_of_a_trusted_proxy_not_to_the_proxy(database: &TestDatabase) {
        let configure = |config: &mut Config| {
            three(config);
            config.trusted_proxies.push("127.0.0.1".to_owned());
        };
        run(database, configure, async |app: &TestApp| {
            let alice = app.user("alice").await;
            let token = alice.token().unwrap();
            let mut lines = Vec::new();
            for client in ["9.9.9.1", "9.9.9.2"] {
                for _ in 0..3 {
                    let mut line = app.line().await;
                    line.send(&unfinished(client, token)).await;
                    assert!(!line.is_closed().await);
                    lines.push(line);
                }
                let mut refused = app.line().await;
                refused.send(&unfinished(client, token)).await;
                assert_eq!(refused.head().await.0, 429, "{client}");
            }
            let mut idle = app.line().await;
            assert!(!idle.is_closed().await);
            assert_eq!(app.anonymous().get("/health").await.status, 200);
            // A request that has ended no longer counts.
            lines[0].bytes(&[b'x'; 93]).await;
            assert_eq!(lines[0].head().await.0, 200);
            let mut next = app.line().await;
            next.send(&unfinished("9.9.9.1", token)).await;
            assert!(!next.is_closed().await);
        });
    }
}
