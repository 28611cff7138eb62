//! A filter: reading, changing and deleting it.

use std::time::Duration;

use serde_json::json;

use super::{PATH, is_marked, keyword_texts, make, path, put, read, shown, warn_of};
use crate::support::id;

api_tests! {
    async fn absent_fields_stay_unchanged(app: &TestApp) {
        let alice = app.user("alice").await;
        let created = make(&alice, json!({
            "title": "t", "context": ["home"], "filter_action": "hide", "expires_in": 60,
            "keywords_attributes": [{ "keyword": "one", "whole_word": true }],
        })).await;
        let path = path(&created);
        let mut expected = created.clone();
        expected["title"] = json!("other");
        assert_eq!(put(&alice, &path, json!({ "title": "other" })).await.ok(), expected);
        expected["context"] = json!(["public"]);
        assert_eq!(put(&alice, &path, json!({ "context": ["public"] })).await.ok(), expected);
        expected["filter_action"] = json!("warn");
        assert_eq!(put(&alice, &path, json!({ "filter_action": "warn" })).await.ok(), expected);
        expected["expires_at"] = json!(null);
        assert_eq!(put(&alice, &path, json!({ "expires_in": null })).await.ok(), expected);
        assert_eq!(read(&alice, &created).await, expected);
    }

    async fn an_empty_expiry_removes_the_expiry(app: &TestApp) {
        let alice = app.user("alice").await;
        let ends = json!({ "title": "t", "context": ["home"], "expires_in": 60 });
        let created = make(&alice, ends).await;
        let path = path(&created);
        assert_eq!(alice.put(&path, &[("title", "x")]).await.ok()["expires_at"], created["expires_at"]);
        assert_eq!(alice.put(&path, &[("expires_in", "")]).await.ok()["expires_at"], json!(null));
    }

    async fn keywords_are_added_changed_and_removed_in_one_request(app: &TestApp) {
        let alice = app.user("alice").await;
        let created = warn_of(&alice, &[("one", false), ("two", false), ("three", true)]).await;
        let keyword = |at: usize| id(&created["keywords"][at]);
        let edited = put(&alice, &path(&created), json!({ "keywords_attributes": [
            { "id": keyword(0), "_destroy": true },
            { "id": keyword(1), "whole_word": true },
            { "id": keyword(2), "keyword": "drei" },
            { "keyword": "four" },
            { "keyword": "five", "_destroy": "1" },
        ]})).await.ok();
        assert_eq!(edited["keywords"].as_array().unwrap().len(), 3);
        let remaining = edited["keywords"].as_array().unwrap();
        assert_eq!(remaining[0], json!({ "id": keyword(1), "keyword": "two", "whole_word": true }));
        assert_eq!(remaining[1], json!({ "id": keyword(2), "keyword": "drei", "whole_word": true }));
        assert_eq!((&remaining[2]["keyword"], &remaining[2]["whole_word"]), (&json!("four"), &json!(true)));
        assert_eq!(read(&alice, &created).await, edited);
    }

    // A keyword id of another filter results in 404, and the whole update is rejected.
    async fn keywords_of_another_filter_are_not_found(app: &TestApp) {
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
        let remaining = [(&alice, &mine), (&alice, &other), (&bob, &foreign)];
        for (owner, filter) in remaining {
            assert_eq!(&read(owner, filter).await, filter);
        }
        let first = json!({ "keywords_attributes": [
            { "id": id(&mine["keywords"][0]), "_destroy": true },
        ]});
        put(&alice, &path(&mine), first).await.ok();
        assert_eq!(keyword_texts(&alice, &mine).await, ["two"]);
    }

    async fn invalid_changes_are_refused_as_a_whole(app: &TestApp) {
        let alice = app.user("alice").await;
        let created = warn_of(&alice, &[("one", false)]).await;
        let keyword = id(&created["keywords"][0]);
        for edit in [
            json!({ "title": "" }),
            json!({ "context": [] , "title": "x" }),
            json!({ "context": ["nowhere"], "title": "x" }),
            json!({ "filter_action": "dim", "title": "x" }),
            json!({ "title": "x", "keywords_attributes": [{ "id": keyword, "keyword": " " }] }),
            json!({ "title": "x", "keywords_attributes": [{ "keyword": "" }] }),
        ] {
            assert_eq!(put(&alice, &path(&created), edit.clone()).await.status, 422, "{edit}");
            assert_eq!(read(&alice, &created).await, created, "{edit}");
        }
    }

    // An expired filter stays in the list, matches nothing and can be renewed.
    async fn an_expired_filter_does_not_match_and_can_be_renewed(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&alice, &bob).await;
        let status = bob.publish("hello there").await;
        let created = make(&alice, json!({
            "title": "t", "context": super::EVERYWHERE, "filter_action": "hide", "expires_in": 1,
            "keywords_attributes": [{ "keyword": "hello" }],
        })).await;
        assert!(is_marked(&alice, &status).await);
        app.advance(Duration::from_secs(2));
        let home = alice.get("/api/v1/timelines/home").await.ok();
        assert_eq!((&home[0]["id"], &home[0]["filtered"]), (&status["id"], &json!([])));
        assert_eq!(read(&alice, &created).await, created);
        assert_eq!(alice.get(PATH).await.ok(), json!([created]));
        assert!(created["expires_at"].as_str().unwrap() < app.app().now().to_string().as_str());
        put(&alice, &path(&created), json!({ "expires_in": 3600 })).await.ok();
        let revived = alice.get("/api/v1/timelines/home").await.ok();
        assert_eq!(revived[0]["filtered"][0]["filter"]["id"], created["id"]);
    }

    async fn a_removed_filter_is_gone_with_its_keywords(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("hello").await;
        let created = warn_of(&alice, &[("hello", false)]).await;
        assert!(is_marked(&alice, &status).await);
        assert_eq!(alice.delete(&path(&created)).await.ok(), json!({}));
        assert_eq!(shown(&alice, &status).await["filtered"], json!([]));
        for gone in [path(&created), format!("{PATH}/keywords/{}", id(&created["keywords"][0]))] {
            assert_eq!(alice.get(&gone).await.status, 404, "{gone}");
        }
        assert_eq!(alice.delete(&path(&created)).await.status, 404);
    }
}
