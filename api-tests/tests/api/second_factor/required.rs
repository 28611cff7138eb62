//! The setting `second_factor.required_for`.

use siskin_test_support::{both_engines, builders::PASSWORD};

use crate::{
    oauth::{decide, hidden_fields, register, sign_in, sign_in_at, signed_in},
    support::{
        Client, TestApp, run,
        second_factors::{Authenticator, CODE_PAGE, SETTINGS},
    },
};

async fn require(app: &TestApp, value: &str) {
    app.app().change_setting("second_factor.required_for".into(), value.into()).await.unwrap();
}

/// Returns where a page leads, without the address of the server. Empty if it is shown.
async fn leads(app: &TestApp, browser: &Client, path: &str) -> String {
    let location = browser.get(path).await.header("location").map(str::to_owned);
    location.map_or_else(String::new, |location| {
        location.strip_prefix(app.base_url()).unwrap().to_owned()
    })
}

api_tests! {
    async fn people_it_is_required_for_are_led_to_the_setup(app: &TestApp) {
        let ann = app.user("ann").await;
        let browser = app.browser();
        require(app, "all").await;
        let page = browser.get("/settings/account").await;
        let page = browser.get(page.header("location").unwrap()).await;
        let response = sign_in_at(&browser, &page, "ann", PASSWORD).await;
        let setup = response.header("location").unwrap().to_owned();
        assert_eq!(
            setup,
            format!("{}{SETTINGS}?return_to=%2Fsettings%2Faccount", app.base_url())
        );
        for path in ["/settings/profile", "/settings/sessions", "/settings/writing?x=1"] {
            let led = leads(app, &browser, path).await;
            assert!(led.starts_with(&format!("{SETTINGS}?return_to=%2Fsettings")), "{path}: {led}");
        }
        let page = browser.get(&setup).await;
        assert_eq!(page.status, 200, "{page:?}");
        assert!(page.text().contains("requires a second factor"), "{page:?}");
        // A form of another page is not accepted either.
        let mut form = hidden_fields(&page.text(), "/settings/second-factor/setup");
        form.push(("current_password".to_owned(), PASSWORD.to_owned()));
        form.push(("password".to_owned(), "battery staple".to_owned()));
        let refused = browser.form("/settings/password", &form).await;
        assert!(refused.status == 302 && refused.header("location").unwrap().contains(SETTINGS));
        // Access tokens keep working.
        ann.credentials().await.ok();

        let action = "/settings/second-factor/setup";
        let values = [("current_password", PASSWORD)];
        let setup = browser.send_form(&page.text(), action, &values).await;
        let phone = Authenticator::of_page(&setup.text());
        let done = browser.confirm_setup(&setup, &phone.code(app.app().now())).await;
        assert!(done.text().contains("href=\"/settings/account\""), "{done:?}");
        assert_eq!(leads(app, &browser, "/settings/account").await, "");
        assert!(!browser.get(SETTINGS).await.text().contains("requires a second factor"));
        // A person who removes it is led to the setup again.
        browser.send_with_password("disable").await;
        assert!(leads(app, &browser, "/settings/account").await.starts_with(SETTINGS));
    }

    async fn applications_are_authorized_after_the_setup(app: &TestApp) {
        let browser = signed_in(app, "ann").await;
        let client = register(app, "read write").await;
        let address = client.authorize(&[("state", "x")]);
        let consent = browser.get(&address).await.text();
        require(app, "all").await;
        let led = leads(app, &browser, &address).await;
        assert!(led.starts_with(&format!("{SETTINGS}?return_to=%2Foauth%2Fauthorize")), "{led}");
        // The consent page was open before.
        let mut form = hidden_fields(&consent, "/oauth/authorize");
        form.push(("decision".to_owned(), "agree".to_owned()));
        let refused = browser.form("/oauth/authorize", &form).await;
        assert!(refused.header("location").unwrap().ends_with(SETTINGS), "{refused:?}");
        app.guard(&browser).await;
        assert_eq!(decide(&browser, &address, "agree").await.status, 302);
    }

    async fn staff_alone_can_need_one(app: &TestApp) {
        let boss = app.staff("boss", "Owner").await;
        app.user("ann").await;
        let (of_boss, of_ann) = (app.browser(), app.browser());
        sign_in(&of_boss, "boss", PASSWORD).await;
        sign_in(&of_ann, "ann", PASSWORD).await;
        assert_eq!(leads(app, &of_boss, "/admin").await, "");
        require(app, "staff").await;
        assert_eq!(leads(app, &of_ann, "/settings/profile").await, "");
        for path in ["/settings/profile", "/admin"] {
            assert!(leads(app, &of_boss, path).await.starts_with(SETTINGS), "{path}");
        }
        // Scripts that use the session are refused, tokens are not.
        let by_script = async |browser: &Client| {
            let page = browser.get(SETTINGS).await.text();
            let token = page.split("<meta name=\"csrf-token\" content=\"").nth(1).unwrap();
            let token = token.split('"').next().unwrap().to_owned();
            let request = browser.request(reqwest::Method::GET, "/api/v1/admin/accounts");
            browser.send(request.header("x-csrf-token", token)).await
        };
        let refused = by_script(&of_boss).await.expect(403);
        assert_eq!(refused["error"], "This account needs a second factor: set it up first");
        boss.get("/api/v1/admin/accounts").await.ok();
        app.guard(&of_boss).await;
        by_script(&of_boss).await.ok();
        assert_eq!(leads(app, &of_boss, "/admin").await, "");
        // Who loses the role does not need it any more, and a new member of staff does.
        app.give_role(&app.user("eve").await, Some("Moderator")).await;
        let of_eve = app.browser();
        let response = sign_in(&of_eve, "eve", PASSWORD).await;
        assert!(response.header("location").unwrap().ends_with(SETTINGS), "{response:?}");
    }

    async fn people_can_sign_out_before_the_setup(app: &TestApp) {
        let browser = signed_in(app, "ann").await;
        require(app, "all").await;
        let page = browser.get(SETTINGS).await.text();
        let response = browser.send_form(&page, "/auth/sign_out", &[]).await;
        assert_eq!(response.status, 302);
        assert_eq!(leads(app, &browser, SETTINGS).await, "/auth/sign_in");
        require(app, "none").await;
        sign_in(&browser, "ann", PASSWORD).await;
        assert_eq!(leads(app, &browser, "/settings/profile").await, "");
    }

    async fn people_with_a_second_factor_notice_nothing(app: &TestApp) {
        let ann = app.guarded("ann").await;
        require(app, "all").await;
        let browser = app.waiting("ann").await;
        let response = browser.enter_code(&app.next_code(&ann.app)).await;
        assert_eq!(response.header("location"), Some(format!("{}/", app.base_url()).as_str()));
        assert_eq!(browser.get(CODE_PAGE).await.status, 302);
        assert!(browser.is_signed_in().await);
        let changed = app.app().change_setting("second_factor.required_for".into(), "some".into());
        assert!(changed.await.is_err());
    }
}

fn with_passwords(config: &mut siskin_server::Config) {
    config.fixed_settings.push(("oauth_password_grant".to_owned(), "true".to_owned()));
}

both_engines! {
    fn the_password_grant_waits_for_the_setup(database: &TestDatabase) {
        run(database, with_passwords, async |app: &TestApp| {
            app.user("ann").await;
            app.staff("boss", "Owner").await;
            let client = register(app, "read write").await;
            let anonymous = app.anonymous();
            let statuses = async || {
                let mut statuses = Vec::new();
                for username in ["ann", "boss"] {
                    let grant = [
                        ("grant_type", "password"), ("username", username), ("password", PASSWORD),
                    ];
                    statuses.push(client.token(&anonymous, &grant).await.status);
                }
                statuses
            };
            assert_eq!(statuses().await, [200, 200]);
            require(app, "staff").await;
            assert_eq!(statuses().await, [200, 400]);
            require(app, "all").await;
            assert_eq!(statuses().await, [400, 400]);
        });
    }
}
