//! `/api/v1/admin/email_domain_blocks`.

use std::time::Duration;

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;
use siskin_services::accounts::{self, NewAccount};
use siskin_test_support::both_engines;

use crate::{
    admin::require_access,
    support::{
        Client, Response, TestApp, id, run,
        trends::each,
        visitors::{behind_a_proxy, refused_fields},
    },
};

const BLOCKS: &str = "/api/v1/admin/email_domain_blocks";

async fn block(staff: &Client, domain: &str) -> Response {
    staff.form(BLOCKS, &[("domain", domain)]).await
}

fn blocked_email() -> Vec<(String, String)> {
    vec![("email".to_owned(), "ERR_BLOCKED".to_owned())]
}

api_tests! {
    async fn scope_and_permission_are_required(app: &TestApp) {
        require_access(app, "email_domain_blocks", &[
            (Method::GET, BLOCKS.to_owned()),
            (Method::POST, BLOCKS.to_owned()),
            (Method::GET, format!("{BLOCKS}/1")),
            (Method::DELETE, format!("{BLOCKS}/1")),
        ]).await;
    }

    async fn a_domain_is_blocked_once(app: &TestApp) {
        let staff = app.staff("ada", "Admin").await;
        let created = block(&staff, " BÜCHER.example ").await.ok();
        assert_eq!(created["domain"], "xn--bcher-kva.example");
        assert!(created["created_at"].as_str().unwrap().ends_with('Z'));
        let history = created["history"].as_array().unwrap();
        assert_eq!(history.len(), 7);
        assert!(history.iter().all(|day| day["uses"] == "0" && day["accounts"] == "0"));
        let days: Vec<i64> =
            each(&created["history"], "day").iter().map(|day| day.parse().unwrap()).collect();
        assert!(days.windows(2).all(|pair| pair[0] == pair[1] + 86_400), "{days:?}");
        let again = block(&staff, "xn--bcher-kva.example").await.expect(422);
        assert_eq!(again["error"], "Validation failed: Domain is already blocked");
        // A block includes the subdomains in any case.
        let starred = block(&staff, "*.BÜCHER.example").await.expect(422);
        assert_eq!(starred["error"], again["error"]);
        for wrong in ["*", "*.", "*.*.example", "a.*.example", "", " ", "a b", "a@b.example", "a.example.", "a.example:25", "http://a"] {
            block(&staff, wrong).await.expect(422);
        }
        staff.post(BLOCKS).await.expect(422);
        let path = format!("{BLOCKS}/{}", id(&created));
        assert_eq!(staff.get(&path).await.ok(), created);
        assert_eq!(staff.get(BLOCKS).await.ok(), json!([created]));
        assert_eq!(staff.delete(&path).await.ok(), json!({}));
        staff.delete(&path).await.expect(404);
        staff.get(&path).await.expect(404);
        assert_eq!(staff.get(BLOCKS).await.ok(), json!([]));
        let audited = staff.audited("email_domain_block", &id(&created)).await;
        assert_eq!(audited, ["delete", "create"]);
    }

    async fn the_list_has_pages(app: &TestApp) {
        let staff = app.staff("ada", "Admin").await;
        let mut blocks = Vec::new();
        for number in 0..5 {
            blocks.insert(0, id(&block(&staff, &format!("d{number}.example")).await.ok()));
        }
        let first = staff.get(&format!("{BLOCKS}?limit=2")).await;
        assert_eq!(first.ids(), blocks[..2]);
        assert!(first.link("prev").unwrap().contains("min_id="));
        assert_eq!(staff.walk(&format!("{BLOCKS}?limit=2")).await, blocks);
        let newer = staff.get(&format!("{BLOCKS}?min_id={}&limit=1", blocks[4])).await;
        assert_eq!(newer.ids(), blocks[3..4]);
    }

    async fn parallel_requests_block_a_domain_once(app: &TestApp) {
        let staff = app.staff("ada", "Admin").await;
        let requests = (0..20).map(|_| block(&staff, "mail.example"));
        let statuses: Vec<u16> = join_all(requests).await.iter().map(|it| it.status).collect();
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert!(statuses.iter().all(|status| matches!(status, 200 | 422)), "{statuses:?}");
        let blocks = staff.get(BLOCKS).await.ids();
        assert_eq!(staff.audited("email_domain_block", &blocks[0]).await, ["create"]);
        let path = format!("{BLOCKS}/{}", blocks[0]);
        let deleted = join_all((0..20).map(|_| staff.delete(&path))).await;
        assert_eq!(deleted.iter().filter(|response| response.status == 200).count(), 1);
        assert_eq!(staff.audited("email_domain_block", &blocks[0]).await, ["delete", "create"]);
    }

    async fn sign_ups_with_a_blocked_domain_are_refused_and_counted(app: &TestApp) {
        let (staff, client) = (app.staff("ada", "Admin").await, app.open_registrations().await);
        let created = block(&staff, "mail.example").await.ok();
        for email in ["ann@mail.example", "ann@MAIL.example", "ann@a.b.mail.example", "ann@mail.example:2500"] {
            let refused = client.sign_up("ann", email).await.expect(422);
            assert_eq!(refused_fields(&refused), blocked_email(), "{email}");
            let sentence = "Validation failed: Email is not allowed on this server";
            assert_eq!(refused["error"], sentence);
        }
        for email in ["ann@othermail.example", "bob@example", "cat@mail.example.org"] {
            client.sign_up(&email[..3], email).await.ok();
        }
        let path = format!("{BLOCKS}/{}", id(&created));
        let history = staff.get(&path).await.ok()["history"].take();
        assert_eq!((&history[0]["uses"], &history[0]["accounts"]), (&json!("4"), &json!("1")));
        app.advance(Duration::from_hours(24));
        client.sign_up("dan", "dan@mail.example").await.expect(422);
        let history = staff.get(&path).await.ok()["history"].take();
        assert_eq!((&history[0]["uses"], &history[1]["uses"]), (&json!("1"), &json!("4")));
        app.advance(Duration::from_hours(7 * 24));
        app.app().sweep_rows().await.unwrap();
        let history = staff.get(&path).await.ok()["history"].take();
        assert!(each(&history, "uses").iter().all(|uses| uses == "0"), "{history}");
        staff.delete(&path).await.ok();
        client.sign_up("dan", "dan@mail.example").await.ok();
    }

    // Neither the answer nor its details depend on whether an account has the address.
    async fn a_refusal_does_not_reveal_accounts(app: &TestApp) {
        let (staff, client) = (app.staff("ada", "Admin").await, app.open_registrations().await);
        client.sign_up("ann", "ann@mail.example").await.ok();
        block(&staff, "mail.example").await.ok();
        let known = client.sign_up("bob", "ann@mail.example").await.expect(422);
        let unknown = client.sign_up("bob", "eve@mail.example").await.expect(422);
        let known_name = client.sign_up("ann", "ann@mail.example").await.expect(422);
        assert_eq!((&known, &known_name), (&unknown, &unknown));
        assert_eq!(refused_fields(&known), blocked_email());
    }

    async fn the_operator_ignores_blocks(app: &TestApp) {
        let staff = app.staff("ada", "Admin").await;
        block(&staff, "mail.example").await.ok();
        let new = NewAccount::by_operator("ann", "ann@mail.example", "correct horse");
        let prepared = accounts::prepare(app.app().instance(), new).unwrap();
        app.app().write(move |tx| accounts::apply(tx, &prepared).map(drop)).await.unwrap();
        app.id_of("ann").await;
    }

    async fn an_unconfirmed_user_cannot_change_to_a_blocked_address(app: &TestApp) {
        let (staff, client) = (app.staff("ada", "Admin").await, app.open_registrations().await);
        app.store_setting("email_confirmation", "true").await;
        block(&staff, "mail.example").await.ok();
        let token = client.sign_up("ann", "ann@example.com").await.ok();
        let ann = app.with_token(token["access_token"].as_str().unwrap());
        let resend = async |email: &str| {
            ann.form("/api/v1/emails/confirmations", &[("email", email)]).await
        };
        let refused = resend("ann@mail.example").await.expect(422);
        assert_eq!(refused_fields(&refused), blocked_email());
        resend("ann@example.org").await.ok();
        // An address that was blocked later stays.
        block(&staff, "example.org").await.ok();
        resend("ann@example.org").await.ok();
    }
}

both_engines! {
    fn each_network_counts_once(database: &TestDatabase) {
        run(database, behind_a_proxy, async |app: &TestApp| {
            let (staff, client) = (app.staff("ada", "Admin").await, app.open_registrations().await);
            let created = block(&staff, "mail.example").await.ok();
            for address in ["192.0.2.1", "192.0.2.2", "192.0.2.1", "2001:db8::1", "2001:db8::2"] {
                client.sign_up_from(address, "ann", "ann@mail.example").await.expect(422);
            }
            let path = format!("{BLOCKS}/{}", id(&created));
            let today = staff.get(&path).await.ok()["history"][0].take();
            assert_eq!((&today["uses"], &today["accounts"]), (&json!("5"), &json!("3")));
        });
    }
}
