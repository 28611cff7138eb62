//! `/api/v1/featured_tags`, its suggestions, and `GET /api/v1/accounts/{id}/featured_tags`.

use futures_util::future::join_all;
use serde_json::{Value, json};
use siskin_entities::AccountState;

use super::{PATH, on_profile};
use crate::support::{GOOD, id};

const MAX: usize = 10;

api_tests! {
    async fn a_hashtag_is_featured_and_unfeatured(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let featured = alice.feature("#BLÅHAJ").await;
        assert_eq!(
            featured,
            json!({
                "id": featured["id"], "name": "blahaj", "statuses_count": "0",
                "last_status_at": null,
                "url": format!("{}/@alice/tagged/blahaj", app.base_url()),
            })
        );
        for again in ["blahaj", "BLÅHAJ", " #Blahaj "] {
            let refused = alice.form(PATH, &[("name", again)]).await.expect(422);
            assert_eq!(refused["error"], "Validation failed: Tag has already been taken", "{again}");
        }
        assert_eq!(alice.get(PATH).await.ok(), json!([featured]));
        assert_eq!(bob.get(PATH).await.ok(), json!([]));
        let path = format!("{PATH}/{}", id(&featured));
        bob.delete(&path).await.expect(404);
        assert_eq!(alice.get(PATH).await.ids(), [id(&featured)]);
        assert_eq!(alice.delete(&path).await.ok(), json!({}));
        alice.delete(&path).await.expect(404);
        assert_eq!(alice.get(PATH).await.ok(), json!([]));
    }

    async fn invalid_hashtags_cannot_be_featured(app: &TestApp) {
        let alice = app.user("alice").await;
        for name in ["123", "", "a b", "100%", "#"] {
            let error = alice.form(PATH, &[("name", name)]).await.expect(422);
            assert_eq!(error["error"], "Validation failed: Name is not a valid hashtag", "{name}");
        }
        alice.post(PATH).await.expect(422);
        assert_eq!(alice.get(PATH).await.ok(), json!([]));
    }

    async fn blanks_and_a_leading_hash_sign_are_ignored(app: &TestApp) {
        let alice = app.user("alice").await;
        for (typed, name) in [(" one ", "one"), ("#two", "two"), (" #three\n", "three")] {
            assert_eq!(alice.feature(typed).await["name"], name);
        }
        for name in [" # ", "#four five", "#12"] {
            alice.form(PATH, &[("name", name)]).await.expect(422);
        }
    }

    // A profile features at most ten hashtags.
    async fn a_profile_features_at_most_ten_hashtags(app: &TestApp) {
        let alice = app.user("alice").await;
        for number in 0..MAX {
            alice.feature(&format!("tag{number}")).await;
        }
        let error = alice.form(PATH, &[("name", "more")]).await.expect(422);
        assert_eq!(error["error"], "Validation failed: At most 10 hashtags can be featured");
        alice.post("/api/v1/tags/more/feature").await.expect(422);
        alice.post("/api/v1/tags/tag7/feature").await.ok();
        let all = alice.get(PATH).await.ids();
        assert_eq!(all.len(), MAX);
        alice.delete(&format!("{PATH}/{}", all[0])).await.ok();
        alice.feature("more").await;
    }

    async fn the_limit_applies_to_concurrent_requests(app: &TestApp) {
        let alice = app.user("alice").await;
        for number in 0..MAX - 3 {
            alice.feature(&format!("tag{number}")).await;
        }
        let feature = async |number: usize| {
            alice.form(PATH, &[("name", format!("more{number}"))]).await.status
        };
        let answers = join_all((0..15).map(feature)).await;
        assert_eq!(answers.iter().filter(|status| **status == 200).count(), 3, "{answers:?}");
        assert!(answers.iter().all(|status| matches!(status, 200 | 422)), "{answers:?}");
        assert_eq!(alice.get(PATH).await.ids().len(), MAX);
    }

    async fn featured_hashtags_are_public(app: &TestApp) {
        let alice = app.user("alice").await;
        for name in ["seldom", "often"] {
            alice.feature(name).await;
        }
        alice.publish("#often").await;
        let names = async || -> Vec<String> {
            let tags = on_profile(&app.anonymous(), &alice).await;
            tags.into_iter().map(|(name, ..)| name).collect()
        };
        assert_eq!(names().await, ["often", "seldom"]);
        app.set_state(&alice, AccountState { suspended: true, ..GOOD }).await;
        assert_eq!(names().await, Vec::<String>::new());
        for id in ["1", "x"] {
            let path = format!("/api/v1/accounts/{id}/featured_tags");
            app.anonymous().get(&path).await.expect(404);
        }
    }

    async fn suggestions_are_used_hashtags_that_are_not_featured(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        for text in ["#often #shown", "#often #shown", "#shown #seldom", "nothing"] {
            alice.publish(text).await;
        }
        alice.publish_as(json!({ "status": "#secret", "visibility": "private" })).await;
        bob.publish("#others").await;
        alice.feature("shown").await;
        let suggested = alice.get(&format!("{PATH}/suggestions")).await.ok();
        let names: Vec<&Value> =
            suggested.as_array().unwrap().iter().map(|tag| &tag["name"]).collect();
        assert_eq!(names, ["often", "seldom"]);
        assert_eq!(suggested[0]["history"][0]["uses"], "2");
        assert_eq!(suggested[0]["featuring"], false);
    }

    async fn featuring_needs_a_token_of_its_scope(app: &TestApp) {
        let alice = app.user("alice").await;
        for path in [PATH.to_owned(), format!("{PATH}/suggestions")] {
            app.anonymous().get(&path).await.expect(401);
            app.user_with_scopes(&alice, "read:accounts").await.get(&path).await.ok();
            app.user_with_scopes(&alice, "write:accounts").await.get(&path).await.expect(403);
        }
        for path in ["/api/v1/tags/birds/feature", "/api/v1/tags/birds/unfeature"] {
            app.anonymous().post(path).await.expect(401);
            app.user_with_scopes(&alice, "write:accounts").await.post(path).await.ok();
            app.user_with_scopes(&alice, "write:follows").await.post(path).await.expect(403);
        }
        let viewer = app.user_with_scopes(&alice, "read:accounts").await;
        viewer.form(PATH, &[("name", "birds")]).await.expect(403);
    }
}
