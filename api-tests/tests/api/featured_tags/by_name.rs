//! `POST /api/v1/tags/{name}/feature` and `unfeature`, and the page of a featured hashtag.

use serde_json::json;

use super::PATH;
use crate::support::id;

api_tests! {
    async fn a_hashtag_is_featured_by_its_name(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        for _ in 0..2 {
            let tag = alice.post("/api/v1/tags/B%C3%8DRDS/feature").await.ok();
            assert_eq!((&tag["name"], &tag["featuring"]), (&json!("birds"), &json!(true)));
        }
        assert_eq!(alice.get(PATH).await.ok()[0]["name"], "birds");
        assert_eq!(bob.get("/api/v1/tags/birds").await.ok()["featuring"], false);
        assert_eq!(bob.post("/api/v1/tags/birds/unfeature").await.ok()["featuring"], false);
        assert_eq!(alice.get("/api/v1/tags/birds").await.ok()["featuring"], true);
        for _ in 0..2 {
            let tag = alice.post("/api/v1/tags/birds/unfeature").await.ok();
            assert_eq!(tag["featuring"], false);
        }
        assert_eq!(alice.get(PATH).await.ok(), json!([]));
        for action in ["feature", "unfeature"] {
            alice.post(&format!("/api/v1/tags/100%25/{action}")).await.expect(404);
        }
        assert_eq!(app.anonymous().get("/api/v1/tags/birds").await.ok().get("featuring"), None);
    }

    async fn a_featured_hashtag_leads_to_the_statuses_with_it(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let mine = alice.publish("Mine #birds").await;
        let quiet =
            alice.publish_as(json!({ "status": "#birds", "visibility": "unlisted" })).await;
        let other = alice.publish("Something else").await;
        let bobs = bob.publish("His #birds").await;
        let secret = json!({ "status": "#secret", "visibility": "private" });
        alice.publish_as(secret).await;
        let url = alice.feature("birds").await["url"].as_str().unwrap().to_owned();
        let page = app.anonymous().get(&url).await;
        assert_eq!(page.status, 200);
        let links = |status: &serde_json::Value| page.text().contains(&id(status));
        assert!(page.text().contains("Statuses with #birds"));
        assert!(links(&mine) && links(&quiet) && !links(&other) && !links(&bobs));
        let spelled = app.anonymous().get("/@alice/tagged/BIRDS").await;
        assert_eq!(spelled.header("location"), Some(url.as_str()), "{spelled:?}");
        for nothing in ["secret", "unheard", "100%25"] {
            let path = format!("/@alice/tagged/{nothing}");
            assert_eq!(app.anonymous().get(&path).await.status, 404, "{nothing}");
        }
    }
}
