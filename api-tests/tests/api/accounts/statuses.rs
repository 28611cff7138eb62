//! `GET /api/v1/accounts/{id}/statuses`.

use serde_json::json;
use siskin_entities::AccountState;

use crate::support::{GOOD, User, ids};

fn path(user: &User) -> String {
    format!("/api/v1/accounts/{}/statuses", user.id)
}

api_tests! {
    async fn a_profile_shows_each_viewer_the_visible_statuses(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        app.follow(&bob, &alice).await;
        let public = alice.publish("hello").await;
        let private = alice.publish_as(json!({ "status": "x", "visibility": "private" })).await;
        let direct = alice.publish_as(json!({ "status": "@carol", "visibility": "direct" })).await;
        let reblog = alice.act("reblog", &carol.publish("c").await).await;
        let path = path(&alice);
        assert_eq!(alice.get(&path).await.ids(), ids([&reblog, &direct, &private, &public]));
        assert_eq!(bob.get(&path).await.ids(), ids([&reblog, &private, &public]));
        assert_eq!(carol.get(&path).await.ids(), ids([&reblog, &direct, &public]));
        assert_eq!(app.anonymous().get(&path).await.ids(), ids([&reblog, &public]));
        let own_words = app.anonymous().get(&format!("{path}?exclude_reblogs=true")).await;
        assert_eq!(own_words.ids(), ids([&public]));
        for nothing_yet in ["pinned", "only_media"] {
            let response = app.anonymous().get(&format!("{path}?{nothing_yet}=true")).await;
            assert_eq!(response.ids(), Vec::<String>::new());
        }
    }

    // `exclude_replies` keeps top-level statuses that mention an account.
    async fn exclude_replies_includes_statuses_with_mentions(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let naming = alice.publish("@bob hello").await;
        let reply = alice.reply(&bob.publish("b").await, "a reply").await;
        let to_self = alice.reply(&naming, "and more").await;
        let path = path(&alice);
        assert_eq!(bob.get(&path).await.ids(), ids([&to_self, &reply, &naming]));
        let without = bob.get(&format!("{path}?exclude_replies=true")).await;
        assert_eq!(without.ids(), ids([&to_self, &naming]));
    }

    // `tagged` accepts any spelling of the hashtag.
    async fn statuses_of_a_profile_are_filtered_by_hashtag_in_any_spelling(app: &TestApp) {
        let alice = app.user("alice").await;
        alice.publish("untagged").await;
        let tagged = alice.publish("#BLÅHAJ").await;
        for spelling in ["bl%C3%A5haj", "%23Blahaj", "BLAHAJ"] {
            let response = alice.get(&format!("{}?tagged={spelling}", path(&alice))).await;
            assert_eq!(response.ids(), ids([&tagged]), "{spelling}");
        }
        for none in ["none", "100%25"] {
            let response = alice.get(&format!("{}?tagged={none}", path(&alice))).await;
            assert_eq!(response.ids(), Vec::<String>::new(), "{none}");
        }
        assert_eq!(alice.get(&format!("{}?tagged=", path(&alice))).await.ids().len(), 2);
    }

    async fn reblogs_of_blocked_and_muted_authors_are_left_out(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        alice.act("reblog", &carol.publish("c").await).await;
        bob.act_on("mute", &carol).await;
        assert_eq!(bob.get(&path(&alice)).await.ids(), Vec::<String>::new());
        assert_eq!(carol.get(&path(&alice)).await.ids().len(), 1);
        bob.act_on("mute", &alice).await;
        assert_eq!(bob.get(&path(&carol)).await.ids().len(), 1, "a muted profile must be visible");
    }

    async fn inaccessible_profiles_have_no_statuses(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.publish("hello").await;
        alice.act_on("block", &bob).await;
        assert_eq!(bob.get(&path(&alice)).await.ids(), Vec::<String>::new());
        app.set_state(&alice, AccountState { suspended: true, ..GOOD }).await;
        assert_eq!(app.anonymous().get(&path(&alice)).await.ids(), Vec::<String>::new());
        app.set_state(&alice, AccountState { reachable: false, ..GOOD }).await;
        app.anonymous().get(&path(&alice)).await.expect(404);
    }
}
