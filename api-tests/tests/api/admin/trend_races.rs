//! Reviews of statuses that their authors delete at that moment.

use futures_util::future::{join, join_all};

use crate::support::id;

const ROUNDS: usize = 20;
/// Actions of staff, all at once.
const ACTIONS: [&str; 4] = ["approve", "reject", "approve", "reject"];

api_tests! {
    async fn a_status_that_is_deleted_during_its_review_is_not_found(app: &TestApp) {
        let (staff, alice) = (app.moderator("mod").await, app.user("alice").await);
        for _ in 0..ROUNDS {
            let status = id(&alice.publish("hello").await);
            let path = format!("/api/v1/statuses/{status}");
            let to = |action: &str| format!("/api/v1/admin/trends/statuses/{status}/{action}");
            let review = async |path: String| staff.post(&path).await;
            let reviews = join_all(ACTIONS.map(to).map(review));
            let (deleted, reviews) = join(alice.delete(&path), reviews).await;
            deleted.ok();
            for response in reviews {
                assert!(matches!(response.status, 200 | 404), "{response:?}");
            }
            staff.post(&to("approve")).await.expect(404);
        }
    }
}
