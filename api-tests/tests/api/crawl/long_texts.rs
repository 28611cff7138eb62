//! Texts of any size, in all places that accept one: none is stored beyond its limit.

use std::{collections::BTreeSet, fs, path::PathBuf};

use regex::Regex;
use reqwest::Method;
use serde_json::{Value, json};
use siskin_persistence::{archive, tables};

use super::routes;
use crate::support::{TestApp, User, id, pictures::png, push::PushClient};

/// A text field, and the request that writes it.
pub(super) struct TextField {
    pub(super) method: Method,
    /// Path as registered, with its parameters filled in.
    pub(super) path: String,
    /// Body with [`TEXT`] in place of the text.
    body: Value,
    /// Maximum number of characters. `None` if the text has a form of its own, such as an address.
    max_chars: Option<usize>,
}

const TEXT: &str = "TEXT";

/// Form fields without free text: ids, cursors, names out of a list, secrets, and search terms.
const OTHERS: &[&str] = &[
    "about",
    "account",
    "account_id",
    "account_ids",
    "acct",
    "action",
    "alerts",
    "all",
    "allowed_mentions",
    "any",
    "by",
    "by_domain",
    "canonical_email_hash",
    "category",
    "choices",
    "client_id",
    "client_secret",
    "code",
    "code_challenge",
    "code_challenge_method",
    "code_verifier",
    "color",
    "confirmation_token",
    "content_type",
    "context",
    "current_password",
    "decision",
    "done",
    "effective_date",
    "emails",
    "end_at",
    "ends_at",
    "error",
    "exclude_types",
    "expand_accounts",
    "expires_in",
    "filter_action",
    "focus",
    "for_limited_accounts",
    "for_new_accounts",
    "for_not_followers",
    "for_not_following",
    "for_private_mentions",
    "force_login",
    "frequency",
    "grant_type",
    "grouped_types",
    "hint",
    "id",
    "ids",
    "in_reply_to_id",
    "invite_code",
    "ip",
    "invited_by",
    "ip",
    "iss",
    "issuer",
    "keys",
    "kind",
    "lang",
    "language",
    "languages",
    "last_read_id",
    "limit",
    "list",
    "locale",
    "max_id",
    "max_uses",
    "maxheight",
    "maxwidth",
    "media_ids",
    "min_id",
    "none",
    "offset",
    "order",
    "origin",
    "page",
    "password",
    "permissions",
    "policy",
    "priority",
    "privacy",
    "q",
    "quote_approval_policy",
    "quote_policy",
    "quoted_status_id",
    "redirect_uri",
    "removed",
    "replies_policy",
    "report_id",
    "report_ids",
    "reset_password_token",
    "resource",
    "response_type",
    "return_to",
    "role_id",
    "role_ids",
    "rule_ids",
    "scheduled_at",
    "scope",
    "severity",
    "setup",
    "shortcode",
    "shown_date",
    "shown_text",
    "signature",
    "since",
    "since_id",
    "start_at",
    "starts_at",
    "state",
    "status_id",
    "status_ids",
    "step",
    "stream",
    "tag",
    "tagged",
    "target_account_id",
    "target_id",
    "target_kind",
    "timeline",
    "token",
    "topics",
    "type",
    "types",
    "unchanged",
    "uri",
    "url",
    "visibility",
    "warning_preset_id",
];

/// Maximum bytes in a column of texts: 32 for each of 500 characters.
const COLUMN: usize = 16_000;
/// Maximum bytes in a column of HTML, and in one with several texts.
const RENDERED: usize = 400_000;

/// Response statuses for a text that is too long or malformed.
const REFUSALS: [u16; 4] = [404, 413, 415, 422];

pub(super) async fn all_text_fields(app: &TestApp, alice: &User, bob: &User) -> Vec<TextField> {
    let (post, put, patch) = (Method::POST, Method::PUT, Method::PATCH);
    let status = id(&alice.publish("Hello").await);
    let pictured = alice.publish_picture("Look", "A bird").await;
    let media = id(&alice.upload_media(png(9, 9), "A bird").await);
    let list = id(&alice.json("/api/v1/lists", json!({ "title": "L" })).await.ok());
    let filter = json!({
        "title": "F", "context": ["home"], "keywords_attributes": [{ "keyword": "k" }],
    });
    let filter = alice.json("/api/v2/filters", filter).await.ok();
    let (keyword, filter) = (id(&filter["keywords"][0]), id(&filter));
    let report = alice.report(bob).await;
    let admin = app.staff("gatekeeper", "Admin").await;
    let block = json!({ "ip": "192.0.2.1", "severity": "no_access" });
    let ip_block = id(&admin.json("/api/v1/admin/ip_blocks", block).await.ok());
    let block = json!({ "domain": "spam.example" });
    let domain_block = id(&admin.json("/api/v1/admin/domain_blocks", block).await.ok());
    let later = app.app().now().after(std::time::Duration::from_hours(1)).to_string();
    let credentials = "/api/v1/accounts/update_credentials";
    let poll = |options: Value| json!({ "options": options, "expires_in": 3600 });
    let new_account = |name: &str| {
        let mut account = json!({
            "username": "newcomer", "email": "newcomer@example.com", "password": "correct horse",
            "agreement": true, "locale": "en",
        });
        account[name] = json!(TEXT);
        account
    };
    let application = |name: &str| {
        let mut application = json!({ "client_name": "C", "redirect_uris": "https://c.example/" });
        application[name] = json!(TEXT);
        application
    };
    let subscription = |field: &str| {
        let mut parameters = PushClient::new(1).parameters("https://push.example/", true);
        parameters["subscription"].pointer_mut(field).unwrap().clone_from(&json!(TEXT));
        parameters
    };
    let attributes = json!({ "id": pictured["media_attachments"][0]["id"], "description": TEXT });
    [
        (&post, "/api/v1/statuses".to_owned(), json!({ "status": TEXT }), Some(500)),
        (
            &post,
            "/api/v1/statuses".to_owned(),
            json!({ "spoiler_text": TEXT, "status": "" }),
            Some(500),
        ),
        (
            &post,
            "/api/v1/statuses".to_owned(),
            json!({ "status": TEXT, "content_type": "text/markdown" }),
            Some(500),
        ),
        (
            &post,
            "/api/v1/statuses".to_owned(),
            json!({ "status": TEXT, "content_type": "text/html" }),
            Some(500),
        ),
        (
            &post,
            "/api/v1/statuses".to_owned(),
            json!({ "status": TEXT, "scheduled_at": later }),
            Some(500),
        ),
        (
            &post,
            "/api/v1/statuses".to_owned(),
            json!({ "status": "?", "poll": poll(json!(["a", TEXT])) }),
            Some(50),
        ),
        (&put, format!("/api/v1/statuses/{status}"), json!({ "status": TEXT }), Some(500)),
        (
            &put,
            format!("/api/v1/statuses/{status}"),
            json!({ "status": "", "spoiler_text": TEXT }),
            Some(500),
        ),
        (
            &put,
            format!("/api/v1/statuses/{status}"),
            json!({ "status": "?", "poll": poll(json!([TEXT, "b"])) }),
            Some(50),
        ),
        (
            &put,
            format!("/api/v1/statuses/{}", id(&pictured)),
            json!({ "status": "x", "media_attributes": [attributes] }),
            // Descriptions of attachments cannot be changed here.
            None,
        ),
        (&put, format!("/api/v1/media/{media}"), json!({ "description": TEXT }), Some(1500)),
        (&patch, credentials.to_owned(), json!({ "display_name": TEXT }), Some(30)),
        (&patch, credentials.to_owned(), json!({ "note": TEXT }), Some(500)),
        (&patch, credentials.to_owned(), json!({ "avatar_description": TEXT }), Some(1500)),
        (&patch, credentials.to_owned(), json!({ "header_description": TEXT }), Some(1500)),
        (&patch, credentials.to_owned(), json!({ "attribution_domains": [TEXT] }), None),
        (
            &patch,
            credentials.to_owned(),
            json!({ "fields_attributes": [{ "name": TEXT, "value": "v" }] }),
            Some(255),
        ),
        (
            &patch,
            credentials.to_owned(),
            json!({ "fields_attributes": [{ "name": "n", "value": TEXT }] }),
            Some(255),
        ),
        (&patch, "/api/v1/profile".to_owned(), json!({ "display_name": TEXT }), Some(30)),
        (
            &post,
            format!("/api/v1/accounts/{}/note", bob.id),
            json!({ "comment": TEXT }),
            Some(2000),
        ),
        (
            &post,
            "/api/v1/reports".to_owned(),
            json!({ "account_id": bob.id, "comment": TEXT }),
            Some(1000),
        ),
        (
            &post,
            format!("/api/v1/admin/reports/{report}/notes"),
            json!({ "content": TEXT }),
            Some(2000),
        ),
        (
            &post,
            format!("/api/v1/admin/accounts/{}/action", bob.id),
            json!({ "type": "none", "text": TEXT }),
            Some(2000),
        ),
        (
            &post,
            "/api/v1/admin/accounts/bulk".to_owned(),
            json!({ "action": "none", "account_ids": [bob.id], "text": TEXT }),
            Some(2000),
        ),
        (
            &post,
            format!("/api/v1/admin/statuses/{status}/action"),
            json!({ "type": "mark_as_sensitive", "text": TEXT }),
            Some(2000),
        ),
        (
            &put,
            format!("/api/v1/admin/domain_blocks/{domain_block}"),
            json!({ "private_comment": TEXT }),
            Some(2000),
        ),
        (
            &put,
            format!("/api/v1/admin/domain_blocks/{domain_block}"),
            json!({ "public_comment": TEXT }),
            Some(2000),
        ),
        (&put, "/api/v1/admin/roles/1".to_owned(), json!({ "name": TEXT }), Some(50)),
        (&post, "/api/v1/admin/domain_blocks".to_owned(), json!({ "domain": TEXT }), None),
        (&post, "/api/v1/admin/domain_allows".to_owned(), json!({ "domain": TEXT }), None),
        (
            &put,
            format!("/api/v1/admin/ip_blocks/{ip_block}"),
            json!({ "comment": TEXT }),
            Some(1000),
        ),
        (
            &put,
            "/api/v1/admin/instance_texts/privacy_policy".to_owned(),
            json!({ "text": TEXT }),
            Some(60_000),
        ),
        (&post, "/api/v1/admin/email_domain_blocks".to_owned(), json!({ "domain": TEXT }), None),
        (&post, "/api/v1/admin/canonical_email_blocks".to_owned(), json!({ "email": TEXT }), None),
        (&post, "/api/v1/accounts".to_owned(), new_account("username"), None),
        (&post, "/api/v1/accounts".to_owned(), new_account("email"), None),
        (&post, "/api/v1/accounts".to_owned(), new_account("reason"), None),
        (&post, "/api/v1/apps".to_owned(), application("client_name"), Some(60)),
        (&post, "/api/v1/apps".to_owned(), application("redirect_uris"), None),
        (&post, "/api/v1/apps".to_owned(), application("website"), None),
        (&post, "/api/v1/apps".to_owned(), application("scopes"), None),
        (&post, "/api/v1/lists".to_owned(), json!({ "title": TEXT }), Some(256)),
        (&put, format!("/api/v1/lists/{list}"), json!({ "title": TEXT }), Some(256)),
        (
            &post,
            "/api/v2/filters".to_owned(),
            json!({ "title": TEXT, "context": ["home"] }),
            Some(256),
        ),
        (&put, format!("/api/v2/filters/{filter}"), json!({ "title": TEXT }), Some(256)),
        (
            &post,
            format!("/api/v2/filters/{filter}/keywords"),
            json!({ "keyword": TEXT }),
            Some(256),
        ),
        (
            &put,
            format!("/api/v2/filters/keywords/{keyword}"),
            json!({ "keyword": TEXT }),
            Some(256),
        ),
        (
            &post,
            "/api/v1/filters".to_owned(),
            json!({ "phrase": TEXT, "context": ["home"] }),
            Some(256),
        ),
        (&post, "/api/v1/featured_tags".to_owned(), json!({ "name": TEXT }), Some(255)),
        (&post, "/api/v1/domain_blocks".to_owned(), json!({ "domain": TEXT }), None),
        (&post, "/api/v1/push/subscription".to_owned(), subscription("/endpoint"), None),
        (&post, "/api/v1/push/subscription".to_owned(), subscription("/keys/p256dh"), None),
        (&post, "/api/v1/push/subscription".to_owned(), subscription("/keys/auth"), None),
    ]
    .map(|(method, path, body, max_chars)| TextField {
        method: method.clone(),
        path,
        body,
        max_chars,
    })
    .into()
}

impl TextField {
    /// Returns the body with this text.
    pub(super) fn with(&self, text: &str) -> Value {
        with(&self.body, text)
    }

    /// Returns the name of the text field in the form.
    fn field(&self) -> String {
        fn find(value: &Value, name: &str) -> Option<String> {
            match value {
                Value::String(text) => (text == TEXT).then(|| name.to_owned()),
                Value::Array(items) => items.iter().find_map(|item| find(item, name)),
                Value::Object(fields) => fields.iter().find_map(|(name, value)| find(value, name)),
                _ => None,
            }
        }
        find(&self.body, "").unwrap()
    }
}

fn with(body: &Value, text: &str) -> Value {
    match body {
        Value::String(description) if description == TEXT => json!(text),
        Value::Array(items) => items.iter().map(|item| with(item, text)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), with(value, text))).collect()
        }
        other => other.clone(),
    }
}

/// Returns texts with few characters and many bytes, and texts with as many characters as bytes.
fn giants() -> Vec<String> {
    const MEGABYTE: usize = 1_000_000;
    vec![
        "a word ".repeat(MEGABYTE / 7),
        format!("a{}", "\u{301}".repeat(MEGABYTE / 2)),
        "x".repeat(MEGABYTE),
        format!("https://x.example/{}", "&".repeat(MEGABYTE)),
        format!("x@{}.example", "x".repeat(MEGABYTE)),
        format!("[x][x]\n\n[x]: https://x.example/{}", "x".repeat(MEGABYTE)),
        format!("<a href=\"https://x.example/{}\">x</a>", "x".repeat(MEGABYTE)),
    ]
}

/// Returns texts of moderate size that become as large as possible when they are rendered.
fn growing() -> Vec<String> {
    let link = |count: usize| format!("https://x.example/{} ", "&".repeat(count));
    vec![
        link(2000).repeat(7),
        format!("{}\n\n[x]: {}", "[x]".repeat(100), link(2000)),
        "👩‍👩‍👧‍👦".repeat(500),
        "#a ".repeat(166),
        "<b>".repeat(166),
        "> ".repeat(250),
        format!("#a{}", "\u{FE0F}".repeat(5000)),
    ]
}

api_tests! {
    async fn no_text_is_stored_beyond_its_limit(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.app().change_setting("registrations".into(), "open".into()).await.unwrap();
        let application = app.application("read write").await;
        let staff = app.staff("staff", "Owner").await;
        let mut texts = giants();
        texts.extend(growing());
        for text_field in all_text_fields(app, &alice, &bob).await {
            let client = match &*text_field.path {
                "/api/v1/accounts" | "/api/v1/apps" => &application,
                path if path.starts_with("/api/v1/admin/") => &staff.client,
                _ => &alice.client,
            };
            let send = async |text: &str| {
                let request = client.request(text_field.method.clone(), &text_field.path);
                client.send(request.json(&text_field.with(text))).await
            };
            let description = format!("{} {} {}", text_field.method, text_field.path, text_field.body);
            for text in &texts {
                let status = send(text).await.status;
                let is_known = status == 200 || REFUSALS.contains(&status);
                assert!(is_known, "{description} returns {status}: {} bytes of {:.20}", text.len(), text);
                assert!(status != 200 || text.len() < 500_000, "{description} accepts {text:.20}");
            }
            if let Some(max_chars) = text_field.max_chars {
                assert_eq!(send(&"x".repeat(max_chars + 1)).await.status, 422, "{description}");
                assert_eq!(send(&"x".repeat(max_chars)).await.status, 200, "{description}");
            }
        }
        for (column, length) in longest(app).await {
            let is_html = ["content", "note_html", "fields", "display_html", "payload", "instance_texts.text"];
            let max_chars = if is_html.iter().any(|name| column.ends_with(name)) { RENDERED } else { 3 * COLUMN };
            assert!(length <= max_chars, "{column} has {length} bytes");
        }
    }

    async fn every_text_field_is_tested(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let text_field = all_text_fields(app, &alice, &bob).await;
        let mut known: BTreeSet<String> = text_field.iter().map(TextField::field).collect();
        known.extend(OTHERS.iter().map(|name| (*name).to_owned()));
        // Names that only the pages use for fields of the API.
        known.extend(["options", "name"].map(str::to_owned));
        let unknown: Vec<String> =
            text_fields().into_iter().filter(|name| !known.contains(name)).collect();
        assert!(unknown.is_empty(), "no route is listed that writes {unknown:?}");
        let routes = routes::all();
        for TextField { method, path, .. } in &text_field {
            let parts: Vec<&str> = path.split('/').collect();
            let is_this = |route: &&routes::Route| {
                let registered: Vec<&str> = route.path.split('/').collect();
                route.method == *method
                    && registered.len() == parts.len()
                    && registered.iter().zip(&parts).all(|(a, b)| a == b || a.starts_with('{'))
            };
            assert!(routes.iter().any(|route| is_this(&route)), "{method} {path} is not a route");
        }
    }
}

/// Returns the names of all text fields of forms, from the sources.
fn text_fields() -> BTreeSet<String> {
    let form = Regex::new(r"(?s)derive\([^)]*Deserialize[^)]*\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([a-z]+\))? )?struct \w+ \{(.*?)\n\}").unwrap();
    let field = Regex::new(r"(?:r#)?(\w+): (?:\w+<)*String").unwrap();
    let mut names = BTreeSet::new();
    for file in routes::sources() {
        let source = fs::read_to_string::<PathBuf>(file).unwrap();
        for form in form.captures_iter(&source) {
            names.extend(field.captures_iter(&form[1]).map(|field| field[1].to_owned()));
        }
    }
    assert!(names.len() > 50, "{names:?}");
    names
}

/// Returns the size in bytes of the longest text in each column of the database.
async fn longest(app: &TestApp) -> Vec<(String, usize)> {
    let read = |conn: &mut siskin_persistence::Conn| {
        let mut longest = std::collections::BTreeMap::new();
        for table in tables::archived() {
            archive::dump::<siskin_persistence::Error>(conn, table, |row| {
                let row: Value = serde_json::from_str(row).unwrap();
                for (column, value) in row.as_object().unwrap() {
                    let length = value.as_str().map_or(0, str::len);
                    let max_chars = longest.entry(format!("{table}.{column}")).or_insert(0);
                    *max_chars = length.max(*max_chars);
                }
                Ok(())
            })?;
        }
        Ok(longest.into_iter().collect())
    };
    app.app().read(read).await.unwrap()
}
