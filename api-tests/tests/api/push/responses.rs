//! Responses of push services.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use siskin_entities::{NotificationType, PushAlerts};
use siskin_ids::TokenId;
use siskin_outbound::HttpClient;
use siskin_persistence::jobs;
use siskin_services::{
    push::{self, Subscriber, SubscriptionRequest},
    tokens,
};
use siskin_test_support::{
    both_engines,
    site::{Site, redirect, response},
};

use crate::support::{
    TestApp, User,
    push::{PushClient, PushService, SUBSCRIPTION, status, with_push},
    run,
};

/// Creates Alice with a subscription, and Bob.
async fn subscribed(app: &TestApp, service: &PushService) -> [User; 2] {
    let (alice, bob) = (app.user("alice").await, app.user("bob").await);
    PushClient::new(1).subscribe(&alice, &service.endpoint("/send")).await;
    [alice, bob]
}

async fn mention(app: &TestApp, bob: &User) {
    bob.publish("Hello @alice").await;
    app.settle().await;
}

/// Runs the jobs that are due after this time.
async fn later(app: &TestApp, time: Duration) {
    app.advance(time);
    app.settle().await;
}

/// Counts jobs: due or later, and dead ones.
async fn counts(app: &TestApp) -> (i64, i64) {
    let now = app.app().now();
    let counts = app.app().read(move |conn| Ok(jobs::counts(conn, now)?)).await.unwrap();
    (counts.due + counts.later, counts.dead)
}

/// Subscribes Alice as a server does that may connect to the site.
async fn allow_and_subscribe(app: &TestApp, alice: &User, site: &Site) {
    let keys = PushClient::new(1).keys();
    let key = |name: &str| keys[name].as_str().unwrap().to_owned();
    let request = SubscriptionRequest {
        endpoint: site.url("/"),
        p256dh: key("p256dh"),
        auth: key("auth"),
        alerts: PushAlerts::from([NotificationType::Mention]),
        ..SubscriptionRequest::default()
    };
    let http = HttpClient::new("Siskin", vec![site.address()]);
    let valid = push::prepare(&http, request).unwrap();
    let (account, secret) = (alice.id.parse().unwrap(), alice.token().unwrap().to_owned());
    let all = app.app().read(move |conn| tokens::list(conn, Some(account), TokenId::new(0)));
    let subscriber = Subscriber { account, token: all.await.unwrap()[0].id, secret };
    app.app().write(move |tx| push::subscribe(tx, &subscriber, &valid)).await.unwrap();
}

both_engines! {
    fn a_subscription_ends_when_its_client_is_gone(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let [alice, bob] = subscribed(app, service).await;
            for (number, gone) in [(1, "404 Not Found"), (2, "410 Gone")] {
                service.answer(move |_| status(gone));
                PushClient::new(1).subscribe(&alice, &service.endpoint("/send")).await;
                mention(app, &bob).await;
                alice.get(SUBSCRIPTION).await.expect(404);
                mention(app, &bob).await;
                later(app, Duration::from_hours(1)).await;
                assert_eq!(service.received().len(), number);
            }
            assert_eq!(counts(app).await, (0, 0));
        });
    }

    fn a_message_waits_as_long_as_the_service_asks(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let [alice, bob] = subscribed(app, service).await;
            for busy in ["429 Too Many Requests", "503 Service Unavailable"] {
                let before = service.received().len();
                service.answer(move |_| response(busy, &[("retry-after", "3600")], b""));
                mention(app, &bob).await;
                assert_eq!(service.received().len(), before + 1);
                service.answer(|_| status("201 Created"));
                later(app, Duration::from_mins(59)).await;
                assert_eq!(service.received().len(), before + 1, "{busy}");
                later(app, Duration::from_mins(2)).await;
                assert_eq!(service.received().len(), before + 2, "{busy}");
                later(app, Duration::from_hours(7)).await;
                assert_eq!(service.received().len(), before + 2, "{busy}");
            }
            alice.get(SUBSCRIPTION).await.ok();
        });
    }

    fn failed_messages_are_sent_again_with_increasing_delays(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let [_, bob] = subscribed(app, service).await;
            service.answer(|_| status("500 Internal Server Error"));
            mention(app, &bob).await;
            for (seconds, requests) in [(9, 1), (2, 2), (18, 2), (3, 3), (30, 3), (12, 4)] {
                later(app, Duration::from_secs(seconds)).await;
                assert_eq!(service.received().len(), requests);
            }
            service.answer(|_| status("201 Created"));
            later(app, Duration::from_hours(1)).await;
            assert_eq!(service.received().len(), 5);
            assert_eq!(counts(app).await, (0, 0));
        });
    }

    fn a_message_is_dropped_after_two_days(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let [alice, bob] = subscribed(app, service).await;
            service.answer(|_| response("503 Service Unavailable", &[("retry-after", "99999999")], b""));
            mention(app, &bob).await;
            for _ in 0..9 {
                later(app, Duration::from_hours(6)).await;
            }
            assert_eq!(service.received().len(), 8);
            assert_eq!(counts(app).await, (0, 0));
            alice.get(SUBSCRIPTION).await.ok();
        });
    }

    fn other_errors_drop_the_message_and_keep_the_subscription(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let [alice, bob] = subscribed(app, service).await;
            for (number, refusal) in (1..).zip(["400 Bad Request", "403 Forbidden", "413 Too Large"]) {
                service.answer(move |_| status(refusal));
                mention(app, &bob).await;
                later(app, Duration::from_hours(7)).await;
                assert_eq!(service.received().len(), number);
            }
            assert_eq!(counts(app).await, (0, 0));
            alice.get(SUBSCRIPTION).await.ok();
        });
    }

    fn a_redirect_is_not_followed(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let [alice, bob] = subscribed(app, service).await;
            let elsewhere = service.endpoint("/elsewhere");
            service.answer(move |_| redirect(&elsewhere));
            mention(app, &bob).await;
            later(app, Duration::from_hours(7)).await;
            let paths: Vec<_> = service.received().into_iter().map(|one| one.path).collect();
            assert_eq!(paths, ["/send"]);
            alice.get(SUBSCRIPTION).await.ok();
        });
    }

    // The status says that the message was accepted. The rest of the response does not matter.
    fn a_broken_body_does_not_repeat_a_message(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let [_, bob] = subscribed(app, service).await;
            let bodies = [
                response("201 Created", &[], &vec![b'x'; 1 << 20]),
                b"HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\nx".to_vec(),
            ];
            for (number, body) in (1..).zip(bodies) {
                service.answer(move |_| body.clone());
                mention(app, &bob).await;
                later(app, Duration::from_hours(7)).await;
                assert_eq!(service.received().len(), number);
            }
        });
    }

    fn an_unreachable_service_is_tried_again(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let [_, bob] = subscribed(app, service).await;
            let is_up = AtomicBool::new(false);
            // A connection that closes without a response.
            service.answer(move |_| {
                if is_up.swap(true, Ordering::Relaxed) { status("201 Created") } else { Vec::new() }
            });
            mention(app, &bob).await;
            later(app, Duration::from_mins(1)).await;
            later(app, Duration::from_hours(7)).await;
            assert_eq!(service.received().len(), 2);
        });
    }

    // The operator allowed the address when the client subscribed, and no longer does.
    fn private_addresses_are_never_reached(database: &TestDatabase) {
        let site = Site::start(|_| status("201 Created"));
        run(database, |_| (), async |app: &TestApp| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            let parameters = PushClient::new(1).parameters(&site.url("/"), true);
            alice.json(SUBSCRIPTION, parameters).await.expect(422);
            allow_and_subscribe(app, &alice, &site).await;
            assert_eq!(alice.get(SUBSCRIPTION).await.ok()["endpoint"], site.url("/"));
            mention(app, &bob).await;
            later(app, Duration::from_hours(7)).await;
            assert_eq!(site.received(), []);
            assert_eq!(counts(app).await, (0, 0));
        });
    }
}
