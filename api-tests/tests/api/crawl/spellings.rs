//! Percent-encoded spellings of the path of every route: the response is the same as for the plain
//! path.

use std::collections::BTreeMap;

use reqwest::Method;
use siskin_server::Config;
use siskin_test_support::both_engines;

use super::routes;
use crate::support::{Client, Response, TestApp, run};

/// Headers that differ between any two responses.
const OF_THE_MOMENT: [&str; 5] =
    ["date", "x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset", "set-cookie"];

/// Escapes every second letter, or every letter, of a path.
fn escaped(path: &str, every: usize) -> String {
    let escape = |(at, letter): (usize, char)| match letter {
        '/' | '%' | '+' => letter.to_string(),
        _ if at % every != 0 || !letter.is_ascii() => letter.to_string(),
        _ if at % 3 == 0 => format!("%{:02x}", u32::from(letter)),
        _ => format!("%{:02X}", u32::from(letter)),
    };
    path.chars().enumerate().map(escape).collect()
}

fn lasting(response: &Response) -> BTreeMap<String, String> {
    let headers =
        response.headers.iter().map(|(name, value)| (name.to_string(), format!("{value:?}")));
    headers.filter(|(name, _)| !OF_THE_MOMENT.contains(&name.as_str())).collect()
}

async fn send(client: &Client, method: &Method, path: &str) -> Response {
    client.send(client.request(method.clone(), path)).await
}

fn concrete(path: &str, alice: &str) -> String {
    path.replace("{handle}", "alice")
        .replace("{username}", "alice")
        .replace("{hashtag}", "birds")
        .replace("{name}", "birds")
        .replace("{version}", "2.0")
        .replace("/accounts/{id}", &format!("/accounts/{alice}"))
        .split('/')
        .map(|part| if part.starts_with('{') { "1" } else { part })
        .collect::<Vec<_>>()
        .join("/")
}

api_tests! {
    async fn escaped_paths_are_answered_like_plain_paths(app: &TestApp) {
        let alice = app.user("alice").await;
        alice.publish("Hello #birds").await;
        let anonymous = app.anonymous();
        let stream = |path: &str| path.starts_with("/api/v1/streaming") && !path.ends_with("/health");
        let mut successes = 0;
        for route in routes::all() {
            let path = concrete(&route.path, &alice.id);
            let mut callers = vec![&anonymous];
            if route.method == Method::GET && !stream(&path) {
                callers.push(&alice.client);
            }
            for caller in callers {
                let plain = send(caller, &route.method, &path).await;
                successes += u32::from(plain.status == 200);
                for every in [1, 2, 5] {
                    let spelling = escaped(&path, every);
                    let other = send(caller, &route.method, &spelling).await;
                    assert_eq!(other.status, plain.status, "{} {spelling}", route.method);
                    assert_eq!(lasting(&other), lasting(&plain), "{} {spelling}", route.method);
                }
            }
        }
        assert!(successes > 50, "only {successes}");
    }

    async fn names_in_paths_may_contain_escapes(app: &TestApp) {
        let alice = app.user("alice").await;
        alice.publish("#été").await;
        for path in ["/api/v1/tags/%C3%A9t%C3%A9", "/api/v1/tags/%c3%a9t%c3%a9", "/%61pi/v1/tags/%C3%A9%74%C3%A9"] {
            assert_eq!(app.anonymous().get(path).await.ok()["name"], "ete", "{path}");
        }
        // An escaped slash does not end a segment, and an escaped percent sign begins no escape.
        for path in ["/api%2Fv1/instance", "/api/v1/tags%2fbirds", "/%2561pi/v1/instance"] {
            app.anonymous().get(path).await.expect(404);
        }
    }
}

both_engines! {
    fn no_spelling_bypasses_the_rate_limits(database: &TestDatabase) {
        let limited = |config: &mut Config| {
            config.fixed_settings.retain(|(key, _)| key != "rate_limits.enabled");
            config.fixed_settings.push(("rate_limits.requests".to_owned(), "2".to_owned()));
        };
        run(database, limited, async |app: &TestApp| {
            let anonymous = app.anonymous();
            for path in ["/api/v1/instance/rules", "/%61pi/v1/instance/rules"] {
                let response = anonymous.get(path).await;
                assert_eq!(response.status, 200, "{path}");
                assert_eq!(response.header("cache-control"), Some("private, no-store"), "{path}");
                assert_eq!(response.header("access-control-allow-origin"), Some("*"), "{path}");
            }
            for path in ["/api/v1/instance/rules", "/%61pi/v1/instance/rules", "/%41pi", "/%61%70%69/v1/instance/"] {
                let status = anonymous.get(path).await.status;
                assert_eq!(status, if path == "/%41pi" { 404 } else { 429 }, "{path}");
            }
            for page in ["/%61uth/sign_in", "/%40alice", "/%74ags/birds"] {
                assert_eq!(anonymous.get(page).await.status, 429, "{page}");
            }
        });
    }
}
