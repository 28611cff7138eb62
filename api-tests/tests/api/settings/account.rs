//! `/settings/account`: password and email address.

use reqwest::multipart;
use serde_json::json;
use siskin_test_support::{MailSink, both_engines, builders::PASSWORD};

use crate::{
    oauth::{hidden_fields, sign_in, signed_in},
    support::{Client, Response, TestApp, with_mail},
};

const PAGE: &str = "/settings/account";
const ANN: &str = "ann@example.com";
const NEW: &str = "battery staple";

/// Submits one of the forms of the page.
pub async fn send(browser: &Client, action: &str, values: &[(&str, &str)]) -> Response {
    let page = browser.get(PAGE).await.text();
    let mut form = hidden_fields(&page, action);
    form.extend(values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    browser.form(action, &form).await
}

both_engines! {
    // Uses a mail server: without one, the page has no form for another address.
    fn every_form_needs_the_password_and_a_csrf_token(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, _: &MailSink| {
            let ann = app.user("ann").await;
            let browser = app.browser();
            sign_in(&browser, "ann", PASSWORD).await;
            let stranger = app.browser();
            assert_eq!(stranger.get(PAGE).await.status, 302);
            let page = browser.get(PAGE).await;
            assert!(page.text().contains(ANN) && !page.text().contains("<script"));
            for action in ["/settings/password", "/settings/email"] {
                let values = [("password", NEW), ("email", "ann@example.net"), ("current_password", PASSWORD)];
                assert_eq!(stranger.form(action, &values).await.status, 403, "{action}");
                assert_eq!(browser.form(action, &values).await.status, 403, "{action}");
                for wrong in ["", "wrong"] {
                    let values = [("password", NEW), ("email", "ann@example.net"), ("current_password", wrong)];
                    let response = send(&browser, action, &values).await;
                    assert_eq!(response.status, 422, "{action}");
                    assert!(response.text().contains("The password is wrong"), "{}", response.text());
                }
            }
            ann.credentials().await.ok();
        });
    }
}

both_engines! {
    fn a_new_password_ends_all_other_sessions(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let ann = app.user("ann").await;
            let (here, there) = (app.browser(), app.browser());
            for browser in [&here, &there] {
                sign_in(browser, "ann", PASSWORD).await;
            }
            let short = [("current_password", PASSWORD), ("password", "short")];
            let refused = send(&here, "/settings/password", &short).await;
            assert!(refused.status == 422 && refused.text().contains("New password is too short"));
            let good = [("current_password", PASSWORD), ("password", NEW)];
            let response = send(&here, "/settings/password", &good).await;
            assert_eq!(response.status, 302, "{response:?}");
            assert_eq!((here.get(PAGE).await.status, there.get(PAGE).await.status), (200, 302));
            ann.credentials().await.expect(401);
            assert_eq!(sign_in(&app.browser(), "ann", PASSWORD).await.status, 422);
            assert_eq!(sign_in(&app.browser(), "ann", NEW).await.status, 302);
            let mails = app.mails(sink, ANN).await;
            assert!(mails.len() == 1 && mails[0].text().contains("was changed"), "{mails:?}");
        });
    }

    fn a_new_email_address_applies_after_confirmation(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let browser = signed_in(app, "ann").await;
            app.user("bob").await;
            let change = async |email: &str| {
                send(&browser, "/settings/email", &[("email", email), ("current_password", PASSWORD)]).await
            };
            assert!(change("nowhere").await.text().contains("New email address is not a valid"));
            // The address of another account is not revealed. Its owner gets an email.
            assert_eq!(change("Bob@example.com").await.status, 302);
            let mails = app.mails(sink, "bob@example.com").await;
            assert_eq!(mails.len(), 1);
            assert!(mails[0].text().contains("@bob") && mails[0].link("/auth/confirmation").is_none());
            assert_eq!(change("first@example.net").await.status, 302);
            let first = app.mailed_link(sink, "first@example.net").await;
            assert_eq!(change("second@example.net").await.status, 302);
            let second = app.mailed_link(sink, "second@example.net").await;
            assert!(browser.get(PAGE).await.text().contains(ANN), "not yet confirmed");

            assert_eq!(app.browser().get(&first).await.status, 404, "another change was requested");
            assert_eq!(app.browser().get(&second).await.status, 200);
            assert_eq!(app.browser().get(&second).await.status, 404);
            assert!(browser.get(PAGE).await.text().contains("second@example.net"));
            assert_eq!(sign_in(&app.browser(), "second@example.net", PASSWORD).await.status, 302);
            assert_eq!(sign_in(&app.browser(), ANN, PASSWORD).await.status, 422);
            let mails = app.mails(sink, ANN).await;
            assert!(mails.len() == 1 && mails[0].link("confirmation").is_none(), "{mails:?}");
        });
    }

    fn an_unconfirmed_sign_up_does_not_keep_an_address(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let application = app.open_registrations().await;
            app.store_setting("email_confirmation", "true").await;
            let address = "new@example.net";
            application.sign_up("eve", address).await.ok();
            let dead = app.mailed_link(sink, address).await;
            let browser = signed_in(app, "ann").await;
            let values = [("email", address), ("current_password", PASSWORD)];
            assert_eq!(send(&browser, "/settings/email", &values).await.status, 302);
            let link = app.mailed_link(sink, address).await;
            assert_eq!(app.browser().get(&link).await.status, 200);
            assert!(browser.get(PAGE).await.text().contains(address));
            assert_eq!(app.browser().get(&dead).await.status, 404);
        });
    }

    fn an_email_address_taken_in_the_meantime_is_refused(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let browser = signed_in(app, "ann").await;
            let values = [("email", "bob@example.com"), ("current_password", PASSWORD)];
            send(&browser, "/settings/email", &values).await;
            let link = app.mailed_link(sink, "bob@example.com").await;
            app.user("bob").await;
            assert_eq!(app.browser().get(&link).await.status, 422);
            assert!(browser.get(PAGE).await.text().contains(ANN));
        });
    }
}

api_tests! {
    async fn a_profile_is_edited_in_a_browser(app: &TestApp) {
        let ann = app.user("ann").await;
        let browser = app.browser();
        sign_in(&browser, "ann", PASSWORD).await;
        let path = "/settings/profile";
        let page = browser.get(path).await.text();
        let send = async |values: &[(&str, &str)]| {
            let mut form = multipart::Form::new();
            for (name, value) in hidden_fields(&page, path) {
                form = form.text(name, value);
            }
            for (name, value) in values {
                form = form.text((*name).to_owned(), (*value).to_owned());
            }
            browser.multipart(path, form).await
        };
        let saved = send(&[
            ("display_name", "Ann <b>"),
            ("note", "Birds"),
            ("fields_attributes[0][name]", "Pet"),
            ("fields_attributes[0][value]", "Cat"),
            ("fields_attributes[1][name]", ""),
            ("fields_attributes[1][value]", ""),
            ("locked", "1"),
        ])
        .await;
        assert_eq!(saved.status, 302, "{saved:?}");
        let own = ann.credentials().await.ok();
        assert_eq!((&own["display_name"], &own["locked"], &own["bot"]), (&json!("Ann <b>"), &json!(true), &json!(false)));
        assert_eq!(own["source"]["note"], "Birds");
        assert_eq!((&own["fields"][0]["name"], own["fields"].as_array().unwrap().len()), (&json!("Pet"), 1));
        let shown = browser.get(saved.header("location").unwrap()).await.text();
        for part in ["role=\"status\"", "Ann &#60;b&#62;", "value=\"Cat\"", "aria-current=\"page\""] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        let refused = send(&[("display_name", &"x".repeat(31)), ("note", "typed")]).await;
        assert!(refused.status == 422 && refused.text().contains("typed"), "{refused:?}");
        assert_eq!(ann.credentials().await.ok()["source"]["note"], "Birds");
        assert_eq!(app.browser().form(path, &[("display_name", "x")]).await.status, 403);
    }
}
