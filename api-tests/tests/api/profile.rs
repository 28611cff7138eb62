//! `GET` and `PATCH /api/v1/profile`.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Response, User, pictures};

const PROFILE: &str = "/api/v1/profile";
const VERIFY: &str = "/api/v1/accounts/verify_credentials";

impl User {
    async fn edit(&self, changes: Value) -> Response {
        self.send(self.request(Method::PATCH, PROFILE).json(&changes)).await
    }
}

api_tests! {
    async fn a_profile_is_returned_as_source_text(app: &TestApp) {
        let alice = app.user("alice").await;
        let changes = json!({
            "display_name": "Alice", "note": "I like <b> #birds",
            "fields_attributes": [{ "name": "Site", "value": "https://a.example" }],
        });
        let edited = alice.edit(changes).await;
        snapshot!("profile", edited);
        assert_eq!(alice.get(PROFILE).await.ok(), edited.ok());
    }

    async fn every_part_of_a_profile_is_settable_by_itself(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut now = alice.get(PROFILE).await.ok();
        let fields = json!([{ "name": "a", "value": "1" }]);
        for (key, value) in [
            ("display_name", json!("Alice")),
            ("note", json!("Hello")),
            ("avatar_description", json!("A bird")),
            ("header_description", json!("Trees")),
            ("locked", json!(true)),
            ("bot", json!(true)),
            ("discoverable", json!(true)),
            ("discoverable", json!(false)),
            ("hide_collections", json!(true)),
            ("indexable", json!(true)),
            ("show_media", json!(false)),
            ("show_media_replies", json!(false)),
            ("show_featured", json!(false)),
            ("attribution_domains", json!(["news.example", "xn--bcher-kva.example"])),
        ] {
            let edited = alice.edit(json!({ key: value })).await.ok();
            now[key] = value;
            assert_eq!(edited, now, "{key}");
        }
        let edited = alice.edit(json!({ "fields_attributes": fields })).await.ok();
        now["fields"] = json!([{ "name": "a", "value": "1", "verified_at": null }]);
        assert_eq!(edited, now);
        assert_eq!(alice.edit(json!({})).await.ok(), now);
        // The public fields are the same as for an anonymous viewer.
        let shown = app.anonymous().get(&format!("/api/v1/accounts/{}", alice.id)).await.ok();
        for key in ["display_name", "locked", "bot", "discoverable", "hide_collections",
            "indexable", "show_media", "show_media_replies", "show_featured"]
        {
            assert_eq!(shown[key], now[key], "{key}");
        }
    }

    async fn invalid_requests_change_nothing(app: &TestApp) {
        let alice = app.user("alice").await;
        let before = alice.edit(json!({ "attribution_domains": ["a.example"] })).await.ok();
        let many: Vec<String> = (0..11).map(|number| format!("{number}.example")).collect();
        for changes in [
            json!({ "attribution_domains": ["no domain"], "note": "x" }),
            json!({ "attribution_domains": many, "note": "x" }),
            json!({ "note": "x".repeat(501), "display_name": "x" }),
            json!({ "display_name": "x".repeat(31), "note": "x" }),
        ] {
            alice.edit(changes).await.expect(422);
        }
        assert_eq!(alice.get(PROFILE).await.ok(), before);
    }

    async fn each_error_is_reported_with_its_field(app: &TestApp) {
        let alice = app.user("alice").await;
        let long = |count: usize| "x".repeat(count);
        let many: Vec<Value> = (0..5).map(|n| json!({ "name": n.to_string(), "value": "v" })).collect();
        let domains: Vec<String> = (0..11).map(|number| format!("{number}.example")).collect();
        for (changes, field, code) in [
            (json!({ "display_name": long(31) }), "display_name", "ERR_TOO_LONG"),
            (json!({ "note": long(501) }), "note", "ERR_TOO_LONG"),
            (json!({ "avatar_description": long(5000) }), "avatar_description", "ERR_TOO_LONG"),
            (json!({ "header_description": long(5000) }), "header_description", "ERR_TOO_LONG"),
            (json!({ "fields_attributes": many }), "fields", "ERR_TOO_LONG"),
            (json!({ "fields_attributes": [{ "value": "v" }] }), "fields", "ERR_BLANK"),
            (json!({ "fields_attributes": [{ "name": long(256) }] }), "fields", "ERR_TOO_LONG"),
            (json!({ "attribution_domains": ["a b"] }), "attribution_domains", "ERR_INVALID"),
            (json!({ "attribution_domains": domains }), "attribution_domains", "ERR_TOO_LONG"),
            (json!({ "source": { "privacy": "direct" } }), "default_privacy", "ERR_INCLUSION"),
            (json!({ "source": { "language": "xx-no" } }), "default_language", "ERR_INCLUSION"),
        ] {
            for path in [PROFILE, "/api/v1/accounts/update_credentials"] {
                let request = alice.request(Method::PATCH, path).json(&changes);
                let refused = alice.send(request).await.expect(422);
                let details = refused["details"].as_object().unwrap();
                assert_eq!(details.keys().collect::<Vec<_>>(), [field], "{refused}");
                assert_eq!(refused["details"][field][0]["error"], code, "{refused}");
                let description = refused["details"][field][0]["description"].as_str().unwrap();
                let error = refused["error"].as_str().unwrap();
                assert!(error.starts_with("Validation failed: ") && error.ends_with(description));
            }
        }
        let several = json!({ "display_name": long(31), "note": long(501), "source": { "privacy": "x" } });
        let refused = alice.edit(several).await.expect(422);
        let fields: Vec<&String> = refused["details"].as_object().unwrap().keys().collect();
        assert_eq!(fields, ["default_privacy", "display_name", "note"]);
        let picture = pictures::file(b"no picture".to_vec(), "a.png", "image/png");
        let form = reqwest::multipart::Form::new().part("avatar", picture);
        let refused = alice.send(alice.request(Method::PATCH, PROFILE).multipart(form)).await;
        assert_eq!(refused.expect(422)["details"]["avatar"][0]["error"], "ERR_INVALID");
    }

    async fn a_profile_is_accessible_to_its_owner_only(app: &TestApp) {
        let alice = app.user("alice").await;
        for (scopes, reads, writes) in [
            ("profile", 200, 403),
            ("read:accounts", 200, 403),
            ("write:accounts", 403, 200),
            ("read:statuses write:statuses", 403, 403),
        ] {
            let client = app.user_with_scopes(&alice, scopes).await;
            assert_eq!(client.get(PROFILE).await.status, reads, "{scopes}");
            let written = client.patch(PROFILE, &[("note", scopes)]).await;
            assert_eq!(written.status, writes, "{scopes}");
        }
        app.anonymous().get(PROFILE).await.expect(401);
        app.anonymous().patch(PROFILE, &[("note", "x")]).await.expect(401);
        app.application("read write").await.get(PROFILE).await.expect(422);
        assert_eq!(alice.get(VERIFY).await.ok()["source"]["note"], "write:accounts");
    }
}
