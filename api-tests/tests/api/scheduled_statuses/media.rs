//! Attachments of scheduled statuses.

use std::time::Duration;

use reqwest::{Method, multipart::Form};
use serde_json::{Value, json};
use siskin_services::{accounts, housekeeping};

use super::{PATH, an_hour_later, path, published, schedule};
use crate::support::{Response, TestApp, User, id, ids, pictures::png};

async fn uploads<const N: usize>(user: &User) -> [Value; N] {
    let mut found = Vec::new();
    for number in 0..N {
        found.push(user.upload_media(png(20, 20), &number.to_string()).await);
    }
    found.try_into().unwrap()
}

async fn change(author: &User, scheduled: &Value, media: &[String]) -> Response {
    let change = json!({ "media_ids": media });
    author.send(author.request(Method::PUT, &path(scheduled)).json(&change)).await
}

fn attached_media(scheduled: &Value) -> Vec<String> {
    scheduled["media_attachments"].as_array().unwrap().iter().map(id).collect()
}

async fn keep_house(app: &TestApp) {
    app.app().write(housekeeping::enqueue_upkeep_jobs).await.unwrap();
    app.app().drain_jobs().await.unwrap();
}

api_tests! {
    // A scheduled status keeps its attachment and publishes nothing before its time.
    async fn an_attachment_waits_with_its_scheduled_status(app: &TestApp) {
        let alice = app.user("alice").await;
        let [media] = uploads(&alice).await;
        let before = alice.credentials().await.ok();
        let post = json!({ "status": "Look", "media_ids": ids([&media]) });
        let scheduled = schedule(app, &alice, post).await;
        assert_eq!((scheduled.get("content"), attached_media(&scheduled)), (None, ids([&media])));
        assert_eq!(scheduled["params"]["media_ids"], json!(ids([&media])));
        assert_eq!(published(&alice).await, Vec::<Value>::new());
        assert_eq!(alice.credentials().await.ok(), before);
        let list = alice.get(PATH).await.ok();
        assert_eq!(list.as_array().unwrap().len(), 1);
        assert_eq!(list[0]["media_attachments"][0], media);
        an_hour_later(app).await;
        let status = &published(&alice).await[0];
        assert_eq!((&status["content"], &status["media_attachments"][0]), (&json!("<p>Look</p>"), &media));
    }

    // The attachments of a scheduled status can be edited until it is published.
    async fn reserved_media_can_be_described_until_publication(app: &TestApp) {
        let alice = app.user("alice").await;
        let [media] = uploads(&alice).await;
        let post = json!({ "status": "Look", "media_ids": ids([&media]) });
        let scheduled = schedule(app, &alice, post).await;
        let changes = || Form::new().text("description", "Birds").text("focus", "1,1");
        let changed = alice.put_media(&media, changes()).await.ok();
        assert_eq!(changed["description"], "Birds");
        let shown = alice.get(&path(&scheduled)).await.ok();
        assert_eq!(shown["media_attachments"][0], changed);
        an_hour_later(app).await;
        assert_eq!(published(&alice).await[0]["media_attachments"][0], changed);
        alice.put_media(&media, changes()).await.expect(422);
    }

    async fn reserved_media_cannot_be_attached_elsewhere(app: &TestApp) {
        let alice = app.user("alice").await;
        let [one, two] = uploads(&alice).await;
        let post = json!({ "status": "Look", "media_ids": ids([&one]) });
        let scheduled = schedule(app, &alice, post.clone()).await;
        let other = schedule(app, &alice, json!({ "status": "x", "media_ids": ids([&two]) })).await;
        for refused in [
            alice.json("/api/v1/statuses", post.clone()).await,
            super::ask(app, &alice, post).await,
            change(&alice, &other, &ids([&two, &one])).await,
        ] {
            let refused = refused.expect(422);
            assert!(refused["error"].as_str().unwrap().contains("was not found"), "{refused}");
        }
        let kept = alice.delete(&format!("/api/v1/media/{}", id(&one))).await.expect(422);
        assert!(kept["error"].as_str().unwrap().contains("scheduled"), "{kept}");
        assert_eq!(attached_media(&alice.get(&path(&scheduled)).await.ok()), ids([&one]));
        assert_eq!(attached_media(&alice.get(&path(&other)).await.ok()), ids([&two]));
    }

    async fn reserved_media_stays_and_released_media_stays_for_a_day(app: &TestApp) {
        let alice = app.user("alice").await;
        let [kept, dropped, removed] = uploads(&alice).await;
        let at = super::ahead(app, Duration::from_hours(500));
        let post = |media: Vec<String>| {
            json!({ "status": "x", "media_ids": media, "scheduled_at": at })
        };
        let first = alice.json("/api/v1/statuses", post(ids([&kept, &dropped]))).await.ok();
        let second = alice.json("/api/v1/statuses", post(ids([&removed]))).await.ok();
        app.advance(Duration::from_hours(48));
        keep_house(app).await;
        let exists = async |media: &Value| {
            alice.get(&format!("/api/v1/media/{}", id(media))).await.status == 200
        };
        for media in [&kept, &dropped, &removed] {
            assert!(exists(media).await);
        }
        change(&alice, &first, &ids([&kept])).await.ok();
        alice.delete(&path(&second)).await.ok();
        app.advance(Duration::from_hours(23));
        keep_house(app).await;
        assert!(exists(&dropped).await && exists(&removed).await);
        // A released attachment can be attached again.
        let again = json!({ "media_ids": ids([&removed]) });
        assert_eq!(alice.publish_as(again).await["media_attachments"][0], removed);
        app.advance(Duration::from_hours(2));
        keep_house(app).await;
        assert!(exists(&kept).await && !exists(&dropped).await);
        // It belongs to a published status now.
        assert!(!exists(&removed).await);
    }

    async fn attachments_are_changed_in_their_order_and_by_the_rules_of_posts(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let [one, two, three, four, five] = uploads(&alice).await;
        let [foreign] = uploads(&bob).await;
        let post = json!({ "status": " ", "spoiler_text": "Look", "media_ids": ids([&one, &two]) });
        let scheduled = schedule(app, &alice, post).await;
        for order in [ids([&two, &one]), ids([&three, &two]), ids([&four, &three, &one, &two])] {
            let changed = change(&alice, &scheduled, &order).await.ok();
            assert_eq!((attached_media(&changed), &changed["params"]["media_ids"]), (order.clone(), &json!(order)));
            assert_eq!(changed["scheduled_at"], scheduled["scheduled_at"]);
        }
        for (media, why) in [
            (ids([&foreign]), "was not found"),
            (vec!["abc".to_owned()], "was not found"),
            (ids([&one, &two, &three, &four, &five]), "At most 4"),
        ] {
            let refused = change(&alice, &scheduled, &media).await.expect(422);
            assert!(refused["error"].as_str().unwrap().contains(why), "{refused}");
        }
        // Without text and attachments, the content warning becomes the text.
        let form = [("media_ids[]", "")];
        let bare = alice.put(&path(&scheduled), &form).await.ok();
        assert_eq!((&bare["params"]["text"], &bare["params"]["spoiler_text"]), (&json!("Look"), &Value::Null));
        assert_eq!((attached_media(&bare), &bare["params"]["media_ids"]), (vec![], &json!([])));
        an_hour_later(app).await;
        assert_eq!(published(&alice).await[0]["content"], "<p>Look</p>");
    }

    async fn a_status_without_text_needs_its_attachment(app: &TestApp) {
        let alice = app.user("alice").await;
        let [one, two] = uploads(&alice).await;
        let wordless = schedule(app, &alice, json!({ "media_ids": ids([&one]) })).await;
        let blank = change(&alice, &wordless, &[]).await.expect(422);
        assert_eq!(blank["error"], "Validation failed: Text can't be blank");
        let poll = json!({ "options": ["a", "b"], "expires_in": 3600 });
        let asking = schedule(app, &alice, json!({ "status": "?", "poll": poll })).await;
        let both = change(&alice, &asking, &ids([&two])).await.expect(422);
        assert!(both["error"].as_str().unwrap().contains("either attachments or a poll"), "{both}");
        an_hour_later(app).await;
        assert_eq!(published(&alice).await.len(), 2);
    }

    async fn deleting_an_account_deletes_its_scheduled_statuses(app: &TestApp) {
        let alice = app.user("alice").await;
        let [media] = uploads(&alice).await;
        let post = json!({ "status": "Look", "media_ids": ids([&media]) });
        schedule(app, &alice, post).await;
        let account = alice.id.parse().unwrap();
        app.app().write(move |tx| accounts::removal::begin(tx, account)).await.unwrap();
        app.app().drain_jobs().await.unwrap();
        an_hour_later(app).await;
        app.advance(Duration::from_hours(2));
        app.app().drain_jobs().await.unwrap();
        assert_eq!(app.stored_files().await, 0);
    }
}
