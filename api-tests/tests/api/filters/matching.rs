//! Matching: the parts of a status that are searched, and the boundaries of words.

use serde_json::{Value, json};

use super::{is_marked, make, shown, warn_of};
use crate::support::{TestApp, User, id};

/// Returns whether a filter marks the status. It must be the same for the status itself and on the
/// home timeline.
async fn marks(reader: &User, status: &Value) -> bool {
    let alone = is_marked(reader, status).await;
    let home = reader.get("/api/v1/timelines/home?limit=40").await.ok();
    let listed = home.as_array().unwrap().iter().find(|one| one["id"] == status["id"]).unwrap();
    assert_eq!(!listed["filtered"].as_array().unwrap().is_empty(), alone, "{status}");
    alone
}

/// Creates a viewer and an author, who is followed by the viewer.
async fn two(app: &TestApp) -> (User, User) {
    let (reader, writer) = (app.user("reader").await, app.user("writer").await);
    app.follow(&reader, &writer).await;
    (reader, writer)
}

api_tests! {
    // Matching ignores case, with and without `whole_word`.
    async fn case_does_not_count_whether_a_word_must_be_whole_or_not(app: &TestApp) {
        let (reader, writer) = two(app).await;
        for whole_word in [true, false] {
            let filter = warn_of(&reader, &[("hello", whole_word)]).await;
            let status = writer.publish("HeLLo there").await;
            let home = reader.get("/api/v1/timelines/home").await.ok();
            assert_eq!(home[0]["id"], status["id"]);
            let result = &home[0]["filtered"][0];
            assert_eq!(result["filter"]["id"], filter["id"]);
            assert_eq!(result["keyword_matches"], json!(["HeLLo"]));
            assert_eq!(result["status_matches"], json!(null));
            assert_eq!(result["filter"].get("keywords"), None);
            assert_eq!(result["filter"].get("statuses"), None);
            reader.delete(&super::path(&filter)).await.ok();
        }
    }

    // `whole_word` requires a word boundary only at an end of the keyword that is a letter or
    // digit.
    async fn a_word_is_whole_where_its_edges_are_those_of_words(app: &TestApp) {
        let (reader, writer) = two(app).await;
        let words = [("test", false), ("cat", true), ("#bread", true), ("c++", true)];
        warn_of(&reader, &words).await;
        for (text, marked) in [
            ("Test0", true), ("category", false), ("I like #bread", true), ("#breadbin", false),
            ("c++ rocks", true),
        ] {
            let status = writer.publish(text).await;
            assert_eq!(marks(&reader, &status).await, marked, "{text}");
        }
    }

    // Special characters of regular expressions have no meaning in keywords.
    async fn signs_in_keywords_have_no_meaning(app: &TestApp) {
        let (reader, writer) = two(app).await;
        let odd = [("[x", false), ("a.b(", false), (".*", false), ("$100", false), ("\\", false)];
        warn_of(&reader, &odd).await;
        for (text, marked) in [("axb(", false), ("see a.b( here", true), ("anything", false)] {
            let status = writer.publish(text).await;
            assert_eq!(marks(&reader, &status).await, marked, "{text}");
        }
        for timeline in ["home", "public", "tag/x"] {
            reader.get(&format!("/api/v1/timelines/{timeline}")).await.ok();
        }
    }

    // Matching reads texts and never markup.
    async fn texts_are_read_and_never_markup(app: &TestApp) {
        let (reader, writer) = two(app).await;
        app.user("bob").await;
        let words = [("span", false), ("href", false), ("foo bar", false), ("colour", true)];
        warn_of(&reader, &words).await;
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
            assert_eq!(marks(&reader, &status).await, marked, "{parameters}");
        }
        let picture = writer.publish_picture("x", "of every Colour").await;
        assert!(marks(&reader, &picture).await);
    }

    async fn a_reblog_is_read_by_what_it_reblogs(app: &TestApp) {
        let (reader, writer) = two(app).await;
        let stranger = app.user("stranger").await;
        let status = stranger.publish("a siskin").await;
        let reblog = writer.act("reblog", &status).await;
        warn_of(&reader, &[("siskin", true)]).await;
        let home = reader.get("/api/v1/timelines/home").await.ok();
        assert_eq!(home[0]["id"], reblog["id"]);
        assert_eq!(home[0]["filtered"][0]["keyword_matches"], json!(["siskin"]));
        assert_eq!(home[0]["reblog"]["filtered"], home[0]["filtered"]);
    }

    async fn an_edited_status_is_read_anew(app: &TestApp) {
        let (reader, writer) = two(app).await;
        warn_of(&reader, &[("siskin", true)]).await;
        let status = writer.publish("a siskin").await;
        assert!(marks(&reader, &status).await);
        let path = format!("/api/v1/statuses/{}", id(&status));
        writer.put(&path, &[("status", "a finch")]).await.ok();
        assert!(!marks(&reader, &status).await);
    }

    async fn each_filter_says_for_itself_what_it_found(app: &TestApp) {
        let (reader, writer) = two(app).await;
        let warns = warn_of(&reader, &[("siskin", true), ("finch", true), ("owl", true)]).await;
        warn_of(&reader, &[("owl", false)]).await;
        let hides = make(&reader, json!({
            "title": "t", "context": super::EVERYWHERE, "filter_action": "hide",
            "keywords_attributes": [{ "keyword": "FINCH" }],
        })).await;
        let status = writer.publish("Siskin and finch").await;
        let told = shown(&reader, &status).await["filtered"].clone();
        assert_eq!(told.as_array().unwrap().len(), 2);
        // A filter that hides comes before one that warns.
        assert_eq!(told[0]["filter"]["id"], hides["id"]);
        assert_eq!(told[0]["keyword_matches"], json!(["finch"]));
        assert_eq!(told[1]["filter"]["id"], warns["id"]);
        assert_eq!(told[1]["keyword_matches"], json!(["Siskin", "finch"]));
    }

    async fn one_persons_filters_are_nothing_to_others(app: &TestApp) {
        let (reader, writer) = two(app).await;
        warn_of(&reader, &[("siskin", true)]).await;
        let status = writer.publish("a siskin").await;
        assert!(marks(&reader, &status).await);
        assert!(!is_marked(&writer, &status).await);
        let path = format!("/api/v1/statuses/{}", id(&status));
        assert_eq!(app.anonymous().get(&path).await.ok().get("filtered"), None);
    }
}
