//! `/api/v1/instance` and `/api/v2/instance`.

use std::time::Duration;

use serde_json::{Value, json};
use siskin_entities::{AccountState, Actor};
use siskin_services::rules;

use crate::support::{GOOD, Response, TestApp};

async fn set(app: &TestApp, key: &str, value: &str) {
    app.app().change_setting(key.to_owned(), value.to_owned()).await.unwrap();
}

async fn add_rule(app: &TestApp, text: &str, hint: &str) {
    let rule = rules::prepare(text, hint).unwrap();
    app.app().write(move |tx| rules::add(tx, Actor::Operator, &rule)).await.unwrap();
}

/// Returns both versions of the description.
async fn both(app: &TestApp) -> [Value; 2] {
    let form = async |version| app.anonymous().get(&format!("/api/{version}/instance")).await.ok();
    [form("v1").await, form("v2").await]
}

/// Replaces values that differ from server to server, such as the key of web push, and the version.
fn without_its_own(mut response: Response) -> Response {
    let mut body = response.ok();
    assert!(body["version"].as_str().unwrap().starts_with("4.5.0 (compatible; Siskin "));
    body["version"] = json!("[version]");
    if let Some(key) = body.pointer_mut("/configuration/vapid/public_key") {
        *key = json!("[key]");
    }
    response.body = body.to_string().into_bytes();
    response
}

api_tests! {
    // Both descriptions have all required keys.
    async fn both_descriptions_have_every_key(app: &TestApp) {
        app.user("alice").await;
        set(app, "contact_account", "alice").await;
        set(app, "contact_email", "staff@mail.test").await;
        add_rule(app, "Be kind", "To everyone").await;
        let response = app.anonymous().get("/api/v1/instance").await;
        snapshot!("instance_v1", without_its_own(response));
        let response = app.anonymous().get("/api/v2/instance").await;
        snapshot!("instance_v2", without_its_own(response));
    }

    async fn settings_apply_at_once(app: &TestApp) {
        set(app, "site_title", "Aviary").await;
        set(app, "registrations", "approval").await;
        set(app, "languages", "de, en").await;
        set(app, "limits.status_chars", "777").await;
        let [v1, v2] = both(app).await;
        assert_eq!((&v1["title"], &v2["title"]), (&json!("Aviary"), &json!("Aviary")));
        assert_eq!(v1["registrations"], true);
        assert_eq!(v1["approval_required"], true);
        assert_eq!(v2["registrations"]["approval_required"], true);
        for form in [v1, v2] {
            assert_eq!(form["languages"], json!(["de", "en"]));
            assert_eq!(form["configuration"]["statuses"]["max_characters"], 777);
        }
    }

    // The server enforces the limits that it announces.
    async fn the_limits_that_are_announced_are_enforced(app: &TestApp) {
        let alice = app.user("alice").await;
        for length in ["500", "20"] {
            set(app, "limits.status_chars", length).await;
            let limits = both(app).await[1]["configuration"]["statuses"].clone();
            let most = usize::try_from(limits["max_characters"].as_u64().unwrap()).unwrap();
            let url = usize::try_from(limits["characters_reserved_per_url"].as_u64().unwrap());
            let post = async |text: String| {
                alice.form("/api/v1/statuses", &[("status", text)]).await.status
            };
            assert_eq!(post("x".repeat(most)).await, 200);
            assert_eq!(post("x".repeat(most + 1)).await, 422);
            if let Some(rest) = most.checked_sub(url.unwrap() + 1) {
                let link = format!(" https://far.test/{}", "y".repeat(99));
                assert_eq!(post("x".repeat(rest) + &link).await, 200);
                assert_eq!(post("x".repeat(rest + 1) + &link).await, 422);
            }
        }
    }

    async fn an_unknown_contact_account_is_null(app: &TestApp) {
        let contact = async || {
            let [v1, v2] = both(app).await;
            assert_eq!(v1["contact_account"], v2["contact"]["account"]);
            v1["contact_account"].clone()
        };
        assert_eq!(contact().await, Value::Null);
        let alice = app.user("alice").await;
        set(app, "contact_account", "alice").await;
        assert_eq!(contact().await["id"], alice.id);
        app.set_state(&alice, AccountState { suspended: true, ..GOOD }).await;
        assert_eq!(contact().await, Value::Null);
    }

    async fn user_counts_are_refreshed_every_minute(app: &TestApp) {
        let users = async || both(app).await[0]["stats"]["user_count"].clone();
        assert_eq!(users().await, 0);
        app.user("alice").await;
        assert_eq!(users().await, 0);
        app.advance(Duration::from_secs(61));
        assert_eq!(users().await, 1);
    }

    async fn accounts_in_use_count_as_active_in_that_month(app: &TestApp) {
        let alice = app.user("alice").await;
        app.user("bob").await;
        alice.get("/api/v1/markers").await.ok();
        // The use of a token is recorded asynchronously.
        let mut active = json!(0);
        for _ in 0..100 {
            app.advance(Duration::from_secs(61));
            active = both(app).await[1]["usage"]["users"]["active_month"].clone();
            if active != 0 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(active, 1);
        let day = Duration::from_secs(24 * 3600);
        app.advance(30 * day);
        assert_eq!(both(app).await[1]["usage"]["users"]["active_month"], 0);
        let info = app.anonymous().get("/nodeinfo/2.0").await.ok();
        assert_eq!(info["usage"]["users"]["activeHalfyear"], 1);
        assert_eq!(info["usage"]["users"]["total"], 2);
    }

    async fn rules_are_listed_in_their_order(app: &TestApp) {
        assert_eq!(app.anonymous().get("/api/v1/instance/rules").await.ok(), json!([]));
        add_rule(app, "Be kind", "To everyone").await;
        add_rule(app, "Be brief", "").await;
        let rules = app.anonymous().get("/api/v1/instance/rules").await.ok();
        let texts: Vec<_> =
            rules.as_array().unwrap().iter().map(|rule| (&rule["text"], &rule["hint"])).collect();
        assert_eq!(texts, [(&json!("Be kind"), &json!("To everyone")), (&json!("Be brief"), &json!(""))]);
        for form in both(app).await {
            assert_eq!(form["rules"], rules);
        }
    }

    async fn languages_are_listed_by_code(app: &TestApp) {
        let languages = app.anonymous().get("/api/v1/instance/languages").await.ok();
        let languages = languages.as_array().unwrap();
        assert!(languages.contains(&json!({ "code": "de", "name": "German" })));
        assert!(languages.iter().all(|language| language["code"].is_string()));
    }
}
