//! `mute`, `unmute` and `/api/v1/mutes`.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{TestApp, User, id};

async fn home(viewer: &User) -> Vec<String> {
    viewer.get("/api/v1/timelines/home").await.ids()
}

async fn follow_each_other(one: &User, other: &User) {
    one.act_on("follow", other).await;
    other.act_on("follow", one).await;
}

fn muting(relationship: &Value) -> (bool, bool) {
    (
        relationship["muting"].as_bool().unwrap(),
        relationship["muting_notifications"].as_bool().unwrap(),
    )
}

/// Returns the places that show `viewer` an account or a status of `author`.
async fn places_that_show(app: &TestApp, viewer: &User, author: &User) -> Vec<&'static str> {
    let root = viewer.publish("root").await;
    let published = author.reply(&root, "@reader hello #birds").await;
    author.publish("#birds").await;
    author.act("favourite", &root).await;
    author.act("reblog", &root).await;
    let other = app.user(&format!("other{}", id(&root))).await;
    author.act_on("follow", &other).await;
    other.act_on("follow", author).await;
    let root = id(&root);
    let mut shown = Vec::new();
    for (name, path) in [
        ("home", "/api/v1/timelines/home".to_owned()),
        ("public", "/api/v1/timelines/public".to_owned()),
        ("tag", "/api/v1/timelines/tag/birds".to_owned()),
        ("notifications", "/api/v1/notifications".to_owned()),
        ("context", format!("/api/v1/statuses/{root}/context")),
        ("favourited_by", format!("/api/v1/statuses/{root}/favourited_by")),
        ("reblogged_by", format!("/api/v1/statuses/{root}/reblogged_by")),
        ("followers", format!("/api/v1/accounts/{}/followers", other.id)),
        ("following", format!("/api/v1/accounts/{}/following", other.id)),
        ("search", "/api/v2/search?q=auth".to_owned()),
        ("status", format!("/api/v1/statuses/{}", id(&published))),
        ("account", format!("/api/v1/accounts/{}", author.id)),
        ("profile", format!("/api/v1/accounts/{}/statuses", author.id)),
    ] {
        let body = viewer.get(&path).await.ok().to_string();
        if body.contains(&format!("\"{}\"", author.id)) {
            shown.push(name);
        }
    }
    shown
}

const EVERYWHERE: [&str; 13] = [
    "home",
    "public",
    "tag",
    "notifications",
    "context",
    "favourited_by",
    "reblogged_by",
    "followers",
    "following",
    "search",
    "status",
    "account",
    "profile",
];

api_tests! {
    async fn a_mute_hides_an_account_except_where_it_is_requested(app: &TestApp) {
        let (viewer, author) = (app.user("reader").await, app.user("author").await);
        follow_each_other(&viewer, &author).await;
        assert_eq!(places_that_show(app, &viewer, &author).await, EVERYWHERE);
        let response = viewer.post(&format!("/api/v1/accounts/{}/mute", author.id)).await;
        snapshot!("mute", response);
        assert_eq!(places_that_show(app, &viewer, &author).await, ["status", "account", "profile"]);
        let found = viewer.get("/api/v2/search?q=author").await.ok();
        assert_eq!(found["accounts"][0]["id"], author.id);
        let relationship = viewer.act_on_with("mute", &author, json!({ "notifications": false })).await;
        assert_eq!(muting(&relationship), (true, false));
        assert_eq!(relationship["following"], true);
        assert_eq!(
            places_that_show(app, &viewer, &author).await,
            ["notifications", "status", "account", "profile"]
        );
        assert_eq!(muting(&viewer.act_on("unmute", &author).await), (false, false));
        assert_eq!(places_that_show(app, &viewer, &author).await, EVERYWHERE);
    }

    async fn muted_accounts_do_not_notice_the_mute(app: &TestApp) {
        let (viewer, author) = (app.user("reader").await, app.user("author").await);
        follow_each_other(&viewer, &author).await;
        author.act_on("mute", &viewer).await;
        assert_eq!(places_that_show(app, &viewer, &author).await, EVERYWHERE);
        assert_eq!(muting(&viewer.relationship(&author).await), (false, false));
    }

    // Muting again changes whether notifications are hidden.
    async fn muting_again_changes_whether_notifications_are_hidden(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let relationship = alice.act_on_with("mute", &bob, json!({ "notifications": "false" })).await;
        assert_eq!(muting(&relationship), (true, false));
        bob.publish("@alice one").await;
        assert_eq!(alice.notification_types().await, ["mention"]);
        let relationship = alice.act_on_with("mute", &bob, json!({ "notifications": "true" })).await;
        assert_eq!(muting(&relationship), (true, true));
        bob.publish("@alice two").await;
        assert_eq!(alice.notification_types().await, [""; 0]);
        alice.act_on("unmute", &bob).await;
        assert_eq!(alice.notification_types().await, ["mention"], "older notifications are back");
    }

    // A mute with a duration ends by itself.
    async fn a_mute_with_a_duration_expires(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.act_on("follow", &bob).await;
        let published = id(&bob.publish("hello").await);
        let relationship = alice.act_on_with("mute", &bob, json!({ "duration": 2 })).await;
        assert_eq!(muting(&relationship), (true, true));
        let until = &relationship["muting_expires_at"];
        assert!(until.is_string());
        let listed = alice.get("/api/v1/mutes").await.ok();
        assert_eq!((&listed[0]["id"], &listed[0]["mute_expires_at"]), (&json!(bob.id), until));
        assert_eq!(home(&alice).await, [""; 0]);
        app.advance(Duration::from_secs(3));
        let relationship = alice.relationship(&bob).await;
        assert_eq!((muting(&relationship), &relationship["muting_expires_at"]), ((false, false), &Value::Null));
        assert_eq!(alice.get("/api/v1/mutes").await.ids(), [""; 0]);
        assert_eq!(home(&alice).await, [published]);
        app.app().sweep_rows().await.unwrap();
        let relationship = alice.act_on_with("mute", &bob, json!({ "notifications": false })).await;
        assert_eq!((muting(&relationship), &relationship["muting_expires_at"]), ((true, false), &Value::Null));
    }

    async fn muting_again_changes_the_duration(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.act_on_with("mute", &bob, json!({ "duration": 60 })).await;
        let relationship = alice.act_on_with("mute", &bob, json!({ "duration": "3600" })).await;
        let later = relationship["muting_expires_at"].clone();
        app.advance(Duration::from_secs(61));
        assert_eq!(muting(&alice.relationship(&bob).await), (true, true));
        let relationship = alice.act_on("mute", &bob).await;
        assert_ne!(relationship["muting_expires_at"], later);
        assert_eq!(relationship["muting_expires_at"], Value::Null);
        app.advance(Duration::from_hours(2));
        assert_eq!(muting(&alice.relationship(&bob).await), (true, true));
        assert_eq!(alice.get("/api/v1/mutes").await.ids(), [bob.id]);
    }

    async fn invalid_durations_and_muting_oneself_are_refused(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let path = format!("/api/v1/accounts/{}/mute", bob.id);
        alice.json(&path, json!({ "duration": -1 })).await.expect(422);
        assert_eq!(muting(&alice.relationship(&bob).await), (false, false));
        alice.post(&format!("/api/v1/accounts/{}/mute", alice.id)).await.expect(403);
        let relationship = alice.act_on_with("mute", &bob, json!({ "duration": i64::MAX })).await;
        assert_eq!(relationship["muting_expires_at"], Value::Null);
    }

    async fn concurrent_mutes_create_one_mute(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        join_all((0..50).map(|_| alice.act_on("mute", &bob))).await;
        assert_eq!(alice.get("/api/v1/mutes").await.ids(), [bob.id.as_str()]);
        join_all((0..50).map(|_| alice.act_on("unmute", &bob))).await;
        assert_eq!(alice.get("/api/v1/mutes").await.ids(), [""; 0]);
    }

    async fn the_mute_list_is_paginated_by_its_own_ids(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut muted = Vec::new();
        for number in 0..5 {
            let other = app.user(&format!("user{number}")).await;
            alice.act_on("mute", &other).await;
            muted.insert(0, other);
        }
        alice.act_on("mute", &muted[4]).await;
        let ids: Vec<&str> = muted.iter().map(|user| user.id.as_str()).collect();
        assert_eq!(alice.walk("/api/v1/mutes?limit=2").await, ids);
        let first = alice.get("/api/v1/mutes?limit=1").await;
        snapshot!("mutes", first);
        assert!(first.link("prev").unwrap().contains("since_id="));
        assert_eq!(muted[0].get("/api/v1/mutes").await.ids(), [""; 0]);
    }

    async fn mutes_need_their_scopes(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let path = format!("/api/v1/accounts/{}/mute", bob.id);
        for (scopes, write, read) in [
            ("write:mutes", 200, 403),
            ("read:mutes", 403, 200),
            ("follow", 200, 200),
            ("write:blocks read:blocks", 403, 403),
        ] {
            let client = app.user_with_scopes(&alice, scopes).await;
            assert_eq!(client.post(&path).await.status, write, "{scopes}");
            assert_eq!(client.get("/api/v1/mutes").await.status, read, "{scopes}");
        }
        app.anonymous().post(&path).await.expect(401);
        app.anonymous().get("/api/v1/mutes").await.expect(401);
    }
}
