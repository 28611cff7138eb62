//! A status that was saved, reported, and deleted by a moderator (case 064).

use serde_json::json;

use crate::support::id;

api_tests! {
    async fn lists_of_users_do_not_contain_statuses_that_moderators_deleted(app: &TestApp) {
        let mo = app.staff("mo", "Moderator").await;
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let (status, other) = (bob.publish("Rude").await, bob.publish("Kind").await);
        for status in [&status, &other] {
            alice.act("bookmark", status).await;
            alice.act("favourite", status).await;
            alice.act("reblog", status).await;
        }
        let report = alice.report_as(&bob, json!({ "status_ids": [id(&status)] })).await;
        let body = json!({ "type": "delete", "report_id": report });
        mo.act_on_status(&status, body).await.ok();
        app.app().drain_jobs().await.unwrap();
        for list in ["/api/v1/bookmarks", "/api/v1/favourites"] {
            assert_eq!(alice.get(list).await.ids(), [id(&other)], "{list}");
            assert_eq!(alice.walk(&format!("{list}?limit=1")).await, [id(&other)], "{list}");
        }
        let own = alice.get(&format!("/api/v1/accounts/{}/statuses", alice.id)).await;
        assert_eq!(own.ids().len(), 1);
        let shown = mo.reported(&report).await;
        assert_eq!((&shown["action_taken"], &shown["statuses"]), (&json!(true), &json!([])));
        assert_eq!(bob.warnings().await.len(), 1);
        let warning = bob.warnings().await[0].to_string();
        for secret in [alice.id.as_str(), mo.id.as_str(), "alice", "\"mo\""] {
            assert!(!warning.contains(secret), "{secret}: {warning}");
        }
    }
}
