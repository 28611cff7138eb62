//! Dismissed notifications of edits: the next edit creates one again.

use serde_json::json;

use super::{LIST, types};
use crate::support::id;

api_tests! {
    async fn the_edit_after_a_dismissal_notifies_once(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let reblogged = bob.publish("First").await;
        alice.act("reblog", &reblogged).await;
        let quoted = bob.publish("First").await;
        let quote = json!({ "status": "See", "quoted_status_id": quoted["id"] });
        alice.publish_as(quote).await;
        for (kind, status) in [("update", &reblogged), ("quoted_update", &quoted)] {
            let path = format!("/api/v1/statuses/{}", id(status));
            // Returns the ids of all notifications after an edit.
            let edit = async |text: &str| {
                bob.put(&path, &[("status", text)]).await.ok();
                app.settle().await;
                assert!(types(&alice, "").await.iter().all(|found| found == kind), "{kind}");
                alice.get(LIST).await.ids()
            };
            let dismiss = async |ids: &[String]| {
                alice.post(&format!("{LIST}/{}/dismiss", ids[0])).await.ok();
                assert_eq!(types(&alice, "").await, [""; 0], "{kind}");
            };
            let first = edit("Second").await;
            assert_eq!(first.len(), 1, "{kind}");
            dismiss(&first).await;
            let second = edit("Third").await;
            assert_eq!(second.len(), 1, "{kind}");
            assert_ne!(second, first, "{kind}");
            // Without a dismissal, the new notification replaces the earlier one.
            let third = edit("Fourth").await;
            assert_eq!(third.len(), 1, "{kind}");
            assert_ne!(third, second, "{kind}");
            dismiss(&third).await;
            assert_eq!(edit("Fourth").await, [""; 0], "{kind}: nothing has changed");
        }
    }
}
