//! Public streams and hashtag streams.

use serde_json::json;
use siskin_entities::AccountState;

use crate::support::{GOOD, id};

stream_tests! {
    async fn public_streams_match_the_public_timeline(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let limited = AccountState { silenced: true, ..GOOD };
        app.set_state(&carol, limited).await;
        let mut socket = app.listen(&alice, "stream=public").await;
        for visibility in ["unlisted", "private", "direct"] {
            bob.publish_as(json!({ "status": "@alice x", "visibility": visibility })).await;
        }
        carol.publish("Limited").await;
        let mut expected = Vec::new();
        let first = bob.publish("One").await;
        expected.push(id(&first));
        alice.reply(&first, "An answer to somebody else").await;
        bob.act("reblog", &first).await;
        expected.push(id(&bob.reply(&first, "An answer to oneself").await));
        for status in &expected {
            assert_eq!(socket.event().await.1["id"], status.as_str());
        }
        let page = alice.get("/api/v1/timelines/public").await.ids();
        expected.reverse();
        assert_eq!(page, expected);
    }

    async fn hashtag_streams_accept_any_spelling(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let mut socket = app.listen(&alice, "stream=hashtag&tag=Stra%C3%9Fe").await;
        let question = alice.publish("Hm").await;
        bob.publish("No tag").await;
        let reply = bob.reply(&question, "On the #STRASSE").await;
        let spelt = bob.publish("On the #straße").await;
        let mut ids = vec![id(&reply), id(&spelt)];
        let (_, payload) = socket.event().await;
        ids.retain(|id| payload["id"] == id.as_str());
        assert_eq!(ids.len(), 1, "{payload}");
    }

    async fn deletions_are_sent_to_the_streams_of_the_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let picture = bob.publish_picture("Look #birds", "A bird").await;
        let plain = bob.publish("Plain").await;
        let mut media = app.listen(&alice, "stream=public:local:media").await;
        let mut tag = app.listen(&alice, "stream=hashtag&tag=birds").await;
        let mut public = app.listen(&alice, "stream=public").await;
        for status in [&plain, &picture] {
            bob.delete(&format!("/api/v1/statuses/{}", id(status))).await.ok();
        }
        let gone = |status: &serde_json::Value| ("delete".to_owned(), status["id"].clone());
        assert_eq!(media.event().await, gone(&picture));
        assert_eq!(tag.event().await, gone(&picture));
        assert_eq!(public.event().await, gone(&plain));
        assert_eq!(public.event().await, gone(&picture));
    }

    async fn disabled_timelines_are_not_streamed(app: &TestApp) {
        let (alice, zoe) = (app.user("alice").await, app.user_of("zoe", "far.example").await);
        let mut everything = app.listen(&alice, "stream=public").await;
        let mut far = app.listen(&alice, "stream=public:remote").await;
        let mut tag = app.listen(&alice, "stream=hashtag&tag=birds").await;
        let before = zoe.publish("Before").await;
        assert_eq!(everything.event().await.1["id"], before["id"]);
        assert_eq!(far.event().await.1["id"], before["id"]);
        for (key, value) in [
            ("feeds.local", "authenticated"),
            ("feeds.remote", "disabled"),
            ("feeds.hashtag_remote", "disabled"),
        ] {
            app.app().change_setting(key.to_owned(), value.to_owned()).await.unwrap();
        }
        let hidden = zoe.publish("Not listed #birds").await;
        zoe.delete(&format!("/api/v1/statuses/{}", id(&hidden))).await.ok();
        let shown = alice.publish("Listed #birds").await;
        assert_eq!(everything.event().await.1["id"], shown["id"]);
        assert_eq!(tag.event().await.1["id"], shown["id"]);
        app.wait_until_delivered().await;
        app.app().change_setting("feeds.remote".to_owned(), "public".to_owned()).await.unwrap();
        let again = zoe.publish("Listed again").await;
        assert_eq!(far.event().await.1["id"], again["id"]);
    }
}
