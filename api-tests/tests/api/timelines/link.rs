//! `GET /api/v1/timelines/link`.

use serde_json::json;
use siskin_entities::Review;
use siskin_services::trends::review::{self, Subject};

use crate::support::{TestApp, User, id, ids, trends::all_publish};

const ARTICLE: &str = "https://news.example/birds";

fn path(query: &str) -> String {
    format!("/api/v1/timelines/link?url={ARTICLE}{query}")
}

/// Makes the article trend, and returns the accounts that linked to it.
async fn trend(app: &TestApp) -> Vec<User> {
    let crowd = app.crowd("crowd", 15).await;
    all_publish(&crowd, &format!("Read {ARTICLE}")).await;
    app.make_article(ARTICLE).await;
    app.count_trends().await;
    crowd
}

async fn decide(app: &TestApp, result: Review) {
    let settings = app.app().settings();
    let decided =
        app.app().write(move |tx| review::decide(tx, &settings, Subject::Link, ARTICLE, result));
    decided.await.unwrap();
}

api_tests! {
    async fn only_a_link_that_trends_has_a_timeline(app: &TestApp) {
        let anonymous = app.anonymous();
        anonymous.get(&path("")).await.expect(404);
        trend(app).await;
        anonymous.get(&path("")).await.expect(404);
        decide(app, Review::Approved).await;
        assert_eq!(anonymous.get(&path("&limit=40")).await.ids().len(), 15);
        assert_eq!(anonymous.get(&path("%23part&limit=40")).await.ids().len(), 15);
        for other in ["https://news.example/", "news", "", "ftp://news.example/birds"] {
            let path = format!("/api/v1/timelines/link?url={other}");
            anonymous.get(&path).await.expect(404);
        }
        decide(app, Review::Rejected).await;
        anonymous.get(&path("")).await.expect(404);
    }

    async fn it_shows_what_public_timelines_show(app: &TestApp) {
        app.trend_by_default().await;
        let crowd = trend(app).await;
        let alice = app.user("alice").await;
        let text = format!("I read {ARTICLE}");
        let shown = alice.publish(&text).await;
        for visibility in ["unlisted", "private", "direct"] {
            alice.publish_as(json!({ "status": text, "visibility": visibility })).await;
        }
        alice.publish("Another text").await;
        crowd[0].act("reblog", &shown).await;
        crowd[0].reply(&shown, &text).await;
        let newest = app.anonymous().get(&path("&limit=1")).await;
        assert_eq!(newest.ids(), ids([&shown]));
        assert_eq!(app.anonymous().walk(&path("&limit=6")).await.len(), 16);

        let bob = app.user("bob").await;
        alice.act_on("block", &bob).await;
        bob.act_on("mute", &crowd[14]).await;
        let seen = bob.get(&path("&limit=40")).await.ids();
        assert_eq!(seen.len(), 14);
        assert!(!seen.contains(&id(&shown)));
    }

    async fn pages_follow_the_ids(app: &TestApp) {
        app.trend_by_default().await;
        trend(app).await;
        let all = app.anonymous().get(&path("&limit=40")).await.ids();
        let page = async |query: String| app.anonymous().get(&path(&query)).await.ids();
        assert_eq!(page(format!("&limit=2&max_id={}", all[2])).await, all[3..5]);
        assert_eq!(page(format!("&limit=2&min_id={}", all[5])).await, all[3..5]);
        assert_eq!(page(format!("&limit=2&since_id={}", all[5])).await, all[..2]);
        let first = app.anonymous().get(&path("&limit=2")).await;
        assert!(first.link("next").unwrap().contains(&format!("max_id={}", all[1])));
        assert!(first.link("prev").unwrap().contains(&format!("min_id={}", all[0])));
    }

    async fn access_follows_the_setting_of_hashtag_timelines(app: &TestApp) {
        app.trend_by_default().await;
        let crowd = trend(app).await;
        let set = async |key: &str, value: &str| {
            app.app().change_setting(key.to_owned(), value.to_owned()).await.unwrap();
        };
        // The refusal does not reveal what trends.
        let elsewhere = "/api/v1/timelines/link?url=https://news.example/other";
        let no_user = json!({ "error": "This method requires an authenticated user" });
        for (key, value) in [
            ("feeds.hashtag_remote", "authenticated"),
            ("feeds.hashtag_local", "authenticated"),
            ("feeds.hashtag_remote", "disabled"),
        ] {
            set(key, value).await;
            for path in [elsewhere, &path("")] {
                assert_eq!(app.anonymous().get(path).await.expect(401), no_user, "{key} {path}");
            }
            assert_eq!(crowd[0].get(&path("&limit=40")).await.ids().len(), 15);
            crowd[0].get(elsewhere).await.expect(404);
        }
        set("feeds.hashtag_remote", "authenticated").await;
        let access = app.anonymous().get("/api/v2/instance").await.ok();
        assert_eq!(
            access["configuration"]["timelines_access"]["trending_link_feeds"],
            json!({ "local": "authenticated", "remote": "authenticated" })
        );
    }

    async fn a_token_needs_the_scope_of_statuses(app: &TestApp) {
        app.trend_by_default().await;
        let crowd = trend(app).await;
        let elsewhere = "/api/v1/timelines/link?url=https://news.example/other";
        for (scopes, is_enough) in [
            ("write", false),
            ("read:accounts read:search follow", false),
            ("read:statuses", true),
            ("read", true),
        ] {
            let client = app.user_with_scopes(&crowd[0], scopes).await;
            if is_enough {
                assert_eq!(client.get(&path("&limit=40")).await.ids().len(), 15, "{scopes}");
                client.get(elsewhere).await.expect(404);
                continue;
            }
            for path in [elsewhere, &path("")] {
                let refused = client.get(path).await.expect(403);
                let error = json!({ "error": "This action is outside the authorized scopes" });
                assert_eq!(refused, error, "{scopes} {path}");
            }
        }
        app.with_token("unknown").get(&path("")).await.expect(401);
    }

    async fn a_request_without_an_address_is_malformed(app: &TestApp) {
        let alice = app.user("alice").await;
        for client in [&app.anonymous(), &alice.client] {
            for query in ["", "?limit=5", "?uri=https://news.example/birds"] {
                let refused = client.get(&format!("/api/v1/timelines/link{query}")).await;
                assert_eq!(refused.header("content-type"), Some("application/json"));
                let error = json!({ "error": "Missing parameter: url" });
                assert_eq!(refused.expect(400), error, "{query}");
            }
        }
    }
}
