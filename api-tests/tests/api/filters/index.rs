//! Listing and creating filters.

use serde_json::{Value, json};

use super::{LEGACY, PATH, make, path, read};
use crate::support::{User, id, ids};

/// Returns the keywords of a filter with their `whole_word`, and checks that their ids are texts.
fn told(filter: &Value) -> Vec<(String, bool)> {
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
    async fn a_filter_is_made_with_all_that_is_said_of_it(app: &TestApp) {
        let alice = app.user("alice").await;
        let made = alice.json(PATH, json!({
            "title": "Birds", "context": ["thread", "home"], "filter_action": "hide",
            "expires_in": 3600,
            "keywords_attributes": [
                { "keyword": "siskin", "whole_word": true }, { "keyword": "finch" },
            ],
        })).await;
        let made = made.ok();
        assert_eq!(made["context"], json!(["home", "thread"]));
        assert_eq!(made["filter_action"], "hide");
        assert_eq!(made["statuses"], json!([]));
        assert_eq!(told(&made), [("siskin".to_owned(), true), ("finch".to_owned(), true)]);
        assert!(made["expires_at"].as_str().unwrap() > app.app().now().to_string().as_str());
        assert_eq!(read(&alice, &made).await, made);
        assert_eq!(alice.get(PATH).await.ok(), json!([made]));
    }

    async fn a_filter_warns_and_never_ends_where_nothing_is_said(app: &TestApp) {
        let alice = app.user("alice").await;
        let made = make(&alice, json!({ "title": " Birds ", "context": "home" })).await;
        assert_eq!((&made["title"], &made["filter_action"]), (&json!("Birds"), &json!("warn")));
        assert_eq!((&made["expires_at"], &made["keywords"]), (&json!(null), &json!([])));
        let endless = json!({ "title": "x", "context": ["home"], "expires_in": "" });
        assert_eq!(make(&alice, endless).await["expires_at"], json!(null));
    }

    // Keywords are stored in every notation: JSON, indexed and unindexed form.
    async fn keywords_are_kept_whichever_way_they_are_written(app: &TestApp) {
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
        for made in [
            alice.json(PATH, by_json).await,
            alice.form(PATH, &indexed).await,
            alice.form(PATH, &unindexed).await,
        ] {
            let kept = read(&alice, &made.ok()).await;
            assert_eq!(told(&kept), [("one".to_owned(), true), ("two".to_owned(), false)]);
        }
    }

    // Two accounts can use the same title, and filters of other accounts are not visible.
    async fn two_people_can_call_a_filter_the_same_and_see_their_own_alone(app: &TestApp) {
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
    async fn what_makes_no_filter_is_refused_and_nothing_is_made(app: &TestApp) {
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
            json!({ "title": "t", "context": ["home"], "filter_action": "blur" }),
            json!({ "title": "t", "context": ["home"], "filter_action": "drop" }),
            json!({ "title": "t", "context": ["home"], "expires_in": -1 }),
            json!({ "title": "t", "context": ["home"], "expires_in": "soon" }),
            json!({ "title": "t", "context": ["home"], "expires_in": i64::MAX }),
        ] {
            refuse(&alice, parameters).await;
        }
    }

    async fn a_new_filter_has_no_keyword_that_was_there_before(app: &TestApp) {
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

    async fn filters_are_read_and_written_by_tokens_that_may(app: &TestApp) {
        let alice = app.user("alice").await;
        let body = json!({
            "title": "t", "context": ["home"], "phrase": "p", "keywords_attributes": [],
        });
        let reader = app.user_with_scopes(&alice, "read:filters").await;
        let writer = app.user_with_scopes(&alice, "write:filters").await;
        let other = app.user_with_scopes(&alice, "read:statuses write:statuses").await;
        for path in [PATH, LEGACY] {
            assert_eq!(app.anonymous().get(path).await.status, 401);
            assert_eq!(app.anonymous().json(path, body.clone()).await.status, 401);
            assert_eq!(app.application("read write").await.get(path).await.status, 422);
            assert_eq!(reader.get(path).await.status, 200);
            assert_eq!(reader.json(path, body.clone()).await.status, 403);
            assert_eq!(writer.get(path).await.status, 403);
            assert_eq!(other.get(path).await.status, 403);
            assert_eq!(writer.json(path, body.clone()).await.status, 200);
        }
    }
}
