//! `/`, and the files that pages and profiles are made with.

use reqwest::Method;

use crate::oauth::signed_in;

api_tests! {
    async fn the_front_page_greets_those_it_knows(app: &TestApp) {
        let stranger = app.anonymous().get("/").await;
        assert_eq!(stranger.status, 200);
        assert!(stranger.text().contains("href=\"/auth/sign_in\""));
        assert!(stranger.text().contains(app.domain()));
        assert_eq!(stranger.header("set-cookie"), None);
        let browser = signed_in(app, "ann").await;
        let page = browser.get("/").await.text();
        assert!(page.contains("@ann") && page.contains("<meta name=\"csrf-token\""));
    }

    async fn an_account_is_offered_where_one_can_be_made(app: &TestApp) {
        let anonymous = app.anonymous();
        for (mode, is_offered) in
            [("none", false), ("open", true), ("approval", true), ("external", false)]
        {
            app.app().change_setting("registrations".to_owned(), mode.to_owned()).await.unwrap();
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
}
