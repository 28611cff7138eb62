//! `POST /api/v1/admin/accounts/{id}/action`.

use futures_util::future::join_all;
use serde_json::json;
use siskin_entities::{Actor, TargetKind};

use crate::support::{STAFF_SCOPES, id, moderation::action_on};

api_tests! {
    async fn scope_and_permission_are_required(app: &TestApp) {
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.user("bob").await);
        let path = action_on(&bob, "action");
        let warning = json!({ "type": "none" });
        app.anonymous().json(&path, warning.clone()).await.expect(401);
        let powerless = app.user_with_scopes(&bob, STAFF_SCOPES).await;
        let refused = powerless.json(&path, warning.clone()).await.expect(403);
        assert_eq!(refused["error"], "This action is not allowed");
        for scopes in ["read write", "admin:read", "admin:write:reports"] {
            let client = app.user_with_scopes(&mo, scopes).await;
            client.json(&path, warning.clone()).await.expect(403);
        }
        for scopes in ["admin:write", "admin:write:accounts"] {
            let client = app.user_with_scopes(&mo, scopes).await;
            assert_eq!(client.form(&path, &[("type", "none")]).await.ok(), json!({}));
        }
        assert_eq!(bob.strikes().await.len(), 2);
    }

    async fn each_action_sets_its_state_with_one_strike_and_one_entry(app: &TestApp) {
        let mo = app.staff("mo", "Moderator").await;
        for (kind, state, entry) in [
            ("none", None, "warn"),
            ("sensitive", Some("sensitized"), "mark_sensitive"),
            ("disable", Some("disabled"), "disable"),
            ("silence", Some("silenced"), "silence"),
            ("suspend", Some("suspended"), "suspend"),
        ] {
            let bob = app.user(&format!("bob_{kind}")).await;
            let shown = async || mo.get(&format!("/api/v1/admin/accounts/{}", bob.id)).await.ok();
            let before = shown().await;
            mo.act_against(&bob, json!({ "type": kind, "text": " Why \n" })).await;
            let after = shown().await;
            for flag in ["sensitized", "disabled", "silenced", "suspended"] {
                assert_eq!(before[flag], false, "{kind} {flag}");
                assert_eq!(after[flag], Some(flag) == state, "{kind} {flag}");
            }
            // A repeated action changes nothing, except for a warning.
            mo.impose(kind, &bob).await;
            let times = if state.is_none() { 2 } else { 1 };
            assert_eq!(app.audited(&bob).await, vec![entry; times]);
            let entries = app.audit_of(TargetKind::Account, &bob.id).await;
            assert_eq!(entries[0].actor, Actor::Staff(mo.id.parse().unwrap()));
            assert_eq!(entries[0].target.name, format!("@bob_{kind}"));
            if !matches!(kind, "disable" | "suspend") {
                let strikes = bob.strikes().await;
                assert_eq!(strikes.len(), times, "{kind}");
                assert_eq!(strikes[times - 1]["text"], "Why", "{kind}");
                assert_eq!(strikes[times - 1]["action"], kind);
            }
        }
    }

    async fn wrong_values_are_refused_and_change_nothing(app: &TestApp) {
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.user("bob").await);
        let path = action_on(&bob, "action");
        for kind in ["", "delete_statuses", "warn", "Suspend", "reject"] {
            let refused = mo.json(&path, json!({ "type": kind })).await.expect(422);
            assert_eq!(refused["error"], "Validation failed: Type is not included in the list");
        }
        mo.json(&path, json!({})).await.expect(422);
        let long = "x".repeat(2001);
        mo.json(&path, json!({ "type": "silence", "text": long })).await.expect(422);
        for report in ["1", "abc", "-1"] {
            let body = json!({ "type": "silence", "report_id": report });
            mo.json(&path, body).await.expect(404);
        }
        // There is no such preset.
        mo.json(&path, json!({ "type": "none", "warning_preset_id": "1" })).await.expect(404);
        for id in ["1", "abc", "9999999999999999999"] {
            let path = format!("/api/v1/admin/accounts/{id}/action");
            mo.json(&path, json!({ "type": "none" })).await.expect(404);
        }
        assert!(app.audited(&bob).await.is_empty());
        assert!(bob.strikes().await.is_empty());
        let blank = json!({ "type": "none", "report_id": "", "warning_preset_id": "" });
        mo.act_against(&bob, blank).await;
    }

    // Staff do not act on themselves, on equals and on those above.
    async fn only_accounts_below_the_own_rank_can_be_acted_on(app: &TestApp) {
        let owner = app.staff("owner", "Owner").await;
        let (admin, mo) = (app.staff("admin", "Admin").await, app.staff("mo", "Moderator").await);
        let other = app.staff("other", "Moderator").await;
        let mut logged = Vec::new();
        for target in [&mo, &admin, &owner] {
            logged.push(app.audited(target).await);
        }
        for (staff, target) in
            [(&mo, &mo), (&mo, &other), (&mo, &admin), (&mo, &owner), (&admin, &admin), (&admin, &owner), (&owner, &owner)]
        {
            for kind in ["none", "silence", "suspend"] {
                let refused = staff.json(&action_on(target, "action"), json!({ "type": kind })).await;
                assert_eq!(refused.expect(403)["error"], "This action is not allowed");
            }
        }
        for (target, logged) in [&mo, &admin, &owner].into_iter().zip(logged) {
            assert_eq!(app.audited(target).await, logged);
        }
        admin.impose("silence", &mo).await;
        mo.lift("unsilence", &mo).await.expect(403);
        owner.impose("sensitive", &admin).await;
        owner.lift("unsilence", &mo).await.ok();
        // The only owner stays.
        let second = app.staff("second", "Owner").await;
        assert_eq!(second.json(&action_on(&owner, "action"), json!({ "type": "suspend" })).await.status, 403);
    }

    async fn remote_accounts_are_restricted_too(app: &TestApp) {
        let mo = app.staff("mo", "Moderator").await;
        let eve = app.user_of("eve", "far.example").await;
        for kind in ["none", "sensitive", "silence", "suspend"] {
            mo.impose(kind, &eve).await;
        }
        let remote = app.remote("ann", "far.example").await;
        let path = |action: &str| format!("/api/v1/admin/accounts/{remote}/{action}");
        let refused = mo.json(&path("action"), json!({ "type": "disable" })).await.expect(422);
        assert_eq!(refused["error"], "This is an account of another server");
        mo.post(&path("enable")).await.expect(403);
        let silenced = mo.json(&path("action"), json!({ "type": "silence" })).await;
        assert_eq!(silenced.ok(), json!({}));
        assert_eq!(mo.post(&path("unsilence")).await.ok()["silenced"], false);
        let entries = app.audit_of(TargetKind::Account, &remote).await;
        let names: Vec<_> = entries.iter().map(|entry| entry.action.as_str()).collect();
        assert_eq!(names, ["silence", "unsilence"]);
        assert_eq!(entries[0].target.name, "@ann@far.example");
    }

    // A warning resolves the named report only. A restriction resolves all that are open.
    async fn reports_about_the_account_are_resolved(app: &TestApp) {
        let mo = app.staff("mo", "Moderator").await;
        let (ann, bob, eve) =
            (app.user("ann").await, app.user("bob").await, app.user("eve").await);
        let first = ann.report(&bob).await;
        let second = eve.report(&bob).await;
        let about_eve = ann.report(&eve).await;
        let resolved = async || {
            let mut resolved = Vec::new();
            for report in [&first, &second, &about_eve] {
                resolved.push(mo.reported(report).await["action_taken"] == true);
            }
            resolved
        };
        mo.impose("none", &bob).await;
        assert_eq!(resolved().await, [false, false, false]);
        mo.json(&action_on(&bob, "action"), json!({ "type": "none", "report_id": about_eve })).await.expect(404);
        assert_eq!(bob.strikes().await.len(), 1);
        mo.act_against(&bob, json!({ "type": "none", "report_id": first })).await;
        assert_eq!(resolved().await, [true, false, false]);
        mo.impose("silence", &bob).await;
        assert_eq!(resolved().await, [true, true, false]);
        let log = app.audit_of_report(&second).await;
        assert_eq!(log.len(), 1);
        // The account is in this state already, and the new report is handled.
        let third = eve.report(&bob).await;
        mo.act_against(&bob, json!({ "type": "silence", "report_id": third })).await;
        assert_eq!(mo.reported(&third).await["action_taken"], true);
        assert_eq!(bob.strikes().await.len(), 3);
    }

    // The account must know which posts it may appeal for. A post that only the mentioned people see
    // would tell who reported it.
    async fn a_decision_because_of_a_report_is_about_its_posts(app: &TestApp) {
        let mo = app.staff("mo", "Moderator").await;
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        let public = bob.publish("Feathers for sale").await;
        let private = bob.publish_as(json!({ "status": "@ann buy one", "visibility": "direct" })).await;
        let gone = bob.publish("Feathers are gone").await;
        let posts = json!([public["id"], private["id"], gone["id"]]);
        let report = ann.report_as(&bob, json!({ "status_ids": posts })).await;
        bob.delete(&format!("/api/v1/statuses/{}", id(&gone))).await.ok();
        for (number, kind) in ["none", "silence"].into_iter().enumerate() {
            mo.act_against(&bob, json!({ "type": kind, "report_id": report })).await;
            let strikes = bob.strikes().await;
            assert_eq!((strikes.len(), &strikes[0]["action"]), (number + 1, &json!(kind)));
            assert_eq!(strikes[0]["status_ids"], json!([public["id"]]));
        }
        // Without a report, it is about no post.
        mo.act_against(&bob, json!({ "type": "sensitive" })).await;
        assert_eq!(bob.strikes().await[0]["status_ids"], json!(null));
    }

    async fn parallel_decisions_leave_one_result_and_one_entry_each(app: &TestApp) {
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.user("bob").await);
        let path = action_on(&bob, "action");
        let body = json!({ "type": "suspend" });
        let all = join_all((0..50).map(|_| mo.json(&path, body.clone()))).await;
        assert!(all.iter().all(|response| response.status == 200));
        assert_eq!(app.audited(&bob).await, ["suspend"]);
        let all = join_all((0..50).map(|_| mo.lift("unsuspend", &bob))).await;
        assert_eq!(all.iter().filter(|response| response.status == 200).count(), 1);
        assert!(all.iter().all(|response| matches!(response.status, 200 | 403)));
        assert_eq!(app.audited(&bob).await, ["suspend", "unsuspend"]);
        assert_eq!((bob.strikes().await.len(), bob.warnings().await.len()), (1, 1));
        // Each entry changed the state that the entry before it left.
        let carol = app.user("carol").await;
        let mixed = (0..50).map(async |number| match number % 2 {
            0 => mo.json(&action_on(&carol, "action"), json!({ "type": "silence" })).await,
            _ => mo.lift("unsilence", &carol).await,
        });
        let all = join_all(mixed).await;
        assert!(all.iter().all(|response| matches!(response.status, 200 | 403)));
        let log = app.audited(&carol).await;
        assert!(log.chunks(2).all(|pair| pair[0] == "silence" && pair.get(1).is_none_or(|it| *it == "unsilence")), "{log:?}");
        let shown = mo.get(&format!("/api/v1/admin/accounts/{}", carol.id)).await.ok();
        assert_eq!(shown["silenced"], log.len() % 2 == 1);
        assert_eq!(carol.strikes().await.len(), log.iter().filter(|it| **it == "silence").count());
    }
}
