//! `/auth/sign_up`: registration in a browser.

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
async fn sign_up(browser: &Client, values: &[(&str, &str)]) -> Response {
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
    async fn the_rules_are_shown_and_whoever_agrees_is_in_at_once(app: &TestApp) {
        set(app, "registrations", "open").await;
        let rule = rules::prepare("Be <kind>", "Always").unwrap();
        app.app().write(move |tx| rules::add(tx, &rule)).await.unwrap();
        let browser = app.browser();
        let page = browser.get(PAGE).await;
        let text = page.text();
        assert_eq!(page.status, 200);
        for part in ["Be &#60;kind&#62;", "Always", "<label for=\"username\"", "<label for=\"agreement\"", "lang=\"en\""] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("<script") && !text.contains("id=\"reason\""));
        let answer = sign_up(&browser, &[]).await;
        assert_eq!(answer.status, 302, "{answer:?}");
        assert!(browser.get("/").await.text().contains("@ann"));
        app.anonymous().get("/api/v1/accounts/lookup?acct=ann").await.ok();
    }

    async fn what_is_wrong_is_told_and_what_was_typed_stays(app: &TestApp) {
        set(app, "registrations", "open").await;
        app.user("bob").await;
        let browser = app.browser();
        for (name, value, words) in [
            ("username", "not a name", "Username must"),
            ("username", "BOB", "Username is already taken"),
            ("username", "admin", "Username is reserved"),
            ("email", "bob@example.com", "Email is already taken"),
            ("password", "short", "Password is too short"),
            ("agreement", "", "Agreement must be accepted"),
        ] {
            let answer = sign_up(&browser, &[(name, value)]).await;
            let text = answer.text();
            assert_eq!(answer.status, 422, "{name}={value}");
            assert!(text.contains(words) && text.contains("role=\"alert\""), "{words}: {text}");
            assert!(!text.contains("correct horse") && !text.contains("value=\"short\""));
            assert!(text.contains("value=\"ann"), "{text}");
        }
        assert_eq!(app.anonymous().form(PAGE, &[("username", "eve")]).await.status, 403);
        app.anonymous().get("/api/v1/accounts/lookup?acct=ann").await.expect(404);
    }

    async fn where_staff_decides_a_reason_is_asked_and_one_waits(app: &TestApp) {
        set(app, "registrations", "approval").await;
        let browser = app.browser();
        assert!(browser.get(PAGE).await.text().contains("<label for=\"reason\""));
        let answer = sign_up(&browser, &[("reason", "I like birds")]).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(answer.text().contains("staff"));
        let refused = sign_in(&app.browser(), "ann", "correct horse").await;
        assert!(refused.status == 403 && refused.text().contains("pending approval"));
    }

    async fn where_nobody_may_sign_up_there_is_no_form(app: &TestApp) {
        set(app, "registrations", "open").await;
        let browser = app.browser();
        let page = browser.get(PAGE).await.text();
        for (mode, message, words) in [
            ("none", "", "Registrations are closed"),
            ("none", "Come back in <May>", "Come back in &#60;May&#62;"),
            ("external", "", "sign-in provider"),
        ] {
            set(app, "registrations", mode).await;
            set(app, "registrations_message", message).await;
            let shown = browser.get(PAGE).await;
            assert!(shown.status == 200 && shown.text().contains(words), "{}", shown.text());
            assert!(!shown.text().contains("id=\"username\""));
            // The form was already open.
            let mut form = hidden_fields(&page, PAGE);
            form.push(("username".to_owned(), "ann".to_owned()));
            assert_eq!(browser.form(PAGE, &form).await.status, 403, "{mode}");
        }
    }
}

both_engines! {
    fn where_addresses_are_confirmed_a_mail_is_sent_first(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            set(app, "registrations", "open").await;
            set(app, "email_confirmation", "true").await;
            let browser = app.browser();
            let answer = sign_up(&browser, &[]).await;
            assert!(answer.status == 200 && answer.text().contains("mail"), "{answer:?}");
            assert_eq!(sign_in(&browser, "ann", "correct horse").await.status, 403);
            let link = app.mailed_link(sink, "ann@example.com").await;
            assert_eq!(browser.get(&link).await.status, 200);
            assert_eq!(sign_in(&browser, "ann", "correct horse").await.status, 302);
        });
    }
}
