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
    async fn filters_apply_in_their_contexts(app: &TestApp) {
        let (viewer, writer) = (app.user("reader").await, app.user("writer").await);
        app.follow(&viewer, &writer).await;
        let root = writer.publish("a siskin @reader #birds").await;
        let reply = writer.reply(&root, "@reader another siskin #birds").await;
        for action in ["bookmark", "favourite"] {
            viewer.act(action, &root).await;
        }
        one_for_each_place(&viewer).await;
        let (root, reply) = (id(&root), id(&reply));
        let notification_types = viewer.get("/api/v1/notifications").await.ids();
        for (route, at, place) in [
            ("/api/v1/timelines/home".to_owned(), "/0", "home"),
            ("/api/v1/bookmarks".to_owned(), "/0", "home"),
            ("/api/v1/favourites".to_owned(), "/0", "home"),
            ("/api/v1/timelines/public".to_owned(), "/0", "public"),
            ("/api/v1/timelines/tag/birds".to_owned(), "/0", "public"),
            (format!("/api/v1/statuses/{root}"), "", "thread"),
            (format!("/api/v1/statuses?id[]={root}"), "/0", "thread"),
            (format!("/api/v1/statuses/{root}/context"), "/descendants/0", "thread"),
            (format!("/api/v1/statuses/{reply}/context"), "/ancestors/0", "thread"),
            (format!("/api/v1/accounts/{}/statuses", writer.id), "/0", "account"),
            ("/api/v1/notifications".to_owned(), "/0/status", "notifications"),
            (format!("/api/v1/notifications/{}", notification_types[0]), "/status", "notifications"),
        ] {
            let body = viewer.get(&route).await.ok();
            let status = body.pointer(at).unwrap_or_else(|| panic!("{route}: {body}"));
            assert_eq!(places(status), [place], "{route}");
        }
    }

    async fn actions_return_the_status_filtered_like_a_single_status(app: &TestApp) {
        let (viewer, writer) = (app.user("reader").await, app.user("writer").await);
        one_for_each_place(&viewer).await;
        let status = writer.publish("a siskin").await;
        for action in [
            "favourite", "unfavourite", "bookmark", "unbookmark", "mute", "unmute", "reblog",
            "unreblog",
        ] {
            assert_eq!(places(&viewer.act(action, &status).await), ["thread"], "{action}");
        }
        let own = viewer.publish("my own siskin").await;
        assert_eq!(places(&own), ["thread"]);
        for action in ["pin", "unpin"] {
            assert_eq!(places(&viewer.act(action, &own).await), ["thread"], "{action}");
        }
        let path = format!("/api/v1/statuses/{}", id(&own));
        let edited = viewer.put(&path, &[("status", "my old siskin")]).await.ok();
        assert_eq!(places(&edited), ["thread"]);
        assert_eq!(places(&viewer.delete(&path).await.ok()), ["thread"]);
    }

    // A hidden status is marked by the filter and stays in the list; the client hides it.
    async fn hidden_statuses_are_marked_and_stay_in_lists(app: &TestApp) {
        let (viewer, writer) = (app.user("reader").await, app.user("writer").await);
        let root = writer.publish("root").await;
        for text in ["one", "two siskins", "three"] {
            writer.reply(&root, text).await;
        }
        let path = format!("/api/v1/statuses/{}/context", id(&root));
        let before = viewer.get(&path).await.ok();
        make(&viewer, json!({
            "title": "t", "context": ["thread"], "filter_action": "hide",
            "keywords_attributes": [{ "keyword": "siskin", "whole_word": false }],
        })).await;
        let after = viewer.get(&path).await.ok();
        let order = |thread: &Value| -> Vec<Value> {
            let answers = thread["descendants"].as_array().unwrap().iter();
            answers.map(|reply| reply["id"].clone()).collect()
        };
        assert_eq!(order(&after), order(&before));
        let marked: Vec<&Value> = after["descendants"].as_array().unwrap().iter()
            .filter(|reply| reply["filtered"] != json!([])).collect();
        assert_eq!(marked.len(), 1);
        assert_eq!(marked[0]["filtered"][0]["filter"]["filter_action"], "hide");
    }

    async fn a_removed_context_is_not_filtered(app: &TestApp) {
        let viewer = app.user("reader").await;
        let status = viewer.publish("a siskin").await;
        let filter = warn_of(&viewer, &[("siskin", false)]).await;
        assert!(is_marked(&viewer, &status).await);
        let all_but_one = json!({ "context": ["home", "notifications", "public", "account"] });
        put(&viewer, &path(&filter), all_but_one).await.ok();
        assert!(!is_marked(&viewer, &status).await);
    }
}

/// Returns the number of statements that loaded filters since the last call.
fn spent_on_filters(app: &TestApp) -> u32 {
    let counted = app.app().store().take_counted();
    let reads = counted.iter().filter(|cost| cost.at.file().ends_with("app/src/filters.rs"));
    reads.filter(|cost| !cost.writes).map(|cost| cost.statements).sum()
}

both_engines! {
    fn filters_are_cached_and_reloaded_after_changes(database: &TestDatabase) {
        run(database, |config| config.count_statements = true, async |app: &TestApp| {
            let viewer = app.user("reader").await;
            let status = viewer.publish("a siskin").await;
            let filter = warn_of(&viewer, &[("siskin", false)]).await;
            assert!(is_marked(&viewer, &status).await);
            // Waits for the event of the change, which invalidates the cache once more in this
            // process.
            app.wait_until_delivered().await;
            assert!(is_marked(&viewer, &status).await);
            spent_on_filters(app);
            for path in ["timelines/home", "timelines/public", "bookmarks", "notifications"] {
                viewer.get(&format!("/api/v1/{path}")).await.ok();
            }
            assert!(is_marked(&viewer, &status).await);
            assert_eq!(spent_on_filters(app), 0);
            let gone = viewer.publish("named by a filter").await;
            let named = [("status_id", id(&gone))];
            viewer.form(&format!("{}/statuses", path(&filter)), &named).await.ok();
            app.wait_until_delivered().await;
            assert!(is_marked(&viewer, &status).await);
            spent_on_filters(app);
            // The response may use the filters of before or after.
            viewer.delete(&format!("/api/v1/statuses/{}", id(&gone))).await.ok();
            app.wait_until_delivered().await;
            assert!(is_marked(&viewer, &status).await);
            assert!(spent_on_filters(app) > 0);
            viewer.delete(&path(&filter)).await.ok();
            spent_on_filters(app);
            assert!(!is_marked(&viewer, &status).await);
            assert!(spent_on_filters(app) > 0);
        });
    }
}
