//! Limits on the number and length of filters.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{LEGACY, PATH, make, path, put, read, warn_of};
use crate::support::User;

/// Checks that a request is refused quickly and stores nothing.
async fn refuse(owner: &User, sent: impl Future<Output = crate::support::Response>) {
    let before = owner.get(PATH).await.ok();
    let start = Instant::now();
    let refused = sent.await;
    // Tolerates a busy machine.
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert!(refused.expect(422)["error"].is_string());
    assert_eq!(owner.get(PATH).await.ok(), before);
}

fn many(number: usize) -> Vec<Value> {
    (0..number).map(|number| json!({ "keyword": format!("word{number}") })).collect()
}

api_tests! {
    // Titles, keywords and lists of keywords that are far too long are refused at once.
    async fn extremely_long_texts_are_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        let filter = warn_of(&alice, &[("one", false)]).await;
        let long = "x".repeat(100_000);
        refuse(&alice, alice.json(PATH, json!({ "title": long, "context": ["home"] }))).await;
        let keyword = json!({
            "title": "t", "context": ["home"], "keywords_attributes": [{ "keyword": long }],
        });
        refuse(&alice, alice.json(PATH, keyword)).await;
        refuse(&alice, alice.json(LEGACY, json!({ "phrase": long, "context": ["home"] }))).await;
        refuse(&alice, put(&alice, &path(&filter), json!({ "title": long }))).await;
        let keywords = json!({ "keywords_attributes": many(10_000) });
        refuse(&alice, put(&alice, &path(&filter), keywords)).await;
        let list = format!("{}/keywords", path(&filter));
        refuse(&alice, alice.json(&list, json!({ "keyword": long }))).await;
    }

    async fn titles_and_keywords_have_256_characters_at_most(app: &TestApp) {
        let alice = app.user("alice").await;
        let (most, more) = ("é".repeat(256), "é".repeat(257));
        let created = make(&alice, json!({
            "title": most, "context": ["home"], "keywords_attributes": [{ "keyword": most }],
        })).await;
        assert_eq!(read(&alice, &created).await["keywords"][0]["keyword"], json!(most));
        refuse(&alice, put(&alice, &path(&created), json!({ "title": more }))).await;
        let keyword = json!({ "keywords_attributes": [{ "keyword": more }] });
        refuse(&alice, put(&alice, &path(&created), keyword)).await;
    }

    async fn an_account_has_at_most_a_thousand_keywords(app: &TestApp) {
        let alice = app.user("alice").await;
        let first = json!({ "title": "t", "context": ["home"], "keywords_attributes": many(999) });
        let first = make(&alice, first).await;
        let second = warn_of(&alice, &[("last", false)]).await;
        refuse(&alice, put(&alice, &path(&second), json!({ "keywords_attributes": many(1) }))).await;
        let list = format!("{}/keywords", path(&first));
        refuse(&alice, alice.json(&list, json!({ "keyword": "more" }))).await;
        refuse(&alice, alice.json(LEGACY, json!({ "phrase": "x", "context": ["home"] }))).await;
        // A deletion in the same request makes room.
        let swap = json!({ "keywords_attributes": [
            { "keyword": "new" }, { "id": second["keywords"][0]["id"], "_destroy": true },
        ]});
        put(&alice, &path(&second), swap).await.ok();
        assert_eq!(super::keyword_texts(&alice, &second).await, ["new"]);
        let status = alice.publish("a word998").await;
        let home = alice.get("/api/v1/timelines/home").await.ok();
        assert_eq!(home[0]["id"], status["id"]);
        assert_eq!(home[0]["filtered"][0]["filter"]["id"], first["id"]);
    }

    async fn concurrent_requests_do_not_exceed_the_limit(app: &TestApp) {
        let alice = app.user("alice").await;
        let most = json!({ "title": "t", "context": ["home"], "keywords_attributes": many(995) });
        let filter = make(&alice, most).await;
        let list = format!("{}/keywords", path(&filter));
        let added = (0..12).map(|_| alice.form(&list, &[("keyword", "x")]));
        let mut statuses: Vec<u16> =
            join_all(added).await.iter().map(|response| response.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [[200; 5].as_slice(), &[422; 7]].concat());
        assert_eq!(alice.get(&list).await.ids().len(), 1000);
    }

    async fn concurrent_edits_are_atomic(app: &TestApp) {
        let alice = app.user("alice").await;
        let filter = warn_of(&alice, &[("first", false)]).await;
        let first = &filter["keywords"][0]["id"];
        let edits = (0..8).map(|number| {
            let edit = json!({ "keywords_attributes": [
                { "id": first, "_destroy": true }, { "keyword": format!("new{number}") },
            ]});
            let (alice, path) = (&alice, path(&filter));
            async move { put(alice, &path, edit).await.status }
        });
        let statuses = join_all(edits).await;
        // A later request does not find the keyword that the first one deleted, and adds nothing.
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 404).count(), 7, "{statuses:?}");
        assert_eq!(super::keyword_texts(&alice, &filter).await.len(), 1);
    }
}
