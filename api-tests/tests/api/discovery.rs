//! `/.well-known` and `/nodeinfo`.

use reqwest::Method;
use serde_json::json;

use crate::support::{Response, TestApp};

async fn finger(app: &TestApp, resource: &str) -> Response {
    let request = app.anonymous().request(Method::GET, "/.well-known/webfinger");
    app.anonymous().send(request.query(&[("resource", resource)])).await
}

api_tests! {
    async fn a_handle_leads_to_the_profile(app: &TestApp) {
        app.user("Alice").await;
        let found = finger(app, &format!("acct:alice@{}", app.domain())).await;
        snapshot!("webfinger", found);
        for resource in [
            format!("ALICE@{}", app.domain()),
            format!("{}/@Alice", app.base_url()),
            format!("{}/users/alice", app.base_url()),
        ] {
            assert_eq!(finger(app, &resource).await.ok(), found.ok(), "{resource}");
        }
    }

    async fn remote_accounts_are_not_found(app: &TestApp) {
        app.user("alice").await;
        for resource in
            ["", "acct:alice", "acct:alice@far.test", "https://far.test/@alice", "acct:@@", "\u{0}"]
        {
            let response = finger(app, resource).await;
            assert!([400, 404].contains(&response.status), "{resource}: {response:?}");
            assert!(response.json()["error"].is_string());
        }
        finger(app, &format!("acct:bob@{}", app.domain())).await.expect(404);
        app.anonymous().get("/.well-known/webfinger").await.expect(400);
    }

    async fn host_metadata_is_xml_or_json(app: &TestApp) {
        let xml = app.anonymous().get("/.well-known/host-meta").await;
        assert_eq!(xml.header("content-type"), Some("application/xrd+xml; charset=utf-8"));
        let template = format!("{}/.well-known/webfinger?resource={{uri}}", app.base_url());
        assert!(xml.text().contains(&template), "{xml:?}");
        let links = json!({ "links": [{ "rel": "lrdd", "template": template }] });
        let request = app.anonymous().request(Method::GET, "/.well-known/host-meta");
        let response = app.anonymous().send(request.header("accept", "application/json")).await;
        assert_eq!(response.ok(), links);
        assert_eq!(app.anonymous().get("/.well-known/host-meta.json").await.ok(), links);
    }

    async fn node_info_is_found_in_both_versions(app: &TestApp) {
        let links = app.anonymous().get("/.well-known/nodeinfo").await.ok();
        let links = links["links"].as_array().unwrap().clone();
        assert_eq!(links.len(), 2);
        for (link, version) in links.iter().zip(["2.0", "2.1"]) {
            let response = app.anonymous().get(link["href"].as_str().unwrap()).await;
            let schema = link["rel"].as_str().unwrap();
            assert_eq!(
                response.header("content-type").unwrap(),
                format!("application/json; profile=\"{schema}#\"")
            );
            let info = response.ok();
            assert_eq!(info["version"], version);
            assert_eq!(info["software"]["name"], "siskin");
            assert_eq!(info["metadata"]["upstream"]["name"], "mastodon");
            assert_eq!(info["openRegistrations"], false);
        }
        app.anonymous().get("/nodeinfo/1.0").await.expect(404);
    }
}
