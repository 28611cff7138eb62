//! Form of messages: headers, encodings, signatures and texts.

use serde_json::{Value, json};
use siskin_test_support::both_engines;

use crate::support::{
    Client, TestApp, User,
    push::{PushClient, PushService, SUBSCRIPTION, signature, with_push},
};

/// Lets Bob publish a status that mentions Alice. Returns the message that her client gets.
async fn mention(
    app: &TestApp,
    service: &PushService,
    client: &PushClient,
    bob: &User,
    parameters: Value,
) -> Value {
    bob.publish_as(parameters).await;
    app.settle().await;
    client.read(service.received().last().unwrap())
}

both_engines! {
    // Case 101: texts are plain.
    fn texts_are_plain_and_short(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            let name = [("display_name", "Bob & <b>Co</b>")];
            bob.patch("/api/v1/accounts/update_credentials", &name).await.ok();
            let client = PushClient::new(1);
            client.subscribe(&alice, &service.endpoint("/")).await;
            let long = format!("@alice {}", "é".repeat(200));
            for (parameters, body) in [
                (json!({ "status": "@alice Tom & Jerry <3" }), "@alice Tom & Jerry <3".to_owned()),
                (
                    json!({ "status": "@alice *one*\n\n`two`", "content_type": "text/markdown" }),
                    "@alice one\n\ntwo".to_owned(),
                ),
                (json!({ "status": "@alice text", "spoiler_text": "A & B" }), "A & B".to_owned()),
                (json!({ "status": long }), format!("@alice {}…", "é".repeat(132))),
                (
                    json!({ "status": format!("@alice {}", "👩‍👩‍👧‍👦".repeat(200)) }),
                    format!("@alice {}…", "👩‍👩‍👧‍👦".repeat(39)),
                ),
            ] {
                let message = mention(app, service, &client, &bob, parameters).await;
                assert_eq!(message["body"], body);
                assert_eq!(message["title"], "Bob & <b>Co</b> mentioned you");
                assert!(message["notification_id"].is_string());
                assert_eq!(message["access_token"], alice.token().unwrap());
            }
        });
    }

    fn a_sender_without_a_display_name_has_a_user_name(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let (alice, client) = (app.user("alice").await, PushClient::new(1));
            let zoe = app.user_of("zoe", "far.example").await;
            client.subscribe(&alice, &service.endpoint("/")).await;
            let to = format!("@alice@{} hi", app.domain());
            let message = mention(app, service, &client, &zoe, json!({ "status": to })).await;
            assert_eq!(message["title"], "zoe@far.example mentioned you");
        });
    }

    fn a_message_of_the_standard_has_its_headers(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            let client = PushClient::new(1);
            let created = client.subscribe(&alice, &service.endpoint("/a?b")).await;
            mention(app, service, &client, &bob, json!({ "status": "@alice" })).await;
            let received = service.received();
            let [received] = &received[..] else { panic!("{received:?}") };
            assert_eq!((received.method.as_str(), received.path.as_str()), ("POST", "/a?b"));
            for (name, value) in [
                ("content-encoding", "aes128gcm"),
                ("content-type", "application/octet-stream"),
                ("urgency", "normal"),
            ] {
                assert_eq!(received.header(name), Some(value), "{name}");
            }
            let ttl: u64 = received.header("ttl").unwrap().parse().unwrap();
            assert!((172_700..=172_800).contains(&ttl), "{ttl}");
            let (claims, key) = signature(received);
            assert_eq!(created["server_key"], key);
            assert_eq!(claims["aud"], service.origin());
            assert_eq!(claims["sub"], app.base_url());
            let left = claims["exp"].as_i64().unwrap() - app.app().now().unix_seconds();
            assert!(0 < left && left <= 24 * 3600, "{left}");
        });
    }

    fn a_client_of_the_draft_gets_its_encoding(database: &TestDatabase) {
        with_push(database, async |app, service| {
            app.store_setting("contact_email", "me@example.com").await;
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            let client = PushClient::new(1);
            let parameters = client.parameters(&service.endpoint("/"), false);
            let created = alice.json(SUBSCRIPTION, parameters).await.ok();
            let message =
                mention(app, service, &client, &bob, json!({ "status": "@alice <3" })).await;
            assert_eq!(message["body"], "@alice <3");
            let received = service.received();
            assert_eq!(received[0].header("content-encoding"), Some("aesgcm"));
            let (claims, key) = signature(&received[0]);
            assert_eq!((&claims["sub"], &created["server_key"]), (&json!("mailto:me@example.com"), &json!(key)));
        });
    }

    fn each_client_gets_its_own_token(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            let phone = app.user_with_scopes(&alice, "push").await;
            let client = PushClient::new(1);
            for (owner, path) in [(&alice.client, "/alice"), (&phone, "/phone"), (&bob.client, "/bob")] {
                client.subscribe(owner, &service.endpoint(path)).await;
            }
            let carol = app.user("carol").await;
            carol.publish("@alice @bob hello").await;
            app.settle().await;
            let mut tokens: Vec<_> = service
                .received()
                .iter()
                .map(|one| (one.path.clone(), client.read(one)["access_token"].clone()))
                .collect();
            tokens.sort_by(|one, other| one.0.cmp(&other.0));
            let token = |client: &Client| json!(client.token().unwrap());
            assert_eq!(tokens, [
                ("/alice".to_owned(), token(&alice)),
                ("/bob".to_owned(), token(&bob)),
                ("/phone".to_owned(), token(&phone)),
            ]);
        });
    }
}
