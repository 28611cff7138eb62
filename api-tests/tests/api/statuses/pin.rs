//! `POST /api/v1/statuses/{id}/pin` and `unpin`, and `pinned=true` of the statuses of an account.

use serde_json::{Value, json};

use crate::support::{TestApp, User, id, ids};

async fn publish_some(user: &User, count: usize) -> Vec<Value> {
    let mut statuses = Vec::new();
    for number in 0..count {
        statuses.push(user.publish(&number.to_string()).await);
    }
    statuses
}

fn path(status: &Value, action: &str) -> String {
    format!("/api/v1/statuses/{}/{action}", id(status))
}

fn pinned_of(user: &User) -> String {
    format!("/api/v1/accounts/{}/statuses?pinned=true", user.id)
}

async fn pins(app: &TestApp, user: &User) -> Vec<String> {
    app.anonymous().get(&pinned_of(user)).await.ids()
}

api_tests! {
    async fn the_pinned_flag_is_visible_to_the_author_only(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        assert_eq!(status["pinned"], false);
        assert_eq!(alice.act("pin", &status).await["pinned"], true);
        let shown = format!("/api/v1/statuses/{}", id(&status));
        assert_eq!(alice.get(&shown).await.ok()["pinned"], true);
        assert!(bob.get(&shown).await.ok().get("pinned").is_none());
        assert_eq!(pins(app, &alice).await, ids([&status]));
        for _ in 0..2 {
            assert_eq!(alice.act("unpin", &status).await["pinned"], false);
        }
        assert_eq!(pins(app, &alice).await, Vec::<String>::new());
    }

    // An account can pin five statuses, and deleted statuses do not count.
    async fn at_most_five_existing_statuses_are_pinned(app: &TestApp) {
        let alice = app.user("alice").await;
        let statuses = publish_some(&alice, 7).await;
        for status in &statuses[..5] {
            alice.act("pin", status).await;
        }
        let refused = alice.post(&path(&statuses[5], "pin")).await.expect(422);
        let limit = "Validation failed: You have already pinned the maximum number of posts";
        assert_eq!(refused["error"], limit);
        let first_five: Vec<String> = statuses[..5].iter().rev().map(id).collect();
        assert_eq!(pins(app, &alice).await, first_five);
        alice.delete(&format!("/api/v1/statuses/{}", id(&statuses[2]))).await.ok();
        alice.act("pin", &statuses[5]).await;
        alice.post(&path(&statuses[6], "pin")).await.expect(422);
        assert_eq!(pins(app, &alice).await.len(), 5);
    }

    async fn concurrent_pins_do_not_exceed_the_limit(app: &TestApp) {
        let alice = app.user("alice").await;
        let statuses = publish_some(&alice, 8).await;
        let paths: Vec<String> = statuses.iter().map(|status| path(status, "pin")).collect();
        let answers = futures_util::future::join_all(paths.iter().map(|path| alice.post(path))).await;
        assert_eq!(answers.iter().filter(|response| response.status == 200).count(), 5);
        assert_eq!(answers.iter().filter(|response| response.status == 422).count(), 3);
        assert_eq!(pins(app, &alice).await.len(), 5);
    }

    async fn pins_are_listed_newest_first(app: &TestApp) {
        let alice = app.user("alice").await;
        let statuses = publish_some(&alice, 4).await;
        let mut order = Vec::new();
        for pinned in [2, 0, 3, 1] {
            alice.act("pin", &statuses[pinned]).await;
            order.insert(0, id(&statuses[pinned]));
        }
        assert_eq!(pins(app, &alice).await, order);
        for limit in [1, 2, 3] {
            let walked = app.anonymous().walk(&format!("{}&limit={limit}", pinned_of(&alice))).await;
            assert_eq!(walked, order, "{limit}");
        }
        alice.act("unpin", &statuses[2]).await;
        alice.act("pin", &statuses[2]).await;
        assert_eq!(pins(app, &alice).await[0], id(&statuses[2]));
    }

    // Only statuses on the own profile can be pinned: no reblogs, and no statuses of others.
    async fn only_own_statuses_can_be_pinned(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let (own, other) = (alice.publish("mine").await, bob.publish("other").await);
        let reblog = alice.act("reblog", &own).await;
        let direct = alice.publish_as(json!({ "status": "@bob", "visibility": "direct" })).await;
        for (status, why) in [
            (&other, "Someone else's post cannot be pinned"),
            (&reblog, "A reblog cannot be pinned"),
            (&direct, "Posts that are only visible to mentioned users cannot be pinned"),
        ] {
            let refused = alice.post(&path(status, "pin")).await.expect(422);
            assert_eq!(refused["error"], format!("Validation failed: {why}"));
            assert!(reblog.get("pinned").is_none());
        }
        assert!(direct.get("pinned").is_none());
        let hidden = bob.publish_as(json!({ "status": "x", "visibility": "private" })).await;
        let unseen = alice.post(&path(&hidden, "pin")).await;
        assert_eq!(unseen.expect(404), alice.post("/api/v1/statuses/9/pin").await.expect(404));
    }

    // Pinning a status twice is refused and counts once.
    async fn a_status_is_pinned_once(app: &TestApp) {
        let alice = app.user("alice").await;
        let statuses = publish_some(&alice, 5).await;
        for status in &statuses {
            alice.act("pin", status).await;
            alice.post(&path(status, "pin")).await.expect(422);
        }
        assert_eq!(pins(app, &alice).await.len(), 5);
    }

    async fn private_pins_are_visible_to_followers_only(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let private = alice.publish_as(json!({ "status": "x", "visibility": "private" })).await;
        assert_eq!(private["pinned"], false);
        alice.act("pin", &private).await;
        assert_eq!(pins(app, &alice).await, Vec::<String>::new());
        assert_eq!(bob.get(&pinned_of(&alice)).await.ids(), Vec::<String>::new());
        app.follow(&bob, &alice).await;
        assert_eq!(bob.get(&pinned_of(&alice)).await.ids(), ids([&private]));
        assert_eq!(alice.get(&pinned_of(&alice)).await.ids(), ids([&private]));
    }

    async fn pinned_combines_with_other_filters(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let tagged = alice.publish("#birds").await;
        let reply = alice.reply(&bob.publish("hi").await, "@bob hello").await;
        let unpinned = alice.publish("#birds too").await;
        for status in [&tagged, &reply] {
            alice.act("pin", status).await;
        }
        let list = async |query: &str| {
            app.anonymous().get(&format!("{}&{query}", pinned_of(&alice))).await.ids()
        };
        assert_eq!(list("").await, ids([&reply, &tagged]));
        assert_eq!(list("tagged=birds").await, ids([&tagged]));
        assert_eq!(list("exclude_replies=true").await, ids([&tagged]));
        assert_eq!(list("limit=1").await, ids([&reply]));
        assert_eq!(list(&format!("max_id={}", id(&reply))).await, ids([&tagged]));
        let all = format!("/api/v1/accounts/{}/statuses?tagged=birds", alice.id);
        assert_eq!(app.anonymous().get(&all).await.ids(), ids([&unpinned, &tagged]));
    }

    async fn pinning_needs_the_scope_of_the_profile(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("hello").await;
        for action in ["pin", "unpin"] {
            let path = path(&status, action);
            app.user_with_scopes(&alice, "write:statuses").await.post(&path).await.expect(403);
            app.user_with_scopes(&alice, "write:accounts").await.post(&path).await.ok();
            app.anonymous().post(&path).await.expect(401);
        }
    }
}
