//! `POST /api/v1/follows`.

use siskin_entities::Protocol;
use siskin_services::accounts::{self, RemoteAccount};

const PATH: &str = "/api/v1/follows";

api_tests! {
    async fn an_account_is_followed_by_handle_once_or_repeatedly(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("Bob").await);
        let page = format!("{}/@Bob", app.base_url());
        for uri in ["bob", " @BOB ", &format!("bob@{}", app.domain()), &page] {
            let followed = alice.form(PATH, &[("uri", uri)]).await.ok();
            assert_eq!(followed["id"], bob.id, "{uri}");
            assert_eq!(followed["followers_count"], 1, "{uri}");
        }
        assert_eq!(bob.notification_types().await, ["follow"]);
    }

    async fn follow_options_stay_unchanged(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let quiet = serde_json::json!({ "reblogs": false });
        alice.act_on_with("follow", &bob, quiet).await;
        alice.form(PATH, &[("uri", "bob")]).await.ok();
        assert_eq!(alice.relationship(&bob).await["showing_reblogs"], false);
    }

    async fn the_rules_of_following_apply(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        for (uri, status) in
            [("alice", 403), ("nobody", 404), ("a@b@c", 404), ("bob@elsewhere.example", 404)]
        {
            assert_eq!(alice.form(PATH, &[("uri", uri)]).await.status, status, "{uri}");
        }
        assert!((400..=422).contains(&alice.post(PATH).await.status));
        bob.act_on("block", &alice).await;
        alice.form(PATH, &[("uri", "bob")]).await.expect(403);
        app.anonymous().form(PATH, &[("uri", "bob")]).await.expect(401);
        let viewer = app.user_with_scopes(&alice, "read").await;
        viewer.form(PATH, &[("uri", "bob")]).await.expect(403);
    }

    async fn ostatus_accounts_cannot_be_followed(app: &TestApp) {
        let alice = app.user("alice").await;
        let instance = app.app().instance().clone();
        let old = RemoteAccount {
            id: None,
            username: "old".to_owned(),
            domain: "old.example".to_owned(),
            protocol: Protocol::OStatus,
        };
        let created = app.app().write(move |tx| accounts::create_remote(tx, &instance, &old)).await;
        let id = created.unwrap().id;
        let refused = alice.form(PATH, &[("uri", "old@old.example")]).await.expect(422);
        assert!(refused["error"].as_str().unwrap().contains("OStatus"), "{refused}");
        alice.post(&format!("/api/v1/accounts/{id}/follow")).await.expect(422);
        assert_eq!(alice.counts().await, (0, 0));
    }

    async fn remote_accounts_get_a_follow_request(app: &TestApp) {
        let alice = app.user("alice").await;
        let zoe = app.remote("zoe", "elsewhere.example").await;
        let followed = alice.form(PATH, &[("uri", "zoe@elsewhere.example")]).await.ok();
        assert_eq!(followed["id"], zoe);
        let path = format!("/api/v1/accounts/relationships?id[]={zoe}");
        assert_eq!(alice.get(&path).await.ok()[0]["requested"], true);
    }
}
