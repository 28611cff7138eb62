//! The outbox of an account: what it published for everyone, the newest first.

use std::time::Duration;

use serde_json::json;
use siskin_federation::read::{Action, Item, Subject};

use super::collections::{id_of, walk};
use crate::support::{federation::document_of, id};

const PATH: &str = "/users/alice/outbox";

api_tests! {
    async fn the_outbox_has_what_everyone_may_see(app: &TestApp) {
        app.federate().await;
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let of_bob = bob.publish("By Bob").await;
        let mut expected = Vec::new();
        for (text, visibility) in
            [("One", "public"), ("Two", "unlisted"), ("Three", "private"), ("@bob four", "direct")]
        {
            let status = json!({ "status": text, "visibility": visibility });
            let status = alice.publish_as(status).await;
            if matches!(visibility, "public" | "unlisted") {
                expected.push(format!("{}/activity", document_of(&status)));
            }
        }
        let reply = alice.reply(&of_bob, "Five").await;
        expected.push(format!("{}/activity", document_of(&reply)));
        let reblog = alice.act("reblog", &of_bob).await;
        let author = app.actor_id(&alice);
        expected.push(format!("{author}/statuses/{}/activity", id(&reblog)));
        expected.reverse();
        assert_eq!(walk(&app.anonymous(), PATH).await, expected);
        let page = app.anonymous().collection(&format!("{PATH}?page=true")).await;
        for item in &page.items {
            let Item::Activity(activity) = item else { panic!("{item:?}") };
            assert_eq!(activity.actor.as_str(), author);
            match &activity.action {
                Action::Create { objects } => {
                    let [Subject::Object(note)] = &objects[..] else { panic!("{activity:?}") };
                    let document = app.anonymous().object(note.id.as_str()).await;
                    assert_eq!(note.content, document.content);
                }
                Action::Announce { object: Subject::Id(object) } => {
                    assert_eq!(object.as_str(), document_of(&of_bob));
                }
                other => panic!("{other:?}"),
            }
        }
        let text = app.anonymous().document(&format!("{PATH}?page=true")).await.text();
        assert!(!text.contains("Three") && !text.contains("four"), "{text}");
    }

    async fn the_outbox_is_read_by_pages_in_both_directions(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        let mut written = Vec::new();
        for number in 0..45 {
            let status = alice.publish(&format!("Number {number}")).await;
            written.push(format!("{}/activity", document_of(&status)));
            app.advance(Duration::from_secs(1));
        }
        let anonymous = app.anonymous();
        let outbox = anonymous.document(PATH).await.ok();
        assert_eq!(
            (&outbox["type"], &outbox["totalItems"]),
            (&json!("OrderedCollection"), &json!(45))
        );
        let last = anonymous.collection(outbox["last"].as_str().unwrap()).await;
        assert_eq!(last.items.iter().map(id_of).next_back(), written.first().cloned());
        let mut upwards = Vec::new();
        let mut next = outbox["last"].as_str().map(str::to_owned);
        while let Some(path) = next {
            let page = anonymous.collection(&path).await;
            let items: Vec<String> = page.items.iter().rev().map(id_of).collect();
            next = anonymous.document(&path).await.ok()["prev"].as_str().map(str::to_owned);
            if items.is_empty() {
                break;
            }
            upwards.extend(items);
        }
        assert_eq!(upwards, written);
        written.reverse();
        assert_eq!(walk(&anonymous, PATH).await, written);
    }

    // Peers refuse documents of more than 1 MB.
    async fn a_page_of_long_statuses_has_a_bounded_size(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        app.app().change_setting("limits.status_chars".into(), "20000".into()).await.unwrap();
        for _ in 0..20 {
            let status = json!({ "status": "\" & <> ".repeat(2_400), "language": "en" });
            alice.publish_as(status).await;
        }
        let response = app.anonymous().document(&format!("{PATH}?page=true")).await;
        assert!(response.body.len() < 1_000_000, "{}", response.body.len());
        let page = app.anonymous().collection(&format!("{PATH}?page=true")).await;
        assert_eq!(page.items.len(), 20);
    }
}
