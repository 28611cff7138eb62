//! `POST /api/v1/admin/statuses/{id}/action`.

use futures_util::future::join_all;
use serde_json::{Value, json};
use siskin_entities::{AuditAction, TargetKind};

use crate::support::{STAFF_SCOPES, TestApp, User, id, pictures::png};

async fn audited(app: &TestApp, status: &Value) -> Vec<AuditAction> {
    let entries = app.audit_of(TargetKind::Status, &id(status)).await;
    entries.iter().map(|entry| entry.action).collect()
}

async fn sensitive(viewer: &User, status: &Value) -> Value {
    viewer.get(&format!("/api/v1/statuses/{}", id(status))).await.ok()["sensitive"].clone()
}

api_tests! {
    // The author gets one warning. The author's own deletion causes none.
    async fn a_deleted_status_causes_one_warning(app: &TestApp) {
        let mo = app.staff("mo", "Moderator").await;
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        ann.act_on("follow", &bob).await;
        let media = bob.upload_media(png(20, 20), "").await;
        let status = bob.publish_as(json!({ "status": "Rude", "media_ids": [media["id"]] })).await;
        let own = bob.publish("Mine").await;
        ann.act("bookmark", &status).await;
        let file = crate::attachments::path_of(app, &media["url"]);
        assert_eq!(app.anonymous().get(&file).await.status, 200);
        let mut stream = app.listen(&ann, "stream=user").await;
        let body = json!({ "type": "delete", "text": "Be kind" });
        assert_eq!(mo.act_on_status(&status, body).await.ok(), json!({}));
        assert_eq!(stream.until("delete").await, status["id"]);
        bob.get(&format!("/api/v1/statuses/{}", id(&status))).await.expect(404);
        assert_eq!(app.anonymous().get(&file).await.status, 404);
        assert_eq!(ann.get("/api/v1/bookmarks").await.ok(), json!([]));
        bob.delete(&format!("/api/v1/statuses/{}", id(&own))).await.ok();
        let warnings = bob.warnings().await;
        assert_eq!(warnings.len(), 1);
        let warning = &warnings[0]["moderation_warning"];
        assert_eq!(warnings[0]["account"]["id"], bob.id.as_str());
        assert_eq!((&warning["action"], &warning["text"]), (&json!("delete_statuses"), &json!("Be kind")));
        assert_eq!(warning["status_ids"], json!([status["id"]]));
        assert_eq!(audited(app, &status).await, [AuditAction::Delete]);
        assert_eq!(audited(app, &own).await, []);
        // It is gone.
        mo.act_on_status(&status, json!({ "type": "delete" })).await.expect(404);
        assert_eq!(bob.warnings().await.len(), 1);
        assert!(ann.warnings().await.is_empty());
    }

    async fn several_statuses_are_one_strike(app: &TestApp) {
        let (mo, bob, ann) =
            (app.staff("mo", "Moderator").await, app.user("bob").await, app.user("ann").await);
        let (one, two) = (bob.publish("One").await, bob.publish("Two").await);
        let (hidden, kept) = (
            bob.publish_as(json!({ "status": "Three", "visibility": "direct" })).await,
            bob.publish("Four").await,
        );
        let reblog = bob.act("reblog", &one).await;
        let other = ann.publish("Other").await;
        let with = |ids: &[&Value]| {
            let ids: Vec<&Value> = ids.iter().map(|status| &status["id"]).collect();
            json!({ "type": "delete", "status_ids": ids })
        };
        let refused = mo.act_on_status(&one, with(&[&other])).await.expect(422);
        assert_eq!(refused["error"], "Validation failed: All posts must have the same author");
        mo.act_on_status(&one, json!({ "type": "delete", "status_ids": ["1"] })).await.expect(404);
        mo.act_on_status(&one, json!({ "type": "delete", "status_ids": ["abc"] })).await.expect(404);
        let many: Vec<String> = (1..=20).map(|number| number.to_string()).collect();
        mo.act_on_status(&one, json!({ "type": "delete", "status_ids": many })).await.expect(422);
        assert!(bob.strikes().await.is_empty());
        mo.act_on_status(&one, with(&[&two, &one, &hidden, &reblog])).await.ok();
        let strikes = bob.strikes().await;
        assert_eq!((strikes.len(), bob.warnings().await.len()), (1, 1));
        let ids: Vec<Value> = [&one, &two, &hidden, &reblog].map(|status| status["id"].clone()).to_vec();
        assert_eq!(strikes[0]["status_ids"], json!(ids));
        let left = bob.get(&format!("/api/v1/accounts/{}/statuses", bob.id)).await.ids();
        assert_eq!(left, [id(&kept)]);
        for status in [&one, &two, &hidden, &reblog] {
            assert_eq!(audited(app, status).await, [AuditAction::Delete]);
        }
        assert_eq!(ann.get(&format!("/api/v1/statuses/{}", id(&other))).await.status, 200);
    }

    async fn a_marked_status_is_sensitive_for_all(app: &TestApp) {
        let (mo, bob, ann) =
            (app.staff("mo", "Moderator").await, app.user("bob").await, app.user("ann").await);
        ann.act_on("follow", &bob).await;
        let status = bob.publish_picture("Look", "").await;
        let marked = bob.publish_as(json!({ "status": "Old", "sensitive": true })).await;
        let reblog = bob.act("reblog", &status).await;
        let mut stream = app.listen(&ann, "stream=user").await;
        let body = json!({ "type": "mark_as_sensitive", "status_ids": [marked["id"]] });
        mo.act_on_status(&status, body.clone()).await.ok();
        let update = stream.until("status.update").await;
        assert_eq!((&update["id"], &update["sensitive"]), (&status["id"], &json!(true)));
        for viewer in [&ann, &bob] {
            assert_eq!(sensitive(viewer, &status).await, true);
        }
        assert_eq!(update["edited_at"], json!(null));
        // Statuses that are marked already cause no further strike.
        mo.act_on_status(&status, body).await.ok();
        let strikes = bob.strikes().await;
        assert_eq!((strikes.len(), bob.warnings().await.len()), (1, 1));
        assert_eq!(strikes[0]["action"], "mark_statuses_as_sensitive");
        assert_eq!(strikes[0]["status_ids"], json!([status["id"], marked["id"]]));
        assert_eq!(audited(app, &status).await, [AuditAction::MarkSensitive]);
        assert_eq!(audited(app, &marked).await, []);
        let refused = mo.act_on_status(&reblog, json!({ "type": "mark_as_sensitive" })).await.expect(422);
        assert_eq!(refused["error"], "Validation failed: A reblog cannot be marked as sensitive");
    }

    async fn scope_permission_rank_and_values_are_checked(app: &TestApp) {
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.user("bob").await);
        let admin = app.staff("admin", "Admin").await;
        let status = bob.publish("Hello").await;
        let body = json!({ "type": "delete" });
        app.anonymous().act_on_status(&status, body.clone()).await.expect(401);
        let powerless = app.user_with_scopes(&bob, STAFF_SCOPES).await;
        powerless.act_on_status(&status, body.clone()).await.expect(403);
        let reader = app.user_with_scopes(&mo, "read write admin:read").await;
        reader.act_on_status(&status, body.clone()).await.expect(403);
        for kind in ["", "none", "silence", "delete_statuses"] {
            mo.act_on_status(&status, json!({ "type": kind })).await.expect(422);
        }
        mo.act_on_status(&status, json!({ "type": "delete", "text": "x".repeat(2001) })).await.expect(422);
        for unknown in ["1", "abc"] {
            mo.act_on_status(&json!({ "id": unknown }), body.clone()).await.expect(404);
        }
        for author in [&admin, &mo] {
            let theirs = author.publish("Hello").await;
            mo.act_on_status(&theirs, body.clone()).await.expect(403);
        }
        let report = admin.report(&mo).await;
        let about_other = json!({ "type": "delete", "report_id": report });
        admin.act_on_status(&status, about_other).await.expect(404);
        bob.get(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
        let report = mo.report(&bob).await;
        mo.act_on_status(&status, json!({ "type": "delete", "report_id": report })).await.ok();
        assert_eq!(mo.reported(&report).await["action_taken"], true);
    }

    async fn parallel_deletions_warn_once(app: &TestApp) {
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.user("bob").await);
        let status = bob.publish("Rude").await;
        let delete = || mo.act_on_status(&status, json!({ "type": "delete" }));
        let all = join_all((0..50).map(|_| delete())).await;
        assert_eq!(all.iter().filter(|response| response.status == 200).count(), 1);
        assert!(all.iter().all(|response| matches!(response.status, 200 | 404)));
        assert_eq!((bob.strikes().await.len(), bob.warnings().await.len()), (1, 1));
        assert_eq!(audited(app, &status).await, [AuditAction::Delete]);
    }
}
