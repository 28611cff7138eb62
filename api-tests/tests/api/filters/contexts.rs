//! The filter context of every route that returns statuses: the table in `docs/filters.md`.

use serde_json::{Value, json};
use siskin_test_support::both_engines;

use super::{EVERYWHERE, is_marked, make, path, put, warn_of};
use crate::support::{TestApp, User, id, run};

/// Creates a filter for each context, with the context as its title.
async fn one_for_each_place(owner: &User) {
    for place in EVERYWHERE {
        let keyword = json!([{ "keyword": "siskin" }]);
        let parameters =
            json!({ "title": place, "context": [place], "keywords_attributes": keyword });
        make(owner, parameters).await;
    }
}

/// Returns the titles of the filters that match a status, and the status that it reblogs.
fn places(status: &Value) -> Vec<String> {
    let results = status["filtered"].as_array().unwrap_or_else(|| panic!("no results: {status}"));
    let title = |result: &Value| result["filter"]["title"].as_str().unwrap().to_owned();
    let places: Vec<String> = results.iter().map(title).collect();
    if status["reblog"].is_object() {
        assert_eq!(self::places(&status["reblog"]), places);
    }
    places
}

api_tests! {
    async fn what_is_read_is_marked_for_the_place_where_it_is_read(app: &TestApp) {
        let (reader, writer) = (app.user("reader").await, app.user("writer").await);
        app.follow(&reader, &writer).await;
        let root = writer.publish("a siskin @reader #birds").await;
        let answer = writer.reply(&root, "@reader another siskin #birds").await;
        for action in ["bookmark", "favourite"] {
            reader.act(action, &root).await;
        }
        one_for_each_place(&reader).await;
        let (root, answer) = (id(&root), id(&answer));
        let news = reader.get("/api/v1/notifications").await.ids();
        for (route, at, place) in [
            ("/api/v1/timelines/home".to_owned(), "/0", "home"),
            ("/api/v1/bookmarks".to_owned(), "/0", "home"),
            ("/api/v1/favourites".to_owned(), "/0", "home"),
            ("/api/v1/timelines/public".to_owned(), "/0", "public"),
            ("/api/v1/timelines/tag/birds".to_owned(), "/0", "public"),
            (format!("/api/v1/statuses/{root}"), "", "thread"),
            (format!("/api/v1/statuses?id[]={root}"), "/0", "thread"),
            (format!("/api/v1/statuses/{root}/context"), "/descendants/0", "thread"),
            (format!("/api/v1/statuses/{answer}/context"), "/ancestors/0", "thread"),
            (format!("/api/v1/accounts/{}/statuses", writer.id), "/0", "account"),
            ("/api/v1/notifications".to_owned(), "/0/status", "notifications"),
            (format!("/api/v1/notifications/{}", news[0]), "/status", "notifications"),
        ] {
            let body = reader.get(&route).await.ok();
            let status = body.pointer(at).unwrap_or_else(|| panic!("{route}: {body}"));
            assert_eq!(places(status), [place], "{route}");
        }
    }

    async fn what_is_done_with_a_status_is_answered_as_it_is_read_alone(app: &TestApp) {
        let (reader, writer) = (app.user("reader").await, app.user("writer").await);
        one_for_each_place(&reader).await;
        let status = writer.publish("a siskin").await;
        for action in [
            "favourite", "unfavourite", "bookmark", "unbookmark", "mute", "unmute", "reblog",
            "unreblog",
        ] {
            assert_eq!(places(&reader.act(action, &status).await), ["thread"], "{action}");
        }
        let own = reader.publish("my own siskin").await;
        assert_eq!(places(&own), ["thread"]);
        for action in ["pin", "unpin"] {
            assert_eq!(places(&reader.act(action, &own).await), ["thread"], "{action}");
        }
        let path = format!("/api/v1/statuses/{}", id(&own));
        let edited = reader.put(&path, &[("status", "my old siskin")]).await.ok();
        assert_eq!(places(&edited), ["thread"]);
        assert_eq!(places(&reader.delete(&path).await.ok()), ["thread"]);
    }

    // A hidden status is marked by the filter and stays in the list; the client hides it.
    async fn what_is_to_be_hidden_is_marked_and_stays_in_its_place(app: &TestApp) {
        let (reader, writer) = (app.user("reader").await, app.user("writer").await);
        let root = writer.publish("root").await;
        for text in ["one", "two siskins", "three"] {
            writer.reply(&root, text).await;
        }
        let path = format!("/api/v1/statuses/{}/context", id(&root));
        let before = reader.get(&path).await.ok();
        make(&reader, json!({
            "title": "t", "context": ["thread"], "filter_action": "hide",
            "keywords_attributes": [{ "keyword": "siskin", "whole_word": false }],
        })).await;
        let after = reader.get(&path).await.ok();
        let order = |thread: &Value| -> Vec<Value> {
            let answers = thread["descendants"].as_array().unwrap().iter();
            answers.map(|answer| answer["id"].clone()).collect()
        };
        assert_eq!(order(&after), order(&before));
        let marked: Vec<&Value> = after["descendants"].as_array().unwrap().iter()
            .filter(|answer| answer["filtered"] != json!([])).collect();
        assert_eq!(marked.len(), 1);
        assert_eq!(marked[0]["filtered"][0]["filter"]["filter_action"], "hide");
    }

    async fn a_place_that_is_taken_out_is_marked_no_more(app: &TestApp) {
        let reader = app.user("reader").await;
        let status = reader.publish("a siskin").await;
        let filter = warn_of(&reader, &[("siskin", false)]).await;
        assert!(is_marked(&reader, &status).await);
        let all_but_one = json!({ "context": ["home", "notifications", "public", "account"] });
        put(&reader, &path(&filter), all_but_one).await.ok();
        assert!(!is_marked(&reader, &status).await);
    }
}

/// Returns the number of statements that loaded filters since the last call.
fn spent_on_filters(app: &TestApp) -> u32 {
    let counted = app.app().store().take_counted();
    let reads = counted.iter().filter(|cost| cost.at.file().ends_with("app/src/filters.rs"));
    reads.filter(|cost| !cost.writes).map(|cost| cost.statements).sum()
}

both_engines! {
    fn filters_are_read_once_and_again_when_they_have_changed(database: &TestDatabase) {
        run(database, |config| config.count_statements = true, async |app: &TestApp| {
            let reader = app.user("reader").await;
            let status = reader.publish("a siskin").await;
            let filter = warn_of(&reader, &[("siskin", false)]).await;
            assert!(is_marked(&reader, &status).await);
            // Waits for the event of the change, which invalidates the cache once more in this
            // process.
            app.all_told().await;
            assert!(is_marked(&reader, &status).await);
            spent_on_filters(app);
            for path in ["timelines/home", "timelines/public", "bookmarks", "notifications"] {
                reader.get(&format!("/api/v1/{path}")).await.ok();
            }
            assert!(is_marked(&reader, &status).await);
            assert_eq!(spent_on_filters(app), 0);
            let gone = reader.publish("named by a filter").await;
            let named = [("status_id", id(&gone))];
            reader.form(&format!("{}/statuses", path(&filter)), &named).await.ok();
            app.all_told().await;
            assert!(is_marked(&reader, &status).await);
            spent_on_filters(app);
            // The response may use the filters of before or after.
            reader.delete(&format!("/api/v1/statuses/{}", id(&gone))).await.ok();
            app.all_told().await;
            assert!(is_marked(&reader, &status).await);
            assert!(spent_on_filters(app) > 0);
            reader.delete(&path(&filter)).await.ok();
            spent_on_filters(app);
            assert!(!is_marked(&reader, &status).await);
            assert!(spent_on_filters(app) > 0);
        });
    }
}
