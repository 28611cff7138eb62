//! `GET`, `POST`, `PUT` and `DELETE` of `/api/v1/push/subscription`.

use reqwest::{Method, multipart};
use serde_json::{Value, json};
use siskin_entities::NotificationType;
use siskin_ids::TokenId;
use siskin_persistence::{Conn, push};
use siskin_services::tokens;

use crate::support::{
    Client, Response, TestApp, User,
    push::{PushClient, SUBSCRIPTION, every_alert},
};

const ENDPOINT: &str = "https://push.example/send/1?a=b";

fn parameters() -> Value {
    PushClient::new(1).parameters(ENDPOINT, true)
}

/// Returns the alerts that are on.
fn on(subscription: &Value) -> Vec<String> {
    let alerts = subscription["alerts"].as_object().unwrap();
    alerts.iter().filter(|(_, on)| **on == json!(true)).map(|(name, _)| name.clone()).collect()
}

async fn put(client: &Client, body: Value) -> Response {
    client.send(client.request(Method::PUT, SUBSCRIPTION).json(&body)).await
}

/// Returns the id of the newest token of an account.
async fn newest_token(app: &TestApp, user: &User) -> TokenId {
    let account = user.id.parse().unwrap();
    let all = app.app().read(move |conn| tokens::list(conn, Some(account), TokenId::new(0)));
    all.await.unwrap().last().unwrap().id
}

api_tests! {
    async fn a_subscription_is_created_and_shown(app: &TestApp) {
        let alice = app.user("alice").await;
        alice.get(SUBSCRIPTION).await.expect(404);
        let created = alice.json(SUBSCRIPTION, parameters()).await.ok();
        assert_eq!(alice.get(SUBSCRIPTION).await.ok(), created);
        let instance = app.anonymous().get("/api/v2/instance").await.ok();
        assert_eq!(created["server_key"], instance["configuration"]["vapid"]["public_key"]);
        assert_eq!(created["endpoint"], ENDPOINT);
        assert_eq!(created["standard"], true);
        assert_eq!(created["policy"], "all");
        assert_eq!(created["alerts"], every_alert());
        assert!(created["id"].is_string() && created.get("keys").is_none());
    }

    // Clients compare the endpoint with theirs.
    async fn the_endpoint_is_shown_as_typed(app: &TestApp) {
        let alice = app.user("alice").await;
        for endpoint in ["https://push.example", "HTTPS://Push.Example:443/ä?b=%7E", ENDPOINT] {
            let parameters = PushClient::new(1).parameters(endpoint, true);
            assert_eq!(alice.json(SUBSCRIPTION, parameters).await.ok()["endpoint"], endpoint);
            assert_eq!(alice.get(SUBSCRIPTION).await.ok()["endpoint"], endpoint);
        }
    }

    async fn everything_but_the_subscription_has_a_default(app: &TestApp) {
        let alice = app.user("alice").await;
        let subscription =
            json!({ "endpoint": ENDPOINT, "keys": PushClient::new(1).keys() });
        let created = alice.json(SUBSCRIPTION, json!({ "subscription": subscription })).await.ok();
        assert_eq!(created["standard"], false);
        assert_eq!(created["policy"], "all");
        assert_eq!(created["alerts"].as_object().unwrap().len(), NotificationType::ALL.len());
        assert_eq!(on(&created), [""; 0]);
    }

    async fn forms_and_multipart_are_read_like_json(app: &TestApp) {
        let alice = app.user("alice").await;
        let keys = PushClient::new(1).keys();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let fields = [
            ("subscription[endpoint]", ENDPOINT.to_owned()),
            ("subscription[keys][p256dh]", text(&keys["p256dh"]) + "="),
            ("subscription[keys][auth]", text(&keys["auth"]) + "=="),
            ("subscription[standard]", "true".to_owned()),
            ("data[alerts][mention]", "1".to_owned()),
            ("data[alerts][admin.sign_up]", "true".to_owned()),
            ("data[alerts][poll]", "false".to_owned()),
            ("data[alerts][status]", String::new()),
            ("data[policy]", "follower".to_owned()),
        ];
        let by_form = alice.form(SUBSCRIPTION, &fields).await.ok();
        assert_eq!(on(&by_form), ["admin.sign_up", "mention"]);
        assert_eq!((&by_form["policy"], &by_form["standard"]), (&json!("follower"), &json!(true)));
        let mut form = multipart::Form::new();
        for (name, value) in fields {
            form = form.text(name, value);
        }
        let mut by_multipart = alice.multipart(SUBSCRIPTION, form).await.ok();
        by_multipart["id"] = by_form["id"].clone();
        assert_eq!(by_multipart, by_form);
    }

    async fn a_new_subscription_replaces_the_one_of_the_same_token(app: &TestApp) {
        let alice = app.user("alice").await;
        let phone = app.user_with_scopes(&alice, "push").await;
        let first = alice.json(SUBSCRIPTION, parameters()).await.ok();
        let other = phone.json(SUBSCRIPTION, parameters()).await.ok();
        let new = PushClient::new(2).parameters("https://push.example/send/2", false);
        let second = alice.json(SUBSCRIPTION, new).await.ok();
        assert_ne!(first["id"], second["id"]);
        assert_eq!(alice.get(SUBSCRIPTION).await.ok(), second);
        assert_eq!(phone.get(SUBSCRIPTION).await.ok(), other);
    }

    async fn parallel_subscriptions_of_a_token_leave_one(app: &TestApp) {
        let alice = app.user("alice").await;
        let all = (0..10).map(|_| alice.json(SUBSCRIPTION, parameters()));
        let all = futures_util::future::join_all(all).await;
        assert!(all.iter().all(|response| response.status == 200), "{all:?}");
        let left = alice.get(SUBSCRIPTION).await.ok();
        assert!(all.iter().any(|response| response.json() == left));
    }

    // Case 100: every type can be turned on, and unknown names are ignored.
    async fn every_alert_can_be_turned_on_alone(app: &TestApp) {
        let alice = app.user("alice").await;
        alice.json(SUBSCRIPTION, parameters()).await.ok();
        for kind in NotificationType::ALL {
            let field = format!("data[alerts][{}]", kind.as_str());
            let changed = alice.put(SUBSCRIPTION, &[(field.as_str(), "true")]).await.ok();
            assert_eq!(on(&changed), [kind.as_str()]);
        }
        let unknown = json!({ "data": { "alerts": { "reaction": true, "mention": true } } });
        assert_eq!(on(&put(&alice, unknown).await.ok()), ["mention"]);
        assert_eq!(on(&alice.get(SUBSCRIPTION).await.ok()), ["mention"]);
    }

    async fn an_update_keeps_what_it_does_not_name(app: &TestApp) {
        let alice = app.user("alice").await;
        let created = alice.json(SUBSCRIPTION, parameters()).await.ok();
        let changed = put(&alice, json!({ "policy": "followed" })).await.ok();
        assert_eq!(changed["policy"], "followed");
        assert_eq!(changed["alerts"], created["alerts"]);
        let changed = put(&alice, json!({ "data": { "alerts": { "poll": true } } })).await.ok();
        assert_eq!((&changed["policy"], on(&changed)), (&json!("followed"), vec!["poll".to_owned()]));
        let changed = put(&alice, json!({ "data": { "policy": "none" } })).await.ok();
        assert_eq!((&changed["policy"], on(&changed)), (&json!("none"), vec!["poll".to_owned()]));
        assert_eq!(put(&alice, json!({})).await.ok(), changed);
        assert_eq!(changed["id"], created["id"]);
        assert_eq!(changed["endpoint"], created["endpoint"]);
        assert_eq!(alice.get(SUBSCRIPTION).await.ok(), changed);
    }

    async fn an_update_needs_a_subscription(app: &TestApp) {
        let alice = app.user("alice").await;
        put(&alice, json!({ "policy": "all" })).await.expect(404);
        alice.json(SUBSCRIPTION, parameters()).await.ok();
        let refused = put(&alice, json!({ "policy": "some" })).await.expect(422);
        assert_eq!(refused["error"], "Validation failed: Policy is not included in the list");
    }

    async fn a_subscription_is_deleted_any_number_of_times(app: &TestApp) {
        let alice = app.user("alice").await;
        assert_eq!(alice.delete(SUBSCRIPTION).await.ok(), json!({}));
        alice.json(SUBSCRIPTION, parameters()).await.ok();
        for _ in 0..2 {
            assert_eq!(alice.delete(SUBSCRIPTION).await.ok(), json!({}));
            alice.get(SUBSCRIPTION).await.expect(404);
        }
    }

    async fn wrong_parameters_are_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        let blank = "Endpoint can't be blank";
        let address = "Endpoint is not a valid address";
        for (path, value, message) in [
            ("/subscription", json!(null), blank),
            ("/subscription/endpoint", json!(""), blank),
            ("/subscription/endpoint", json!("push.example"), address),
            ("/subscription/endpoint", json!("http://push.example/"), address),
            ("/subscription/endpoint", json!("https://127.0.0.1/"), address),
            ("/subscription/endpoint", json!("https://[::]/"), address),
            ("/subscription/endpoint", json!("https://[::ffff:127.0.0.1]/"), address),
            ("/subscription/endpoint", json!("https://0x7f.1/"), address),
            ("/subscription/endpoint", json!("https://169.254.169.254/"), address),
            ("/subscription/endpoint", json!("https://push.example/a\nb"), address),
            ("/subscription/endpoint", json!("https://push.example/a\r\n b"), address),
            ("/subscription/endpoint", json!("https://push.example/a\u{7f}b"), address),
            (
                "/subscription/endpoint",
                json!(format!("https://push.example/{}", "a".repeat(2048))),
                "Endpoint is too long (maximum is 2048 bytes)",
            ),
            ("/subscription/keys", json!(null), "P256dh is not a valid key"),
            ("/subscription/keys/p256dh", json!("AAAA"), "P256dh is not a valid key"),
            ("/subscription/keys/auth", json!("AAAA"), "Auth is not a valid key"),
            ("/data/policy", json!("some"), "Policy is not included in the list"),
        ] {
            let mut wrong = parameters();
            wrong["data"]["policy"] = json!("all");
            *wrong.pointer_mut(path).unwrap() = value;
            let refused = alice.json(SUBSCRIPTION, wrong).await.expect(422);
            assert_eq!(refused["error"], format!("Validation failed: {message}"), "{path}");
        }
        alice.get(SUBSCRIPTION).await.expect(404);
    }

    async fn the_scope_push_is_required(app: &TestApp) {
        let alice = app.user("alice").await;
        for (client, status) in [
            (app.anonymous(), 401),
            (app.with_token("unknown"), 401),
            (app.user_with_scopes(&alice, "read write follow").await, 403),
            (app.application("push").await, 422),
        ] {
            client.get(SUBSCRIPTION).await.expect(status);
            client.json(SUBSCRIPTION, parameters()).await.expect(status);
            put(&client, json!({ "policy": "all" })).await.expect(status);
            client.delete(SUBSCRIPTION).await.expect(status);
        }
        let pusher = app.user_with_scopes(&alice, "push").await;
        pusher.json(SUBSCRIPTION, parameters()).await.ok();
        pusher.get(SUBSCRIPTION).await.ok();
    }

    async fn a_token_in_the_query_subscribes_too(app: &TestApp) {
        let alice = app.user("alice").await;
        let path = format!("{SUBSCRIPTION}?access_token={}", alice.token().unwrap());
        let created = app.anonymous().json(&path, parameters()).await.ok();
        assert_eq!(alice.get(SUBSCRIPTION).await.ok(), created);
    }

    async fn a_subscription_ends_with_its_token(app: &TestApp) {
        let alice = app.user("alice").await;
        let phone = app.user_with_scopes(&alice, "push").await;
        phone.json(SUBSCRIPTION, parameters()).await.ok();
        let token = newest_token(app, &alice).await;
        let find = move |conn: &mut Conn| Ok(push::find(conn, token)?);
        assert!(app.app().read(find).await.unwrap().is_some());
        app.app().write(move |tx| tokens::revoke(tx, token)).await.unwrap();
        phone.get(SUBSCRIPTION).await.expect(401);
        assert!(app.app().read(find).await.unwrap().is_none());
    }
}
