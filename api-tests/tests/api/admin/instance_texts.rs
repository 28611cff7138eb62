//! `/api/v1/admin/instance_texts`.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use siskin_entities::{AuditEntry, PageRequest, TargetKind};
use siskin_persistence::Conn;
use siskin_services::audit::{self, AuditSelection};

use crate::support::{Client, Response, TestApp};

fn path(name: &str) -> String {
    format!("/api/v1/admin/instance_texts/{name}")
}

async fn put(client: &Client, name: &str, body: Value) -> Response {
    client.send(client.request(Method::PUT, &path(name)).json(&body)).await
}

/// Returns what the audit log says about texts and settings: actions with the names of the targets.
async fn log(app: &TestApp) -> Vec<(String, String)> {
    let load =
        |conn: &mut Conn| audit::list(conn, AuditSelection::default(), PageRequest::newest(200));
    let mut entries: Vec<AuditEntry> = app.app().read(load).await.unwrap().items;
    entries.reverse();
    let kinds = [TargetKind::InstanceText, TargetKind::Setting];
    let entries = entries.into_iter().filter(|entry| kinds.contains(&entry.target.kind));
    entries.map(|entry| (entry.action.as_str().to_owned(), entry.target.name)).collect()
}

fn logged(action: &str, target: &str) -> (String, String) {
    (action.to_owned(), target.to_owned())
}

api_tests! {
    async fn scope_and_permission_are_required(app: &TestApp) {
        let admin = app.staff("admin", "Admin").await;
        let moderator = app.staff("mod", "Moderator").await;
        let powerless = app.user("alice").await;
        let powerless = app.user_with_scopes(&powerless, "read write admin:read admin:write").await;
        let reads = app.user_with_scopes(&admin, "read write admin:read").await;
        let writes = app.user_with_scopes(&admin, "read write admin:write").await;
        let policy = path("privacy_policy");
        let text = || json!({ "text": "Hi" });
        app.anonymous().get(&policy).await.expect(401);
        put(&app.anonymous(), "privacy_policy", text()).await.expect(401);
        app.anonymous().delete(&policy).await.expect(401);
        for client in [&moderator.client, &powerless] {
            assert_eq!(client.get(&policy).await.expect(403)["error"], "This action is not allowed");
            put(client, "privacy_policy", text()).await.expect(403);
            client.delete(&policy).await.expect(403);
        }
        reads.get(&policy).await.ok();
        put(&reads, "privacy_policy", text()).await.expect(403);
        reads.delete(&policy).await.expect(403);
        writes.get(&policy).await.expect(403);
        put(&writes, "privacy_policy", text()).await.ok();
        assert_eq!(log(app).await, [logged("update", "privacy_policy")]);
    }

    async fn texts_are_written_and_reset(app: &TestApp) {
        let admin = app.staff("admin", "Admin").await;
        for (name, public) in [
            ("extended_description", "/api/v1/instance/extended_description"),
            ("privacy_policy", "/api/v1/instance/privacy_policy"),
        ] {
            let before = admin.get(&path(name)).await.ok();
            assert_eq!((&before["default"], &before["updated_at"]), (&json!(true), &Value::Null));
            let written = put(&admin, name, json!({ "text": "# One \n\nTwo\n" })).await.ok();
            assert_eq!(written["name"], name);
            assert_eq!(written["text"], "# One \n\nTwo");
            assert_eq!(written["content"], "<h2>One</h2><p>Two</p>");
            assert_eq!(written["default"], false);
            assert!(written["updated_at"].is_string());
            assert_eq!((&written["effective_date"], &written["versions"]), (&Value::Null, &json!([])));
            assert_eq!(admin.get(&path(name)).await.ok(), written);
            let shown = app.anonymous().get(public).await.ok();
            assert_eq!(shown["content"], written["content"]);
            assert_eq!(shown["updated_at"], written["updated_at"]);
            // The same again, also in another encoding, changes nothing.
            let same = admin.put(&path(name), &[("text", "# One \n\nTwo")]).await.ok();
            assert_eq!(same, written);
            assert_eq!(admin.delete(&path(name)).await.ok(), json!({}));
            assert_eq!(admin.get(&path(name)).await.ok(), before);
            assert_eq!(admin.delete(&path(name)).await.ok(), json!({}));
        }
        let expected = ["extended_description", "privacy_policy"]
            .map(|name| [logged("update", name), logged("update", name)]);
        assert_eq!(log(app).await, expected.concat());
    }

    async fn the_description_is_plain_text_and_a_setting(app: &TestApp) {
        let admin = app.staff("admin", "Admin").await;
        let written = put(&admin, "description", json!({ "text": "*One*\n<b>" })).await.ok();
        assert_eq!(written["content"], "<p>*One*<br />&lt;b&gt;</p>");
        assert_eq!(app.app().settings().site_description, "*One*\n<b>");
        let v1 = app.anonymous().get("/api/v1/instance").await.ok();
        assert_eq!(v1["description"], "*One*\n<b>");
        put(&admin, "description", json!({ "text": "*One*\n<b>" })).await.ok();
        admin.delete(&path("description")).await.ok();
        assert_eq!(app.app().settings().site_description, "");
        assert_eq!(log(app).await, [
            logged("update", "site_description"), logged("update", "site_description"),
        ]);
    }

    async fn terms_change_only_before_their_first_day(app: &TestApp) {
        let admin = app.staff("admin", "Admin").await;
        let terms = path("terms_of_service");
        admin.get(&terms).await.expect(404);
        let write = async |text: &str, date: &str| {
            put(&admin, "terms_of_service", json!({ "text": text, "effective_date": date })).await
        };
        let [past, today, soon, later] = [-30, 0, 5, 50].map(|days| app.day(days).to_string());
        let refused = write("None", &past).await.expect(422);
        assert_eq!(refused["error"], "First day of the terms cannot be in the past");
        let written = write("One", &today).await.ok();
        assert_eq!((&written["effective_date"], &written["versions"]), (&json!(today), &json!([today])));
        let in_effect = "Terms in effect cannot change: publish others that take effect on a later day";
        for date in [&past, &today] {
            assert_eq!(write("Two", date).await.expect(422)["error"], in_effect);
        }
        let version = |date: &str| format!("{terms}?effective_date={date}");
        assert_eq!(admin.delete(&version(&today)).await.expect(422)["error"], in_effect);
        write("Two", &later).await.ok();
        let changed = write("Three", &later).await.ok();
        assert_eq!(changed["text"], "Three");
        write("Four", &soon).await.ok();
        assert_eq!(admin.get(&terms).await.ok()["text"], "One");
        let announced = admin.get(&version(&later)).await.ok();
        assert_eq!(announced["text"], "Three");
        assert_eq!(announced["versions"], json!([today, soon, later]));
        assert_eq!(admin.delete(&version(&soon)).await.ok(), json!({}));
        admin.delete(&version(&soon)).await.expect(404);
        admin.get(&version(&soon)).await.expect(404);
        let name = |date: &str| format!("terms_of_service {date}");
        assert_eq!(log(app).await, [
            logged("create", &name(&today)), logged("create", &name(&later)),
            logged("update", &name(&later)), logged("create", &name(&soon)),
            logged("delete", &name(&soon)),
        ]);
    }

    async fn wrong_input_is_refused(app: &TestApp) {
        let admin = app.staff("admin", "Admin").await;
        for name in ["nothing", "Privacy_Policy", "privacy-policy", "%00", "1"] {
            admin.get(&path(name)).await.expect(404);
            put(&admin, name, json!({ "text": "x" })).await.expect(404);
            admin.delete(&path(name)).await.expect(404);
        }
        let terms = "terms_of_service";
        for (name, body) in [
            (terms, json!({ "text": "x" })),
            (terms, json!({ "text": " ", "effective_date": "2030-01-01" })),
            (terms, json!({ "text": "x", "effective_date": "2030-02-30" })),
            (terms, json!({ "text": "x", "effective_date": "tomorrow" })),
            ("privacy_policy", json!({ "text": "x", "effective_date": "2030-01-01" })),
            ("privacy_policy", json!({ "text": "x".repeat(60_001) })),
            ("extended_description", json!({ "text": "x".repeat(60_001) })),
            ("description", json!({ "text": "x".repeat(5001) })),
        ] {
            let refused = put(&admin, name, body).await.expect(422);
            assert!(refused["error"].is_string(), "{refused}");
        }
        assert!((400..500).contains(&put(&admin, "privacy_policy", json!({})).await.status));
        put(&admin, "privacy_policy", json!({ "text": "x".repeat(60_000) })).await.ok();
        assert_eq!(log(app).await, [logged("update", "privacy_policy")]);
    }

    async fn parallel_changes_are_recorded_once_each(app: &TestApp) {
        let admin = app.staff("admin", "Admin").await;
        let same = (0..50).map(|_| put(&admin, "privacy_policy", json!({ "text": "One" })));
        for response in join_all(same).await {
            response.ok();
        }
        assert_eq!(log(app).await, [logged("update", "privacy_policy")]);
        let body = json!({ "text": "Terms", "effective_date": app.day(9).to_string() });
        let same = (0..50).map(|_| put(&admin, "terms_of_service", body.clone()));
        for response in join_all(same).await {
            response.ok();
        }
        assert_eq!(log(app).await.len(), 2);
    }
}
