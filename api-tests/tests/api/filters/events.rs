//! Events about changed filters: exactly one for each change.

use std::time::Duration;

use serde_json::json;
use siskin_persistence::events;

use super::{LEGACY, PATH, make, path, put, warn_of};
use crate::support::{Response, TestApp, User, id};

/// Returns the number of events about changed filters of an account.
pub async fn count_events(app: &TestApp, owner: &User) -> usize {
    let read =
        || app.app().read(|conn| Ok((events::any_waiting(conn)?, events::since(conn, 0, 10_000)?)));
    let (mut waits, mut all) = read().await.unwrap();
    while waits {
        tokio::time::sleep(Duration::from_millis(5)).await;
        (waits, all) = read().await.unwrap();
    }
    all.iter().filter(|event| event.kind == "filters_changed" && event.payload == owner.id).count()
}

/// Checks that a request publishes this number of events.
async fn once(app: &TestApp, owner: &User, times: usize, response: impl Future<Output = Response>) {
    let before = count_events(app, owner).await;
    let response = response.await;
    assert_eq!(count_events(app, owner).await - before, times, "{response:?}");
}

api_tests! {
    async fn every_change_publishes_one_event(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = bob.publish("x").await;
        let new = json!({
            "title": "t", "context": ["home"],
            "keywords_attributes": [{ "keyword": "one" }, { "keyword": "two" }, { "keyword": "3" }],
        });
        once(app, &alice, 1, alice.json(PATH, new)).await;
        let created = alice.get(PATH).await.ok()[0].clone();
        let keyword = |at: usize| id(&created["keywords"][at]);
        let edit = json!({ "title": "u", "keywords_attributes": [
            { "id": keyword(0), "_destroy": true }, { "id": keyword(1), "keyword": "zwei" },
            { "keyword": "four" }, { "keyword": "five" },
        ]});
        once(app, &alice, 1, put(&alice, &path(&created), edit)).await;
        let list = format!("{}/keywords", path(&created));
        once(app, &alice, 1, alice.form(&list, &[("keyword", "six")])).await;
        once(app, &alice, 1, alice.form(&format!("{list}/1"), &[("keyword", "seven")])).await;
        for base in [PATH, LEGACY] {
            let one = format!("{base}/keywords/{}", keyword(1));
            once(app, &alice, 1, put(&alice, &one, json!({ "keyword": base }))).await;
        }
        let one = format!("{PATH}/keywords/{}", keyword(1));
        once(app, &alice, 1, alice.delete(&one)).await;
        let one = format!("{LEGACY}/keywords/{}", keyword(2));
        once(app, &alice, 1, alice.delete(&one)).await;
        let list = format!("{}/statuses", path(&created));
        once(app, &alice, 1, alice.form(&list, &[("status_id", id(&status))])).await;
        let held = alice.get(&list).await.ids().remove(0);
        once(app, &alice, 1, alice.delete(&format!("{PATH}/statuses/{held}"))).await;
        once(app, &alice, 1, alice.delete(&path(&created))).await;
        let legacy = json!({ "phrase": "x", "context": ["home"] });
        once(app, &alice, 1, alice.json(LEGACY, legacy)).await;
        let one = format!("{LEGACY}/{}", alice.get(LEGACY).await.ids().remove(0));
        let change = json!({ "phrase": "y", "context": ["public"], "expires_in": 60 });
        once(app, &alice, 1, put(&alice, &one, change)).await;
        once(app, &alice, 1, alice.delete(&one)).await;
        assert_eq!(count_events(app, &bob).await, 0);
    }

    async fn deleting_a_status_changes_its_filters(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let (status, unnamed) = (bob.publish("x").await, bob.publish("y").await);
        let reblog = carol.act("reblog", &status).await;
        let mut lists = Vec::new();
        for (owner, named) in [(&alice, &status), (&alice, &status), (&alice, &reblog), (&carol, &reblog)] {
            let created = warn_of(owner, &[("word", false)]).await;
            let list = format!("{}/statuses", path(&created));
            owner.form(&list, &[("status_id", id(named))]).await.ok();
            lists.push((owner, list));
        }
        warn_of(&bob, &[("word", false)]).await;
        let counts = async || [count_events(app, &alice).await, count_events(app, &bob).await, count_events(app, &carol).await];
        let before = counts().await;
        bob.delete(&format!("/api/v1/statuses/{}", id(&unnamed))).await.ok();
        assert_eq!(counts().await, before);
        bob.delete(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
        assert_eq!(counts().await, [before[0] + 1, before[1], before[2] + 1]);
        for (owner, list) in lists {
            assert_eq!(owner.get(&list).await.ok(), json!([]));
        }
    }

    async fn requests_without_changes_publish_no_event(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let his = warn_of(&bob, &[("x", false)]).await;
        let mine = make(&alice, json!({
            "title": "t", "context": ["home"], "keywords_attributes": [{ "keyword": "one" }],
        })).await;
        let keyword = id(&mine["keywords"][0]);
        let same = json!({
            "title": "t", "context": ["home"], "filter_action": "warn", "expires_in": "",
            "keywords_attributes": [{ "id": keyword, "keyword": "one", "whole_word": true }],
        });
        once(app, &alice, 0, put(&alice, &path(&mine), same)).await;
        once(app, &alice, 0, put(&alice, &path(&mine), json!({}))).await;
        let one = format!("{PATH}/keywords/{keyword}");
        once(app, &alice, 0, put(&alice, &one, json!({ "keyword": "one" }))).await;
        let one = format!("{LEGACY}/{keyword}");
        let same = json!({ "phrase": "one", "context": ["home"], "irreversible": false });
        once(app, &alice, 0, put(&alice, &one, same)).await;
        once(app, &alice, 0, put(&alice, &path(&mine), json!({ "title": "" }))).await;
        let foreign = json!({ "title": "x", "keywords_attributes": [
            { "id": id(&his["keywords"][0]), "_destroy": true },
        ]});
        once(app, &alice, 0, put(&alice, &path(&mine), foreign)).await;
        once(app, &alice, 0, alice.delete(&path(&his))).await;
        once(app, &alice, 0, alice.json(PATH, json!({ "title": "x" }))).await;
        let preview = json!({ "keywords_attributes": [{ "keyword": "one" }] });
        once(app, &alice, 0, alice.json(&format!("{PATH}/preview"), preview)).await;
        once(app, &alice, 0, alice.get(PATH)).await;
        assert_eq!(count_events(app, &bob).await, 1);
    }
}
