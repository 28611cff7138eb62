//! `/api/v1/follow_requests`.

use futures_util::future::join_all;
use serde_json::json;

use crate::support::{GOOD, User, id};

const PATH: &str = "/api/v1/follow_requests";

fn answer_to(user: &User, response: &str) -> String {
    format!("{PATH}/{}/{response}", user.id)
}

api_tests! {
    // A repeated request is listed once, and disappears when it is withdrawn.
    async fn a_request_is_listed_once_and_removed_when_it_is_withdrawn(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        bob.lock().await;
        for _ in 0..2 {
            assert_eq!(alice.act_on("follow", &bob).await["requested"], true);
        }
        assert_eq!(bob.get(PATH).await.ids(), [alice.id.as_str()]);
        assert_eq!(bob.credentials().await.ok()["source"]["follow_requests_count"], 1);
        alice.act_on("unfollow", &bob).await;
        assert_eq!(bob.get(PATH).await.ids(), [""; 0]);
        alice.act_on("follow", &bob).await;
        assert_eq!(bob.notification_types().await, ["follow_request"]);
    }

    // A request is accepted with the options that it was sent with.
    async fn a_granted_request_has_its_options(app: &TestApp) {
        let [alice, bob, cat] =
            [app.user("alice").await, app.user("bob").await, app.user("cat").await];
        bob.lock().await;
        let relationship = alice.act_on_with("follow", &bob, json!({ "reblogs": false })).await;
        assert_eq!((&relationship["requested"], &relationship["showing_reblogs"]), (&json!(true), &json!(false)));
        let granted = bob.post(&answer_to(&alice, "authorize")).await;
        snapshot!("follow_request_authorized", granted);
        let relationship = alice.relationship(&bob).await;
        assert_eq!((&relationship["following"], &relationship["showing_reblogs"]), (&json!(true), &json!(false)));
        assert_eq!((bob.counts().await, bob.notification_types().await), ((1, 0), vec!["follow".to_owned()]));
        bob.act("reblog", &cat.publish("hello").await).await;
        let own = bob.publish("mine").await;
        assert_eq!(alice.get("/api/v1/timelines/home").await.ids(), [id(&own)]);
    }

    async fn a_rejected_request_is_gone_and_can_be_repeated(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        bob.lock().await;
        alice.act_on("follow", &bob).await;
        let relationship = bob.post(&answer_to(&alice, "reject")).await.ok();
        assert_eq!((&relationship["requested_by"], &relationship["followed_by"]), (&json!(false), &json!(false)));
        assert_eq!(alice.relationship(&bob).await["requested"], false);
        assert_eq!(bob.notification_types().await, [""; 0]);
        bob.post(&answer_to(&alice, "reject")).await.expect(404);
        assert_eq!(alice.act_on("follow", &bob).await["requested"], true);
        assert_eq!(bob.notification_types().await, ["follow_request"]);
    }

    // Unlocking an account accepts its pending requests.
    async fn unlocking_the_account_grants_pending_requests(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        bob.lock().await;
        alice.act_on("follow", &bob).await;
        bob.patch("/api/v1/accounts/update_credentials", &[("locked", "false")]).await.ok();
        let relationship = alice.relationship(&bob).await;
        assert_eq!((&relationship["following"], &relationship["requested"]), (&json!(true), &json!(false)));
        assert_eq!(bob.get(PATH).await.ids(), [""; 0]);
        assert_eq!(bob.notification_types().await, ["follow"]);
    }

    async fn only_pending_requests_can_be_granted_or_rejected(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        for response in ["authorize", "reject"] {
            bob.post(&answer_to(&alice, response)).await.expect(404);
        }
        alice.act_on("follow", &bob).await;
        assert_eq!(bob.post(&answer_to(&alice, "authorize")).await.ok()["followed_by"], true);
        bob.post(&answer_to(&alice, "reject")).await.expect(404);
        assert_eq!(alice.relationship(&bob).await["following"], true);
    }

    async fn concurrent_decisions_count_once(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        bob.lock().await;
        alice.act_on("follow", &bob).await;
        let path = answer_to(&alice, "authorize");
        for response in join_all((0..50).map(|_| bob.post(&path))).await {
            assert_eq!(response.ok()["followed_by"], true);
        }
        assert_eq!((alice.counts().await, bob.counts().await), ((0, 1), (1, 0)));
        assert_eq!(bob.notification_types().await, ["follow"]);
    }

    async fn the_request_list_is_paginated_by_its_own_ids(app: &TestApp) {
        let bob = app.user("bob").await;
        bob.lock().await;
        let mut waiting = Vec::new();
        for number in 0..5 {
            let other = app.user(&format!("user{number}")).await;
            other.act_on("follow", &bob).await;
            waiting.insert(0, other);
        }
        let ids: Vec<&str> = waiting.iter().map(|user| user.id.as_str()).collect();
        assert_eq!(bob.walk(&format!("{PATH}?limit=2")).await, ids);
        let mut state = GOOD;
        state.suspended = true;
        app.set_state(&waiting[0], state).await;
        let page = bob.get(PATH).await;
        assert_eq!(page.ids(), ids[1..]);
        assert!(page.link("prev").unwrap().contains("since_id="));
    }

    async fn requests_need_the_scopes_of_follows(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.act_on("follow", &bob).await;
        let path = answer_to(&alice, "authorize");
        for (scopes, write, read) in
            [("write:follows", 200, 403), ("read:follows", 403, 200), ("follow", 200, 200)]
        {
            let client = app.user_with_scopes(&bob, scopes).await;
            assert_eq!(client.post(&path).await.status, write, "{scopes}");
            assert_eq!(client.get(PATH).await.status, read, "{scopes}");
        }
        app.anonymous().post(&path).await.expect(401);
        app.anonymous().get(PATH).await.expect(401);
    }
}
