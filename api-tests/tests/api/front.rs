//! `/`, and the static files for pages and profiles.

use reqwest::Method;
use serde_json::json;
use siskin_entities::{AccountState, Actor};
use siskin_services::{rules, setup};

use crate::{
    oauth::signed_in,
    support::{GOOD, TestApp},
};

async fn front(app: &TestApp) -> String {
    app.anonymous().get("/").await.text()
}

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

    async fn the_front_page_shows_the_rules_recent_posts_and_people(app: &TestApp) {
        let (ann, ben) = (app.user("ann").await, app.user("ben").await);
        let rule = rules::prepare("Be <kind>", "Always").unwrap();
        app.app().write(move |tx| rules::add(tx, Actor::Operator, &rule)).await.unwrap();
        for user in [&ann, &ben] {
            user.patch("/api/v1/accounts/update_credentials", &[("discoverable", "true")]).await.ok();
        }
        app.user_of("zoe", "far.example").await.publish("From far away").await;
        for visibility in ["unlisted", "private", "direct"] {
            let status = json!({ "status": format!("A {visibility} one"), "visibility": visibility });
            ann.publish_as(status).await;
        }
        for number in 1..=6 {
            ann.publish(&format!("Post number {number} <b>")).await;
        }
        let noindex = "<meta name=\"robots\" content=\"noindex\">";
        let page = front(app).await;
        for part in ["Be &#60;kind&#62;", "Always", "Post number 6 &lt;b&gt;", "Post number 2", noindex] {
            assert!(page.contains(part), "{part} in {page}");
        }
        for hidden in ["Post number 1 ", "far away", "unlisted one", "private one", "direct one"] {
            assert!(!page.contains(hidden), "{hidden} in {page}");
        }
        assert!(page.contains("People here") && page.contains(&format!("@ann@{}", app.domain())));
        // A member sees the same.
        let browser = signed_in(app, "carl").await;
        assert!(browser.get("/").await.text().contains("Post number 6"));

        app.set_state(&ann, AccountState { suspended: true, ..GOOD }).await;
        let page = front(app).await;
        assert!(!page.contains("Post number") && !page.contains("@ann@") && !page.contains(noindex));
    }

    async fn the_front_page_shows_only_what_all_may_see(app: &TestApp) {
        let ann = app.user("ann").await;
        ann.patch("/api/v1/accounts/update_credentials", &[("discoverable", "true")]).await.ok();
        ann.publish("Only for us").await;
        for access in ["authenticated", "disabled"] {
            app.store_setting("feeds.local", access).await;
            let page = front(app).await;
            assert!(!page.contains("Only for us") && !page.contains("People here"), "{page}");
            let browser = signed_in(app, access).await;
            assert!(!browser.get("/").await.text().contains("Only for us"), "{access}");
        }
        app.store_setting("feeds.local", "public").await;
        app.store_setting("feeds.remote", "authenticated").await;
        assert!(front(app).await.contains("Only for us"));
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
