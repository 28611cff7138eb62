//! Keywords of filters, under both of their paths.

use serde_json::json;

use super::{LEGACY, PATH, is_marked, keyword_texts, path, put, warn_of};
use crate::support::id;

api_tests! {
    async fn a_keyword_is_read_changed_and_removed_under_both_paths(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("hello").await;
        for base in [PATH, LEGACY] {
            let created = warn_of(&alice, &[("one", false), ("two", true)]).await;
            let keyword = &created["keywords"][0];
            let path = format!("{base}/keywords/{}", id(keyword));
            assert_eq!(&alice.get(&path).await.ok(), keyword);
            let changed = put(&alice, &path, json!({ "keyword": "Hello", "whole_word": true })).await;
            let expected = json!({ "id": keyword["id"], "keyword": "Hello", "whole_word": true });
            assert_eq!(changed.ok(), expected);
            assert!(is_marked(&alice, &status).await);
            let part = alice.put(&path, &[("whole_word", "false")]).await.ok();
            let expected = json!({ "id": keyword["id"], "keyword": "Hello", "whole_word": false });
            assert_eq!((&part, &alice.get(&path).await.ok()), (&expected, &expected));
            assert_eq!(alice.put(&path, &[("keyword", "  ")]).await.status, 422);
            assert_eq!(alice.delete(&path).await.ok(), json!({}));
            assert_eq!(alice.get(&path).await.status, 404);
            assert!(!is_marked(&alice, &status).await);
            assert_eq!(keyword_texts(&alice, &created).await, ["two"]);
        }
    }

    async fn the_id_of_a_new_keyword_is_ignored(app: &TestApp) {
        let alice = app.user("alice").await;
        let created = warn_of(&alice, &[("one", false)]).await;
        let (own, list) = (id(&created["keywords"][0]), format!("{}/keywords", path(&created)));
        let mut added = vec![own.clone()];
        for place in [list.clone(), format!("{list}/{own}"), format!("{list}/12"), format!("{list}/new")] {
            let keyword = alice.form(&place, &[("keyword", "two"), ("whole_word", "1")]).await.ok();
            assert_eq!((&keyword["keyword"], &keyword["whole_word"]), (&json!("two"), &json!(true)));
            assert!(!added.contains(&id(&keyword)), "{place}");
            added.push(id(&keyword));
        }
        assert_eq!(alice.get(&list).await.ids(), added);
        assert_eq!(keyword_texts(&alice, &created).await, ["one", "two", "two", "two", "two"]);
        for blank in [json!({}), json!({ "keyword": "" }), json!({ "keyword": " \n" })] {
            assert_eq!(alice.json(&list, blank).await.status, 422);
        }
        assert_eq!(alice.get(&list).await.ids().len(), 5);
    }

    async fn a_keyword_is_a_whole_word_by_default(app: &TestApp) {
        let alice = app.user("alice").await;
        let created = warn_of(&alice, &[("one", false)]).await;
        let list = format!("{}/keywords", path(&created));
        for (parameters, expected) in [
            (json!({ "keyword": "two" }), true),
            (json!({ "keyword": "two", "whole_word": null }), true),
            (json!({ "keyword": "two", "whole_word": "" }), true),
            (json!({ "keyword": "two", "whole_word": false }), false),
        ] {
            assert_eq!(alice.json(&list, parameters.clone()).await.ok()["whole_word"], expected, "{parameters}");
            let filter = json!({
                "title": "t", "context": ["home"], "keywords_attributes": [parameters],
            });
            let filter = alice.json(PATH, filter).await.ok();
            assert_eq!(filter["keywords"][0]["whole_word"], expected, "{filter}");
            let more = json!({ "keywords_attributes": [parameters] });
            let filter = put(&alice, &path(&filter), more).await.ok();
            assert_eq!(filter["keywords"][1]["whole_word"], expected, "{filter}");
        }
        // API version 1 has another default for `whole_word`.
        let legacy = json!({ "phrase": "two", "context": ["home"] });
        assert_eq!(alice.json(LEGACY, legacy).await.ok()["whole_word"], false);
    }

    async fn keywords_of_others_are_not_found(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let his = warn_of(&bob, &[("one", false)]).await;
        let keyword = id(&his["keywords"][0]);
        for base in [PATH, LEGACY] {
            let path = format!("{base}/keywords/{keyword}");
            assert_eq!(alice.get(&path).await.status, 404);
            assert_eq!(alice.put(&path, &[("keyword", "x")]).await.status, 404);
            assert_eq!(alice.delete(&path).await.status, 404);
        }
        let list = format!("{}/keywords", path(&his));
        assert_eq!(alice.get(&list).await.status, 404);
        assert_eq!(alice.form(&list, &[("keyword", "x")]).await.status, 404);
        assert_eq!(alice.form(&format!("{list}/{keyword}"), &[("keyword", "x")]).await.status, 404);
        assert_eq!(keyword_texts(&bob, &his).await, ["one"]);
    }
}
