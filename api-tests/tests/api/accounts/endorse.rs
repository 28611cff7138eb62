//! `endorse` and `unendorse` with their former names `pin` and `unpin`, and the lists of them.

use futures_util::future::join_all;
use serde_json::json;

use crate::support::GOOD;

api_tests! {
    async fn followed_accounts_can_be_endorsed_on_the_profile(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.act_on("follow", &bob).await;
        let list = format!("/api/v1/accounts/{}/endorsements", alice.id);
        for (on, off) in [("endorse", "unendorse"), ("pin", "unpin")] {
            for _ in 0..2 {
                assert_eq!(alice.act_on(on, &bob).await["endorsed"], true);
            }
            for viewer in [app.anonymous(), bob.client.clone(), alice.client.clone()] {
                assert_eq!(viewer.get(&list).await.ids(), [bob.id.as_str()]);
            }
            assert_eq!(alice.get("/api/v1/endorsements").await.ids(), [bob.id.as_str()]);
            for _ in 0..2 {
                assert_eq!(alice.act_on(off, &bob).await["endorsed"], false);
            }
            assert_eq!(alice.get("/api/v1/endorsements").await.ids(), [""; 0]);
        }
    }

    async fn only_followed_accounts_can_be_endorsed(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        for action in ["endorse", "pin"] {
            alice.post(&format!("/api/v1/accounts/{}/{action}", bob.id)).await.expect(422);
        }
        bob.lock().await;
        alice.act_on("follow", &bob).await;
        alice.post(&format!("/api/v1/accounts/{}/endorse", bob.id)).await.expect(422);
        alice.post(&format!("/api/v1/accounts/{}/endorse", alice.id)).await.expect(422);
    }

    async fn an_endorsement_ends_with_the_follow(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.act_on("follow", &bob).await;
        alice.act_on("endorse", &bob).await;
        alice.act_on("unfollow", &bob).await;
        assert_eq!(alice.act_on("follow", &bob).await["endorsed"], false);
        alice.act_on("endorse", &bob).await;
        bob.act_on("remove_from_followers", &alice).await;
        assert_eq!(alice.relationship(&bob).await["endorsed"], false);
        assert_eq!(alice.get("/api/v1/endorsements").await.ids(), [""; 0]);
    }

    async fn endorsements_are_hidden_like_other_lists(app: &TestApp) {
        let [alice, bob, cat] =
            [app.user("alice").await, app.user("bob").await, app.user("cat").await];
        alice.act_on("follow", &bob).await;
        alice.act_on("endorse", &bob).await;
        let list = format!("/api/v1/accounts/{}/endorsements", alice.id);
        cat.act_on("mute", &bob).await;
        assert_eq!(cat.get(&list).await.ids(), [""; 0]);
        cat.act_on("unmute", &bob).await;
        assert_eq!(cat.get(&list).await.ids(), [bob.id.as_str()]);
        alice.act_on("block", &cat).await;
        assert_eq!(cat.get(&list).await.ok(), json!([]));
        assert_eq!(app.anonymous().get(&list).await.ids(), [bob.id.as_str()]);
        let mut state = GOOD;
        state.suspended = true;
        app.set_state(&bob, state).await;
        assert_eq!(alice.get("/api/v1/endorsements").await.ids(), [""; 0]);
        app.set_state(&bob, GOOD).await;
        app.set_state(&alice, state).await;
        assert_eq!(app.anonymous().get(&list).await.ok(), json!([]));
    }

    async fn both_lists_are_paginated_by_their_own_ids(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut endorsed = Vec::new();
        for number in 0..5 {
            let other = app.user(&format!("user{number}")).await;
            alice.act_on("follow", &other).await;
            join_all((0..5).map(|_| alice.act_on("endorse", &other))).await;
            endorsed.insert(0, other.id);
        }
        assert_eq!(alice.walk("/api/v1/endorsements?limit=2").await, endorsed);
        let public = format!("/api/v1/accounts/{}/endorsements?limit=2", alice.id);
        assert_eq!(app.anonymous().walk(&public).await, endorsed);
        let first = app.anonymous().get(&public).await;
        assert!(first.link("prev").unwrap().contains("since_id="));
    }

    async fn endorsements_need_the_scopes_of_accounts(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.act_on("follow", &bob).await;
        let path = format!("/api/v1/accounts/{}/endorse", bob.id);
        for (scopes, write, read) in
            [("write:accounts", 200, 403), ("read:accounts", 403, 200), ("follow", 403, 403)]
        {
            let client = app.user_with_scopes(&alice, scopes).await;
            assert_eq!(client.post(&path).await.status, write, "{scopes}");
            assert_eq!(client.get("/api/v1/endorsements").await.status, read, "{scopes}");
            let public = format!("/api/v1/accounts/{}/endorsements", alice.id);
            assert_eq!(client.get(&public).await.status, 200, "{scopes}");
        }
        app.anonymous().post(&path).await.expect(401);
        app.anonymous().get("/api/v1/endorsements").await.expect(401);
    }
}
