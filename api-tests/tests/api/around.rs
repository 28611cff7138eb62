//! Common features of all responses: headers, trailing slashes, CORS, rate limits.

use std::time::Duration;

use reqwest::Method;
use siskin_server::Config;
use siskin_test_support::{both_engines, builders::PASSWORD};

use crate::{
    oauth::{BACK, register, sign_in},
    support::{Response, TestApp, run},
};

/// Enables rate limits, with a lower value for this one.
fn limited(key: &'static str, limit: u32) -> impl FnOnce(&mut Config) {
    move |config| {
        config.fixed_settings.retain(|(key, _)| key != "rate_limits.enabled");
        config.fixed_settings.push(("rate_limits.enabled".to_owned(), "true".to_owned()));
        config.fixed_settings.push((key.to_owned(), limit.to_string()));
        config.fixed_settings.push(("oauth_password_grant".to_owned(), "true".to_owned()));
    }
}

/// Moves the clock to the next multiple of `seconds`, where a window begins.
fn begin_window(app: &TestApp, seconds: i64) {
    let into = app.app().now().unix_ms().rem_euclid(seconds * 1000);
    app.advance(Duration::from_millis(u64::try_from(seconds * 1000 - into).unwrap()));
}

fn number(response: &Response, name: &str) -> u32 {
    response.header(name).unwrap_or_else(|| panic!("no {name} in {response:?}")).parse().unwrap()
}

api_tests! {
    // Authorization errors take precedence over parameter errors, and the required scope is
    // checked.
    async fn authorization_errors_take_precedence_over_parameter_errors(app: &TestApp) {
        let ann = app.user("ann").await;
        let viewer = app.user_with_scopes(&ann, "read:statuses").await;
        let mute = format!("/api/v1/accounts/{}/mute", ann.id);
        for _ in 0..20 {
            for (path, body) in [
                ("/api/v1/follows", "{}"),
                ("/api/v1/follows", "{"),
                ("/api/v1/domain_blocks", "{}"),
                ("/api/v2/media", "{"),
                (mute.as_str(), r#"{"duration":"abc"}"#),
            ] {
                for (caller, status) in [(&viewer, 403), (&app.anonymous(), 401)] {
                    let request = caller.request(Method::POST, path).body(body);
                    let request = request.header("content-type", "application/json");
                    assert_eq!(caller.send(request).await.status, status, "{path} {body}");
                }
            }
        }
        // An authorized caller gets the parameter error.
        let request = ann.request(Method::POST, "/api/v1/follows").body("{");
        ann.send(request.header("content-type", "application/json")).await.expect(400);
    }

    async fn a_trailing_slash_is_ignored(app: &TestApp) {
        let ann = app.user("ann").await;
        for path in ["/api/v1/instance/", "/api/v2/instance/", "/api/v1/notifications/", "/health/"] {
            assert_eq!(ann.get(path).await.status, 200, "{path}");
        }
        let list = ann.get("/api/v1/timelines/public/?limit=1").await;
        assert_eq!(list.status, 200);
    }

    async fn head_is_answered_like_get_without_a_body(app: &TestApp) {
        let ann = app.user("ann").await;
        for path in ["/", "/health", "/api/v2/instance", "/api/v1/markers", "/nodeinfo/2.0", "/nothing"] {
            let get = ann.get(path).await;
            let head = ann.send(ann.request(Method::HEAD, path)).await;
            assert_eq!((head.status, head.body.len()), (get.status, 0), "{path}");
            assert_eq!(head.header("content-type"), get.header("content-type"), "{path}");
            assert!(head.header("date").is_some(), "{path}");
        }
        // HEAD exists only for routes that read; this one answers only POST.
        let clear = ann.send(ann.request(Method::HEAD, "/api/v1/notifications/clear")).await;
        assert_eq!(clear.status, 404);
    }

    async fn cors_allows_every_origin(app: &TestApp) {
        let anonymous = app.anonymous();
        for path in ["/api/v1/statuses", "/oauth/token", "/oauth/revoke", "/nodeinfo/2.0", "/.well-known/nodeinfo"] {
            let preflight = anonymous
                .request(Method::OPTIONS, path)
                .header("origin", "https://client.example")
                .header("access-control-request-method", "POST")
                .header("access-control-request-headers", "authorization,content-type,idempotency-key");
            let response = anonymous.send(preflight).await;
            assert_eq!(response.status, 204, "{path}");
            assert_eq!(response.header("access-control-allow-origin"), Some("*"));
            assert!(response.header("access-control-allow-methods").unwrap().contains("DELETE"));
            let headers = response.header("access-control-allow-headers").unwrap();
            assert_eq!(headers, "authorization,content-type,idempotency-key");
            assert_eq!(response.header("access-control-allow-credentials"), None);
        }
        let response = anonymous.get("/api/v1/instance").await;
        let exposed = response.header("access-control-expose-headers").unwrap();
        for name in ["Link", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"] {
            assert!(exposed.contains(name), "{name}");
        }
        for page in ["/", "/auth/sign_in", "/settings/sessions", "/oauth/authorize"] {
            assert_eq!(anonymous.get(page).await.header("access-control-allow-origin"), None);
        }
    }

    async fn every_response_has_security_headers_and_an_id(app: &TestApp) {
        let anonymous = app.anonymous();
        let mut ids = Vec::new();
        for path in ["/", "/api/v1/instance", "/nothing", "/api/v1/statuses/0", "/setup"] {
            let response = anonymous.get(path).await;
            assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{path}");
            assert_eq!(response.header("referrer-policy"), Some("same-origin"));
            assert_eq!(response.header("x-frame-options"), Some("DENY"));
            let policy = response.header("content-security-policy").unwrap();
            assert!(policy.contains("frame-ancestors 'none'") && policy.contains("default-src 'none'"));
            assert_eq!(response.header("strict-transport-security"), None);
            ids.push(response.header("x-request-id").unwrap().to_owned());
        }
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 5);
    }

    async fn rate_limit_headers_are_sent_even_if_limits_are_disabled(app: &TestApp) {
        let ann = app.user("ann").await;
        for client in [app.anonymous(), ann.client.clone()] {
            let (first, second) = (client.get("/api/v1/instance").await, client.get("/api/v1/instance").await);
            assert_eq!(number(&first, "x-ratelimit-limit"), 300);
            assert!(number(&second, "x-ratelimit-remaining") < number(&first, "x-ratelimit-remaining"));
            let reset = first.header("x-ratelimit-reset").unwrap();
            assert!(reset.ends_with('Z') && reset > app.app().now().to_string().as_str());
        }
    }
}

both_engines! {
    // `X-RateLimit-Remaining` falls to 0 before the first request is refused.
    fn the_remaining_budget_reaches_zero_before_requests_are_refused(database: &TestDatabase) {
        run(database, limited("rate_limits.requests", 5), async |app: &TestApp| {
            let anonymous = app.anonymous();
            for left in [4, 3, 2, 1, 0] {
                let response = anonymous.get("/api/v1/instance").await;
                assert_eq!((response.status, number(&response, "x-ratelimit-remaining")), (200, left));
            }
            let refused = anonymous.get("/api/v1/instance").await;
            assert_eq!(refused.expect(429)["error"], "Too many requests");
            assert_eq!(number(&refused, "x-ratelimit-remaining"), 0);
            assert_eq!(refused.header("access-control-allow-origin"), Some("*"));
            // A forwarding header of an untrusted peer has no effect on the limits.
            let forwarded = anonymous
                .request(Method::GET, "/api/v1/instance")
                .header("x-forwarded-for", "9.9.9.9");
            assert_eq!(anonymous.send(forwarded).await.status, 429);
            let page = anonymous.get("/auth/sign_in").await;
            assert_eq!(page.status, 429);
            assert!(page.text().contains("<h1>"));
            assert_eq!(anonymous.get("/health").await.status, 200);

            app.advance(Duration::from_secs(300));
            assert_eq!(anonymous.get("/api/v1/instance").await.status, 200);
        });
    }

    fn an_account_has_one_limit_across_addresses(database: &TestDatabase) {
        let configure = |config: &mut Config| {
            limited("rate_limits.requests", 3)(config);
            config.trusted_proxies.push("127.0.0.0/8".to_owned());
        };
        run(database, configure, async |app: &TestApp| {
            let ann = app.user("ann").await;
            let ask = async |address: &str| {
                let request = ann
                    .request(Method::GET, "/api/v1/notifications")
                    .header("x-forwarded-for", address);
                ann.send(request).await
            };
            for address in ["9.9.9.1", "9.9.9.2", "9.9.9.3"] {
                assert_eq!(ask(address).await.status, 200);
            }
            let refused = ask("9.9.9.4").await;
            assert_eq!(refused.expect(429)["error"], "Too many requests");
            assert_eq!(number(&refused, "x-ratelimit-remaining"), 0);
        });
    }

    // Attempts to sign in are limited, and a forged forwarding header does not evade the limit.
    fn sign_in_attempts_are_limited(database: &TestDatabase) {
        run(database, limited("rate_limits.sign_in", 3), async |app: &TestApp| {
            app.user("ann").await;
            let client = register(app, "read").await;
            let anonymous = app.anonymous();
            let grant = |password: &'static str| {
                [("grant_type", "password"), ("username", "ann"), ("password", password)]
            };
            for _ in 0..3 {
                assert_eq!(client.token(&anonymous, &grant("wrong")).await.status, 400);
            }
            let form = client.form(&grant(PASSWORD));
            for path in ["/oauth/token", "/oauth/token/"] {
                assert_eq!(anonymous.form(path, &form).await.status, 429, "{path}");
            }
            for path in ["/oauth/token.json", "//oauth/token", "/OAuth/Token"] {
                assert_eq!(anonymous.form(path, &form).await.status, 404, "{path}");
            }
            for header in ["x-forwarded-for", "forwarded", "x-real-ip"] {
                let request = anonymous
                    .request(Method::POST, "/oauth/token")
                    .header(header, "9.9.9.9")
                    .form(&form);
                assert_eq!(anonymous.send(request).await.status, 429, "{header}");
            }
            let page = sign_in(&app.browser(), "ann@example.com", PASSWORD).await;
            assert_eq!(page.status, 429);
            assert!(page.text().contains("Too many attempts"));
        });
    }

    fn attempts_from_one_address_do_not_lock_the_owner_out(database: &TestDatabase) {
        let configure = |config: &mut Config| {
            limited("rate_limits.sign_in", 3)(config);
            config.trusted_proxies.push("127.0.0.0/8".to_owned());
        };
        run(database, configure, async |app: &TestApp| {
            app.user("ann").await;
            app.user("bob").await;
            let (client, anonymous) = (register(app, "read").await, app.anonymous());
            begin_window(app, 1800);
            let attempt = async |address: &str, login: &str, password: &str| {
                let grant = [("grant_type", "password"), ("username", login), ("password", password)];
                let request = anonymous
                    .request(Method::POST, "/oauth/token")
                    .header("x-forwarded-for", address)
                    .form(&client.form(&grant));
                let response = anonymous.send(request).await;
                // The headers report the budget of all requests, not the one for passwords.
                assert_eq!(number(&response, "x-ratelimit-limit"), 300);
                response.status
            };
            for _ in 0..3 {
                assert_eq!(attempt("9.9.9.9", "ann", "wrong").await, 400);
            }
            assert_eq!(attempt("9.9.9.9", "ann", PASSWORD).await, 429);
            assert_eq!(attempt("9.9.9.9", "bob", PASSWORD).await, 429);
            assert_eq!(attempt("9.9.9.8", "ann", PASSWORD).await, 200);

            // Attempts count by login, so that the limit does not reveal which email address
            // belongs to a name.
            app.advance(Duration::from_secs(300));
            assert_eq!(attempt("9.9.9.9", "@ann", "wrong").await, 429);
            assert_eq!(attempt("9.9.9.9", "ann@example.com", "wrong").await, 400);
            app.advance(Duration::from_secs(300));
            assert_eq!(attempt("9.9.9.9", "nobody@example.com", "wrong").await, 400);
            assert_eq!(attempt("9.9.9.9", "bob", PASSWORD).await, 200);

            // There is also a limit for one login from many addresses together.
            let mut tries = 0;
            while attempt(&format!("8.8.8.{}", tries / 3), "ann", "wrong").await != 429 {
                tries += 1;
                assert!(tries < 40, "{tries}");
            }
            assert!(tries > 20, "{tries}");
            assert_eq!(attempt("9.9.9.7", "ann", PASSWORD).await, 429);
            assert_eq!(attempt("9.9.9.7", "bob", PASSWORD).await, 200);
            app.advance(Duration::from_secs(1800));
            assert_eq!(attempt("9.9.9.7", "ann", PASSWORD).await, 200);
        });
    }

    fn anonymous_creations_have_their_own_limits(database: &TestDatabase) {
        let configure = |config: &mut Config| {
            limited("rate_limits.apps", 2)(config);
            config.fixed_settings.push(("rate_limits.app_tokens".to_owned(), "2".to_owned()));
        };
        run(database, configure, async |app: &TestApp| {
            let anonymous = app.anonymous();
            begin_window(app, 1800);
            let client = register(app, "read").await;
            let form = [("client_name", "T"), ("redirect_uris", BACK)];
            let second = anonymous.form("/api/v1/apps", &form).await;
            assert_eq!((second.status, number(&second, "x-ratelimit-remaining")), (200, 0));
            assert_eq!(anonymous.form("/api/v1/apps", &form).await.status, 429);
            let grant = [("grant_type", "client_credentials")];
            for status in [200, 200, 429] {
                assert_eq!(client.token(&anonymous, &grant).await.status, status);
            }
            app.advance(Duration::from_secs(1800));
            assert_eq!(anonymous.form("/api/v1/apps", &form).await.status, 200);
            client.token(&anonymous, &grant).await.ok();
        });
    }

    fn deletions_have_their_own_limit(database: &TestDatabase) {
        run(database, limited("rate_limits.delete", 2), async |app: &TestApp| {
            let ann = app.user("ann").await;
            let mut ids = Vec::new();
            for text in ["one", "two", "three"] {
                let status = ann.form("/api/v1/statuses", &[("status", text)]).await.ok();
                ids.push(status["id"].as_str().unwrap().to_owned());
            }
            let delete = async |id: &str| ann.delete(&format!("/api/v1/statuses/{id}")).await;
            let first = delete(&ids[0]).await;
            assert_eq!((first.status, number(&first, "x-ratelimit-limit")), (200, 2));
            assert_eq!(delete(&ids[1]).await.status, 200);
            assert_eq!(delete(&ids[2]).await.status, 429);
            assert_eq!(ann.get(&format!("/api/v1/statuses/{}", ids[2])).await.status, 200);
        });
    }
}
