//! `/api/v1/admin/domain_allows`.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use siskin_entities::TargetKind;

use crate::support::{Client, Response, TestApp, id};

const ALLOWS: &str = "/api/v1/admin/domain_allows";

async fn allow(staff: &Client, domain: &str) -> Response {
    staff.form(ALLOWS, &[("domain", domain)]).await
}

/// Returns the names of the actions in the audit log about a record, the first one first.
async fn audited(app: &TestApp, allow: &Value) -> Vec<&'static str> {
    let entries = app.audit_of(TargetKind::DomainAllow, &id(allow)).await;
    entries.iter().map(|entry| entry.action.as_str()).collect()
}

api_tests! {
    async fn scope_and_permission_are_required(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let moderator = app.staff("mo", "Moderator").await;
        let reads = app.user_with_scopes(&admin, "admin:read:domain_allows").await;
        let writes = app.user_with_scopes(&admin, "admin:write:domain_allows").await;
        let others = "read write admin:read:domain_blocks admin:write:domain_blocks";
        let others = app.user_with_scopes(&admin, others).await;
        let one = format!("{ALLOWS}/{}", id(&allow(&admin, "ok.example").await.ok()));
        for (method, path, is_read) in [
            (Method::GET, ALLOWS.to_owned(), true),
            (Method::GET, one.clone(), true),
            (Method::POST, format!("{ALLOWS}?domain=x.example"), false),
            (Method::DELETE, one.clone(), false),
        ] {
            let send = async |client: &Client| {
                client.send(client.request(method.clone(), &path)).await
            };
            assert_eq!(send(&app.anonymous()).await.status, 401, "{method} {path}");
            assert_eq!(send(&moderator).await.status, 403, "{method} {path}");
            assert_eq!(send(&others).await.status, 403, "{method} {path}");
            let (good, wrong) = if is_read { (&reads, &writes) } else { (&writes, &reads) };
            assert_eq!(send(wrong).await.status, 403, "{method} {path}");
            assert_eq!(send(good).await.status, 200, "{method} {path}");
        }
    }

    // Case 121.
    async fn allowing_twice_returns_the_existing_record(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let first = allow(&admin, "ok.example").await.ok();
        let expected = json!({
            "id": first["id"], "domain": "ok.example", "created_at": first["created_at"],
        });
        assert_eq!(first, expected);
        for same in ["ok.example", "OK.Example", " ok.example "] {
            assert_eq!(allow(&admin, same).await.ok(), first, "{same}");
        }
        let path = format!("{ALLOWS}/{}", id(&first));
        assert_eq!(admin.get(&path).await.ok(), first);
        assert_eq!(admin.get(ALLOWS).await.ok(), json!([first]));
        assert_eq!(admin.delete(&path).await.ok(), first);
        for method in [Method::GET, Method::DELETE] {
            let response = admin.send(admin.request(method, &path)).await;
            assert_eq!(response.expect(404)["error"], "Record not found");
        }
        assert_eq!(audited(app, &first).await, ["create", "delete"]);
        let again = allow(&admin, "ok.example").await.ok();
        assert_ne!(again["id"], first["id"]);
    }

    async fn subdomains_are_allowed_on_their_own(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let parent = allow(&admin, "ok.example").await.ok();
        let child = allow(&admin, "sub.ok.example").await.ok();
        assert_eq!(admin.get(ALLOWS).await.ok(), json!([child, parent]));
    }

    async fn invalid_domains_are_refused(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        for domain in ["", " ", "ok example", "https://ok.example", "192.0.2.1", "ok..example"] {
            let refused = allow(&admin, domain).await.expect(422);
            assert!(refused["error"].as_str().unwrap().starts_with("Validation failed: Domain"));
        }
        admin.post(ALLOWS).await.expect(422);
        assert_eq!(admin.get(ALLOWS).await.ok(), json!([]));
    }

    async fn the_list_has_pages(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let mut all = Vec::new();
        for number in 0..5 {
            all.insert(0, id(&allow(&admin, &format!("d{number}.example")).await.ok()));
        }
        assert_eq!(admin.walk(&format!("{ALLOWS}?limit=2")).await, all);
        let first = admin.get(&format!("{ALLOWS}?limit=2")).await;
        let base = format!("{}{ALLOWS}?limit=2", app.base_url());
        assert_eq!(first.link("next"), Some(format!("{base}&max_id={}", all[1])));
        assert_eq!(first.link("prev"), Some(format!("{base}&since_id={}", all[0])));
    }

    async fn parallel_requests_create_one_record(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let all = join_all((0..50).map(|_| allow(&admin, "ok.example"))).await;
        let first = all[0].ok();
        assert!(all.iter().all(|response| response.ok() == first));
        assert_eq!(audited(app, &first).await, ["create"]);
        let path = format!("{ALLOWS}/{}", id(&first));
        let ends = join_all((0..50).map(|_| admin.delete(&path))).await;
        assert_eq!(ends.iter().filter(|response| response.status == 200).count(), 1);
        assert_eq!(audited(app, &first).await, ["create", "delete"]);
    }
}
