//! `GET` and `POST /api/v1/lists`.

use futures_util::future::join_all;
use serde_json::json;

use crate::support::id;

const PATH: &str = "/api/v1/lists";
const MAX: usize = 50;

api_tests! {
    async fn a_list_is_created_with_the_given_fields(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let usual = alice.form(PATH, &[("title", " Friends ")]).await.ok();
        assert_eq!(
            usual,
            json!({
                "id": usual["id"], "title": "Friends", "replies_policy": "list", "exclusive": false,
            })
        );
        let form = json!({ "title": "Birds", "replies_policy": "followed", "exclusive": true });
        let other = alice.json(PATH, form).await.ok();
        assert_eq!((&other["replies_policy"], &other["exclusive"]), (&json!("followed"), &json!(true)));
        assert_eq!(alice.get(PATH).await.ok(), json!([usual, other]));
        assert_eq!(bob.get(PATH).await.ok(), json!([]));
        snapshot!("a_list", alice.get(&format!("{PATH}/{}", id(&other))).await);
    }

    async fn a_list_has_a_title_and_a_known_policy(app: &TestApp) {
        let alice = app.user("alice").await;
        for (form, text) in [
            (json!({}), "Title can't be blank"),
            (json!({ "title": "  " }), "Title can't be blank"),
            (json!({ "title": "\u{200B}\u{2060} \u{3164}" }), "Title can't be blank"),
            (json!({ "title": "x".repeat(257) }), "Title cannot be longer than 256 characters"),
            (
                json!({ "title": "x", "replies_policy": "all" }),
                "Replies policy must be followed, list or none",
            ),
        ] {
            let error = alice.json(PATH, form).await.expect(422);
            assert_eq!(error["error"], format!("Validation failed: {text}"));
        }
        assert_eq!(alice.get(PATH).await.ok(), json!([]));
        alice.json(PATH, json!({ "title": "ü".repeat(256) })).await.ok();
    }

    // An account can have at most 50 lists, and they are returned without pages.
    async fn an_account_has_at_most_fifty_lists(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut created = Vec::new();
        for number in 0..MAX {
            created.push(alice.list(&number.to_string()).await);
        }
        let refused = alice.form(PATH, &[("title", "one more")]).await.expect(422);
        assert_eq!(refused["error"], "Validation failed: At most 50 lists can be made");
        let all = alice.get(PATH).await;
        assert_eq!((all.ids(), all.header("link")), (created.clone(), None));
        alice.delete(&format!("{PATH}/{}", created[7])).await.ok();
        alice.list("one more").await;
        assert_eq!(alice.get(PATH).await.ids().len(), MAX);
    }

    async fn the_limit_applies_to_concurrently_created_lists(app: &TestApp) {
        let alice = app.user("alice").await;
        for number in 0..MAX - 3 {
            alice.list(&number.to_string()).await;
        }
        let make = async |_: usize| alice.form(PATH, &[("title", "x")]).await.status;
        let answers = join_all((0..20).map(make)).await;
        assert_eq!(answers.iter().filter(|status| **status == 200).count(), 3, "{answers:?}");
        assert!(answers.iter().all(|status| matches!(status, 200 | 422)), "{answers:?}");
        assert_eq!(alice.get(PATH).await.ids().len(), MAX);
    }

    async fn lists_need_a_token_of_their_scope(app: &TestApp) {
        let alice = app.user("alice").await;
        app.anonymous().get(PATH).await.expect(401);
        app.anonymous().form(PATH, &[("title", "x")]).await.expect(401);
        let viewer = app.user_with_scopes(&alice, "read:lists").await;
        assert_eq!(viewer.get(PATH).await.ok(), json!([]));
        viewer.form(PATH, &[("title", "x")]).await.expect(403);
        let writer = app.user_with_scopes(&alice, "write:lists").await;
        writer.form(PATH, &[("title", "x")]).await.ok();
        writer.get(PATH).await.expect(403);
    }
}
