//! `/api/v1/admin/dimensions`.

use serde_json::json;
use siskin_ids::AccountId;
use siskin_persistence::Tx;
use siskin_services::about::SOFTWARE_VERSION;
use siskin_test_support::standing;

use crate::support::trends::each;

const DIMENSIONS: &str = "/api/v1/admin/dimensions";

api_tests! {
    async fn every_ranking_has_its_shape(app: &TestApp) {
        let staff = app.staff("mo", "Moderator").await;
        let keys = [
            "languages", "sources", "servers", "space_usage", "software_versions", "tag_servers",
            "tag_languages", "instance_accounts", "instance_languages",
        ];
        let mut parameters = app.last_days(2);
        parameters["keys"] = json!(keys);
        for key in ["tag_servers", "tag_languages"] {
            parameters[key] = json!({ "id": "1" });
        }
        for key in ["instance_accounts", "instance_languages"] {
            parameters[key] = json!({ "domain": "far.example" });
        }
        let rankings = staff.json(DIMENSIONS, parameters).await.ok();
        assert_eq!(each(&rankings, "key"), keys);
        let used = &rankings[3]["data"];
        assert!(["sqlite", "postgresql"].contains(&used[0]["key"].as_str().unwrap()), "{used}");
        assert_eq!((&used[0]["unit"], &used[1]["key"]), (&json!("bytes"), &json!("media")));
        assert!(used[0]["human_value"].as_str().unwrap().ends_with('B'), "{used}");
        let versions = &rankings[4]["data"];
        assert_eq!(versions[0]["key"], "siskin");
        assert_eq!(versions[0]["value"], SOFTWARE_VERSION);
        assert_eq!(versions[1]["key"], used[0]["key"]);
        assert!(versions[1].get("unit").is_none());
    }

    // Without times, the last 30 days are ranked.
    async fn keys_are_required_and_times_are_not(app: &TestApp) {
        let staff = app.staff("mo", "Moderator").await;
        let refused = staff.json(DIMENSIONS, json!({})).await.expect(422);
        assert_eq!(refused["error"], "Validation failed: Keys can't be blank");
        for (name, value) in [("start_at", "x"), ("end_at", "x"), ("start_at", "2020-01-01")] {
            let parameters = json!({ "keys": ["sources"], name: value });
            staff.json(DIMENSIONS, parameters).await.expect(422);
        }
        assert_eq!(staff.ranking("sources", json!({})).await, [("web".to_owned(), "1".to_owned())]);
        let none = json!({ "keys": ["x", "tag_servers"] });
        assert_eq!(staff.json(DIMENSIONS, none).await.ok(), json!([]));
    }

    async fn statuses_are_ranked_by_server_and_language(app: &TestApp) {
        let (alice, zoe) = (app.user("alice").await, app.user_of("zoe", "far.example").await);
        for language in ["de", "de", "fr"] {
            alice.publish_as(json!({ "status": "#birds", "language": language })).await;
        }
        let status = json!({ "status": "#birds", "language": "pl" });
        zoe.publish_as(status.clone()).await;
        let staff = app.staff("mo", "Moderator").await;
        let entry = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let servers = [entry(app.domain(), "3"), entry("far.example", "1")];
        assert_eq!(staff.ranking("servers", json!({})).await, servers);
        let tag = staff.get("/api/v1/tags/birds").await.ok()["id"].clone();
        let about = |key: &str| json!({ key: { "id": tag } });
        assert_eq!(staff.ranking("tag_servers", about("tag_servers")).await, servers);
        let languages = staff.ranking("tag_languages", about("tag_languages")).await;
        assert_eq!(languages, [entry("de", "2"), entry("fr", "1"), entry("pl", "1")]);
        let mut two = about("tag_languages");
        two["limit"] = json!(2);
        assert_eq!(staff.ranking("tag_languages", two).await, languages[..2]);
        let far = |key: &str| json!({ key: { "domain": "far.example" } });
        let languages = staff.ranking("instance_languages", far("instance_languages")).await;
        assert_eq!(languages, [entry("pl", "1")]);
        let accounts = staff.ranking("instance_accounts", far("instance_accounts")).await;
        assert_eq!(accounts, [entry("zoe", "0")]);
    }

    async fn a_limit_is_clamped(app: &TestApp) {
        let staff = app.staff("mo", "Moderator").await;
        for (limit, length) in [("1", 1), ("0", 0), ("-5", 2), ("x", 2), ("99999999999", 2)] {
            let ranking = staff.ranking("space_usage", json!({ "limit": limit })).await;
            assert_eq!(ranking.len(), length, "{limit}");
        }
    }

    async fn languages_of_active_users_have_english_names(app: &TestApp) {
        let alice = app.user("alice").await;
        let account: AccountId = alice.id.parse().unwrap();
        app.be_active_today(&alice).await;
        let set = move |tx: &mut Tx<'_>| Ok(standing::set_locale(tx, account, "de")?);
        app.app().write(set).await.unwrap();
        let staff = app.staff("mo", "Moderator").await;
        let rankings = staff.json(DIMENSIONS, json!({ "keys": ["languages"] })).await.ok();
        let german = json!([{ "key": "de", "human_key": "German", "value": "1" }]);
        assert_eq!(rankings[0]["data"], german);
    }
}
