//! Who finds which statuses.

use serde_json::json;
use siskin_entities::AccountState;

use super::{indexable, search, texts};
use crate::support::{Client, GOOD, id};

async fn sees(client: &Client, q: &str) -> bool {
    !texts(client, q).await.is_empty()
}

api_tests! {
    // Public statuses are found if their authors allow it, others in the library of the viewer.
    async fn the_visibility_decides_who_finds_a_status(app: &TestApp) {
        let (alice, bob) = (indexable(app, "alice").await, app.user("bob").await);
        let carol = app.user("carol").await;
        app.follow(&carol, &alice).await;
        for visibility in ["public", "unlisted", "private", "direct"] {
            let status = json!({ "status": format!("gannet {visibility} @bob"), "visibility": visibility });
            alice.publish_as(status).await;
            let status = json!({ "status": format!("gannet {visibility} alone"), "visibility": visibility });
            alice.publish_as(status).await;
        }
        assert_eq!(texts(&alice, "gannet").await.len(), 8);
        assert_eq!(texts(&bob, "gannet").await, [
            "gannet direct @bob", "gannet private @bob", "gannet unlisted @bob",
            "gannet public alone", "gannet public @bob",
        ]);
        assert_eq!(texts(&bob, "gannet in:library").await.len(), 4);
        assert_eq!(texts(&carol, "gannet").await, ["gannet public alone", "gannet public @bob"]);
        assert_eq!(texts(&app.anonymous(), "gannet").await, [""; 0]);
    }

    // Each interaction adds a status to the library, and its end removes it.
    async fn interactions_add_statuses_to_the_library(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&bob, &alice).await;
        let private = alice
            .publish_as(json!({ "status": "brambling", "visibility": "private" }))
            .await;
        let public = alice.publish("bullfinch").await;
        for (action, undo, status, q) in [
            ("favourite", "unfavourite", &private, "brambling"),
            ("bookmark", "unbookmark", &private, "brambling"),
            ("reblog", "unreblog", &public, "bullfinch"),
        ] {
            assert!(!sees(&bob, q).await, "before {action}");
            bob.act(action, status).await;
            assert!(sees(&bob, q).await, "{action}");
            assert!(sees(&bob, &format!("{q} in:library")).await, "{action}");
            assert!(!sees(&bob, &format!("{q} in:public")).await, "{action}");
            bob.act(undo, status).await;
            assert!(!sees(&bob, q).await, "{undo}");
        }
        let poll = json!({ "options": ["chaffinch", "other"], "expires_in": 3600 });
        let asking = alice
            .publish_as(json!({ "status": "?", "poll": poll, "visibility": "private" }))
            .await;
        assert!(!sees(&bob, "chaffinch").await);
        let votes = format!("/api/v1/polls/{}/votes", id(&asking["poll"]));
        bob.json(&votes, json!({ "choices": [0] })).await.ok();
        assert!(sees(&bob, "chaffinch").await);
        // The library contains only what its owner may see now.
        bob.act("favourite", &private).await;
        assert!(sees(&bob, "brambling").await);
        bob.act_on("unfollow", &alice).await;
        assert!(!sees(&bob, "brambling").await);
        assert!(!sees(&bob, "chaffinch").await);
    }

    async fn blocks_mutes_and_states_hide_authors(app: &TestApp) {
        let (alice, bob) = (indexable(app, "alice").await, app.user("bob").await);
        let status = alice.publish("redstart @bob").await;
        bob.act("favourite", &status).await;
        let other = app.user("other").await;
        assert!(sees(&bob, "redstart").await);
        for (action, undo) in [("block", "unblock"), ("mute", "unmute")] {
            bob.act_on(action, &alice).await;
            assert!(!sees(&bob, "redstart").await, "{action}");
            assert!(sees(&other, "redstart").await, "{action}");
            bob.act_on(undo, &alice).await;
        }
        bob.act("favourite", &status).await;
        assert!(sees(&bob, "redstart").await);
        alice.act_on("block", &bob).await;
        assert!(!sees(&bob, "redstart").await);
        assert!(sees(&other, "redstart").await);
        app.set_state(&alice, AccountState { silenced: true, ..GOOD }).await;
        assert!(!sees(&other, "redstart").await);
        app.follow(&other, &alice).await;
        assert!(sees(&other, "redstart").await);
        app.set_state(&alice, AccountState { suspended: true, ..GOOD }).await;
        assert!(!sees(&other, "redstart").await);
        app.set_state(&alice, AccountState { reachable: false, ..GOOD }).await;
        assert!(!sees(&other, "redstart").await);
    }

    async fn blocked_domains_hide_authors(app: &TestApp) {
        let (zoe, bob) = (app.user_of("zoe", "far.example").await, app.user("bob").await);
        super::set_indexable(&zoe, true).await;
        zoe.publish("whinchat").await;
        assert!(sees(&bob, "whinchat").await);
        bob.form("/api/v1/domain_blocks", &[("domain", "far.example")]).await.ok();
        assert!(!sees(&bob, "whinchat").await);
    }

    // The number of results does not reveal statuses that a viewer cannot find.
    async fn hidden_statuses_take_no_place_on_a_page(app: &TestApp) {
        let (alice, bob) = (indexable(app, "alice").await, app.user("bob").await);
        for number in 0..6 {
            alice.publish(&format!("dipper {number}")).await;
            let hidden = json!({ "status": "dipper hidden", "visibility": "direct" });
            alice.publish_as(hidden).await;
        }
        for (offset, expected) in [("0", 4), ("4", 2), ("6", 0)] {
            let query = [("q", "dipper"), ("type", "statuses"), ("limit", "4"), ("offset", offset)];
            let found = search(&bob, &query).await.ok();
            assert_eq!(found["statuses"].as_array().unwrap().len(), expected, "{offset}");
        }
    }
}
