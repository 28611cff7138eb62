//! Statuses of followed hashtags on `GET /api/v1/timelines/home`.

use serde_json::json;
use siskin_entities::AccountState;

use crate::support::{GOOD, ids};

const PATH: &str = "/api/v1/timelines/home";

api_tests! {
    async fn a_followed_hashtag_brings_public_statuses_of_anybody(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let zoe = app.user_of("zoe", "far.example").await;
        let earlier = bob.publish("#Birds before").await;
        alice.post("/api/v1/tags/BIRDS/follow").await.ok();
        let remote = zoe.publish("#birds").await;
        for visibility in ["unlisted", "private"] {
            bob.publish_as(json!({ "status": "#birds", "visibility": visibility })).await;
        }
        bob.publish("no hashtag").await;
        let answer = bob.reply(&remote, "#birds").await;
        bob.act("reblog", &remote).await;
        assert_eq!(alice.get(PATH).await.ids(), ids([&answer, &remote, &earlier]));
        alice.post("/api/v1/tags/birds/unfollow").await.ok();
        assert_eq!(alice.get(PATH).await.ids(), Vec::<String>::new());
    }

    async fn what_two_hashtags_and_a_follow_bring_comes_once(app: &TestApp) {
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

    async fn those_whom_the_reader_avoids_do_not_come_by_a_hashtag(app: &TestApp) {
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

    async fn limited_people_come_by_a_hashtag_to_their_followers_alone(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        app.follow_with(&carol, &bob, true, false, Some("fr")).await;
        for reader in [&alice, &carol] {
            reader.post("/api/v1/tags/birds/follow").await.ok();
        }
        let english = bob.publish_as(json!({ "status": "#birds", "language": "en" })).await;
        app.set_state(&bob, AccountState { silenced: true, ..GOOD }).await;
        assert_eq!(alice.get(PATH).await.ids(), Vec::<String>::new());
        // The followed hashtag brings it to home, independent of the languages of the follow.
        assert_eq!(carol.get(PATH).await.ids(), ids([&english]));
    }
}
