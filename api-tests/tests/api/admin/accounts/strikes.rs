//! `GET /api/v1/admin/accounts/{id}/strikes`.

use serde_json::{Value, json};

use crate::support::{User, id};

fn list_of(account: &User) -> String {
    format!("/api/v1/admin/accounts/{}/strikes", account.id)
}

api_tests! {
    async fn staff_list_the_strikes_of_any_account(app: &TestApp) {
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.user("bob").await);
        let ann = app.user("ann").await;
        assert_eq!(mo.get(&list_of(&bob)).await.ok(), json!([]));
        let report = ann.report(&bob).await;
        mo.act_against(&bob, json!({ "type": "none", "text": "One", "report_id": report })).await;
        let status = bob.publish("Rude & loud").await;
        mo.act_on_status(&status, json!({ "type": "delete", "text": "Two" })).await.ok();
        mo.act_against(&bob, json!({ "type": "silence", "text": "Three" })).await;
        mo.impose("none", &ann).await;
        let appealed = id(&bob.strikes().await[0]);
        bob.json(&format!("/api/v1/strikes/{appealed}/appeal"), json!({ "text": "Satire" })).await.ok();
        let listed = mo.get(&list_of(&bob)).await.ok();
        let texts: Vec<&Value> = listed.as_array().unwrap().iter().map(|one| &one["text"]).collect();
        assert_eq!(texts, ["Three", "Two", "One"]);
        let [silenced, deleted, warned] = [&listed[0], &listed[1], &listed[2]];
        assert_eq!((&silenced["action"], &silenced["overruled_at"]), (&json!("silence"), &json!(null)));
        assert_eq!(silenced["appeal"], json!({ "text": "Satire", "state": "pending" }));
        assert_eq!(deleted["status_ids"], json!([status["id"]]));
        assert_eq!(deleted["excerpts"][0]["text"], "Rude & loud");
        assert_eq!((&warned["report_id"], &warned["moderator"]["id"]), (&json!(report), &json!(mo.id)));
        assert_eq!(warned["target_account"]["id"], bob.id.as_str());
        for one in listed.as_array().unwrap() {
            assert_eq!(&mo.get(&format!("{}/{}", list_of(&bob), id(one))).await.ok(), one);
            mo.get(&format!("{}/{}", list_of(&ann), id(one))).await.expect(404);
        }
        // It works for remote accounts, too.
        let remote = app.remote("zoe", "far.example").await;
        let action = format!("/api/v1/admin/accounts/{remote}/action");
        mo.json(&action, json!({ "type": "silence" })).await.ok();
        let of_remote = mo.get(&format!("/api/v1/admin/accounts/{remote}/strikes")).await.ok();
        assert_eq!(of_remote[0]["action"], "silence");
    }

    async fn the_list_has_pages(app: &TestApp) {
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.user("bob").await);
        for number in 0..5 {
            mo.act_against(&bob, json!({ "type": "none", "text": number.to_string() })).await;
        }
        let all = mo.get(&list_of(&bob)).await.ids();
        assert_eq!(all.len(), 5);
        let first = mo.get(&format!("{}?limit=2", list_of(&bob))).await;
        assert_eq!(first.ids(), all[..2]);
        let second = mo.get(&first.link("next").unwrap()).await;
        assert_eq!(second.ids(), all[2..4]);
        assert_eq!(mo.get(&second.link("prev").unwrap()).await.ids(), all[..2]);
    }

    async fn scope_and_permission_are_required(app: &TestApp) {
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.user("bob").await);
        mo.impose("none", &bob).await;
        let one = format!("{}/{}", list_of(&bob), id(&bob.strikes().await[0]));
        for path in [list_of(&bob), one] {
            app.anonymous().get(&path).await.expect(401);
            app.user_with_scopes(&bob, "read write admin:read").await.get(&path).await.expect(403);
            app.user_with_scopes(&mo, "read admin:write admin:read:reports").await.get(&path).await.expect(403);
            app.user_with_scopes(&mo, "admin:read:accounts").await.get(&path).await.ok();
        }
        for unknown in ["1", "abc", "99999999999999999999"] {
            mo.get(&format!("/api/v1/admin/accounts/{unknown}/strikes")).await.expect(404);
            mo.get(&format!("{}/{unknown}", list_of(&bob))).await.expect(404);
        }
    }

    async fn a_rejected_sign_up_has_none(app: &TestApp) {
        app.ask_for_approval().await;
        let (mo, ann) = (app.staff("mo", "Moderator").await, app.signs_up("ann").await);
        mo.decide_in_bulk("reject", &[&ann.id]).await;
        mo.get(&list_of(&ann)).await.expect(404);
    }
}
