//! `POST /api/v1/announcements/{id}/dismiss`.

use serde_json::json;

use super::{LIST, list};

api_tests! {
    async fn a_dismissed_announcement_is_read_by_this_account_only(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let (first, second) = (app.announce("Tea").await, app.announce("Coffee").await);
        for _ in 0..2 {
            let response = alice.post(&format!("{LIST}/{first}/dismiss")).await.ok();
            assert_eq!(response, json!({}));
        }
        let read = |shown: &serde_json::Value| (shown["id"].clone(), shown["read"].clone());
        let of_alice: Vec<_> = list(&alice).await.iter().map(read).collect();
        assert_eq!(of_alice, [(json!(first), json!(true)), (json!(second), json!(false))]);
        assert!(list(&bob).await.iter().all(|shown| shown["read"] == false));
    }

    async fn unknown_and_withdrawn_announcements_cannot_be_dismissed(app: &TestApp) {
        let alice = app.user("alice").await;
        let withdrawn = app.announce("Tea").await;
        app.withdraw(withdrawn).await;
        for announcement in [withdrawn.to_string(), "1".to_owned(), "x".to_owned()] {
            let refused = alice.post(&format!("{LIST}/{announcement}/dismiss")).await.expect(404);
            assert_eq!(refused, json!({ "error": "Record not found" }));
        }
    }

    async fn dismissing_needs_the_scope_to_write_accounts(app: &TestApp) {
        let alice = app.user("alice").await;
        let path = format!("{LIST}/{}/dismiss", app.announce("Tea").await);
        app.anonymous().post(&path).await.expect(401);
        app.user_with_scopes(&alice, "read write:favourites").await.post(&path).await.expect(403);
        app.user_with_scopes(&alice, "write:accounts").await.post(&path).await.ok();
        app.user_with_scopes(&alice, "write").await.post(&path).await.ok();
    }
}
