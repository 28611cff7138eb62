//! `GET /api/v1/statuses/{id}`.

use serde_json::{Value, json};
use siskin_entities::AccountState;

use crate::support::{GOOD, id};

api_tests! {
    async fn each_visibility_is_seen_by_its_audience(app: &TestApp) {
        let alice = app.user("alice").await;
        let (follower, named, stranger) =
            (app.user("follower").await, app.user("named").await, app.user("stranger").await);
        app.follow(&follower, &alice).await;
        let nobody = app.anonymous();
        for (visibility, seen) in [
            ("public", [200, 200, 200, 200]),
            ("unlisted", [200, 200, 200, 200]),
            ("private", [200, 200, 404, 404]),
            ("direct", [404, 200, 404, 404]),
        ] {
            let status = json!({ "status": "hi @named", "visibility": visibility });
            let path = format!("/api/v1/statuses/{}", id(&alice.publish_as(status).await));
            assert_eq!(alice.get(&path).await.status, 200);
            let readers = [&follower.client, &named.client, &stranger.client, &nobody];
            for (viewer, status) in readers.into_iter().zip(seen) {
                let response = viewer.get(&path).await;
                assert_eq!(response.status, status, "{visibility}");
                if status == 404 {
                    assert_eq!(response.json(), json!({ "error": "Record not found" }));
                }
            }
        }
    }

    // A public reply must not reveal to a viewer that its parent is a private status.
    async fn the_parent_of_a_reply_is_named_if_it_is_visible(app: &TestApp) {
        let (alice, bob, stranger) =
            (app.user("alice").await, app.user("bob").await, app.user("stranger").await);
        app.follow(&bob, &alice).await;
        let secret = json!({ "status": "among us", "visibility": "private" });
        let secret = alice.publish_as(secret).await;
        let reply = json!({
            "status": "@alice yes", "in_reply_to_id": secret["id"], "visibility": "public",
        });
        let reply = bob.publish_as(reply).await;
        assert_eq!(reply["in_reply_to_id"], secret["id"]);
        let path = format!("/api/v1/statuses/{}", id(&reply));
        for (viewer, parent, author) in [
            (&bob.client, &secret["id"], &secret["account"]["id"]),
            (&alice.client, &secret["id"], &secret["account"]["id"]),
            (&stranger.client, &Value::Null, &Value::Null),
            (&app.anonymous(), &Value::Null, &Value::Null),
        ] {
            let seen = viewer.get(&path).await.ok();
            assert_eq!((&seen["in_reply_to_id"], &seen["in_reply_to_account_id"]), (parent, author));
        }
        let statuses = format!("/api/v1/accounts/{}/statuses", bob.id);
        let listed = app.anonymous().get(&statuses).await.ok();
        assert_eq!(listed[0]["id"], reply["id"]);
        assert_eq!(listed[0]["in_reply_to_id"], Value::Null);
        stranger.act("reblog", &reply).await;
        let wrapped = stranger.get(&format!("/api/v1/accounts/{}/statuses", stranger.id)).await;
        assert_eq!(wrapped.ok()[0]["reblog"]["in_reply_to_id"], Value::Null);
    }

    async fn blocked_viewers_see_no_statuses(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let path = format!("/api/v1/statuses/{}", id(&alice.publish("hello").await));
        alice.act_on("block", &bob).await;
        bob.get(&path).await.expect(404);
        app.anonymous().get(&path).await.ok();
    }

    async fn statuses_of_suspended_and_unreachable_authors_are_gone(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let path = format!("/api/v1/statuses/{}", id(&alice.publish("hello").await));
        for state in
            [AccountState { suspended: true, ..GOOD }, AccountState { reachable: false, ..GOOD }]
        {
            app.set_state(&alice, state).await;
            bob.get(&path).await.expect(404);
        }
        app.set_state(&alice, AccountState { silenced: true, ..GOOD }).await;
        bob.get(&path).await.ok();
    }

    // Invalid ids result in 404, like unknown ids.
    async fn an_invalid_id_is_not_found(app: &TestApp) {
        let alice = app.user("alice").await;
        for id in ["0", "-1", "abc", "9223372036854775808", "1e3", "%00", "01", "%201", "1%2F2", "1"] {
            for path in ["", "/context", "/favourited_by", "/reblogged_by", "/source"] {
                let response = alice.get(&format!("/api/v1/statuses/{id}{path}")).await;
                assert_eq!(response.expect(404), json!({ "error": "Record not found" }), "{id}{path}");
            }
            for action in ["favourite", "unfavourite", "bookmark", "unbookmark", "reblog", "unreblog"] {
                let response = alice.post(&format!("/api/v1/statuses/{id}/{action}")).await;
                assert_eq!(response.expect(404), json!({ "error": "Record not found" }), "{id} {action}");
            }
            alice.delete(&format!("/api/v1/statuses/{id}")).await.expect(404);
            alice.get(&format!("/api/v1/accounts/{id}/statuses")).await.expect(404);
        }
    }

    // A token must have the scope to read statuses; `read` includes it.
    async fn a_token_must_cover_reading_statuses(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&bob, &alice).await;
        let private = json!({ "status": "secret", "visibility": "private" });
        let path = format!("/api/v1/statuses/{}", id(&alice.publish_as(private).await));
        let viewer = app.user_with_scopes(&bob, "read").await;
        viewer.get(&path).await.ok();
        viewer.get(&format!("{path}/context")).await.ok();
        let other = app.user_with_scopes(&bob, "read:accounts").await;
        other.get(&path).await.expect(403);
        other.get(&format!("{path}/context")).await.expect(403);
    }

    // Ids are texts, and ids of statuses contain their time.
    async fn ids_are_strings_and_contain_the_time(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let first = alice.publish("@bob #tag").await;
        bob.reply(&first, "@alice").await;
        bob.act("reblog", &first).await;
        let home = alice.get("/api/v1/timelines/home").await.ok();
        let context = alice.get(&format!("/api/v1/statuses/{}/context", id(&first))).await.ok();
        let profile = alice.get(&format!("/api/v1/accounts/{}/statuses", bob.id)).await.ok();
        for response in [&home, &context, &profile] {
            assert_ids(response);
        }
        for status in home.as_array().unwrap().iter().chain(profile.as_array().unwrap()) {
            let ms = id(status).parse::<i64>().unwrap() >> 16;
            let created_at = status["created_at"].as_str().unwrap();
            let shown = siskin_entities::Timestamp::from_unix_ms(ms).to_string();
            assert_eq!(created_at, shown);
        }
    }
}

/// Checks that every id in a response is a text or null.
fn assert_ids(value: &Value) {
    match value {
        Value::Array(items) => items.iter().for_each(assert_ids),
        Value::Object(members) => {
            for (name, value) in members {
                if name == "id" || name.ends_with("_id") {
                    assert!(value.is_string() || value.is_null(), "{name}: {value}");
                }
                assert_ids(value);
            }
        }
        _ => {}
    }
}
