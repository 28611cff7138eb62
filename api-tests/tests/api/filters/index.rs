//! Listing and creating filters.

use serde_json::{Value, json};

use super::{LEGACY, PATH, make, path, read};
use crate::support::{User, id, ids};

/// Returns the keywords of a filter with their `whole_word`, and checks that their ids are texts.
fn keywords_of(filter: &Value) -> Vec<(String, bool)> {
    let keyword = |keyword: &Value| {
        assert!(keyword["id"].is_string(), "{keyword}");
        let whole_word = keyword["whole_word"].as_bool().unwrap();
        (keyword["keyword"].as_str().unwrap().to_owned(), whole_word)
    };
    filter["keywords"].as_array().unwrap().iter().map(keyword).collect()
}

/// Checks that the parameters are refused and no filter is created.
async fn refuse(owner: &User, parameters: Value) {
    let refused = owner.json(PATH, parameters.clone()).await;
    assert!(refused.expect(422)["error"].is_string(), "{parameters}");
    assert_eq!(owner.get(PATH).await.ok(), json!([]), "{parameters}");
}

api_tests! {
    async fn a_filter_is_created_with_all_parameters(app: &TestApp) {
        let alice = app.user("alice").await;
        let created = alice.json(PATH, json!({
            "title": "Birds", "context": ["thread", "home"], "filter_action": "hide",
            "expires_in": 3600,
            "keywords_attributes": [
                { "keyword": "siskin", "whole_word": true }, { "keyword": "finch" },
            ],
        })).await;
        let created = created.ok();
        assert_eq!(created["context"], json!(["home", "thread"]));
        assert_eq!(created["filter_action"], "hide");
        assert_eq!(created["statuses"], json!([]));
        assert_eq!(keywords_of(&created), [("siskin".to_owned(), true), ("finch".to_owned(), true)]);
        assert!(created["expires_at"].as_str().unwrap() > app.app().now().to_string().as_str());
        assert_eq!(read(&alice, &created).await, created);
        assert_eq!(alice.get(PATH).await.ok(), json!([created]));
    }

    async fn a_filter_warns_and_never_expires_by_default(app: &TestApp) {
        let alice = app.user("alice").await;
        let created = make(&alice, json!({ "title": " Birds ", "context": "home" })).await;
        assert_eq!((&created["title"], &created["filter_action"]), (&json!("Birds"), &json!("warn")));
        assert_eq!((&created["expires_at"], &created["keywords"]), (&json!(null), &json!([])));
        let endless = json!({ "title": "x", "context": ["home"], "expires_in": "" });
        assert_eq!(make(&alice, endless).await["expires_at"], json!(null));
    }

    // Keywords are stored in every notation: JSON, indexed and unindexed form.
    async fn keywords_are_accepted_in_every_notation(app: &TestApp) {
        let alice = app.user("alice").await;
        let attributes = json!([
            { "keyword": "one", "whole_word": true }, { "keyword": "two", "whole_word": false },
        ]);
        let by_json = json!({ "title": "t", "context": ["home"], "keywords_attributes": attributes });
        let indexed = [
            ("title", "t"), ("context[]", "home"),
            ("keywords_attributes[0][keyword]", "one"),
            ("keywords_attributes[0][whole_word]", "true"),
            ("keywords_attributes[1][keyword]", "two"),
            ("keywords_attributes[1][whole_word]", "false"),
        ];
        let unindexed = [
            ("title", "t"), ("context[]", "home"),
            ("keywords_attributes[][keyword]", "one"), ("keywords_attributes[][whole_word]", "true"),
            ("keywords_attributes[][keyword]", "two"), ("keywords_attributes[][whole_word]", "false"),
        ];
        for created in [
            alice.json(PATH, by_json).await,
            alice.form(PATH, &indexed).await,
            alice.form(PATH, &unindexed).await,
        ] {
            let kept = read(&alice, &created.ok()).await;
            assert_eq!(keywords_of(&kept), [("one".to_owned(), true), ("two".to_owned(), false)]);
        }
    }

    // Two accounts can use the same title, and filters of other accounts are not visible.
    async fn filters_of_two_accounts_may_have_the_same_title(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let news = json!({ "title": "news", "context": ["home"] });
        let (hers, his) = (make(&alice, news.clone()).await, make(&bob, news).await);
        assert_eq!(alice.get(PATH).await.ids(), ids([&hers]));
        assert_eq!(bob.get(PATH).await.ids(), ids([&his]));
        assert_eq!(alice.get(&path(&his)).await.status, 404);
        assert_eq!(alice.delete(&path(&his)).await.status, 404);
        assert_eq!(alice.put(&path(&his), &[("title", "x")]).await.status, 404);
        assert_eq!(read(&bob, &his).await, his);
    }

    // Invalid titles, contexts and keywords are refused, and nothing is stored.
    async fn invalid_filters_are_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        let keyword = |keyword: &str| json!({
            "title": "t", "context": ["home"], "keywords_attributes": [{ "keyword": keyword }],
        });
        refuse(&alice, keyword("   ")).await;
        refuse(&alice, keyword("\u{200B}")).await;
        refuse(&alice, keyword("")).await;
        for parameters in [
            json!({ "title": "t", "context": ["nowhere"] }),
            json!({ "title": "t", "context": ["home", "nowhere"] }),
            json!({ "title": "t", "context": [] }),
            json!({ "title": "t" }),
            json!({ "title": "", "context": ["home"] }),
            json!({ "title": " ", "context": ["home"] }),
            json!({ "context": ["home"] }),
            json!({ "title": "t", "context": ["home"], "filter_action": "dim" }),
            json!({ "title": "t", "context": ["home"], "filter_action": "drop" }),
            json!({ "title": "t", "context": ["home"], "expires_in": -1 }),
            json!({ "title": "t", "context": ["home"], "expires_in": "soon" }),
            json!({ "title": "t", "context": ["home"], "expires_in": i64::MAX }),
        ] {
            refuse(&alice, parameters).await;
        }
    }

    async fn a_new_filter_cannot_take_existing_keywords(app: &TestApp) {
        let alice = app.user("alice").await;
        let before = super::warn_of(&alice, &[("one", false)]).await;
        let keyword = id(&before["keywords"][0]);
        let stolen = json!({
            "title": "t", "context": ["home"],
            "keywords_attributes": [{ "id": keyword, "keyword": "x" }],
        });
        assert_eq!(alice.json(PATH, stolen).await.status, 404);
        assert_eq!(alice.get(PATH).await.ok(), json!([before]));
    }

    async fn filters_need_their_scopes(app: &TestApp) {
        let alice = app.user("alice").await;
        let body = json!({
            "title": "t", "context": ["home"], "phrase": "p", "keywords_attributes": [],
        });
        let viewer = app.user_with_scopes(&alice, "read:filters").await;
        let writer = app.user_with_scopes(&alice, "write:filters").await;
        let other = app.user_with_scopes(&alice, "read:statuses write:statuses").await;
        for path in [PATH, LEGACY] {
            assert_eq!(app.anonymous().get(path).await.status, 401);
            assert_eq!(app.anonymous().json(path, body.clone()).await.status, 401);
            assert_eq!(app.application("read write").await.get(path).await.status, 422);
            assert_eq!(viewer.get(path).await.status, 200);
            assert_eq!(viewer.json(path, body.clone()).await.status, 403);
            assert_eq!(writer.get(path).await.status, 403);
            assert_eq!(other.get(path).await.status, 403);
            assert_eq!(writer.json(path, body.clone()).await.status, 200);
        }
    }
}
