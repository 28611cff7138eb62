//! Texts that mean something to a database, a search index, a template or a protocol: everywhere
//! they are only texts.

use reqwest::Url;
use siskin_test_support::builders::PASSWORD;

use super::{long_texts::all_text_fields, routes};
use crate::{
    oauth::sign_in,
    support::{Response, TestApp, User},
};

/// A header that no response has, unless a text becomes one.
const INJECTED: &str = "x-injected";

const PAYLOADS: &[&str] = &[
    "'",
    "\"",
    "'; DROP TABLE accounts; --",
    "' OR '1'='1",
    "1 UNION SELECT password_hash FROM users",
    "%",
    "_",
    "%%%_%",
    "\\",
    "\\' OR 1=1 --",
    "a\u{0}b",
    "a\r\nX-Injected: 1\r\n\r\n<html>",
    "a\nX-Injected: 1",
    "{\"$ne\":null}",
    "$.a[*]",
    "{{7*7}}${7*7}<%= 7*7 %>",
    "NEAR(a b) AND \"c",
    "* OR -a:b^2~ (",
    "${jndi:ldap://127.0.0.1/a}",
    "../../../../etc/passwd",
    "\u{202e}\u{200b}\u{feff}",
    "NULL",
];

/// Filters that select by a text: no payload selects anything.
const FILTERS: &[(&str, &str)] = &[
    ("/api/v1/admin/accounts", "username"),
    ("/api/v1/admin/accounts", "display_name"),
    ("/api/v1/admin/accounts", "email"),
    ("/api/v1/admin/accounts", "by_domain"),
    ("/api/v2/admin/accounts", "username"),
    ("/api/v2/admin/accounts", "display_name"),
    ("/api/v2/admin/accounts", "email"),
    ("/api/v2/admin/accounts", "by_domain"),
    ("/api/v2/admin/accounts", "invited_by"),
];

/// Other parameters with free texts, by route.
const TEXTS: &[(&str, &[&str])] = &[
    ("/.well-known/webfinger", &["resource"]),
    ("/admin/accounts", &["username", "display_name", "email", "ip", "by_domain"]),
    ("/admin/audit-log", &["target_kind", "target_id", "account_id"]),
    ("/admin/sign-ups", &["ip", "username", "email"]),
    ("/api/oembed", &["url"]),
    ("/api/v1/accounts/lookup", &["acct"]),
    ("/api/v1/accounts/search", &["q"]),
    ("/api/v1/admin/accounts", &["ip"]),
    ("/api/v1/admin/audit_log", &["target_kind", "target_id", "account_id", "max_id"]),
    ("/api/v1/admin/jobs", &["state", "max_id"]),
    ("/api/v1/admin/reports", &["account_id", "target_account_id", "by_target_domain"]),
    ("/api/v1/directory", &["order", "offset"]),
    ("/api/v1/timelines/link", &["url"]),
    ("/api/v1/timelines/tag/birds", &["any[]", "all[]", "none[]"]),
    ("/api/v2/admin/accounts", &["ip", "origin", "status", "permissions", "role_ids[]"]),
    ("/api/v2/notifications", &["types[]", "grouped_types[]", "account_id"]),
    ("/api/v2/search", &["q", "type", "account_id"]),
    ("/auth/confirmation", &["confirmation_token"]),
    ("/auth/external/unknown", &["return_to", "invite_code"]),
    ("/auth/external/unknown/callback", &["code", "state", "error", "iss"]),
    ("/auth/password/edit", &["reset_password_token"]),
    ("/auth/sign_in", &["return_to", "lang"]),
    ("/auth/sign_up", &["invite_code", "return_to"]),
    ("/authorize_interaction", &["uri"]),
    ("/oauth/authorize", &["client_id", "redirect_uri", "scope", "response_type", "state"]),
    ("/unsubscribe", &["token", "topic", "signature"]),
];

fn with_query(path: &str, name: &str, value: &str) -> String {
    let url = Url::parse_with_params("http://x/", [(name, value)]).unwrap();
    format!("{path}?limit=40&{}", url.query().unwrap())
}

/// Returns a text as one segment of a path.
fn segment(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Returns `true` for an error of the server, and if a text became a header.
fn is_fault(response: &Response) -> bool {
    response.status >= 500 || response.header(INJECTED).is_some()
}

/// Creates accounts with names that a wildcard would select, and statuses. Returns the owner.
async fn people(app: &TestApp) -> User {
    let alice = app.user("alice_b").await;
    let shown = [("display_name", "Alice (100 percent)")];
    alice.patch("/api/v1/accounts/update_credentials", &shown).await.ok();
    alice.publish("Hello #birds").await;
    app.remote("zoe", "far.example").await;
    app.staff("boss", "Owner").await
}

api_tests! {
    async fn no_payload_selects_anything(app: &TestApp) {
        let boss = people(app).await;
        for (path, name) in FILTERS {
            // A text without visible characters is no filter.
            for payload in PAYLOADS.iter().filter(|payload| payload.is_ascii()) {
                let path = with_query(path, name, payload);
                let response = boss.get(&path).await;
                assert!(!is_fault(&response), "{path}: {response:?}");
                let is_empty = response.status == 200 && response.text() == "[]";
                let is_refused = matches!(response.status, 400 | 422);
                assert!(is_empty || is_refused, "{path}: {response:?}");
            }
        }
    }

    async fn no_payload_that_is_read_causes_a_server_error(app: &TestApp) {
        let boss = people(app).await;
        let browser = app.browser();
        assert_eq!(sign_in(&browser, "boss@example.com", PASSWORD).await.status, 302);
        let mut paths = Vec::new();
        for payload in PAYLOADS {
            for (path, names) in TEXTS {
                paths.extend(names.iter().map(|name| with_query(path, name, payload)));
            }
            for route in routes::read().iter().filter(|route| route.path.contains('{')) {
                let parts = route.path.split('/').map(|part| match part.split_once('{') {
                    Some((before, _)) => format!("{before}{}", segment(payload)),
                    None => part.to_owned(),
                });
                paths.push(parts.collect::<Vec<_>>().join("/"));
            }
        }
        let mut faults = Vec::new();
        for path in paths {
            let caller = if path.starts_with("/api/") { &boss.client } else { &browser };
            let response = caller.get(&path).await;
            if is_fault(&response) {
                faults.push(format!("{path}: {}", response.status));
            }
        }
        assert!(faults.is_empty(), "{faults:#?}");
    }

    async fn no_payload_that_is_stored_causes_a_server_error(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.app().change_setting("registrations".into(), "open".into()).await.unwrap();
        let application = app.application("read write").await;
        let boss = app.staff("boss", "Owner").await;
        let before = boss.get("/api/v1/admin/accounts?limit=200").await.ids();
        let mut faults = Vec::new();
        for text_field in all_text_fields(app, &alice, &bob).await {
            let client = match &*text_field.path {
                "/api/v1/accounts" | "/api/v1/apps" => &application,
                path if path.starts_with("/api/v1/admin/") => &boss.client,
                _ => &alice.client,
            };
            for payload in PAYLOADS {
                let request = client.request(text_field.method.clone(), &text_field.path);
                let body = text_field.with(payload);
                let response = client.send(request.json(&body)).await;
                if is_fault(&response) {
                    let (method, path) = (&text_field.method, &text_field.path);
                    faults.push(format!("{method} {path} {body}: {}", response.status));
                }
            }
        }
        assert!(faults.is_empty(), "{faults:#?}");
        // Everything is still there and can be read.
        let after = boss.get("/api/v1/admin/accounts?limit=200").await.ids();
        assert!(before.iter().all(|account| after.contains(account)));
        for path in ["/api/v1/timelines/home", "/api/v1/lists", "/api/v2/filters", "/api/v1/domain_blocks"] {
            alice.get(path).await.ok();
        }
        for path in ["reports", "domain_blocks", "ip_blocks", "roles", "audit_log"] {
            boss.get(&format!("/api/v1/admin/{path}")).await.ok();
        }
        assert_eq!(app.anonymous().get("/@alice").await.status, 200);
    }
}
