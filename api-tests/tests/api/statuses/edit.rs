//! `PUT /api/v1/statuses/{id}`.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use siskin_test_support::both_engines;

use crate::support::{Response, TestApp, User, id, ids, run};

async fn edit(user: &User, status: &Value, parameters: Value) -> Response {
    let path = format!("/api/v1/statuses/{}", id(status));
    user.send(user.request(Method::PUT, &path).json(&parameters)).await
}

async fn get(user: &User, status: &Value) -> Value {
    user.get(&format!("/api/v1/statuses/{}", id(status))).await.ok()
}

/// Returns types and statuses of a person's notifications.
async fn notifications_of(user: &User) -> Vec<(String, String)> {
    let notification_types = user.get("/api/v1/notifications").await.ok();
    let of = |one: &Value| (one["type"].as_str().unwrap().to_owned(), id(&one["status"]));
    notification_types.as_array().unwrap().iter().map(of).collect()
}

api_tests! {
    async fn an_edit_replaces_the_text_and_sets_the_time(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("Hello #birds").await;
        assert_eq!(status["edited_at"], Value::Null);
        app.advance(std::time::Duration::from_secs(60));
        let parameters = json!({
            "status": "Goodbye #fish", "spoiler_text": "Sad", "language": "de", "sensitive": false,
        });
        let edited = edit(&alice, &status, parameters).await.ok();
        assert_eq!(edited["id"], status["id"]);
        assert_eq!(edited["created_at"], status["created_at"]);
        assert!(edited["edited_at"].as_str().unwrap() > edited["created_at"].as_str().unwrap());
        assert!(edited["content"].as_str().unwrap().contains("Goodbye"));
        assert_eq!(edited["spoiler_text"], "Sad");
        // A status with a content warning is always sensitive.
        assert_eq!(edited["sensitive"], true);
        assert_eq!(edited["language"], "de");
        assert_eq!(edited["tags"].as_array().unwrap().len(), 1);
        assert_eq!(edited["tags"][0]["name"], "fish");
        assert_eq!(get(&alice, &status).await, edited);
        let timeline = async |tag: &str| {
            app.anonymous().get(&format!("/api/v1/timelines/tag/{tag}")).await.ids()
        };
        assert_eq!(timeline("birds").await, Vec::<String>::new());
        assert_eq!(timeline("fish").await, ids([&status]));
        let source = alice.get(&format!("/api/v1/statuses/{}/source", id(&status))).await.ok();
        assert_eq!(source["text"], "Goodbye #fish");
    }

    async fn an_edit_replaces_warning_and_sensitive_flag_only(app: &TestApp) {
        let alice = app.user("alice").await;
        let marked = |status: &Value| (status["spoiler_text"].clone(), status["sensitive"].clone());
        let (plain, sensitive) = ((json!(""), json!(false)), (json!(""), json!(true)));
        for (parameters, expected) in [
            (json!({ "status": "two" }), &plain),
            (json!({ "status": "two", "spoiler_text": null, "sensitive": null }), &plain),
            (json!({ "status": "two", "spoiler_text": "" }), &plain),
            (json!({ "status": "two", "sensitive": true }), &sensitive),
            (json!({ "status": "two", "spoiler_text": null, "sensitive": "1" }), &sensitive),
            (json!({ "status": "two", "sensitive": false }), &plain),
        ] {
            let status = alice
                .publish_as(json!({
                    "status": "one", "spoiler_text": "cw", "language": "fr", "visibility": "unlisted",
                }))
                .await;
            let edited = edit(&alice, &status, parameters.clone()).await.ok();
            assert_eq!(edited["content"], "<p>two</p>");
            assert_eq!(&marked(&edited), expected, "{parameters}");
            assert_eq!((&edited["language"], &edited["visibility"]), (&json!("fr"), &json!("unlisted")));
        }
        // The same request as a form.
        let status = alice.publish_as(json!({ "status": "one", "spoiler_text": "cw" })).await;
        let path = format!("/api/v1/statuses/{}", id(&status));
        let edited = alice.put(&path, &[("status", "two"), ("language", "")]).await.ok();
        assert_eq!(marked(&edited), plain);
        assert_eq!(edited["language"], status["language"]);
        let cleared = edit(&alice, &status, json!({ "language": null })).await.ok();
        assert_eq!((&cleared["language"], &cleared["content"]), (&Value::Null, &edited["content"]));
        let nothing = edit(&alice, &status, json!({ "status": null })).await.expect(422);
        assert_eq!(nothing["error"], "Validation failed: Text can't be blank");
    }

    async fn an_edit_leaves_the_poll_unless_it_removes_it(app: &TestApp) {
        let alice = app.user("alice").await;
        let poll = json!({ "options": ["yes", "no"], "expires_in": 3600 });
        let ask = async || alice.publish_as(json!({ "status": "One?", "poll": poll })).await;
        let status = ask().await;
        let edited = edit(&alice, &status, json!({ "status": "Two?" })).await.ok();
        assert_eq!(edited["poll"]["id"], status["poll"]["id"]);
        for nothing in [
            json!(null), json!(""), json!({}), json!({ "options": [] }), json!({ "options": null }),
            json!({ "options": ["", " "], "expires_in": 60 }), json!({ "multiple": true }),
        ] {
            let status = ask().await;
            let edited = edit(&alice, &status, json!({ "poll": nothing })).await.ok();
            assert_eq!(edited["poll"], Value::Null, "{nothing}");
            assert!(edited["edited_at"].is_string(), "{nothing}");
            let poll = format!("/api/v1/polls/{}", id(&status["poll"]));
            alice.get(&poll).await.expect(404);
            let history = alice.get(&format!("/api/v1/statuses/{}/history", id(&status))).await.ok();
            assert_eq!(history[0]["poll"]["options"][1]["title"], "no");
            assert_eq!(history[1].get("poll"), None, "{history}");
            let again = edit(&alice, &status, json!({ "poll": nothing })).await.ok();
            assert_eq!(again["edited_at"], edited["edited_at"], "there is no poll to remove");
        }
        let status = ask().await;
        let path = format!("/api/v1/statuses/{}", id(&status));
        for form in [[("poll", "")], [("poll[options][]", "")]] {
            let status = ask().await;
            let path = format!("/api/v1/statuses/{}", id(&status));
            assert_eq!(alice.put(&path, &form).await.ok()["poll"], Value::Null, "{form:?}");
        }
        // A poll can replace another one.
        let other = edit(&alice, &status, json!({ "poll": { "options": ["a", "b"], "expires_in": 300 } }));
        assert_eq!(other.await.ok()["poll"]["options"][0]["title"], "a");
        alice.get(&path).await.ok();
    }

    async fn an_edit_without_content_type_uses_the_original_one(app: &TestApp) {
        let alice = app.user("alice").await;
        let status =
            alice.publish_as(json!({ "status": "*one*", "content_type": "text/markdown" })).await;
        let edited = edit(&alice, &status, json!({ "status": "*two*" })).await.ok();
        assert_eq!(edited["content"], "<p><em>two</em></p>");
        let plain = edit(&alice, &status, json!({ "content_type": "text/plain" })).await.ok();
        assert_eq!(plain["content"], "<p>*two*</p>");
        let unknown = json!({ "status": "x", "content_type": "text/rtf" });
        edit(&alice, &status, unknown).await.expect(422);
    }

    async fn an_edit_without_changes_is_ignored(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("same").await;
        for parameters in [json!({ "status": "same" }), json!({}), json!({ "media_ids": [] })] {
            assert_eq!(edit(&alice, &status, parameters).await.ok()["edited_at"], Value::Null);
        }
        let history = alice.get(&format!("/api/v1/statuses/{}/history", id(&status))).await.ok();
        assert_eq!(history.as_array().unwrap().len(), 1);
    }

    async fn invalid_statuses_cannot_be_created_by_an_edit(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("hello").await;
        for (parameters, why) in [
            (json!({ "status": " " }), "Validation failed: Text can't be blank"),
            (
                json!({ "status": "x".repeat(501) }),
                "Validation failed: Text character limit of 500 exceeded",
            ),
            (
                json!({ "spoiler_text": "x".repeat(496) }),
                "Validation failed: Text character limit of 500 exceeded",
            ),
            (
                json!({ "status": "x", "media_ids": ["7"] }),
                "Validation failed: Media attachments of a post cannot be changed",
            ),
        ] {
            assert_eq!(edit(&alice, &status, parameters).await.expect(422)["error"], why);
        }
        assert_eq!(get(&alice, &status).await, status);
    }

    async fn only_the_author_can_edit_a_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let (status, hidden) = (
            alice.publish("hello").await,
            alice.publish_as(json!({ "status": "x", "visibility": "private" })).await,
        );
        let parameters = json!({ "status": "mine now" });
        let unknown = edit(&bob, &json!({ "id": "9" }), parameters.clone()).await.expect(404);
        for status in [&status, &hidden] {
            assert_eq!(edit(&bob, status, parameters.clone()).await.expect(404), unknown);
        }
        let reblog = bob.act("reblog", &status).await;
        edit(&bob, &reblog, parameters.clone()).await.expect(422);
        let path = format!("/api/v1/statuses/{}", id(&status));
        app.anonymous().put(&path, &parameters).await.expect(401);
        app.user_with_scopes(&alice, "read write:media").await.put(&path, &parameters).await.expect(403);
        app.user_with_scopes(&alice, "write:statuses").await.put(&path, &parameters).await.ok();
    }

    async fn accounts_newly_mentioned_by_an_edit_are_notified_once(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let status = alice.publish("Hello @bob").await;
        let edited = edit(&alice, &status, json!({ "status": "Hello @bob @carol" })).await.ok();
        assert_eq!(edited["mentions"].as_array().unwrap().len(), 2);
        for text in ["Hello @carol", "Hello @carol and @bob", "Hello all", "@bob @carol bye"] {
            edit(&alice, &status, json!({ "status": text })).await.ok();
        }
        let mention = [("mention".to_owned(), id(&status))];
        assert_eq!(notifications_of(&bob).await, mention);
        assert_eq!(notifications_of(&carol).await, mention);
        bob.post("/api/v1/notifications/clear").await.ok();
        edit(&alice, &status, json!({ "status": "@bob again" })).await.ok();
        assert_eq!(notifications_of(&bob).await, []);
    }

    async fn formerly_mentioned_accounts_still_see_the_status(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let status =
            alice.publish_as(json!({ "status": "@bob psst", "visibility": "direct" })).await;
        carol.get(&format!("/api/v1/statuses/{}", id(&status))).await.expect(404);
        edit(&alice, &status, json!({ "status": "@carol psst" })).await.ok();
        for person in [&bob, &carol] {
            let seen = get(person, &status).await;
            let named: Vec<&Value> =
                seen["mentions"].as_array().unwrap().iter().map(|one| &one["acct"]).collect();
            assert_eq!(named, ["carol"]);
        }
    }

    async fn rebloggers_are_notified_of_the_latest_edit(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let status = alice.publish("one").await;
        bob.act("reblog", &status).await;
        carol.act("favourite", &status).await;
        edit(&alice, &status, json!({ "status": "two" })).await.ok();
        let update = [("update".to_owned(), id(&status))];
        assert_eq!(notifications_of(&bob).await, update);
        assert_eq!(notifications_of(&carol).await, []);
        let first = bob.get("/api/v1/notifications").await.ids();
        edit(&alice, &status, json!({ "status": "three" })).await.ok();
        assert_eq!(notifications_of(&bob).await, update);
        let second = bob.get("/api/v1/notifications").await.ids();
        assert_ne!(first, second, "the newer edit notification replaces the older one");
        let shown = bob.get("/api/v1/notifications").await.ok();
        assert_eq!(shown[0]["status"]["content"], "<p>three</p>");
        assert_eq!(shown[0]["account"]["id"], alice.id.as_str());
    }

    async fn concurrent_edits_are_serialised(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("0").await;
        let edits = (1..=20).map(|number| json!({ "status": number.to_string() }));
        let answers = join_all(edits.map(|parameters| edit(&alice, &status, parameters))).await;
        assert!(answers.iter().all(|response| response.status == 200));
        let history = alice.get(&format!("/api/v1/statuses/{}/history", id(&status))).await.ok();
        let history = history.as_array().unwrap();
        assert_eq!(history.len(), 21);
        let times: Vec<&str> =
            history.iter().map(|version| version["created_at"].as_str().unwrap()).collect();
        assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
        let mut versions: Vec<&str> =
            history.iter().map(|version| version["content"].as_str().unwrap()).collect();
        assert_eq!(versions[0], "<p>0</p>");
        versions.sort_unstable();
        versions.dedup();
        assert_eq!(versions.len(), 21, "no edit may be lost or duplicated");
    }
}

both_engines! {
    fn edits_are_rate_limited(database: &TestDatabase) {
        let limited = |config: &mut siskin_server::Config| {
            config.fixed_settings.clear();
            config.fixed_settings.push(("rate_limits.edit".to_owned(), "2".to_owned()));
        };
        run(database, limited, async |app: &TestApp| {
            let alice = app.user("alice").await;
            let status = alice.publish("0").await;
            for number in 1..=2 {
                edit(&alice, &status, json!({ "status": number.to_string() })).await.ok();
            }
            let refused = edit(&alice, &status, json!({ "status": "3" })).await;
            refused.expect(429);
            assert_eq!(refused.header("x-ratelimit-limit"), Some("2"));
            assert_eq!(get(&alice, &status).await["content"], "<p>2</p>");
        });
    }
}
