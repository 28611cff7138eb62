//! `block`, `unblock` and `/api/v1/blocks`.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{User, id};

async fn listed(viewer: &User, path: String) -> Vec<String> {
    viewer.get(&path).await.ids()
}

api_tests! {
    async fn a_block_ends_follows_and_requests_in_both_directions(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.act_on("follow", &bob).await;
        bob.act_on("follow", &alice).await;
        alice.act_on("endorse", &bob).await;
        bob.act_on("endorse", &alice).await;
        let response = alice.post(&format!("/api/v1/accounts/{}/block", bob.id)).await;
        snapshot!("block", response);
        let relationship = response.ok();
        assert_eq!((&relationship["blocking"], &relationship["following"]), (&json!(true), &json!(false)));
        assert_eq!((&relationship["followed_by"], &relationship["endorsed"]), (&json!(false), &json!(false)));
        let theirs = bob.relationship(&alice).await;
        assert_eq!((&theirs["blocked_by"], &theirs["blocking"]), (&json!(true), &json!(false)));
        assert_eq!((&theirs["following"], &theirs["endorsed"]), (&json!(false), &json!(false)));
        assert_eq!((alice.counts().await, bob.counts().await), ((0, 0), (0, 0)));
        assert_eq!((alice.notification_types().await, bob.notification_types().await), (vec![], vec![]));
        let relationship = alice.act_on("unblock", &bob).await;
        assert_eq!((&relationship["blocking"], &relationship["following"]), (&json!(false), &json!(false)));
        assert_eq!((alice.counts().await, bob.counts().await), ((0, 0), (0, 0)));
    }

    async fn a_block_withdraws_follow_requests_in_both_directions(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.lock().await;
        bob.lock().await;
        alice.act_on("follow", &bob).await;
        bob.act_on("follow", &alice).await;
        assert_eq!(alice.notification_types().await, ["follow_request"]);
        let relationship = alice.act_on("block", &bob).await;
        assert_eq!((&relationship["requested"], &relationship["requested_by"]), (&json!(false), &json!(false)));
        for person in [&alice, &bob] {
            assert_eq!(listed(person, "/api/v1/follow_requests".into()).await, [""; 0]);
            assert_eq!(person.notification_types().await, [""; 0]);
        }
    }

    async fn a_block_prevents_follows(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.act_on("block", &bob).await;
        for (actor, target) in [(&alice, &bob), (&bob, &alice)] {
            actor.post(&format!("/api/v1/accounts/{}/follow", target.id)).await.expect(403);
        }
        alice.act_on("unblock", &bob).await;
        assert_eq!(bob.act_on("follow", &alice).await["following"], true);
    }

    // Blocked accounts are missing from lists of accounts, and see the blocker's lists as empty.
    async fn blocked_accounts_are_in_no_list_and_see_an_empty_network(app: &TestApp) {
        let [alice, bob, cat] =
            [app.user("alice").await, app.user("bob").await, app.user("cat").await];
        let status = bob.publish("hello").await;
        cat.act("favourite", &status).await;
        cat.act("reblog", &status).await;
        cat.act_on("follow", &bob).await;
        bob.act_on("follow", &cat).await;
        bob.act_on("follow", &alice).await;
        alice.act_on("follow", &bob).await;
        alice.act_on("block", &cat).await;
        for path in [
            format!("/api/v1/statuses/{}/favourited_by", id(&status)),
            format!("/api/v1/statuses/{}/reblogged_by", id(&status)),
            format!("/api/v1/accounts/{}/followers", bob.id),
            format!("/api/v1/accounts/{}/following", bob.id),
        ] {
            assert!(!listed(&alice, path.clone()).await.contains(&cat.id), "{path}");
            assert!(app.anonymous().get(&path).await.ids().contains(&cat.id), "{path}");
        }
        for which in ["followers", "following"] {
            let path = format!("/api/v1/accounts/{}/{which}", alice.id);
            assert_eq!(cat.get(&path).await.ok(), json!([]));
            assert_eq!(app.anonymous().get(&path).await.ids(), [bob.id.as_str()]);
        }
    }

    // Blocked accounts are missing from the timelines of the blocker.
    async fn blocked_accounts_are_in_no_timeline(app: &TestApp) {
        let (alice, cat) = (app.user("alice").await, app.user("cat").await);
        let status = cat.publish("#birds https://birds.example").await;
        alice.act_on("block", &cat).await;
        for path in ["/api/v1/timelines/public", "/api/v1/timelines/tag/birds"] {
            assert_eq!(alice.get(path).await.ids(), [""; 0], "{path}");
            assert_eq!(app.anonymous().get(path).await.ids(), [id(&status)], "{path}");
        }
        let found = alice.get("/api/v2/search?q=ca").await.ok();
        assert_eq!(found["accounts"], json!([]));
        assert_eq!(alice.get("/api/v2/search?q=cat").await.ok()["accounts"][0]["id"], cat.id);
    }

    async fn blocked_accounts_cannot_see_or_act_on_statuses_of_the_blocker(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello #birds").await;
        alice.act_on("block", &bob).await;
        let path = format!("/api/v1/statuses/{}", id(&status));
        for path in [path.clone(), format!("{path}/context"), format!("{path}/favourited_by")] {
            assert_eq!(bob.get(&path).await.expect(404), json!({ "error": "Record not found" }));
        }
        for action in ["favourite", "reblog", "bookmark"] {
            bob.post(&format!("{path}/{action}")).await.expect(404);
        }
        let reply = json!({ "status": "@alice hello", "in_reply_to_id": status["id"] });
        bob.json("/api/v1/statuses", reply).await.expect(404);
        let profile = format!("/api/v1/accounts/{}/statuses", alice.id);
        assert_eq!(bob.get(&profile).await.ok(), json!([]));
        assert_eq!(bob.get("/api/v1/timelines/tag/birds").await.ok(), json!([]));
        bob.publish("@alice hello").await;
        assert_eq!(alice.notification_types().await, [""; 0]);
    }

    async fn the_blocker_cannot_act_on_statuses_of_the_blocked_account(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = bob.publish("hello").await;
        alice.act_on("block", &bob).await;
        let path = format!("/api/v1/statuses/{}", id(&status));
        alice.get(&path).await.ok();
        for action in ["favourite", "reblog"] {
            alice.post(&format!("{path}/{action}")).await.expect(403);
        }
        let reply = json!({ "status": "hello", "in_reply_to_id": status["id"] });
        alice.json("/api/v1/statuses", reply).await.expect(403);
        let published = alice.publish("hello @bob").await;
        assert_eq!(published["mentions"], json!([]));
        assert!(!published["content"].as_str().unwrap().contains("href"), "{published}");
        assert_eq!(bob.notification_types().await, [""; 0]);
        let context = alice.get(&format!("{path}/context")).await.ok();
        assert_eq!(context["descendants"], json!([]));
    }

    async fn earlier_actions_stay_and_can_be_undone(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = bob.publish("hello").await;
        alice.act("favourite", &status).await;
        alice.act_on("block", &bob).await;
        let path = format!("/api/v1/statuses/{}/unfavourite", id(&status));
        assert_eq!(alice.post(&path).await.ok()["favourites_count"], 0);
    }

    async fn notifications_are_hidden_during_the_block(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        bob.publish("@alice before").await;
        alice.act_on("block", &bob).await;
        assert_eq!(alice.notification_types().await, [""; 0]);
        bob.publish("@alice meanwhile").await;
        alice.act_on("unblock", &bob).await;
        assert_eq!(alice.notification_types().await, ["mention"]);
    }

    async fn concurrent_blocks_create_one_block(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        bob.act_on("follow", &alice).await;
        join_all((0..50).map(|_| alice.act_on("block", &bob))).await;
        assert_eq!(alice.get("/api/v1/blocks").await.ids(), [bob.id.as_str()]);
        assert_eq!((alice.counts().await, bob.counts().await), ((0, 0), (0, 0)));
        join_all((0..50).map(|_| alice.act_on("unblock", &bob))).await;
        assert_eq!(alice.get("/api/v1/blocks").await.ids(), [""; 0]);
    }

    async fn the_block_list_is_paginated_by_its_own_ids(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut blocked = Vec::new();
        for number in 0..5 {
            let other = app.user(&format!("user{number}")).await;
            alice.act_on("block", &other).await;
            blocked.insert(0, other.id);
        }
        assert_eq!(alice.walk("/api/v1/blocks?limit=2").await, blocked);
        let last = alice.get("/api/v1/blocks?limit=2&min_id=1").await;
        assert_eq!(last.ids(), blocked[3..]);
        assert!(last.link("prev").unwrap().contains("since_id="));
        let response = alice.get("/api/v1/blocks?limit=0").await;
        assert_eq!(response.ok(), Value::Array(vec![]));
    }

    async fn an_account_cannot_block_itself(app: &TestApp) {
        let alice = app.user("alice").await;
        alice.post(&format!("/api/v1/accounts/{}/block", alice.id)).await.expect(403);
        alice.act_on("unblock", &alice).await;
    }

    async fn blocks_need_their_scopes(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let path = format!("/api/v1/accounts/{}/block", bob.id);
        for (scopes, write, read) in [
            ("write:blocks", 200, 403),
            ("read:blocks", 403, 200),
            ("follow", 200, 200),
            ("write:mutes read:mutes", 403, 403),
        ] {
            let client = app.user_with_scopes(&alice, scopes).await;
            assert_eq!(client.post(&path).await.status, write, "{scopes}");
            assert_eq!(client.get("/api/v1/blocks").await.status, read, "{scopes}");
        }
        app.anonymous().post(&path).await.expect(401);
        app.anonymous().get("/api/v1/blocks").await.expect(401);
    }
}
