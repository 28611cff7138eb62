//! `/about`, `/privacy-policy` and `/terms-of-service`.

use std::time::Duration;

use serde_json::json;
use siskin_entities::{
    AccountState, Actor,
    TextName::{ExtendedDescription, PrivacyPolicy},
};
use siskin_services::rules;

use super::{page, profile::NO_INDEX, refused};
use crate::{
    oauth::signed_in,
    support::{GOOD, TestApp},
};

async fn get(app: &TestApp, path: &str) -> String {
    page(&app.anonymous().get(path).await)
}

async fn set(app: &TestApp, key: &str, value: &str) {
    app.app().change_setting(key.to_owned(), value.to_owned()).await.unwrap();
}

async fn add_rule(app: &TestApp, text: &str, hint: &str) {
    let rule = rules::prepare(text, hint).unwrap();
    app.app().write(move |tx| rules::add(tx, Actor::Operator, &rule)).await.unwrap();
}

api_tests! {
    async fn about_shows_who_runs_the_server_and_its_rules(app: &TestApp) {
        let bare = get(app, "/about").await;
        assert!(bare.contains("have not named a contact") && bare.contains("no written rules"));
        let (ann, ben) = (app.user("ann").await, app.user("ben").await);
        app.give_role(&ann, Some("Owner")).await;
        app.give_role(&ben, Some("Moderator")).await;
        app.user("eve").await;
        set(app, "site_title", "Aviary <b>").await;
        set(app, "site_short_description", "Birds & more").await;
        set(app, "site_description", "A longer\ntext").await;
        set(app, "contact_account", "ann").await;
        set(app, "contact_email", "staff@mail.test").await;
        add_rule(app, "Be <kind>", "To all").await;
        app.write_text(ExtendedDescription, "# History\n\nSince 2026").await;
        let page = get(app, "/about").await;
        for part in [
            "<h1 dir=\"auto\">About Aviary &#60;b&#62;</h1>", "Birds &#38; more", "A longer\ntext",
            "<h2>History</h2><p>Since 2026</p>", "href=\"mailto:staff@mail.test\"",
            "Be &#60;kind&#62;", "To all", "Owner", "Moderator",
            &format!("href=\"{}/@ann\"", app.base_url()), &format!("@ben@{}", app.domain()),
            &format!("<link rel=\"canonical\" href=\"{}/about\">", app.base_url()),
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
        assert!(!page.contains("@eve") && !page.contains(NO_INDEX) && !page.contains("Blocked servers"));
        app.set_state(&ben, AccountState { suspended: true, ..GOOD }).await;
        assert!(!get(app, "/about").await.contains("@ben"));
    }

    async fn blocked_servers_are_listed_if_all_may_see_them(app: &TestApp) {
        let admin = app.staff("admin", "Admin").await;
        for (domain, severity) in [("bad.example", "suspend"), ("loud.example", "silence")] {
            let block = json!({
                "domain": domain, "severity": severity, "public_comment": "Spam <b>",
                "private_comment": "secret",
            });
            admin.json("/api/v1/admin/domain_blocks", block).await.ok();
        }
        for visibility in ["disabled", "users"] {
            set(app, "domain_blocks.visibility", visibility).await;
            assert!(!get(app, "/about").await.contains("bad.example"), "{visibility}");
        }
        set(app, "domain_blocks.visibility", "all").await;
        let page = get(app, "/about").await;
        assert!(page.contains("bad.example") && page.contains("loud.example"), "{page}");
        assert!(page.contains("suspended") && page.contains("limited"));
        assert!(!page.contains("Spam") && !page.contains("secret"));
        set(app, "domain_blocks.reasons", "all").await;
        let page = get(app, "/about").await;
        assert!(page.contains("Spam &#60;b&#62;") && !page.contains("secret"), "{page}");
    }

    async fn the_privacy_policy_is_a_page(app: &TestApp) {
        let standard = get(app, "/privacy-policy").await;
        assert!(standard.contains("<h1>Privacy policy</h1>"), "{standard}");
        assert!(standard.contains("Last changed on 30 Nov 2026.") && !standard.contains(NO_INDEX));
        app.write_text(PrivacyPolicy, "We store **nothing**.").await;
        assert!(get(app, "/privacy-policy").await.contains("<p>We store <strong>nothing</strong>.</p>"));
    }

    async fn terms_of_service_are_pages_with_links_to_all_versions(app: &TestApp) {
        for path in ["/terms-of-service", "/terms-of-service/2026-12-24"] {
            refused(&app.anonymous().get(path).await, 404);
        }
        assert!(!get(app, "/about").await.contains("/terms-of-service"));
        let first = app.write_terms("Be kind", 0).await;
        app.advance(Duration::from_hours(24));
        let next = app.write_terms("Be kinder", 3).await;
        let page = get(app, "/terms-of-service").await;
        assert!(page.contains("<p>Be kind</p>") && page.contains("In effect since "), "{page}");
        assert!(page.contains("Other terms take effect on "), "{page}");
        for date in [&first, &next] {
            assert!(page.contains(&format!("href=\"/terms-of-service/{date}\"")), "{date}: {page}");
        }
        let link = format!("href=\"/terms-of-service/{first}\" aria-current=\"page\"");
        assert!(page.contains(&link), "{page}");
        let announced = get(app, &format!("/terms-of-service/{next}")).await;
        assert!(announced.contains("<p>Be kinder</p>"), "{announced}");
        assert!(announced.contains("These terms take effect on "), "{announced}");
        app.advance(Duration::from_hours(72));
        assert!(get(app, "/terms-of-service").await.contains("<p>Be kinder</p>"));
        let old = get(app, &format!("/terms-of-service/{first}")).await;
        assert!(old.contains("Others replaced them."), "{old}");
        for wrong in ["2026-02-30", "x", "%00", &format!("{first}x")] {
            refused(&app.anonymous().get(&format!("/terms-of-service/{wrong}")).await, 404);
        }
    }

    async fn every_page_links_to_the_texts(app: &TestApp) {
        app.user("ann").await;
        let browser = signed_in(app, "bob").await;
        let pages = ["/", "/about", "/privacy-policy", "/@ann", "/auth/sign_in", "/nothing"];
        for has_terms in [false, true] {
            if has_terms {
                app.write_terms("Be kind", 0).await;
            }
            for path in pages {
                let request = app.anonymous().request(reqwest::Method::GET, path);
                let page = app.anonymous().send(request.header("accept", "text/html")).await.text();
                assert!(page.contains("<a href=\"/about\">"), "{path}: {page}");
                assert!(page.contains("<a href=\"/privacy-policy\">"), "{path}: {page}");
                // The page of an error knows nothing about the server.
                let is_linked = page.contains("<a href=\"/terms-of-service\">");
                assert_eq!(is_linked, has_terms && path != "/nothing", "{path}: {page}");
            }
            assert!(browser.get("/settings/profile").await.text().contains("<a href=\"/about\">"));
        }
    }

    async fn pages_of_texts_are_revalidated(app: &TestApp) {
        app.write_terms("Be kind", 0).await;
        let anonymous = app.anonymous();
        for path in ["/about", "/privacy-policy", "/terms-of-service"] {
            let first = anonymous.get(path).await;
            let tag = first.header("etag").unwrap().to_owned();
            let request = anonymous.request(reqwest::Method::GET, path);
            let again = anonymous.send(request.header("if-none-match", &tag)).await;
            assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
            set(app, "site_title", &format!("Changed {path}")).await;
            let request = anonymous.request(reqwest::Method::GET, path);
            let changed = anonymous.send(request.header("if-none-match", &tag)).await;
            assert_eq!(changed.status, 200, "{path}");
        }
    }
}
