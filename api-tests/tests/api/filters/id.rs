//! A filter: reading, changing and deleting it.

use std::time::Duration;

use serde_json::json;

use super::{PATH, is_marked, make, path, put, read, shown, warn_of, words};
use crate::support::id;

api_tests! {
    async fn what_is_not_said_stays(app: &TestApp) {
        let alice = app.user("alice").await;
        let made = make(&alice, json!({
            "title": "t", "context": ["home"], "filter_action": "hide", "expires_in": 60,
            "keywords_attributes": [{ "keyword": "one", "whole_word": true }],
        })).await;
        let path = path(&made);
        let mut expected = made.clone();
        expected["title"] = json!("other");
        assert_eq!(put(&alice, &path, json!({ "title": "other" })).await.ok(), expected);
        expected["context"] = json!(["public"]);
        assert_eq!(put(&alice, &path, json!({ "context": ["public"] })).await.ok(), expected);
        expected["filter_action"] = json!("warn");
        assert_eq!(put(&alice, &path, json!({ "filter_action": "warn" })).await.ok(), expected);
        expected["expires_at"] = json!(null);
        assert_eq!(put(&alice, &path, json!({ "expires_in": null })).await.ok(), expected);
        assert_eq!(read(&alice, &made).await, expected);
    }

    async fn an_end_is_taken_back_by_an_empty_one(app: &TestApp) {
        let alice = app.user("alice").await;
        let ends = json!({ "title": "t", "context": ["home"], "expires_in": 60 });
        let made = make(&alice, ends).await;
        let path = path(&made);
        assert_eq!(alice.put(&path, &[("title", "x")]).await.ok()["expires_at"], made["expires_at"]);
        assert_eq!(alice.put(&path, &[("expires_in", "")]).await.ok()["expires_at"], json!(null));
    }

    async fn keywords_are_added_changed_and_removed_at_once(app: &TestApp) {
        let alice = app.user("alice").await;
        let made = warn_of(&alice, &[("one", false), ("two", false), ("three", true)]).await;
        let keyword = |at: usize| id(&made["keywords"][at]);
        let edited = put(&alice, &path(&made), json!({ "keywords_attributes": [
            { "id": keyword(0), "_destroy": true },
            { "id": keyword(1), "whole_word": true },
            { "id": keyword(2), "keyword": "drei" },
            { "keyword": "four" },
            { "keyword": "five", "_destroy": "1" },
        ]})).await.ok();
        assert_eq!(edited["keywords"].as_array().unwrap().len(), 3);
        let kept = edited["keywords"].as_array().unwrap();
        assert_eq!(kept[0], json!({ "id": keyword(1), "keyword": "two", "whole_word": true }));
        assert_eq!(kept[1], json!({ "id": keyword(2), "keyword": "drei", "whole_word": true }));
        assert_eq!((&kept[2]["keyword"], &kept[2]["whole_word"]), (&json!("four"), &json!(true)));
        assert_eq!(read(&alice, &made).await, edited);
    }

    // A keyword id of another filter results in 404, and the whole update is rejected.
    async fn a_keyword_of_another_filter_is_not_found_and_nothing_is_changed(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let mine = warn_of(&alice, &[("one", false), ("two", false)]).await;
        let other = warn_of(&alice, &[("three", false)]).await;
        let foreign = warn_of(&bob, &[("four", false)]).await;
        for keyword in [id(&other["keywords"][0]), id(&foreign["keywords"][0]), "x".to_owned()] {
            for attributes in [
                json!([{ "keyword": "new" }, { "id": keyword, "keyword": "zz" }]),
                json!([{ "id": keyword, "_destroy": true }, { "keyword": "new" }]),
            ] {
                let edit = json!({ "title": "changed", "keywords_attributes": attributes });
                assert_eq!(put(&alice, &path(&mine), edit).await.status, 404);
            }
        }
        let kept = [(&alice, &mine), (&alice, &other), (&bob, &foreign)];
        for (owner, filter) in kept {
            assert_eq!(&read(owner, filter).await, filter);
        }
        let first = json!({ "keywords_attributes": [
            { "id": id(&mine["keywords"][0]), "_destroy": true },
        ]});
        put(&alice, &path(&mine), first).await.ok();
        assert_eq!(words(&alice, &mine).await, ["two"]);
    }

    async fn what_cannot_be_is_refused_and_nothing_is_changed(app: &TestApp) {
        let alice = app.user("alice").await;
        let made = warn_of(&alice, &[("one", false)]).await;
        let keyword = id(&made["keywords"][0]);
        for edit in [
            json!({ "title": "" }),
            json!({ "context": [] , "title": "x" }),
            json!({ "context": ["nowhere"], "title": "x" }),
            json!({ "filter_action": "blur", "title": "x" }),
            json!({ "title": "x", "keywords_attributes": [{ "id": keyword, "keyword": " " }] }),
            json!({ "title": "x", "keywords_attributes": [{ "keyword": "" }] }),
        ] {
            assert_eq!(put(&alice, &path(&made), edit.clone()).await.status, 422, "{edit}");
            assert_eq!(read(&alice, &made).await, made, "{edit}");
        }
    }

    // An expired filter stays in the list, matches nothing and can be renewed.
    async fn an_expired_filter_is_kept_marks_nothing_and_can_be_revived(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&alice, &bob).await;
        let status = bob.publish("hello there").await;
        let made = make(&alice, json!({
            "title": "t", "context": super::EVERYWHERE, "filter_action": "hide", "expires_in": 1,
            "keywords_attributes": [{ "keyword": "hello" }],
        })).await;
        assert!(is_marked(&alice, &status).await);
        app.advance(Duration::from_secs(2));
        let home = alice.get("/api/v1/timelines/home").await.ok();
        assert_eq!((&home[0]["id"], &home[0]["filtered"]), (&status["id"], &json!([])));
        assert_eq!(read(&alice, &made).await, made);
        assert_eq!(alice.get(PATH).await.ok(), json!([made]));
        assert!(made["expires_at"].as_str().unwrap() < app.app().now().to_string().as_str());
        put(&alice, &path(&made), json!({ "expires_in": 3600 })).await.ok();
        let revived = alice.get("/api/v1/timelines/home").await.ok();
        assert_eq!(revived[0]["filtered"][0]["filter"]["id"], made["id"]);
    }

    async fn a_removed_filter_is_gone_with_its_keywords_and_marks_nothing(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("hello").await;
        let made = warn_of(&alice, &[("hello", false)]).await;
        assert!(is_marked(&alice, &status).await);
        assert_eq!(alice.delete(&path(&made)).await.ok(), json!({}));
        assert_eq!(shown(&alice, &status).await["filtered"], json!([]));
        for gone in [path(&made), format!("{PATH}/keywords/{}", id(&made["keywords"][0]))] {
            assert_eq!(alice.get(&gone).await.status, 404, "{gone}");
        }
        assert_eq!(alice.delete(&path(&made)).await.status, 404);
    }
}
