//! `/api/v1/admin/audit_log`, and the entries of what staff do.

use serde_json::{Value, json};
use siskin_entities::Review;
use siskin_services::trends::review::{self, Subject};

use crate::support::{
    Client, TestApp, id,
    trends::{all_favourite, all_publish, each},
};

const LOG: &str = "/api/v1/admin/audit_log";
const ROLES: &str = "/api/v1/admin/roles";

async fn create_role(staff: &Client, name: &str) -> String {
    id(&staff.json(ROLES, json!({ "name": name })).await.ok())
}

/// Returns the names of the targets, the latest first.
fn targets(log: &Value) -> Vec<String> {
    let entries = log.as_array().unwrap().iter();
    entries.map(|entry| entry["target"]["name"].as_str().unwrap().to_owned()).collect()
}

/// Lets a hashtag, a link and a status of `author` have a score.
async fn trending(app: &TestApp) -> Value {
    let crowd = app.crowd("crowd", 15).await;
    all_publish(&crowd, "#siskin https://news.example/a").await;
    app.make_article("https://news.example/a").await;
    let status = app.famous("frank").await.publish("Popular").await;
    all_favourite(&crowd, &status).await;
    app.count_trends().await;
    status
}

api_tests! {
    async fn scope_and_permission_are_required(app: &TestApp) {
        let (alice, moderator) = (app.user("alice").await, app.staff("mo", "Moderator").await);
        app.anonymous().get(LOG).await.expect(401);
        alice.get(LOG).await.expect(403);
        for scopes in ["read write admin:write", "admin:read:accounts admin:read:reports"] {
            app.user_with_scopes(&moderator, scopes).await.get(LOG).await.expect(403);
        }
        let powerless = app.user_with_scopes(&alice, "admin:read").await;
        assert_eq!(powerless.get(LOG).await.expect(403)["error"], "This action is not allowed");
        moderator.get(LOG).await.ok();
    }

    async fn an_entry_says_who_did_what(app: &TestApp) {
        let owner = app.staff("owner", "Owner").await;
        let helper = create_role(&owner, "Helper").await;
        let log = owner.get(LOG).await.ok();
        let entry = json!({
            "id": log[0]["id"],
            "created_at": log[0]["created_at"],
            "account": { "id": owner.id, "username": "owner" },
            "action": "create",
            "target": { "kind": "role", "id": helper, "name": "Helper" },
        });
        assert_eq!(log[0], entry);
        // The operator gave the owner the role.
        assert_eq!(log[1]["account"], json!(null));
        assert_eq!(log[1]["target"], json!({ "kind": "account", "id": owner.id, "name": "@owner" }));
    }

    async fn the_log_is_filtered(app: &TestApp) {
        let (owner, admin) = (app.staff("owner", "Owner").await, app.staff("ada", "Admin").await);
        let one = create_role(&owner, "One").await;
        create_role(&admin, "Two").await;
        admin.put(&format!("{ROLES}/{one}"), &[("priority", "5")]).await.ok();
        let log = async |query: &str| owner.get(&format!("{LOG}?{query}")).await;
        let by_admin = log(&format!("account_id={}", admin.id)).await.ok();
        assert_eq!(targets(&by_admin), ["One", "Two"]);
        let about = format!("target_kind=role&target_id={one}");
        let about_one = log(&about).await.ok();
        assert_eq!(each(&about_one, "action"), ["update", "create"]);
        let both = log(&format!("{about}&account_id={}", owner.id)).await.ok();
        assert_eq!(each(&both, "action"), ["create"]);
        assert_eq!(log("account_id=&target_kind=").await.ok(), log("").await.ok());
        assert_eq!(log("account_id=1").await.ok(), json!([]));
        assert_eq!(log("target_kind=rule&target_id=1").await.ok(), json!([]));
        for wrong in [
            "account_id=abc",
            "account_id=-1",
            "target_kind=role",
            "target_id=1",
            "target_kind=thing&target_id=1",
            "target_kind=role&target_id=x",
            "max_id=x",
        ] {
            assert_eq!(log(wrong).await.status, 422, "{wrong}");
        }
    }

    async fn the_log_has_pages(app: &TestApp) {
        let owner = app.staff("owner", "Owner").await;
        for name in ["One", "Two", "Three", "Four"] {
            create_role(&owner, name).await;
        }
        let by_owner = format!("{LOG}?account_id={}&limit=3", owner.id);
        let first = owner.get(&by_owner).await;
        assert_eq!(targets(&first.ok()), ["Four", "Three", "Two"]);
        let next = owner.get(&first.link("next").unwrap()).await;
        assert_eq!((targets(&next.ok()), next.link("next")), (vec!["One".to_owned()], None));
        let back = owner.get(&next.link("prev").unwrap()).await;
        assert_eq!(back.ok(), first.ok());
        assert!(back.link("prev").unwrap().contains("min_id="));
        assert_eq!(owner.walk(&format!("{LOG}?limit=2")).await.len(), 5);
    }

    // A review that changes nothing leaves no entry.
    async fn reviews_of_trends_are_recorded_once(app: &TestApp) {
        let status = trending(app).await;
        let staff = app.staff("mo", "Moderator").await;
        for (kind, entry) in [("tags", "tag"), ("links", "link"), ("statuses", "status")] {
            let list = format!("/api/v1/admin/trends/{kind}");
            let listed = staff.get(&list).await.ok();
            let target = id(&listed[0]);
            for action in ["approve", "approve", "reject", "reject", "approve"] {
                staff.post(&format!("{list}/{target}/{action}")).await.ok();
            }
            let log = format!("{LOG}?target_kind={entry}&target_id={target}");
            let log = staff.get(&log).await.ok();
            assert_eq!(each(&log, "action"), ["approve", "reject", "approve"], "{kind}");
            assert!(log.as_array().unwrap().iter().all(|one| one["account"]["id"] == staff.id));
        }
        let log = staff.get(&format!("{LOG}?account_id={}&limit=9", staff.id)).await.ok();
        let mut names = targets(&log);
        names.dedup();
        assert_eq!((names.len(), names[0].as_str(), names[2].as_str()), (3, "@frank", "#siskin"));
        assert!(names[1].starts_with("https://news.example/"), "{names:?}");
        assert_eq!(log[0]["target"]["id"], status["id"]);
        let settings = app.app().settings();
        let (tag, none) = (Subject::Tag, Review::Unreviewed);
        let reset = app.app().write(move |tx| review::decide(tx, &settings, tag, "siskin", none));
        reset.await.unwrap();
        let log = staff.get(LOG).await.ok();
        assert_eq!((&log[0]["action"], &log[0]["account"]), (&json!("update"), &json!(null)));
    }

    async fn values_of_settings_are_not_in_the_log(app: &TestApp) {
        let owner = app.staff("owner", "Owner").await;
        for _ in 0..2 {
            app.app().change_setting("site_title".into(), "Xylophone".into()).await.unwrap();
        }
        let log = owner.get(LOG).await;
        assert!(!log.text().contains("Xylophone"));
        let setting = json!({ "kind": "setting", "id": null, "name": "site_title" });
        let log = log.ok();
        assert_eq!(log[0]["target"], setting);
        assert_ne!(log[1]["target"], setting);
    }
}
