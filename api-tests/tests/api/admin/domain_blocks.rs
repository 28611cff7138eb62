//! `/api/v1/admin/domain_blocks`: the blocks themselves.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use siskin_entities::TargetKind;

use crate::support::{Client, Response, TestApp, id};

const BLOCKS: &str = "/api/v1/admin/domain_blocks";

async fn block(staff: &Client, domain: &str, severity: &str) -> Response {
    staff.form(BLOCKS, &[("domain", domain), ("severity", severity)]).await
}

async fn put(staff: &Client, block: &Value, body: Value) -> Response {
    let path = format!("{BLOCKS}/{}", id(block));
    staff.send(staff.request(Method::PUT, &path).json(&body)).await
}

fn reason(response: &Response) -> String {
    let error = response.expect(422)["error"].as_str().unwrap().to_owned();
    error.replace("Validation failed: ", "")
}

/// Returns the names of the actions in the audit log about a block, the first one first.
async fn audited(app: &TestApp, block: &Value) -> Vec<&'static str> {
    let entries = app.audit_of(TargetKind::DomainBlock, &id(block)).await;
    assert!(entries.iter().all(|entry| block["domain"] == entry.target.name.as_str()));
    entries.iter().map(|entry| entry.action.as_str()).collect()
}

api_tests! {
    async fn scope_and_permission_are_required(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let moderator = app.staff("mo", "Moderator").await;
        let reads = app.user_with_scopes(&admin, "admin:read:domain_blocks").await;
        let writes = app.user_with_scopes(&admin, "admin:write:domain_blocks").await;
        let others = app.user_with_scopes(
            &admin,
            "read write admin:read:domain_allows admin:write:domain_allows admin:read:accounts",
        ).await;
        let blocked = block(&admin, "bad.example", "silence").await.ok();
        let one = format!("{BLOCKS}/{}", id(&blocked));
        for (method, path, is_read) in [
            (Method::GET, BLOCKS.to_owned(), true),
            (Method::GET, one.clone(), true),
            (Method::GET, format!("{BLOCKS}/export"), true),
            (Method::POST, format!("{BLOCKS}/preview?domain=x.example"), true),
            (Method::POST, format!("{BLOCKS}?domain=x.example"), false),
            (Method::POST, format!("{BLOCKS}/import?data=y.example"), false),
            (Method::PUT, one.clone(), false),
            (Method::DELETE, one.clone(), false),
        ] {
            let send = async |client: &Client| {
                client.send(client.request(method.clone(), &path)).await
            };
            assert_eq!(send(&app.anonymous()).await.status, 401, "{method} {path}");
            let refused = send(&moderator).await.expect(403);
            assert_eq!(refused["error"], "This action is not allowed", "{method} {path}");
            assert_eq!(send(&others).await.status, 403, "{method} {path}");
            let (good, wrong) = if is_read { (&reads, &writes) } else { (&writes, &reads) };
            assert_eq!(send(wrong).await.status, 403, "{method} {path}");
            assert_eq!(send(good).await.status, 200, "{method} {path}");
        }
    }

    async fn a_block_is_created_shown_and_deleted(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let created = admin.json(BLOCKS, json!({
            "domain": "Bad.example", "severity": "suspend", "reject_media": true,
            "reject_reports": true, "private_comment": " By mail ",
            "public_comment": "Spam", "obfuscate": true,
        })).await.ok();
        let expected = json!({
            "id": created["id"],
            "domain": "bad.example",
            "digest": "86bbe8ffb912a153c9a8b396246aeeae079cd324af4dd947a2bf59a698eabc62",
            "created_at": created["created_at"],
            "severity": "suspend",
            "reject_media": true,
            "reject_reports": true,
            "private_comment": "By mail",
            "public_comment": "Spam",
            "obfuscate": true,
        });
        assert_eq!(created, expected);
        let path = format!("{BLOCKS}/{}", id(&created));
        assert_eq!(admin.get(&path).await.ok(), created);
        assert_eq!(admin.get(BLOCKS).await.ok(), json!([created]));
        assert_eq!(admin.delete(&path).await.ok(), json!({}));
        for method in [Method::GET, Method::PUT, Method::DELETE] {
            let response = admin.send(admin.request(method, &path)).await;
            assert_eq!(response.expect(404)["error"], "Record not found");
        }
        assert_eq!(admin.get(BLOCKS).await.ok(), json!([]));
        assert_eq!(audited(app, &created).await, ["create", "delete"]);
    }

    async fn values_are_optional_and_come_in_any_encoding(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let plain = admin.post(&format!("{BLOCKS}?domain=a.example")).await.ok();
        assert_eq!(plain["severity"], "silence");
        for name in ["reject_media", "reject_reports", "obfuscate"] {
            assert_eq!(plain[name], false, "{name}");
        }
        for name in ["private_comment", "public_comment"] {
            assert_eq!(plain[name], Value::Null, "{name}");
        }
        let form = reqwest::multipart::Form::new()
            .text("domain", "b.example")
            .text("severity", "noop")
            .text("reject_media", "true")
            .text("public_comment", "");
        let only_media = admin.multipart(BLOCKS, form).await.ok();
        assert_eq!(
            (&only_media["severity"], &only_media["reject_media"], &only_media["public_comment"]),
            (&json!("noop"), &json!(true), &Value::Null)
        );
    }

    // Case 118.
    async fn the_same_domain_conflicts_with_its_block(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let first = block(&admin, "bad.example", "silence").await.ok();
        assert!(first["id"].is_string() && first["domain"] == "bad.example");
        for severity in ["silence", "suspend", "noop"] {
            let refused = block(&admin, "bad.example", severity).await.expect(422);
            assert!(refused["error"].is_string());
            assert_eq!(refused["existing_domain_block"], first, "{severity}");
        }
        assert_eq!(admin.get(BLOCKS).await.ok(), json!([first]));
        assert_eq!(audited(app, &first).await, ["create"]);
        let request = admin.request(Method::POST, BLOCKS).form(&[("domain", "bad.example")]);
        let german = admin.send(request.header("accept-language", "de")).await.expect(422);
        assert!(german["error"].as_str().unwrap().starts_with("Eine Sperre"), "{german}");
    }

    // Case 119.
    async fn a_subdomain_can_only_be_blocked_more_strictly(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let parent = block(&admin, "p.example", "silence").await.ok();
        block(&admin, "test.p.example", "suspend").await.ok();
        for equal in ["other.p.example", "deep.other.p.example"] {
            let refused = block(&admin, equal, "silence").await.expect(422);
            assert_eq!(refused["existing_domain_block"], parent, "{equal}");
        }
        let strict = json!({ "domain": "media.p.example", "reject_media": true });
        admin.json(BLOCKS, strict).await.ok();
        let other = block(&admin, "q.example", "suspend").await.ok();
        for severity in ["silence", "noop", "suspend"] {
            let refused = block(&admin, "sub.q.example", severity).await.expect(422);
            assert_eq!(refused["existing_domain_block"], other, "{severity}");
        }
        block(&admin, "xq.example", "silence").await.ok();
    }

    async fn a_parent_can_be_blocked_after_its_subdomain(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let child = block(&admin, "sub.r.example", "silence").await.ok();
        let parent = block(&admin, "r.example", "suspend").await.ok();
        assert_eq!(admin.get(BLOCKS).await.ok(), json!([parent, child]));
        // The longest one rules, so the child stays an exception that can still change.
        put(&admin, &child, json!({ "severity": "noop" })).await.ok();
        let below = block(&admin, "deep.sub.r.example", "silence").await.ok();
        assert_eq!(below["severity"], "silence");
    }

    async fn all_spellings_of_a_domain_are_equal(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let first = block(&admin, "BÜCHER.example", "silence").await.ok();
        assert_eq!(first["domain"], "xn--bcher-kva.example");
        for same in ["xn--bcher-kva.example", "bücher.EXAMPLE", " Bu\u{308}cher.example "] {
            let refused = block(&admin, same, "suspend").await.expect(422);
            assert_eq!(refused["existing_domain_block"]["id"], first["id"], "{same}");
        }
        block(&admin, "sub.BÜCHER.example", "silence").await.expect(422);
    }

    async fn invalid_values_are_refused(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        for (domain, expected) in [
            ("", "Domain can't be blank"),
            (" ", "Domain can't be blank"),
            ("bad example", "Domain is not a valid domain name"),
            ("https://bad.example", "Domain is not a valid domain name"),
            ("bad.example/about", "Domain is not a valid domain name"),
            ("@ann@bad.example", "Domain is not a valid domain name"),
            ("*.bad.example", "Domain is not a valid domain name"),
            ("ba*.exa***e", "Domain is not a valid domain name"),
            ("bad..example", "Domain is not a valid domain name"),
            ("192.0.2.1", "Domain is not a valid domain name"),
            ("[2001:db8::1]", "Domain is not a valid domain name"),
            ("' OR 1=1 --", "Domain is not a valid domain name"),
            (app.domain(), "Domain is that of this server"),
        ] {
            assert_eq!(reason(&block(&admin, domain, "silence").await), expected, "{domain:?}");
        }
        assert_eq!(reason(&admin.post(BLOCKS).await), "Domain can't be blank");
        assert_eq!(
            reason(&block(&admin, "bad.example", "limit").await),
            "Severity is not included in the list"
        );
        for (name, expected) in [
            ("private_comment", "Private comment is too long (at most 2000 characters)"),
            ("public_comment", "Public comment is too long (at most 2000 characters)"),
        ] {
            let long = json!({ "domain": "bad.example", name: "x".repeat(2001) });
            assert_eq!(reason(&admin.json(BLOCKS, long).await), expected);
        }
        assert_eq!(admin.get(BLOCKS).await.ok(), json!([]));
    }

    async fn a_change_keeps_what_is_absent(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let created = admin.json(BLOCKS, json!({
            "domain": "bad.example", "severity": "suspend", "private_comment": "a",
            "public_comment": "b", "reject_media": true,
        })).await.ok();
        for same in [json!({}), json!({ "severity": "suspend" }), json!({ "domain": "x.example" })] {
            assert_eq!(put(&admin, &created, same).await.ok(), created);
        }
        assert_eq!(audited(app, &created).await, ["create"]);
        let mut expected = created.clone();
        for (name, value, stored) in [
            ("severity", json!("noop"), json!("noop")),
            ("reject_media", json!(false), json!(false)),
            ("reject_reports", json!("1"), json!(true)),
            ("obfuscate", json!(true), json!(true)),
            ("private_comment", json!("new"), json!("new")),
            ("private_comment", json!(null), json!(null)),
            ("public_comment", json!(" "), json!(null)),
            ("reject_reports", json!(null), json!(false)),
        ] {
            expected[name] = stored;
            let changed = put(&admin, &created, json!({ name: value })).await.ok();
            assert_eq!(changed, expected, "{name}");
        }
        assert_eq!(audited(app, &created).await.len(), 9);
        assert_eq!(
            reason(&put(&admin, &created, json!({ "severity": "worse" })).await),
            "Severity is not included in the list"
        );
        let long = json!({ "public_comment": "x".repeat(2001) });
        assert!(reason(&put(&admin, &created, long).await).starts_with("Public comment is too long"));
        assert_eq!(admin.get(&format!("{BLOCKS}/{}", id(&created))).await.ok(), expected);
    }

    async fn the_list_has_pages(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let mut all = Vec::new();
        for number in 0..5 {
            let blocked = block(&admin, &format!("d{number}.example"), "silence").await.ok();
            all.insert(0, id(&blocked));
        }
        assert_eq!(admin.walk(&format!("{BLOCKS}?limit=2")).await, all);
        let first = admin.get(&format!("{BLOCKS}?limit=2")).await;
        let base = format!("{}{BLOCKS}?limit=2", app.base_url());
        assert_eq!(first.link("next"), Some(format!("{base}&max_id={}", all[1])));
        assert_eq!(first.link("prev"), Some(format!("{base}&since_id={}", all[0])));
        let upwards = admin.get(&format!("{BLOCKS}?limit=2&min_id={}", all[4])).await;
        assert_eq!(upwards.ids(), all[2..4]);
        let since = admin.get(&format!("{BLOCKS}?limit=2&since_id={}", all[4])).await;
        assert_eq!(since.ids(), all[..2]);
        assert_eq!(admin.get(&format!("{BLOCKS}?limit=0")).await.ok(), json!([]));
        admin.get(&format!("{BLOCKS}?max_id=x")).await.expect(422);
    }

    async fn parallel_decisions_leave_one_result_and_one_entry(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let all = join_all((0..50).map(|_| block(&admin, "bad.example", "silence"))).await;
        let (good, refused): (Vec<_>, Vec<_>) = all.iter().partition(|it| it.status == 200);
        assert_eq!((good.len(), refused.len()), (1, 49));
        let created = good[0].ok();
        for response in refused {
            assert_eq!(response.expect(422)["existing_domain_block"], created);
        }
        assert_eq!(audited(app, &created).await, ["create"]);
        let same = json!({ "severity": "suspend" });
        let changes = join_all((0..50).map(|_| put(&admin, &created, same.clone()))).await;
        assert!(changes.iter().all(|response| response.status == 200));
        assert_eq!(audited(app, &created).await, ["create", "update"]);
        let path = format!("{BLOCKS}/{}", id(&created));
        let ends = join_all((0..50).map(|_| admin.delete(&path))).await;
        assert_eq!(ends.iter().filter(|response| response.status == 200).count(), 1);
        assert!(ends.iter().all(|response| matches!(response.status, 200 | 404)));
        assert_eq!(audited(app, &created).await, ["create", "update", "delete"]);
    }
}
