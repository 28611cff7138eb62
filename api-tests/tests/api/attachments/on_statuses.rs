//! Statuses with attachments.

use std::time::Duration;

use serde_json::{Value, json};

use super::path_of;
use crate::support::{TestApp, User, id, ids, pictures::png};

const STATUSES: &str = "/api/v1/statuses";

/// Returns the ids of the attachments of a status.
fn attached(status: &Value) -> Vec<String> {
    status["media_attachments"].as_array().unwrap().iter().map(id).collect()
}

async fn several<const N: usize>(user: &User) -> [Value; N] {
    let mut found = Vec::new();
    for number in 0..N {
        found.push(user.upload_media(png(20, 20), &number.to_string()).await);
    }
    found.try_into().unwrap()
}

async fn page(app: &TestApp, status: &Value) -> String {
    app.anonymous().get(&format!("/@alice/{}", id(status))).await.text()
}

api_tests! {
    // Attachments keep the order in which the request names them.
    async fn attachments_stay_in_the_given_order(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&bob, &alice).await;
        let [one, two, three] = several(&alice).await;
        let order = ids([&three, &one, &two]);
        let post = json!({ "status": "x", "media_ids": order });
        let status = alice.json(STATUSES, post).await.ok();
        assert_eq!(attached(&status), order);
        assert_eq!(status["media_attachments"][1], one);
        for _ in 0..5 {
            let shown = bob.get(&format!("{STATUSES}/{}", id(&status))).await.ok();
            assert_eq!(shown["media_attachments"], status["media_attachments"]);
            let home = bob.get("/api/v1/timelines/home").await.ok();
            assert_eq!(attached(&home[0]), order);
        }
        let reblog = bob.act("reblog", &status).await;
        assert_eq!((attached(&reblog), attached(&reblog["reblog"])), (vec![], order));
    }

    async fn a_status_may_consist_of_a_picture_alone(app: &TestApp) {
        let alice = app.user("alice").await;
        let [one, two] = several(&alice).await;
        let status = alice.publish_as(json!({ "status": " ", "media_ids": [one["id"]] })).await;
        assert_eq!((&status["content"], &status["sensitive"]), (&json!(""), &json!(false)));
        let warned = json!({ "media_ids": two["id"], "spoiler_text": "Spiders" });
        let warned = alice.publish_as(warned).await;
        assert_eq!((&warned["content"], &warned["spoiler_text"]), (&json!(""), &json!("Spiders")));
        assert_eq!(warned["sensitive"], true);
        let [three] = several(&alice).await;
        let hidden = json!({ "media_ids": [three["id"]], "sensitive": true });
        assert_eq!(alice.publish_as(hidden).await["sensitive"], true);
    }

    async fn a_status_accepts_only_own_unattached_media(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let [foreign] = several(&bob).await;
        let [attached] = several(&alice).await;
        alice.publish_as(json!({ "media_ids": [attached["id"]] })).await;
        let five: [Value; 5] = several(&alice).await;
        let [good, ..] = &five;
        for (media, why) in [
            (vec![good["id"].clone(), foreign["id"].clone()], "was not found"),
            (vec![attached["id"].clone()], "was not found"),
            (vec![json!("1234567890")], "was not found"),
            (vec![json!("abc")], "was not found"),
            (five.iter().map(|media| media["id"].clone()).collect(), "At most 4 files"),
        ] {
            let post = json!({ "status": "x", "media_ids": media });
            let refused = alice.json(STATUSES, post).await.expect(422);
            assert!(refused["error"].as_str().unwrap().contains(why), "{refused}");
        }
        let own = alice.get(&format!("/api/v1/accounts/{}/statuses", alice.id)).await;
        assert_eq!(own.ids().len(), 1);
        // A refused request attaches nothing.
        let twice = json!({ "media_ids": [good["id"], good["id"], five[1]["id"]] });
        assert_eq!(alice.publish_as(twice).await["media_attachments"].as_array().unwrap().len(), 2);
    }

    async fn a_repeated_post_attaches_its_media_once(app: &TestApp) {
        let alice = app.user("alice").await;
        let [media] = several(&alice).await;
        let mut answers = Vec::new();
        for _ in 0..2 {
            let post = json!({ "status": "x", "media_ids": [media["id"]] });
            let request = alice.request(reqwest::Method::POST, STATUSES).json(&post);
            answers.push(alice.send(request.header("Idempotency-Key", "k")).await.ok());
        }
        assert_eq!(answers[0], answers[1]);
        assert_eq!(attached(&answers[0]), ids([&media]));
    }

    // The attachments of a deleted status stay available and can be posted again.
    async fn the_attachments_of_a_deleted_status_can_be_posted_again(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish_picture("x", "Birds").await;
        let deleted = alice.delete(&format!("{STATUSES}/{}", id(&status))).await.ok();
        assert_eq!(deleted["media_attachments"], status["media_attachments"]);
        let media = &deleted["media_attachments"][0];
        assert_eq!(app.anonymous().get(&path_of(app, &media["url"])).await.status, 404);
        let again = json!({ "status": "y", "media_ids": [media["id"]] });
        let again = alice.publish_as(again).await;
        assert_eq!(again["media_attachments"][0], *media);
        assert_eq!(app.anonymous().get(&path_of(app, &media["url"])).await.status, 200);
        let path = format!("/api/v1/statuses/{}?delete_media=true", id(&again));
        let deleted = alice.delete(&path).await.ok();
        assert_eq!(deleted["media_attachments"][0], *media);
        let third = json!({ "status": "z", "media_ids": [media["id"]] });
        alice.json(STATUSES, third).await.expect(422);
        app.advance(Duration::from_hours(2));
        app.app().drain_jobs().await.unwrap();
        assert_eq!(app.anonymous().get(&path_of(app, &media["url"])).await.status, 404);
    }

    async fn an_edit_leaves_the_attachments_as_they_are(app: &TestApp) {
        let alice = app.user("alice").await;
        let [one, two] = several(&alice).await;
        let post = json!({ "status": "x", "media_ids": ids([&one, &two]) });
        let status = alice.publish_as(post).await;
        let path = format!("{STATUSES}/{}", id(&status));
        let edit = |edit: Value| {
            let request = alice.request(reqwest::Method::PUT, &path).json(&edit);
            alice.send(request)
        };
        let same = json!([
            { "id": one["id"], "description": "0", "focus": "0.0,0.0" }, { "id": two["id"] },
        ]);
        for (edited, text) in [
            (json!({ "status": "y", "media_ids": ids([&one, &two]), "media_attributes": same }), "y"),
            (json!({ "status": "" }), ""),
        ] {
            let edited = edit(edited).await.ok();
            assert_eq!(edited["media_attachments"], status["media_attachments"]);
            assert_eq!(alice.get(&format!("{path}/source")).await.ok()["text"], text);
        }
        for other in [
            json!({ "media_ids": [] }),
            json!({ "media_ids": ids([&two, &one]) }),
            json!({ "media_ids": ids([&one]) }),
            json!({ "media_attributes": [{ "id": one["id"], "description": "new" }] }),
            json!({ "media_attributes": [{ "id": one["id"], "focus": "1,1" }] }),
            json!({ "media_attributes": [{ "id": "7", "description": "0" }] }),
        ] {
            let refused = edit(other).await.expect(422);
            assert!(refused["error"].as_str().unwrap().contains("cannot be changed"), "{refused}");
        }
        let versions = alice.get(&format!("{path}/history")).await.ok();
        assert_eq!(versions.as_array().unwrap().len(), 3);
        for version in versions.as_array().unwrap() {
            assert_eq!(version["media_attachments"], status["media_attachments"]);
        }
    }

    async fn only_media_restricts_pages_to_statuses_with_attachments(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let seen = alice.publish_picture("one #birds", "").await;
        alice.publish("two #birds").await;
        let others = bob.publish_picture("three", "").await;
        alice.act("reblog", &others).await;
        for (path, expected) in [
            (format!("/api/v1/accounts/{}/statuses", alice.id), ids([&seen])),
            ("/api/v1/timelines/public".to_owned(), ids([&others, &seen])),
            ("/api/v1/timelines/tag/birds".to_owned(), ids([&seen])),
        ] {
            let narrowed = app.anonymous().get(&format!("{path}?only_media=true")).await;
            assert_eq!(narrowed.ids(), expected, "{path}");
            assert!(app.anonymous().get(&path).await.ids().len() > expected.len(), "{path}");
        }
    }

    async fn public_pages_show_picture_descriptions(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish_picture("look", "Two <b>birds</b>").await;
        let media = &status["media_attachments"][0];
        let (url, preview) = (media["url"].as_str().unwrap(), media["preview_url"].as_str().unwrap());
        let page = page(app, &status).await;
        for part in [
            format!("<a href=\"{url}\"><img src=\"{preview}\" alt=\"Two &#60;b&#62;birds&#60;/b&#62;\" width=\"64\" height=\"48\""),
            format!("<meta property=\"og:image\" content=\"{preview}\">"),
            "<meta property=\"og:image:alt\" content=\"Two &#60;b&#62;birds&#60;/b&#62;\">".to_owned(),
            "<meta name=\"twitter:card\" content=\"summary_large_image\">".to_owned(),
        ] {
            assert!(page.contains(&part), "{part} is not in {page}");
        }
    }

    async fn sensitive_media_is_hidden_until_opened(app: &TestApp) {
        let alice = app.user("alice").await;
        for (hidden, label) in [
            (json!({ "sensitive": true }), "Sensitive media"),
            (json!({ "spoiler_text": "Spiders" }), "Content warning"),
        ] {
            let [media] = several(&alice).await;
            let mut post = json!({ "status": "look", "media_ids": [media["id"]] });
            post.as_object_mut().unwrap().extend(hidden.as_object().unwrap().clone());
            let page = page(app, &alice.publish_as(post).await).await;
            let preview = media["preview_url"].as_str().unwrap();
            let (before, behind) = page.split_once("<details class=\"warning\">").unwrap();
            assert!(!before.contains(preview), "{before}");
            let (inside, after) = behind.split_once("</details>").unwrap();
            assert!(inside.contains(preview) && inside.contains(label), "{inside}");
            assert!(!after.contains(preview));
        }
    }
}
