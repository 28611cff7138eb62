//! `/admin/email-domains`, `/admin/emails`, `/admin/networks` and `/admin/invites`.

use serde_json::json;
use siskin_entities::TargetKind;

use super::{
    SCRIPT, actions_on, assert_escaped, followed, posted_fields, staff_in_browser, submit,
};
use crate::support::id;

const DOMAINS: &str = "/admin/email-domains";
const EMAILS: &str = "/admin/emails";
const TEST: &str = "/admin/emails/test";
const NETWORKS: &str = "/admin/networks";
const INVITES: &str = "/admin/invites";

api_tests! {
    async fn email_domains_are_blocked_and_released(app: &TestApp) {
        let (ada, browser) = staff_in_browser(app, "ada", "Admin").await;
        let blocked = submit(&browser, DOMAINS, DOMAINS, &[("domain", " Spam.Example ")]).await;
        let page = followed(&browser, &blocked).await;
        assert!(page.contains("The domain is blocked.") && page.contains("spam.example"), "{page}");
        let block = ada.get("/api/v1/admin/email_domain_blocks").await.ids().remove(0);
        let again = submit(&browser, DOMAINS, DOMAINS, &[("domain", "spam.example")]).await;
        assert_eq!(again.status, 422);
        assert!(again.text().contains("Domain is already blocked."), "{again:?}");
        let path = format!("{DOMAINS}/{block}/delete");
        let page = followed(&browser, &submit(&browser, DOMAINS, &path, &[]).await).await;
        assert!(page.contains("No email domains are blocked."), "{page}");
        let kind = TargetKind::EmailDomainBlock;
        assert_eq!(actions_on(app, kind, &block).await, ["create", "delete"]);
    }

    async fn what_was_typed_stays_beside_the_problem(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        for (page, field, id) in [
            (DOMAINS, "domain", "block_domain"),
            (EMAILS, "email", "block_email"),
            (NETWORKS, "ip", "block_ip"),
        ] {
            let refused = submit(&browser, page, page, &[(field, SCRIPT)]).await;
            assert_eq!(refused.status, 422, "{page}");
            let text = refused.text();
            assert_escaped(&text);
            assert!(text.contains("&#60;script&#62;alert(1)"), "{page}: {text}");
            assert!(text.contains(&format!("id=\"{id}_problem\"")), "{page}: {text}");
            assert!(text.contains("aria-invalid=\"true\""), "{page}: {text}");
        }
    }

    async fn email_addresses_are_blocked_and_tested(app: &TestApp) {
        let (ada, browser) = staff_in_browser(app, "ada", "Admin").await;
        let test = async |email: &str| submit(&browser, EMAILS, TEST, &[("email", email)]).await;
        let free = test("foo@mail.example").await;
        assert_eq!(free.status, 200);
        assert!(free.text().contains("foo@mail.example is not blocked."));
        let blocked = submit(&browser, EMAILS, EMAILS, &[("email", "foo@mail.example")]).await;
        assert!(followed(&browser, &blocked).await.contains("The address is blocked."));
        assert!(test("F.oo+x@mail.example").await.text().contains("is blocked."));
        let long = format!("{}@b.example", "a".repeat(250));
        let invalid = "Email address is not a valid email address.";
        for (email, words) in [
            ("foo@mail.example", "Email address is already blocked."),
            (" ", "Email address can&#39;t be blank."),
            ("nowhere", invalid),
            (&*long, &*format!("Email address is too long (maximum is 254 characters). {invalid}")),
        ] {
            let refused = submit(&browser, EMAILS, EMAILS, &[("email", email)]).await;
            let mut refusals = vec![(refused, "block")];
            if !words.contains("blocked") {
                refusals.push((test(email).await, "test"));
            }
            for (refused, form) in refusals {
                assert_eq!(refused.status, 422, "{email}");
                let beside = format!("id=\"{form}_email_problem\">{words}</p>");
                for part in [beside, format!("role=\"alert\">{words}</p>")] {
                    assert!(refused.text().contains(&part), "{part}: {refused:?}");
                }
            }
        }
        let wrong = test(SCRIPT).await;
        assert_eq!(wrong.status, 422);
        assert_escaped(&wrong.text());
        assert!(wrong.text().contains("id=\"test_email_problem\""), "{wrong:?}");
        let block = ada.get("/api/v1/admin/canonical_email_blocks").await.ids().remove(0);
        let page = browser.get(EMAILS).await.text();
        assert!(!page.contains("foo@mail"), "{page}");
        let path = format!("{EMAILS}/{block}/delete");
        followed(&browser, &submit(&browser, EMAILS, &path, &[]).await).await;
        assert!(test("foo@mail.example").await.text().contains("is not blocked."));
        let kind = TargetKind::CanonicalEmailBlock;
        assert_eq!(actions_on(app, kind, &block).await, ["create", "delete"]);
    }

    async fn networks_are_blocked_changed_and_released(app: &TestApp) {
        let (ada, browser) = staff_in_browser(app, "ada", "Admin").await;
        let fields = [
            ("ip", "192.0.2.7/24"), ("severity", "sign_up_block"), ("expires_in", "86400"),
            ("comment", "A\r\nB"),
        ];
        let page = followed(&browser, &submit(&browser, NETWORKS, NETWORKS, &fields).await).await;
        for part in ["192.0.2.0/24", "Sign-ups are refused", "A\nB"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        let listed = ada.get("/api/v1/admin/ip_blocks").await.ok();
        let (block, end) = (id(&listed[0]), listed[0]["expires_at"].clone());
        assert!(end.is_string(), "{listed}");
        let one = format!("{NETWORKS}/{block}");
        let edit = browser.get(&one).await.text();
        assert!(edit.contains("value=\"192.0.2.0/24\"") && edit.contains("value=\"keep\" selected"));
        let fields = [
            ("ip", "192.0.2.0/25"), ("severity", "sign_up_requires_approval"),
            ("expires_in", "keep"), ("comment", ""),
        ];
        let page = followed(&browser, &submit(&browser, &one, &one, &fields).await).await;
        assert!(page.contains("The block was changed.") && page.contains("192.0.2.0/25"), "{page}");
        let listed = ada.get("/api/v1/admin/ip_blocks").await.ok();
        assert_eq!((&listed[0]["expires_at"], &listed[0]["comment"]), (&end, &json!("")));
        let own = [("ip", "127.0.0.0/8"), ("severity", "no_access"), ("expires_in", "")];
        let refused = submit(&browser, NETWORKS, NETWORKS, &own).await;
        assert_eq!(refused.status, 422);
        let words = "Address or network must not include your own address.";
        for place in [format!("role=\"alert\">{words}"), format!("id=\"block_ip_problem\">{words}")] {
            assert!(refused.text().contains(&place), "{place}: {refused:?}");
        }
        assert!(refused.text().contains("value=\"no_access\" selected"), "{refused:?}");
        for (name, value) in [("severity", "explode"), ("expires_in", "soon"), ("ip", "")] {
            let mut fields = own;
            for field in &mut fields {
                if field.0 == name {
                    field.1 = value;
                }
            }
            let refused = submit(&browser, &one, &one, &fields).await;
            assert_eq!(refused.status, 422, "{name}");
            let label = match name {
                "severity" => "Effect",
                "expires_in" => "Duration",
                _ => "Address or network",
            };
            let beginning = format!("id=\"change_{name}_problem\">{label} ");
            assert!(refused.text().contains(&beginning), "{name}: {refused:?}");
        }
        let delete = format!("{one}/delete");
        let page = followed(&browser, &submit(&browser, NETWORKS, &delete, &[]).await).await;
        assert!(page.contains("No addresses are blocked."), "{page}");
        let kind = TargetKind::IpBlock;
        assert_eq!(actions_on(app, kind, &block).await, ["create", "update", "delete"]);
    }

    async fn invites_of_all_people_are_listed_and_revoked(app: &TestApp) {
        let (ada, browser) = staff_in_browser(app, "ada", "Admin").await;
        let (mo, _) = staff_in_browser(app, "mo", "Moderator").await;
        let (boss, _) = staff_in_browser(app, "boss", "Owner").await;
        assert!(browser.get(INVITES).await.text().contains("There are no invites."));
        let role = json!({ "permissions": "65536" });
        boss.put_json("/api/v1/admin/roles/-99", role).await.ok();
        let invite = json!({ "max_uses": 3, "comment": SCRIPT });
        let invite = mo.json("/api/v1/invites", invite).await.ok();
        let theirs = boss.json("/api/v1/invites", json!({})).await.ok();
        let page = browser.get(INVITES).await.text();
        assert_escaped(&page);
        for part in ["@mo", "0 of 3", invite["code"].as_str().unwrap()] {
            assert!(page.contains(part), "{part}: {page}");
        }
        let revoke = format!("{INVITES}/{}/revoke", id(&invite));
        let page = followed(&browser, &submit(&browser, INVITES, &revoke, &[]).await).await;
        assert!(page.contains("The invite was revoked."), "{page}");
        // The owner has a higher rank.
        let form = posted_fields(&page, "/auth/sign_out");
        let refused = browser.form(&format!("{INVITES}/{}/revoke", id(&theirs)), &form).await;
        assert_eq!(refused.status, 403, "{refused:?}");
        assert_eq!(ada.get("/api/v1/invites?all=true").await.ids(), [id(&theirs)]);
        assert_eq!(actions_on(app, TargetKind::Invite, &id(&invite)).await, ["delete"]);
    }
}
