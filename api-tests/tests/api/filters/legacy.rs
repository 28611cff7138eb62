//! API version 1: each keyword is a filter.

use serde_json::{Value, json};

use super::{LEGACY, PATH, is_marked, keyword_texts, put, read, warn_of};
use crate::support::id;

fn legacy(filter: &Value) -> String {
    format!("{LEGACY}/{}", id(filter))
}

api_tests! {
    async fn a_phrase_creates_a_filter_with_that_title(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("No spoilers").await;
        let created = alice.json(LEGACY, json!({
            "phrase": "spoilers", "context": ["thread", "home"], "irreversible": true,
            "whole_word": true, "expires_in": 3600,
        })).await.ok();
        assert_eq!(created["phrase"], "spoilers");
        assert_eq!(created["context"], json!(["home", "thread"]));
        assert_eq!((&created["irreversible"], &created["whole_word"]), (&json!(true), &json!(true)));
        assert!(created["expires_at"].is_string());
        let whole = alice.get(PATH).await.ok();
        assert_eq!((&whole[0]["title"], &whole[0]["filter_action"]), (&json!("spoilers"), &json!("hide")));
        assert_eq!(whole[0]["keywords"][0]["id"], created["id"]);
        assert_eq!(alice.get(LEGACY).await.ok(), json!([created]));
        assert_eq!(alice.get(&legacy(&created)).await.ok(), created);
        assert!(is_marked(&alice, &status).await);
    }

    async fn irreversible_and_whole_word_are_off_by_default(app: &TestApp) {
        let alice = app.user("alice").await;
        let created = alice.form(LEGACY, &[("phrase", "x"), ("context[]", "home")]).await.ok();
        assert_eq!((&created["irreversible"], &created["whole_word"]), (&json!(false), &json!(false)));
        assert_eq!(created["expires_at"], json!(null));
        for form in [
            [("phrase", ""), ("context[]", "home")],
            [("phrase", "  "), ("context[]", "home")],
            [("phrase", "x"), ("context[]", "nowhere")],
            [("phrase", "x"), ("other", "")],
            [("other", "x"), ("context[]", "home")],
        ] {
            assert_eq!(alice.form(LEGACY, &form).await.status, 422, "{form:?}");
        }
        for (phrase, expected) in
            [(" ".to_owned(), "Phrase can't be blank"), ("x".repeat(300), "Phrase is too long")]
        {
            let refused = alice.form(LEGACY, &[("phrase", &*phrase), ("context[]", "home")]).await;
            let refused = refused.expect(422);
            assert!(refused["error"].as_str().unwrap().contains(expected), "{refused}");
        }
        assert_eq!(alice.get(LEGACY).await.ok(), json!([created]));
    }

    // In version 1 each keyword is a filter, and deleting it keeps the other keywords.
    async fn each_keyword_is_a_legacy_filter_and_is_removed_alone(app: &TestApp) {
        let alice = app.user("alice").await;
        let whole = warn_of(&alice, &[("k1", false), ("k2", true)]).await;
        let listed = alice.get(LEGACY).await.ok();
        let filters: Vec<_> = listed.as_array().unwrap().iter()
            .map(|one| (one["id"].clone(), one["phrase"].clone(), one["whole_word"].clone())).collect();
        let keyword = |at: usize| whole["keywords"][at]["id"].clone();
        let expected = [
            (keyword(0), json!("k1"), json!(false)), (keyword(1), json!("k2"), json!(true)),
        ];
        assert_eq!(filters, expected);
        assert_eq!(alice.delete(&legacy(&listed[0])).await.ok(), json!({}));
        assert_eq!(keyword_texts(&alice, &whole).await, ["k2"]);
        assert_eq!(alice.delete(&legacy(&listed[1])).await.ok(), json!({}));
        assert_eq!(read(&alice, &whole).await["keywords"], json!([]));
        assert_eq!(alice.get(LEGACY).await.ok(), json!([]));
        assert_eq!(alice.delete(&legacy(&listed[1])).await.status, 404);
        // The id of a filter is not the id of a keyword.
        assert_eq!(alice.get(&format!("{LEGACY}/{}", id(&whole))).await.status, 404);
    }

    async fn a_filter_with_one_keyword_is_changed_as_a_whole(app: &TestApp) {
        let alice = app.user("alice").await;
        let form = [("phrase", "x"), ("context[]", "home"), ("expires_in", "60")];
        let created = alice.form(LEGACY, &form).await.ok();
        let changed = put(&alice, &legacy(&created), json!({
            "phrase": "y", "context": ["public"], "irreversible": true, "whole_word": true,
            "expires_in": "",
        })).await.ok();
        let expected = json!({
            "id": created["id"], "phrase": "y", "context": ["public"], "irreversible": true,
            "whole_word": true, "expires_at": null,
        });
        assert_eq!(changed, expected);
        assert_eq!(alice.get(&legacy(&created)).await.ok(), expected);
        assert_eq!(alice.get(PATH).await.ok()[0]["title"], "y");
    }

    // Version 1 has no name for it: it is a filter that does not hide, and stays one that blurs.
    async fn a_filter_that_blurs_media_is_one_that_does_not_hide(app: &TestApp) {
        let alice = app.user("alice").await;
        let whole = super::make(&alice, json!({
            "title": "x", "context": ["home"], "filter_action": "blur",
            "keywords_attributes": [{ "keyword": "x" }],
        })).await;
        let listed = alice.get(LEGACY).await.ok();
        assert_eq!((listed[0]["phrase"].clone(), listed[0]["irreversible"].clone()), (json!("x"), json!(false)));
        let path = legacy(&listed[0]);
        for (irreversible, action) in [(false, "blur"), (true, "hide"), (false, "warn")] {
            let change = json!({ "phrase": "x", "context": ["home"], "irreversible": irreversible });
            assert_eq!(put(&alice, &path, change).await.ok()["irreversible"], irreversible);
            assert_eq!(read(&alice, &whole).await["filter_action"], action, "{irreversible}");
        }
    }

    async fn changes_that_affect_other_keywords_are_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        let whole = warn_of(&alice, &[("k1", false), ("k2", false)]).await;
        let path = format!("{LEGACY}/{}", id(&whole["keywords"][0]));
        let context = json!(super::EVERYWHERE);
        for change in [
            json!({ "phrase": "x", "context": ["home"] }),
            json!({ "phrase": "x", "context": context, "expires_in": 60 }),
            json!({ "phrase": "x", "context": context, "irreversible": true }),
        ] {
            assert_eq!(put(&alice, &path, change.clone()).await.status, 422, "{change}");
            assert_eq!(read(&alice, &whole).await, whole, "{change}");
        }
        let own = json!({ "phrase": "x", "context": context, "whole_word": true });
        assert_eq!(put(&alice, &path, own).await.ok()["phrase"], "x");
        assert_eq!(keyword_texts(&alice, &whole).await, ["x", "k2"]);
        assert_eq!(read(&alice, &whole).await["title"], whole["title"]);
    }

    async fn filters_of_others_are_not_found(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let his = bob.form(LEGACY, &[("phrase", "x"), ("context[]", "home")]).await.ok();
        let path = legacy(&his);
        assert_eq!(alice.get(&path).await.status, 404);
        let form = [("phrase", "y"), ("context[]", "home")];
        assert_eq!(alice.put(&path, &form).await.status, 404);
        assert_eq!(alice.delete(&path).await.status, 404);
        assert_eq!(bob.get(LEGACY).await.ok(), json!([his]));
        assert_eq!(alice.get(LEGACY).await.ok(), json!([]));
        assert_eq!(alice.get(&super::path(&his)).await.status, 404);
    }
}
