//! `/api/v1/emails/confirmations`, and `/auth/confirmation`, the target of the link in the email.

use std::time::Duration;

use serde_json::{Value, json};
use siskin_services::housekeeping;
use siskin_test_support::{MailSink, both_engines};

use crate::{
    oauth::{hidden_fields, register},
    support::{Client, TestApp, with_mail, with_mail_and},
};

const RESEND: &str = "/api/v1/emails/confirmations";
const VERIFY: &str = "/api/v1/accounts/verify_credentials";
const ANN: &str = "ann@example.com";
const AGAIN: &str = "/auth/confirmation/new";

async fn set(app: &TestApp, key: &str, value: &str) {
    app.app().change_setting(key.to_owned(), value.to_owned()).await.unwrap();
}

/// Registers Ann through an application, on a server that requires confirmed addresses.
async fn ann(app: &TestApp) -> Client {
    set(app, "registrations", "open").await;
    set(app, "email_confirmation", "true").await;
    let application = app.application("read write").await;
    sign_up(app, &application, "ann").await
}

async fn sign_up(app: &TestApp, application: &Client, name: &str) -> Client {
    let form = json!({ "username": name, "email": format!("{name}@example.com"),
        "password": "correct horse", "agreement": true, "locale": "en" });
    let token = application.json("/api/v1/accounts", form).await.ok();
    app.with_token(token["access_token"].as_str().unwrap())
}

both_engines! {
    // The link in the email confirms an account once. After that, the email is not sent again.
    fn the_confirmation_link_works_once(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let ann = ann(app).await;
            let link = app.mailed_link(sink, ANN).await;
            let mail = &app.mails(sink, ANN).await[0];
            assert!(mail.text().contains("@ann") && mail.header("subject").unwrap().contains("Confirm"));
            let refused = ann.get(VERIFY).await.expect(403);
            assert_eq!(refused["error"], "Your login is missing a confirmed e-mail address");

            let opened = app.browser().get(&link).await;
            assert_eq!(opened.status, 200, "{opened:?}");
            assert!(opened.text().contains("@ann") && opened.text().contains("/auth/sign_in"));
            assert_eq!(ann.get(VERIFY).await.ok()["acct"], "ann");
            let id = ann.get(VERIFY).await.ok()["id"].as_str().unwrap().to_owned();
            app.anonymous().get(&format!("/api/v1/accounts/{id}")).await.ok();

            assert_eq!(app.browser().get(&link).await.status, 404);
            ann.post(RESEND).await.expect(403);
            assert_eq!(app.mails(sink, ANN).await.len(), 1);
        });
    }

    fn only_the_same_application_can_resend_the_email(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let ann = ann(app).await;
            assert_eq!(ann.post(RESEND).await.ok(), json!({}));
            let mails = app.mails(sink, ANN).await;
            assert_eq!(mails.len(), 2);

            app.anonymous().post(RESEND).await.expect(401);
            app.with_token("garbage").post(RESEND).await.expect(401);
            app.application("read write").await.post(RESEND).await.expect(422);
            app.user("bob").await.post(RESEND).await.expect(403);
            let looked_up = app.anonymous().get("/api/v1/accounts/lookup?acct=ann").await.ok();
            let same = crate::support::User {
                id: looked_up["id"].as_str().unwrap().to_owned(),
                username: "ann".to_owned(),
                client: app.anonymous(),
            };
            // A token of the same account that does not come from its registration.
            app.user_with_scopes(&same, "read write").await.post(RESEND).await.expect(403);
            assert_eq!(app.mails(sink, ANN).await.len(), 2);

            // Both emails may be delivered. One link confirms the account, and then both are
            // invalid.
            let links: Vec<String> =
                mails.iter().map(|mail| mail.link("/auth/confirmation").unwrap()).collect();
            assert_ne!(links[0], links[1]);
            assert_eq!(app.browser().get(&links[0]).await.status, 200);
            assert_eq!(app.browser().get(&links[1]).await.status, 404);
        });
    }

    fn a_mistyped_address_can_be_changed_and_its_link_is_invalid(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            app.user("bob").await;
            let ann = ann(app).await;
            let first = app.mailed_link(sink, ANN).await;
            let refused = ann.form(RESEND, &[("email", "nowhere")]).await.expect(422);
            assert_eq!(refused["details"]["email"][0]["error"], "ERR_INVALID");
            assert_eq!(app.mails(sink, ANN).await.len(), 1);
            // The address of another account is not revealed. Its owner gets an email.
            assert_eq!(ann.form(RESEND, &[("email", "BOB@example.com")]).await.ok(), json!({}));
            let mails = app.mails(sink, "bob@example.com").await;
            assert_eq!(mails.len(), 1);
            assert!(mails[0].text().contains("@bob") && mails[0].link("/auth/confirmation").is_none());
            ann.json(RESEND, json!({ "email": "ann@example.net" })).await.ok();
            let link = app.mailed_link(sink, "ann@example.net").await;
            assert_eq!(app.browser().get(&first).await.status, 404);
            ann.get(VERIFY).await.expect(403);
            assert_eq!(app.browser().get(&link).await.status, 200);
            ann.get(VERIFY).await.ok();
            assert_eq!(app.mails(sink, ANN).await.len(), 1);
        });
    }

    fn a_link_is_valid_for_two_days_and_one_purpose(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let ann = ann(app).await;
            let link = app.mailed_link(sink, ANN).await;
            let token = link.split_once('=').unwrap().1.to_owned();
            let wrong = format!("/auth/password/edit?reset_password_token={token}");
            assert_eq!(app.browser().get(&wrong).await.status, 404);
            for wrong in ["/auth/confirmation?confirmation_token=x", &link[..link.len() - 1]] {
                assert_eq!(app.browser().get(wrong).await.status, 404, "{wrong}");
            }
            app.advance(Duration::from_secs(2 * 86_400));
            assert_eq!(app.browser().get(&link).await.status, 404);
            ann.get(VERIFY).await.expect(403);
        });
    }

    fn unconfirmed_accounts_are_deleted_and_their_name_is_free(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            ann(app).await;
            let link = app.mailed_link(sink, ANN).await;
            let keep_house = async || {
                app.app().write(housekeeping::enqueue_upkeep_jobs).await.unwrap();
                app.app().drain_jobs().await.unwrap();
            };
            let lookup = "/api/v1/accounts/lookup?acct=ann";
            app.advance(Duration::from_secs(2 * 86_400 - 60));
            keep_house().await;
            app.anonymous().get(lookup).await.ok();
            app.advance(Duration::from_secs(120));
            keep_house().await;
            app.anonymous().get(lookup).await.expect(404);
            assert_eq!(app.browser().get(&link).await.status, 404);

            // Another person registers with the same name, confirms, and the account stays.
            ann(app).await;
            let link = app.mailed_link(sink, ANN).await;
            assert_eq!(app.browser().get(&link).await.status, 200);
            app.advance(Duration::from_secs(30 * 86_400));
            keep_house().await;
            app.anonymous().get(lookup).await.ok();
        });
    }

    fn the_confirmation_page_mentions_a_pending_approval(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            set(app, "registrations", "approval").await;
            set(app, "email_confirmation", "true").await;
            let application = app.application("read write").await;
            let ann = sign_up(app, &application, "ann").await;
            let link = app.mailed_link(sink, ANN).await;
            let opened = app.browser().get(&link).await;
            assert!(opened.text().contains("staff"), "{}", opened.text());
            let refused = ann.get(VERIFY).await.expect(403);
            assert_eq!(refused["error"], "Your login is currently pending approval");
            ann.post(RESEND).await.expect(403);
        });
    }

    fn no_email_is_sent_without_confirmation(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            set(app, "registrations", "open").await;
            let application = app.application("read write").await;
            sign_up(app, &application, "ann").await.get(VERIFY).await.ok();
            assert_eq!(app.mails(sink, ANN).await, []);
        });
    }

    fn resending_emails_is_limited(database: &TestDatabase) {
        let limited = |config: &mut siskin_server::Config| config.fixed_settings.clear();
        with_mail_and(database, limited, async |app: &TestApp, sink: &MailSink| {
            set(app, "rate_limits.mail", "2").await;
            let ann = ann(app).await;
            let answers = [ann.post(RESEND).await, ann.post(RESEND).await, ann.post(RESEND).await];
            assert_eq!(answers.map(|response| response.status), [200, 200, 429]);
            assert_eq!(app.mails(sink, ANN).await.len(), 3);
        });
    }

    fn a_temporarily_refused_email_is_retried(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            sink.refuse(Some("451 come back later"));
            let ann = ann(app).await;
            let failed = app.app().drain_jobs().await;
            assert!(failed.is_err());
            sink.refuse(None);
            app.advance(Duration::from_secs(60));
            let link = app.mailed_link(sink, ANN).await;
            assert_eq!(app.browser().get(&link).await.status, 200);
            ann.get(VERIFY).await.ok();
        });
    }

    fn a_permanently_refused_email_is_not_retried(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            sink.refuse(Some("550 no such user"));
            ann(app).await;
            assert_eq!(app.mails(sink, ANN).await, []);
        });
    }

    fn the_resend_page_does_not_reveal_accounts(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            ann(app).await;
            app.user("bob").await;
            assert_eq!(app.mails(sink, ANN).await.len(), 1);
            let browser = app.browser();
            let page = browser.get(AGAIN).await;
            assert!(page.text().contains("<label for=\"email\"") && !page.text().contains("<script"));
            let hidden = hidden_fields(&page.text(), AGAIN);
            let mut answers = Vec::new();
            for email in [ANN, "bob@example.com", "nobody@example.com"] {
                let mut form = hidden.clone();
                form.push(("email".to_owned(), email.to_owned()));
                let response = browser.form(AGAIN, &form).await;
                assert_eq!(response.status, 200);
                answers.push(response.text());
            }
            assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
            assert_eq!(app.mails(sink, ANN).await.len(), 2);
            assert_eq!(sink.mails().len(), 2);
            assert_eq!(app.anonymous().form(AGAIN, &[("email", ANN)]).await.status, 403);
        });
    }
}

api_tests! {
    async fn sign_up_works_without_a_mail_server(app: &TestApp) {
        let application = app.application("read write").await;
        set(app, "registrations", "open").await;
        set(app, "email_confirmation", "true").await;
        let ann = sign_up(app, &application, "ann").await;
        app.app().drain_jobs().await.unwrap();
        assert_eq!(ann.post(RESEND).await.ok(), Value::Object(serde_json::Map::new()));
        let registered = register(app, "read").await;
        let own = registered.own_token(&app.anonymous(), "read").await;
        app.with_token(&own).post(RESEND).await.expect(422);
    }
}
