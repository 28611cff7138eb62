//! `GET /api/v1/timelines/list/{list_id}`, and the statuses that exclusive lists remove from home.

use serde_json::json;

use crate::support::{TestApp, User, id, ids};

const HOME: &str = "/api/v1/timelines/home";

async fn people<const N: usize>(app: &TestApp, names: [&str; N]) -> [User; N] {
    let mut people = Vec::new();
    for name in names {
        people.push(app.user(name).await);
    }
    people.try_into().ok().unwrap()
}

fn path(list: &str) -> String {
    format!("/api/v1/timelines/list/{list}")
}

api_tests! {
    async fn a_list_shows_what_its_members_write(app: &TestApp) {
        let [alice, bob, carol, dave] = people(app, ["alice", "bob", "carol", "dave"]).await;
        for friend in [&bob, &carol] {
            app.follow(&alice, friend).await;
        }
        let list = alice.list("Birds").await;
        let earlier = bob.publish("before the list").await;
        alice.enlist(&list, &[&bob]).await;
        carol.publish("not a member").await;
        alice.publish("her own").await;
        let private = bob.publish_as(json!({ "status": "private", "visibility": "private" })).await;
        bob.publish_as(json!({ "status": "@carol hi", "visibility": "direct" })).await;
        let direct = bob.publish_as(json!({ "status": "@alice hi", "visibility": "direct" })).await;
        let reblog = bob.act("reblog", &dave.publish("from a stranger").await).await;
        assert_eq!(alice.get(&path(&list)).await.ids(), ids([&reblog, &direct, &private, &earlier]));
        alice.act_on("unfollow", &bob).await;
        assert_eq!(alice.get(&path(&list)).await.ids(), Vec::<String>::new());
        app.anonymous().get(&path(&list)).await.expect(401);
        let other = app.user_with_scopes(&alice, "read:statuses").await;
        other.get(&path(&list)).await.expect(403);
        let own = app.user_with_scopes(&alice, "read:lists").await;
        own.get(&path(&list)).await.ok();
    }

    async fn the_replies_policy_of_a_list_applies(app: &TestApp) {
        let [alice, bob, carol, dave, eve] =
            people(app, ["alice", "bob", "carol", "dave", "eve"]).await;
        for friend in [&bob, &carol, &dave] {
            app.follow(&alice, friend).await;
        }
        let list = alice.list("Birds").await;
        alice.enlist(&list, &[&bob, &carol]).await;
        let (by_alice, by_carol, by_dave, by_eve) = (
            alice.publish("a").await,
            carol.publish("c").await,
            dave.publish("d").await,
            eve.publish("e").await,
        );
        let to_alice = bob.reply(&by_alice, "x").await;
        let to_member = bob.reply(&by_carol, "x").await;
        let to_followed = bob.reply(&by_dave, "x").await;
        bob.reply(&by_eve, "x").await;
        let first = bob.publish("b").await;
        let to_self = bob.reply(&first, "x").await;
        for (policy, shown) in [
            ("none", vec![&to_self, &first, &to_alice, &by_carol]),
            ("list", vec![&to_self, &first, &to_member, &to_alice, &by_carol]),
            ("followed", vec![&to_self, &first, &to_followed, &to_member, &to_alice, &by_carol]),
        ] {
            let put = format!("/api/v1/lists/{list}");
            alice.put(&put, &[("title", "Birds"), ("replies_policy", policy)]).await.ok();
            let shown: Vec<String> = shown.into_iter().map(id).collect();
            assert_eq!(alice.get(&path(&list)).await.ids(), shown, "{policy}");
        }
    }

    async fn a_list_respects_the_options_of_each_follow(app: &TestApp) {
        let [alice, bob, carol, dave] = people(app, ["alice", "bob", "carol", "dave"]).await;
        app.follow_with(&alice, &bob, false, false, Some("de")).await;
        app.follow(&alice, &carol).await;
        let list = alice.list("Birds").await;
        alice.enlist(&list, &[&bob, &carol]).await;
        let by_dave = dave.publish("d").await;
        bob.act("reblog", &by_dave).await;
        bob.publish_as(json!({ "status": "x", "language": "en" })).await;
        let german = bob.publish_as(json!({ "status": "x", "language": "de" })).await;
        let reblog = carol.act("reblog", &by_dave).await;
        assert_eq!(alice.get(&path(&list)).await.ids(), ids([&reblog, &german]));
    }

    async fn muted_and_blocked_accounts_are_in_no_list(app: &TestApp) {
        let [alice, bob, carol, dave] = people(app, ["alice", "bob", "carol", "dave"]).await;
        for friend in [&bob, &carol] {
            app.follow(&alice, friend).await;
        }
        let list = alice.list("Birds").await;
        alice.enlist(&list, &[&bob, &carol]).await;
        let mut shown = vec![id(&bob.act("reblog", &dave.publish("d").await).await)];
        shown.insert(0, id(&bob.publish("see @dave").await));
        shown.insert(0, id(&carol.publish("c").await));
        assert_eq!(alice.get(&path(&list)).await.ids(), shown);
        alice.act_on("mute", &carol).await;
        assert_eq!(alice.get(&path(&list)).await.ids(), shown[1..]);
        alice.act_on("mute", &dave).await;
        assert_eq!(alice.get(&path(&list)).await.ids(), Vec::<String>::new());
    }

    async fn a_reblog_of_a_recent_entry_is_left_out_of_a_list(app: &TestApp) {
        let [alice, bob, carol] = people(app, ["alice", "bob", "carol"]).await;
        for friend in [&bob, &carol] {
            app.follow(&alice, friend).await;
        }
        let list = alice.list("Birds").await;
        alice.enlist(&list, &[&bob, &carol]).await;
        let by_bob = bob.publish("b").await;
        carol.act("reblog", &by_bob).await;
        assert_eq!(alice.get(&path(&list)).await.ids(), ids([&by_bob]));
    }

    async fn members_of_an_exclusive_list_are_not_at_home(app: &TestApp) {
        let [alice, bob, carol] = people(app, ["alice", "bob", "carol"]).await;
        for friend in [&bob, &carol] {
            app.follow(&alice, friend).await;
        }
        let list = alice.list_as(json!({ "title": "Loud", "exclusive": true })).await;
        alice.enlist(&list, &[&bob]).await;
        alice.post("/api/v1/tags/birds/follow").await.ok();
        let by_bob = bob.publish("b #birds").await;
        let by_carol = carol.publish("c").await;
        bob.act("reblog", &by_carol).await;
        assert_eq!(alice.get(HOME).await.ids(), ids([&by_carol]));
        assert_eq!(alice.get(&path(&list)).await.ids()[1..], ids([&by_bob]));
        // A reblog counts as a status of the account that reblogs, which is not in the list.
        let reblog = carol.act("reblog", &by_bob).await;
        assert_eq!(alice.get(HOME).await.ids(), ids([&reblog, &by_carol]));
        carol.post(&format!("/api/v1/statuses/{}/unreblog", id(&by_bob))).await.ok();
        alice.put(&format!("/api/v1/lists/{list}"), &[("exclusive", "false")]).await.ok();
        assert_eq!(alice.get(HOME).await.ids().len(), 2, "a reblog of what stands close by");
        alice.put(&format!("/api/v1/lists/{list}"), &[("exclusive", "true")]).await.ok();
        assert_eq!(alice.get(HOME).await.ids(), ids([&by_carol]));
        alice.delete(&format!("/api/v1/lists/{list}")).await.ok();
        assert_eq!(alice.get(HOME).await.ids(), ids([&by_carol, &by_bob]));
    }

    async fn exclusive_lists_of_others_do_not_affect_home(app: &TestApp) {
        let [alice, bob, carol] = people(app, ["alice", "bob", "carol"]).await;
        for viewer in [&alice, &carol] {
            app.follow(viewer, &bob).await;
        }
        let list = carol.list_as(json!({ "title": "Loud", "exclusive": true })).await;
        carol.enlist(&list, &[&bob]).await;
        let by_bob = bob.publish("b").await;
        assert_eq!(alice.get(HOME).await.ids(), ids([&by_bob]));
        assert_eq!(carol.get(HOME).await.ids(), Vec::<String>::new());
    }
}
