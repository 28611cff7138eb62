//! Statuses of followed hashtags on `GET /api/v1/timelines/home`.

use serde_json::json;
use siskin_entities::AccountState;

use crate::support::{GOOD, ids};

const PATH: &str = "/api/v1/timelines/home";

api_tests! {
    async fn a_followed_hashtag_adds_public_statuses_of_any_author(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let zoe = app.user_of("zoe", "far.example").await;
        let earlier = bob.publish("#Birds before").await;
        alice.post("/api/v1/tags/BIRDS/follow").await.ok();
        let remote = zoe.publish("#birds").await;
        for visibility in ["unlisted", "private"] {
            bob.publish_as(json!({ "status": "#birds", "visibility": visibility })).await;
        }
        bob.publish("no hashtag").await;
        let reply = bob.reply(&remote, "#birds").await;
        bob.act("reblog", &remote).await;
        assert_eq!(alice.get(PATH).await.ids(), ids([&reply, &remote, &earlier]));
        alice.post("/api/v1/tags/birds/unfollow").await.ok();
        assert_eq!(alice.get(PATH).await.ids(), Vec::<String>::new());
    }

    async fn a_status_with_several_reasons_appears_once(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&alice, &bob).await;
        for tag in ["birds", "owls"] {
            alice.post(&format!("/api/v1/tags/{tag}/follow")).await.ok();
        }
        let first = bob.publish("#birds #owls").await;
        let second = bob.publish("#owls").await;
        let own = alice.publish("#birds").await;
        let third = bob.publish("neither").await;
        let all = ids([&third, &own, &second, &first]);
        assert_eq!(alice.get(PATH).await.ids(), all);
        assert_eq!(alice.walk(&format!("{PATH}?limit=1")).await, all);
        let upwards = alice.get(&format!("{PATH}?limit=2&min_id=1")).await;
        assert_eq!(upwards.ids(), all[2..]);
    }

    async fn blocked_and_muted_authors_do_not_appear_by_hashtag(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        alice.post("/api/v1/tags/birds/follow").await.ok();
        let by_bob = bob.publish("#birds").await;
        bob.publish("#birds with @carol").await;
        carol.publish("#birds").await;
        alice.act_on("mute", &carol).await;
        assert_eq!(alice.get(PATH).await.ids(), ids([&by_bob]));
        bob.act_on("block", &alice).await;
        assert_eq!(alice.get(PATH).await.ids(), Vec::<String>::new());
    }

    async fn silenced_authors_appear_by_hashtag_to_followers_only(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        app.follow_with(&carol, &bob, true, false, Some("fr")).await;
        for viewer in [&alice, &carol] {
            viewer.post("/api/v1/tags/birds/follow").await.ok();
        }
        let english = bob.publish_as(json!({ "status": "#birds", "language": "en" })).await;
        app.set_state(&bob, AccountState { silenced: true, ..GOOD }).await;
        assert_eq!(alice.get(PATH).await.ids(), Vec::<String>::new());
        // The followed hashtag brings it to home, independent of the languages of the follow.
        assert_eq!(carol.get(PATH).await.ids(), ids([&english]));
    }
}
