//! Request encodings and places of the token: the server supports all of them equally.

use reqwest::{Method, RequestBuilder, multipart};
use serde_json::{Value, json};

use crate::{
    oauth::{BACK, Registered, register, text},
    support::{Client, Response, TestApp, User, id},
};

/// The encodings of request parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Query,
    Form,
    Multipart,
    Json,
}

const ENCODINGS: [Encoding; 4] =
    [Encoding::Query, Encoding::Form, Encoding::Multipart, Encoding::Json];

impl Encoding {
    /// Adds the parameters `what` to a request: texts, and lists of texts.
    fn of(self, request: RequestBuilder, what: &Value) -> RequestBuilder {
        let pairs = pairs(what);
        match self {
            Self::Query => request.query(&pairs),
            Self::Form => request.form(&pairs),
            Self::Multipart => {
                let add =
                    |form: multipart::Form, (name, value): (String, String)| form.text(name, value);
                request.multipart(pairs.into_iter().fold(multipart::Form::new(), add))
            }
            Self::Json => request.json(what),
        }
    }
}

/// Returns `what` as key-value pairs of a form: `source[privacy]`, `id[]`.
fn pairs(what: &Value) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for (name, value) in what.as_object().unwrap() {
        add_pairs(&mut pairs, name.clone(), value);
    }
    pairs
}

fn add_pairs(pairs: &mut Vec<(String, String)>, name: String, value: &Value) {
    match value {
        Value::Array(items) => {
            for item in items {
                add_pairs(pairs, format!("{name}[]"), item);
            }
        }
        Value::Object(members) => {
            for (member, value) in members {
                add_pairs(pairs, format!("{name}[{member}]"), value);
            }
        }
        Value::String(text) => pairs.push((name, text.clone())),
        other => panic!("{name} is not a string: {other}"),
    }
}

async fn send(
    client: &Client,
    encoding: Encoding,
    method: Method,
    path: &str,
    what: Value,
) -> Response {
    client.send(encoding.of(client.request(method, path), &what)).await
}

/// Registers an application and creates its own token, both with this encoding.
async fn application(app: &TestApp, encoding: Encoding) -> Client {
    let anonymous = app.anonymous();
    let registration = json!({
        "client_name": "Tester", "redirect_uris": [BACK, "com.example.tester://back"], "scopes": "read write",
    });
    let created = send(&anonymous, encoding, Method::POST, "/api/v1/apps", registration).await.ok();
    assert_eq!(
        created["redirect_uris"],
        json!([BACK, "com.example.tester://back"]),
        "{encoding:?}"
    );
    let client = Registered {
        id: text(&created, "id"),
        client_id: text(&created, "client_id"),
        client_secret: text(&created, "client_secret"),
    };
    let grant = json!({
        "grant_type": "client_credentials", "scope": "read write",
        "client_id": client.client_id, "client_secret": client.client_secret,
    });
    let token = send(&anonymous, encoding, Method::POST, "/oauth/token", grant).await.ok();
    app.with_token(&text(&token, "access_token"))
}

async fn relationship(viewer: &User, target: &User) -> Value {
    viewer.get(&format!("/api/v1/relationships?id[]={}", target.id)).await.ok()[0].clone()
}

api_tests! {
    async fn sign_up_works_in_every_encoding(app: &TestApp) {
        app.app().change_setting("registrations".into(), "open".into()).await.unwrap();
        for encoding in ENCODINGS {
            let client = application(app, encoding).await;
            let name = format!("{encoding:?}").to_lowercase();
            let person = json!({
                "username": name, "email": format!("{name}@example.com"),
                "password": "correct horse", "agreement": "true", "locale": "en",
            });
            let token = send(&client, encoding, Method::POST, "/api/v1/accounts", person).await.ok();
            let person = app.with_token(&text(&token, "access_token"));
            let own = person.get("/api/v1/accounts/verify_credentials").await.ok();
            assert_eq!(own["username"], name.as_str());
        }
    }

    async fn a_token_is_revoked_in_every_encoding(app: &TestApp) {
        let client = register(app, "read").await;
        for encoding in ENCODINGS {
            let token = client.own_token(&app.anonymous(), "read").await;
            let revocation = json!({
                "token": token,
                "client_id": client.client_id, "client_secret": client.client_secret,
            });
            let response =
                send(&app.anonymous(), encoding, Method::POST, "/oauth/revoke", revocation).await;
            assert_eq!(response.ok(), json!({}), "{encoding:?}");
            app.with_token(&token).get("/api/v1/apps/verify_credentials").await.expect(401);
        }
    }

    async fn profiles_are_changed_in_every_encoding(app: &TestApp) {
        let alice = app.user("alice").await;
        for encoding in ENCODINGS {
            let name = format!("{encoding:?}");
            let changes = json!({
                "display_name": name, "locked": "true",
                "source": { "privacy": "unlisted", "language": "de" },
                "fields_attributes": { "0": { "name": "by", "value": name } },
            });
            let path = "/api/v1/accounts/update_credentials";
            let changed = send(&alice, encoding, Method::PATCH, path, changes).await.ok();
            assert_eq!(changed["display_name"], name.as_str());
            assert_eq!(changed["locked"], true);
            assert_eq!(changed["source"]["privacy"], "unlisted");
            assert_eq!(changed["source"]["language"], "de");
            assert_eq!(changed["source"]["fields"][0]["value"], name.as_str());
            let undone = json!({
                "display_name": "", "locked": "off",
                "source": { "privacy": "public", "language": "" },
            });
            let undone = send(&alice, encoding, Method::PATCH, path, undone).await.ok();
            assert_eq!(undone["display_name"], "");
            assert_eq!((&undone["locked"], &undone["source"]["privacy"]), (&json!(false), &json!("public")));
        }
    }

    async fn follows_work_in_every_encoding(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        for encoding in ENCODINGS {
            let path = format!("/api/v1/accounts/{}/follow", bob.id);
            let options = json!({ "reblogs": "0", "notify": "1", "languages": ["en", "de"] });
            let relation = send(&alice, encoding, Method::POST, &path, options).await.ok();
            assert_eq!((&relation["following"], &relation["showing_reblogs"]), (&json!(true), &json!(false)));
            assert_eq!((&relation["notifying"], &relation["languages"]), (&json!(true), &json!(["en", "de"])));
            alice.post(&format!("/api/v1/accounts/{}/unfollow", bob.id)).await.ok();
            assert_eq!(relationship(&alice, &bob).await["following"], false, "{encoding:?}");
        }
    }

    async fn mutes_and_notes_work_in_every_encoding(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        for encoding in ENCODINGS {
            let act = async |action: &str, what: Value| {
                let path = format!("/api/v1/accounts/{}/{action}", bob.id);
                send(&alice, encoding, Method::POST, &path, what).await.ok()
            };
            let relation = act("mute", json!({ "notifications": "false", "duration": "60" })).await;
            assert_eq!((&relation["muting"], &relation["muting_notifications"]), (&json!(true), &json!(false)));
            assert!(relation["muting_expires_at"].is_string(), "{encoding:?}");
            assert_eq!(act("mute", json!({})).await["muting_notifications"], true, "{encoding:?}");
            let name = format!("{encoding:?} & more");
            assert_eq!(act("note", json!({ "comment": name })).await["note"], name.as_str());
            act("note", json!({})).await;
            act("unmute", json!({})).await;
        }
    }

    async fn domain_blocks_and_follows_by_handle_work_in_every_encoding(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        for encoding in ENCODINGS {
            let followed =
                send(&alice, encoding, Method::POST, "/api/v1/follows", json!({ "uri": "bob" })).await;
            assert_eq!(followed.ok()["id"], bob.id, "{encoding:?}");
            let path = "/api/v1/domain_blocks";
            for (method, left) in [(Method::POST, 1), (Method::DELETE, 0)] {
                let domain = json!({ "domain": "far.example" });
                send(&alice, encoding, method, path, domain).await.ok();
                let blocked = alice.get(path).await.ok();
                assert_eq!(blocked.as_array().unwrap().len(), left, "{encoding:?}");
            }
        }
    }

    async fn statuses_are_published_reblogged_and_deleted_in_every_encoding(app: &TestApp) {
        let alice = app.user("alice").await;
        let first = alice.publish("first").await;
        for encoding in ENCODINGS {
            let draft = json!({
                "status": "Grüße & <b>", "spoiler_text": "a=b", "visibility": "unlisted",
                "language": "de", "in_reply_to_id": first["id"], "media_ids": [""],
            });
            let created = send(&alice, encoding, Method::POST, "/api/v1/statuses", draft).await.ok();
            assert_eq!(created["content"], "<p>Grüße &amp; &lt;b&gt;</p>", "{encoding:?}");
            assert_eq!((&created["spoiler_text"], &created["visibility"]), (&json!("a=b"), &json!("unlisted")));
            assert_eq!((&created["language"], &created["in_reply_to_id"]), (&json!("de"), &first["id"]));
            let path = format!("/api/v1/statuses/{}", id(&created));
            let audience = json!({ "visibility": "private" });
            let reblog = send(&alice, encoding, Method::POST, &format!("{path}/reblog"), audience).await;
            assert_eq!(reblog.ok()["visibility"], "private", "{encoding:?}");
            // A deletion has no parameters, but clients send bodies with it.
            let deleted = send(&alice, encoding, Method::DELETE, &path, json!({ "x": "y" })).await;
            assert_eq!(deleted.ok()["text"], "Grüße & <b>", "{encoding:?}");
            alice.get(&path).await.expect(404);
        }
    }

    // Scripts send the text `undefined` if they put a variable without a value into a form.
    async fn undefined_in_a_form_is_absent(app: &TestApp) {
        let alice = app.user("alice").await;
        for encoding in ENCODINGS {
            let draft = json!({
                "status": "undefined", "spoiler_text": "undefined", "sensitive": "undefined",
                "visibility": "undefined", "language": "undefined", "in_reply_to_id": "undefined",
                "media_ids": ["undefined"], "poll": "undefined", "scheduled_at": "undefined",
                "content_type": "undefined", "quoted_status_id": "undefined",
            });
            let created = send(&alice, encoding, Method::POST, "/api/v1/statuses", draft).await.ok();
            assert_eq!(created["content"], "<p>undefined</p>", "{encoding:?}");
            assert_eq!((&created["visibility"], &created["poll"]), (&json!("public"), &Value::Null));
            assert_eq!((&created["in_reply_to_id"], &created["quote"]), (&Value::Null, &Value::Null));
            let path = "/api/v1/accounts/update_credentials";
            let profile = json!({
                "display_name": "undefined", "locked": "undefined", "avatar": "undefined",
                "header": "undefined", "source": { "privacy": "undefined", "sensitive": "undefined" },
                "fields_attributes": "undefined",
            });
            let changed = send(&alice, encoding, Method::PATCH, path, profile).await.ok();
            assert_eq!(changed["display_name"], "undefined", "{encoding:?}");
            assert_eq!((&changed["locked"], &changed["source"]["privacy"]), (&json!(false), &json!("public")));
        }
    }

    async fn a_byte_order_mark_before_json_is_ignored(app: &TestApp) {
        let alice = app.user("alice").await;
        for kind in ["application/json", "application/json; charset=utf-8", "text/plain"] {
            let request = alice.request(Method::POST, "/api/v1/statuses").header("content-type", kind);
            let created = alice.send(request.body("\u{FEFF}{\"status\":\"Hello\"}")).await.ok();
            assert_eq!(created["content"], "<p>Hello</p>", "{kind}");
        }
    }

    async fn compressed_bodies_are_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        let send = async |encoding: &str| {
            let request = alice.request(Method::POST, "/api/v1/statuses");
            let request = request.header("content-encoding", encoding);
            alice.send(request.body("status=Hello")).await
        };
        for encoding in ["gzip", "br", "nonsense", "identity, gzip", "GZIP"] {
            let refused = send(encoding).await;
            assert!(refused.expect(415)["error"].is_string(), "{encoding}");
            assert_eq!(refused.header("accept-encoding"), Some("identity"));
        }
        let statuses = format!("/api/v1/accounts/{}/statuses", alice.id);
        assert_eq!(alice.get(&statuses).await.ids().len(), 0);
        for encoding in ["identity", "Identity", ""] {
            send(encoding).await.ok();
        }
        // The authorization error takes precedence.
        let anonymous = app.anonymous();
        let request = anonymous.request(Method::POST, "/api/v1/statuses").header("content-encoding", "br");
        anonymous.send(request.body("status=Hello")).await.expect(401);
    }

    async fn markers_are_set_in_every_encoding(app: &TestApp) {
        let alice = app.user("alice").await;
        for (encoding, version) in ENCODINGS.into_iter().zip(1..) {
            let position = json!({ "home": { "last_read_id": version.to_string() } });
            let set = send(&alice, encoding, Method::POST, "/api/v1/markers", position).await.ok();
            assert_eq!(set["home"]["version"], version, "{encoding:?}");
            assert_eq!(set["home"]["last_read_id"], version.to_string());
        }
    }

    async fn parameters_of_get_requests_may_be_in_the_body(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        for encoding in ENCODINGS {
            let parameters = json!({ "id": [alice.id, bob.id, bob.id] });
            let shown = send(&alice, encoding, Method::GET, "/api/v1/relationships", parameters).await;
            assert_eq!(shown.ids(), [alice.id.as_str(), &bob.id], "{encoding:?}");
        }
    }

    async fn a_token_is_accepted_in_the_query(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        bob.publish("Hello @alice, this is long enough").await;
        let (nobody, token) = (app.anonymous(), alice.token().unwrap());
        let path = format!("/api/v1/notifications?limit=1&access_token={token}");
        let page = nobody.get(&path).await;
        assert_eq!(page.ids().len(), 1);
        let link = page.header("link").unwrap();
        assert!(!link.contains(token), "{link}");
        let status = json!({ "status": "from the query" });
        let path = format!("/api/v1/statuses?access_token={token}");
        assert_eq!(nobody.json(&path, status).await.ok()["account"]["id"], alice.id);
        nobody.get("/api/v1/notifications?access_token=garbage").await.expect(401);
        nobody.get("/api/v1/timelines/public?access_token=garbage").await.expect(401);
        // If both are sent, the token in the header counts.
        let own = bob.get(&format!("/api/v1/accounts/verify_credentials?access_token={token}")).await;
        assert_eq!(own.ok()["id"], bob.id);
    }
}
