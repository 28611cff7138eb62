//! `verify_credentials` and `update_credentials`.

use reqwest::{Method, multipart};
use serde_json::{Value, json};

use crate::support::{Response, User};

const VERIFY: &str = "/api/v1/accounts/verify_credentials";
const UPDATE: &str = "/api/v1/accounts/update_credentials";

impl User {
    async fn update(&self, changes: Value) -> Response {
        self.send(self.request(Method::PATCH, UPDATE).json(&changes)).await
    }
}

/// Returns names and values of the profile fields, as typed.
fn lines(account: &Value) -> Vec<(&str, &str)> {
    let fields = account["source"]["fields"].as_array().unwrap();
    fields.iter().map(line).collect()
}

fn line(field: &Value) -> (&str, &str) {
    (field["name"].as_str().unwrap(), field["value"].as_str().unwrap())
}

api_tests! {
    async fn verify_credentials_returns_private_fields(app: &TestApp) {
        let alice = app.user("alice").await;
        let shown = alice.get(VERIFY).await;
        assert_eq!(shown.ok()["id"], alice.id);
        snapshot!("verify_credentials", shown);
        for (scopes, status) in
            [("profile", 200), ("read:accounts", 200), ("read", 200), ("write", 403), ("push", 403)]
        {
            let client = app.user_with_scopes(&alice, scopes).await;
            assert_eq!(client.get(VERIFY).await.status, status, "{scopes}");
        }
        app.anonymous().get(VERIFY).await.expect(401);
        app.application("read").await.get(VERIFY).await.expect(422);
    }

    // An update changes only the fields that it contains, and does not duplicate profile fields.
    async fn changing_one_field_leaves_all_others(app: &TestApp) {
        let alice = app.user("alice").await;
        let fields = json!([{ "name": "a", "value": "1" }, { "name": "b", "value": "2" }]);
        let two = [("a", "1"), ("b", "2")];
        let set = alice.update(json!({ "fields_attributes": fields, "note": "Hi" })).await.ok();
        assert_eq!(lines(&set), two);
        let named = alice.update(json!({ "display_name": "x" })).await.ok();
        assert_eq!(lines(&named), two);
        let again = alice.update(json!({ "fields_attributes": fields })).await.ok();
        assert_eq!(lines(&again), two);
        let locked = alice.patch(UPDATE, &[("locked", "true")]).await.ok();
        assert_eq!((&locked["locked"], &locked["display_name"]), (&json!(true), &json!("x")));
        assert_eq!((lines(&locked), &locked["source"]["note"]), (two.to_vec(), &json!("Hi")));
        assert_eq!(alice.get(VERIFY).await.ok(), locked);
        let nothing = alice.update(json!({})).await.ok();
        assert_eq!(nothing, locked);
        // `null` clears a field; it does not count as absent.
        let cleared = alice.update(json!({ "note": null, "locked": null, "bot": "" })).await.ok();
        assert_eq!((&cleared["source"]["note"], &cleared["locked"]), (&json!(""), &json!(false)));
        assert_eq!((lines(&cleared), &cleared["display_name"]), (two.to_vec(), &json!("x")));
    }

    async fn fields_are_accepted_as_lists_and_numbered_maps(app: &TestApp) {
        let alice = app.user("alice").await;
        let indexed = [
            ("fields_attributes[0][name]", "a"),
            ("fields_attributes[0][value]", "1"),
            ("fields_attributes[1][name]", "b"),
            ("fields_attributes[1][value]", "2"),
        ];
        let two = [("a", "1"), ("b", "2")];
        assert_eq!(lines(&alice.patch(UPDATE, &indexed).await.ok()), two);
        let map = json!({ "0": { "name": "c", "value": "3" }, "10": { "name": "e", "value": "5" },
            "2": { "name": "d", "value": "4" } });
        let three = alice.update(json!({ "fields_attributes": map })).await.ok();
        assert_eq!(lines(&three), [("c", "3"), ("d", "4"), ("e", "5")]);
        let mut form = multipart::Form::new();
        for (name, value) in indexed {
            form = form.text(name, value);
        }
        let request = alice.request(Method::PATCH, UPDATE).multipart(form);
        assert_eq!(lines(&alice.send(request).await.ok()), two);
        assert_eq!(lines(&alice.update(json!({ "fields_attributes": [] })).await.ok()), []);
    }

    async fn profiles_are_shown_as_html_and_edited_as_text(app: &TestApp) {
        let alice = app.user("alice").await;
        let changes = json!({
            "display_name": " Alice <b> ",
            "note": "Hello <i> https://example.com\n\n#birds",
            "fields_attributes": [{ "name": "Site", "value": "https://example.com/me" }],
        });
        let changed = alice.update(changes).await.ok();
        assert_eq!(changed["display_name"], "Alice <b>");
        assert_eq!(changed["source"]["note"], "Hello <i> https://example.com\n\n#birds");
        let note = changed["note"].as_str().unwrap();
        assert!(note.contains("Hello &lt;i&gt;") && note.contains("/tags/birds"), "{note}");
        let value = changed["fields"][0]["value"].as_str().unwrap();
        assert!(value.contains("rel=\"me") && !value.contains("<p>"), "{value}");
        assert_eq!(changed["source"]["fields"][0]["value"], "https://example.com/me");
        let shown = app.anonymous().get(&format!("/api/v1/accounts/{}", alice.id)).await.ok();
        assert_eq!((&shown["note"], &shown["fields"]), (&changed["note"], &changed["fields"]));
    }

    async fn the_limits_of_the_operator_apply(app: &TestApp) {
        let alice = app.user("alice").await;
        alice.update(json!({ "note": "é".repeat(500) })).await.ok();
        alice.update(json!({ "note": "é".repeat(501) })).await.expect(422);
        alice.update(json!({ "display_name": "x".repeat(31) })).await.expect(422);
        let many: Vec<Value> = (0..5).map(|n| json!({ "name": n.to_string(), "value": "v" })).collect();
        alice.update(json!({ "fields_attributes": many })).await.expect(422);
        let long = json!([{ "name": "n", "value": "v".repeat(256) }]);
        alice.update(json!({ "fields_attributes": long })).await.expect(422);
        app.app().change_setting("max_bio_chars".into(), "10".into()).await.unwrap();
        alice.update(json!({ "note": "12345678901" })).await.expect(422);
        assert_eq!(alice.get(VERIFY).await.ok()["source"]["note"], "é".repeat(500));
    }

    async fn defaults_of_new_statuses_are_stored(app: &TestApp) {
        let alice = app.user("alice").await;
        let form = [
            ("source[privacy]", "unlisted"),
            ("source[sensitive]", "true"),
            ("source[language]", "de"),
        ];
        let source = alice.patch(UPDATE, &form).await.ok()["source"].clone();
        assert_eq!(source["privacy"], "unlisted");
        assert_eq!((&source["sensitive"], &source["language"]), (&json!(true), &json!("de")));
        let other = alice.update(json!({ "source": { "language": "" } })).await.ok();
        assert_eq!(other["source"]["language"], Value::Null);
        assert_eq!(other["source"]["privacy"], "unlisted");
        for (key, value) in [("privacy", "direct"), ("privacy", "secret"), ("language", "xx-no")] {
            alice.update(json!({ "source": { key: value } })).await.expect(422);
        }
    }

    async fn unknown_choices_are_refused_without_changes(app: &TestApp) {
        let alice = app.user("alice").await;
        let quoted = json!({ "source": { "quote_policy": "friends" }, "display_name": "x" });
        let refused = alice.update(quoted).await.expect(422);
        assert!(refused["error"].as_str().unwrap().contains("quote"), "{refused}");
        let before = alice.get(VERIFY).await.ok();
        assert_eq!((&before["display_name"], &before["note"]), (&json!(""), &json!("")));
    }

    async fn every_option_is_settable_by_itself(app: &TestApp) {
        let alice = app.user("alice").await;
        for choice in ["locked", "bot", "discoverable", "indexable", "hide_collections"] {
            for value in [true, false, true] {
                let set = alice.update(json!({ choice: value })).await.ok();
                assert_eq!(set[choice], value, "{choice}");
                if !matches!(choice, "locked" | "bot") {
                    assert_eq!(set["source"][choice], value, "{choice}");
                }
                assert_eq!(alice.get(VERIFY).await.ok(), set);
            }
        }
        let set = alice.get(VERIFY).await.ok();
        for choice in ["locked", "bot", "discoverable", "indexable", "hide_collections"] {
            assert_eq!(set[choice], true, "{choice}");
        }
    }

    async fn attribution_domains_are_stored_all_or_none(app: &TestApp) {
        let alice = app.user("alice").await;
        let typed = [
            ("attribution_domains[]", "News.Example"),
            ("attribution_domains[]", "https://bücher.example/"),
            ("attribution_domains[]", "news.example"),
        ];
        let domains = json!(["news.example", "xn--bcher-kva.example"]);
        let set = alice.patch(UPDATE, &typed).await.ok();
        assert_eq!(set["source"]["attribution_domains"], domains);
        alice.update(json!({ "attribution_domains": ["a b"], "note": "x" })).await.expect(422);
        let kept = alice.update(json!({ "display_name": "x" })).await.ok();
        assert_eq!(kept["source"]["attribution_domains"], domains);
        assert_eq!(kept["source"]["note"], "");
        let cleared = alice.patch(UPDATE, &[("attribution_domains[]", "")]).await.ok();
        assert_eq!(cleared["source"]["attribution_domains"], json!([]));
    }

    async fn a_bio_is_counted_like_in_clients(app: &TestApp) {
        let alice = app.user("alice").await;
        app.app().change_setting("max_bio_chars".into(), "40".into()).await.unwrap();
        let instance = app.anonymous().get("/api/v2/instance").await.ok();
        assert_eq!(instance["configuration"]["accounts"]["max_note_length"], 40);
        let link = format!("{} https://example.com/{}", "x".repeat(16), "y".repeat(300));
        for note in ["👩‍👩‍👧‍👦".repeat(40), link.clone(), "@bob@a.very.long.domain.example ".repeat(8)] {
            let set = alice.update(json!({ "note": note })).await.ok();
            assert_eq!(set["source"]["note"], note.trim());
        }
        for note in ["é".repeat(41), format!("x{link}")] {
            alice.update(json!({ "note": note })).await.expect(422);
        }
    }

    // Unlocking an account accepts its pending follow requests.
    async fn unlocking_grants_pending_requests(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        bob.patch(UPDATE, &[("locked", "1")]).await.ok();
        let follow = format!("/api/v1/accounts/{}/follow", bob.id);
        assert_eq!(alice.post(&follow).await.ok()["requested"], true);
        assert_eq!(bob.get(VERIFY).await.ok()["source"]["follow_requests_count"], 1);
        bob.patch(UPDATE, &[("locked", "false")]).await.ok();
        let relationship =
            alice.get(&format!("/api/v1/relationships?id[]={}", bob.id)).await.ok()[0].clone();
        assert_eq!((&relationship["following"], &relationship["requested"]), (&json!(true), &json!(false)));
        assert_eq!(bob.get(VERIFY).await.ok()["source"]["follow_requests_count"], 0);
        let notification_types = bob.get("/api/v1/notifications").await.ok();
        let notifications: Vec<(&Value, &Value)> = notification_types
            .as_array()
            .unwrap()
            .iter()
            .map(|notification_types| (&notification_types["type"], &notification_types["account"]["id"]))
            .collect();
        assert_eq!(notifications, [(&json!("follow"), &json!(alice.id))]);
    }
}
