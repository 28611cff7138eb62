//! Notifications of type `moderation_warning`.

use serde_json::json;
use siskin_persistence::{Conn, strikes};

use crate::support::{STAFF_SCOPES, id};

api_tests! {
    // A warning comes from the account itself, and says nothing about the moderator or a reporter.
    async fn a_warning_never_names_the_moderator_or_the_reporter(app: &TestApp) {
        let mo = app.staff("moderatrix", "Moderator").await;
        let (ann, bob) = (app.user("annabella").await, app.user("bob").await);
        let report = ann.report(&bob).await;
        let status = bob.publish("Rude").await;
        mo.act_against(&bob, json!({ "type": "none", "text": "Be kind", "report_id": report })).await;
        mo.act_on_status(&status, json!({ "type": "delete" })).await.ok();
        let warnings = bob.warnings().await;
        let [deleted, warned] = &warnings[..] else { panic!("{warnings:?}") };
        assert_eq!(warned["account"]["id"], bob.id.as_str());
        assert_eq!(warned.get("status"), None);
        let warning = &warned["moderation_warning"];
        assert_eq!((&warning["action"], &warning["text"]), (&json!("none"), &json!("Be kind")));
        assert_eq!((&warning["status_ids"], &warning["appeal"]), (&json!(null), &json!(null)));
        assert_eq!(warning["target_account"]["id"], bob.id.as_str());
        assert_eq!(deleted["moderation_warning"]["status_ids"], json!([status["id"]]));
        for path in [
            "/api/v1/notifications".to_owned(),
            "/api/v2/notifications".to_owned(),
            format!("/api/v1/notifications/{}", id(warned)),
            "/api/v1/strikes".to_owned(),
            format!("/api/v1/strikes/{}", id(warning)),
        ] {
            let text = bob.get(&path).await.ok().to_string();
            for secret in ["moderatrix", "annabella", &mo.id, &ann.id, &report] {
                assert!(!text.contains(secret), "{path}: {text}");
            }
        }
    }

    async fn a_warning_is_a_group_of_its_own_and_can_be_dismissed(app: &TestApp) {
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.user("bob").await);
        for text in ["One", "Two"] {
            mo.act_against(&bob, json!({ "type": "none", "text": text })).await;
        }
        let page = bob.get("/api/v2/notifications").await.ok();
        let groups = page["notification_groups"].as_array().unwrap();
        let texts: Vec<_> = groups.iter().map(|one| &one["moderation_warning"]["text"]).collect();
        assert_eq!(texts, ["Two", "One"]);
        assert_eq!(groups[0]["sample_account_ids"], json!([bob.id]));
        assert_eq!(page["accounts"][0]["id"], bob.id.as_str());
        let of_bob = format!("/api/v1/notifications?account_id={}", bob.id);
        assert_eq!(bob.get(&of_bob).await.ids().len(), 2);
        let key = groups[0]["group_key"].as_str().unwrap();
        bob.post(&format!("/api/v2/notifications/{key}/dismiss")).await.ok();
        assert_eq!(bob.warnings().await.len(), 1);
        // The strike stays.
        assert_eq!(bob.strikes().await.len(), 2);
        assert_eq!(bob.notification_types().await, ["moderation_warning"]);
    }

    // Neither a block nor the policy filters a warning.
    async fn a_warning_cannot_be_avoided(app: &TestApp) {
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.user("bob").await);
        bob.act_on("block", &mo).await;
        let policy = [("for_not_following", "drop"), ("for_not_followers", "drop"),
            ("for_new_accounts", "drop"), ("for_limited_accounts", "drop")];
        bob.patch("/api/v2/notifications/policy", &policy).await.ok();
        mo.impose("silence", &bob).await;
        assert_eq!(bob.warnings().await.len(), 1);
        // Those who cannot read it find it when they return.
        mo.impose("suspend", &bob).await;
        bob.get("/api/v1/notifications").await.expect(403);
        mo.lift("unsuspend", &bob).await.ok();
        let actions: Vec<_> =
            bob.warnings().await.iter().map(|one| one["moderation_warning"]["action"].clone()).collect();
        assert_eq!(actions, ["suspend", "silence"]);
    }

    // The database knows the moderator of a strike; the account's own token never gets it.
    async fn a_strike_knows_its_moderator(app: &TestApp) {
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.user("bob").await);
        mo.impose("none", &bob).await;
        let strike = id(&bob.strikes().await[0]).parse().unwrap();
        let stored = app.app().read(move |conn: &mut Conn| Ok(strikes::find(conn, strike)?)).await;
        assert_eq!(stored.unwrap().unwrap().moderator, Some(mo.id.parse().unwrap()));
    }

    async fn strikes_belong_to_their_account(app: &TestApp) {
        let (mo, bob, eve) =
            (app.staff("mo", "Moderator").await, app.user("bob").await, app.user("eve").await);
        for number in 0..5 {
            mo.act_against(&bob, json!({ "type": "none", "text": number.to_string() })).await;
        }
        app.anonymous().get("/api/v1/strikes").await.expect(401);
        app.user_with_scopes(&bob, "read:statuses").await.get("/api/v1/strikes").await.expect(403);
        app.user_with_scopes(&bob, "read:accounts").await.get("/api/v1/strikes").await.ok();
        let own = bob.get("/api/v1/strikes").await.ids();
        assert_eq!(own.len(), 5);
        assert_eq!(bob.walk("/api/v1/strikes?limit=2").await, own);
        assert!(eve.strikes().await.is_empty());
        let first = format!("/api/v1/strikes/{}", own[0]);
        assert_eq!(bob.get(&first).await.ok()["text"], "4");
        let staff = app.user_with_scopes(&mo, STAFF_SCOPES).await;
        for (client, path) in [(&eve.client, first.as_str()), (&staff, &first),
            (&bob.client, "/api/v1/strikes/1"), (&bob.client, "/api/v1/strikes/abc")]
        {
            client.get(path).await.expect(404);
        }
    }
}
