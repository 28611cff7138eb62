//! Matching: the parts of a status that are searched, and the boundaries of words.

use serde_json::{Value, json};

use super::{is_marked, make, shown, warn_of};
use crate::support::{TestApp, User, id};

/// Returns whether a filter marks the status. It must be the same for the status itself and on the
/// home timeline.
async fn marks(viewer: &User, status: &Value) -> bool {
    let alone = is_marked(viewer, status).await;
    let home = viewer.get("/api/v1/timelines/home?limit=40").await.ok();
    let listed = home.as_array().unwrap().iter().find(|one| one["id"] == status["id"]).unwrap();
    assert_eq!(!listed["filtered"].as_array().unwrap().is_empty(), alone, "{status}");
    alone
}

/// Creates a viewer and an author, who is followed by the viewer.
async fn two(app: &TestApp) -> (User, User) {
    let (viewer, writer) = (app.user("reader").await, app.user("writer").await);
    app.follow(&viewer, &writer).await;
    (viewer, writer)
}

api_tests! {
    // Matching ignores case, with and without `whole_word`.
    async fn matching_ignores_case(app: &TestApp) {
        let (viewer, writer) = two(app).await;
        for whole_word in [true, false] {
            let filter = warn_of(&viewer, &[("hello", whole_word)]).await;
            let status = writer.publish("HeLLo there").await;
            let home = viewer.get("/api/v1/timelines/home").await.ok();
            assert_eq!(home[0]["id"], status["id"]);
            let result = &home[0]["filtered"][0];
            assert_eq!(result["filter"]["id"], filter["id"]);
            assert_eq!(result["keyword_matches"], json!(["HeLLo"]));
            assert_eq!(result["status_matches"], json!(null));
            assert_eq!(result["filter"].get("keywords"), None);
            assert_eq!(result["filter"].get("statuses"), None);
            viewer.delete(&super::path(&filter)).await.ok();
        }
    }

    // `whole_word` requires a word boundary only at an end of the keyword that is a letter or
    // digit.
    async fn whole_words_match_at_word_boundaries(app: &TestApp) {
        let (viewer, writer) = two(app).await;
        let keywords = [("test", false), ("cat", true), ("#bread", true), ("c++", true)];
        warn_of(&viewer, &keywords).await;
        for (text, marked) in [
            ("Test0", true), ("category", false), ("I like #bread", true), ("#breadbin", false),
            ("c++ rocks", true),
        ] {
            let status = writer.publish(text).await;
            assert_eq!(marks(&viewer, &status).await, marked, "{text}");
        }
    }

    // Special characters of regular expressions have no meaning in keywords.
    async fn special_characters_in_keywords_are_literal(app: &TestApp) {
        let (viewer, writer) = two(app).await;
        let odd = [("[x", false), ("a.b(", false), (".*", false), ("$100", false), ("\\", false)];
        warn_of(&viewer, &odd).await;
        for (text, marked) in [("axb(", false), ("see a.b( here", true), ("anything", false)] {
            let status = writer.publish(text).await;
            assert_eq!(marks(&viewer, &status).await, marked, "{text}");
        }
        for timeline in ["home", "public", "tag/x"] {
            viewer.get(&format!("/api/v1/timelines/{timeline}")).await.ok();
        }
    }

    // Matching reads texts and never markup.
    async fn matching_ignores_markup(app: &TestApp) {
        let (viewer, writer) = two(app).await;
        app.user("bob").await;
        let keywords = [("span", false), ("href", false), ("foo bar", false), ("colour", true)];
        warn_of(&viewer, &keywords).await;
        let poll = json!({ "options": ["a colour", "none"], "expires_in": 3600 });
        for (parameters, marked) in [
            (json!({ "status": "hello @bob" }), false),
            (json!({ "status": "foo #bar" }), false),
            (json!({ "status": "foo bar baz" }), true),
            (json!({ "status": "**foo** bar", "content_type": "text/markdown" }), true),
            (json!({ "status": "foo\nbar" }), false),
            (json!({ "status": "x", "spoiler_text": "foo bar" }), true),
            (json!({ "status": "x", "poll": poll }), true),
        ] {
            let status = writer.publish_as(parameters.clone()).await;
            assert_eq!(marks(&viewer, &status).await, marked, "{parameters}");
        }
        let picture = writer.publish_picture("x", "of every Colour").await;
        assert!(marks(&viewer, &picture).await);
    }

    async fn reblogs_are_matched_by_the_original_status(app: &TestApp) {
        let (viewer, writer) = two(app).await;
        let stranger = app.user("stranger").await;
        let status = stranger.publish("a siskin").await;
        let reblog = writer.act("reblog", &status).await;
        warn_of(&viewer, &[("siskin", true)]).await;
        let home = viewer.get("/api/v1/timelines/home").await.ok();
        assert_eq!(home[0]["id"], reblog["id"]);
        assert_eq!(home[0]["filtered"][0]["keyword_matches"], json!(["siskin"]));
        assert_eq!(home[0]["reblog"]["filtered"], home[0]["filtered"]);
    }

    async fn an_edited_status_is_matched_again(app: &TestApp) {
        let (viewer, writer) = two(app).await;
        warn_of(&viewer, &[("siskin", true)]).await;
        let status = writer.publish("a siskin").await;
        assert!(marks(&viewer, &status).await);
        let path = format!("/api/v1/statuses/{}", id(&status));
        writer.put(&path, &[("status", "a finch")]).await.ok();
        assert!(!marks(&viewer, &status).await);
    }

    async fn each_filter_lists_its_own_matches(app: &TestApp) {
        let (viewer, writer) = two(app).await;
        let warns = warn_of(&viewer, &[("siskin", true), ("finch", true), ("owl", true)]).await;
        warn_of(&viewer, &[("owl", false)]).await;
        let hides = make(&viewer, json!({
            "title": "t", "context": super::EVERYWHERE, "filter_action": "hide",
            "keywords_attributes": [{ "keyword": "FINCH" }],
        })).await;
        let status = writer.publish("Siskin and finch").await;
        let matches = shown(&viewer, &status).await["filtered"].clone();
        assert_eq!(matches.as_array().unwrap().len(), 2);
        // A filter that hides comes before one that warns.
        assert_eq!(matches[0]["filter"]["id"], hides["id"]);
        assert_eq!(matches[0]["keyword_matches"], json!(["finch"]));
        assert_eq!(matches[1]["filter"]["id"], warns["id"]);
        assert_eq!(matches[1]["keyword_matches"], json!(["Siskin", "finch"]));
    }

    // One that blurs media marks the status, too. What clients do with it comes last.
    async fn a_filter_that_blurs_media_marks_the_status_after_the_others(app: &TestApp) {
        let (viewer, writer) = two(app).await;
        let blurs = make(&viewer, json!({
            "title": "Pictures", "context": super::EVERYWHERE, "filter_action": "blur",
            "keywords_attributes": [{ "keyword": "spider" }],
        })).await;
        assert_eq!(blurs["filter_action"], "blur");
        let status = writer.publish("A spider").await;
        let alone = shown(&viewer, &status).await["filtered"].clone();
        assert_eq!(alone.as_array().unwrap().len(), 1);
        assert_eq!(alone[0]["filter"]["filter_action"], "blur");
        assert_eq!(alone[0]["keyword_matches"], json!(["spider"]));
        assert!(marks(&viewer, &status).await);
        let warns = warn_of(&viewer, &[("spider", true)]).await;
        let both = shown(&viewer, &status).await["filtered"].clone();
        let ids = [&both[0]["filter"]["id"], &both[1]["filter"]["id"]];
        assert_eq!(ids, [&warns["id"], &blurs["id"]]);
    }

    async fn filters_apply_to_their_owner_only(app: &TestApp) {
        let (viewer, writer) = two(app).await;
        warn_of(&viewer, &[("siskin", true)]).await;
        let status = writer.publish("a siskin").await;
        assert!(marks(&viewer, &status).await);
        assert!(!is_marked(&writer, &status).await);
        let path = format!("/api/v1/statuses/{}", id(&status));
        assert_eq!(app.anonymous().get(&path).await.ok().get("filtered"), None);
    }
}
