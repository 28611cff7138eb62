//! `/api/v1/apps`.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;

use crate::oauth::{BACK, Registered, decide, parameter, register, signed_in};

api_tests! {
    async fn a_client_registers(app: &TestApp) {
        let form = [
            ("client_name", "Tester"),
            ("redirect_uris", "urn:ietf:wg:oauth:2.0:oob"),
            ("scopes", "read write"),
            ("website", "https://app.example"),
        ];
        let response = app.anonymous().form("/api/v1/apps", &form).await;
        let created = response.ok();
        for (name, length) in [("client_id", 43), ("client_secret", 43), ("vapid_key", 87)] {
            assert_eq!(created[name].as_str().unwrap().len(), length, "{name}");
        }
        assert!(created["id"].is_string());
        assert_eq!(created["name"], "Tester");
        assert_eq!(created["website"], "https://app.example");
        assert_eq!(created["scopes"], json!(["read", "write"]));
        assert_eq!(created["redirect_uris"], json!(["urn:ietf:wg:oauth:2.0:oob"]));
        assert_eq!(created["redirect_uri"], "urn:ietf:wg:oauth:2.0:oob");
        assert_eq!(created["client_secret_expires_at"], 0);
    }

    // `redirect_uris` may be a text with lines or a list, and all of them can be used.
    async fn redirect_uris_are_accepted_as_lines_or_as_a_list(app: &TestApp) {
        let anonymous = app.anonymous();
        let both = ["https://a.example/x", "com.example.tester://back"];
        let lines = json!({"client_name": "T", "redirect_uris": both.join("\n")});
        let list = json!({"client_name": "T", "redirect_uris": both});
        for body in [lines, list] {
            let created = anonymous.json("/api/v1/apps", body).await.ok();
            assert_eq!(created["redirect_uris"], json!(both));
            assert_eq!(created["scopes"], json!(["read"]));
            let id = created["client_id"].as_str().unwrap();
            for address in both {
                let page = format!("/oauth/authorize?response_type=code&client_id={id}&redirect_uri={address}");
                assert_eq!(anonymous.get(&page).await.status, 302, "{address}");
            }
        }
        let form = [("client_name", "T"), ("redirect_uris[]", both[0]), ("redirect_uris[]", both[1])];
        let created = anonymous.form("/api/v1/apps", &form).await.ok();
        assert_eq!(created["redirect_uris"], json!(both));
    }

    // Scopes may be joined by a space or a plus sign.
    async fn scopes_are_joined_by_a_space_or_a_plus(app: &TestApp) {
        let anonymous = app.anonymous();
        for scopes in ["read+write", "read%2Bwrite", "read%20write"] {
            let body = format!("client_name=T&redirect_uris={BACK}&scopes={scopes}");
            let request = anonymous
                .request(Method::POST, "/api/v1/apps")
                .header("content-type", "application/x-www-form-urlencoded")
                .body(body);
            let created = anonymous.send(request).await.ok();
            assert_eq!(created["scopes"], json!(["read", "write"]), "{scopes}");
        }
        for scopes in [json!("read+write"), json!("read write"), json!(["read", "write"])] {
            let body = json!({"client_name": "T", "redirect_uris": BACK, "scopes": scopes});
            let created = anonymous.json("/api/v1/apps", body).await.ok();
            assert_eq!(created["scopes"], json!(["read", "write"]), "{scopes}");
        }
    }

    async fn a_wrong_registration_is_refused(app: &TestApp) {
        let anonymous = app.anonymous();
        let good = json!({"client_name": "T", "redirect_uris": BACK});
        assert_eq!(anonymous.json("/api/v1/apps", good.clone()).await.status, 200);
        for (name, value) in [
            ("client_name", json!("")),
            ("client_name", json!(null)),
            ("redirect_uris", json!("")),
            ("redirect_uris", json!(null)),
            ("redirect_uris", json!("/back")),
            ("redirect_uris", json!("javascript:alert(1)")),
            ("redirect_uris", json!([BACK, "data:text/html,x"])),
            ("redirect_uris", json!("https://a.example/#x")),
            ("redirect_uris", json!("https://a.example;x/")),
            ("redirect_uris", json!("https://*.example/")),
            ("redirect_uris", json!("http://a.example/")),
            ("redirect_uris", json!("ms-msdt:/id")),
            ("redirect_uris", json!("tester://back")),
            ("scopes", json!("read fly")),
            ("website", json!("javascript:alert(1)")),
        ] {
            let mut body = good.clone();
            body[name] = value;
            let response = anonymous.json("/api/v1/apps", body.clone()).await;
            assert!(response.expect(422)["error"].is_string(), "{body}");
        }
    }

    async fn unused_applications_are_deleted(app: &TestApp) {
        let known = async |client: &Registered| {
            let page = app.anonymous().get(&client.authorize(&[("scope", "read")])).await;
            page.status == 302
        };
        let (idle, own, used) = (
            register(app, "read").await,
            register(app, "read").await,
            register(app, "read").await,
        );
        let token = own.own_token(&app.anonymous(), "read").await;
        let browser = signed_in(app, "ann").await;
        let agreed = decide(&browser, &used.authorize(&[("scope", "read")]), "agree").await;
        let code = parameter(agreed.header("location").unwrap(), "code").unwrap();
        let grant =
            [("grant_type", "authorization_code"), ("code", code.as_str()), ("redirect_uri", BACK)];
        used.token(&app.anonymous(), &grant).await.ok();

        app.app().sweep_rows().await.unwrap();
        assert!(known(&idle).await && known(&own).await && known(&used).await);
        app.advance(Duration::from_secs(2 * 86_400));
        app.app().sweep_rows().await.unwrap();
        assert!(!known(&idle).await && known(&own).await && known(&used).await);
        app.advance(Duration::from_secs(31 * 86_400));
        // The first sweep deletes the token, the second the application that no longer has one.
        for _ in 0..2 {
            app.app().sweep_rows().await.unwrap();
        }
        assert!(!known(&own).await && known(&used).await);
        let gone = app.with_token(&token).get("/api/v1/apps/verify_credentials").await;
        assert_eq!(gone.status, 401);
    }

    // An application can read its own data with any scope, but never its secret.
    async fn verify_credentials_returns_the_application_without_its_secret(app: &TestApp) {
        let client = register(app, "read write follow push profile admin:read").await;
        for scope in ["read", "write", "follow", "push", "profile", "admin:read", "write:media"] {
            let token = client.own_token(&app.anonymous(), scope).await;
            let shown = app.with_token(&token).get("/api/v1/apps/verify_credentials").await.ok();
            assert_eq!(shown["id"], client.id.as_str());
            assert_eq!(shown["name"], "Tester");
            assert_eq!(shown["vapid_key"].as_str().unwrap().len(), 87);
            assert!(!shown.to_string().contains(&client.client_secret), "{shown}");
            assert_eq!(shown.get("client_secret"), None);
            assert_eq!(shown.get("client_id"), None);
        }
        let garbage = app.with_token("garbage").get("/api/v1/apps/verify_credentials").await;
        assert!(garbage.expect(401)["error"].is_string());
        assert_eq!(app.anonymous().get("/api/v1/apps/verify_credentials").await.status, 401);
    }
}
