//! `follow` and `unfollow`.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{User, id};

impl User {
    async fn follow(&self, target: &User) -> Value {
        self.act_on("follow", target).await
    }

    async fn follow_with(&self, target: &User, options: Value) -> Value {
        self.act_on_with("follow", target, options).await
    }

    async fn unfollow(&self, target: &User) -> Value {
        self.act_on("unfollow", target).await
    }
}

api_tests! {
    async fn a_follow_has_defaults_and_absent_options_stay(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let response = alice.post(&format!("/api/v1/accounts/{}/follow", bob.id)).await;
        snapshot!("follow", response);
        let relationship = alice.follow_with(&bob, json!({ "reblogs": false })).await;
        assert_eq!((&relationship["showing_reblogs"], &relationship["notifying"]), (&json!(false), &json!(false)));
        let relationship = alice.follow_with(&bob, json!({ "notify": "true", "languages": ["en", "DE"] })).await;
        assert_eq!((&relationship["showing_reblogs"], &relationship["notifying"]), (&json!(false), &json!(true)));
        assert_eq!(relationship["languages"], json!(["en", "de"]));
        let relationship = alice.follow(&bob).await;
        assert_eq!((&relationship["notifying"], &relationship["languages"]), (&json!(true), &json!(["en", "de"])));
        assert_eq!(alice.follow_with(&bob, json!({ "languages": [] })).await["languages"], Value::Null);
        assert_eq!((alice.counts().await, bob.counts().await), ((0, 1), (1, 0)));
        let bad = json!({ "languages": ["no such language"] });
        alice.json(&format!("/api/v1/accounts/{}/follow", bob.id), bad).await.expect(422);
    }

    async fn unfollowing_ends_the_follow_and_withdraws_the_notification(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.follow(&bob).await;
        assert_eq!(bob.notification_types().await, ["follow"]);
        for _ in 0..2 {
            assert_eq!(alice.unfollow(&bob).await["following"], false);
        }
        assert_eq!(bob.notification_types().await, [""; 0]);
        assert_eq!((alice.counts().await, bob.counts().await), ((0, 0), (0, 0)));
    }

    // A second follow while the request is pending succeeds and changes nothing.
    async fn a_second_follow_of_a_locked_account_is_no_error(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        bob.lock().await;
        for _ in 0..2 {
            let relationship = alice.follow(&bob).await;
            assert_eq!((&relationship["requested"], &relationship["following"]), (&json!(true), &json!(false)));
        }
        let waiting = async || bob.credentials().await.ok()["source"]["follow_requests_count"].clone();
        assert_eq!((bob.notification_types().await, waiting().await), (vec!["follow_request".to_owned()], json!(1)));
        let first = bob.get("/api/v1/notifications").await.ids();
        assert_eq!(alice.unfollow(&bob).await["requested"], false);
        assert_eq!((bob.notification_types().await, waiting().await), (vec![], json!(0)));
        alice.follow(&bob).await;
        assert_eq!((bob.notification_types().await, waiting().await), (vec!["follow_request".to_owned()], json!(1)));
        assert_ne!(bob.get("/api/v1/notifications").await.ids(), first);
    }

    // `reblogs=false` in a follow request applies as soon as the request is accepted.
    async fn follow_options_of_a_request_apply_from_the_start(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        bob.lock().await;
        let relationship = alice.follow_with(&bob, json!({ "reblogs": false })).await;
        assert_eq!((&relationship["requested"], &relationship["showing_reblogs"]), (&json!(true), &json!(false)));
        bob.patch("/api/v1/accounts/update_credentials", &[("locked", "false")]).await.ok();
        let shown = alice.get(&format!("/api/v1/accounts/relationships?id[]={}", bob.id)).await.ok();
        let relationship = &shown[0];
        assert_eq!((&relationship["following"], &relationship["showing_reblogs"]), (&json!(true), &json!(false)));
        let cat = app.user("cat").await;
        let first = cat.publish("first").await;
        bob.act("reblog", &first).await;
        assert_eq!(alice.get("/api/v1/timelines/home").await.ids(), [""; 0]);
        alice.follow_with(&bob, json!({ "reblogs": true })).await;
        let second = bob.act("reblog", &cat.publish("second").await).await;
        assert_eq!(alice.get("/api/v1/timelines/home").await.ids()[0], id(&second));
    }

    // Concurrent unfollows decrement the counters once.
    async fn concurrent_unfollows_count_once(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.follow(&bob).await;
        join_all((0..20).map(|_| alice.unfollow(&bob))).await;
        assert_eq!((alice.counts().await, bob.counts().await), ((0, 0), (0, 0)));
        join_all((0..50).map(|_| alice.follow(&bob))).await;
        assert_eq!((alice.counts().await, bob.counts().await), ((0, 1), (1, 0)));
        assert_eq!(bob.notification_types().await, ["follow"]);
    }

    async fn an_account_cannot_follow_itself(app: &TestApp) {
        let alice = app.user("alice").await;
        alice.post(&format!("/api/v1/accounts/{}/follow", alice.id)).await.expect(403);
        assert_eq!(alice.counts().await, (0, 0));
    }

    async fn following_needs_its_scope(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let follow = format!("/api/v1/accounts/{}/follow", bob.id);
        for (scopes, status) in [("read", 403), ("write:accounts", 403), ("write:follows", 200),
            ("follow", 200), ("write", 200)]
        {
            let client = app.user_with_scopes(&alice, scopes).await;
            assert_eq!(client.post(&follow).await.status, status, "{scopes}");
        }
        app.anonymous().post(&follow).await.expect(401);
    }

    async fn the_follow_limit_of_the_operator_applies(app: &TestApp) {
        app.app().change_setting("limits.follows".into(), "1".into()).await.unwrap();
        let (alice, bob, cat) =
            (app.user("alice").await, app.user("bob").await, app.user("cat").await);
        alice.follow(&bob).await;
        alice.follow(&bob).await;
        alice.post(&format!("/api/v1/accounts/{}/follow", cat.id)).await.expect(422);
    }
}
