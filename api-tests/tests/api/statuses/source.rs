//! `GET /api/v1/statuses/{id}/source`.

use serde_json::json;

use crate::support::id;

api_tests! {
    async fn the_source_is_the_submitted_text(app: &TestApp) {
        let alice = app.user("alice").await;
        let typed = json!({ "status": "a <b> & \"c\"", "spoiler_text": "<d>" });
        let status = alice.publish_as(typed).await;
        let path = format!("/api/v1/statuses/{}/source", id(&status));
        let source =
            json!({ "id": status["id"], "text": "a <b> & \"c\"", "spoiler_text": "<d>" });
        assert_eq!(alice.get(&path).await.ok(), source);
        assert_eq!(app.application("read:statuses").await.get(&path).await.ok(), source);
        app.anonymous().get(&path).await.expect(401);
        app.application("read:accounts").await.get(&path).await.expect(403);
    }
}
