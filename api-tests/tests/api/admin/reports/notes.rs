//! `/api/v1/admin/reports/{id}/notes`, an extension.

use serde_json::json;
use siskin_entities::{
    AuditAction::{self, Create, Delete},
    PageRequest, TargetKind,
};
use siskin_persistence::Conn;
use siskin_services::audit::{self, AuditSelection};

use super::REPORTS;
use crate::support::{TestApp, User, id};

/// Returns the actions on a note, the latest first.
async fn actions_on(app: &TestApp, note: &str) -> Vec<AuditAction> {
    let target = Some((TargetKind::ReportNote, note.parse().unwrap()));
    let load = move |conn: &mut Conn| {
        let selection = AuditSelection { target, ..AuditSelection::default() };
        audit::list(conn, selection, PageRequest::newest(100))
    };
    app.app().read(load).await.unwrap().items.iter().map(|entry| entry.action).collect()
}

api_tests! {
    async fn staff_write_notes_for_each_other(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let (first, second) =
            (app.staff("first", "Moderator").await, app.staff("second", "Moderator").await);
        let (report, other) = (alice.report(&bob).await, alice.report(&bob).await);
        let path = format!("{REPORTS}/{report}/notes");
        assert_eq!(first.get(&path).await.ok(), json!([]));
        let note = first.json(&path, json!({ "content": " <b>Seen</b> before\n" })).await.ok();
        assert_eq!(note["account"]["id"], first.id.as_str());
        assert_eq!(note, json!({
            "id": note["id"], "report_id": report, "content": "<b>Seen</b> before",
            "created_at": note["created_at"], "account": note["account"],
        }));
        assert_eq!(second.get(&path).await.ok(), json!([note]));
        assert_eq!(second.get(&format!("{REPORTS}/{other}/notes")).await.ok(), json!([]));
        assert_eq!(actions_on(app, &id(&note)).await, [Create]);
        for content in ["", " \n", &"e".repeat(2001)] {
            first.json(&path, json!({ "content": content })).await.expect(422);
        }
        first.json(&path, json!({})).await.expect(422);
        first.json(&path, json!({ "content": "é".repeat(2000) })).await.ok();
        assert_eq!(first.get(&path).await.ids().len(), 2);
    }

    async fn notes_have_pages(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let staff = app.staff("mod", "Moderator").await;
        let path = format!("{REPORTS}/{}/notes", alice.report(&bob).await);
        let mut notes = Vec::new();
        for number in 0..5 {
            let note = staff.json(&path, json!({ "content": number.to_string() })).await.ok();
            notes.insert(0, id(&note));
        }
        assert_eq!(staff.get(&path).await.ids(), notes);
        assert_eq!(staff.walk(&format!("{path}?limit=2")).await, notes);
    }

    async fn a_note_is_deleted_by_its_author_or_from_above(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let (first, second) =
            (app.staff("first", "Moderator").await, app.staff("second", "Moderator").await);
        let admin = app.staff("admin", "Admin").await;
        let (report, other) = (alice.report(&bob).await, alice.report(&bob).await);
        let path = format!("{REPORTS}/{report}/notes");
        let write = async |by: &User| {
            id(&by.json(&path, json!({ "content": "x" })).await.ok())
        };
        let notes = [write(&first).await, write(&first).await, write(&admin).await];
        let refused = json!({ "error": "This action is not allowed" });
        let of = |note: &String| format!("{path}/{note}");
        assert_eq!(second.delete(&of(&notes[0])).await.expect(403), refused);
        assert_eq!(first.delete(&of(&notes[2])).await.expect(403), refused);
        assert_eq!(first.delete(&of(&notes[0])).await.ok(), json!({}));
        assert_eq!(admin.delete(&of(&notes[1])).await.ok(), json!({}));
        for missing in [&notes[0], "1", "x"] {
            first.delete(&format!("{path}/{missing}")).await.expect(404);
        }
        let elsewhere = format!("{REPORTS}/{other}/notes/{}", notes[2]);
        admin.delete(&elsewhere).await.expect(404);
        assert_eq!(first.get(&path).await.ids(), [notes[2].as_str()]);
        assert_eq!(actions_on(app, &notes[0]).await, [Delete, Create]);
        assert_eq!(actions_on(app, &notes[2]).await, [Create]);
        let reads = app.user_with_scopes(&first, "admin:read").await;
        reads.delete(&of(&notes[2])).await.expect(403);
    }
}
