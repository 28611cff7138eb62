//! Guesses of codes.

use std::time::Duration;

use reqwest::Method;
use siskin_server::Config;
use siskin_test_support::{MailSink, both_engines, builders::PASSWORD};

use crate::{
    oauth::hidden_fields,
    support::{
        Client, Response, TestApp,
        second_factors::{CODE_PAGE, Guarded},
        visitors::behind_a_proxy,
        with_mail, with_mail_and,
    },
};

const ANN: &str = "ann@example.com";
/// Value of the limit of sign-ins in these tests.
const LIMIT: usize = 6;

fn limited(config: &mut Config) {
    behind_a_proxy(config);
    config.fixed_settings.retain(|(key, _)| key != "rate_limits.enabled");
    config.fixed_settings.push(("rate_limits.enabled".to_owned(), "true".to_owned()));
    config.fixed_settings.push(("rate_limits.sign_in".to_owned(), LIMIT.to_string()));
}

/// A client at an address of its own.
struct Attacker {
    browser: Client,
    address: String,
}

impl Attacker {
    /// Sends the right password from another address than before.
    async fn with_password(app: &TestApp, number: usize) -> Self {
        let attacker = Self { browser: app.browser(), address: format!("9.9.9.{number}") };
        let page = attacker.browser.get("/auth/sign_in").await.text();
        let mut form = hidden_fields(&page, "/auth/sign_in");
        form.push(("user[email]".to_owned(), "ann".to_owned()));
        form.push(("user[password]".to_owned(), PASSWORD.to_owned()));
        let response = attacker.post("/auth/sign_in", &form).await;
        assert_eq!(response.status, 302, "{response:?}");
        attacker
    }

    async fn post(&self, path: &str, form: &[(String, String)]) -> Response {
        let request = self.browser.request(Method::POST, path).form(form);
        self.browser.send(request.header("x-forwarded-for", &self.address)).await
    }

    async fn enter(&self, code: &str) -> Response {
        let page = self.browser.get(CODE_PAGE).await.text();
        let mut form = hidden_fields(&page, CODE_PAGE);
        form.push(("code".to_owned(), code.to_owned()));
        self.post(CODE_PAGE, &form).await
    }
}

/// Moves the clock to the beginning of a window of all limits.
fn begin_window(app: &TestApp) {
    let length = 30 * 60 * 1000;
    let into = app.app().now().unix_ms().rem_euclid(length);
    app.advance(Duration::from_millis(u64::try_from(length - into).unwrap()));
}

fn wrong(app: &TestApp, ann: &Guarded) -> String {
    ann.app.wrong_code(app.app().now())
}

both_engines! {
    fn codes_for_an_account_are_limited_from_all_addresses_together(database: &TestDatabase) {
        with_mail_and(database, limited, async |app: &TestApp, _: &MailSink| {
            let ann = app.guarded("ann").await;
            begin_window(app);
            let code = wrong(app, &ann);
            let mut statuses = Vec::new();
            for number in 0..3 {
                let attacker = Attacker::with_password(app, number).await;
                for _ in 0..3 {
                    statuses.push(attacker.enter(&code).await.status);
                }
            }
            assert_eq!(statuses, [[422; 3], [422; 3], [429; 3]].concat());
            // The right code does not help either, and neither does a recovery code.
            let attacker = Attacker::with_password(app, 9).await;
            for code in [ann.app.code(app.app().now()), ann.recovery_codes[0].clone()] {
                let refused = attacker.enter(&code).await;
                assert_eq!(refused.status, 429);
                assert!(refused.text().contains("Wait half an hour"), "{refused:?}");
            }
            begin_window(app);
            let owner = Attacker::with_password(app, 10).await;
            assert_eq!(owner.enter(&ann.app.code(app.app().now())).await.status, 302);
        });
    }

    fn codes_from_an_address_count_like_passwords(database: &TestDatabase) {
        with_mail_and(database, limited, async |app: &TestApp, _: &MailSink| {
            let ann = app.guarded("ann").await;
            begin_window(app);
            let code = wrong(app, &ann);
            let attacker = Attacker::with_password(app, 1).await;
            for _ in 0..4 {
                assert_eq!(attacker.enter(&code).await.status, 422);
            }
            // Four codes and two passwords are the limit of the address.
            let attacker = Attacker::with_password(app, 1).await;
            assert_eq!(attacker.enter(&code).await.status, 429);
            let other = Attacker::with_password(app, 2).await;
            assert_eq!(other.enter(&app.next_code(&ann.app)).await.status, 302);
        });
    }

    fn the_owner_learns_of_wrong_codes_once_a_day(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let ann = app.guarded("ann").await;
            let warnings = async || {
                let mails = app.mails(sink, ANN).await;
                mails.iter().filter(|mail| mail.text().contains("wrong codes")).count()
            };
            let fail = async || {
                let browser = app.waiting("ann").await;
                let code = wrong(app, &ann);
                for _ in 0..5 {
                    assert_eq!(browser.enter_code(&code).await.status, 422);
                }
            };
            assert_eq!(warnings().await, 0);
            fail().await;
            assert_eq!(warnings().await, 1);
            fail().await;
            assert_eq!(warnings().await, 1);
            app.advance(Duration::from_hours(25));
            fail().await;
            assert_eq!(warnings().await, 2);
        });
    }
}
