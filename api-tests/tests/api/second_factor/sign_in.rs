//! The second step of a sign-in.

use std::{collections::BTreeSet, time::Duration};

use futures_util::future::join_all;
use siskin_persistence::accounts::Decision;
use siskin_services::accounts::{self, NewPassword};
use siskin_test_support::{both_engines, builders::PASSWORD};

use crate::{
    oauth::{self, BACK, decide, link, parameter, register, sign_in, sign_in_at},
    settings::account::send,
    support::{
        TestApp, run,
        second_factors::{CODE_PAGE, STEP},
    },
};

const NEW: &str = "battery staple";

api_tests! {
    async fn the_code_is_asked_for_after_the_password(app: &TestApp) {
        let ann = app.guarded("ann").await;
        let browser = app.browser();
        let response = sign_in(&browser, "ann", PASSWORD).await;
        assert_eq!(response.status, 302);
        let cookies = response.headers.get_all("set-cookie").iter();
        let cookies: Vec<&str> = cookies.map(|cookie| cookie.to_str().unwrap()).collect();
        assert_eq!(cookies.len(), 1, "{cookies:?}");
        for part in ["siskin_sign_in=", "HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=600"] {
            assert!(cookies[0].contains(part), "{cookies:?}");
        }
        assert!(!browser.is_signed_in().await);
        let page = browser.get(CODE_PAGE).await;
        assert_eq!((page.status, page.header("cache-control")), (200, Some("private, no-store")));
        for part in ["<label for=\"code\"", "autocomplete=\"one-time-code\"", "novalidate"] {
            assert!(page.text().contains(part), "{part}: {page:?}");
        }
        assert!(!page.text().contains("@ann") && !page.text().contains("<script"), "{page:?}");

        let response = browser.enter_code(&app.next_code(&ann.app)).await;
        assert_eq!(response.status, 302, "{response:?}");
        assert_eq!(response.header("location"), Some(format!("{}/", app.base_url()).as_str()));
        assert!(browser.is_signed_in().await);
        // The step is over.
        assert_eq!(browser.get(CODE_PAGE).await.status, 302);
    }

    async fn nothing_differs_until_the_password_is_right(app: &TestApp) {
        app.guarded("ann").await;
        app.user("bob").await;
        let mut pages = Vec::new();
        for login in ["ann", "bob", "nobody"] {
            let response = sign_in(&app.browser(), login, "wrong").await;
            assert_eq!(response.status, 422);
            let headers: BTreeSet<_> = response.headers.keys().map(ToString::to_string).collect();
            let page = response.text().replace(&format!("value=\"{login}\""), "");
            pages.push((headers, page.split("<label").nth(1).unwrap().to_owned()));
        }
        assert!(pages.windows(2).all(|pair| pair[0] == pair[1]), "{pages:?}");
    }

    async fn a_code_counts_once(app: &TestApp) {
        app.begin_step();
        let ann = app.guarded("ann").await;
        // The code that confirmed the setup counts as used.
        let browser = app.waiting("ann").await;
        let used = ann.app.code(app.app().now());
        assert_eq!(browser.enter_code(&used).await.status, 422);
        let code = app.next_code(&ann.app);
        assert_eq!(browser.enter_code(&code).await.status, 302);
        let other = app.waiting("ann").await;
        assert_eq!(other.enter_code(&code).await.status, 422);
        app.advance(STEP);
        assert_eq!(other.enter_code(&code).await.status, 422);
        assert!(!other.is_signed_in().await);
        assert_eq!(other.enter_code(&ann.app.code(app.app().now())).await.status, 302);
    }

    async fn a_code_entered_in_many_browsers_at_once_signs_in_one(app: &TestApp) {
        let ann = app.guarded("ann").await;
        let mut browsers = Vec::new();
        for _ in 0..8 {
            browsers.push(app.waiting("ann").await);
        }
        for code in [app.next_code(&ann.app), ann.recovery_codes[0].clone()] {
            let tries = browsers.iter().map(|browser| browser.enter_code(&code));
            let statuses: Vec<u16> =
                join_all(tries).await.iter().map(|response| response.status).collect();
            let accepted = statuses.iter().filter(|status| **status == 302).count();
            assert_eq!(accepted, 1, "{statuses:?}");
            let at = statuses.iter().position(|status| *status == 302).unwrap();
            browsers.remove(at);
        }
    }

    async fn codes_of_the_step_before_and_after_count(app: &TestApp) {
        let ann = app.guarded("ann").await;
        app.advance(10 * STEP);
        app.begin_step();
        let now = app.app().now();
        let browser = app.waiting("ann").await;
        for far in [now.before(3 * STEP), now.after(3 * STEP)] {
            assert_eq!(browser.enter_code(&ann.app.code(far)).await.status, 422);
        }
        assert_eq!(browser.enter_code(&ann.app.code(app.app().now().before(STEP))).await.status, 302);
        let browser = app.waiting("ann").await;
        assert_eq!(browser.enter_code(&ann.app.code(app.app().now().after(STEP))).await.status, 302);
        // A later code was used.
        let browser = app.waiting("ann").await;
        assert_eq!(browser.enter_code(&ann.app.code(app.app().now())).await.status, 422);
    }

    async fn a_recovery_code_signs_in_once(app: &TestApp) {
        let ann = app.guarded("ann").await;
        let bob = app.guarded("bob").await;
        for code in [
            ann.recovery_codes[0].clone(),
            ann.recovery_codes[1].to_uppercase(),
            format!(" {} ", ann.recovery_codes[2].replace('-', " ")),
        ] {
            let browser = app.waiting("ann").await;
            assert_eq!(browser.enter_code(&bob.recovery_codes[0]).await.status, 422);
            assert_eq!(browser.enter_code(&code).await.status, 302, "{code}");
            assert!(browser.is_signed_in().await);
            let again = app.waiting("ann").await;
            assert_eq!(again.enter_code(&code).await.status, 422, "{code}");
        }
    }

    async fn five_wrong_codes_end_the_sign_in(app: &TestApp) {
        let ann = app.guarded("ann").await;
        let browser = app.waiting("ann").await;
        app.advance(STEP);
        let page = browser.get(CODE_PAGE).await.text();
        let wrong = ann.app.wrong_code(app.app().now());
        for _ in 0..4 {
            let refused = browser.enter_code(&wrong).await;
            assert_eq!(refused.status, 422);
            assert!(refused.text().contains("The code is wrong") && !refused.text().contains(&wrong));
        }
        let ended = browser.enter_code(&wrong).await;
        assert_eq!(ended.status, 422);
        assert!(ended.text().contains("Sign in again"), "{ended:?}");
        assert!(ended.text().contains("name=\"user[password]\""), "{ended:?}");
        let code = ann.app.code(app.app().now());
        let late = browser.send_form(&page, CODE_PAGE, &[("code", &code)]).await;
        assert_eq!(late.status, 422);
        assert!(!browser.is_signed_in().await);
        // With the password it begins again.
        let browser = app.waiting("ann").await;
        assert_eq!(browser.enter_code(&ann.app.code(app.app().now())).await.status, 302);
    }

    async fn tries_are_counted_when_they_come_at_once(app: &TestApp) {
        let ann = app.guarded("ann").await;
        let browser = app.waiting("ann").await;
        let page = browser.get(CODE_PAGE).await.text();
        let wrong = ann.app.wrong_code(app.app().now());
        let values = [("code", &*wrong)];
        let tries = (0..20).map(|_| browser.send_form(&page, CODE_PAGE, &values));
        let responses = join_all(tries).await;
        let again = responses.iter().filter(|response| response.text().contains("code is wrong"));
        assert!(again.count() <= 4);
        assert!(responses.iter().all(|response| response.status == 422));
        assert_eq!(browser.get(CODE_PAGE).await.status, 302);
    }

    async fn a_sign_in_waits_for_ten_minutes(app: &TestApp) {
        let ann = app.guarded("ann").await;
        let browser = app.waiting("ann").await;
        app.advance(Duration::from_secs(590));
        let page = browser.get(CODE_PAGE).await.text();
        app.advance(Duration::from_secs(10));
        assert_eq!(browser.get(CODE_PAGE).await.status, 302);
        let code = ann.app.code(app.app().now());
        let late = browser.send_form(&page, CODE_PAGE, &[("code", &code)]).await;
        assert!(late.status == 422 && late.text().contains("Sign in again"), "{late:?}");
        assert!(!browser.is_signed_in().await);
    }

    async fn a_sign_in_belongs_to_its_browser(app: &TestApp) {
        let ann = app.guarded("ann").await;
        let browser = app.waiting("ann").await;
        let page = browser.get(CODE_PAGE).await.text();
        let code = app.next_code(&ann.app);
        let stranger = app.browser();
        let sign_in_page = stranger.get("/auth/sign_in").await.text();
        assert_eq!(stranger.get(CODE_PAGE).await.status, 302);
        // Neither the form of the other browser nor an own one helps.
        let foreign = stranger.send_form(&page, CODE_PAGE, &[("code", &code)]).await;
        assert_eq!(foreign.status, 403);
        let mut form = oauth::hidden_fields(&sign_in_page, "/auth/sign_in");
        form.push(("code".to_owned(), code.clone()));
        let own = stranger.form(CODE_PAGE, &form).await;
        assert!(own.status == 422 && !stranger.is_signed_in().await, "{own:?}");
        assert_eq!(app.anonymous().form(CODE_PAGE, &[("code", &code)]).await.status, 403);
        assert_eq!(browser.enter_code(&code).await.status, 302);
    }

    async fn the_code_replaces_a_former_session(app: &TestApp) {
        let ann = app.guarded("ann").await;
        let browser = app.browser();
        app.user("bob").await;
        sign_in(&browser, "bob", PASSWORD).await;
        sign_in(&browser, "ann", PASSWORD).await;
        assert!(browser.get("/settings/account").await.text().contains("bob@example.com"));
        assert_eq!(browser.enter_code(&app.next_code(&ann.app)).await.status, 302);
        assert!(browser.get("/settings/account").await.text().contains("ann@example.com"));
    }

    async fn an_application_gets_its_code_after_both_steps(app: &TestApp) {
        let ann = app.guarded("ann").await;
        let client = register(app, "read write").await;
        let address = client.authorize(&[("state", "a b&c"), ("force_login", "true")]);
        let browser = app.browser();
        let response = browser.get(&address).await;
        let page = browser.get(response.header("location").unwrap()).await;
        let response = sign_in_at(&browser, &page, "ann", PASSWORD).await;
        let second = response.header("location").unwrap().to_owned();
        assert!(second.contains("/auth/second_factor?return_to="), "{second}");
        let page = browser.get(&second).await;
        let wrong = ann.app.wrong_code(app.app().now());
        let refused = browser.send_form(&page.text(), CODE_PAGE, &[("code", &wrong)]).await;
        assert_eq!(refused.status, 422);
        let code = app.next_code(&ann.app);
        let response = browser.send_form(&refused.text(), CODE_PAGE, &[("code", &code)]).await;
        let consent = response.header("location").unwrap().to_owned();
        assert!(consent.contains("/oauth/authorize?"), "{consent}");
        let consent = consent.strip_prefix(app.base_url()).unwrap();
        let agreed = decide(&browser, consent, "agree").await;
        let back = agreed.header("location").unwrap();
        assert!(back.starts_with(BACK), "{back}");
        assert_eq!(parameter(back, "state").as_deref(), Some("a b&c"));
        let code = parameter(back, "code").unwrap();
        let grant =
            [("grant_type", "authorization_code"), ("code", &*code), ("redirect_uri", BACK)];
        let token = client.token(&app.anonymous(), &grant).await.ok();
        let person = app.with_token(&oauth::text(&token, "access_token"));
        assert_eq!(person.get("/api/v1/accounts/verify_credentials").await.ok()["username"], "ann");
    }

    async fn without_a_password_the_page_leads_to_sign_in(app: &TestApp) {
        let browser = app.browser();
        let response = browser.get("/auth/second_factor?return_to=/settings/sessions").await;
        assert_eq!(response.status, 302);
        let page = browser.get(response.header("location").unwrap()).await;
        assert!(link(&page, "/auth/password/new").contains("return_to"), "{page:?}");
        let response = browser.get("/auth/second_factor?return_to=https://evil.example/").await;
        let expected = format!("{}/auth/sign_in", app.base_url());
        assert_eq!(response.header("location"), Some(&*expected));
    }

    async fn a_new_password_ends_sign_ins_that_wait(app: &TestApp) {
        let ann = app.guarded("ann").await;
        let attacker = app.waiting("ann").await;
        let values = [("current_password", PASSWORD), ("password", NEW)];
        assert_eq!(send(&ann.browser, "/settings/password", &values).await.status, 302);
        assert_eq!(attacker.get(CODE_PAGE).await.status, 302);
        // The second factor stays.
        let browser = app.browser();
        sign_in(&browser, "ann", NEW).await;
        assert!(!browser.is_signed_in().await);
        assert_eq!(browser.enter_code(&app.next_code(&ann.app)).await.status, 302);
        let account = ann.user.id.parse().unwrap();
        let password = tokio::task::spawn_blocking(|| NewPassword::new("third password")).await;
        let password = password.unwrap().unwrap();
        app.app().write(move |tx| accounts::set_password(tx, account, &password)).await.unwrap();
        assert!(!browser.is_signed_in().await);
        let browser = app.browser();
        sign_in(&browser, "ann", "third password").await;
        assert_eq!(browser.enter_code(&app.next_code(&ann.app)).await.status, 302);
    }

    async fn a_person_who_is_disabled_between_the_steps_is_not_signed_in(app: &TestApp) {
        let ann = app.guarded("ann").await;
        let browser = app.waiting("ann").await;
        let account = ann.user.id.parse().unwrap();
        app.app()
            .write(move |tx| accounts::decide(tx, account, Decision::Disabled(true)))
            .await
            .unwrap();
        browser.enter_code(&app.next_code(&ann.app)).await;
        assert!(!browser.is_signed_in().await);
        // A disabled person needs the code, too, to see the decisions of the moderators.
        let browser = app.waiting("ann").await;
        assert_eq!(browser.get("/disputes/strikes").await.status, 302);
        assert_eq!(browser.enter_code(&app.next_code(&ann.app)).await.status, 302);
        assert_eq!(browser.get("/disputes/strikes").await.status, 200);
        assert!(!browser.is_signed_in().await);
    }
}

fn with_passwords(config: &mut siskin_server::Config) {
    config.fixed_settings.push(("oauth_password_grant".to_owned(), "true".to_owned()));
}

both_engines! {
    fn the_password_grant_is_refused(database: &TestDatabase) {
        run(database, with_passwords, async |app: &TestApp| {
            let ann = app.guarded("ann").await;
            let client = register(app, "read write").await;
            let anonymous = app.anonymous();
            let error = async |password: &str| {
                let grant = [("grant_type", "password"), ("username", "ann"), ("password", password)];
                let refused = client.token(&anonymous, &grant).await.expect(400);
                assert_eq!(refused["error"], "invalid_grant");
                refused["error_description"].as_str().unwrap().to_owned()
            };
            assert!(error(PASSWORD).await.contains("second factor"));
            assert!(!error("wrong").await.contains("second factor"));
            ann.browser.send_with_password("disable").await;
            let grant = [("grant_type", "password"), ("username", "ann"), ("password", PASSWORD)];
            client.token(&anonymous, &grant).await.ok();
        });
    }
}
