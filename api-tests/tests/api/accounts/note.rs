//! `note`.

use serde_json::json;

api_tests! {
    async fn a_note_is_visible_to_its_author_only(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let text = "Lends books <b> & \"returns\" them 🐦";
        let relationship = alice.act_on_with("note", &bob, json!({ "comment": text })).await;
        assert_eq!(relationship["note"], text);
        assert_eq!(alice.relationship(&bob).await["note"], text);
        assert_eq!(bob.relationship(&alice).await["note"], "");
        let again = alice.act_on_with("note", &bob, json!({ "comment": "New" })).await;
        assert_eq!(again["note"], "New");
    }

    async fn an_empty_or_absent_note_is_removed(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        for empty in [json!({}), json!({ "comment": "" }), json!({ "comment": null })] {
            alice.act_on_with("note", &bob, json!({ "comment": "Something" })).await;
            assert_eq!(alice.act_on_with("note", &bob, empty).await["note"], "");
            assert_eq!(alice.relationship(&bob).await["note"], "");
        }
        assert_eq!(alice.act_on("note", &bob).await["note"], "");
    }

    async fn a_note_survives_unfollows_and_blocks(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.act_on_with("note", &bob, json!({ "comment": "Beware" })).await;
        for action in ["follow", "unfollow", "mute", "unmute", "block", "unblock"] {
            assert_eq!(alice.act_on(action, &bob).await["note"], "Beware", "{action}");
        }
    }

    async fn a_note_has_a_maximum_length_and_needs_a_scope(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let path = format!("/api/v1/accounts/{}/note", bob.id);
        alice.json(&path, json!({ "comment": "ü".repeat(2000) })).await.ok();
        alice.json(&path, json!({ "comment": "ü".repeat(2001) })).await.expect(422);
        for (scopes, status) in [("write:accounts", 200), ("follow", 403), ("read", 403)] {
            let client = app.user_with_scopes(&alice, scopes).await;
            assert_eq!(client.post(&path).await.status, status, "{scopes}");
        }
        app.anonymous().post(&path).await.expect(401);
    }
}
