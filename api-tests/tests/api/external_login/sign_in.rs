//! Sign-in with a login that belongs to an account, and what can go wrong on the way.

use std::time::Duration;

use siskin_services::accounts::Decision;
use siskin_test_support::{both_engines, builders::PASSWORD};

use super::assert_page;
use crate::{
    disputes::decide as restrict,
    oauth::{BACK, decide, link, parameter, query, register, sign_in, text},
    support::{
        Response,
        providers::{LOGINS, with_provider, with_provider_and},
        second_factors::CODE_PAGE,
    },
};

const START: &str = "/auth/external/main";
const CALLBACK: &str = "/auth/external/main/callback";
/// The provider remembers for this time that a request failed.
const PAUSE: Duration = Duration::from_secs(6);

/// Returns the address to which a response leads.
fn location(response: &Response) -> &str {
    assert_eq!(response.status, 302, "{response:?}");
    response.header("location").unwrap()
}

both_engines! {
    fn a_linked_login_signs_in_without_a_password(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            let before = app.logins("ann").await;
            app.advance(Duration::from_secs(60));
            let browser = app.browser();
            let front = browser.sign_in_at(provider).await;
            assert_eq!(location(&front), format!("{}/", app.base_url()));
            assert!(browser.get("/").await.text().contains("@ann"));
            // It is a session as any other.
            let sessions = browser.get("/settings/sessions").await.text();
            assert_eq!(sessions.matches("/end\" method=\"post\"").count(), 2, "{sessions}");
            let after = app.logins("ann").await;
            assert_eq!(after.len(), 1);
            assert_eq!(after[0].linked_at, before[0].linked_at);
            assert!(after[0].last_used_at > before[0].last_used_at, "{after:?}");
            // The password works as before.
            assert_eq!(sign_in(&app.browser(), "ann", PASSWORD).await.status, 302);
        });
    }

    fn the_browser_leaves_with_everything_that_the_protocol_needs(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            let (browser, other) = (app.browser(), app.browser());
            let left = browser.get(START).await;
            let address = location(&left);
            assert!(address.starts_with(&format!("{}/authorize?", provider.issuer())), "{address}");
            let callback = format!("{}{CALLBACK}", app.base_url());
            for (name, value) in [
                ("response_type", "code"), ("client_id", "siskin"), ("redirect_uri", &*callback),
                ("scope", "openid profile email"), ("code_challenge_method", "S256"),
            ] {
                assert_eq!(parameter(address, name).as_deref(), Some(value), "{address}");
            }
            assert_eq!(parameter(address, "prompt"), None);
            let second = other.leave_for(START).await;
            for name in ["state", "nonce", "code_challenge"] {
                let (one, two) = (parameter(address, name).unwrap(), parameter(&second, name).unwrap());
                assert!(one.len() >= 22 && one != two, "{name}: {one} {two}");
            }
            let cookie = left.header("set-cookie").unwrap();
            for part in ["siskin_external=", "HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=1800"] {
                assert!(cookie.contains(part), "{cookie}");
            }
            // The cookie reveals nothing of what the browser must not know.
            for name in ["state", "nonce", "code_challenge"] {
                assert!(!cookie.contains(&parameter(address, name).unwrap()), "{name}: {cookie}");
            }
            assert_eq!(left.header("cache-control"), Some("private, no-store"));
        });
    }

    fn a_sign_in_continues_the_authorization_of_an_application(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            let (client, browser) = (register(app, "read write").await, app.browser());
            let asked = browser.get(&client.authorize(&[("state", "a b&c")])).await;
            assert!(location(&asked).contains("/auth/sign_in"), "{asked:?}");
            let page = browser.get("/auth/sign_in").await;
            assert!(page.text().contains("Continue with The main provider"), "{page:?}");
            let back = browser.sign_in_by(provider, &link(&page, START)).await;
            let consent = location(&back).strip_prefix(app.base_url()).unwrap();
            assert!(consent.starts_with("/oauth/authorize?"), "{consent}");
            let agreed = decide(&browser, consent, "agree").await;
            let back = location(&agreed);
            assert!(back.starts_with(BACK), "{back}");
            assert_eq!(parameter(back, "state").as_deref(), Some("a b&c"));
            let code = parameter(back, "code").unwrap();
            let grant =
                [("grant_type", "authorization_code"), ("code", &*code), ("redirect_uri", BACK)];
            let token = client.token(&app.anonymous(), &grant).await.ok();
            let person = app.with_token(&text(&token, "access_token"));
            let own = person.get("/api/v1/accounts/verify_credentials").await.ok();
            assert_eq!(own["username"], "ann");
        });
    }

    fn a_sign_in_leads_only_to_pages_of_this_server(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            for (wanted, shown) in [
                ("/settings/profile?a=b", "/settings/profile?a=b"),
                ("https://evil.example/", "/"),
                ("//evil.example/", "/"),
                ("/\\evil.example/", "/"),
            ] {
                let wanted: String = wanted.bytes().map(|byte| format!("%{byte:02x}")).collect();
                let path = format!("{START}?return_to={wanted}");
                let back = app.browser().sign_in_by(provider, &path).await;
                assert_eq!(location(&back), format!("{}{shown}", app.base_url()), "{wanted}");
            }
            // A page with a very long address does not fit into the cookie.
            let long = format!("/settings/profile?{}", "x".repeat(5000));
            let back = app.browser().sign_in_by(provider, &format!("{START}?return_to={long}")).await;
            assert_eq!(location(&back), format!("{}/", app.base_url()));
        });
    }

    fn the_second_factor_is_asked_for_as_after_the_password(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            let first = app.browser();
            first.sign_in_at(provider).await;
            let (authenticator, _) = app.guard(&first).await;
            let browser = app.browser();
            let path = format!("{START}?return_to=/settings/profile");
            let asked = browser.sign_in_by(provider, &path).await;
            let second = location(&asked).to_owned();
            assert!(second.contains(&format!("{CODE_PAGE}?return_to=")), "{second}");
            assert!(!browser.is_signed_in().await);
            let page = browser.get(&second).await.text();
            let wrong = authenticator.wrong_code(app.app().now());
            let refused = browser.send_form(&page, CODE_PAGE, &[("code", &wrong)]).await;
            assert_eq!(refused.status, 422);
            let code = app.next_code(&authenticator);
            let done = browser.send_form(&refused.text(), CODE_PAGE, &[("code", &code)]).await;
            assert_eq!(location(&done), format!("{}/settings/profile", app.base_url()));
            assert!(browser.is_signed_in().await);
        });
    }

    fn people_who_may_not_act_get_a_restricted_session(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            for (name, decision) in
                [("ann", Decision::Suspended(true)), ("bob", Decision::Disabled(true))]
            {
                let user = app.linked(provider, name).await;
                restrict(app, &user, decision).await;
                let browser = app.browser();
                let back = browser.sign_in_at(provider).await;
                assert_eq!(location(&back), format!("{}/disputes/strikes", app.base_url()));
                assert_eq!(browser.get("/disputes/strikes").await.status, 200);
                assert!(!browser.is_signed_in().await);
                assert_eq!(browser.get(LOGINS).await.status, 302);
                // The login stays, so that it gets no other account.
                assert!(app.is_linked(provider, name).await);
            }
        });
    }

    fn a_deleted_account_leaves_its_login_free(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            let browser = app.browser();
            browser.sign_in_at(provider).await;
            let deletion = "/settings/delete-account";
            let page = browser.get(deletion).await.text();
            let gone = browser.send_form(&page, deletion, &[("current_password", PASSWORD)]).await;
            assert_eq!(gone.status, 200, "{gone:?}");
            // Also before the jobs have removed the account.
            let refused = app.browser().sign_in_at(provider).await;
            assert!(refused.status == 403, "{refused:?}");
            app.app().drain_jobs().await.unwrap();
            assert!(!app.is_linked(provider, "ann").await);
            app.store_setting("registrations", "open").await;
            let back = app.browser().sign_in_at(provider).await;
            assert_eq!(location(&back), format!("{}/auth/external_sign_up", app.base_url()));
        });
    }

    fn a_person_who_does_not_agree_is_not_signed_in(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            for (error, status, words) in [
                ("access_denied", 403, "The sign-in was cancelled"),
                ("server_error", 502, "reports an error"),
                ("temporarily_unavailable", 502, "reports an error"),
                ("interaction_required", 400, "The provider did not sign you in"),
                ("<script>", 400, "The provider did not sign you in"),
            ] {
                let browser = app.browser();
                let there = browser.leave_for(&format!("{START}?return_to=/settings/profile")).await;
                let page = browser.get(&provider.refuse(&there, error)).await;
                assert_page(&page, status, words);
                assert!(!browser.is_signed_in().await);
                // The link tries again and still leads to the same page.
                let back = browser.sign_in_by(provider, &link(&page, START)).await;
                assert_eq!(location(&back), format!("{}/settings/profile", app.base_url()));
            }
            assert_eq!(provider.requests("/token"), 6, "one for the link, and one for each success");
        });
    }

    fn only_the_browser_that_began_can_finish(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            let requests = provider.requests("/token");
            let (attacker, victim) = (app.browser(), app.browser());
            let back = provider.agree(&attacker.leave_for(START).await);
            // Without a sign-in of its own, with one of its own, and with a wrong state.
            for prepare in [false, true] {
                if prepare {
                    victim.leave_for(START).await;
                }
                let page = victim.get(&back).await;
                assert_page(&page, 400, "This sign-in is over");
                assert!(page.header("set-cookie").is_none(), "{page:?}");
            }
            for wrong in ["", "&state=", "&state=wrong"] {
                let page = victim.get(&format!("{CALLBACK}?code=code-1{wrong}")).await;
                assert_page(&page, 400, "This sign-in is over");
            }
            assert!(!victim.is_signed_in().await);
            assert_eq!(provider.requests("/token"), requests);
            // The sign-ins that were begun are still possible.
            assert_eq!(attacker.get(&back).await.status, 302);
            assert!(attacker.is_signed_in().await && !victim.is_signed_in().await);
        });
    }

    fn an_answer_counts_once(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            let requests = provider.requests("/token");
            let browser = app.browser();
            let back = provider.agree(&browser.leave_for(START).await);
            assert_eq!(browser.get(&back).await.status, 302);
            let again = browser.get(&back).await;
            assert_page(&again, 400, "This sign-in is over");
            assert_eq!(link(&again, START), START);
            assert_eq!(provider.requests("/token"), requests + 1);
            assert!(browser.is_signed_in().await);
        });
    }

    // The cookie of the sign-in was copied, so the provider has to refuse the code.
    fn a_code_counts_once(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            let left = app.anonymous().get(START).await;
            let cookie = left.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
            let back = provider.agree(location(&left));
            let answer = async || {
                let request = app.anonymous().request(reqwest::Method::GET, &back);
                app.anonymous().send(request.header("cookie", &cookie)).await
            };
            assert_eq!(answer().await.status, 302);
            assert_page(&answer().await, 400, "This sign-in was finished before, or took too long");
        });
    }

    fn a_sign_in_that_takes_too_long_is_over(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            let (early, late) = (app.browser(), app.browser());
            let (first, second) = (early.leave_for(START).await, late.leave_for(START).await);
            for (minutes, browser, there, status) in
                [(29, &early, first, 302), (2, &late, second, 400)]
            {
                app.advance(Duration::from_secs(60 * minutes));
                provider.advance(Duration::from_secs(60 * minutes));
                let page = browser.get(&provider.agree(&there)).await;
                assert_eq!(page.status, status, "{page:?}");
            }
        });
    }

    fn an_answer_in_the_name_of_another_provider_is_refused(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            let requests = provider.requests("/token");
            let browser = app.browser();
            let back = provider.agree(&browser.leave_for(START).await);
            let mut wrong = reqwest::Url::parse(&back).unwrap();
            let pairs = query(&back).into_iter().filter(|(name, _)| name != "iss");
            wrong.query_pairs_mut().clear().extend_pairs(pairs).append_pair("iss", "https://x.example");
            assert_page(&browser.get(wrong.as_str()).await, 400, "no answer of The main provider");
            let back = provider.agree(&browser.leave_for(START).await);
            let no_code = browser.get(&back.replace("code=", "other=")).await;
            assert_page(&no_code, 400, "no answer of The main provider");
            assert_eq!(provider.requests("/token"), requests);
            assert!(!browser.is_signed_in().await);
        });
    }

    fn a_provider_that_is_down_is_tried_again_later(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            // The server started and knows nothing of the provider yet.
            provider.be_down(true);
            let browser = app.browser();
            let page = browser.get(&format!("{START}?return_to=/about&invite_code=x")).await;
            assert_page(&page, 502, "The sign-in provider does not answer properly");
            let again = link(&page, START);
            assert_eq!(again, format!("{START}?return_to=%2Fabout&invite_code=x"));
            // It is not asked again at once.
            let metadata = "/.well-known/openid-configuration";
            let requests = provider.requests(metadata);
            assert_eq!(browser.get(START).await.status, 502);
            assert_eq!(provider.requests(metadata), requests);
            assert_eq!(browser.get("/auth/sign_in").await.status, 200);

            provider.be_down(false);
            app.advance(PAUSE);
            app.linked(provider, "ann").await;
            let there = browser.leave_for(START).await;
            let back = provider.agree(&there);
            provider.be_down(true);
            assert_page(&browser.get(&back).await, 502, "does not answer properly");
            // Its keys are still known, and people can leave for it.
            let there = browser.leave_for(START).await;
            provider.be_down(false);
            assert_eq!(browser.get(&provider.agree(&there)).await.status, 302);
        });
    }

    fn unknown_providers_do_not_exist(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            for path in ["/auth/external/other", "/auth/external/Main"] {
                assert_eq!(app.browser().get(path).await.status, 404, "{path}");
            }
            let browser = app.browser();
            let back = provider.agree(&browser.leave_for(START).await);
            let other = back.replace("/external/main/", "/external/other/");
            assert_page(&browser.get(&other).await, 400, "This sign-in is over");
        });
    }

    fn attempts_are_limited(database: &TestDatabase) {
        with_provider_and(database, |config, _| config.fixed_settings.clear(), async |app, provider| {
            let mut statuses = Vec::new();
            for _ in 0..60 {
                let browser = app.browser();
                let left = browser.get(START).await;
                if left.status != 302 {
                    break;
                }
                let status = browser.get(&provider.agree(location(&left))).await.status;
                statuses.push(status);
                if status == 429 {
                    break;
                }
            }
            assert_eq!(statuses.last(), Some(&429), "{statuses:?}");
            assert!(provider.requests("/token") < statuses.len(), "{statuses:?}");
        });
    }
}
