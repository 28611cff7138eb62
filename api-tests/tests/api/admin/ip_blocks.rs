//! `/api/v1/admin/ip_blocks`, and what the blocks refuse.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use siskin_entities::Actor;
use siskin_persistence::Tx;
use siskin_services::sign_up_blocks::ips::{self, IpBlockChanges, IpBlockParams};
use siskin_test_support::both_engines;

use crate::{
    admin::require_access,
    support::{Client, Response, TestApp, id, run, visitors::behind_a_proxy},
};

const BLOCKS: &str = "/api/v1/admin/ip_blocks";
const INSTANCE: &str = "/api/v2/instance";
/// Timeout that tolerates a busy machine.
const TIMEOUT: Duration = Duration::from_secs(20);

async fn block(staff: &Client, ip: &str, severity: &str) -> Response {
    staff.json(BLOCKS, json!({ "ip": ip, "severity": severity })).await
}

fn reason(response: &Response) -> String {
    response.expect(422)["error"].as_str().unwrap().replace("Validation failed: ", "")
}

api_tests! {
    async fn scope_and_permission_are_required(app: &TestApp) {
        require_access(app, "ip_blocks", &[
            (Method::GET, BLOCKS.to_owned()),
            (Method::POST, BLOCKS.to_owned()),
            (Method::GET, format!("{BLOCKS}/1")),
            (Method::PUT, format!("{BLOCKS}/1")),
            (Method::DELETE, format!("{BLOCKS}/1")),
        ]).await;
    }

    async fn a_block_is_created_shown_and_deleted(app: &TestApp) {
        let staff = app.staff("ada", "Admin").await;
        let form = [
            ("ip", "192.0.2.77/24"),
            ("severity", "sign_up_block"),
            ("comment", " Spam "),
            ("expires_in", "3600"),
        ];
        let created = staff.form(BLOCKS, &form).await.ok();
        assert_eq!(created["ip"], "192.0.2.0/24");
        assert_eq!(created["severity"], "sign_up_block");
        assert_eq!(created["comment"], "Spam");
        assert!(created["expires_at"].as_str() > created["created_at"].as_str());
        let path = format!("{BLOCKS}/{}", id(&created));
        assert_eq!(staff.get(&path).await.ok(), created);
        let endless = block(&staff, "2001:DB8::1", "no_access").await.ok();
        assert_eq!(endless["ip"], "2001:db8::1/128");
        assert_eq!((&endless["comment"], &endless["expires_at"]), (&json!(""), &Value::Null));
        assert_eq!(staff.get(BLOCKS).await.ok(), json!([endless, created]));
        assert_eq!(staff.delete(&path).await.ok(), json!({}));
        staff.get(&path).await.expect(404);
        staff.delete(&path).await.expect(404);
        staff.put_json(&path, json!({})).await.expect(404);
        assert_eq!(staff.audited("ip_block", &id(&created)).await, ["delete", "create"]);
    }

    async fn invalid_values_are_refused(app: &TestApp) {
        let staff = app.staff("ada", "Admin").await;
        for (body, expected) in [
            (json!({ "severity": "no_access" }), "IP can't be blank"),
            (json!({ "ip": "", "severity": "no_access" }), "IP can't be blank"),
            (json!({ "ip": null, "severity": "no_access" }), "IP can't be blank"),
            (
                json!({ "ip": "10.0.0.0/33", "severity": "no_access" }),
                "IP must be an address or a network such as 10.0.0.0/8",
            ),
            (json!({ "ip": "192.0.2.1" }), "Severity can't be blank"),
            (
                json!({ "ip": "192.0.2.1", "severity": "mild" }),
                "Severity is not included in the list",
            ),
            (
                json!({ "ip": "192.0.2.1", "severity": "no_access", "expires_in": -1 }),
                "Expires in must be from 0 to 3155760000 seconds",
            ),
            (
                json!({ "ip": "192.0.2.1", "severity": "no_access", "comment": "x".repeat(1001) }),
                "Comment is too long (maximum is 1000 characters)",
            ),
        ] {
            assert_eq!(reason(&staff.json(BLOCKS, body.clone()).await), expected, "{body}");
        }
        let odd = json!({ "ip": "192.0.2.1", "severity": "no_access", "expires_in": "soon" });
        staff.json(BLOCKS, odd).await.expect(422);
        assert_eq!(staff.get(BLOCKS).await.ok(), json!([]));
    }

    async fn a_network_has_one_block(app: &TestApp) {
        let staff = app.staff("ada", "Admin").await;
        block(&staff, "192.0.2.0/24", "sign_up_block").await.ok();
        for same in ["192.0.2.9/24", "::ffff:192.0.2.0/120"] {
            assert_eq!(reason(&block(&staff, same, "no_access").await), "IP is already blocked");
        }
        let other = block(&staff, "192.0.2.0/25", "sign_up_block").await.ok();
        let path = format!("{BLOCKS}/{}", id(&other));
        let taken = staff.put_json(&path, json!({ "ip": "192.0.2.1/24" })).await;
        assert_eq!(reason(&taken), "IP is already blocked");
        assert_eq!(staff.get(&path).await.ok(), other);
        let brief = json!({ "ip": "198.51.100.1", "severity": "no_access", "expires_in": 60 });
        let brief = staff.json(BLOCKS, brief).await.ok();
        assert_eq!(reason(&block(&staff, "198.51.100.1", "no_access").await), "IP is already blocked");
        app.advance(Duration::from_secs(61));
        let again = block(&staff, "198.51.100.1", "no_access").await.ok();
        assert_ne!(again["id"], brief["id"]);
        staff.get(&format!("{BLOCKS}/{}", id(&brief))).await.expect(404);
    }

    async fn absent_values_stay_and_each_change_is_logged(app: &TestApp) {
        let staff = app.staff("ada", "Admin").await;
        let body = json!({
            "ip": "192.0.2.0/24", "severity": "sign_up_block", "comment": "Spam", "expires_in": 60,
        });
        let created = staff.json(BLOCKS, body).await.ok();
        let path = format!("{BLOCKS}/{}", id(&created));
        assert_eq!(staff.put_json(&path, json!({})).await.ok(), created);
        let same = json!({ "severity": "sign_up_block", "comment": "Spam" });
        assert_eq!(staff.put_json(&path, same).await.ok(), created);
        assert_eq!(staff.audited("ip_block", &id(&created)).await, ["create"]);
        let form = [("severity", "no_access"), ("expires_in", "")];
        let changed = staff.put(&path, &form).await.ok();
        assert_eq!((&changed["severity"], &changed["expires_at"]), (&json!("no_access"), &Value::Null));
        assert_eq!((&changed["comment"], &changed["ip"]), (&created["comment"], &created["ip"]));
        let moved = staff.put_json(&path, json!({ "ip": "2001:db8::/32", "comment": null })).await.ok();
        assert_eq!((&moved["ip"], &moved["comment"]), (&json!("2001:db8::/32"), &json!("")));
        assert_eq!(staff.audited("ip_block", &id(&created)).await, ["update", "update", "create"]);
        for wrong in [json!({ "ip": "" }), json!({ "severity": null }), json!({ "expires_in": -1 })] {
            staff.put_json(&path, wrong).await.expect(422);
        }
        assert_eq!(staff.get(&path).await.ok(), moved);
    }

    async fn staff_cannot_lock_themselves_out(app: &TestApp) {
        let staff = app.staff("ada", "Admin").await;
        let expected = "IP must not include your own address";
        for own in ["127.0.0.1", "127.0.0.0/8", "0.0.0.0/0", "::ffff:127.0.0.1"] {
            assert_eq!(reason(&block(&staff, own, "no_access").await), expected, "{own}");
        }
        let other = block(&staff, "192.0.2.0/24", "no_access").await.ok();
        let path = format!("{BLOCKS}/{}", id(&other));
        assert_eq!(reason(&staff.put_json(&path, json!({ "ip": "0.0.0.0/0" })).await), expected);
        let all = block(&staff, "0.0.0.0/0", "sign_up_requires_approval").await.ok();
        let path = format!("{BLOCKS}/{}", id(&all));
        let severity = json!({ "severity": "no_access" });
        assert_eq!(reason(&staff.put_json(&path, severity).await), expected);
    }

    async fn the_list_has_pages(app: &TestApp) {
        let staff = app.staff("ada", "Admin").await;
        let mut blocks = Vec::new();
        for number in 0..5 {
            let ip = format!("192.0.2.{number}");
            blocks.insert(0, id(&block(&staff, &ip, "sign_up_block").await.ok()));
        }
        assert_eq!(staff.walk(&format!("{BLOCKS}?limit=2")).await, blocks);
        let first = staff.get(&format!("{BLOCKS}?limit=2")).await;
        assert!(first.link("prev").unwrap().contains("since_id="));
    }

    async fn parallel_changes_leave_one_result_and_one_entry_each(app: &TestApp) {
        let staff = app.staff("ada", "Admin").await;
        let responses =
            join_all((0..20).map(|_| block(&staff, "192.0.2.1", "sign_up_block"))).await;
        assert_eq!(responses.iter().filter(|response| response.status == 200).count(), 1);
        let created = staff.get(BLOCKS).await.ids();
        let path = format!("{BLOCKS}/{}", created[0]);
        let change = |_| staff.put_json(&path, json!({ "severity": "no_access" }));
        assert!(join_all((0..20).map(change)).await.iter().all(|response| response.status == 200));
        assert_eq!(staff.audited("ip_block", &created[0]).await, ["update", "create"]);
    }

    async fn sign_ups_of_a_blocked_network_are_forbidden(app: &TestApp) {
        let (staff, client) = (app.staff("ada", "Admin").await, app.open_registrations().await);
        let created = block(&staff, "127.0.0.0/8", "sign_up_block").await.ok();
        let refused = client.sign_up("ann", "ann@example.com").await.expect(403);
        assert_eq!(refused["error"], "Sign-ups from your network are not allowed");
        let page = app.browser().get("/auth/sign_up").await;
        assert!(page.status == 200 && page.text().contains("Sign-ups from your network"));
        assert!(!page.text().contains("id=\"username\""));
        let path = format!("{BLOCKS}/{}", id(&created));
        staff.put_json(&path, json!({ "expires_in": 60 })).await.ok();
        client.sign_up("ann", "ann@example.com").await.expect(403);
        app.advance(Duration::from_secs(61));
        client.sign_up("ann", "ann@example.com").await.ok();
        assert!(app.browser().get("/auth/sign_up").await.text().contains("id=\"username\""));
    }

    async fn sign_ups_of_a_network_may_need_an_approval(app: &TestApp) {
        let (staff, client) = (app.staff("ada", "Admin").await, app.open_registrations().await);
        block(&staff, "127.0.0.1", "sign_up_requires_approval").await.ok();
        let token = client.sign_up("ann", "ann@example.com").await.ok();
        let ann = app.with_token(token["access_token"].as_str().unwrap());
        let refused = ann.get("/api/v1/accounts/verify_credentials").await.expect(403);
        assert_eq!(refused["error"], "Your login is currently pending approval");
        assert!(app.browser().get("/auth/sign_up").await.text().contains("id=\"reason\""));
        // The most severe block counts.
        block(&staff, "127.0.0.0/8", "sign_up_block").await.ok();
        client.sign_up("bob", "bob@example.com").await.expect(403);
    }
}

both_engines! {
    fn a_network_without_access_gets_no_response(database: &TestDatabase) {
        run(database, behind_a_proxy, async |app: &TestApp| {
            let (staff, anyone) = (app.staff("ada", "Admin").await, app.anonymous());
            let created = block(&staff, "192.0.2.0/24", "no_access").await.ok();
            for address in ["192.0.2.1", "::ffff:192.0.2.1"] {
                let refused = anyone.get_from(address, INSTANCE).await.expect(403);
                assert_eq!(refused["error"], "Your network has no access to this server");
            }
            let page = anyone.get_from("192.0.2.1", "/about").await;
            assert_eq!(page.status, 403);
            let sign_in = anyone.get_from("192.0.2.1", "/auth/sign_in").await;
            assert!(sign_in.status == 403 && sign_in.text().contains("<html"), "{sign_in:?}");
            assert_eq!(anyone.get_from("192.0.2.1", "/health").await.status, 200);
            let token = staff.get_from("192.0.2.1", BLOCKS).await;
            assert_eq!(token.status, 403);
            anyone.get_from("192.0.3.1", INSTANCE).await.ok();
            anyone.get(INSTANCE).await.ok();
            let path = format!("{BLOCKS}/{}", id(&created));
            staff.put_json(&path, json!({ "expires_in": 60 })).await.ok();
            anyone.get_from("192.0.2.1", INSTANCE).await.expect(403);
            app.advance(Duration::from_secs(61));
            anyone.get_from("192.0.2.1", INSTANCE).await.ok();
            staff.put_json(&path, json!({ "ip": "2001:db8::/32", "expires_in": null })).await.ok();
            anyone.get_from("2001:db8:7::1", INSTANCE).await.expect(403);
            anyone.get_from("192.0.2.1", INSTANCE).await.ok();
            staff.delete(&path).await.ok();
            anyone.get_from("2001:db8:7::1", INSTANCE).await.ok();
        });
    }

    // The proxy forwards the requests of all clients.
    fn proxies_and_this_machine_keep_their_access(database: &TestDatabase) {
        run(database, behind_a_proxy, async |app: &TestApp| {
            let staff = app.staff("ada", "Admin").await;
            let body = json!({ "ip": "127.0.0.0/8", "severity": "no_access" });
            let request = staff.request(Method::POST, BLOCKS).header("x-forwarded-for", "192.0.2.1");
            staff.send(request.json(&body)).await.ok();
            staff.get(BLOCKS).await.ok();
            app.anonymous().get_from("192.0.2.1", INSTANCE).await.ok();
        });
    }

    // A process enforces the changes of others, which it learns from their events.
    fn changes_of_other_processes_take_effect(database: &TestDatabase) {
        run(database, behind_a_proxy, async |app: &TestApp| {
            let create = |tx: &mut Tx<'_>| {
                let params = IpBlockParams {
                    ip: Some("192.0.2.1".to_owned()),
                    severity: Some("no_access".to_owned()),
                    ..IpBlockParams::default()
                };
                ips::create(tx, Actor::Operator, &IpBlockChanges::new(params)?, None)
            };
            let anyone = app.anonymous();
            let status = async |expected: u16| {
                let start = Instant::now();
                loop {
                    // A new block also cuts off the request of its moment.
                    let request = anyone.request(Method::GET, INSTANCE);
                    let sent = request.header("x-forwarded-for", "192.0.2.1").send().await;
                    if sent.is_ok_and(|response| response.status() == expected) {
                        break;
                    }
                    assert!(start.elapsed() < TIMEOUT, "the change has no effect");
                }
            };
            status(200).await;
            let created = app.app().write(create).await.unwrap().id;
            status(403).await;
            let delete = move |tx: &mut Tx<'_>| ips::delete(tx, Actor::Operator, created);
            app.app().write(delete).await.unwrap();
            status(200).await;
        });
    }
}
