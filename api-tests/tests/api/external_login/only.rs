//! The setting `external_only`, and servers with several providers.

use siskin_entities::Actor;
use siskin_persistence::{Tx, external_identities};
use siskin_services::{
    accounts::{self, Decision},
    settings::SettingChange,
};
use siskin_test_support::{both_engines, builders::PASSWORD};

use super::assert_page;
use crate::{
    oauth::{decide, hidden_fields, link, register, sign_in, signed_in},
    support::{
        TestApp,
        providers::{Provider, SIGN_UP, with_provider, with_provider_and},
        second_factors::CODE_PAGE,
    },
};

const START: &str = "/auth/external/main";

async fn switch_on(app: &TestApp) {
    app.app().change_setting("external_only".into(), "true".into()).await.unwrap();
}

api_tests! {
    async fn it_needs_a_provider(app: &TestApp) {
        for (key, value) in [("external_only", "true"), ("registrations", "external")] {
            let refused = app.app().change_setting(key.into(), value.into()).await.unwrap_err();
            assert!(refused.to_string().contains("requires a sign-in provider"), "{refused}");
        }
        assert_eq!(app.browser().get("/auth/external/main").await.status, 404);
        let page = app.browser().get("/auth/sign_in").await.text();
        assert!(!page.contains("/auth/external/"), "{page}");
        let browser = signed_in(app, "ann").await;
        assert!(!browser.get("/settings/profile").await.text().contains("external-logins"));
    }
}

both_engines! {
    fn staff_who_switch_it_on_keep_a_way_to_sign_in(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            let owner = app.linked(provider, "ann").await;
            app.give_role(&owner, Some("Owner")).await;
            let other = app.staff("bob", "Owner").await;
            let change = async |account: &str| {
                let actor = Actor::Staff(account.parse().unwrap());
                let values = vec![SettingChange::to("external_only", "true")];
                app.app().change_settings(actor, values).await
            };
            let refused = change(&other.id).await.unwrap_err();
            assert!(refused.to_string().contains("link it to your account first"), "{refused}");
            assert!(!app.app().settings().external_only);
            change(&owner.id).await.unwrap();
            assert!(app.app().settings().external_only);
        });
    }

    fn staff_cannot_lock_the_owners_out(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            let owner = app.staff("olga", "Owner").await;
            let admin = app.linked(provider, "ada").await;
            app.give_role(&admin, Some("Admin")).await;
            let change = async || {
                let actor = Actor::Staff(admin.id.parse().unwrap());
                let values = vec![SettingChange::to("external_only", "true")];
                app.app().change_settings(actor, values).await
            };
            let refused = change().await.unwrap_err();
            assert!(refused.to_string().contains("no owner of this server"), "{refused}");
            // A login at a provider that is not configured any more is of no use.
            let login = async |account: &str, issuer: String| {
                let account = account.parse().unwrap();
                let link = move |tx: &mut Tx<'_>| {
                    Ok(external_identities::insert(tx, account, &issuer, "id-of-olga")?)
                };
                assert!(app.app().write(link).await.unwrap());
            };
            login(&owner.id, "https://gone.example".to_owned()).await;
            let refused = change().await.unwrap_err();
            assert!(refused.to_string().contains("no owner of this server"), "{refused}");
            login(&owner.id, provider.issuer()).await;
            let account = owner.id.parse().unwrap();
            app.staff("otto", "Owner").await;
            let decide = async |is_disabled| {
                let decision = Decision::Disabled(is_disabled);
                app.app().write(move |tx| accounts::decide(tx, account, decision)).await.unwrap();
            };
            decide(true).await;
            let refused = change().await.unwrap_err();
            assert!(refused.to_string().contains("no owner of this server"), "{refused}");
            decide(false).await;
            change().await.unwrap();
            assert!(app.app().settings().external_only);
        });
    }

    fn a_login_at_a_former_provider_does_not_count(database: &TestDatabase) {
        with_provider(database, async |app, _| {
            let owner = app.staff("olga", "Owner").await;
            let account = owner.id.parse().unwrap();
            let link = move |tx: &mut Tx<'_>| {
                Ok(external_identities::insert(tx, account, "https://gone.example", "7")?)
            };
            assert!(app.app().write(link).await.unwrap());
            let values = vec![SettingChange::to("external_only", "true")];
            let refused = app.app().change_settings(Actor::Staff(account), values).await.unwrap_err();
            assert!(refused.to_string().contains("link it to your account first"), "{refused}");
            assert!(!app.app().settings().external_only);
        });
    }

    fn the_links_lead_to_the_only_provider(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            app.store_setting("registrations", "open").await;
            switch_on(app).await;
            let front = app.anonymous().get("/").await.text();
            assert!(front.contains(&format!("href=\"{START}\"")), "{front}");
            assert!(!front.contains("/auth/sign_in\"") && !front.contains("/auth/sign_up"), "{front}");
            let page = app.anonymous().get("/auth/sign_in?return_to=/about").await;
            let there = format!("{}{START}?return_to=%2Fabout", app.base_url());
            assert_eq!((page.status, page.header("location")), (302, Some(&*there)));
            // An application gets its consent page, without a stop in between.
            let (client, browser) = (register(app, "read write").await, app.browser());
            let mut page = browser.get(&client.authorize(&[])).await;
            while !page.header("location").unwrap().starts_with(&provider.issuer()) {
                page = browser.get(page.header("location").unwrap()).await;
            }
            let back = browser.get(&provider.agree(page.header("location").unwrap())).await;
            let consent = back.header("location").unwrap().strip_prefix(app.base_url()).unwrap();
            assert_eq!(decide(&browser, consent, "agree").await.status, 302);
        });
    }

    fn passwords_are_of_no_use(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            app.store_setting("oauth_password_grant", "true").await;
            let (browser, client) = (app.browser(), register(app, "read").await);
            let sign_in_page = browser.get("/auth/sign_in").await;
            let before = app.browser();
            sign_in(&before, "ann", PASSWORD).await;
            switch_on(app).await;

            let response = crate::oauth::sign_in_at(&browser, &sign_in_page, "ann", PASSWORD).await;
            assert_page(&response, 403, "This server has no passwords");
            assert!(response.text().contains(&format!("href=\"{START}\"")), "{response:?}");
            assert!(!response.text().contains("type=\"password\""), "{response:?}");
            let mut form = hidden_fields(&sign_in_page.text(), "/auth/sign_in");
            form.push(("email".to_owned(), "ann@example.com".to_owned()));
            let sent = browser.form("/auth/password/new", &form).await;
            assert_page(&sent, 403, "This server has no passwords");
            for path in ["/auth/password/new", "/auth/password/edit?reset_password_token=x"] {
                assert_page(&browser.get(path).await, 403, "This server has no passwords");
            }
            form.push(("password".to_owned(), "battery staple".to_owned()));
            assert_eq!(browser.form("/auth/password/edit", &form).await.status, 403);
            let grant = [("grant_type", "password"), ("username", "ann"), ("password", PASSWORD)];
            let refused = client.token(&app.anonymous(), &grant).await.expect(400);
            assert_eq!(refused["error"], "unsupported_grant_type");
            let metadata = app.anonymous().get("/.well-known/oauth-authorization-server").await.ok();
            let grants = metadata["grant_types_supported"].as_array().unwrap();
            assert!(!grants.iter().any(|grant| grant == "password"), "{metadata}");
            // Sessions from before stay, but their password changes no more.
            assert!(before.is_signed_in().await);
            let page = before.get("/settings/account").await.text();
            assert!(!page.contains("id=\"old_password\""), "{page}");

            app.app().change_setting("external_only".into(), "false".into()).await.unwrap();
            assert_eq!(sign_in(&app.browser(), "ann", PASSWORD).await.status, 302);
        });
    }

    fn a_password_does_not_wait_for_a_code_any_more(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            let browser = app.browser();
            sign_in(&browser, "ann", PASSWORD).await;
            let (phone, _) = app.guard(&browser).await;
            let by_password = app.waiting("ann").await;
            let page = by_password.get(CODE_PAGE).await.text();
            let by_provider = app.browser();
            let back = by_provider.sign_in_at(provider).await;
            assert!(back.header("location").unwrap().ends_with(CODE_PAGE), "{back:?}");
            switch_on(app).await;
            let values = [("code", &*app.next_code(&phone))];
            let ended = by_password.send_form(&page, CODE_PAGE, &values).await;
            assert_page(&ended, 422, "Sign in again");
            assert!(!by_password.is_signed_in().await);
            assert_eq!(by_password.get(CODE_PAGE).await.status, 302);
            let code = app.next_code(&phone);
            assert_eq!(by_provider.enter_code(&code).await.status, 302);
            assert!(by_provider.is_signed_in().await);
        });
    }

    fn only_the_provider_creates_accounts(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            let application = app.open_registrations().await;
            let (visitor, invited) = (app.browser(), app.staff("boss", "Owner").await);
            let form = visitor.get("/auth/sign_up").await.text();
            switch_on(app).await;
            for mode in ["open", "approval", "none", "external"] {
                app.store_setting("registrations", mode).await;
                application.sign_up("eve", "eve@example.com").await.expect(403);
                let instance = app.anonymous().get("/api/v2/instance").await.ok();
                assert_eq!(instance["registrations"]["enabled"], false, "{mode}");
                let v1 = app.anonymous().get("/api/v1/instance").await.ok();
                assert_eq!(v1["registrations"], false, "{mode}");
                let sent = visitor.send_form(&form, "/auth/sign_up", &[("username", "eve")]).await;
                assert_eq!(sent.status, 403, "{mode}");
                let page = visitor.get("/auth/sign_up").await.text();
                assert!(!page.contains("name=\"password\""), "{mode}: {page}");
                assert!(page.contains("created by its sign-in provider"), "{mode}: {page}");
            }
            let invite = invited.post("/api/v1/invites").await.ok();
            let code = invite["code"].as_str().unwrap();
            let page = visitor.get(&format!("/auth/sign_up?invite_code={code}")).await.text();
            assert!(!page.contains("name=\"password\""), "{page}");
            // The sign-up by the provider does not depend on the registrations, but on the approval.
            for (mode, name, status) in [("none", "ann", 302), ("approval", "cat", 200)] {
                app.store_setting("registrations", mode).await;
                provider.sign_in_as(name);
                let browser = app.browser();
                browser.sign_in_at(provider).await;
                let page = browser.get(SIGN_UP).await;
                assert!(!page.text().contains("with its password"), "{page:?}");
                let created = browser.send_sign_up(&page, &[("username", name)]).await;
                assert_eq!(created.status, status, "{created:?}");
                assert!(app.is_linked(provider, name).await);
            }
            assert!(!app.has_user("eve").await);
        });
    }

    fn an_account_without_the_login_needs_the_staff(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.user("ann").await;
            switch_on(app).await;
            provider.tell(serde_json::json!({
                "sub": "7", "email": "ann@example.com", "email_verified": true,
            }));
            let page = app.browser().sign_in_at(provider).await;
            assert_page(&page, 409, "An account on this server has your email address");
            assert!(page.text().contains("The staff of this server can help you"), "{page:?}");
            assert!(app.logins("ann").await.is_empty());
        });
    }

    fn several_providers_are_offered(database: &TestDatabase) {
        let second = Provider::start("second");
        let configure = second.config();
        with_provider_and(database, |config, _| config.external_logins.push(configure), async |app, provider| {
            app.linked(provider, "ann").await;
            switch_on(app).await;
            assert!(app.anonymous().get("/").await.text().contains("href=\"/auth/sign_in\""));
            let page = app.browser().get("/auth/sign_in?return_to=/about").await;
            assert_page(&page, 200, "Continue with The main provider");
            assert!(page.text().contains("Continue with The second provider"), "{page:?}");
            assert!(!page.text().contains("type=\"password\""), "{page:?}");
            for id in ["main", "second"] {
                let path = format!("/auth/external/{id}");
                assert_eq!(link(&page, &path), format!("{path}?return_to=%2Fabout"));
            }
            // The same name at another provider is another person.
            second.sign_in_as("ann");
            let other = app.browser();
            let back = other.sign_in_at(&second).await;
            assert!(back.header("location").unwrap().ends_with(SIGN_UP), "{back:?}");
            // An answer counts only for the provider that was asked.
            let browser = app.browser();
            let back = provider.agree(&browser.leave_for(START).await);
            let mixed = back.replace("/external/main/", "/external/second/");
            assert_page(&browser.get(&mixed).await, 400, "This sign-in is over");
            assert_eq!(second.requests("/token"), 1);
        });
    }
}
