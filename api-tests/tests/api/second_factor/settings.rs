//! `/settings/second-factor`: setup, recovery codes and removal.

use std::time::Duration;

use siskin_test_support::{MailSink, Received, both_engines, builders::PASSWORD};

use crate::{
    oauth::{hidden_fields, sign_in, signed_in},
    support::{
        TestApp,
        second_factors::{Authenticator, SETTINGS, STEP, recovery_codes},
        with_mail,
    },
};

const ANN: &str = "ann@example.com";

api_tests! {
    async fn a_second_factor_is_set_up_in_the_settings(app: &TestApp) {
        let browser = signed_in(app, "ann").await;
        let page = browser.get(SETTINGS).await;
        assert_eq!((page.status, page.header("cache-control")), (200, Some("private, no-store")));
        assert!(page.text().contains("Set up a second factor") && !page.text().contains("<script"));

        let setup = browser.begin_setup().await;
        let (page, phone) = (setup.text(), Authenticator::of_page(&setup.text()));
        assert_eq!(setup.header("cache-control"), Some("private, no-store"));
        let issuer = app.domain().replace(':', "%3A");
        assert!(page.contains(&format!("otpauth://totp/{issuer}:ann?secret=")), "{page}");
        assert!(page.contains("digits=6") && page.contains("period=30"), "{page}");
        assert!(page.contains("<svg class=\"qr\"") && !page.contains("<img class=\"qr\""), "{page}");
        for wrong in [phone.wrong_code(app.app().now()), String::new(), "abcdef".to_owned()] {
            let refused = browser.confirm_setup(&setup, &wrong).await;
            assert_eq!(refused.status, 422, "{refused:?}");
            assert!(refused.text().contains("role=\"alert\""), "{refused:?}");
            assert_eq!(Authenticator::of_page(&refused.text()), phone, "the key must stay");
        }
        assert!(browser.get(SETTINGS).await.text().contains("Set up a second factor"));

        let code = phone.code(app.app().now());
        let done = browser.confirm_setup(&setup, &format!(" {} {} ", &code[..3], &code[3..])).await;
        assert_eq!((done.status, done.header("cache-control")), (200, Some("private, no-store")));
        let mut codes = recovery_codes(&done.text());
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), 10, "{done:?}");
        let page = browser.get(SETTINGS).await.text();
        assert!(page.contains("You have 10 left"), "{page}");
        for secret in codes.iter().map(String::as_str).chain(["otpauth", "class=\"copy\""]) {
            assert!(!page.contains(secret), "{secret} is shown again");
        }
        // The page of the setup was left open in another window.
        let again = browser.confirm_setup(&setup, &app.next_code(&phone)).await;
        assert_eq!(again.status, 302, "{again:?}");
        assert!(again.header("location").unwrap().ends_with(SETTINGS));
    }

    async fn each_setup_has_a_new_key(app: &TestApp) {
        let browser = signed_in(app, "ann").await;
        let (first, second) = (browser.begin_setup().await, browser.begin_setup().await);
        let [former, latter] = [&first, &second].map(|page| Authenticator::of_page(&page.text()));
        assert_ne!(former, latter);
        let mixed = browser.confirm_setup(&second, &former.code(app.app().now())).await;
        assert_eq!(mixed.status, 422);
        assert_eq!(browser.confirm_setup(&first, &former.code(app.app().now())).await.status, 200);
    }

    async fn a_setup_belongs_to_its_session_for_an_hour(app: &TestApp) {
        let (ann, bob) = (signed_in(app, "ann").await, signed_in(app, "bob").await);
        let other = app.browser();
        sign_in(&other, "ann", PASSWORD).await;
        let setup = ann.begin_setup().await;
        let phone = Authenticator::of_page(&setup.text());
        let action = "/settings/second-factor/enable";
        let is_sealed = |(name, _): &(String, String)| name == "setup";
        let sealed = hidden_fields(&setup.text(), action).into_iter().find(is_sealed).unwrap();
        let code = phone.code(app.app().now());
        for browser in [&bob, &other] {
            let own = browser.begin_setup().await;
            let mut form = hidden_fields(&own.text(), action);
            form.retain(|field| !is_sealed(field));
            form.extend([sealed.clone(), ("code".to_owned(), code.clone())]);
            let refused = browser.form(action, &form).await;
            assert_eq!(refused.status, 422, "{refused:?}");
            assert!(refused.text().contains("Begin again"), "{refused:?}");
        }
        app.advance(Duration::from_hours(1));
        let late = ann.confirm_setup(&setup, &phone.code(app.app().now())).await;
        assert!(late.status == 422 && late.text().contains("Begin again"), "{late:?}");
        for browser in [&ann, &bob] {
            assert!(browser.get(SETTINGS).await.text().contains("Set up a second factor"));
        }
    }

    async fn every_change_needs_the_password_and_a_csrf_token(app: &TestApp) {
        let (ann, bob) = (app.guarded("ann").await, signed_in(app, "bob").await);
        let stranger = app.browser();
        assert_eq!(stranger.get(SETTINGS).await.status, 302);
        for (browser, action) in [
            (&bob, "setup"), (&ann.browser, "disable"), (&ann.browser, "recovery-codes"),
        ] {
            let path = format!("{SETTINGS}/{action}");
            let values = [("current_password", PASSWORD)];
            assert_eq!(stranger.form(&path, &values).await.status, 403, "{action}");
            assert_eq!(browser.form(&path, &values).await.status, 403, "{action}");
            for wrong in ["", "wrong"] {
                let page = browser.get(SETTINGS).await.text();
                let refused = browser.send_form(&page, &path, &[("current_password", wrong)]).await;
                assert_eq!(refused.status, 422, "{action}");
                assert!(refused.text().contains("The password is wrong"), "{refused:?}");
                assert!(recovery_codes(&refused.text()).is_empty(), "{refused:?}");
            }
        }
        assert_eq!(bob.form("/settings/second-factor/enable", &[("code", "1")]).await.status, 403);
        assert!(ann.browser.get(SETTINGS).await.text().contains("You have 10 left"));
        assert!(bob.get(SETTINGS).await.text().contains("Set up a second factor"));
    }

    async fn new_recovery_codes_replace_the_former_ones(app: &TestApp) {
        let ann = app.guarded("ann").await;
        let shown = ann.browser.send_with_password("recovery-codes").await;
        let codes = recovery_codes(&shown.text());
        assert!(codes.len() == 10 && !codes.contains(&ann.recovery_codes[0]), "{shown:?}");
        let browser = app.waiting("ann").await;
        assert_eq!(browser.enter_code(&ann.recovery_codes[0]).await.status, 422);
        assert_eq!(browser.enter_code(&codes[0]).await.status, 302);
        assert!(browser.get(SETTINGS).await.text().contains("You have 9 left"));
    }

    async fn a_removed_second_factor_is_not_asked_for(app: &TestApp) {
        let ann = app.guarded("ann").await;
        let waiting = app.waiting("ann").await;
        let removed = ann.browser.send_with_password("disable").await;
        assert_eq!(removed.status, 302, "{removed:?}");
        let page = ann.browser.get(removed.header("location").unwrap()).await.text();
        assert!(page.contains("was removed") && page.contains("Set up a second factor"), "{page}");
        let browser = app.browser();
        sign_in(&browser, "ann", PASSWORD).await;
        assert!(browser.is_signed_in().await);
        // The half of a sign-in that waited needs the password again.
        assert_eq!(waiting.get("/auth/second_factor").await.status, 302);
        assert!(!waiting.is_signed_in().await);
        // Another setup has another key, and former codes do not count.
        app.advance(STEP);
        let (phone, _) = app.guard(&ann.browser).await;
        assert_ne!(phone, ann.app);
        let browser = app.waiting("ann").await;
        assert_eq!(browser.enter_code(&ann.recovery_codes[0]).await.status, 422);
        assert_eq!(browser.enter_code(&app.next_code(&ann.app)).await.status, 422);
        assert_eq!(browser.enter_code(&app.next_code(&phone)).await.status, 302);
    }

    async fn parallel_setups_leave_one_second_factor(app: &TestApp) {
        let browser = signed_in(app, "ann").await;
        let mut setups = Vec::new();
        for _ in 0..5 {
            setups.push(browser.begin_setup().await);
        }
        let now = app.app().now();
        let tries = setups.iter().map(|setup| {
            let browser = browser.clone();
            async move {
                let code = Authenticator::of_page(&setup.text()).code(now);
                browser.confirm_setup(setup, &code).await.status
            }
        });
        let mut statuses = futures_util::future::join_all(tries).await;
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 302, 302, 302, 302]);
        assert!(browser.get(SETTINGS).await.text().contains("You have 10 left"));
    }
}

both_engines! {
    fn changes_are_reported_by_email(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let ann = app.guarded("ann").await;
            let texts = async || {
                let mails = app.mails(sink, ANN).await;
                mails.iter().map(Received::text).collect::<Vec<_>>()
            };
            assert_eq!(texts().await.len(), 1);
            for code in &ann.recovery_codes {
                assert_eq!(texts().await.len(), 1);
                assert_eq!(app.waiting("ann").await.enter_code(code).await.status, 302);
            }
            assert!(ann.browser.get(SETTINGS).await.text().contains("You have 0 left"));
            assert_eq!(texts().await.len(), 2);
            ann.browser.send_with_password("disable").await;
            let texts = texts().await;
            assert_eq!(texts.len(), 3, "{texts:?}");
            for (text, part) in
                texts.iter().zip(["has a second factor now", "the last recovery code", "was removed"])
            {
                assert!(text.contains(part) && text.contains("/auth/password/new"), "{text}");
                assert!(!ann.recovery_codes.iter().any(|code| text.contains(code.as_str())));
            }
        });
    }
}
