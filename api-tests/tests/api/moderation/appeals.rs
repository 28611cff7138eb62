//! `POST /api/v1/strikes/{id}/appeal` and `/api/v1/admin/appeals`.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use siskin_entities::{Actor, AuditAction, TargetKind};

use crate::support::{Client, STAFF_SCOPES, TestApp, User, id};

const APPEALS: &str = "/api/v1/admin/appeals";
const DAY: Duration = Duration::from_hours(24);

fn path_of(strike: &Value) -> String {
    format!("/api/v1/strikes/{}/appeal", id(strike))
}

/// Appeals against the latest strike, and returns the id of the appeal.
async fn appeal(user: &User, staff: &Client) -> String {
    let strike = user.strikes().await.remove(0);
    let shown = user.json(&path_of(&strike), json!({ "text": "It was satire." })).await.ok();
    assert_eq!(shown["appeal"], json!({ "text": "It was satire.", "state": "pending" }));
    staff.get(APPEALS).await.ids().remove(0)
}

async fn decide(staff: &Client, appeal: &str, decision: &str) -> Value {
    staff.post(&format!("{APPEALS}/{appeal}/{decision}")).await.ok()
}

async fn audited(app: &TestApp, appeal: &str) -> Vec<AuditAction> {
    let entries = app.audit_of(TargetKind::Appeal, appeal).await;
    entries.iter().map(|entry| entry.action).collect()
}

api_tests! {
    async fn an_appeal_is_accepted_once_and_in_time(app: &TestApp) {
        let (mo, admin) = (app.staff("mo", "Moderator").await, app.staff("admin", "Admin").await);
        let (bob, eve) = (app.user("bob").await, app.user("eve").await);
        mo.impose("silence", &bob).await;
        mo.impose("none", &bob).await;
        let strikes = bob.strikes().await;
        assert!(strikes[0]["appeal_until"].is_string() && strikes[0]["overruled_at"].is_null());
        let path = path_of(&strikes[0]);
        let body = json!({ "text": "It was satire." });
        app.anonymous().json(&path, body.clone()).await.expect(401);
        let reader = app.user_with_scopes(&bob, "read").await;
        reader.json(&path, body.clone()).await.expect(403);
        eve.json(&path, body.clone()).await.expect(404);
        for id in ["1", "abc"] {
            bob.json(&format!("/api/v1/strikes/{id}/appeal"), body.clone()).await.expect(404);
        }
        for text in ["", " \n"] {
            let refused = bob.json(&path, json!({ "text": text })).await.expect(422);
            assert_eq!(refused["error"], "Validation failed: Text can't be blank");
        }
        bob.json(&path, json!({ "text": "x".repeat(2001) })).await.expect(422);
        bob.form(&path, &[("text", "x".repeat(2000))]).await.ok();
        let again = bob.json(&path, body.clone()).await.expect(403);
        assert_eq!(again["error"], "You have already appealed this decision");
        app.advance(20 * DAY);
        let late = bob.json(&path_of(&strikes[1]), body).await.expect(403);
        assert_eq!(late["error"], "It is too late to appeal this decision");
        assert_eq!(admin.get(APPEALS).await.ids().len(), 1);
        let warnings = bob.warnings().await;
        assert_eq!(warnings[0]["moderation_warning"]["appeal"]["state"], "pending");
        assert_eq!(warnings[1]["moderation_warning"]["appeal"], json!(null));
    }

    async fn parallel_appeals_are_one(app: &TestApp) {
        let (mo, admin) = (app.staff("mo", "Moderator").await, app.staff("admin", "Admin").await);
        let bob = app.user("bob").await;
        mo.impose("none", &bob).await;
        let path = path_of(&bob.strikes().await[0]);
        let all = join_all((0..20).map(|_| bob.json(&path, json!({ "text": "No" })))).await;
        assert_eq!(all.iter().filter(|response| response.status == 200).count(), 1);
        assert!(all.iter().all(|response| matches!(response.status, 200 | 403)));
        assert_eq!(admin.get(APPEALS).await.ids().len(), 1);
    }

    // An approved appeal ends what the strike did.
    async fn an_approved_appeal_undoes_the_strike(app: &TestApp) {
        let (mo, admin) = (app.staff("mo", "Moderator").await, app.staff("admin", "Admin").await);
        for (kind, field) in [("none", None), ("sensitive", Some("sensitized")), ("silence", Some("silenced"))] {
            let bob = app.user(&format!("bob_{kind}")).await;
            mo.impose(kind, &bob).await;
            let appeal = appeal(&bob, &admin).await;
            let decided = decide(&admin, &appeal, "approve").await;
            assert_eq!((&decided["state"], &decided["decided_by"]["username"]),
                (&json!("approved"), &json!("admin")));
            let shown = admin.get(&format!("/api/v1/admin/accounts/{}", bob.id)).await.ok();
            assert!(field.is_none_or(|field| shown[field] == false), "{shown}");
            let strike = bob.strikes().await.remove(0);
            assert!(strike["overruled_at"].is_string(), "{strike}");
            assert_eq!(strike["appeal"]["state"], "approved");
            // Again it does nothing, and it cannot be rejected any more.
            decide(&admin, &appeal, "approve").await;
            admin.post(&format!("{APPEALS}/{appeal}/reject")).await.expect(403);
            assert_eq!(audited(app, &appeal).await, [AuditAction::Approve]);
        }
    }

    async fn a_marked_status_is_unmarked_unless_its_author_marked_it(app: &TestApp) {
        let (mo, admin) = (app.staff("mo", "Moderator").await, app.staff("admin", "Admin").await);
        let bob = app.user("bob").await;
        let (open, own) = (bob.publish_picture("Open", "").await, bob.publish_as(
            json!({ "status": "Own", "sensitive": true })).await);
        let (gone, edited) = (bob.publish("Gone").await, bob.publish("To edit").await);
        let others = json!([own["id"], gone["id"], edited["id"]]);
        let body = json!({ "type": "mark_as_sensitive", "status_ids": others });
        mo.act_on_status(&open, body).await.ok();
        bob.delete(&format!("/api/v1/statuses/{}", id(&gone))).await.ok();
        let path = format!("/api/v1/statuses/{}", id(&edited));
        bob.put(&path, &[("status", "Edited"), ("sensitive", "true")]).await.ok();
        let appeal = appeal(&bob, &admin).await;
        decide(&admin, &appeal, "approve").await;
        for (status, expected) in [(&open, false), (&own, true), (&edited, true)] {
            let shown = bob.get(&format!("/api/v1/statuses/{}", id(status))).await.ok();
            assert_eq!(shown["sensitive"], expected, "{shown}");
        }
    }

    // A later strike of the same kind keeps its effect.
    async fn a_later_strike_stays(app: &TestApp) {
        let (mo, admin) = (app.staff("mo", "Moderator").await, app.staff("admin", "Admin").await);
        let bob = app.user("bob").await;
        mo.impose("silence", &bob).await;
        let first = appeal(&bob, &admin).await;
        mo.lift("unsilence", &bob).await.ok();
        mo.impose("silence", &bob).await;
        decide(&admin, &first, "approve").await;
        let silenced = async || {
            admin.get(&format!("/api/v1/admin/accounts/{}", bob.id)).await.ok()["silenced"] == true
        };
        assert!(silenced().await);
        let second = appeal(&bob, &admin).await;
        decide(&admin, &second, "approve").await;
        assert!(!silenced().await);
    }

    async fn a_rejected_appeal_changes_nothing_else(app: &TestApp) {
        let (mo, admin) = (app.staff("mo", "Moderator").await, app.staff("admin", "Admin").await);
        let bob = app.user("bob").await;
        mo.impose("silence", &bob).await;
        let appeal = appeal(&bob, &admin).await;
        for _ in 0..2 {
            assert_eq!(decide(&admin, &appeal, "reject").await["state"], "rejected");
        }
        admin.post(&format!("{APPEALS}/{appeal}/approve")).await.expect(403);
        assert_eq!(audited(app, &appeal).await, [AuditAction::Reject]);
        let strike = bob.strikes().await.remove(0);
        assert_eq!((&strike["appeal"]["state"], &strike["overruled_at"]), (&json!("rejected"), &json!(null)));
        let shown = admin.get(&format!("/api/v1/admin/accounts/{}", bob.id)).await.ok();
        assert_eq!(shown["silenced"], true);
    }

    async fn parallel_decisions_are_one(app: &TestApp) {
        let (mo, admin) = (app.staff("mo", "Moderator").await, app.staff("admin", "Admin").await);
        let bob = app.user("bob").await;
        mo.impose("silence", &bob).await;
        let appeal = appeal(&bob, &admin).await;
        let paths = ["approve", "reject"].map(|decision| format!("{APPEALS}/{appeal}/{decision}"));
        let all = join_all((0..50).map(|number| admin.post(&paths[number % 2]))).await;
        assert!(all.iter().all(|response| matches!(response.status, 200 | 403)));
        assert_eq!(all.iter().filter(|response| response.status == 200).count(), 25);
        let log = audited(app, &appeal).await;
        assert_eq!(log.len(), 1);
        let strike = bob.strikes().await.remove(0);
        let is_approved = log == [AuditAction::Approve];
        assert_eq!(strike["appeal"]["state"], if is_approved { "approved" } else { "rejected" });
        assert_eq!(strike["overruled_at"].is_string(), is_approved);
        let shown = admin.get(&format!("/api/v1/admin/accounts/{}", bob.id)).await.ok();
        assert_eq!(shown["silenced"], !is_approved);
    }

    async fn staff_with_the_permission_list_appeals(app: &TestApp) {
        let (mo, admin) = (app.staff("mo", "Moderator").await, app.staff("admin", "Admin").await);
        let status_author = app.user("author").await;
        let status = status_author.publish("Rude words").await;
        mo.act_on_status(&status, json!({ "type": "delete", "text": "Be kind" })).await.ok();
        let first = appeal(&status_author, &admin).await;
        let mut appeals = vec![first.clone()];
        for number in 0..4 {
            let user = app.user(&format!("user{number}")).await;
            mo.impose("none", &user).await;
            appeals.insert(0, appeal(&user, &admin).await);
        }
        let powerless = app.user_with_scopes(&status_author, STAFF_SCOPES).await;
        let writer = app.user_with_scopes(&admin, "admin:write").await;
        let reader = app.user_with_scopes(&admin, "admin:read").await;
        app.anonymous().get(APPEALS).await.expect(401);
        // Moderators have no such permission at first.
        for client in [&mo.client, &powerless, &writer] {
            client.get(APPEALS).await.expect(403);
        }
        for decision in ["approve", "reject"] {
            let path = format!("{APPEALS}/{first}/{decision}");
            app.anonymous().post(&path).await.expect(401);
            for client in [&mo.client, &powerless, &reader] {
                client.post(&path).await.expect(403);
            }
            for id in ["1", "abc"] {
                admin.post(&format!("{APPEALS}/{id}/{decision}")).await.expect(404);
            }
        }
        assert_eq!(admin.get(APPEALS).await.ids(), appeals);
        assert_eq!(admin.walk(&format!("{APPEALS}?limit=2")).await, appeals);
        let shown = reader.get(APPEALS).await.ok()[4].clone();
        assert_eq!((&shown["text"], &shown["state"]), (&json!("It was satire."), &json!("pending")));
        assert_eq!(shown["strike"]["target_account"]["username"], "author");
        assert_eq!(shown["strike"]["moderator"]["username"], "mo");
        assert_eq!(shown["strike"]["excerpts"], json!([{ "status_id": status["id"], "text": "Rude words" }]));
        assert_eq!((&shown["decided_by"], &shown["decided_at"]), (&json!(null), &json!(null)));
        decide(&admin, &first, "reject").await;
        let listed = async |state: &str| admin.get(&format!("{APPEALS}?state={state}")).await.ids();
        assert_eq!(listed("pending").await, appeals[..4]);
        assert_eq!(listed("rejected").await, std::slice::from_ref(&first));
        assert!(listed("approved").await.is_empty());
        assert_eq!(listed("").await, appeals);
        admin.get(&format!("{APPEALS}?state=other")).await.expect(422);
        let entries = app.audit_of(TargetKind::Appeal, &first).await;
        assert_eq!(entries[0].actor, Actor::Staff(admin.id.parse().unwrap()));
        assert_eq!(entries[0].target.name, "@author");
    }

    // Staff do not decide about themselves and those above.
    async fn rank_counts_for_appeals_too(app: &TestApp) {
        let (owner, admin) = (app.staff("owner", "Owner").await, app.staff("admin", "Admin").await);
        owner.impose("none", &admin).await;
        let appeal = appeal(&admin, &owner).await;
        for decision in ["approve", "reject"] {
            admin.post(&format!("{APPEALS}/{appeal}/{decision}")).await.expect(403);
        }
        decide(&owner, &appeal, "approve").await;
    }
}
