//! `DELETE /api/v1/conversations/{id}`, and `POST /api/v1/conversations/{id}/read` and `unread`.

use serde_json::json;

use super::{PATH, all, conversation, summary};
use crate::support::id;

api_tests! {
    async fn a_conversation_stays_read_until_the_next_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let first = alice.tell("@bob one").await;
        let own = bob.get(PATH).await.ids().remove(0);
        let read = bob.post(&format!("{PATH}/{own}/read")).await.ok();
        assert_eq!(read["id"], own.as_str());
        assert_eq!(summary(&read), conversation(&["alice"], &first, false));
        assert_eq!(all(&bob).await, [conversation(&["alice"], &first, false)]);
        let second = alice.tell_in_answer(&first, "@bob two").await;
        assert_eq!(all(&bob).await, [conversation(&["alice"], &second, true)]);
        assert_eq!(bob.get(PATH).await.ids(), [own]);
    }

    async fn a_conversation_is_marked_as_unread(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let first = alice.tell("@bob one").await;
        let own = bob.get(PATH).await.ids().remove(0);
        bob.post(&format!("{PATH}/{own}/read")).await.ok();
        for _ in 0..2 {
            let unread = bob.post(&format!("{PATH}/{own}/unread")).await.ok();
            assert_eq!(unread["id"], own.as_str());
            assert_eq!(summary(&unread), conversation(&["alice"], &first, true));
            assert_eq!(all(&bob).await, [conversation(&["alice"], &first, true)]);
        }
        assert_eq!(all(&alice).await, [conversation(&["bob"], &first, false)]);
        bob.post(&format!("{PATH}/{own}/read")).await.ok();
        assert_eq!(all(&bob).await, [conversation(&["alice"], &first, false)]);
    }

    async fn a_removed_conversation_starts_again_with_the_next_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let first = alice.tell("@bob one").await;
        let own = bob.get(PATH).await.ids().remove(0);
        assert_eq!(bob.delete(&format!("{PATH}/{own}")).await.ok(), json!({}));
        assert_eq!(all(&bob).await, []);
        assert_eq!(all(&alice).await, [conversation(&["bob"], &first, false)]);
        bob.get(&format!("/api/v1/statuses/{}", id(&first))).await.ok();
        let second = alice.tell_in_answer(&first, "@bob two").await;
        assert_eq!(all(&bob).await, [conversation(&["alice"], &second, true)]);
        let delete = format!("/api/v1/statuses/{}", id(&second));
        alice.delete(&delete).await.ok();
        assert_eq!(all(&bob).await, []);
    }

    async fn conversations_of_others_are_not_found(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let first = alice.tell("@bob one").await;
        let of_alice = alice.get(PATH).await.ids().remove(0);
        for id in [of_alice.as_str(), "115000000000000000", "x"] {
            for response in [
                bob.post(&format!("{PATH}/{id}/read")).await,
                bob.post(&format!("{PATH}/{id}/unread")).await,
                bob.delete(&format!("{PATH}/{id}")).await,
            ] {
                assert_eq!(response.expect(404), json!({ "error": "Record not found" }));
            }
        }
        assert_eq!(all(&bob).await, [conversation(&["alice"], &first, true)]);
        assert_eq!(all(&alice).await, [conversation(&["bob"], &first, false)]);
        let viewer = app.user_with_scopes(&alice, "write:statuses").await;
        let writer = app.user_with_scopes(&alice, "write:conversations").await;
        for action in ["read", "unread"] {
            viewer.post(&format!("{PATH}/{of_alice}/{action}")).await.expect(403);
            writer.post(&format!("{PATH}/{of_alice}/{action}")).await.ok();
        }
    }
}
