//! `mute`, `unmute` and `/api/v1/mutes`.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{TestApp, User, id};

async fn home(reader: &User) -> Vec<String> {
    reader.get("/api/v1/timelines/home").await.ids()
}

async fn follow_each_other(one: &User, other: &User) {
    one.act_on("follow", other).await;
    other.act_on("follow", one).await;
}

fn muting(ties: &Value) -> (bool, bool) {
    (ties["muting"].as_bool().unwrap(), ties["muting_notifications"].as_bool().unwrap())
}

/// Returns the places that show `reader` an account or a status of `author`.
async fn places(app: &TestApp, reader: &User, author: &User) -> Vec<&'static str> {
    let root = reader.publish("root").await;
    let said = author.reply(&root, "@reader hello #birds").await;
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
        ("status", format!("/api/v1/statuses/{}", id(&said))),
        ("account", format!("/api/v1/accounts/{}", author.id)),
        ("profile", format!("/api/v1/accounts/{}/statuses", author.id)),
    ] {
        let body = reader.get(&path).await.ok().to_string();
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
    async fn a_mute_hides_somebody_everywhere_but_where_one_looks_for_them(app: &TestApp) {
        let (reader, author) = (app.user("reader").await, app.user("author").await);
        follow_each_other(&reader, &author).await;
        assert_eq!(places(app, &reader, &author).await, EVERYWHERE);
        let answer = reader.post(&format!("/api/v1/accounts/{}/mute", author.id)).await;
        snapshot!("mute", answer);
        assert_eq!(places(app, &reader, &author).await, ["status", "account", "profile"]);
        let found = reader.get("/api/v2/search?q=author").await.ok();
        assert_eq!(found["accounts"][0]["id"], author.id);
        let ties = reader.act_on_with("mute", &author, json!({ "notifications": false })).await;
        assert_eq!(muting(&ties), (true, false));
        assert_eq!(ties["following"], true);
        assert_eq!(
            places(app, &reader, &author).await,
            ["notifications", "status", "account", "profile"]
        );
        assert_eq!(muting(&reader.act_on("unmute", &author).await), (false, false));
        assert_eq!(places(app, &reader, &author).await, EVERYWHERE);
    }

    async fn the_muted_do_not_notice(app: &TestApp) {
        let (reader, author) = (app.user("reader").await, app.user("author").await);
        follow_each_other(&reader, &author).await;
        author.act_on("mute", &reader).await;
        assert_eq!(places(app, &reader, &author).await, EVERYWHERE);
        assert_eq!(muting(&reader.ties(&author).await), (false, false));
    }

    // Muting again changes whether notifications are hidden.
    async fn muting_again_changes_whether_notifications_are_hidden(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let ties = alice.act_on_with("mute", &bob, json!({ "notifications": "false" })).await;
        assert_eq!(muting(&ties), (true, false));
        bob.publish("@alice one").await;
        assert_eq!(alice.news().await, ["mention"]);
        let ties = alice.act_on_with("mute", &bob, json!({ "notifications": "true" })).await;
        assert_eq!(muting(&ties), (true, true));
        bob.publish("@alice two").await;
        assert_eq!(alice.news().await, [""; 0]);
        alice.act_on("unmute", &bob).await;
        assert_eq!(alice.news().await, ["mention"], "older notifications are back");
    }

    // A mute with a duration ends by itself.
    async fn a_mute_with_a_duration_lifts_itself(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.act_on("follow", &bob).await;
        let said = id(&bob.publish("hello").await);
        let ties = alice.act_on_with("mute", &bob, json!({ "duration": 2 })).await;
        assert_eq!(muting(&ties), (true, true));
        let until = &ties["muting_expires_at"];
        assert!(until.is_string());
        let listed = alice.get("/api/v1/mutes").await.ok();
        assert_eq!((&listed[0]["id"], &listed[0]["mute_expires_at"]), (&json!(bob.id), until));
        assert_eq!(home(&alice).await, [""; 0]);
        app.advance(Duration::from_secs(3));
        let ties = alice.ties(&bob).await;
        assert_eq!((muting(&ties), &ties["muting_expires_at"]), ((false, false), &Value::Null));
        assert_eq!(alice.get("/api/v1/mutes").await.ids(), [""; 0]);
        assert_eq!(home(&alice).await, [said]);
        app.app().sweep_rows().await.unwrap();
        let ties = alice.act_on_with("mute", &bob, json!({ "notifications": false })).await;
        assert_eq!((muting(&ties), &ties["muting_expires_at"]), ((true, false), &Value::Null));
    }

    async fn muting_again_changes_the_duration(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.act_on_with("mute", &bob, json!({ "duration": 60 })).await;
        let ties = alice.act_on_with("mute", &bob, json!({ "duration": "3600" })).await;
        let later = ties["muting_expires_at"].clone();
        app.advance(Duration::from_secs(61));
        assert_eq!(muting(&alice.ties(&bob).await), (true, true));
        let ties = alice.act_on("mute", &bob).await;
        assert_ne!(ties["muting_expires_at"], later);
        assert_eq!(ties["muting_expires_at"], Value::Null);
        app.advance(Duration::from_hours(2));
        assert_eq!(muting(&alice.ties(&bob).await), (true, true));
        assert_eq!(alice.get("/api/v1/mutes").await.ids(), [bob.id]);
    }

    async fn what_is_no_duration_and_oneself_is_refused(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let path = format!("/api/v1/accounts/{}/mute", bob.id);
        alice.json(&path, json!({ "duration": -1 })).await.expect(422);
        assert_eq!(muting(&alice.ties(&bob).await), (false, false));
        alice.post(&format!("/api/v1/accounts/{}/mute", alice.id)).await.expect(403);
        let ties = alice.act_on_with("mute", &bob, json!({ "duration": i64::MAX })).await;
        assert_eq!(ties["muting_expires_at"], Value::Null);
    }

    async fn fifty_mutes_at_once_are_one(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        join_all((0..50).map(|_| alice.act_on("mute", &bob))).await;
        assert_eq!(alice.get("/api/v1/mutes").await.ids(), [bob.id.as_str()]);
        join_all((0..50).map(|_| alice.act_on("unmute", &bob))).await;
        assert_eq!(alice.get("/api/v1/mutes").await.ids(), [""; 0]);
    }

    async fn the_list_of_mutes_walks_from_the_latest_by_ids_of_its_own(app: &TestApp) {
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
