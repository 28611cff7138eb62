//! Limits on the length of all list parameters.

use reqwest::Method;
use serde_json::json;

/// More entries than any list accepts.
const FAR_TOO_MANY: usize = 2001;

api_tests! {
    async fn overlong_lists_are_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("Hello").await;
        let status = format!("/api/v1/statuses/{}", status["id"].as_str().unwrap());
        let poll = json!({ "options": ["a", "b"], "expires_in": 600 });
        let poll = alice.publish_as(json!({ "status": "Well?", "poll": poll })).await;
        let poll = format!("/api/v1/polls/{}/votes", poll["poll"]["id"].as_str().unwrap());
        let list = alice.form("/api/v1/lists", &[("title", "Friends")]).await.ok();
        let members = format!("/api/v1/lists/{}/accounts", list["id"].as_str().unwrap());
        let follow = format!("/api/v1/accounts/{}/follow", app.user("bob").await.id);
        let unread = "/api/v1/notifications/unread_count";
        let unread_groups = "/api/v2/notifications/unread_count";
        let with = |rest: &'static [(&'static str, &'static str)]| rest;
        let filter = with(&[("title", "x"), ("phrase", "x"), ("context[]", "home")]);
        for (method, path, name, value, rest) in [
            (Method::GET, "/api/v1/accounts", "id[]", "1", with(&[])),
            (Method::GET, "/api/v1/accounts/familiar_followers", "id[]", "1", with(&[])),
            (Method::GET, "/api/v1/accounts/relationships", "id[]", "1", with(&[])),
            (Method::GET, "/api/v1/relationships", "id[]", "1", with(&[])),
            (Method::GET, "/api/v1/statuses", "id[]", "1", with(&[])),
            (Method::GET, "/api/v1/markers", "timeline[]", "home", with(&[])),
            (Method::GET, "/api/v1/notifications", "types[]", "mention", with(&[])),
            (Method::GET, "/api/v1/notifications", "exclude_types[]", "mention", with(&[])),
            (Method::GET, unread, "types[]", "mention", with(&[])),
            (Method::GET, unread, "exclude_types[]", "mention", with(&[])),
            (Method::GET, "/api/v2/notifications", "exclude_types[]", "mention", with(&[])),
            (Method::GET, unread_groups, "types[]", "mention", with(&[])),
            (Method::GET, unread_groups, "exclude_types[]", "mention", with(&[])),
            (Method::GET, unread_groups, "grouped_types[]", "mention", with(&[])),
            (Method::GET, "/api/v2/notifications", "grouped_types[]", "mention", with(&[])),
            (Method::GET, "/api/v2/notifications", "types[]", "mention", with(&[])),
            (Method::POST, "/api/v1/notifications/requests/accept", "id[]", "1", with(&[])),
            (Method::POST, "/api/v1/notifications/requests/dismiss", "id[]", "1", with(&[])),
            (Method::GET, "/api/v1/timelines/tag/birds", "any[]", "a", with(&[])),
            (Method::GET, "/api/v1/timelines/tag/birds", "all[]", "a", with(&[])),
            (Method::GET, "/api/v1/timelines/tag/birds", "none[]", "a", with(&[])),
            (Method::POST, &follow, "languages[]", "de", with(&[])),
            (Method::POST, &members, "account_ids[]", "1", with(&[])),
            (Method::DELETE, &members, "account_ids[]", "1", with(&[])),
            (Method::POST, &poll, "choices[]", "0", with(&[])),
            (Method::POST, "/api/v1/apps", "redirect_uris[]", "https://a.example/", with(&[("client_name", "x")])),
            (Method::POST, "/api/v1/apps", "scopes[]", "read", with(&[("client_name", "x"), ("redirect_uris", "https://a.example/")])),
            (Method::POST, "/api/v1/reports", "status_ids[]", "1", with(&[("account_id", "1")])),
            (Method::POST, "/api/v1/reports", "rule_ids[]", "1", with(&[("account_id", "1")])),
            (Method::POST, "/api/v1/statuses", "media_ids[]", "1", with(&[("status", "x")])),
            (Method::POST, "/api/v1/statuses", "poll[options][]", "x", with(&[("status", "x"), ("poll[expires_in]", "600")])),
            (Method::PUT, &status, "media_ids[]", "1", with(&[("status", "x")])),
            (Method::PUT, &status, "poll[options][]", "x", with(&[("status", "x"), ("poll[expires_in]", "600")])),
            (Method::POST, "/api/v1/filters", "context[]", "home", filter),
            (Method::POST, "/api/v2/filters", "context[]", "home", filter),
            (Method::POST, "/api/v2/filters", "keywords_attributes[][keyword]", "x", filter),
            (Method::PATCH, "/api/v1/accounts/update_credentials", "attribution_domains[]", "a.example", with(&[])),
            (Method::PATCH, "/api/v1/accounts/update_credentials", "fields_attributes[][name]", "x", with(&[])),
            (Method::PATCH, "/api/v1/profile", "attribution_domains[]", "a.example", with(&[])),
        ] {
            let mut form = rest.to_vec();
            form.resize(rest.len() + FAR_TOO_MANY, (name, value));
            let response = alice.send(alice.request(method.clone(), path).form(&form)).await;
            // The body limit for anonymous callers is so small that a long list exceeds it.
            let is_refused = response.status == 422 || (path == "/api/v1/apps" && response.status == 413);
            assert!(is_refused, "{method} {path} {name}: {response:?}");
        }
    }
    async fn overlong_lists_of_staff_are_refused(app: &TestApp) {
        let (boss, alice) = (app.staff("boss", "Owner").await, app.user("alice").await);
        let status = alice.publish("Rude").await["id"].as_str().unwrap().to_owned();
        let status = format!("/api/v1/admin/statuses/{status}/action");
        let report = app.user("bob").await.report(&alice).await;
        let report = format!("/api/v1/admin/reports/{report}");
        let with = |rest: &'static [(&'static str, &'static str)]| rest;
        let period = with(&[("start_at", "2026-01-01"), ("end_at", "2026-01-02")]);
        let bulk = "/api/v1/admin/accounts/bulk";
        for (method, path, name, value, rest) in [
            (Method::POST, bulk, "account_ids[]", "1", with(&[("action", "approve")])),
            (Method::POST, "/api/v1/admin/reports/bulk", "report_ids[]", "1", with(&[("action", "resolve")])),
            (Method::GET, "/api/v2/admin/accounts", "role_ids[]", "1", with(&[])),
            (Method::POST, &status, "status_ids[]", "1", with(&[("type", "delete")])),
            (Method::PUT, &report, "rule_ids[]", "1", with(&[("category", "violation")])),
            (Method::POST, "/api/v1/admin/measures", "keys[]", "new_users", period),
            (Method::POST, "/api/v1/admin/dimensions", "keys[]", "languages", period),
        ] {
            let mut form = rest.to_vec();
            form.resize(rest.len() + FAR_TOO_MANY, (name, value));
            let response = boss.send(boss.request(method.clone(), path).form(&form)).await;
            assert_eq!(response.status, 422, "{method} {path} {name}: {response:?}");
        }
    }
}
