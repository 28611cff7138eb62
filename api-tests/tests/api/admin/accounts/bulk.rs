//! Decisions about many sign-ups at once.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::sign_ups::BULK;

api_tests! {
    async fn scope_and_permission_are_required(app: &TestApp) {
        let (alice, mo) = (app.user("alice").await, app.staff("mo", "Moderator").await);
        let powerless = app.user_with_scopes(&alice, "read write admin:read admin:write").await;
        let reads = app.user_with_scopes(&mo, "read write admin:read").await;
        let form = json!({ "action": "approve", "account_ids": [] });
        app.anonymous().json(BULK, form.clone()).await.expect(401);
        for refused in [&alice.client, &powerless, &reads] {
            refused.json(BULK, form.clone()).await.expect(403);
        }
        assert_eq!(mo.json(BULK, form).await.ok(), json!([]));
    }

    async fn each_account_has_a_result_of_its_own(app: &TestApp) {
        app.ask_for_approval().await;
        let mo = app.staff("mo", "Moderator").await;
        let (ann, bob) = (app.signs_up("ann").await, app.signs_up("bob").await);
        let (cem, zoe) = (app.user("cem").await, app.remote("zoe", "far.example").await);
        let ada = app.signs_up("ada").await;
        app.give_role(&ada, Some("Admin")).await;
        let ids = [&*ann.id, "1", &cem.id, "abc", &bob.id, &zoe, &ada.id, &mo.id];
        let done = ["done", "not_found", "unchanged", "not_found", "done", "unchanged", "forbidden", "unchanged"];
        assert_eq!(mo.decide_in_bulk("approve", &ids).await, done);
        assert_eq!(mo.decide_in_bulk("approve", &[&ann.id, &bob.id]).await, ["unchanged"; 2]);
        assert_eq!(mo.decide_in_bulk("reject", &[&ann.id, &ada.id]).await, ["unchanged", "forbidden"]);
        for (account, log) in [(&ann, vec!["approve"]), (&bob, vec!["approve"]), (&cem, vec![]), (&ada, vec![])] {
            let log_of_decisions: Vec<&str> =
                app.audited(account).await.into_iter().filter(|action| *action != "change_role").collect();
            assert_eq!(log_of_decisions, log, "{}", account.username);
        }
        ann.get("/api/v1/accounts/verify_credentials").await.ok();
    }

    async fn wrong_forms_are_refused(app: &TestApp) {
        let mo = app.staff("mo", "Moderator").await;
        for action in [json!("ban"), json!(""), json!(null), json!("Approve")] {
            let form = json!({ "action": action, "account_ids": ["1"] });
            let refused = mo.json(BULK, form).await.expect(422);
            assert_eq!(refused["error"], "Validation failed: Action is not included in the list");
        }
        let many: Vec<String> = (1..=501).map(|id| id.to_string()).collect();
        let form = json!({ "action": "reject", "account_ids": many });
        mo.json(BULK, form).await.expect(422);
        let form = json!({ "action": "reject", "account_ids": many[..500] });
        assert_eq!(mo.json(BULK, form).await.ok().as_array().unwrap().len(), 500);
        // The same as a form, with a duplicate.
        let form = [("action", "reject"), ("account_ids[]", "7"), ("account_ids[]", "7")];
        assert_eq!(mo.form(BULK, &form).await.ok(), json!([{ "id": "7", "status": "not_found" }]));
        mo.get(BULK).await.expect(404);
    }

    async fn a_wave_is_rejected_and_restored(app: &TestApp) {
        app.ask_for_approval().await;
        let mo = app.staff("mo", "Moderator").await;
        let mut ids = Vec::new();
        for number in 0..25 {
            ids.push(app.signs_up(&format!("spam{number}")).await.id);
        }
        ids.reverse();
        let before: Value = mo.get("/api/v2/admin/accounts?ip=127.0.0.0/8&status=pending").await.ok();
        let listed = mo.listed_accounts("ip=127.0.0.0/8&status=pending").await;
        assert_eq!(listed, ids);
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        assert_eq!(mo.decide_in_bulk("reject", &ids).await, ["done"; 25]);
        assert!(mo.listed_accounts("status=pending").await.is_empty());
        assert_eq!(mo.listed_accounts("status=rejected&ip=127.0.0.1").await, ids);
        assert_eq!(mo.decide_in_bulk("restore", &ids).await, ["done"; 25]);
        assert_eq!(mo.get("/api/v2/admin/accounts?ip=127.0.0.0/8&status=pending").await.ok(), before);
    }

    async fn parallel_requests_decide_once(app: &TestApp) {
        app.ask_for_approval().await;
        let mo = app.staff("mo", "Moderator").await;
        let mut people = Vec::new();
        for number in 0..5 {
            people.push(app.signs_up(&format!("fan{number}")).await);
        }
        let ids: Vec<&str> = people.iter().map(|one| one.id.as_str()).collect();
        let mut upside_down = ids.clone();
        upside_down.reverse();
        let orders = [&ids, &upside_down].into_iter().cycle().take(10);
        let requests = orders.map(async |ids| mo.decide_in_bulk("approve", ids).await);
        let results = join_all(requests).await.concat();
        assert_eq!(results.iter().filter(|result| *result == "done").count(), 5);
        for one in &people {
            assert_eq!(app.audited(one).await, ["approve"]);
        }
    }
}
