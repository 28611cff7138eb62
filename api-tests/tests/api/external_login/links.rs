//! `/settings/external-logins`: logins that people link to their accounts.

use futures_util::future::join;
use serde_json::json;
use siskin_ids::AccountId;
use siskin_persistence::{Conn, Tx};
use siskin_services::{
    moderation::{act::Decider, external_logins},
    second_factor::challenge::{self, OpenWays},
};
use siskin_test_support::{both_engines, builders::PASSWORD};

use super::{assert_page, with_provider_and_mail};
use crate::{
    oauth::{hidden_fields, sign_in, signed_in},
    support::{
        Client, Response, TestApp,
        providers::{LOGINS, Provider, address_on, with_provider, with_provider_and},
        second_factors::CODE_PAGE,
    },
};

const LINK: &str = "/settings/external-logins/main/link";
const UNLINK: &str = "/settings/external-logins/unlink";

/// Removes the login at the provider.
async fn unlink(browser: &Client, password: &str) -> Response {
    browser.send_external(LOGINS, UNLINK, &[("current_password", password)]).await
}

/// Begins to link a login. Returns the address at the provider.
async fn begin(browser: &Client) -> String {
    let values = [("current_password", PASSWORD)];
    address_on(&browser.send_external(LOGINS, LINK, &values).await)
}

/// Checks that a login was refused for this reason, and that the account has none.
async fn assert_refused(app: &TestApp, name: &str, page: &Response, status: u16, words: &str) {
    assert_page(page, status, words);
    assert!(app.logins(name).await.is_empty());
}

both_engines! {
    fn a_login_is_linked_and_removed_with_the_password(database: &TestDatabase) {
        with_provider_and_mail(database, async |app, provider, sink| {
            let browser = signed_in(app, "ann").await;
            let page = browser.get(LOGINS).await;
            assert_page(&page, 200, "Link a login at The main provider");
            assert!(browser.get("/settings/profile").await.text().contains(LOGINS));
            let leaving = browser.send_external(LOGINS, LINK, &[("current_password", PASSWORD)]).await;
            assert_page(&leaving, 200, "You are being led to The main provider");
            let linked = browser.get(&provider.agree(&address_on(&leaving))).await;
            let done = format!("{}{LOGINS}?done=linked", app.base_url());
            assert_eq!(linked.header("location"), Some(&*done), "{linked:?}");
            let page = browser.get(&done).await.text();
            assert!(page.contains("The login was linked") && page.contains("Remove the login at The main"));
            assert!(!page.contains("Link a login at"), "{page}");
            let mails = app.mails(sink, "ann@example.com").await;
            assert!(mails.len() == 1 && mails[0].text().contains("was linked"), "{mails:?}");

            assert_page(&unlink(&browser, "wrong").await, 422, "The password is wrong");
            let removed = unlink(&browser, PASSWORD).await;
            let done = format!("{}{LOGINS}?done=unlinked", app.base_url());
            assert_eq!(removed.header("location"), Some(&*done), "{removed:?}");
            assert!(app.logins("ann").await.is_empty());
            let mails = app.mails(sink, "ann@example.com").await;
            assert!(mails.len() == 2 && mails[1].text().contains("was removed"), "{mails:?}");
            assert_page(&app.browser().sign_in_at(provider).await, 403, "No account here");
        });
    }

    fn changes_need_the_password_and_a_csrf_token(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            let (browser, stranger) = (signed_in(app, "ann").await, app.browser());
            assert_eq!(stranger.get(LOGINS).await.status, 302);
            for action in [LINK, UNLINK, "/auth/external/main/prove"] {
                let values = [("current_password", PASSWORD), ("issuer", &*provider.issuer())];
                assert_eq!(stranger.form(action, &values).await.status, 403, "{action}");
                assert_eq!(browser.form(action, &values).await.status, 403, "{action}");
            }
            for wrong in ["", "wrong"] {
                let values = [("current_password", wrong)];
                let refused = browser.send_external(LOGINS, LINK, &values).await;
                assert_page(&refused, 422, "The password is wrong");
                assert!(refused.header("set-cookie").is_none(), "{refused:?}");
            }
            let mut form = hidden_fields(&browser.get(LOGINS).await.text(), LINK);
            form.push(("current_password".to_owned(), PASSWORD.to_owned()));
            let other = "/settings/external-logins/other/link";
            assert_eq!(browser.form(other, &form).await.status, 404);
            form.push(("issuer".to_owned(), provider.issuer()));
            assert_eq!(browser.form(UNLINK, &form).await.status, 404, "nothing is linked");
            assert_eq!(provider.requests("/token"), 0);
        });
    }

    fn a_login_belongs_to_one_account(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            let bob = signed_in(app, "bob").await;
            let refused = bob.link(provider, PASSWORD).await;
            assert_refused(app, "bob", &refused, 409, "belongs to another account here").await;
            // The sign-in still leads to the first account.
            let browser = app.browser();
            browser.sign_in_at(provider).await;
            assert!(browser.get("/").await.text().contains("@ann"));
        });
    }

    // A person with an account continued with the provider, and typed the address of the account.
    fn a_login_leaves_a_sign_up_that_was_not_confirmed(database: &TestDatabase) {
        with_provider_and_mail(database, async |app, provider, sink| {
            app.store_setting("registrations", "open").await;
            app.store_setting("email_confirmation", "true").await;
            app.user("ann").await;
            let email = "ann@example.com";
            provider.tell(json!({ "sub": "7", "email": email, "email_verified": false }));
            let browser = app.browser();
            browser.sign_in_at(provider).await;
            let sent = browser.finish_sign_up(&[("username", "annie"), ("email", email)]).await;
            assert_page(&sent, 200, "We sent you an email with a link");
            let mails = app.mails(sink, email).await;
            assert!(mails[0].text().contains("belongs to your account @ann,"), "{mails:?}");

            let browser = app.browser();
            assert_eq!(sign_in(&browser, "ann", PASSWORD).await.status, 302);
            let linked = browser.link(provider, PASSWORD).await;
            assert_eq!(linked.status, 302, "{linked:?}");
            assert_eq!(app.logins("ann").await.len(), 1);
            assert!(app.logins("annie").await.is_empty());
            let again = app.browser();
            again.sign_in_at(provider).await;
            assert!(again.get("/").await.text().contains("@ann"));
        });
    }

    fn an_account_has_one_login_of_a_provider(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            let browser = signed_in(app, "ann").await;
            let (first, page) = (begin(&browser).await, browser.get(LOGINS).await.text());
            assert_eq!(browser.get(&provider.agree(&first)).await.status, 302);
            // The page is still open in another tab.
            let again = async || {
                let values = [("current_password", PASSWORD)];
                let there = address_on(&browser.send_form(&page, LINK, &values).await);
                browser.get(&provider.agree(&there)).await
            };
            // The same one changes nothing.
            assert_eq!(again().await.status, 302);
            provider.sign_in_as("bob");
            assert_page(&again().await, 409, "Your account has another login of this provider");
            assert!(app.is_linked(provider, "ann").await && !app.is_linked(provider, "bob").await);
        });
    }

    fn only_the_session_that_began_links(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            let browser = signed_in(app, "ann").await;
            app.user("bob").await;
            // Another browser has no part of it.
            let there = begin(&browser).await;
            let back = provider.agree(&there);
            let bob = app.browser();
            sign_in(&bob, "bob", PASSWORD).await;
            assert_refused(app, "bob", &bob.get(&back).await, 400, "This sign-in is over").await;
            // Another person signs in meanwhile, or the person signs out.
            sign_in(&browser, "bob", PASSWORD).await;
            let refused = browser.get(&back).await;
            assert_refused(app, "bob", &refused, 403, "You were signed out here meanwhile").await;
            sign_in(&browser, "ann", PASSWORD).await;
            let back = provider.agree(&begin(&browser).await);
            let form = hidden_fields(&browser.get(LOGINS).await.text(), "/auth/sign_out");
            assert_eq!(browser.form("/auth/sign_out", &form).await.status, 302);
            let refused = browser.get(&back).await;
            assert_refused(app, "ann", &refused, 403, "You were signed out here meanwhile").await;
            // The answer to a link begins no session.
            assert!(!browser.is_signed_in().await);
        });
    }

    fn two_accounts_that_link_one_login_at_once_do_not_share_it(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            let (ann, bob) = (signed_in(app, "ann").await, signed_in(app, "bob").await);
            let (first, second) = (begin(&ann).await, begin(&bob).await);
            let (first, second) = (provider.agree(&first), provider.agree(&second));
            let (first, second) = join(ann.get(&first), bob.get(&second)).await;
            let mut statuses = [first.status, second.status];
            statuses.sort_unstable();
            assert_eq!(statuses, [302, 409]);
            assert_eq!(app.logins("ann").await.len() + app.logins("bob").await.len(), 1);
        });
    }

    fn a_sign_in_that_waits_for_a_code_ends_with_its_login(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            let ann = app.linked(provider, "ann").await;
            let account: AccountId = ann.id.parse().unwrap();
            let browser = app.browser();
            sign_in(&browser, "ann", PASSWORD).await;
            let (phone, _) = app.guard(&browser).await;
            for is_own_decision in [true, false] {
                let waiting = app.browser();
                let back = waiting.sign_in_at(provider).await;
                assert!(back.header("location").unwrap().ends_with(CODE_PAGE), "{back:?}");
                let page = waiting.get(CODE_PAGE).await.text();
                if is_own_decision {
                    assert_eq!(unlink(&browser, PASSWORD).await.status, 302);
                } else {
                    let remove = move |tx: &mut Tx<'_>| {
                        external_logins::remove(tx, Decider::Operator, account)
                    };
                    assert!(app.app().write(remove).await.unwrap());
                }
                let values = [("code", &*app.next_code(&phone))];
                let ended = waiting.send_form(&page, CODE_PAGE, &values).await;
                assert_page(&ended, 422, "Sign in again");
                assert!(!waiting.is_signed_in().await);
                assert_eq!(waiting.get(CODE_PAGE).await.status, 302);
                assert_eq!(browser.link(provider, PASSWORD).await.status, 302);
            }
            // The login that was linked again signs in.
            let again = app.browser();
            again.sign_in_at(provider).await;
            let code = app.next_code(&phone);
            assert_eq!(again.enter_code(&code).await.status, 302);
            assert!(again.is_signed_in().await);
        });
    }

    // The login may be removed, or the provider, a moment before the sign-in begins to wait.
    fn a_sign_in_waits_only_with_a_login_that_is_left(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            let account: AccountId = app.linked(provider, "ann").await.id.parse().unwrap();
            let (settings, now) = (app.app().settings(), app.app().now());
            let here = provider.issuer();
            let there = "https://other.example".to_owned();
            for (issuer, configured, waits) in [
                (&here, vec![there.clone(), here.clone()], true),
                (&here, vec![there.clone()], false),
                (&there, vec![there.clone(), here.clone()], false),
            ] {
                let begun = issuer.clone();
                let begin = move |tx: &mut Tx<'_>| challenge::begin(tx, account, Some(&begun));
                let token = app.app().write(begin).await.unwrap();
                let settings = settings.clone();
                let find = move |conn: &mut Conn| {
                    let ways = OpenWays { settings: &settings, issuers: &configured };
                    challenge::account(conn, ways, &token, now)
                };
                let found = app.app().read(find).await.unwrap();
                assert_eq!(found, waits.then_some(account), "{issuer}");
            }
        });
    }

    fn the_only_way_to_sign_in_stays(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            let browser = app.joined(provider, "ann").await;
            assert_eq!(browser.prove(provider, LOGINS).await.status, 302);
            let refused = unlink(&browser, "").await;
            assert_page(&refused, 422, "Without this login you could not sign in any more");
            assert_eq!(app.logins("ann").await.len(), 1);
        });
    }

    fn a_password_of_no_use_is_no_way_to_sign_in(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            app.app().change_setting("external_only".into(), "true".into()).await.unwrap();
            let browser = app.browser();
            browser.sign_in_at(provider).await;
            browser.prove(provider, LOGINS).await;
            let refused = unlink(&browser, PASSWORD).await;
            assert_page(&refused, 422, "Without this login you could not sign in any more");
            app.app().change_setting("external_only".into(), "false".into()).await.unwrap();
            assert_eq!(unlink(&browser, PASSWORD).await.status, 302);
        });
    }

    fn another_login_is_a_way_to_sign_in(database: &TestDatabase) {
        let second = Provider::start("second");
        let configure = second.config();
        with_provider_and(database, |config, _| config.external_logins.push(configure), async |app, provider| {
            let browser = app.joined(provider, "ann").await;
            browser.prove(provider, LOGINS).await;
            let linked = browser.link(&second, "").await;
            assert_eq!(linked.status, 302, "{linked:?}");
            assert_eq!(app.logins("ann").await.len(), 2);
            let page = browser.get(LOGINS).await.text();
            let mut form = hidden_fields(&page, UNLINK);
            form.retain(|(name, _)| name != "issuer");
            form.push(("issuer".to_owned(), provider.issuer()));
            assert_eq!(browser.form(UNLINK, &form).await.status, 302);
            assert!(app.logins("ann").await.iter().all(|login| login.issuer == second.issuer()));
            let again = app.browser();
            again.sign_in_at(&second).await;
            assert!(again.is_signed_in().await);
        });
    }
}
