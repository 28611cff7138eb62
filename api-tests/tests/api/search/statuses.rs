//! Statuses in `/api/v2/search`: what is searched, pages, and the index after changes.

use serde_json::json;

use super::{indexable, search, set_indexable, texts, texts_with};
use crate::support::{id, pictures::png};

api_tests! {
    // All texts of a status are searched, each by itself.
    async fn a_status_is_found_by_each_of_its_texts(app: &TestApp) {
        let (alice, bob) = (indexable(app, "alice").await, app.user("bob").await);
        let media = alice.upload_media(png(9, 9), "A heron on a pole").await;
        let with_picture = json!({
            "status": "Good **morning**", "spoiler_text": "Wading birds",
            "media_ids": [media["id"]], "content_type": "text/markdown",
        });
        let status = alice.publish_as(with_picture).await;
        alice.publish_as(json!({
            "status": "Which one?",
            "poll": { "options": ["Grebe", "Great crested tit"], "expires_in": 3600 },
        })).await;
        for q in ["morning", "GOOD", "good morning", "wading", "heron", "heron birds morning",
            "\"a heron on\"", "\"wading birds\""]
        {
            let found = search(&bob, &[("q", q), ("type", "statuses")]).await.ok();
            assert_eq!(found["statuses"][0]["id"], status["id"], "{q}");
            assert_eq!(found["statuses"].as_array().unwrap().len(), 1, "{q}");
        }
        for q in ["grebe", "\"crested tit\"", "which tit"] {
            assert_eq!(texts(&bob, q).await, ["Which one?"], "{q}");
        }
        for q in ["morn", "\"birds good\"", "\"heron good\"", "good -heron", "\"one grebe\"", "strong"]
        {
            assert_eq!(texts(&bob, q).await, [""; 0], "{q}");
        }
    }

    // Without a type, all three kinds are returned.
    async fn all_kinds_are_found_together(app: &TestApp) {
        let (heron, bob) = (indexable(app, "heron").await, app.user("bob").await);
        heron.publish("A #heron").await;
        let found = search(&bob, &[("q", "heron")]).await.ok();
        assert_eq!(found["accounts"][0]["acct"], "heron");
        assert_eq!(found["statuses"][0]["account"]["acct"], "heron");
        assert_eq!(found["hashtags"][0]["name"], "heron");
        for (kind, lengths) in
            [("accounts", [1, 0, 0]), ("statuses", [0, 1, 0]), ("hashtags", [0, 0, 1])]
        {
            let found = search(&bob, &[("q", "heron"), ("type", kind)]).await.ok();
            let length = |name: &str| found[name].as_array().unwrap().len();
            assert_eq!([length("accounts"), length("statuses"), length("hashtags")], lengths);
        }
        let found = search(&app.anonymous(), &[("q", "heron")]).await.ok();
        assert_eq!(found["statuses"], json!([]));
    }

    // Pages by offset and by ids list each status once, the newest first.
    async fn pages_list_each_status_once(app: &TestApp) {
        let (alice, bob) = (indexable(app, "alice").await, app.user("bob").await);
        let mut ids = Vec::new();
        for number in 0..25 {
            ids.push(id(&alice.publish(&format!("Wren {number}")).await));
        }
        ids.reverse();
        let page = async |query: &[(&str, &str)]| -> Vec<String> {
            let fixed = [("q", "wren"), ("type", "statuses"), ("limit", "10")];
            let found = search(&bob, &[&fixed, query].concat()).await.ok();
            found["statuses"].as_array().unwrap().iter().map(id).collect()
        };
        for (offset, expected) in [("0", 0..10), ("10", 10..20), ("20", 20..25), ("30", 25..25)] {
            assert_eq!(page(&[("offset", offset)]).await, ids[expected]);
        }
        assert_eq!(page(&[("max_id", &ids[9])]).await, ids[10..20]);
        assert_eq!(page(&[("max_id", &ids[9]), ("offset", "10")]).await, ids[20..]);
        assert_eq!(page(&[("min_id", &ids[15])]).await, ids[5..15]);
        assert_eq!(page(&[("min_id", &ids[4])]).await, ids[..4]);
        assert_eq!(page(&[("max_id", &ids[2]), ("min_id", &ids[6])]).await, ids[3..6]);
        assert_eq!(page(&[("max_id", "")]).await, ids[..10]);
        assert_eq!(page(&[("offset", "5000")]).await, [""; 0]);
        let all = search(&bob, &[("q", "wren"), ("type", "statuses"), ("limit", "100000")]).await;
        assert_eq!(all.ok()["statuses"].as_array().unwrap().len(), 25);
    }

    async fn the_index_follows_edits_and_deletions(app: &TestApp) {
        let (alice, bob) = (indexable(app, "alice").await, app.user("bob").await);
        let status = alice.publish("A magpie").await;
        let other = alice.publish("Another magpie").await;
        let path = format!("/api/v1/statuses/{}", id(&status));
        alice.put(&path, &[("status", "A jackdaw"), ("spoiler_text", "Crows")]).await.ok();
        assert_eq!(texts(&bob, "magpie").await, ["Another magpie"]);
        assert_eq!(texts(&bob, "jackdaw crows").await, ["A jackdaw"]);
        let poll = json!({ "options": ["rook", "raven"], "expires_in": 3600 });
        let edit = json!({ "status": "A jackdaw", "poll": poll });
        alice.send(alice.request(reqwest::Method::PUT, &path).json(&edit)).await.ok();
        assert_eq!(texts(&bob, "raven").await, ["A jackdaw"]);
        assert_eq!(texts(&bob, "crows").await, [""; 0]);
        alice.delete(&path).await.ok();
        assert_eq!(texts(&bob, "raven").await, [""; 0]);
        alice.delete(&format!("/api/v1/statuses/{}", id(&other))).await.ok();
        assert_eq!(texts(&bob, "magpie").await, [""; 0]);
        assert_eq!(texts(&alice, "magpie").await, [""; 0]);
    }

    // A change of `indexable` holds for old statuses, too.
    async fn the_index_follows_the_choice_of_the_author(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.publish("An old dunnock").await;
        assert_eq!(texts(&bob, "dunnock").await, [""; 0]);
        set_indexable(&alice, true).await;
        app.settle().await;
        assert_eq!(texts(&bob, "dunnock").await, ["An old dunnock"]);
        set_indexable(&alice, false).await;
        // This holds at once: the rule asks the account.
        assert_eq!(texts(&bob, "dunnock").await, [""; 0]);
        assert_eq!(texts(&alice, "dunnock").await, ["An old dunnock"]);
    }

    async fn a_popular_status_is_not_found_while_it_is_deleted(app: &TestApp) {
        let (alice, bob) = (indexable(app, "alice").await, app.user("bob").await);
        let status = alice.publish("A popular osprey").await;
        for number in 0..60 {
            let fan = app.user(&format!("fan{number}")).await;
            fan.act("favourite", &status).await;
            fan.act("reblog", &status).await;
        }
        assert_eq!(texts(&bob, "osprey").await, ["A popular osprey"]);
        alice.delete(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
        assert_eq!(texts(&bob, "osprey").await, [""; 0]);
    }

    async fn an_account_limits_the_search_to_its_statuses(app: &TestApp) {
        let (alice, carol) = (indexable(app, "alice").await, indexable(app, "carol").await);
        alice.publish("Teal by Alice").await;
        carol.publish("Teal by Carol").await;
        let by = |account: &str| {
            let account = account.to_owned();
            let client = alice.client.clone();
            async move {
                let query = [("q", "teal"), ("type", "statuses"), ("account_id", &account)];
                texts_with(&client, &query).await
            }
        };
        assert_eq!(by(&carol.id).await, ["Teal by Carol"]);
        assert_eq!(by(&alice.id).await, ["Teal by Alice"]);
        assert_eq!(by("").await, ["Teal by Carol", "Teal by Alice"]);
        for nobody in ["1", "abc", "99999999999999999999"] {
            assert_eq!(by(nobody).await, [""; 0], "{nobody}");
        }
    }

    // The address of a status finds that one, for those who may see it.
    async fn a_status_is_found_by_its_address(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&bob, &alice).await;
        let public = alice.publish("For everyone").await;
        let private =
            alice.publish_as(json!({ "status": "Closed", "visibility": "private" })).await;
        for resolve in ["true", "false"] {
            for (status, name, strangers) in
                [(&public, "For everyone", 1), (&private, "Closed", 0)]
            {
                let base = app.base_url();
                for address in [
                    status["url"].as_str().unwrap().to_owned(),
                    status["uri"].as_str().unwrap().to_owned(),
                    format!("{base}/@ALICE/{}", id(status)),
                    format!("{base}/%40alice/{}", id(status)),
                ] {
                    let query = [("q", address.as_str()), ("resolve", resolve)];
                    for viewer in [&alice, &bob] {
                        assert_eq!(texts_with(viewer, &query).await, [name], "{address}");
                    }
                    let seen = texts_with(&app.anonymous(), &query).await.len();
                    assert_eq!(seen, strangers, "{address}");
                }
                let wrong = format!("{base}/@bob/{}", id(status));
                assert_eq!(texts_with(&bob, &[("q", &wrong)]).await, [""; 0]);
            }
        }
        let accounts = search(&bob, &[("q", public["url"].as_str().unwrap())]).await.ok();
        assert_eq!((&accounts["accounts"], &accounts["hashtags"]), (&json!([]), &json!([])));
    }

    // Filters mark the results in the place `public`.
    async fn filters_mark_results(app: &TestApp) {
        let (alice, bob) = (indexable(app, "alice").await, app.user("bob").await);
        alice.publish("A cuckoo").await;
        bob.json("/api/v2/filters", json!({
            "title": "birds", "context": ["public"],
            "keywords_attributes": [{ "keyword": "cuckoo" }],
        })).await.ok();
        let found = search(&bob, &[("q", "cuckoo")]).await.ok();
        assert_eq!(found["statuses"][0]["filtered"][0]["filter"]["title"], "birds");
    }
}
