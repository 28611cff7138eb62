//! One decision at a time: approve and reject.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use siskin_entities::TargetKind;
use siskin_services::housekeeping;

use crate::{
    oauth::sign_in,
    support::{
        Client, Response, TestApp, User,
        moderation::action_on,
        sign_ups::{PASSWORD, lookup},
    },
};

const VERIFY: &str = "/api/v1/accounts/verify_credentials";
const REFUSED: &str = "This action is not allowed";

async fn decide(staff: &Client, account: &User, action: &str) -> Response {
    staff.post(&action_on(account, action)).await
}

/// Enqueues and runs the jobs of the upkeep.
async fn keep_house(app: &TestApp) {
    app.app().write(housekeeping::enqueue_upkeep_jobs).await.unwrap();
    app.app().drain_jobs().await.unwrap();
}

api_tests! {
    async fn scope_and_permission_are_required_in_any_state(app: &TestApp) {
        app.ask_for_approval().await;
        let (pia, alice) = (app.signs_up("pia").await, app.user("alice").await);
        let mo = app.staff("mo", "Moderator").await;
        let powerless = app.user_with_scopes(&alice, "read write admin:read admin:write").await;
        let reads = app.user_with_scopes(&mo, "read write admin:read").await;
        let part = app.user_with_scopes(&mo, "admin:write:reports").await;
        for action in ["approve", "reject"] {
            for account in [&pia, &alice] {
                decide(&app.anonymous(), account, action).await.expect(401);
                for refused in [&powerless, &reads, &part, &alice.client] {
                    decide(refused, account, action).await.expect(403);
                }
            }
        }
        assert_eq!(decide(&powerless, &pia, "approve").await.expect(403)["error"], REFUSED);
        assert!(app.audited(&pia).await.is_empty());
        let writes = app.user_with_scopes(&mo, "admin:write:accounts").await;
        decide(&writes, &pia, "approve").await.ok();
    }

    async fn an_approved_person_gets_in(app: &TestApp) {
        app.ask_for_approval().await;
        let (pia, mo) = (app.signs_up("pia").await, app.staff("mo", "Moderator").await);
        let waiting = pia.get(VERIFY).await.expect(403);
        assert_eq!(waiting["error"], "Your login is currently pending approval");
        let shown = decide(&mo, &pia, "approve").await.ok();
        assert_eq!((&shown["id"], &shown["approved"]), (&json!(pia.id), &json!(true)));
        assert_eq!(pia.get(VERIFY).await.ok()["acct"], "pia");
        app.anonymous().get(&format!("/api/v1/accounts/{}", pia.id)).await.ok();
        assert_eq!(sign_in(&app.browser(), "pia", PASSWORD).await.status, 302);
        let log = app.audit_of(TargetKind::Account, &pia.id).await;
        let [entry] = &log[..] else { panic!("{log:?}") };
        assert_eq!((entry.action.as_str(), entry.actor_name.as_str()), ("approve", "mo"));
        assert_eq!(entry.target.name, "@pia");
    }

    // Case 122.
    async fn only_waiting_accounts_are_decided_about(app: &TestApp) {
        let mo = app.staff("mo", "Moderator").await;
        let (alice, remote) = (app.user("alice").await, app.remote("zoe", "far.example").await);
        let zoe = User { id: remote, username: "zoe".to_owned(), client: app.anonymous() };
        for action in ["approve", "reject"] {
            for account in [&alice, &zoe, &mo] {
                let logged = app.audited(account).await;
                let refused = decide(&mo, account, action).await.expect(403);
                assert_eq!(refused["error"], REFUSED);
                assert_eq!(app.audited(account).await, logged);
            }
            for id in ["1", "0", "abc", "-1", "bulk", "99999999999999999999"] {
                mo.post(&format!("/api/v1/admin/accounts/{id}/{action}")).await.expect(404);
            }
        }
        alice.get(VERIFY).await.ok();
    }

    async fn a_rejected_account_is_gone_and_its_names_are_free(app: &TestApp) {
        app.ask_for_approval().await;
        let (pia, mo) = (app.signs_up("pia").await, app.staff("mo", "Moderator").await);
        let shown = decide(&mo, &pia, "reject").await.ok();
        assert_eq!((&shown["email"], &shown["approved"]), (&json!("pia@example.com"), &json!(false)));
        assert_eq!(app.audited(&pia).await, ["reject"]);

        pia.get(VERIFY).await.expect(401);
        let unknown = mo.get("/api/v1/admin/accounts/1").await.expect(404);
        assert_eq!(mo.get(&format!("/api/v1/admin/accounts/{}", pia.id)).await.expect(404), unknown);
        app.anonymous().get(&lookup("pia")).await.expect(404);
        for login in ["pia", "pia@example.com"] {
            let refused = sign_in(&app.browser(), login, PASSWORD).await;
            let unknown = sign_in(&app.browser(), "unknown", PASSWORD).await;
            assert_eq!((refused.status, unknown.status), (422, 422), "{refused:?}");
        }
        for action in ["approve", "reject"] {
            decide(&mo, &pia, action).await.expect(404);
        }
        assert_eq!(app.audited(&pia).await, ["reject"]);
        for query in ["", "status=pending", "username=pia", "ip=127.0.0.1"] {
            assert!(!mo.listed_accounts(query).await.contains(&pia.id), "{query}");
        }
        let again = app.signs_up("pia").await;
        assert_ne!(again.id, pia.id);
        decide(&mo, &again, "approve").await.ok();
        assert_eq!(again.get(VERIFY).await.ok()["acct"], "pia");
    }

    async fn a_rejected_account_is_deleted_after_a_day(app: &TestApp) {
        app.ask_for_approval().await;
        let (pia, mo) = (app.signs_up("pia").await, app.staff("mo", "Moderator").await);
        decide(&mo, &pia, "reject").await.ok();
        app.advance(Duration::from_hours(23));
        keep_house(app).await;
        assert_eq!(mo.listed_accounts("status=rejected").await, [pia.id.as_str()]);
        app.advance(Duration::from_hours(2));
        keep_house(app).await;
        assert!(mo.listed_accounts("status=rejected").await.is_empty());
        assert_eq!(mo.decide_in_bulk("restore", &[&pia.id]).await, ["not_found"]);
        // Nothing of it is left, so the name is not retired either.
        app.signs_up("pia").await;
    }

    async fn a_rejection_can_be_undone(app: &TestApp) {
        app.ask_for_approval().await;
        let (pia, mo) = (app.signs_up("pia").await, app.staff("mo", "Moderator").await);
        let before = mo.admin_account(&pia).await;
        decide(&mo, &pia, "reject").await.ok();
        assert_eq!(mo.listed_accounts("status=rejected").await, [pia.id.as_str()]);
        assert_eq!(mo.decide_in_bulk("restore", &[&pia.id]).await, ["done"]);
        assert_eq!(mo.admin_account(&pia).await, before);
        assert_eq!(mo.listed_accounts("status=pending").await, [pia.id.as_str()]);
        assert_eq!(mo.decide_in_bulk("restore", &[&pia.id]).await, ["unchanged"]);
        decide(&mo, &pia, "approve").await.ok();
        assert_eq!(sign_in(&app.browser(), "pia", PASSWORD).await.status, 302);
        let found = app.anonymous().get(&lookup("pia")).await.ok();
        assert_eq!(found["uri"], format!("{}/users/pia", app.base_url()));
        assert_eq!(app.audited(&pia).await, ["reject", "restore", "approve"]);
    }

    async fn a_name_that_was_taken_meanwhile_is_not_restored(app: &TestApp) {
        app.ask_for_approval().await;
        let (pia, mo) = (app.signs_up("pia").await, app.staff("mo", "Moderator").await);
        decide(&mo, &pia, "reject").await.ok();
        app.signs_up("pia").await;
        assert_eq!(mo.decide_in_bulk("restore", &[&pia.id]).await, ["taken"]);
        assert_eq!(app.audited(&pia).await, ["reject"]);
        assert_eq!(mo.listed_accounts("status=rejected").await, [pia.id.as_str()]);
    }

    async fn parallel_decisions_leave_one_result_and_one_entry(app: &TestApp) {
        app.ask_for_approval().await;
        let mo = app.staff("mo", "Moderator").await;
        for name in ["ann", "bob", "cem"] {
            let account = app.signs_up(name).await;
            let actions = ["approve", "reject"].into_iter().cycle().take(50);
            let paths = actions.map(|action| action_on(&account, action));
            let decided = join_all(paths.map(async |path| mo.post(&path).await)).await;
            let done = decided.iter().filter(|response| response.status == 200).count();
            assert_eq!(done, 1);
            for response in decided {
                assert!(matches!(response.status, 200 | 403 | 404), "{response:?}");
            }
            let log = app.audited(&account).await;
            let is_approved = account.get(VERIFY).await.status == 200;
            assert_eq!(log, [if is_approved { "approve" } else { "reject" }]);
        }
    }
}
