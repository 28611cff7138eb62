//! `GET /api/v1/timelines/public`.

use serde_json::json;
use siskin_entities::AccountState;

use crate::support::{GOOD, ids};

const PATH: &str = "/api/v1/timelines/public";

api_tests! {
    async fn the_public_timeline_lists_public_statuses(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        for visibility in ["unlisted", "private", "direct"] {
            alice.publish_as(json!({ "status": "x", "visibility": visibility })).await;
        }
        bob.reply(&status, "a reply").await;
        bob.act("reblog", &status).await;
        let to_self = alice.reply(&status, "and another thing").await;
        for viewer in [&app.anonymous(), &bob.client, &alice.client] {
            assert_eq!(viewer.get(PATH).await.ids(), ids([&to_self, &status]));
        }
        let media = app.anonymous().get(&format!("{PATH}?only_media=true")).await;
        assert_eq!(media.ids(), Vec::<String>::new());
    }

    async fn local_and_remote_restrict_the_origin(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("hello").await;
        for (query, shown) in [
            ("", 1), ("?local=true", 1), ("?remote=true", 0), ("?local=1&remote=1", 1),
            ("?local=false&remote=off", 1),
        ] {
            let response = app.anonymous().get(&format!("{PATH}{query}")).await;
            assert_eq!(response.ids(), ids([&status])[..shown], "{query}");
        }
    }

    async fn blocked_muted_and_silenced_authors_are_left_out(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        let seen = async || bob.get(PATH).await.ids();
        assert_eq!(seen().await, ids([&status]));
        bob.act_on("mute", &alice).await;
        assert_eq!(seen().await, Vec::<String>::new());
        let (carol, dave) = (app.user("carol").await, app.user("dave").await);
        alice.act_on("block", &carol).await;
        assert_eq!(carol.get(PATH).await.ids(), Vec::<String>::new());
        app.set_state(&alice, AccountState { silenced: true, ..GOOD }).await;
        assert_eq!(app.anonymous().get(PATH).await.ids(), Vec::<String>::new());
        assert_eq!(dave.get(PATH).await.ids(), Vec::<String>::new());
        assert_eq!(alice.get(PATH).await.ids(), ids([&status]));
        app.follow(&dave, &alice).await;
        assert_eq!(dave.get(PATH).await.ids(), ids([&status]));
        app.set_state(&alice, AccountState { suspended: true, ..GOOD }).await;
        assert_eq!(dave.get(PATH).await.ids(), Vec::<String>::new());
    }
}
