//! Publishing a scheduled status at its time.

use std::time::Duration;

use serde_json::{Value, json};
use siskin_ids::AccountId;
use siskin_services::accounts::{self, Decision, migration};

use super::{ahead, an_hour_later, ask, path, published, schedule, waiting};
use crate::support::{TestApp, User, id};

async fn decide(app: &TestApp, user: &User, decision: Decision) {
    let account: AccountId = user.id.parse().unwrap();
    app.app().write(move |tx| accounts::decide(tx, account, decision)).await.unwrap();
}

async fn set_quote_policy(author: &User, status: &Value, name: &str) {
    let path = format!("/api/v1/statuses/{}/interaction_policy", id(status));
    author.put(&path, &[("quote_approval_policy", name)]).await.ok();
}

api_tests! {
    async fn a_due_scheduled_status_is_published(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow_with(&bob, &alice, true, true, None).await;
        let root = bob.publish("Well?").await;
        let parameters = json!({
            "status": "@bob see https://a.example #birds", "spoiler_text": "Birds",
            "visibility": "unlisted", "language": "de", "in_reply_to_id": root["id"],
            "poll": { "options": ["yes", "no"], "expires_in": 600, "multiple": true },
        });
        let scheduled = schedule(app, &alice, parameters.clone()).await;
        an_hour_later(app).await;
        let [status] = published(&alice).await.try_into().unwrap();
        assert_ne!(id(&status), id(&scheduled));
        let at = scheduled["scheduled_at"].as_str().unwrap();
        assert!(status["created_at"].as_str().unwrap() >= at, "{status}");
        // The status equals one that is posted now.
        let mut posted = alice.publish_as(parameters).await;
        let mut same = status.clone();
        for status in [&mut posted, &mut same] {
            for field in ["id", "uri", "url", "created_at", "account", "poll"] {
                status[field].take();
            }
        }
        assert_eq!(same, posted);
        let poll = &status["poll"];
        let end = poll["expires_at"].as_str().unwrap();
        assert!((ahead(app, Duration::from_secs(540))..=ahead(app, Duration::from_secs(600))).contains(&end.to_owned()), "{poll}");
        assert_eq!((&poll["multiple"], &poll["expired"]), (&json!(true), &json!(false)));
        assert_eq!(alice.credentials().await.ok()["statuses_count"], 2);
        assert_eq!(bob.get(&format!("/api/v1/statuses/{}", id(&root))).await.ok()["replies_count"], 2);
        assert_eq!(bob.notification_types().await, ["mention", "mention"]);
        alice.get(&path(&scheduled)).await.expect(404);
        app.advance(Duration::from_mins(11));
        app.app().drain_jobs().await.unwrap();
        assert_eq!(alice.get(&format!("/api/v1/polls/{}", id(poll))).await.ok()["expired"], true);
    }

    async fn a_published_status_has_the_parameters_from_its_creation(app: &TestApp) {
        let alice = app.user("alice").await;
        let source = |privacy: &'static str, language: &'static str| {
            [("source[privacy]", privacy), ("source[language]", language), ("source[sensitive]", "true")]
        };
        let update = "/api/v1/accounts/update_credentials";
        alice.patch(update, &source("private", "de")).await.ok();
        let scheduled = schedule(app, &alice, json!({ "status": "*Hello*" })).await;
        let params = &scheduled["params"];
        assert_eq!((&params["visibility"], &params["language"]), (&json!("private"), &json!("de")));
        assert_eq!(params["sensitive"], true);
        alice.patch(update, &source("public", "fr")).await.ok();
        an_hour_later(app).await;
        let status = &published(&alice).await[0];
        assert_eq!((&status["visibility"], &status["language"]), (&json!("private"), &json!("de")));
        assert_eq!(app.anonymous().get(&format!("/api/v1/statuses/{}", id(status))).await.status, 404);
    }

    async fn a_published_status_reaches_the_current_followers(app: &TestApp) {
        let alice = app.user("alice").await;
        schedule(app, &alice, json!({ "status": "Hello @bob" })).await;
        let (bob, carol) = (app.user("bob").await, app.user("carol").await);
        app.follow(&carol, &alice).await;
        an_hour_later(app).await;
        let status = &published(&alice).await[0];
        assert_eq!(status["mentions"][0]["id"], bob.id);
        assert_eq!(bob.notification_types().await, ["mention"]);
        assert_eq!(carol.get("/api/v1/timelines/home").await.ids(), [id(status)]);
    }

    async fn a_lowered_limit_does_not_affect_scheduled_statuses(app: &TestApp) {
        let alice = app.user("alice").await;
        let long = "x".repeat(500);
        schedule(app, &alice, json!({ "status": long })).await;
        app.app().change_setting("limits.status_chars".into(), "100".into()).await.unwrap();
        an_hour_later(app).await;
        assert_eq!(published(&alice).await[0]["content"], format!("<p>{long}</p>"));
    }

    async fn a_scheduled_reply_without_its_parent_is_not_published(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let question = bob.publish("Shall I?").await;
        let response = json!({ "status": "By all means!", "in_reply_to_id": question["id"] });
        let scheduled = schedule(app, &alice, response).await;
        assert_eq!(scheduled["params"]["in_reply_to_id"], question["id"]);
        bob.delete(&format!("/api/v1/statuses/{}", id(&question))).await.ok();
        an_hour_later(app).await;
        assert_eq!(published(&alice).await, Vec::<Value>::new());
        // The scheduled status is kept unchanged, so that its author can correct it.
        assert_eq!(alice.get(&path(&scheduled)).await.ok(), scheduled);
        an_hour_later(app).await;
        assert_eq!(waiting(&alice).await, [id(&scheduled)]);
        alice.delete(&path(&scheduled)).await.ok();
    }

    async fn a_scheduled_quote_that_is_not_allowed_any_more_is_not_published(app: &TestApp) {
        for (number, change) in ["delete", "policy", "block", "blocked"].into_iter().enumerate() {
            let alice = app.user(&format!("alice{number}")).await;
            let bob = app.user(&format!("bob{number}")).await;
            let quoted = bob.publish("Quote me").await;
            let of_quoted = format!("/api/v1/statuses/{}", id(&quoted));
            let quote = json!({ "status": "Look!", "quoted_status_id": quoted["id"] });
            let scheduled = schedule(app, &alice, quote).await;
            match change {
                "delete" => drop(bob.delete(&of_quoted).await.ok()),
                "policy" => set_quote_policy(&bob, &quoted, "nobody").await,
                "block" => drop(alice.act_on("block", &bob).await),
                _ => drop(bob.act_on("block", &alice).await),
            }
            an_hour_later(app).await;
            assert_eq!(published(&alice).await, Vec::<Value>::new(), "{change}");
            // The scheduled status is kept unchanged, and not tried again.
            assert_eq!(alice.get(&path(&scheduled)).await.ok(), scheduled, "{change}");
            an_hour_later(app).await;
            assert_eq!(waiting(&alice).await, [id(&scheduled)], "{change}");
            assert_eq!(published(&alice).await, Vec::<Value>::new(), "{change}");
            assert_eq!(bob.notification_types().await, [""; 0], "{change}");
            if change != "delete" {
                assert_eq!(bob.get(&of_quoted).await.ok()["quotes_count"], 0, "{change}");
            }
        }
    }

    async fn a_kept_quote_is_published_at_a_new_time_when_it_is_allowed_again(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let quoted = bob.publish("Quote me").await;
        let quote = json!({ "status": "Look!", "quoted_status_id": quoted["id"] });
        let scheduled = schedule(app, &alice, quote).await;
        set_quote_policy(&bob, &quoted, "nobody").await;
        an_hour_later(app).await;
        set_quote_policy(&bob, &quoted, "public").await;
        an_hour_later(app).await;
        assert_eq!(published(&alice).await, Vec::<Value>::new());
        let at = ahead(app, Duration::from_hours(1));
        alice.put(&path(&scheduled), &[("scheduled_at", at)]).await.ok();
        an_hour_later(app).await;
        let [status] = published(&alice).await.try_into().unwrap();
        assert_eq!(status["quote"]["state"], "accepted");
        assert_eq!(status["quote"]["quoted_status"]["id"], quoted["id"]);
        assert_eq!(bob.notification_types().await, ["quote"]);
        assert_eq!(waiting(&alice).await, [""; 0]);
    }

    async fn a_quote_that_is_not_allowed_is_not_scheduled(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let (blocking, blocked) = (app.user("blocking").await, app.user("blocked").await);
        let private = json!({ "status": "x", "visibility": "private" });
        let closed = json!({ "status": "x", "quote_approval_policy": "nobody" });
        let (private, closed) = (bob.publish_as(private).await, bob.publish_as(closed).await);
        let (of_blocking, of_blocked) = (blocking.publish("x").await, blocked.publish("x").await);
        blocking.act_on("block", &alice).await;
        alice.act_on("block", &blocked).await;
        for (quoted, status, why) in [
            (json!("1"), 404, "Record not found"),
            (json!("abc"), 404, "Record not found"),
            (private["id"].clone(), 404, "Record not found"),
            (of_blocking["id"].clone(), 404, "Record not found"),
            (closed["id"].clone(), 403, "You are not allowed to quote this post"),
            (of_blocked["id"].clone(), 403, "This action is not allowed"),
        ] {
            let quote = json!({ "status": "Look!", "quoted_status_id": quoted });
            let refused = ask(app, &alice, quote).await.expect(status);
            assert_eq!(refused, json!({ "error": why }), "{quoted}");
        }
        assert_eq!(waiting(&alice).await, [""; 0]);
    }

    async fn suspended_authors_publish_nothing_and_lose_nothing(app: &TestApp) {
        let (alice, bob, carol, dave) = (
            app.user("alice").await,
            app.user("bob").await,
            app.user("carol").await,
            app.user("dave").await,
        );
        for author in [&alice, &bob, &carol] {
            schedule(app, author, json!({ "status": "Later" })).await;
        }
        decide(app, &alice, Decision::Suspended(true)).await;
        decide(app, &bob, Decision::Disabled(true)).await;
        let (from, to): (AccountId, AccountId) =
            (carol.id.parse().unwrap(), dave.id.parse().unwrap());
        app.app().write(move |tx| migration::add_alias(tx, to, from)).await.unwrap();
        app.app().write(move |tx| migration::move_to(tx, from, to)).await.unwrap();
        an_hour_later(app).await;
        decide(app, &alice, Decision::Suspended(false)).await;
        decide(app, &bob, Decision::Disabled(false)).await;
        for author in [&alice, &bob, &carol] {
            assert_eq!(published(author).await, Vec::<Value>::new());
            let [kept] = waiting(author).await.try_into().unwrap();
            assert_eq!(author.get(&format!("{}/{kept}", super::PATH)).await.ok()["params"]["text"], "Later");
        }
        // A new time is a new attempt.
        let path = format!("{}/{}", super::PATH, waiting(&alice).await[0]);
        let at = ahead(app, Duration::from_hours(1));
        alice.put(&path, &[("scheduled_at", at)]).await.ok();
        an_hour_later(app).await;
        assert_eq!(published(&alice).await.len(), 1);
    }

    async fn a_published_status_names_its_application(app: &TestApp) {
        let alice = app.user("alice").await;
        let through = app.user_by_application(&alice, "read write").await;
        let at = ahead(app, Duration::from_hours(1));
        let post = json!({ "status": "x", "scheduled_at": at });
        let scheduled = through.json("/api/v1/statuses", post).await.ok();
        assert!(scheduled["params"]["application_id"].is_string(), "{scheduled}");
        an_hour_later(app).await;
        assert_eq!(published(&alice).await[0]["application"]["name"], "Client");
        let plain = schedule(app, &alice, json!({ "status": "x" })).await;
        assert_eq!(plain["params"].get("application_id"), None);
    }
}
