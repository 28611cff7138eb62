//! `GET /api/oembed`.

use reqwest::Method;
use serde_json::json;
use siskin_entities::AccountState;

use crate::support::{Client, GOOD, Response, id};

async fn request(viewer: &Client, url: &str, rest: &str) -> Response {
    let path = format!("/api/oembed?{rest}");
    viewer.send(viewer.request(Method::GET, &path).query(&[("url", url)])).await
}

api_tests! {
    async fn oembed_returns_a_frame_for_a_status(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("Hello").await;
        let url = status["url"].as_str().unwrap();
        let response = request(&app.anonymous(), url, "").await;
        assert_eq!(response.header("access-control-allow-origin"), Some("*"));
        assert_eq!(
            response.ok(),
            json!({
                "type": "rich",
                "version": "1.0",
                "title": "Status by alice",
                "author_name": "alice",
                "author_url": format!("{}/@alice", app.base_url()),
                "provider_name": app.domain(),
                "provider_url": format!("{}/", app.base_url()),
                "cache_age": 86400,
                "html": format!(
                    "<iframe src=\"{url}/embed\" width=\"400\" height=\"215\" \
                     style=\"max-width: 100%; border: 0\" loading=\"lazy\"></iframe>"
                ),
                "width": 400,
                "height": null,
            })
        );
        let frame = app.anonymous().get(&format!("/@alice/{}/embed", id(&status))).await;
        assert_eq!(frame.status, 200);
    }

    async fn names_with_direction_marks_are_isolated(app: &TestApp) {
        let alice = app.user("alice").await;
        let update = "/api/v1/accounts/update_credentials";
        alice.patch(update, &[("display_name", "\u{202E}ecilA")]).await.ok();
        let status = alice.publish("Hello \u{2067}you").await;
        let url = status["url"].as_str().unwrap();
        let isolated = "\u{2068}\u{202E}ecilA\u{202C}\u{2069}";
        let response = request(&app.anonymous(), url, "").await.ok();
        assert_eq!(response["author_name"], isolated);
        assert_eq!(response["title"], format!("Status by {isolated}"));
        let isolated_text = "\u{2068}Hello \u{2067}you\u{2069}\u{2069}";
        let page = app.anonymous().get(&format!("/@alice/{}", id(&status))).await.text();
        assert!(page.contains(&format!("<title>{isolated}: “{isolated_text}”")), "{page}");
        let profile = app.anonymous().get("/@alice").await.text();
        let titles = [
            format!("<title>{isolated} (@alice@"),
            format!("<meta property=\"og:title\" content=\"{isolated} (@alice@"),
        ];
        for (page, title) in [(&profile, &titles[0]), (&profile, &titles[1]), (&page, &titles[1])] {
            assert!(page.contains(title), "{title} is not in {page}");
        }
        let frame = app.anonymous().get(&format!("/@alice/{}/embed", id(&status))).await.text();
        assert!(frame.contains(&format!("<title>Status by {isolated} ·")), "{frame}");
        // The API returns names as they were typed.
        assert_eq!(alice.credentials().await.ok()["display_name"], "\u{202E}ecilA");
    }

    async fn the_frame_fits_the_requested_size(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("Hello").await;
        let url = status["url"].as_str().unwrap();
        for (room, width, height) in [
            ("maxwidth=300&maxheight=100", 300, json!(100)),
            ("maxwidth=5000&maxheight=", 640, json!(null)),
            ("maxwidth=0&maxheight=-1", 400, json!(null)),
            ("maxwidth=wide&maxheight=99999999999", 400, json!(null)),
        ] {
            let response = request(&app.anonymous(), url, room).await.ok();
            assert_eq!((&response["width"], &response["height"]), (&json!(width), &height), "{room}");
            let html = response["html"].as_str().unwrap();
            assert!(html.contains(&format!("width=\"{width}\"")), "{html}");
        }
    }

    async fn other_urls_are_not_found(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let open = alice.publish("Open").await;
        let url = open["url"].as_str().unwrap().to_owned();
        let mut refused = vec![
            app.base_url().to_owned(),
            format!("{}/@alice", app.base_url()),
            format!("{}/@bob/{}", app.base_url(), id(&open)),
            format!("{}/@alice/1", app.base_url()),
            format!("{url}/embed"),
            url.replace("http://", "https://"),
            url.replace("http://", "http://evil@"),
            url.replace("127.0.0.1", "127.0.0.1.evil.example"),
            format!("/@alice/{}", id(&open)),
            "https://elsewhere.example/@alice/1".to_owned(),
            "javascript:alert(1)".to_owned(),
            String::new(),
        ];
        for visibility in ["private", "direct"] {
            let created = json!({ "status": "@bob hidden", "visibility": visibility });
            refused.push(alice.publish_as(created).await["url"].as_str().unwrap().to_owned());
        }
        for url in &refused {
            for viewer in [&app.anonymous(), &alice.client, &bob.client] {
                let response = request(viewer, url, "").await;
                assert!(matches!(response.status, 404) || url.is_empty(), "{url}: {response:?}");
                assert!(response.status < 500 && response.status >= 400, "{url}: {response:?}");
            }
        }
        app.anonymous().get("/api/oembed").await.expect(400);
        app.set_state(&alice, AccountState { suspended: true, ..GOOD }).await;
        request(&app.anonymous(), &url, "").await.expect(404);
    }
}
