//! `/auth/sign_up`: registration in a browser.

use serde_json::json;
use siskin_entities::Actor;
use siskin_ids::AccountId;
use siskin_persistence::{Conn, users};
use siskin_services::rules;
use siskin_test_support::{MailSink, both_engines};

use crate::{
    oauth::{hidden_fields, sign_in},
    support::{Client, Response, TestApp, with_mail},
};

const PAGE: &str = "/auth/sign_up";

async fn set(app: &TestApp, key: &str, value: &str) {
    app.store_setting(key, value).await;
}

/// Submits the form with these values in place of valid ones.
pub async fn sign_up(browser: &Client, values: &[(&str, &str)]) -> Response {
    let page = browser.get(PAGE).await.text();
    let mut form = hidden_fields(&page, PAGE);
    let good = [
        ("username", "ann"),
        ("email", "ann@example.com"),
        ("password", "correct horse"),
        ("agreement", "1"),
    ];
    for (name, value) in good {
        let other = values.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
        form.push((name.to_owned(), other.unwrap_or(value).to_owned()));
    }
    for (name, value) in values.iter().filter(|(name, _)| good.iter().all(|(g, _)| g != name)) {
        form.push(((*name).to_owned(), (*value).to_owned()));
    }
    browser.form(PAGE, &form).await
}

api_tests! {
    async fn sign_up_shows_the_rules_and_signs_in(app: &TestApp) {
        set(app, "registrations", "open").await;
        let rule = rules::prepare("Be <kind>", "Always").unwrap();
        app.app().write(move |tx| rules::add(tx, Actor::Operator, &rule)).await.unwrap();
        let browser = app.browser();
        let page = browser.get(PAGE).await;
        let text = page.text();
        assert_eq!(page.status, 200);
        for part in ["Be &#60;kind&#62;", "Always", "<label for=\"username\"", "<label for=\"agreement\"", "lang=\"en\""] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("<script") && !text.contains("id=\"reason\""));
        let response = sign_up(&browser, &[]).await;
        assert_eq!(response.status, 302, "{response:?}");
        assert!(browser.get("/").await.text().contains("@ann"));
        app.anonymous().get("/api/v1/accounts/lookup?acct=ann").await.ok();
    }

    async fn the_agreement_includes_the_terms_of_service(app: &TestApp) {
        set(app, "registrations", "open").await;
        let accepted = async |name: &str| {
            let path = format!("/api/v1/accounts/lookup?acct={name}");
            let account = app.anonymous().get(&path).await.ok()["id"].as_str().unwrap().parse();
            let account: AccountId = account.unwrap();
            let load = move |conn: &mut Conn| Ok(users::terms_accepted_at(conn, account)?);
            app.app().read(load).await.unwrap()
        };
        let page = app.browser().get(PAGE).await.text();
        assert!(page.contains("href=\"/privacy-policy\"") && !page.contains("/terms-of-service"));
        assert_eq!(sign_up(&app.browser(), &[]).await.status, 302);
        assert_eq!(accepted("ann").await, None);
        // Announced terms are not in effect yet.
        app.write_terms("Be kind", 3).await;
        let ben = [("username", "ben"), ("email", "ben@example.com")];
        assert_eq!(sign_up(&app.browser(), &ben).await.status, 302);
        assert_eq!(accepted("ben").await, None);
        app.write_terms("Be kind", 0).await;
        let page = app.browser().get(PAGE).await.text();
        assert!(page.contains("<a href=\"/terms-of-service\">terms of service</a>"), "{page}");
        let before = app.app().now();
        let carl = [("username", "carl"), ("email", "carl@example.com")];
        assert_eq!(sign_up(&app.browser(), &carl).await.status, 302);
        assert!(accepted("carl").await.is_some_and(|at| at >= before));
        // Also through the API.
        let application = app.application("read write").await;
        let dora = json!({
            "username": "dora", "email": "dora@example.com", "password": "correct horse",
            "agreement": true, "locale": "en",
        });
        application.json("/api/v1/accounts", dora).await.ok();
        assert!(accepted("dora").await.is_some());
    }

    async fn errors_are_shown_and_typed_values_stay(app: &TestApp) {
        set(app, "registrations", "open").await;
        app.user("bob").await;
        let browser = app.browser();
        for (name, value, expected_text) in [
            ("username", "not a name", "Username must"),
            ("username", "BOB", "Username is already taken"),
            ("username", "admin", "Username is reserved"),
            ("email", "bob@example.com", "Email is already taken"),
            ("password", "short", "Password is too short"),
            ("agreement", "", "Agreement must be accepted"),
        ] {
            let response = sign_up(&browser, &[(name, value)]).await;
            let text = response.text();
            assert_eq!(response.status, 422, "{name}={value}");
            assert!(text.contains(expected_text) && text.contains("role=\"alert\""), "{expected_text}: {text}");
            assert!(!text.contains("correct horse") && !text.contains("value=\"short\""));
            assert!(text.contains("value=\"ann"), "{text}");
        }
        assert_eq!(app.anonymous().form(PAGE, &[("username", "eve")]).await.status, 403);
        app.anonymous().get("/api/v1/accounts/lookup?acct=ann").await.expect(404);
    }

    async fn a_field_without_a_value_has_one_error(app: &TestApp) {
        set(app, "registrations", "open").await;
        let refused = sign_up(&app.browser(), &[("username", ""), ("email", " ")]).await;
        assert_eq!(refused.status, 422, "{refused:?}");
        let text = refused.text();
        for name in ["Username", "Email"] {
            assert!(text.contains(&format!("<li>{name} can&#39;t be blank</li>")), "{name}: {text}");
            assert_eq!(text.matches(&format!("<li>{name} ")).count(), 1, "{name}: {text}");
        }
    }

    async fn with_approval_a_reason_is_required_and_the_account_waits(app: &TestApp) {
        set(app, "registrations", "approval").await;
        let browser = app.browser();
        assert!(browser.get(PAGE).await.text().contains("<label for=\"reason\""));
        let response = sign_up(&browser, &[("reason", "I like birds")]).await;
        assert_eq!(response.status, 200, "{response:?}");
        assert!(response.text().contains("staff"));
        let refused = sign_in(&app.browser(), "ann", "correct horse").await;
        assert!(refused.status == 403 && refused.text().contains("pending approval"));
    }

    async fn closed_registrations_show_no_form(app: &TestApp) {
        set(app, "registrations", "open").await;
        let browser = app.browser();
        let page = browser.get(PAGE).await.text();
        for (mode, message, expected_text) in [
            ("none", "", "Registrations are closed"),
            ("none", "Come back in <May>", "Come back in &#60;May&#62;"),
            ("external", "", "sign-in provider"),
        ] {
            set(app, "registrations", mode).await;
            set(app, "registrations_message", message).await;
            let shown = browser.get(PAGE).await;
            assert!(shown.status == 200 && shown.text().contains(expected_text), "{}", shown.text());
            assert!(!shown.text().contains("id=\"username\""));
            // Pages without a link to the sign-up say it, too.
            for path in ["/", "/auth/sign_in"] {
                let has_text = app.browser().get(path).await.text().contains("Come back in");
                assert_eq!(has_text, mode == "none" && !message.is_empty(), "{path} {mode}");
            }
            // The form was already open.
            let mut form = hidden_fields(&page, PAGE);
            form.push(("username".to_owned(), "ann".to_owned()));
            assert_eq!(browser.form(PAGE, &form).await.status, 403, "{mode}");
        }
    }
}

both_engines! {
    fn with_email_confirmation_an_email_is_sent_first(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            set(app, "registrations", "open").await;
            set(app, "email_confirmation", "true").await;
            let browser = app.browser();
            let response = sign_up(&browser, &[]).await;
            assert!(response.status == 200 && response.text().contains("mail"), "{response:?}");
            assert_eq!(sign_in(&browser, "ann", "correct horse").await.status, 403);
            let link = app.mailed_link(sink, "ann@example.com").await;
            assert_eq!(browser.get(&link).await.status, 200);
            assert_eq!(sign_in(&browser, "ann", "correct horse").await.status, 302);
        });
    }
}
