//! Each type of notification is pushed, and only to clients that subscribed to the type.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use siskin_entities::NotificationKind;
use siskin_test_support::both_engines;

use crate::support::{
    TestApp, User, id,
    push::{PushClient, PushService, SUBSCRIPTION, status, with_push},
};

/// Returns the decrypted messages so far.
fn messages(service: &PushService, client: &PushClient) -> Vec<Value> {
    service.received().iter().map(|received| client.read(received)).collect()
}

/// Returns the types of the messages so far.
fn types(service: &PushService, client: &PushClient) -> Vec<String> {
    let name = |message: &Value| message["notification_type"].as_str().unwrap().to_owned();
    messages(service, client).iter().map(name).collect()
}

async fn edit(author: &User, status: &Value, text: &str) {
    let path = format!("/api/v1/statuses/{}", id(status));
    let body = json!({ "status": text });
    author.send(author.request(Method::PUT, &path).json(&body)).await.ok();
}

/// Lets Bob cause a notification of this kind for Alice. Returns the end of the body and the title
/// of its message, if Bob comes from [`alice_and_bob`].
pub async fn cause(
    app: &TestApp,
    kind: NotificationKind,
    alice: &User,
    bob: &User,
) -> [&'static str; 2] {
    match kind {
        NotificationKind::Mention => {
            bob.publish(&format!("@{} hello", alice.username)).await;
            ["hello", "Bob B. mentioned you"]
        }
        NotificationKind::Status => {
            app.follow_with(alice, bob, true, true, None).await;
            bob.publish("Good news").await;
            ["Good news", "Bob B. published a post"]
        }
        NotificationKind::Reblog => {
            bob.act("reblog", &alice.publish("Siskins").await).await;
            ["Siskins", "Bob B. reblogged your post"]
        }
        NotificationKind::Favourite => {
            bob.act("favourite", &alice.publish("Finches").await).await;
            ["Finches", "Bob B. favourited your post"]
        }
        NotificationKind::Follow => {
            bob.act_on("follow", alice).await;
            ["I am Bob", "Bob B. followed you"]
        }
        NotificationKind::FollowRequest => {
            alice.lock().await;
            bob.act_on("follow", alice).await;
            ["I am Bob", "Bob B. requested to follow you"]
        }
        NotificationKind::Update => {
            let first = bob.publish("First").await;
            alice.act("reblog", &first).await;
            edit(bob, &first, "Second").await;
            ["Second", "Bob B. edited a post that you reblogged"]
        }
        NotificationKind::Quote => {
            let quoted = alice.publish("Goldfinches").await;
            bob.publish_as(json!({ "status": "Look", "quoted_status_id": quoted["id"] })).await;
            ["Look", "Bob B. quoted your post"]
        }
        NotificationKind::QuotedUpdate => {
            let first = bob.publish("First version").await;
            alice.publish_as(json!({ "status": "See", "quoted_status_id": first["id"] })).await;
            edit(bob, &first, "Second version").await;
            ["See", "Bob B. edited a post that you quoted"]
        }
        NotificationKind::ModerationWarning => {
            let staff = app.staff(&format!("mo_{}", alice.username), "Admin").await;
            let warning = json!({ "type": "none", "text": "Please be kind" });
            staff.act_against(alice, warning).await;
            ["Please be kind", "You received a warning from the moderators"]
        }
        NotificationKind::AdminReport => {
            app.give_role(alice, Some("Moderator")).await;
            let carol = app.user("carol").await;
            bob.report_as(&carol, json!({ "comment": "This is rude" })).await;
            ["This is rude", "Bob B. reported carol"]
        }
        NotificationKind::AdminSignUp => {
            app.give_role(alice, Some("Moderator")).await;
            app.ask_for_approval().await;
            app.signs_up("dora").await;
            ["", "dora signed up"]
        }
        NotificationKind::Poll => {
            let poll = json!({ "options": ["a", "b"], "expires_in": 3600 });
            let question = bob.publish_as(json!({ "status": "Which?", "poll": poll })).await;
            let path = format!("/api/v1/polls/{}/votes", id(&question["poll"]));
            alice.json(&path, json!({ "choices": [0] })).await.ok();
            app.advance(Duration::from_hours(1));
            ["Which?", "A poll of Bob B. has ended"]
        }
    }
}

/// Creates Alice and Bob, with names that end like this.
pub async fn alice_and_bob(app: &TestApp, ending: &str) -> [User; 2] {
    let alice = app.user(&format!("alice{ending}")).await;
    let bob = app.user(&format!("bob{ending}")).await;
    let profile = [("display_name", "Bob B."), ("note", "I am Bob")];
    bob.patch("/api/v1/accounts/update_credentials", &profile).await.ok();
    [alice, bob]
}

both_engines! {
    fn every_kind_is_pushed_once_with_its_text(database: &TestDatabase) {
        with_push(database, async |app, service| {
            for (number, kind) in NotificationKind::ALL.into_iter().enumerate() {
                let [alice, bob] = alice_and_bob(app, &number.to_string()).await;
                let client = PushClient::new(u8::try_from(number).unwrap() + 1);
                let path = format!("/{number}");
                client.subscribe(&alice, &service.endpoint(&path)).await;
                let [text, title] = cause(app, kind, &alice, &bob).await;
                app.settle().await;
                let received = service.received();
                let own: Vec<_> = received.iter().filter(|one| one.path == path).collect();
                let [own] = own[..] else { panic!("{kind:?}: {own:?}") };
                let message = client.read(own);
                let body = message["body"].as_str().unwrap();
                let listed = alice.get("/api/v1/notifications").await.ok()[0].clone();
                assert_eq!(listed["type"], kind.as_str());
                assert_eq!(message, json!({
                    "access_token": alice.token(),
                    "preferred_locale": "en",
                    "notification_id": listed["id"],
                    "notification_type": kind.as_str(),
                    "icon": listed["account"]["avatar_static"],
                    "title": title,
                    "body": body,
                }));
                assert!(body.ends_with(text), "{body}");
            }
        });
    }

    fn the_end_of_an_own_poll_is_pushed(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let (alice, client) = (app.user("alice").await, PushClient::new(1));
            client.subscribe(&alice, &service.endpoint("/")).await;
            let poll = json!({ "options": ["a", "b"], "expires_in": 3600 });
            alice.publish_as(json!({ "status": "Which?", "poll": poll })).await;
            app.advance(Duration::from_hours(1));
            app.settle().await;
            let all = messages(service, &client);
            assert_eq!(all.len(), 1);
            assert_eq!(all[0]["title"], "Your poll has ended");
        });
    }

    fn only_chosen_types_are_pushed(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let [alice, bob] = alice_and_bob(app, "").await;
            let client = PushClient::new(1);
            client.subscribe(&alice, &service.endpoint("/")).await;
            alice.put(SUBSCRIPTION, &[("data[alerts][favourite]", "true")]).await.ok();
            for kind in NotificationKind::ALL {
                cause(app, kind, &alice, &bob).await;
            }
            app.settle().await;
            assert_eq!(types(service, &client), ["favourite"]);
        });
    }

    // An alert that was turned off meanwhile is not pushed either.
    fn a_change_applies_to_waiting_messages(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let [alice, bob] = alice_and_bob(app, "").await;
            let client = PushClient::new(1);
            client.subscribe(&alice, &service.endpoint("/")).await;
            service.answer(|_| status("503 Service Unavailable"));
            bob.publish("Hello @alice").await;
            app.settle().await;
            assert_eq!(service.received().len(), 1);
            alice.put(SUBSCRIPTION, &[("data[alerts][poll]", "true")]).await.ok();
            app.advance(Duration::from_mins(1));
            app.settle().await;
            assert_eq!(service.received().len(), 1);
        });
    }

    fn what_creates_no_notification_pushes_nothing(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let [alice, bob] = alice_and_bob(app, "").await;
            let client = PushClient::new(1);
            client.subscribe(&alice, &service.endpoint("/")).await;
            let root = alice.publish("Root").await;
            alice.act("mute", &root).await;
            bob.reply(&root, "@alice in a muted conversation").await;
            alice.act_on_with("mute", &bob, json!({ "notifications": true })).await;
            bob.publish("@alice while muted").await;
            alice.act_on("unmute", &bob).await;
            alice.act_on("block", &bob).await;
            bob.publish("@alice while blocked").await;
            alice.act_on("unblock", &bob).await;
            app.settle().await;
            assert_eq!(types(service, &client), [""; 0]);
            alice.act_on_with("mute", &bob, json!({ "notifications": false })).await;
            bob.publish("@alice muted without notifications").await;
            app.settle().await;
            assert_eq!(types(service, &client), ["mention"]);
        });
    }

    // A message shows what its recipient sees when it is sent.
    fn what_is_hidden_meanwhile_is_not_pushed(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let [alice, bob] = alice_and_bob(app, "").await;
            let client = PushClient::new(1);
            client.subscribe(&alice, &service.endpoint("/")).await;
            service.answer(|_| status("503 Service Unavailable"));
            let deleted = bob.publish("@alice deleted").await;
            let edited = bob.publish("@alice first version").await;
            let favoured = alice.publish("Hello").await;
            bob.act("favourite", &favoured).await;
            app.settle().await;
            assert_eq!(service.received().len(), 3);
            bob.delete(&format!("/api/v1/statuses/{}", id(&deleted))).await.ok();
            edit(&bob, &edited, "@alice second version").await;
            bob.act("unfavourite", &favoured).await;
            service.answer(|_| status("201 Created"));
            app.advance(Duration::from_mins(1));
            app.settle().await;
            let all = messages(service, &client);
            assert_eq!(all.len(), 4, "{all:?}");
            assert_eq!(all[3]["body"], "@alice second version");
            let mention = bob.publish("@alice and a block").await;
            service.answer(|_| status("503 Service Unavailable"));
            app.settle().await;
            let before = service.received().len();
            alice.act_on("block", &bob).await;
            app.advance(Duration::from_mins(1));
            app.settle().await;
            assert_eq!(service.received().len(), before, "{mention}");
        });
    }

    // Filters of the place `notifications` apply: one that hides drops the message, one that warns
    // replaces the text by its title.
    fn filters_apply_to_messages(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let [alice, bob] = alice_and_bob(app, "").await;
            let client = PushClient::new(1);
            client.subscribe(&alice, &service.endpoint("/")).await;
            for (title, action, context, keyword) in [
                ("Hidden", "hide", "notifications", "secret"),
                ("Warned", "warn", "notifications", "spoiler"),
                ("Blurred", "blur", "notifications", "spider"),
                ("Elsewhere", "hide", "home", "harmless"),
            ] {
                let keywords = json!([{ "keyword": keyword }]);
                alice.json("/api/v2/filters", json!({
                    "title": title, "filter_action": action, "context": [context],
                    "keywords_attributes": keywords,
                })).await.ok();
            }
            for word in ["secret", "spoiler", "harmless", "spider"] {
                bob.publish(&format!("@alice {word}")).await;
                app.settle().await;
            }
            let bodies: Vec<_> =
                messages(service, &client).iter().map(|message| message["body"].clone()).collect();
            // A message shows no media that could be blurred.
            assert_eq!(bodies, ["Warned", "@alice harmless", "@alice spider"]);
        });
    }
}
