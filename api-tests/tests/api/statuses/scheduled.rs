//! `POST /api/v1/statuses` with `scheduled_at`.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use siskin_entities::{StatusDraft, StatusSource};
use siskin_persistence::scheduled::{self, NewScheduled};

use crate::{
    scheduled_statuses::{ahead, an_hour_later, ask, path, published, schedule, waiting},
    support::{TestApp, User, id, pictures::png},
};

const PATH: &str = "/api/v1/statuses";

async fn post_with_key(author: &User, key: &str, post: &Value) -> Value {
    let request = author.request(Method::POST, PATH).header("Idempotency-Key", key);
    author.send(request.json(post)).await.ok()
}

api_tests! {
    async fn a_scheduled_status_is_returned_with_its_parameters(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let root = bob.publish("Well?").await;
        let at = ahead(app, Duration::from_hours(1));
        let post = json!({
            "status": "@bob *hello* ", "spoiler_text": "Hm", "visibility": "direct",
            "sensitive": false, "language": "de", "in_reply_to_id": root["id"],
            "content_type": "text/markdown", "scheduled_at": at,
            "poll": { "options": [" yes", "no"], "expires_in": 600, "multiple": true },
        });
        let before = (alice.credentials().await.ok(), bob.notification_types().await);
        let scheduled = alice.json(PATH, post).await.ok();
        assert_eq!(
            scheduled,
            json!({
                "id": scheduled["id"],
                "scheduled_at": at,
                "params": {
                    "text": "@bob *hello* ", "spoiler_text": "Hm", "visibility": "direct",
                    "sensitive": false, "language": "de", "in_reply_to_id": root["id"],
                    "media_ids": [], "scheduled_at": null, "idempotency": null,
                    "quoted_status_id": null, "quote_approval_policy": "nobody",
                    "with_rate_limit": false,
                    "poll": {
                        "options": ["yes", "no"], "expires_in": 600, "multiple": true,
                        "hide_totals": false,
                    },
                },
                "media_attachments": [],
            })
        );
        // A scheduled status creates no notification and changes no counter.
        app.app().drain_jobs().await.unwrap();
        assert_eq!((alice.credentials().await.ok(), bob.notification_types().await), before);
        assert_eq!(published(&alice).await, Vec::<Value>::new());
        let thread = bob.get(&format!("{PATH}/{}/context", id(&root))).await.ok();
        assert_eq!(thread["descendants"], json!([]));
        assert_eq!(bob.get(&format!("{PATH}/{}", id(&root))).await.ok(), root);
        an_hour_later(app).await;
        let status = &published(&alice).await[0];
        assert!(status["content"].as_str().unwrap().contains("<em>hello</em>"), "{status}");
    }

    // `scheduled_at` is accepted in all common notations. An invalid time, and one in the past or
    // too near, is refused.
    async fn times_are_accepted_in_every_format_and_invalid_ones_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        for at in [
            "2099-01-01T10:00:00+0100",
            "2099-01-01T10:00:00+01:00",
            "2099-01-01T09:00:00Z",
            "2099-01-01T09:00:00.000Z",
        ] {
            let json = json!({ "status": at, "scheduled_at": at });
            for response in [
                alice.json(PATH, json).await,
                alice.form(PATH, &[("status", at), ("scheduled_at", at)]).await,
            ] {
                assert_eq!(response.ok()["scheduled_at"], "2099-01-01T09:00:00.000Z", "{at}");
            }
        }
        let near = ahead(app, Duration::from_secs(299));
        let too_near = "Validation failed: Scheduled at must be at least 5 minutes in the future";
        for (at, why) in [
            ("garbage", "Record invalid"),
            ("2099-01-01", "Record invalid"),
            ("2020-01-01T09:00:00Z", too_near),
            (&near, too_near),
        ] {
            let refused = alice.json(PATH, json!({ "status": "x", "scheduled_at": at })).await;
            assert_eq!(refused.expect(422), json!({ "error": why }), "{at}");
        }
        assert_eq!((waiting(&alice).await.len(), published(&alice).await.len()), (8, 0));
        let soon = ahead(app, Duration::from_mins(6));
        alice.json(PATH, json!({ "status": "x", "scheduled_at": soon })).await.ok();
        for none in [json!(""), json!(" "), Value::Null] {
            let status = alice.publish_as(json!({ "status": "x", "scheduled_at": none })).await;
            assert_eq!(status["content"], "<p>x</p>");
        }
    }

    async fn invalid_statuses_are_not_scheduled(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let secret = bob.publish_as(json!({ "status": "x", "visibility": "private" })).await;
        let foreign = bob.upload_media(png(9, 9), "").await;
        let media = alice.upload_media(png(9, 9), "").await;
        let poll = json!({ "options": ["a", "b"], "expires_in": 600 });
        for (post, status, why) in [
            (json!({ "status": " " }), 422, "can't be blank"),
            (json!({ "status": "x".repeat(501) }), 422, "character limit of 500"),
            (json!({ "status": "x", "visibility": "all" }), 422, "Visibility"),
            (json!({ "status": "x", "content_type": "text/rtf" }), 422, "Content type"),
            (json!({ "status": "<!-- x -->", "content_type": "text/html" }), 422, "can't be blank"),
            (json!({ "status": "x", "in_reply_to_id": secret["id"] }), 404, "not found"),
            (json!({ "status": "x", "media_ids": [foreign["id"]] }), 422, "was not found"),
            (json!({ "status": "x", "media_ids": [media["id"]], "poll": poll }), 422, "either"),
            (json!({ "status": "x", "poll": { "options": ["a"], "expires_in": 600 } }), 422, "Poll"),
        ] {
            let refused = ask(app, &alice, post.clone()).await.expect(status);
            assert!(refused["error"].as_str().unwrap().contains(why), "{post}: {refused}");
        }
        assert_eq!(waiting(&alice).await, Vec::<String>::new());
        schedule(app, &alice, json!({ "media_ids": [media["id"]] })).await;
        let viewer = app.user_with_scopes(&alice, "read").await;
        let at = ahead(app, Duration::from_hours(1));
        let post = json!({ "status": "x", "scheduled_at": at });
        viewer.json(PATH, post.clone()).await.expect(403);
        app.anonymous().json(PATH, post).await.expect(401);
    }

    async fn an_idempotency_key_applies_before_and_after_publication(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let media = alice.upload_media(png(9, 9), "").await;
        let at = ahead(app, Duration::from_mins(30));
        let post = json!({ "status": "x", "media_ids": [media["id"]], "scheduled_at": at });
        let scheduled = post_with_key(&alice, "k", &post).await;
        assert_eq!(post_with_key(&alice, "k", &post).await, scheduled);
        assert_eq!(post_with_key(&alice, "k", &json!({ "status": "x" })).await, scheduled);
        assert_eq!(waiting(&alice).await, [id(&scheduled)]);
        post_with_key(&bob, "k", &json!({ "status": "Bob's" })).await;
        app.advance(Duration::from_mins(31));
        app.app().drain_jobs().await.unwrap();
        let [status] = published(&alice).await.try_into().unwrap();
        assert_eq!(id(&post_with_key(&alice, "k", &post).await), id(&status));
        assert_eq!((waiting(&alice).await.len(), published(&alice).await.len()), (0, 1));
        // The key belongs to a published status, so `scheduled_at` of the second request is
        // ignored.
        let now = post_with_key(&alice, "now", &json!({ "status": "y" })).await;
        let later = json!({ "status": "y", "scheduled_at": ahead(app, Duration::from_hours(1)) });
        assert_eq!(id(&post_with_key(&alice, "now", &later).await), id(&now));
    }

    async fn the_key_of_a_deleted_schedule_creates_nothing(app: &TestApp) {
        let alice = app.user("alice").await;
        let post = json!({ "status": "x", "scheduled_at": ahead(app, Duration::from_hours(2)) });
        let scheduled = post_with_key(&alice, "k", &post).await;
        alice.delete(&path(&scheduled)).await.ok();
        let request = || alice.request(Method::POST, PATH).header("Idempotency-Key", "k").json(&post);
        alice.send(request()).await.expect(404);
        app.advance(Duration::from_mins(61));
        assert_ne!(id(&alice.send(request()).await.ok()), id(&scheduled));
    }

    async fn at_most_twenty_five_statuses_are_scheduled_for_a_day(app: &TestApp) {
        let alice = app.user("alice").await;
        let day = app.app().now().midnight().after(Duration::from_hours(48));
        let post = |minute: u64| {
            let at = day.after(Duration::from_mins(minute)).to_string();
            json!({ "status": "x", "scheduled_at": at })
        };
        for minute in 0..25 {
            alice.json(PATH, post(minute)).await.ok();
        }
        let refused = alice.json(PATH, post(1439)).await.expect(422);
        assert_eq!(
            refused["error"],
            "Validation failed: At most 25 posts can be scheduled for one day"
        );
        alice.json(PATH, post(1440)).await.ok();
        app.user("bob").await.json(PATH, post(1439)).await.ok();
    }

    async fn at_most_three_hundred_statuses_are_scheduled(app: &TestApp) {
        let alice = app.user("alice").await;
        fill(app, &alice, 299).await;
        schedule(app, &alice, json!({ "status": "the last" })).await;
        let refused = ask(app, &alice, json!({ "status": "x" })).await.expect(422);
        assert_eq!(refused["error"], "Validation failed: At most 300 posts can be scheduled");
    }
}

/// Inserts this number of scheduled statuses far in the future, without jobs.
async fn fill(app: &TestApp, author: &User, count: u64) {
    let account = author.id.parse().unwrap();
    let insert = move |tx: &mut siskin_persistence::Tx<'_>| {
        for day in 0..count {
            let new = NewScheduled {
                id: siskin_ids::ScheduledStatusId::new(tx.next_id()),
                account,
                at: tx.now().after(Duration::from_hours(24 * (day + 2))),
                draft: &StatusDraft { source: StatusSource::new("x"), ..StatusDraft::default() },
                application: None,
            };
            scheduled::insert(tx, &new)?;
        }
        Ok(())
    };
    app.app().write(insert).await.unwrap();
}
