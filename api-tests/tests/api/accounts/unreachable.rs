//! Unconfirmed and unapproved accounts cannot be reached by any operation but lookup.

use reqwest::Method;
use serde_json::json;
use siskin_entities::AccountState;

use crate::{
    crawl::routes,
    support::{GOOD, id},
};

const UNREACHABLE: AccountState = AccountState { reachable: false, ..GOOD };

api_tests! {
    async fn no_route_returns_unreachable_accounts(app: &TestApp) {
        let (viewer, subject) = (app.user("reader").await, app.user("subject").await);
        viewer.act_on("follow", &subject).await;
        subject.act_on("follow", &viewer).await;
        let published = id(&subject.publish("hello #birds").await);
        app.set_state(&subject, UNREACHABLE).await;
        let about_accounts = |path: &str| {
            ["/api/v1/accounts/{id}", "/api/v1/follow_requests/{id}"]
                .iter()
                .any(|start| path.starts_with(start))
        };
        let mut tried = 0;
        for route in routes::all().iter().filter(|route| about_accounts(&route.path)) {
            let path = route.path.replace("{id}", &subject.id);
            for client in [&app.anonymous(), &viewer.client] {
                // Identity proofs and lists require a signed-in viewer, for every account.
                let is_private =
                    ["/identity_proofs", "/lists"].iter().any(|end| path.ends_with(end));
                let is_public = route.method == Method::GET && !is_private;
                let is_open = is_public || client.token().is_some();
                if is_open {
                    let response = client.send(client.request(route.method.clone(), &path)).await;
                    let missing = response.expect(404);
                    assert_eq!(missing, json!({ "error": "Record not found" }), "{path}");
                    tried += 1;
                }
            }
        }
        assert!(tried > 20, "only {tried}");
        let status = format!("/api/v1/statuses/{published}");
        for path in [status.clone(), format!("{status}/context")] {
            viewer.get(&path).await.expect(404);
        }
        viewer.form("/api/v1/follows", &[("uri", "subject")]).await.expect(404);
    }

    async fn no_own_list_contains_unreachable_accounts(app: &TestApp) {
        let (viewer, subject) = (app.user("reader").await, app.user("subject").await);
        let other = app.user("other").await;
        viewer.act_on("follow", &subject).await;
        viewer.act_on("endorse", &subject).await;
        viewer.act_on("mute", &subject).await;
        other.act_on("block", &subject).await;
        app.set_state(&subject, UNREACHABLE).await;
        for (owner, list) in
            [(&viewer, "endorsements"), (&viewer, "mutes"), (&other, "blocks")]
        {
            assert_eq!(owner.get(&format!("/api/v1/{list}")).await.ok(), json!([]), "{list}");
        }
        let shown = format!("/api/v1/accounts/{}/endorsements", viewer.id);
        assert_eq!(app.anonymous().get(&shown).await.ok(), json!([]));
    }

    async fn no_page_shows_unreachable_accounts_or_their_statuses(app: &TestApp) {
        let subject = app.user("subject").await;
        let published = subject.publish("hello").await;
        let url = published["url"].as_str().unwrap();
        app.set_state(&subject, UNREACHABLE).await;
        let viewer = app.anonymous();
        let of_status = format!("/@subject/{}", id(&published));
        for path in ["/@subject", "/@SUBJECT", "/@%73ubject", "/users/subject", "/@subject/with_replies",
            &of_status, &format!("{of_status}/embed"), &format!("/api/oembed?url={url}")]
        {
            let response = viewer.get(path).await;
            // Another spelling may redirect to the canonical page, which must be missing too.
            let response = match response.header("location") {
                Some(to) => viewer.get(to).await,
                None => response,
            };
            assert_eq!(response.status, 404, "{path}: {response:?}");
            assert!(!response.text().contains("hello"), "{path}");
        }
    }

    async fn only_lookup_finds_unreachable_accounts(app: &TestApp) {
        let (viewer, subject) = (app.user("reader").await, app.user("subject").await);
        viewer.act_on("follow", &subject).await;
        subject.act_on("follow", &viewer).await;
        let root = viewer.publish("hello").await;
        subject.act("favourite", &root).await;
        subject.act("reblog", &root).await;
        subject.publish("@reader #birds").await;
        app.set_state(&subject, UNREACHABLE).await;
        for client in [&app.anonymous(), &viewer.client] {
            let found = client.get("/api/v1/accounts/lookup?acct=subject").await.ok();
            assert_eq!(found["id"], subject.id);
        }
        for path in [
            "/api/v2/search?q=subject".to_owned(),
            format!("/api/v1/accounts/relationships?id[]={}", subject.id),
            format!("/api/v1/relationships?id[]={}&with_suspended=true", subject.id),
            format!("/api/v1/accounts/familiar_followers?id[]={}", subject.id),
            format!("/api/v1/accounts/{}/followers", viewer.id),
            format!("/api/v1/accounts/{}/following", viewer.id),
            format!("/api/v1/statuses/{}/favourited_by", id(&root)),
            format!("/api/v1/statuses/{}/reblogged_by", id(&root)),
            "/api/v1/timelines/home".to_owned(),
            "/api/v1/timelines/public".to_owned(),
            "/api/v1/timelines/tag/birds".to_owned(),
            "/api/v1/notifications".to_owned(),
            "/api/v1/follow_requests".to_owned(),
        ] {
            let response = viewer.get(&path).await;
            assert!(!response.ok().to_string().contains(&subject.id), "{path}: {response:?}");
        }
        let published = viewer.publish("hello @subject").await;
        assert_eq!(published["mentions"], json!([]));
    }
}
