//! `/`, and the static files for pages and profiles.

use reqwest::Method;
use siskin_services::setup;

use crate::oauth::signed_in;

api_tests! {
    async fn the_front_page_shows_who_is_signed_in(app: &TestApp) {
        let stranger = app.anonymous().get("/").await;
        assert_eq!(stranger.status, 200);
        assert!(stranger.text().contains("href=\"/auth/sign_in\""));
        assert!(stranger.text().contains(app.domain()));
        assert_eq!(stranger.header("set-cookie"), None);
        let browser = signed_in(app, "ann").await;
        let page = browser.get("/").await.text();
        assert!(page.contains("@ann") && page.contains("<meta name=\"csrf-token\""));
    }

    async fn without_accounts_the_front_page_points_to_the_setup_link(app: &TestApp) {
        let token = app.app().write(setup::offer).await.unwrap().unwrap();
        let page = app.anonymous().get("/").await.text();
        assert!(page.contains("not set up yet") && page.contains("siskin serve"), "{page}");
        assert!(!page.contains(&token) && !page.contains("/setup"), "{page}");
        app.user("ann").await;
        let page = app.anonymous().get("/").await.text();
        assert!(!page.contains("not set up yet"), "{page}");
    }

    async fn public_pages_always_link_to_the_sign_in_page(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("Hello #birds").await;
        let browser = signed_in(app, "ann").await;
        let thread = format!("/@alice/{}", status["id"].as_str().unwrap());
        for path in ["/@alice", "/@alice/with_replies", "/tags/birds", &thread] {
            let anonymous = app.anonymous().get(path).await.text();
            assert!(anonymous.contains("<a href=\"/auth/sign_in\">"), "{path}: {anonymous}");
            // Caches store one page for all viewers.
            assert_eq!(browser.get(path).await.text(), anonymous, "{path}");
        }
        assert!(!browser.get("/settings/profile").await.text().contains("/auth/sign_in\""));
    }

    async fn the_front_page_offers_sign_up_if_registrations_are_open(app: &TestApp) {
        let anonymous = app.anonymous();
        for (mode, is_offered) in
            [("none", false), ("open", true), ("approval", true), ("external", false)]
        {
            app.store_setting("registrations", mode).await;
            for path in ["/", "/auth/sign_in"] {
                let page = anonymous.get(path).await.text();
                assert_eq!(page.contains("href=\"/auth/sign_up\""), is_offered, "{mode}: {path}");
            }
        }
    }

    async fn head_is_answered_like_get_without_a_body(app: &TestApp) {
        let anonymous = app.anonymous();
        for path in ["/", "/api/v2/instance", "/health", "/auth/sign_in"] {
            let head = anonymous.send(anonymous.request(Method::HEAD, path)).await;
            let get = anonymous.get(path).await;
            assert_eq!(head.status, 200, "{path}");
            assert!(head.body.is_empty());
            assert!(head.header("date").is_some());
            assert_eq!(head.header("content-type"), get.header("content-type"));
        }
        let head = anonymous.send(anonymous.request(Method::HEAD, "/nothing")).await;
        assert_eq!(head.status, 404);
    }

    async fn style_and_pictures_are_served_and_cached(app: &TestApp) {
        let anonymous = app.anonymous();
        let page = anonymous.get("/").await.text();
        let style = page.split("rel=\"stylesheet\" href=\"").nth(1).unwrap().split('"').next();
        let style = anonymous.get(style.unwrap()).await;
        assert_eq!(style.header("content-type"), Some("text/css; charset=utf-8"));
        assert!(style.header("cache-control").unwrap().contains("immutable"));
        assert!(style.text().contains("prefers-color-scheme: dark"));
        for path in ["/avatars/original/missing.png", "/headers/original/missing.png"] {
            let picture = anonymous.get(path).await;
            assert_eq!(picture.status, 200);
            assert_eq!(picture.header("content-type"), Some("image/png"));
            assert_eq!(picture.header("access-control-allow-origin"), Some("*"));
            assert!(picture.body.starts_with(b"\x89PNG"));
        }
    }

    async fn favicon_and_robots_txt_are_served(app: &TestApp) {
        let anonymous = app.anonymous();
        let icon = anonymous.get("/favicon.ico").await;
        assert_eq!((icon.status, icon.header("content-type")), (200, Some("image/x-icon")));
        // An icon directory with one picture, which is a PNG.
        assert!(icon.body.starts_with(&[0, 0, 1, 0, 1, 0]) && icon.body[22..].starts_with(b"\x89PNG"));
        let robots = anonymous.get("/robots.txt").await;
        assert_eq!(robots.status, 200);
        assert_eq!(robots.header("content-type"), Some("text/plain; charset=utf-8"));
        assert!(robots.text().starts_with("User-agent: *\n"));
        for kept_out in ["/api/", "/auth/", "/oauth/", "/settings/", "/setup"] {
            assert!(robots.text().contains(&format!("Disallow: {kept_out}\n")), "{kept_out}");
        }
        for file in [icon, robots] {
            assert_eq!(file.header("cache-control"), Some("public, max-age=86400"));
        }
    }
}
