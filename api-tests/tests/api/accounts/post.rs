//! `POST /api/v1/accounts`: registration.

use serde_json::{Value, json};
use siskin_server::Config;
use siskin_test_support::both_engines;

use crate::support::{Client, TestApp, run};

const ACCOUNTS: &str = "/api/v1/accounts";
const VERIFY: &str = "/api/v1/accounts/verify_credentials";

/// Registers an application on a server with open registrations.
async fn open(app: &TestApp) -> Client {
    set(app, "registrations", "open").await;
    app.application("read write").await
}

async fn set(app: &TestApp, key: &str, value: &str) {
    app.store_setting(key, value).await;
}

fn alice() -> Value {
    json!({
        "username": "alice",
        "email": "alice@example.com",
        "password": "correct horse",
        "agreement": true,
        "locale": "en",
    })
}

fn with(key: &str, value: Value) -> Value {
    let mut form = alice();
    form[key] = value;
    form
}

fn faults(response: &Value) -> Vec<(String, String)> {
    let details = response["details"].as_object().unwrap();
    let code = |faults: &Value| faults[0]["error"].as_str().unwrap().to_owned();
    details.iter().map(|(field, faults)| (field.clone(), code(faults))).collect()
}

fn fault(field: &str, code: &str) -> Vec<(String, String)> {
    vec![(field.to_owned(), code.to_owned())]
}

api_tests! {
    async fn the_token_works_at_once(app: &TestApp) {
        let token = open(app).await.json(ACCOUNTS, alice()).await.ok();
        assert_eq!(token["token_type"], "Bearer");
        assert_eq!(token["scope"], "read write");
        assert!(token["created_at"].is_i64());
        let person = app.with_token(token["access_token"].as_str().unwrap());
        assert_eq!(person.get(VERIFY).await.ok()["acct"], "alice");
    }

    async fn every_encoding_signs_up(app: &TestApp) {
        let client = open(app).await;
        let form = [
            ("username", "bob"),
            ("email", "bob@example.com"),
            ("password", "correct horse"),
            ("agreement", "1"),
            ("locale", "en"),
        ];
        client.form(ACCOUNTS, &form).await.ok();
        assert_eq!(app.anonymous().get("/api/v1/accounts/lookup?acct=bob").await.status, 200);
    }

    async fn sign_up_is_refused_while_registrations_are_closed(app: &TestApp) {
        let client = open(app).await;
        for mode in ["none", "external"] {
            set(app, "registrations", mode).await;
            client.json(ACCOUNTS, alice()).await.expect(403);
        }
        set(app, "registrations", "none").await;
        set(app, "registrations_message", "Come back in May").await;
        let refused = client.json(ACCOUNTS, alice()).await.expect(403);
        assert_eq!(refused["error"], "Come back in May");
    }

    async fn every_invalid_field_is_reported(app: &TestApp) {
        let client = open(app).await;
        client.json(ACCOUNTS, alice()).await.ok();
        let refused = client.json(ACCOUNTS, alice()).await.expect(422);
        assert_eq!(
            faults(&refused),
            [fault("email", "ERR_TAKEN"), fault("username", "ERR_TAKEN")].concat()
        );
        assert_eq!(
            refused["error"],
            "Validation failed: Username is already taken, Email is already taken"
        );
        for (field, value, code) in [
            ("username", json!("ALICE"), "ERR_TAKEN"),
            ("username", json!("a.b"), "ERR_INVALID"),
            ("username", json!("ａｌｉｃｅ"), "ERR_INVALID"),
            ("username", json!("x".repeat(31)), "ERR_TOO_LONG"),
            ("username", json!(""), "ERR_BLANK"),
            ("username", json!("Admin"), "ERR_RESERVED"),
            ("email", json!("Alice@Example.com"), "ERR_TAKEN"),
            ("email", json!("nowhere"), "ERR_INVALID"),
            ("email", json!(null), "ERR_BLANK"),
            ("password", json!("1234567"), "ERR_TOO_SHORT"),
            ("password", json!(""), "ERR_BLANK"),
            ("agreement", json!(false), "ERR_ACCEPTED"),
            ("agreement", json!(null), "ERR_ACCEPTED"),
            ("reason", json!("x".repeat(1001)), "ERR_TOO_LONG"),
        ] {
            let mut form = with("username", json!("bob"));
            form["email"] = json!("bob@example.com");
            form[field] = value;
            let refused = client.json(ACCOUNTS, form).await.expect(422);
            assert_eq!(faults(&refused), fault(field, code), "{refused}");
        }
        let blank = client.post(ACCOUNTS).await.expect(422);
        let fields: Vec<String> = faults(&blank).into_iter().map(|(field, _)| field).collect();
        assert_eq!(fields, ["agreement", "email", "password", "username"]);
        let all = |field: &str| -> Vec<&str> {
            let faults = blank["details"][field].as_array().unwrap();
            faults.iter().map(|fault| fault["error"].as_str().unwrap()).collect()
        };
        assert_eq!(all("username"), ["ERR_BLANK", "ERR_INVALID"]);
        assert_eq!(all("email"), ["ERR_BLANK", "ERR_INVALID"]);
        assert_eq!(all("password"), ["ERR_BLANK"]);
        assert_eq!(all("agreement"), ["ERR_ACCEPTED"]);
        let long = client.json(ACCOUNTS, with("username", json!("!".repeat(31)))).await.expect(422);
        assert_eq!(long["details"]["username"].as_array().unwrap().len(), 2, "{long}");
    }

    async fn accounts_pending_approval_cannot_act_and_are_hidden(app: &TestApp) {
        let client = open(app).await;
        set(app, "registrations", "approval").await;
        let token = client.json(ACCOUNTS, with("reason", json!("I like birds"))).await.ok();
        refused_everywhere(app, token["access_token"].as_str().unwrap()).await;
    }

    async fn unconfirmed_accounts_cannot_act_and_are_hidden(app: &TestApp) {
        let client = open(app).await;
        set(app, "email_confirmation", "true").await;
        let token = client.json(ACCOUNTS, alice()).await.ok();
        refused_everywhere(app, token["access_token"].as_str().unwrap()).await;
    }

    async fn sign_up_needs_the_scope_of_writing_accounts(app: &TestApp) {
        open(app).await;
        app.anonymous().json(ACCOUNTS, alice()).await.expect(401);
        app.with_token("garbage").json(ACCOUNTS, alice()).await.expect(401);
        app.application("read").await.json(ACCOUNTS, alice()).await.expect(403);
        app.application("write:accounts").await.json(ACCOUNTS, alice()).await.ok();
    }
}

both_engines! {
    fn sign_ups_are_limited_for_each_address(database: &TestDatabase) {
        let limited = |config: &mut Config| config.fixed_settings.clear();
        run(database, limited, async |app: &TestApp| {
            let client = open(app).await;
            set(app, "rate_limits.sign_up", "2").await;
            client.json(ACCOUNTS, alice()).await.ok();
            let refused = client.json(ACCOUNTS, alice()).await;
            assert_eq!((refused.status, refused.header("x-ratelimit-remaining")), (422, Some("0")));
            client.json(ACCOUNTS, alice()).await.expect(429);
        });
    }
}

/// Checks that only lookup finds the account, so that a client can tell that the name is taken.
async fn refused_everywhere(app: &TestApp, token: &str) {
    let (person, nobody) = (app.with_token(token), app.anonymous());
    for path in [VERIFY, "/api/v1/accounts/relationships", "/api/v2/search?q=alice"] {
        assert!(person.get(path).await.expect(403)["error"].is_string(), "{path}");
    }
    let found = nobody.get("/api/v1/accounts/lookup?acct=alice").await.ok();
    let id = found["id"].as_str().unwrap();
    for path in ["", "/followers", "/following"] {
        nobody.get(&format!("{ACCOUNTS}/{id}{path}")).await.expect(404);
    }
    let bob = app.user("bob").await;
    bob.post(&format!("{ACCOUNTS}/{id}/follow")).await.expect(404);
    bob.post(&format!("{ACCOUNTS}/{id}/unfollow")).await.expect(404);
    let shown = bob.get(&format!("{ACCOUNTS}/relationships?id[]={id}")).await;
    assert_eq!(shown.ok(), json!([]));
    let found = bob.get("/api/v2/search?q=alice&type=accounts").await.ok();
    assert_eq!(found["accounts"], json!([]));
}
