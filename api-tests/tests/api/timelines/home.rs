//! `GET /api/v1/timelines/home`.

use serde_json::json;
use siskin_entities::AccountState;

use crate::support::{GOOD, id, ids};

const PATH: &str = "/api/v1/timelines/home";

api_tests! {
    async fn home_shows_followed_accounts_and_own_statuses(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let earlier = bob.publish("before the follow").await;
        app.follow(&alice, &bob).await;
        let own = alice.publish_as(json!({ "status": "note to self", "visibility": "direct" })).await;
        let private = bob.publish_as(json!({ "status": "private", "visibility": "private" })).await;
        carol.publish("from a stranger").await;
        let reblog = bob.act("reblog", &carol.publish("from another stranger").await).await;
        let home = alice.get(PATH).await;
        assert_eq!(home.ids(), ids([&reblog, &private, &own, &earlier]));
        assert_eq!(carol.get(PATH).await.ids().len(), 2);
        app.anonymous().get(PATH).await.expect(401);
    }

    async fn direct_statuses_of_followed_accounts_are_at_home(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        app.follow(&alice, &bob).await;
        let direct = |name: &str| json!({ "status": format!("@{name} hi"), "visibility": "direct" });
        let to_alice = bob.publish_as(direct("alice")).await;
        bob.publish_as(direct("carol")).await;
        carol.publish_as(direct("alice")).await;
        assert_eq!(alice.get(PATH).await.ids(), ids([&to_alice]));
    }

    async fn replies_between_followed_accounts_are_at_home(app: &TestApp) {
        let (alice, bob, carol, dave) = (
            app.user("alice").await,
            app.user("bob").await,
            app.user("carol").await,
            app.user("dave").await,
        );
        app.follow(&alice, &bob).await;
        app.follow(&alice, &carol).await;
        let (by_alice, by_carol, by_dave) =
            (alice.publish("a").await, carol.publish("c").await, dave.publish("d").await);
        let to_alice = bob.reply(&by_alice, "x").await;
        let to_carol = bob.reply(&by_carol, "x").await;
        bob.reply(&by_dave, "x").await;
        let first = bob.publish("b").await;
        let to_self = bob.reply(&first, "x").await;
        let own = alice.reply(&by_dave, "x").await;
        assert_eq!(
            alice.get(PATH).await.ids(),
            ids([&own, &to_self, &first, &to_carol, &to_alice, &by_carol, &by_alice])
        );
    }

    // A follow without reblogs hides the reblogs of that account from home.
    async fn a_follow_without_reblogs_shows_none(app: &TestApp) {
        let (alice, bob, carol, dave) = (
            app.user("alice").await,
            app.user("bob").await,
            app.user("carol").await,
            app.user("dave").await,
        );
        app.follow_with(&alice, &bob, false, false, None).await;
        app.follow(&alice, &carol).await;
        let by_carol = carol.publish("c").await;
        let by_dave = dave.publish("d").await;
        bob.act("reblog", &by_carol).await;
        bob.act("reblog", &by_dave).await;
        assert_eq!(alice.get(PATH).await.ids(), ids([&by_carol]));
        let reblog = carol.act("reblog", &by_dave).await;
        assert_eq!(alice.get(PATH).await.ids(), ids([&reblog, &by_carol]));
    }

    async fn a_follow_shows_the_selected_languages(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        app.follow_with(&alice, &bob, true, false, Some("de,zh-TW")).await;
        let mut written = Vec::new();
        for language in ["de", "en", "zh", "zh-TW", ""] {
            written.push(bob.publish_as(json!({ "status": "x", "language": language })).await);
        }
        let english = carol.publish_as(json!({ "status": "x", "language": "en" })).await;
        bob.act("reblog", &english).await;
        assert_eq!(
            alice.get(PATH).await.ids(),
            ids([&written[4], &written[3], &written[0]])
        );
    }

    async fn muted_and_blocked_accounts_are_not_at_home(app: &TestApp) {
        let (alice, bob, carol, dave) = (
            app.user("alice").await,
            app.user("bob").await,
            app.user("carol").await,
            app.user("dave").await,
        );
        app.follow(&alice, &bob).await;
        app.follow(&alice, &carol).await;
        let by_dave = dave.publish("d").await;
        let mut shown = vec![id(&bob.act("reblog", &by_dave).await)];
        shown.insert(0, id(&bob.publish("see @dave").await));
        shown.insert(0, id(&carol.publish("c").await));
        assert_eq!(alice.get(PATH).await.ids(), shown);
        alice.act_on("mute", &carol).await;
        assert_eq!(alice.get(PATH).await.ids(), shown[1..]);
        alice.act_on("block", &dave).await;
        assert_eq!(alice.get(PATH).await.ids(), Vec::<String>::new());
    }

    async fn accounts_that_block_the_viewer_are_not_at_home(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        app.follow(&alice, &bob).await;
        bob.act("reblog", &carol.publish("c").await).await;
        carol.act_on("block", &alice).await;
        assert_eq!(alice.get(PATH).await.ids(), Vec::<String>::new());
        let by_bob = bob.publish("b").await;
        assert_eq!(alice.get(PATH).await.ids(), ids([&by_bob]));
        app.set_state(&bob, AccountState { suspended: true, ..GOOD }).await;
        assert_eq!(alice.get(PATH).await.ids(), Vec::<String>::new());
    }

    async fn a_reblog_of_a_recent_entry_is_left_out(app: &TestApp) {
        let (alice, bob, carol, dave) = (
            app.user("alice").await,
            app.user("bob").await,
            app.user("carol").await,
            app.user("dave").await,
        );
        app.follow(&alice, &bob).await;
        app.follow(&alice, &carol).await;
        let by_bob = bob.publish("b").await;
        let by_dave = dave.publish("d").await;
        carol.act("reblog", &by_bob).await;
        let first = carol.act("reblog", &by_dave).await;
        bob.act("reblog", &by_dave).await;
        assert_eq!(alice.get(PATH).await.ids(), ids([&first, &by_bob]));
        let newest = alice.get(&format!("{PATH}?limit=1")).await;
        assert_eq!(newest.ids(), ids([&first]));
        assert_eq!(alice.get(&newest.link("next").unwrap()).await.ids(), ids([&by_bob]));
    }
}
