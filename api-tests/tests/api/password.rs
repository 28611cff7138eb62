//! `/auth/password`: a forgotten password.

use std::time::Duration;

use siskin_persistence::Tx;
use siskin_services::{
    accounts::{
        self, Decision, NewPassword,
        email::{self, NewEmail},
    },
    sign_up_blocks::MailServers,
};
use siskin_test_support::{MailSink, both_engines, builders::PASSWORD};

use crate::{
    oauth::{hidden_fields, sign_in, signed_in},
    support::{Client, Response, TestApp, with_mail, with_mail_and},
};

const FORGOTTEN: &str = "/auth/password/new";
const ANOTHER: &str = "/auth/password/edit";
const ANN: &str = "ann@example.com";
const MALLORY: &str = "mallory@evil.example";
const NEW: &str = "battery staple";

async fn forget(browser: &Client, email: &str) -> Response {
    let page = browser.get(FORGOTTEN).await.text();
    let mut form = hidden_fields(&page, FORGOTTEN);
    form.push(("email".to_owned(), email.to_owned()));
    browser.form(FORGOTTEN, &form).await
}

/// Opens the link and submits its form.
async fn choose(browser: &Client, link: &str, password: &str) -> Response {
    let page = browser.get(link).await;
    if page.status != 200 {
        return page;
    }
    let mut form = hidden_fields(&page.text(), ANOTHER);
    form.push(("password".to_owned(), password.to_owned()));
    browser.form(ANOTHER, &form).await
}

both_engines! {
    fn the_link_in_the_mail_replaces_the_password_once(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let there = signed_in(app, "ann").await;
            let browser = app.browser();
            let response = forget(&browser, " ANN@example.com ").await;
            assert_eq!(response.status, 200);
            let link = app.mailed_link(sink, ANN).await;
            assert!(link.starts_with(ANOTHER));

            let page = browser.get(&link).await;
            assert_eq!((page.status, page.header("cache-control")), (200, Some("private, no-store")));
            assert!(page.text().contains("autocomplete=\"new-password\""));
            let short = choose(&browser, &link, "short").await;
            assert_eq!(short.status, 422);
            assert!(short.text().contains("role=\"alert\""));
            assert_eq!(choose(&browser, &link, NEW).await.status, 200);

            assert_eq!(sign_in(&app.browser(), "ann", NEW).await.status, 302);
            assert_eq!(sign_in(&app.browser(), "ann", PASSWORD).await.status, 422);
            assert_eq!(choose(&browser, &link, "another staple").await.status, 404);
            assert_eq!(there.get("/settings/sessions").await.status, 302, "signed out");
        });
    }

    fn every_token_and_every_other_link_ends_with_the_old_password(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let ann = app.user("ann").await;
            let bob = app.user("bob").await;
            let browser = app.browser();
            forget(&browser, ANN).await;
            let first = app.mailed_link(sink, ANN).await;
            forget(&browser, ANN).await;
            let second = app.mailed_link(sink, ANN).await;
            assert_ne!(first, second);
            assert_eq!(choose(&browser, &first, NEW).await.status, 200);
            assert_eq!(browser.get(&second).await.status, 404);
            ann.credentials().await.expect(401);
            bob.credentials().await.ok();
        });
    }

    // An intruder who asked for another address would take the account back by it.
    fn a_pending_change_of_the_address_ends_with_the_old_password(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let intruder = signed_in(app, "ann").await;
            let page = intruder.get("/settings/account").await.text();
            let mut form = hidden_fields(&page, "/settings/email");
            form.push(("email".to_owned(), MALLORY.to_owned()));
            form.push(("current_password".to_owned(), PASSWORD.to_owned()));
            assert_eq!(intruder.form("/settings/email", &form).await.status, 302);
            let stolen = app.mailed_link(sink, MALLORY).await;

            let browser = app.browser();
            forget(&browser, ANN).await;
            let link = app.mailed_link(sink, ANN).await;
            assert_eq!(choose(&browser, &link, NEW).await.status, 200);
            assert_eq!(app.browser().get(&stolen).await.status, 404);
            assert_eq!(sign_in(&app.browser(), ANN, NEW).await.status, 302);
            assert_eq!(sign_in(&app.browser(), MALLORY, NEW).await.status, 422);
        });
    }

    fn an_email_that_waits_does_not_outlive_the_old_password(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let ann = app.user("ann").await.id.parse().unwrap();
            let password = NewPassword::new(NEW).unwrap();
            let mallory = NewEmail::parse(MALLORY).unwrap();
            let change = move |tx: &mut Tx<'_>| {
                email::request_change(tx, ann, &mallory, &MailServers::default())?;
                accounts::set_password(tx, ann, &password)
            };
            app.app().write(change).await.unwrap();
            assert_eq!(app.mails(sink, MALLORY).await, []);
        });
    }

    fn a_link_used_concurrently_works_once(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            app.user("ann").await;
            let browser = app.browser();
            forget(&browser, ANN).await;
            let link = app.mailed_link(sink, ANN).await;
            let page = browser.get(&link).await.text();
            let tries = (0..6).map(|number| {
                let mut form = hidden_fields(&page, ANOTHER);
                form.push(("password".to_owned(), format!("{NEW} {number}")));
                let browser = browser.clone();
                async move { browser.form(ANOTHER, &form).await.status }
            });
            let mut statuses = futures_util::future::join_all(tries).await;
            statuses.sort_unstable();
            assert_eq!(statuses, [200, 404, 404, 404, 404, 404]);
        });
    }

    fn the_page_does_not_reveal_accounts(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            app.user("ann").await;
            let gone = app.user("gil").await.id.parse().unwrap();
            app.app()
                .write(move |tx| accounts::decide(tx, gone, Decision::Disabled(true)))
                .await
                .unwrap();
            let browser = app.browser();
            let mut answers = Vec::new();
            for email in [ANN, "gil@example.com", "nobody@example.com"] {
                let response = forget(&browser, email).await;
                assert_eq!(response.status, 200);
                answers.push(response.text());
            }
            assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
            assert_eq!(app.mails(sink, ANN).await.len(), 1);
            assert_eq!(sink.mails().len(), 1);
            for wrong in ["", "ann", "a b@example.com"] {
                assert_eq!(forget(&browser, wrong).await.status, 422, "{wrong}");
            }
        });
    }

    fn a_link_is_valid_for_an_hour_and_needs_a_csrf_token(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            app.user("ann").await;
            let browser = app.browser();
            forget(&browser, ANN).await;
            let link = app.mailed_link(sink, ANN).await;
            let token = link.split_once('=').unwrap().1;
            let form = [("reset_password_token", token), ("password", NEW)];
            assert_eq!(app.anonymous().form(ANOTHER, &form).await.status, 403);
            assert_eq!(app.anonymous().form(FORGOTTEN, &[("email", ANN)]).await.status, 403);
            let wrong = format!("/auth/confirmation?confirmation_token={token}");
            assert_eq!(browser.get(&wrong).await.status, 404);
            let page = browser.get(&link).await.text();
            app.advance(Duration::from_secs(3600));
            assert_eq!(browser.get(&link).await.status, 404);
            let mut late = hidden_fields(&page, ANOTHER);
            late.push(("password".to_owned(), NEW.to_owned()));
            assert_eq!(browser.form(ANOTHER, &late).await.status, 404);
            assert_eq!(sign_in(&app.browser(), "ann", PASSWORD).await.status, 302);
        });
    }

    fn emails_to_one_mailbox_are_limited_silently(database: &TestDatabase) {
        let limited = |config: &mut siskin_server::Config| {
            config.fixed_settings.clear();
            config.trusted_proxies.push("127.0.0.0/8".to_owned());
        };
        with_mail_and(database, limited, async |app: &TestApp, sink: &MailSink| {
            app.app().change_setting("rate_limits.mail".into(), "2".into()).await.unwrap();
            app.user("ann").await;
            let mut answers = Vec::new();
            for address in ["9.9.9.1", "9.9.9.2", "9.9.9.3", "9.9.9.4"] {
                let browser = app.browser();
                let mut form = hidden_fields(&browser.get(FORGOTTEN).await.text(), FORGOTTEN);
                form.push(("email".to_owned(), ANN.to_owned()));
                let request = browser
                    .request(reqwest::Method::POST, FORGOTTEN)
                    .header("x-forwarded-for", address)
                    .form(&form);
                let response = browser.send(request).await;
                answers.push((response.status, response.header("x-ratelimit-remaining").map(str::to_owned)));
            }
            assert!(answers.iter().all(|response| *response == (200, Some("1".to_owned()))), "{answers:?}");
            assert_eq!(app.mails(sink, ANN).await.len(), 2);
        });
    }

    fn emails_to_one_mailbox_are_limited(database: &TestDatabase) {
        let limited = |config: &mut siskin_server::Config| config.fixed_settings.clear();
        with_mail_and(database, limited, async |app: &TestApp, sink: &MailSink| {
            app.app().change_setting("rate_limits.mail".into(), "2".into()).await.unwrap();
            app.user("ann").await;
            let browser = app.browser();
            let mut statuses = Vec::new();
            for email in [ANN, "Ann@Example.com", ANN] {
                statuses.push(forget(&browser, email).await.status);
            }
            assert_eq!(statuses, [200, 200, 429]);
            assert_eq!(app.mails(sink, ANN).await.len(), 2);
        });
    }
}

api_tests! {
    async fn without_a_mail_server_no_page_offers_emails(app: &TestApp) {
        let set = async |key: &str, value: &str| {
            app.app().change_setting(key.to_owned(), value.to_owned()).await.unwrap();
        };
        set("registrations", "open").await;
        set("email_confirmation", "true").await;
        set("contact_email", "staff@example.org").await;
        let browser = app.browser();
        let sign_in_page = browser.get("/auth/sign_in").await.text();
        assert!(sign_in_page.contains("Forgot your password?"));
        assert!(!sign_in_page.contains("Did not get the confirmation"), "{sign_in_page}");
        let token = hidden_fields(&sign_in_page, "/auth/sign_in");
        for path in [FORGOTTEN, "/auth/confirmation/new"] {
            let mut form = token.clone();
            form.push(("email".to_owned(), ANN.to_owned()));
            let sent = browser.form(path, &form).await;
            assert_eq!(sent.status, 503, "{path}");
            for page in [browser.get(path).await.text(), sent.text()] {
                assert!(page.contains("does not send email"), "{page}");
                assert!(page.contains("staff@example.org"), "{page}");
                assert!(!page.contains("Send the email"), "{page}");
            }
        }
        let ann = signed_in(app, "ann").await;
        let page = ann.get("/settings/account").await.text();
        assert!(page.contains("does not send email") && !page.contains("we send to it"), "{page}");
        let mut form = hidden_fields(&page, "/settings/password");
        form.push(("email".to_owned(), "other@example.org".to_owned()));
        form.push(("current_password".to_owned(), PASSWORD.to_owned()));
        let refused = ann.form("/settings/email", &form).await;
        assert_eq!(refused.status, 422, "{refused:?}");
        assert!(refused.text().contains("does not send email"), "{refused:?}");

        let page = browser.get("/auth/sign_up").await.text();
        let mut form = hidden_fields(&page, "/auth/sign_up");
        for (name, value) in [
            ("username", "bob"), ("email", "bob@example.com"), ("password", NEW), ("agreement", "1"),
        ] {
            form.push((name.to_owned(), value.to_owned()));
        }
        let welcome = browser.form("/auth/sign_up", &form).await;
        assert_eq!(welcome.status, 200, "{welcome:?}");
        let page = welcome.text();
        assert!(page.contains("does not send email") && !page.contains("We sent you"), "{page}");
    }
}
