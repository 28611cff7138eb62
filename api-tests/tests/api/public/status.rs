//! `/@name/ID` and `/@name/ID/embed`.

use std::time::Duration;

use serde_json::json;

use super::{leads_to, page, refused};
use crate::support::id;

api_tests! {
    async fn a_status_page_has_metadata(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice
            .publish_as(json!({ "status": "Tom & Jerry\n\n#birds", "language": "de" }))
            .await;
        let page = page(&app.anonymous().get(&format!("/@alice/{}", id(&status))).await);
        let url = status["url"].as_str().unwrap();
        let encoded = url.replace(':', "%3A").replace('/', "%2F").replace('@', "%40");
        for part in [
            "<html lang=\"en\">".to_owned(),
            "lang=\"de\"".to_owned(),
            "<title>alice: “Tom &#38; Jerry #birds”".to_owned(),
            format!("<link rel=\"canonical\" href=\"{url}\">"),
            "<meta property=\"og:type\" content=\"article\">".to_owned(),
            "<meta property=\"og:description\" content=\"Tom &#38; Jerry #birds\">".to_owned(),
            "type=\"application/json+oembed\"".to_owned(),
            format!("/api/oembed?url={encoded}&#38;format=json"),
            format!("datetime=\"{}\"", status["created_at"].as_str().unwrap()),
        ] {
            assert!(page.contains(&part), "{part} is not in {page}");
        }
    }

    async fn times_are_relative_and_cached_pages_are_revalidated(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("Hello").await;
        let (path, anonymous) = (format!("/@alice/{}", id(&status)), app.anonymous());
        let exact = status["created_at"].as_str().unwrap();
        let mut tags = Vec::new();
        for (passed, shown) in
            [(0, "just now"), (300, "5 minutes ago"), (3_600, "1 hour ago"), (172_800, "2 days ago")]
        {
            app.advance(Duration::from_secs(passed));
            let response = anonymous.get(&path).await;
            let tag = response.header("etag").unwrap().to_owned();
            let page = page(&response);
            let time = page.split(&format!("<time datetime=\"{exact}\" title=\"")).nth(1).unwrap();
            let (title, rest) = time.split_once("\">").unwrap();
            assert!(title.contains(", ") && title.ends_with(" UTC"), "{title}");
            assert!(rest.starts_with(&format!("{shown}</time>")), "{rest}");
            assert!(!tags.contains(&tag), "{shown}");
            tags.push(tag);
        }
        app.advance(Duration::from_hours(24 * 7));
        let page = page(&anonymous.get(&path).await);
        assert!(!page.contains(" ago</time>") && !page.contains("just now"), "{page}");
    }

    async fn text_behind_a_content_warning_is_collapsed(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice
            .publish_as(json!({ "status": "The butler did it", "spoiler_text": "The end" }))
            .await;
        let page = page(&app.anonymous().get(&format!("/@alice/{}", id(&status))).await);
        let (before, behind) = page.split_once("<details class=\"warning\">").unwrap();
        assert!(!before.contains("butler") && before.contains("content=\"The end\""));
        assert!(behind.contains("The end") && behind.contains("butler"));
    }

    async fn a_thread_page_shows_public_statuses_only(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let first = alice.publish("Number one").await;
        let second = bob.reply(&first, "@alice number two").await;
        alice.reply(&second, "@bob number three").await;
        let hidden = json!({
            "status": "@alice number four", "in_reply_to_id": id(&second), "visibility": "direct",
        });
        bob.publish_as(hidden).await;
        let page = page(&app.anonymous().get(&format!("/@bob/{}", id(&second))).await);
        let places: Vec<_> =
            ["Number one", "number two", "number three"].map(|word| page.find(&format!("{word}</p>"))).into();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} {page}");
        assert!(!page.contains("number four"));
    }

    async fn statuses_that_are_not_public_are_not_found(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let open = id(&alice.publish("Open").await);
        let anonymous = app.anonymous();
        for visibility in ["private", "direct"] {
            let status = alice
                .publish_as(json!({ "status": "@bob hidden", "visibility": visibility }))
                .await;
            for viewer in [&anonymous, &alice.client, &bob.client] {
                let path = format!("/@alice/{}", id(&status));
                let response = viewer.get(&path).await;
                refused(&response, 404);
                assert!(!response.text().contains("hidden"));
                refused(&viewer.get(&format!("{path}/embed")).await, 404);
            }
        }
        for path in [
            format!("/@bob/{open}"),
            "/@alice/1".to_owned(),
            "/@alice/abc".to_owned(),
            "/@alice/99999999999999999999".to_owned(),
            format!("/@alice/{open}0/embed"),
        ] {
            refused(&anonymous.get(&path).await, 404);
        }
        alice.delete(&format!("/api/v1/statuses/{open}")).await.ok();
        refused(&anonymous.get(&format!("/@alice/{open}")).await, 404);
    }

    async fn a_reblog_redirects_to_the_original_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = bob.publish("Hello").await;
        let reblog = alice.act("reblog", &status).await;
        let url = status["url"].as_str().unwrap();
        let anonymous = app.anonymous();
        let response = anonymous.get(&format!("/@alice/{}", id(&reblog))).await;
        assert_eq!(leads_to(&response), url);
        refused(&anonymous.get(&format!("/@alice/{}/embed", id(&reblog))).await, 404);
        let response = anonymous.get(&format!("/@BOB/{}", id(&status))).await;
        assert_eq!(leads_to(&response), url);
        let response = anonymous.get(&format!("/users/bob/statuses/{}", id(&status))).await;
        assert_eq!(leads_to(&response), url);
        let response = anonymous.get("/users/%2F%2Fb.example/statuses/1").await;
        assert_eq!(leads_to(&response), format!("{}/@%2F%2Fb%2Eexample/1", app.base_url()));
    }

    async fn embedded_statuses_may_be_framed_by_any_site(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("Look at this").await;
        bob.reply(&status, "Not at this").await;
        let response = app.anonymous().get(&format!("/@alice/{}/embed", id(&status))).await;
        let page = page(&response);
        assert!(page.contains("Look at this") && !page.contains("Not at this"));
        assert!(page.contains("<base target=\"_blank\">"));
        assert_eq!(response.header("x-frame-options"), None);
        let policy = response.header("content-security-policy").unwrap();
        assert!(policy.contains("frame-ancestors *"), "{policy}");
        let whole = app.anonymous().get(&format!("/@alice/{}", id(&status))).await;
        assert_eq!(whole.header("x-frame-options"), Some("DENY"));
    }
}
