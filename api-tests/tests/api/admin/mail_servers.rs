//! Blocks of email domains, which apply to the mail servers of an email domain, too.

use std::time::{Duration, Instant};

use serde_json::json;
use siskin_app::MailServerLookups;
use siskin_outbound::DnsServers;
use siskin_server::Config;
use siskin_test_support::{DnsServer, MailSink, TestDatabase, both_engines, builders::PASSWORD};

use crate::{
    oauth::signed_in,
    settings::account::send,
    sign_up,
    support::{Client, Response, TestApp, id, run, visitors::refused_fields, with_mail_and},
};

const BLOCKS: &str = "/api/v1/admin/email_domain_blocks";

/// Lets the server look up mail servers by `dns`.
fn asking(dns: &DnsServer) -> impl FnOnce(&mut Config) + use<> {
    let servers = DnsServers::At(vec![dns.address()]);
    move |config: &mut Config| config.dns_servers = Some(servers)
}

/// Runs `test` with a server that looks up mail servers by its second argument.
fn with_dns(database: &TestDatabase, test: impl AsyncFnOnce(&TestApp, &DnsServer)) {
    let dns = DnsServer::start();
    run(database, asking(&dns), async |app: &TestApp| test(app, &dns).await);
}

async fn block(staff: &Client, domain: &str) -> String {
    id(&staff.form(BLOCKS, &[("domain", domain)]).await.ok())
}

#[track_caller]
fn assert_blocked(response: &Response) {
    let refused = response.expect(422);
    assert_eq!(refused_fields(&refused), [("email".to_owned(), "ERR_BLOCKED".to_owned())]);
    assert_eq!(refused["error"], "Validation failed: Email is not allowed on this server");
}

fn lookups(answered: u64, failed: u64) -> MailServerLookups {
    MailServerLookups { answered, failed }
}

impl TestApp {
    async fn mail_server_lookups(&self) -> MailServerLookups {
        self.app().usage().await.unwrap().mail_server_lookups
    }
}

both_engines! {
    fn a_block_applies_to_domains_with_its_mail_servers(database: &TestDatabase) {
        with_dns(database, async |app: &TestApp, dns: &DnsServer| {
            let (staff, client) = (app.staff("ada", "Admin").await, app.open_registrations().await);
            let blocked = block(&staff, "spam.example").await;
            dns.mx("exact.example", &[(10, "mx.fine.example"), (20, "spam.example")]);
            dns.mx("below.example", &[(10, "MX1.eu.Spam.Example")]);
            dns.mx("fine.example", &[(10, "notspam.example"), (20, "spam.example.org")]);
            for domain in ["exact.example", "EXACT.example", "below.example", "below.example:2500"] {
                assert_blocked(&client.sign_up("ann", &format!("ann@{domain}")).await);
            }
            client.sign_up("ben", "ben@fine.example").await.ok();
            // The block counts these sign-ups, too.
            let shown = staff.get(&format!("{BLOCKS}/{blocked}")).await.ok();
            assert_eq!(shown["history"][0]["uses"], json!("4"));
            assert_eq!(app.mail_server_lookups().await, lookups(5, 0));
        });
    }

    // Nothing gets email at a decoy, but it comes first.
    fn decoys_do_not_hide_a_mail_server(database: &TestDatabase) {
        with_dns(database, async |app: &TestApp, dns: &DnsServer| {
            let (staff, client) = (app.staff("ada", "Admin").await, app.open_registrations().await);
            block(&staff, "spam.example").await;
            let decoys: Vec<String> = (0..20).map(|number| format!("mx{number}.fine.example")).collect();
            let mut servers: Vec<(u16, &str)> = decoys.iter().map(|name| (1, name.as_str())).collect();
            servers.push((60_000, "mx.spam.example"));
            dns.mx("hidden.example", &servers);
            assert_blocked(&client.sign_up("ann", "ann@hidden.example").await);
        });
    }

    fn the_form_refuses_the_same_addresses(database: &TestDatabase) {
        with_dns(database, async |app: &TestApp, dns: &DnsServer| {
            let staff = app.staff("ada", "Admin").await;
            app.store_setting("registrations", "open").await;
            block(&staff, "spam.example").await;
            dns.mx("mail.example", &[(10, "mx.spam.example")]);
            let browser = app.browser();
            let refused = sign_up::sign_up(&browser, &[("email", "ann@mail.example")]).await;
            assert_eq!(refused.status, 422);
            assert!(refused.text().contains("Email is not allowed on this server"), "{refused:?}");
            let by_domain = [("email", "ann@spam.example")];
            let by_domain = sign_up::sign_up(&app.browser(), &by_domain).await;
            assert_eq!(by_domain.status, refused.status);
            assert!(by_domain.text().contains("Email is not allowed on this server"));
            let allowed = sign_up::sign_up(&browser, &[("email", "ann@fine.example")]).await;
            assert_eq!(allowed.status, 302, "{allowed:?}");
        });
    }

    fn international_domains_are_compared_as_punycode(database: &TestDatabase) {
        with_dns(database, async |app: &TestApp, dns: &DnsServer| {
            let (staff, client) = (app.staff("ada", "Admin").await, app.open_registrations().await);
            block(&staff, "BÜCHER.example").await;
            dns.mx("xn--jrg-sna.example", &[(10, "mx.XN--bcher-kva.example")]);
            assert_blocked(&client.sign_up("ann", "ann@JÖRG.example").await);
            assert_blocked(&client.sign_up("ann", "ann@xn--jrg-sna.example").await);
            assert_eq!(dns.queries().first().unwrap(), "MX xn--jrg-sna.example");
        });
    }

    fn a_block_applies_to_the_address_of_a_mail_server(database: &TestDatabase) {
        with_dns(database, async |app: &TestApp, dns: &DnsServer| {
            let (staff, client) = (app.staff("ada", "Admin").await, app.open_registrations().await);
            block(&staff, "192.0.2.7").await;
            dns.mx("mail.example", &[(10, "mx.other.example")]);
            dns.host("mx.other.example", &["192.0.2.6", "192.0.2.7"]);
            // A domain without MX records is its own mail server.
            dns.host("alone.example", &["192.0.2.7"]);
            dns.host("fine.example", &["192.0.2.77"]);
            for domain in ["mail.example", "alone.example"] {
                assert_blocked(&client.sign_up("ann", &format!("ann@{domain}")).await);
            }
            client.sign_up("ann", "ann@fine.example").await.ok();
        });
    }

    fn domains_without_mail_servers_are_not_refused(database: &TestDatabase) {
        with_dns(database, async |app: &TestApp, dns: &DnsServer| {
            let (staff, client) = (app.staff("ada", "Admin").await, app.open_registrations().await);
            block(&staff, "spam.example").await;
            dns.mx("null.example", &[(0, "")]);
            dns.exists("empty.example");
            for (name, domain) in [("ann", "null.example"), ("ben", "empty.example"), ("cat", "unknown.example")] {
                client.sign_up(name, &format!("{name}@{domain}")).await.ok();
            }
            assert_eq!(app.mail_server_lookups().await, lookups(3, 0));
        });
    }

    fn an_outage_of_the_dns_refuses_no_sign_up(database: &TestDatabase) {
        with_dns(database, async |app: &TestApp, dns: &DnsServer| {
            let (staff, client) = (app.staff("ada", "Admin").await, app.open_registrations().await);
            block(&staff, "spam.example").await;
            dns.fail("failing.example");
            dns.ignore("silent.example");
            client.sign_up("ann", "ann@failing.example").await.ok();
            let start = Instant::now();
            client.sign_up("ben", "ben@silent.example").await.ok();
            assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
            assert_eq!(app.mail_server_lookups().await, lookups(0, 2));
            // What needs no DNS is still refused.
            assert_blocked(&client.sign_up("cat", "cat@spam.example").await);
        });
    }

    fn nothing_is_looked_up_without_need(database: &TestDatabase) {
        with_dns(database, async |app: &TestApp, dns: &DnsServer| {
            let (staff, client) = (app.staff("ada", "Admin").await, app.open_registrations().await);
            client.sign_up("ann", "ann@mail.example").await.ok();
            let blocked = block(&staff, "spam.example").await;
            // Refused anyway.
            assert_blocked(&client.sign_up("ben", "ben@spam.example").await);
            client.sign_up("b en", "ben@mail.example").await.expect(422);
            client.sign_up("ben", "ben").await.expect(422);
            staff.delete(&format!("{BLOCKS}/{blocked}")).await.ok();
            client.sign_up("ben", "ben@mail.example").await.ok();
            assert_eq!(dns.queries(), Vec::<String>::new());
            assert_eq!(app.mail_server_lookups().await, lookups(0, 0));
            block(&staff, "other.example").await;
            client.sign_up("cat", "cat@mail.example").await.ok();
            assert_eq!(dns.queries(), ["MX mail.example"]);
        });
    }

    fn a_refusal_does_not_reveal_accounts(database: &TestDatabase) {
        with_dns(database, async |app: &TestApp, dns: &DnsServer| {
            let (staff, client) = (app.staff("ada", "Admin").await, app.open_registrations().await);
            dns.mx("mail.example", &[(10, "mx.spam.example")]);
            client.sign_up("ann", "ann@mail.example").await.ok();
            block(&staff, "spam.example").await;
            let known = client.sign_up("ann", "ann@mail.example").await.expect(422);
            let unknown = client.sign_up("bob", "eve@mail.example").await.expect(422);
            assert_eq!(known, unknown);
        });
    }

    fn an_unconfirmed_user_cannot_change_to_blocked_mail_servers(database: &TestDatabase) {
        with_dns(database, async |app: &TestApp, dns: &DnsServer| {
            let (staff, client) = (app.staff("ada", "Admin").await, app.open_registrations().await);
            app.store_setting("email_confirmation", "true").await;
            block(&staff, "spam.example").await;
            dns.mx("mail.example", &[(10, "mx.spam.example")]);
            let token = client.sign_up("ann", "ann@example.com").await.ok();
            let ann = app.with_token(token["access_token"].as_str().unwrap());
            let resend = async |email: &str| {
                ann.form("/api/v1/emails/confirmations", &[("email", email)]).await
            };
            assert_blocked(&resend("ann@mail.example").await);
            resend("ann@fine.example").await.ok();
        });
    }

    fn a_change_of_the_address_is_checked_twice(database: &TestDatabase) {
        let dns = DnsServer::start();
        with_mail_and(database, asking(&dns), async |app: &TestApp, sink: &MailSink| {
            let staff = app.staff("ada", "Admin").await;
            let browser = signed_in(app, "ann").await;
            block(&staff, "spam.example").await;
            dns.mx("mail.example", &[(10, "mx.spam.example")]);
            dns.mx("later.example", &[(10, "mx.later-spam.example")]);
            let change = async |email: &str| {
                let values = [("email", email), ("current_password", PASSWORD)];
                send(&browser, "/settings/email", &values).await
            };
            let refused = change("ann@mail.example").await;
            assert_eq!(refused.status, 422);
            assert!(refused.text().contains("New email address is not allowed on this server"), "{refused:?}");
            assert_eq!(change("ann@later.example").await.status, 302);
            let link = app.mailed_link(sink, "ann@later.example").await;
            block(&staff, "later-spam.example").await;
            let refused = app.browser().get(&link).await;
            assert_eq!(refused.status, 422);
            assert!(refused.text().contains("not allowed on this server"), "{refused:?}");
            assert!(browser.get("/settings/account").await.text().contains("ann@example.com"));
            assert_eq!(change("ann@fine.example").await.status, 302);
            let link = app.mailed_link(sink, "ann@fine.example").await;
            assert_eq!(app.browser().get(&link).await.status, 200);
            assert!(browser.get("/settings/account").await.text().contains("ann@fine.example"));
        });
    }
}
