//! One address, two answers: a document for servers, a page for people.

use reqwest::Method;

use crate::support::{federation::ACTIVITY, id};

const PROFILE: &str = r#"application/ld+json; profile="https://www.w3.org/ns/activitystreams""#;
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/// Preferences, and whether they are answered by a document.
fn preferences() -> Vec<(String, bool)> {
    vec![
        (ACTIVITY.to_owned(), true),
        ("Application/Activity+JSON;charset=utf-8".to_owned(), true),
        ("application/ld+json".to_owned(), true),
        (PROFILE.to_owned(), true),
        (format!("{ACTIVITY}, {PROFILE}, text/html;q=0.1"), true),
        (format!("{PROFILE}, {ACTIVITY}"), true),
        (format!("application/json, {ACTIVITY};q=0.5"), true),
        (format!("*/*;q=0.1, {ACTIVITY};q=0.2"), true),
        (BROWSER.to_owned(), false),
        ("text/html".to_owned(), false),
        (format!("text/html, {ACTIVITY};q=0.9"), false),
        ("*/*".to_owned(), false),
        ("application/json".to_owned(), false),
        ("application/*".to_owned(), false),
        (format!("{ACTIVITY};q=0"), false),
        ("image/png".to_owned(), false),
        ("nonsense".to_owned(), false),
        (String::new(), false),
    ]
}

api_tests! {
    async fn only_who_asks_for_a_document_gets_one(app: &TestApp) {
        app.federate().await;
        let status = id(&app.user("alice").await.publish("Hello").await);
        let anonymous = app.anonymous();
        let actor = format!("{}/users/alice", app.base_url());
        let note = format!("{actor}/statuses/{status}");
        for (path, id) in [("/@alice".to_owned(), &actor), (format!("/@alice/{status}"), &note)] {
            for (accept, is_document) in preferences() {
                let response = anonymous.accepting(&accept, &path).await;
                assert_eq!(response.status, 200, "{path} {accept}");
                assert_eq!(response.header("vary"), Some("Accept"), "{path} {accept}");
                let kind = response.header("content-type").unwrap();
                let expected = if is_document { ACTIVITY } else { "text/html; charset=utf-8" };
                assert_eq!(kind, expected, "{path} {accept}");
                if is_document {
                    assert_eq!(response.json()["id"], **id, "{path} {accept}");
                }
            }
            assert!(anonymous.get(&path).await.text().starts_with("<!DOCTYPE html>"), "{path}");
        }
    }

    async fn ids_lead_people_to_pages(app: &TestApp) {
        app.federate().await;
        let status = id(&app.user("alice").await.publish("Hello").await);
        let anonymous = app.anonymous();
        for (path, page) in [
            ("/users/alice".to_owned(), "/@alice".to_owned()),
            (format!("/users/alice/statuses/{status}"), format!("/@alice/{status}")),
        ] {
            let page = format!("{}{page}", app.base_url());
            for (accept, is_document) in preferences() {
                let response = anonymous.accepting(&accept, &path).await;
                assert_eq!(response.header("vary"), Some("Accept"), "{path} {accept}");
                if is_document {
                    assert_eq!(response.ok()["id"], format!("{}{path}", app.base_url()));
                    assert_eq!(response.ok()["url"], page);
                } else {
                    assert_eq!(response.status, 302, "{path} {accept}");
                    assert_eq!(response.header("location"), Some(&*page), "{path} {accept}");
                }
            }
        }
    }

    async fn pages_name_their_documents(app: &TestApp) {
        app.federate().await;
        let status = id(&app.user("alice").await.publish("Hello #birds").await);
        let anonymous = app.anonymous();
        let actor = format!("{}/users/alice", app.base_url());
        for (path, id) in [
            ("/@alice".to_owned(), actor.clone()),
            (format!("/@alice/{status}"), format!("{actor}/statuses/{status}")),
        ] {
            let page = anonymous.get(&path).await;
            let link = format!("<{id}>; rel=\"alternate\"; type=\"{ACTIVITY}\"");
            assert_eq!(page.header("link"), Some(&*link), "{path}");
            let element = format!("<link rel=\"alternate\" type=\"{ACTIVITY}\" href=\"{id}\">");
            assert!(page.text().contains(&element), "{path}: {}", page.text());
        }
        for path in
            ["/tags/birds".to_owned(), "/about".to_owned(), format!("/@alice/{status}/embed")]
        {
            let page = anonymous.get(&path).await;
            assert_eq!(page.status, 200, "{path}");
            assert!(!page.text().contains(ACTIVITY), "{path}");
        }
    }

    // Only pages have an address of their own.
    async fn what_has_no_page_is_a_document_for_everyone(app: &TestApp) {
        app.federate().await;
        let status = id(&app.user("alice").await.publish("Hello").await);
        let anonymous = app.anonymous();
        let mut paths = vec!["/actor".to_owned()];
        let of_account =
            ["collections/featured", "collections/tags", "followers", "following", "outbox"];
        paths.extend(of_account.iter().map(|name| format!("/users/alice/{name}")));
        let of_status = ["activity", "likes", "replies", "shares"];
        paths.extend(of_status.iter().map(|name| format!("/users/alice/statuses/{status}/{name}")));
        for path in paths {
            for accept in [ACTIVITY, BROWSER, "application/json"] {
                let response = anonymous.accepting(accept, &path).await;
                assert_eq!(response.header("content-type"), Some(ACTIVITY), "{path} {accept}");
                assert_eq!(response.ok()["id"], format!("{}{path}", app.base_url()), "{accept}");
                assert_eq!(response.header("link"), None, "{path}");
            }
        }
    }

    async fn documents_are_data_that_scripts_of_all_sites_may_read(app: &TestApp) {
        app.federate().await;
        app.user("alice").await;
        let anonymous = app.anonymous();
        for path in ["/users/alice", "/@alice", "/users/nobody", "/users/alice/outbox"] {
            let response = anonymous.document(path).await;
            assert_eq!(response.header("access-control-allow-origin"), Some("*"), "{path}");
            assert_eq!(response.header("access-control-allow-credentials"), None, "{path}");
            assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{path}");
            let policy = response.header("content-security-policy").unwrap();
            assert!(policy.contains("default-src 'none'"), "{path}: {policy}");
            assert_eq!(response.header("set-cookie"), None, "{path}");
        }
        let page = anonymous.get("/@alice").await;
        assert_eq!(page.header("access-control-allow-origin"), None);
    }

    // Nothing arrives yet.
    async fn inboxes_do_not_exist(app: &TestApp) {
        app.federate().await;
        let status = id(&app.user("alice").await.publish("Hello").await);
        let anonymous = app.anonymous();
        for path in [
            "/inbox".to_owned(),
            "/actor/inbox".to_owned(),
            "/users/alice/inbox".to_owned(),
            "/users/alice/outbox".to_owned(),
            "/users/alice".to_owned(),
            format!("/users/alice/statuses/{status}"),
        ] {
            let body = r#"{"@context":"https://www.w3.org/ns/activitystreams","type":"Follow"}"#;
            let request = anonymous.request(Method::POST, &path).header("content-type", ACTIVITY);
            let response = anonymous.send(request.header("accept", ACTIVITY).body(body)).await;
            assert_eq!(response.status, 404, "{path}: {response:?}");
        }
        for path in ["/inbox", "/actor/inbox", "/users/alice/inbox"] {
            assert_eq!(anonymous.document(path).await.status, 404, "{path}");
        }
    }

    async fn visitors_of_other_servers_are_led_to_what_they_ask_for(app: &TestApp) {
        app.federate().await;
        let status = id(&app.user("alice").await.publish("Hello").await);
        let browser = app.browser();
        let profile = format!("{}/@alice", app.base_url());
        for (uri, page) in [
            (format!("acct:alice@{}", app.domain()), profile.clone()),
            (format!("@alice@{}", app.domain()), profile.clone()),
            (format!("{}/users/alice", app.base_url()), profile.clone()),
            (
                format!("{}/users/alice/statuses/{status}", app.base_url()),
                format!("{profile}/{status}"),
            ),
        ] {
            let request = browser.request(Method::GET, "/authorize_interaction");
            let response = browser.send(request.query(&[("uri", &uri)])).await;
            assert_eq!(response.status, 302, "{uri}: {response:?}");
            assert_eq!(response.header("location"), Some(&*page), "{uri}");
        }
        for uri in
            ["alice", "https://far.example/@bob", "acct:bob@far.example", "javascript:alert(1)"]
        {
            let request = browser.request(Method::GET, "/authorize_interaction");
            let response = browser.send(request.query(&[("uri", uri)])).await;
            assert_eq!(response.status, 404, "{uri}: {response:?}");
            assert!(response.text().starts_with("<!DOCTYPE html>"), "{uri}");
        }
        assert_eq!(browser.get("/authorize_interaction").await.status, 400);
    }
}
