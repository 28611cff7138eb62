//! `/api/v2/filters/preview`: the statuses that a filter would match.

use serde_json::{Value, json};

use super::{PATH, warn_of};
use crate::support::{Client, TestApp, User, ids};

async fn preview(owner: &Client, body: Value) -> crate::support::Response {
    owner.json(&format!("{PATH}/preview"), body).await
}

fn matched(preview: &Value) -> Vec<String> {
    let matches = preview["matches"].as_array().unwrap().iter();
    matches.map(|one| crate::support::id(&one["status"])).collect()
}

async fn two(app: &TestApp) -> (User, User) {
    let (viewer, writer) = (app.user("reader").await, app.user("writer").await);
    app.follow(&viewer, &writer).await;
    (viewer, writer)
}

api_tests! {
    async fn the_preview_shows_matching_statuses_of_the_home_timeline(app: &TestApp) {
        let (viewer, writer) = two(app).await;
        let stranger = app.user("stranger").await;
        stranger.publish("siskin").await;
        let older = writer.publish_as(json!({
            "status": "😀 **Siskin** & a sisk", "content_type": "text/markdown",
            "spoiler_text": "siskins",
        })).await;
        writer.publish("finch").await;
        let newer = writer.publish_picture("x", "A SISKIN").await;
        let draft = json!({
            "title": "t", "context": ["public"], "filter_action": "hide", "expires_in": 60,
            "keywords_attributes": [
                { "keyword": "siskin", "whole_word": true }, { "keyword": "sisk", "whole_word": false },
                { "keyword": "finch", "_destroy": true },
            ],
        });
        let shown = preview(&viewer, draft).await.ok();
        assert_eq!(shown["statuses_count"], 3);
        assert_eq!(matched(&shown), ids([&newer, &older]));
        assert_eq!(shown["matches"][0]["texts"], json!([{
            "part": "description", "index": 0, "text": "A SISKIN", "spans": [
                { "keyword": "sisk", "start": 2, "end": 6 },
                { "keyword": "siskin", "start": 2, "end": 8 },
            ],
        }]));
        assert_eq!(shown["matches"][1]["texts"], json!([
            {
                "part": "spoiler_text", "index": null, "text": "siskins",
                "spans": [{ "keyword": "sisk", "start": 0, "end": 4 }],
            },
            {
                "part": "content", "index": null, "text": "😀 Siskin & a sisk", "spans": [
                    { "keyword": "sisk", "start": 2, "end": 6 },
                    { "keyword": "siskin", "start": 2, "end": 8 },
                    { "keyword": "sisk", "start": 13, "end": 17 },
                ],
            },
        ]));
        assert_eq!(viewer.get(PATH).await.ok(), json!([]), "the preview must store nothing");
    }

    async fn the_preview_checks_the_requested_number_of_statuses(app: &TestApp) {
        let (viewer, writer) = two(app).await;
        let mut newest = Vec::new();
        for number in 0..3 {
            newest.insert(0, writer.publish(&format!("siskin {number}")).await);
        }
        let draft = |limit: Value| json!({
            "limit": limit, "keywords_attributes": [{ "keyword": "siskin" }],
        });
        let shown = preview(&viewer, draft(json!(2))).await.ok();
        assert_eq!(shown["statuses_count"], 2);
        assert_eq!(matched(&shown), ids([&newest[0], &newest[1]]));
        for (limit, count) in [(json!(null), 3), (json!(0), 0), (json!(1000), 3), (json!("1"), 1)] {
            assert_eq!(preview(&viewer, draft(limit)).await.ok()["statuses_count"], count);
        }
        let nothing = preview(&viewer, json!({})).await.ok();
        assert_eq!((&nothing["statuses_count"], &nothing["matches"]), (&json!(3), &json!([])));
    }

    async fn existing_filters_apply_to_the_preview(app: &TestApp) {
        let (viewer, writer) = two(app).await;
        writer.publish("siskin").await;
        let filter = warn_of(&viewer, &[("siskin", false)]).await;
        let draft = json!({ "keywords_attributes": [{ "keyword": "sis", "whole_word": false }] });
        let shown = preview(&viewer, draft).await.ok();
        let status = &shown["matches"][0]["status"];
        assert_eq!(status["filtered"][0]["filter"]["id"], filter["id"]);
    }

    async fn the_preview_refuses_invalid_filters(app: &TestApp) {
        let (viewer, _) = two(app).await;
        let stored = warn_of(&viewer, &[("one", false)]).await;
        for (draft, status) in [
            (json!({ "keywords_attributes": [{ "keyword": " " }] }), 422),
            (json!({ "context": ["nowhere"] }), 422),
            (json!({ "filter_action": "dim" }), 422),
            (json!({ "title": "" }), 422),
            (json!({ "expires_in": -1 }), 422),
            (json!({ "keywords_attributes": [{ "id": stored["keywords"][0]["id"] }] }), 404),
        ] {
            assert_eq!(preview(&viewer, draft.clone()).await.status, status, "{draft}");
        }
    }

    async fn the_preview_needs_both_scopes(app: &TestApp) {
        let (viewer, _) = two(app).await;
        for (scopes, status) in [
            ("read:filters", 403), ("read:statuses", 403), ("write", 403),
            ("read:filters read:statuses", 200), ("read", 200),
        ] {
            let client = app.user_with_scopes(&viewer, scopes).await;
            assert_eq!(preview(&client, json!({})).await.status, status, "{scopes}");
        }
        assert_eq!(preview(&app.anonymous(), json!({})).await.status, 401);
    }
}
