//! Streams that are resumed after an interruption.

use std::time::Duration;

use serde_json::{Value, json};
use siskin_persistence::events;

use crate::support::id;

stream_tests! {
    async fn a_resumed_stream_sends_missed_and_then_new_events(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&alice, &bob).await;
        let mut socket = app.listen(&alice, "stream=user").await;
        bob.publish("Heard").await;
        let last = socket.next().await["id"].as_str().unwrap().to_owned();
        drop(socket);
        let mut missed = Vec::new();
        for number in 0..30 {
            missed.push(id(&bob.publish(&format!("Missed {number}")).await));
        }
        let mut events = alice.events_since("user", Some(&last)).await;
        let mut socket = app.listen(&alice, &format!("stream=user&since={last}")).await;
        let mut other = app.listen(&alice, "stream=public:media").await;
        other.subscribe(json!({ "stream": "user", "since": last })).await;
        missed.push(id(&bob.publish("Live").await));
        let mut before = last.parse::<i64>().unwrap();
        for status in &missed {
            let event = events.next().await;
            assert_eq!((&event.entity(), event.name.as_str()), (status, "update"));
            assert!(event.id > before);
            before = event.id;
            assert_eq!(socket.event().await.1["id"], status.as_str());
            assert_eq!(other.event().await.1["id"], status.as_str());
        }
        let end = id(&bob.publish("End").await);
        assert_eq!(events.next().await.entity(), end);
        assert_eq!(socket.event().await.1["id"], end.as_str());
    }

    async fn a_resubscribed_stream_sends_events_once(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&alice, &bob).await;
        let mut socket = app.listen(&alice, "stream=user").await;
        bob.publish("Heard").await;
        let last = socket.next().await["id"].as_str().unwrap().to_owned();
        let mut missed = Vec::new();
        for number in 0..40 {
            missed.push(id(&bob.publish(&format!("Missed {number}")).await));
        }
        let mut socket = app.listen(&alice, "stream=public:media").await;
        let again = json!({ "type": "subscribe", "stream": "user", "since": last });
        for _ in 0..5 {
            socket.command(again.clone()).await;
            socket.command(json!({ "type": "unsubscribe", "stream": "user" })).await;
        }
        socket.command(again).await;
        // The response arrives after all earlier commands are executed.
        socket.command(json!({ "type": "subscribe", "stream": "done?" })).await;
        let mut received = Vec::new();
        let status_id = |frame: &Value| {
            let payload: Value = serde_json::from_str(frame["payload"].as_str()?).unwrap();
            payload["id"].as_str().map(str::to_owned)
        };
        while let Some(status) = status_id(&socket.next().await) {
            received.push(status);
        }
        missed.push(id(&bob.publish("Live").await));
        // Events of the first attempts come first, each attempt in order.
        while received.last() != missed.last() {
            received.push(socket.event().await.1["id"].as_str().unwrap().to_owned());
        }
        assert_eq!(received[received.len() - missed.len()..], missed);
        let end = id(&bob.publish("End").await);
        assert_eq!(socket.event().await.1["id"], end.as_str());
    }

    async fn missed_events_respect_the_current_visibility(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        app.follow(&alice, &bob).await;
        app.follow(&alice, &carol).await;
        let mut socket = app.listen(&alice, "stream=user").await;
        bob.publish("Heard").await;
        let last = socket.next().await["id"].as_str().unwrap().to_owned();
        drop(socket);
        bob.publish("By somebody who is blocked by then").await;
        let gone = carol.publish("Gone by then").await;
        let kept = carol.publish("Kept").await;
        carol.delete(&format!("/api/v1/statuses/{}", id(&gone))).await.ok();
        alice.act_on("block", &bob).await;
        let mut events = alice.events_since("user", Some(&last)).await;
        assert_eq!(events.next().await.entity(), id(&kept));
        let event = events.next().await;
        assert_eq!((event.name.as_str(), event.data), ("delete", id(&gone)));
    }

    async fn expired_events_are_reported_as_a_gap(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut socket = app.listen(&alice, "stream=user").await;
        alice.publish("Heard").await;
        let last = socket.next().await["id"].as_str().unwrap().to_owned();
        drop(socket);
        alice.publish("Missed").await;
        app.advance(Duration::from_secs(5 * 3600));
        alice.publish("Missed too").await;
        app.wait_until_delivered().await;
        app.app().sweep_rows().await.unwrap();
        let first = app.app().read(|conn| Ok(events::first_position(conn)?)).await.unwrap();
        assert!(first.unwrap() > last.parse::<i64>().unwrap() + 1);

        let mut events = alice.events(&format!("user?since={last}")).await;
        let event = events.next().await;
        assert_eq!((event.name.as_str(), event.data.as_str()), ("gap", "undefined"));
        let mut socket = app.listen(&alice, &format!("stream=user&since={last}")).await;
        assert_eq!(socket.event().await.0, "gap");
        let mut future = app.listen(&alice, "stream=user&since=99999999").await;
        assert_eq!(future.event().await.0, "gap");
        let status = alice.publish("Heard again").await;
        assert_eq!(events.next().await.entity(), id(&status));
        assert_eq!(socket.event().await.1["id"], status["id"]);
        assert_eq!(future.event().await.1["id"], status["id"]);
    }

    async fn a_client_without_events_can_resume(app: &TestApp) {
        let alice = app.user("alice").await;
        let events = alice.events("user").await;
        let from = events.header("last-event-id").unwrap().to_owned();
        drop(events);
        let status = alice.publish("Missed").await;
        let mut events = alice.events_since("user", Some(&from)).await;
        assert_eq!(events.next().await.entity(), id(&status));
    }
}
