//! `POST /oauth/token`.

use reqwest::Method;
use siskin_test_support::builders::PASSWORD;

use super::{BACK, CHALLENGE, VERIFIER, by_header, decide, parameter, register, signed_in, text};
use crate::support::{Response, TestApp};

fn error(response: &Response, status: u16) -> String {
    let body = response.expect(status);
    assert!(body["error_description"].is_string(), "{body}");
    assert_eq!(response.header("cache-control"), Some("no-store"));
    text(&body, "error")
}

api_tests! {
    async fn a_token_is_returned_once_and_not_cached(app: &TestApp) {
        let client = register(app, "read write").await;
        let more = [("grant_type", "client_credentials"), ("scope", "read")];
        let response = client.token(&app.anonymous(), &more).await;
        let token = response.ok();
        assert_eq!(token["token_type"], "Bearer");
        assert_eq!(token["scope"], "read");
        let now = app.app().now().unix_seconds();
        assert!((token["created_at"].as_i64().unwrap() - now).abs() < 60);
        assert_eq!(response.header("cache-control"), Some("no-store"));
        assert_eq!(response.header("pragma"), Some("no-cache"));
    }

    async fn a_code_is_exchanged_for_a_working_token(app: &TestApp) {
        let (client, browser) = (register(app, "read write").await, signed_in(app, "ann").await);
        let challenged = [
            ("scope", "read write"),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
        ];
        let sent_to = decide(&browser, &client.authorize(&challenged), "agree").await;
        let code = parameter(sent_to.header("location").unwrap(), "code").unwrap();
        let grant = [
            ("grant_type", "authorization_code"),
            ("code", &code),
            ("redirect_uri", BACK),
        ];
        let without = client.token(&app.anonymous(), &grant).await;
        assert_eq!(error(&without, 400), "invalid_grant");
        let mut with = grant.to_vec();
        with.push(("code_verifier", VERIFIER));
        // The server does not know these parameters, but some clients send them.
        with.extend([("scope", "read"), ("force_login", "true")]);
        let token = client.token(&app.anonymous(), &with).await.ok();
        assert_eq!(token["scope"], "read write");
        let person = app.with_token(&text(&token, "access_token"));
        assert_eq!(person.get("/api/v1/apps/verify_credentials").await.status, 200);

        let again = client.token(&app.anonymous(), &with).await;
        assert_eq!(error(&again, 400), "invalid_grant");
        assert_eq!(person.get("/api/v1/apps/verify_credentials").await.status, 401);
    }

    // Scopes may be joined by a space or a plus sign.
    async fn scopes_are_joined_by_a_space_or_a_plus(app: &TestApp) {
        let client = register(app, "read write").await;
        let anonymous = app.anonymous();
        let body = |scope: &str| {
            format!(
                "grant_type=client_credentials&client_id={}&client_secret={}&scope={scope}",
                client.client_id, client.client_secret
            )
        };
        for scope in ["read+write", "read%2Bwrite", "read%20write"] {
            let request = anonymous
                .request(Method::POST, "/oauth/token")
                .header("content-type", "application/x-www-form-urlencoded")
                .body(body(scope));
            assert_eq!(anonymous.send(request).await.ok()["scope"], "read write", "{scope}");
        }
        for scope in ["fly", "read+push", "admin:read"] {
            let more = [("grant_type", "client_credentials"), ("scope", scope)];
            assert_eq!(error(&client.token(&anonymous, &more).await, 400), "invalid_scope");
        }
    }

    // Unknown or duplicate parameters and a missing content type are accepted.
    async fn unknown_parameters_are_ignored(app: &TestApp) {
        let client = register(app, "read write").await;
        let anonymous = app.anonymous();
        let extra = [
            ("grant_type", "client_credentials"),
            ("redirect_uri", "urn:ietf:wg:oauth:2.0:oob"),
            ("scope", "read"),
            ("scope", "write"),
            ("website", "x"),
        ];
        assert_eq!(client.token(&anonymous, &extra).await.status, 200);

        let (id, secret) = (client.client_id.as_str(), client.client_secret.as_str());
        let twice = by_header(&anonymous, "/oauth/token", id, secret).form(&client.form(&extra));
        assert_eq!(anonymous.send(twice).await.status, 200);
        let header_alone = by_header(&anonymous, "/oauth/token", id, secret).form(&extra);
        assert_eq!(anonymous.send(header_alone).await.status, 200);

        for body in [
            format!("grant_type=client_credentials&client_id={id}&client_secret={secret}"),
            format!("{{\"grant_type\":\"client_credentials\",\"client_id\":\"{id}\",\"client_secret\":\"{secret}\"}}"),
        ] {
            let untyped = anonymous.request(Method::POST, "/oauth/token").body(body);
            assert_eq!(anonymous.send(untyped).await.status, 200);
        }
    }

    async fn a_client_must_authenticate(app: &TestApp) {
        let (client, other) = (register(app, "read").await, register(app, "read").await);
        let anonymous = app.anonymous();
        let grant = [("grant_type", "client_credentials")];
        let id = client.client_id.as_str();
        let refused = |response: Response| {
            assert_eq!(error(&response, 401), "invalid_client");
            assert_eq!(response.header("www-authenticate"), Some("Basic realm=\"oauth\""));
        };
        let wrong = [("client_id", id), ("client_secret", "wrong"), grant[0]];
        refused(anonymous.form("/oauth/token", &wrong).await);
        refused(anonymous.form("/oauth/token", &[("client_id", id), grant[0]]).await);
        refused(anonymous.form("/oauth/token", &grant).await);
        let contradiction = by_header(&anonymous, "/oauth/token", id, &client.client_secret)
            .form(&other.form(&grant));
        refused(anonymous.send(contradiction).await);
        let wrong = by_header(&anonymous, "/oauth/token", id, "wrong").form(&grant);
        refused(anonymous.send(wrong).await);
        let other_secret = [("client_id", id), ("client_secret", &other.client_secret), grant[0]];
        let contradiction = by_header(&anonymous, "/oauth/token", id, &client.client_secret)
            .form(&other_secret);
        refused(anonymous.send(contradiction).await);
    }

    async fn refused_grants_report_the_reason(app: &TestApp) {
        let client = register(app, "read").await;
        let anonymous = app.anonymous();
        for (more, expected) in [
            (vec![], "invalid_request"),
            (vec![("grant_type", "")], "invalid_request"),
            (vec![("grant_type", "refresh_token")], "unsupported_grant_type"),
            (vec![("grant_type", "password")], "unsupported_grant_type"),
            (vec![("grant_type", "authorization_code")], "invalid_request"),
            (vec![("grant_type", "authorization_code"), ("code", "x")], "invalid_request"),
            (
                vec![("grant_type", "authorization_code"), ("code", "x"), ("redirect_uri", BACK)],
                "invalid_grant",
            ),
        ] {
            let response = client.token(&anonymous, &more).await;
            assert_eq!(error(&response, 400), expected, "{more:?}");
        }
        let broken = anonymous
            .request(Method::POST, "/oauth/token")
            .header("content-type", "application/json")
            .body("{");
        assert_eq!(error(&anonymous.send(broken).await, 400), "invalid_request");
        assert_eq!(anonymous.get("/oauth/token").await.status, 404);
    }

    async fn the_token_is_read_by_scripts_of_any_origin(app: &TestApp) {
        let anonymous = app.anonymous();
        let preflight = anonymous
            .request(Method::OPTIONS, "/oauth/token")
            .header("origin", "https://client.example")
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "content-type");
        let response = anonymous.send(preflight).await;
        assert_eq!(response.status, 204);
        assert_eq!(response.header("access-control-allow-origin"), Some("*"));
        assert_eq!(response.header("access-control-allow-headers"), Some("content-type"));
        let response = anonymous.post("/oauth/token").await;
        assert_eq!(response.header("access-control-allow-origin"), Some("*"));
    }
}

/// Tests with the password grant enabled.
mod password {
    use siskin_test_support::both_engines;

    use super::*;
    use crate::support::run;

    fn with_passwords(config: &mut siskin_server::Config) {
        config.fixed_settings.push(("oauth_password_grant".to_owned(), "true".to_owned()));
    }

    both_engines! {
        fn the_password_grant_works_if_it_is_enabled(database: &TestDatabase) {
            run(database, with_passwords, async |app: &TestApp| {
                app.user("ann").await;
                let client = register(app, "read write").await;
                let anonymous = app.anonymous();
                let grant = |username: &'static str, password: &'static str| {
                    [
                        ("grant_type", "password"),
                        ("username", username),
                        ("password", password),
                        ("scope", "read write"),
                    ]
                };
                for username in ["ann@example.com", "ann"] {
                    let token = client.token(&anonymous, &grant(username, PASSWORD)).await.ok();
                    assert_eq!(token["scope"], "read write");
                    let person = app.with_token(&text(&token, "access_token"));
                    assert_eq!(person.get("/api/v1/notifications").await.status, 200);
                }
                for (username, password) in [("ann", "wrong"), ("bob", PASSWORD)] {
                    let response = client.token(&anonymous, &grant(username, password)).await;
                    assert_eq!(error(&response, 400), "invalid_grant");
                }
                let halves = [("grant_type", "password"), ("username", "ann")];
                let response = client.token(&anonymous, &halves).await;
                assert_eq!(error(&response, 400), "invalid_request");
                let metadata = anonymous.get("/.well-known/oauth-authorization-server").await.ok();
                let grants = metadata["grant_types_supported"].as_array().unwrap().clone();
                assert!(grants.contains(&"password".into()));
            });
        }
    }
}
