//! JSON `null` in every form that changes something: `null` clears the stored value, and an absent
//! field keeps it.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{User, id, pictures};

/// A request that changes something.
struct Form {
    method: Method,
    path: String,
    /// Fields with the JSON pointer to their value in the response, and the value after clearing.
    fields: Vec<(&'static str, &'static str, Value)>,
}

async fn send(user: &User, form: &Form, body: &Value) -> Value {
    user.send(user.request(form.method.clone(), &form.path).json(body)).await.ok()
}

/// Returns the body that sets `field` to `null`. The field may be inside `source`.
fn clearing(field: &str) -> Value {
    match field.split_once('.') {
        Some((outer, inner)) => json!({ outer: { inner: null } }),
        None => json!({ field: null }),
    }
}

fn at<'a>(shown: &'a Value, pointer: &str) -> &'a Value {
    shown.pointer(pointer).unwrap_or(&Value::Null)
}

/// Checks for every field that `null` clears it and that its absence keeps it, also together with
/// other fields.
async fn check(user: &User, form: &Form) {
    for (field, pointer, cleared) in &form.fields {
        let before = send(user, form, &json!({})).await;
        let kept = at(&before, pointer);
        assert_ne!(kept, cleared, "{} has no {field} to clear", form.path);
        let after = send(user, form, &clearing(field)).await;
        assert_eq!(at(&after, pointer), cleared, "{} {field}", form.path);
        let again = send(user, form, &json!({})).await;
        assert_eq!(at(&again, pointer), cleared, "{} {field}", form.path);
    }
}

api_tests! {
    async fn null_clears_profile_fields(app: &TestApp) {
        let alice = app.user("alice").await;
        for (method, path, pointers) in [
            (Method::PATCH, "/api/v1/accounts/update_credentials", true),
            (Method::PATCH, "/api/v1/profile", false),
        ] {
            let set = json!({
                "display_name": "Alice", "note": "Hello", "locked": true, "bot": true,
                "discoverable": true, "indexable": true, "hide_collections": true,
                "avatar_description": "A bird", "header_description": "A tree",
                "fields_attributes": [{ "name": "a", "value": "b" }],
                "attribution_domains": ["news.example"], "show_media": false,
                "show_media_replies": false, "show_featured": false,
                "source": { "privacy": "private", "sensitive": true, "language": "de" },
            });
            let own = "/api/v1/accounts/update_credentials";
            alice.send(alice.request(Method::PATCH, own).json(&set)).await.ok();
            let mut fields = vec![
                ("display_name", "/display_name", json!("")),
                ("locked", "/locked", json!(false)),
                ("bot", "/bot", json!(false)),
            ];
            if pointers {
                fields.extend([
                    ("note", "/source/note", json!("")),
                    ("fields_attributes", "/source/fields", json!([])),
                    ("discoverable", "/source/discoverable", json!(null)),
                    ("indexable", "/source/indexable", json!(false)),
                    ("hide_collections", "/source/hide_collections", json!(false)),
                    ("attribution_domains", "/source/attribution_domains", json!([])),
                    ("source.privacy", "/source/privacy", json!("public")),
                    ("source.sensitive", "/source/sensitive", json!(false)),
                    ("source.language", "/source/language", json!(null)),
                ]);
            } else {
                fields.extend([
                    ("note", "/note", json!("")),
                    ("avatar_description", "/avatar_description", json!("")),
                    ("header_description", "/header_description", json!("")),
                    ("show_media", "/show_media", json!(true)),
                    ("show_media_replies", "/show_media_replies", json!(true)),
                    ("show_featured", "/show_featured", json!(true)),
                ]);
            }
            check(&alice, &Form { method, path: path.to_owned(), fields }).await;
        }
    }

    async fn null_removes_a_profile_picture(app: &TestApp) {
        let alice = app.user("alice").await;
        let path = "/api/v1/accounts/update_credentials";
        let missing = alice.credentials().await.ok()["avatar"].clone();
        let picture = pictures::file(pictures::png(32, 32), "a.png", "image/png");
        let form = reqwest::multipart::Form::new().part("avatar", picture);
        let set = alice.send(alice.request(Method::PATCH, path).multipart(form)).await.ok();
        assert_ne!(set["avatar"], missing);
        let kept = alice.send(alice.request(Method::PATCH, path).json(&json!({}))).await.ok();
        assert_eq!(kept["avatar"], set["avatar"]);
        let none = json!({ "avatar": null });
        let cleared = alice.send(alice.request(Method::PATCH, path).json(&none)).await.ok();
        assert_eq!(cleared["avatar"], missing);
    }

    async fn null_clears_in_lists_filters_follows_media_and_scheduled_posts(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let list = json!({ "title": "Birds", "replies_policy": "none", "exclusive": true });
        let list = id(&alice.json("/api/v1/lists", list).await.ok());
        check(&alice, &Form {
            method: Method::PUT,
            path: format!("/api/v1/lists/{list}"),
            fields: vec![
                ("replies_policy", "/replies_policy", json!("list")),
                ("exclusive", "/exclusive", json!(false)),
            ],
        }).await;
        let filter = json!({
            "title": "t", "context": ["home"], "filter_action": "hide", "expires_in": 3600,
            "keywords_attributes": [{ "keyword": "k", "whole_word": false }],
        });
        let filter = alice.json("/api/v2/filters", filter).await.ok();
        check(&alice, &Form {
            method: Method::PUT,
            path: format!("/api/v2/filters/{}", id(&filter)),
            fields: vec![
                ("filter_action", "/filter_action", json!("warn")),
                ("expires_in", "/expires_at", json!(null)),
            ],
        }).await;
        check(&alice, &Form {
            method: Method::PUT,
            path: format!("/api/v2/filters/keywords/{}", id(&filter["keywords"][0])),
            fields: vec![("whole_word", "/whole_word", json!(true))],
        }).await;
        let legacy = json!({
            "phrase": "p", "context": ["home"], "irreversible": true, "whole_word": true,
            "expires_in": 3600,
        });
        let legacy = id(&alice.json("/api/v1/filters", legacy).await.ok());
        check(&alice, &Form {
            method: Method::PUT,
            path: format!("/api/v1/filters/{legacy}"),
            fields: vec![
                ("irreversible", "/irreversible", json!(false)),
                ("whole_word", "/whole_word", json!(false)),
                ("expires_in", "/expires_at", json!(null)),
            ],
        }).await;
        let follow = json!({ "reblogs": false, "notify": true, "languages": ["de"] });
        alice.act_on_with("follow", &bob, follow).await;
        check(&alice, &Form {
            method: Method::POST,
            path: format!("/api/v1/accounts/{}/follow", bob.id),
            fields: vec![
                ("reblogs", "/showing_reblogs", json!(true)),
                ("notify", "/notifying", json!(false)),
                ("languages", "/languages", json!(null)),
            ],
        }).await;
        let picture = pictures::file(pictures::png(32, 32), "a.png", "image/png");
        let form = reqwest::multipart::Form::new()
            .part("file", picture)
            .text("description", "A bird")
            .text("focus", "0.5,0.5");
        let media = id(&alice.multipart("/api/v1/media", form).await.ok());
        check(&alice, &Form {
            method: Method::PUT,
            path: format!("/api/v1/media/{media}"),
            fields: vec![
                ("description", "/description", json!(null)),
                ("focus", "/meta/focus/x", json!(0.0)),
            ],
        }).await;
        let post = json!({
            "status": "Later", "media_ids": [media], "scheduled_at": "2099-01-01T09:00:00.000Z",
        });
        let scheduled = id(&alice.json("/api/v1/statuses", post).await.ok());
        let path = format!("/api/v1/scheduled_statuses/{scheduled}");
        check(&alice, &Form {
            method: Method::PUT,
            path: path.clone(),
            fields: vec![("media_ids", "/params/media_ids", json!([]))],
        }).await;
        let never = json!({ "scheduled_at": null });
        alice.send(alice.request(Method::PUT, &path).json(&never)).await.expect(422);
    }

    async fn required_values_cannot_be_cleared(app: &TestApp) {
        let alice = app.user("alice").await;
        let list = id(&alice.json("/api/v1/lists", json!({ "title": "Birds" })).await.ok());
        let filter = alice.json("/api/v2/filters", json!({
            "title": "t", "context": ["home"], "keywords_attributes": [{ "keyword": "k" }],
        })).await.ok();
        for (path, field) in [
            (format!("/api/v1/lists/{list}"), "title"),
            (format!("/api/v2/filters/{}", id(&filter)), "title"),
            (format!("/api/v2/filters/{}", id(&filter)), "context"),
            (format!("/api/v2/filters/keywords/{}", id(&filter["keywords"][0])), "keyword"),
        ] {
            let before = alice.get(&path).await.ok();
            let nothing = json!({ field: null });
            alice.send(alice.request(Method::PUT, &path).json(&nothing)).await.expect(422);
            assert_eq!(alice.get(&path).await.ok(), before, "{path} {field}");
        }
    }
}
