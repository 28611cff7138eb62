//! `POST /api/v1/follows`.

use siskin_entities::Protocol;
use siskin_services::accounts::{self, RemoteAccount};

const PATH: &str = "/api/v1/follows";

api_tests! {
    async fn somebody_is_followed_by_handle_once_or_again(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("Bob").await);
        let page = format!("{}/@Bob", app.base_url());
        for uri in ["bob", " @BOB ", &format!("bob@{}", app.domain()), &page] {
            let followed = alice.form(PATH, &[("uri", uri)]).await.ok();
            assert_eq!(followed["id"], bob.id, "{uri}");
            assert_eq!(followed["followers_count"], 1, "{uri}");
        }
        assert_eq!(bob.news().await, ["follow"]);
    }

    async fn what_was_chosen_for_the_follow_stays(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let quiet = serde_json::json!({ "reblogs": false });
        alice.act_on_with("follow", &bob, quiet).await;
        alice.form(PATH, &[("uri", "bob")]).await.ok();
        assert_eq!(alice.ties(&bob).await["showing_reblogs"], false);
    }

    async fn the_rules_of_following_hold(app: &TestApp) {
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
        let reader = app.user_with_scopes(&alice, "read").await;
        reader.form(PATH, &[("uri", "bob")]).await.expect(403);
    }

    async fn accounts_of_the_earlier_protocol_cannot_be_followed(app: &TestApp) {
        let alice = app.user("alice").await;
        let instance = app.app().instance().clone();
        let old = RemoteAccount {
            id: None,
            username: "old".to_owned(),
            domain: "old.example".to_owned(),
            protocol: Protocol::OStatus,
        };
        let made = app.app().write(move |tx| accounts::create_remote(tx, &instance, &old)).await;
        let id = made.unwrap().id;
        let refused = alice.form(PATH, &[("uri", "old@old.example")]).await.expect(422);
        assert!(refused["error"].as_str().unwrap().contains("OStatus"), "{refused}");
        alice.post(&format!("/api/v1/accounts/{id}/follow")).await.expect(422);
        assert_eq!(alice.counts().await, (0, 0));
    }

    async fn accounts_of_other_servers_are_asked(app: &TestApp) {
        let alice = app.user("alice").await;
        let zoe = app.remote("zoe", "elsewhere.example").await;
        let asked = alice.form(PATH, &[("uri", "zoe@elsewhere.example")]).await.ok();
        assert_eq!(asked["id"], zoe);
        let path = format!("/api/v1/accounts/relationships?id[]={zoe}");
        assert_eq!(alice.get(&path).await.ok()[0]["requested"], true);
    }
}
