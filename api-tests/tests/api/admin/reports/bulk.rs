//! What staff do with several reports at once.

use futures_util::future::join_all;
use serde_json::{Value, json};
use siskin_entities::AuditAction::{self, Assign, Reopen, Resolve, Unassign};

use crate::support::{Client, TestApp};

const BULK: &str = "/api/v1/admin/reports/bulk";

/// Does something with reports, and returns the results in the order of the reports.
async fn decide(client: &Client, action: &str, reports: &[&str]) -> Vec<String> {
    let results = client.json(BULK, json!({ "action": action, "report_ids": reports })).await.ok();
    let results = results.as_array().unwrap();
    let sent: Vec<&str> = results.iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(sent, reports);
    results.iter().map(|one| one["status"].as_str().unwrap().to_owned()).collect()
}

async fn audited(app: &TestApp, report: &str) -> Vec<AuditAction> {
    app.audit_of_report(report).await.iter().rev().map(|entry| entry.action).collect()
}

api_tests! {
    async fn each_report_has_a_result_of_its_own(app: &TestApp) {
        let mo = app.staff("mo", "Moderator").await;
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        let (first, second) = (ann.report(&bob).await, ann.report(&bob).await);
        let own = ann.report(&mo).await;
        // Staff do not see reports about themselves.
        let all = [&*second, "1", &own, "abc", &first];
        for (action, flag) in [
            ("assign_to_self", json!([mo.id, false])),
            ("resolve", json!([mo.id, true])),
            ("unassign", json!([null, true])),
            ("reopen", json!([null, false])),
        ] {
            assert_eq!(decide(&mo, action, &all).await, ["done", "not_found", "not_found", "not_found", "done"], "{action}");
            assert_eq!(decide(&mo, action, &[&first, &second]).await, ["unchanged"; 2], "{action}");
            for report in [&first, &second] {
                let shown = mo.reported(report).await;
                assert_eq!(json!([shown["assigned_account"]["id"], shown["action_taken"]]), flag, "{action}");
            }
        }
        for report in [&first, &second] {
            assert_eq!(audited(app, report).await, [Assign, Resolve, Unassign, Reopen]);
        }
        assert!(app.audit_of_report(&own).await.is_empty());
    }

    async fn scope_permission_and_form_are_checked(app: &TestApp) {
        let (alice, mo) = (app.user("alice").await, app.staff("mo", "Moderator").await);
        let form = json!({ "action": "resolve", "report_ids": [] });
        app.anonymous().json(BULK, form.clone()).await.expect(401);
        let powerless = app.user_with_scopes(&alice, "read write admin:read admin:write").await;
        let reads = app.user_with_scopes(&mo, "read write admin:read admin:write:accounts").await;
        for refused in [&alice.client, &powerless, &reads] {
            refused.json(BULK, form.clone()).await.expect(403);
        }
        assert_eq!(mo.json(BULK, form).await.ok(), json!([]));
        for action in [json!("delete"), json!(""), json!(null), json!("assign")] {
            let refused = mo.json(BULK, json!({ "action": action, "report_ids": ["1"] })).await.expect(422);
            assert_eq!(refused["error"], "Validation failed: Action is not included in the list");
        }
        let many: Vec<String> = (1..=501).map(|id| id.to_string()).collect();
        mo.json(BULK, json!({ "action": "resolve", "report_ids": many })).await.expect(422);
        let form = [("action", "resolve"), ("report_ids[]", "7"), ("report_ids[]", "7")];
        assert_eq!(mo.form(BULK, &form).await.ok(), json!([{ "id": "7", "status": "not_found" }]));
        mo.get(BULK).await.expect(404);
    }

    async fn parallel_requests_decide_once(app: &TestApp) {
        let mo = app.staff("mo", "Moderator").await;
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        let mut reports = Vec::new();
        for _ in 0..5 {
            reports.push(ann.report(&bob).await);
        }
        let ids: Vec<&str> = reports.iter().map(String::as_str).collect();
        let mut upside_down = ids.clone();
        upside_down.reverse();
        let orders = [&ids, &upside_down].into_iter().cycle().take(50);
        let requests = orders.map(async |ids| decide(&mo, "resolve", ids).await);
        let results = join_all(requests).await.concat();
        assert_eq!(results.iter().filter(|result| *result == "done").count(), 5);
        for report in &reports {
            assert_eq!(audited(app, report).await, [Resolve]);
        }
        let open: Value = mo.get("/api/v1/admin/reports").await.ok();
        assert_eq!(open, json!([]));
    }
}
