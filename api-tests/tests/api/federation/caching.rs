//! Documents have versions: who has the present one gets no second copy, and every change makes a
//! new one.

use reqwest::Method;
use serde_json::json;

use crate::support::{Client, Response, federation::ACTIVITY, id, pictures::png};

/// Asks for a document again, with the tag of a version.
async fn again(client: &Client, path: &str, tag: &str) -> Response {
    let request = client.request(Method::GET, path).header("accept", ACTIVITY);
    client.send(request.header("if-none-match", tag)).await
}

/// Returns the tag of the present version of a document.
async fn tag(client: &Client, path: &str) -> String {
    let response = client.document(path).await;
    assert_eq!(response.status, 200, "{path}: {response:?}");
    response.header("etag").unwrap().to_owned()
}

api_tests! {
    async fn who_has_the_present_version_gets_no_copy(app: &TestApp) {
        app.federate().await;
        let status = id(&app.user("alice").await.publish("Hello").await);
        let anonymous = app.anonymous();
        let of_status = format!("/users/alice/statuses/{status}");
        for path in [
            "/actor",
            "/users/alice",
            "/@alice",
            &of_status,
            &format!("/@alice/{status}"),
            &format!("{of_status}/activity"),
            &format!("{of_status}/replies"),
            &format!("{of_status}/likes"),
            &format!("{of_status}/shares"),
            "/users/alice/outbox",
            "/users/alice/outbox?page=true",
            "/users/alice/followers",
            "/users/alice/following",
            "/users/alice/collections/featured",
            "/users/alice/collections/tags",
        ] {
            let first = anonymous.document(path).await;
            let present = first.header("etag").unwrap().to_owned();
            assert!(present.starts_with('"') && present.len() > 10, "{path}: {present}");
            assert_eq!(tag(&anonymous, path).await, present, "{path}");
            for known in [present.clone(), format!("W/{present}"), format!("\"other\", {present}")]
            {
                let response = again(&anonymous, path, &known).await;
                assert_eq!((response.status, response.body.len()), (304, 0), "{path} {known}");
                assert_eq!(response.header("etag"), Some(&*present), "{path}");
                assert_eq!(response.header("vary"), Some("Accept"), "{path}");
                assert_eq!(response.header("cache-control"), Some("public, max-age=180"), "{path}");
            }
            let response = again(&anonymous, path, "\"other\"").await;
            assert_eq!((response.status, response.body), (200, first.body), "{path}");
        }
    }

    async fn a_head_request_gets_the_headers_alone(app: &TestApp) {
        app.federate().await;
        app.user("alice").await;
        let anonymous = app.anonymous();
        for path in ["/users/alice", "/@alice", "/users/alice/outbox", "/users/bob"] {
            let whole = anonymous.document(path).await;
            let request = anonymous.request(Method::HEAD, path).header("accept", ACTIVITY);
            let head = anonymous.send(request).await;
            assert_eq!((head.status, head.body.len()), (whole.status, 0), "{path}");
            for name in ["content-type", "etag", "vary", "cache-control"] {
                assert_eq!(head.header(name), whole.header(name), "{path} {name}");
            }
        }
    }

    async fn every_change_of_a_profile_is_a_new_version(app: &TestApp) {
        app.federate().await;
        let (alice, anonymous) = (app.user("alice").await, app.anonymous());
        let mut known = vec![tag(&anonymous, "/users/alice").await];
        for change in [
            json!({ "display_name": "Alice" }),
            json!({ "note": "Hello" }),
            json!({ "locked": true }),
            json!({ "bot": true }),
            json!({ "discoverable": true }),
            json!({ "indexable": true }),
            json!({ "fields_attributes": [{ "name": "Site", "value": "https://a.example" }] }),
            json!({ "attribution_domains": ["a.example"] }),
        ] {
            let path = "/api/v1/accounts/update_credentials";
            alice.send(alice.request(Method::PATCH, path).json(&change)).await.ok();
            known.push(tag(&anonymous, "/users/alice").await);
            assert_eq!(again(&anonymous, "/users/alice", &known[0]).await.status, 200, "{change}");
        }
        alice.upload("avatar", png(20, 20)).await.ok();
        known.push(tag(&anonymous, "/users/alice").await);
        let changes = known.len();
        known.sort();
        known.dedup();
        assert_eq!(known.len(), changes, "{known:?}");
    }

    async fn every_change_of_a_status_is_a_new_version(app: &TestApp) {
        app.federate().await;
        let (alice, bob, anonymous) =
            (app.user("alice").await, app.user("bob").await, app.anonymous());
        let status = alice.publish("Hello").await;
        let path = format!("/users/alice/statuses/{}", id(&status));
        let mut known = vec![tag(&anonymous, &path).await];
        for edit in [
            json!({ "status": "Hello again" }),
            json!({ "status": "Hello again", "spoiler_text": "Words" }),
            json!({ "status": "Hello again", "language": "de" }),
        ] {
            app.advance(std::time::Duration::from_secs(60));
            let interface = format!("/api/v1/statuses/{}", id(&status));
            alice.send(alice.request(Method::PUT, &interface).json(&edit)).await.ok();
            known.push(tag(&anonymous, &path).await);
        }
        bob.act("favourite", &status).await;
        known.push(tag(&anonymous, &path).await);
        bob.act("reblog", &status).await;
        known.push(tag(&anonymous, &path).await);
        alice.reply(&status, "And again").await;
        known.push(tag(&anonymous, &path).await);
        let changes = known.len();
        known.sort();
        known.dedup();
        assert_eq!(known.len(), changes, "{known:?}");
        // Two processes, and the same one later, agree about a version.
        bob.act("unfavourite", &status).await;
        bob.act("favourite", &status).await;
        assert!(known.contains(&tag(&anonymous, &path).await));
    }

    async fn errors_and_redirects_are_not_kept(app: &TestApp) {
        app.federate().await;
        app.user("alice").await;
        for path in ["/users/bob", "/users/alice/statuses/1", "/users/bob/outbox"] {
            let response = app.anonymous().document(path).await;
            assert_eq!(response.status, 404, "{path}");
            assert_eq!(response.header("cache-control"), Some("private, no-store"), "{path}");
            assert_eq!(response.header("etag"), None, "{path}");
        }
        let redirect = app.anonymous().get("/users/alice").await;
        assert_eq!(redirect.header("cache-control"), Some("private, no-store"));
    }
}
