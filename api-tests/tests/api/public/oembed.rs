//! `GET /api/oembed`.

use reqwest::Method;
use serde_json::json;
use siskin_entities::AccountState;

use crate::support::{Client, GOOD, Response, id};

async fn ask(reader: &Client, url: &str, rest: &str) -> Response {
    let path = format!("/api/oembed?{rest}");
    reader.send(reader.request(Method::GET, &path).query(&[("url", url)])).await
}

api_tests! {
    async fn a_status_comes_in_a_frame(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("Hello").await;
        let url = status["url"].as_str().unwrap();
        let answer = ask(&app.anonymous(), url, "").await;
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        assert_eq!(
            answer.ok(),
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

    async fn a_name_turns_nothing_but_itself(app: &TestApp) {
        let alice = app.user("alice").await;
        let update = "/api/v1/accounts/update_credentials";
        alice.patch(update, &[("display_name", "\u{202E}ecilA")]).await.ok();
        let status = alice.publish("Hello \u{2067}you").await;
        let url = status["url"].as_str().unwrap();
        let isolated = "\u{2068}\u{202E}ecilA\u{202C}\u{2069}";
        let answer = ask(&app.anonymous(), url, "").await.ok();
        assert_eq!(answer["author_name"], isolated);
        assert_eq!(answer["title"], format!("Status by {isolated}"));
        let words = "\u{2068}Hello \u{2067}you\u{2069}\u{2069}";
        let page = app.anonymous().get(&format!("/@alice/{}", id(&status))).await.text();
        assert!(page.contains(&format!("<title>{isolated}: “{words}”")), "{page}");
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

    async fn the_frame_keeps_to_the_room_there_is(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("Hello").await;
        let url = status["url"].as_str().unwrap();
        for (room, width, height) in [
            ("maxwidth=300&maxheight=100", 300, json!(100)),
            ("maxwidth=5000&maxheight=", 640, json!(null)),
            ("maxwidth=0&maxheight=-1", 400, json!(null)),
            ("maxwidth=wide&maxheight=99999999999", 400, json!(null)),
        ] {
            let answer = ask(&app.anonymous(), url, room).await.ok();
            assert_eq!((&answer["width"], &answer["height"]), (&json!(width), &height), "{room}");
            let html = answer["html"].as_str().unwrap();
            assert!(html.contains(&format!("width=\"{width}\"")), "{html}");
        }
    }

    async fn other_addresses_have_no_frame(app: &TestApp) {
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
            let made = json!({ "status": "@bob hidden", "visibility": visibility });
            refused.push(alice.publish_as(made).await["url"].as_str().unwrap().to_owned());
        }
        for url in &refused {
            for reader in [&app.anonymous(), &alice.client, &bob.client] {
                let answer = ask(reader, url, "").await;
                assert!(matches!(answer.status, 404) || url.is_empty(), "{url}: {answer:?}");
                assert!(answer.status < 500 && answer.status >= 400, "{url}: {answer:?}");
            }
        }
        app.anonymous().get("/api/oembed").await.expect(400);
        app.set_state(&alice, AccountState { suspended: true, ..GOOD }).await;
        ask(&app.anonymous(), &url, "").await.expect(404);
    }
}
