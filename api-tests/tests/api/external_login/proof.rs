//! What people without a password do in place of typing it.

use std::time::Duration;

use siskin_ids::AccountId;
use siskin_persistence::Tx;
use siskin_services::{
    accounts::{self, Decision},
    moderation::{act::Decider, external_logins},
};
use siskin_test_support::{both_engines, builders::PASSWORD};

use super::{assert_page, with_provider_and_mail};
use crate::{
    oauth::{hidden_fields, parameter, sign_in},
    support::{
        Client, Response,
        providers::{LOGINS, Provider, address_on, with_provider, with_provider_and},
        second_factors::Authenticator,
    },
};

const ACCOUNT: &str = "/settings/account";
const FACTOR: &str = "/settings/second-factor";
const SETUP: &str = "/settings/second-factor/setup";
const DELETION: &str = "/settings/delete-account";
const UNLINK: &str = "/settings/external-logins/unlink";
const EXPORT: &str = "/settings/export";
const PROVE: &str = "/auth/external/main/prove";
const MISSING: &str = "Confirm first who you are";
const GIVEN: &str = "You have confirmed who you are";

/// Begins a setup of a second factor, which needs a proof.
async fn begin_setup(browser: &Client) -> Response {
    browser.send_external(FACTOR, SETUP, &[]).await
}

/// Leaves for the provider from a page, to give the proof.
async fn leave(browser: &Client, page: &str) -> String {
    address_on(&browser.send_external(page, PROVE, &[]).await)
}

/// Returns the paths of the files on the page that can be downloaded.
fn downloads(page: &str) -> Vec<String> {
    let paths = page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let is_file = |path: &&str| path.starts_with(EXPORT) && path.matches('/').count() == 4;
    paths.filter(is_file).map(str::to_owned).collect()
}

/// Removes the login at a provider. The page has a form for each login.
async fn unlink(browser: &Client, provider: &Provider) -> Response {
    let mut form = hidden_fields(&browser.get(LOGINS).await.text(), UNLINK);
    form.retain(|(name, _)| name != "issuer");
    form.push(("issuer".to_owned(), provider.issuer()));
    browser.form(UNLINK, &form).await
}

/// Checks that the person has to prove once more who they are.
async fn assert_not_proven(browser: &Client) {
    assert!(!browser.get(FACTOR).await.text().contains(GIVEN));
    assert_page(&begin_setup(browser).await, 403, MISSING);
}

async fn assert_proves_nothing(browser: &Client, provider: &Provider, words: &str) {
    assert_page(&browser.prove(provider, FACTOR).await, 403, words);
    assert_page(&begin_setup(browser).await, 403, MISSING);
}

both_engines! {
    fn changes_need_a_proof_if_there_is_no_password(database: &TestDatabase) {
        with_provider_and_mail(database, async |app, provider, sink| {
            let browser = app.joined(provider, "ann").await;
            for (page, action, values) in [
                (LOGINS, UNLINK, vec![]),
                (ACCOUNT, "/settings/email", vec![("email", "ann@home.example")]),
                (FACTOR, SETUP, vec![]),
                (DELETION, DELETION, vec![]),
            ] {
                let shown = browser.get(page).await.text();
                assert!(shown.contains("Confirm with The main provider"), "{page}: {shown}");
                assert!(!shown.contains("name=\"current_password\""), "{page}: {shown}");
                for password in ["", "none"] {
                    let mut values = values.clone();
                    values.push(("current_password", password));
                    let refused = browser.send_external(page, action, &values).await;
                    assert!([403, 422].contains(&refused.status), "{page}: {refused:?}");
                    assert!(refused.text().contains(MISSING), "{page}: {refused:?}");
                }
                // The provider leads back to the page.
                let there = leave(&browser, page).await;
                assert_eq!(parameter(&there, "prompt").as_deref(), Some("login"));
                assert_eq!(parameter(&there, "max_age").as_deref(), Some("600"));
                let back = browser.get(&provider.agree(&there)).await;
                assert_eq!(back.header("location"), Some(&*format!("{}{page}", app.base_url())));
                assert!(browser.get(page).await.text().contains(GIVEN), "{page}");
                // The proof ends, so that the next page needs another one.
                app.advance(Duration::from_secs(601));
                provider.advance(Duration::from_secs(601));
                assert!(!browser.get(page).await.text().contains(GIVEN), "{page}");
                let late = browser.send_external(page, action, &values).await;
                assert!(late.text().contains(MISSING), "{page}: {late:?}");
            }
            assert!(app.mails(sink, "ann@home.example").await.is_empty());
            assert!(browser.is_signed_in().await);
        });
    }

    fn a_proof_lets_people_change_what_is_theirs(database: &TestDatabase) {
        with_provider_and_mail(database, async |app, provider, sink| {
            let browser = app.joined(provider, "ann").await;
            browser.prove(provider, ACCOUNT).await;
            let values = [("email", "ann@home.example")];
            let asked = browser.send_external(ACCOUNT, "/settings/email", &values).await;
            assert_eq!(asked.status, 302, "{asked:?}");
            let confirmation = app.mailed_link(sink, "ann@home.example").await;
            assert_eq!(browser.get(&confirmation).await.status, 200);
            assert!(browser.get(ACCOUNT).await.text().contains("ann@home.example"));
            let setup = begin_setup(&browser).await;
            assert_eq!(setup.status, 200, "{setup:?}");
            let authenticator = Authenticator::of_page(&setup.text());
            let code = authenticator.code(app.app().now());
            assert_eq!(browser.confirm_setup(&setup, &code).await.status, 200);
            let code = app.next_code(&authenticator);
            let gone = browser.send_external(DELETION, DELETION, &[("code", &code)]).await;
            assert_eq!(gone.status, 200, "{gone:?}");
            assert!(!browser.is_signed_in().await);
            app.app().drain_jobs().await.unwrap();
            assert!(!app.is_linked(provider, "ann").await);
        });
    }

    fn only_the_linked_login_proves_it(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            let browser = app.joined(provider, "ann").await;
            provider.sign_in_as("eve");
            assert_proves_nothing(&browser, provider, "not the login that is linked").await;
            app.joined(provider, "bob").await;
            assert_proves_nothing(&browser, provider, "not the login that is linked").await;
            provider.sign_in_as("ann");
            browser.prove(provider, FACTOR).await;
            assert_eq!(begin_setup(&browser).await.status, 200);
        });
    }

    // The session at the provider may be as unattended as the one here.
    fn the_provider_must_have_asked_again(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            let browser = app.joined(provider, "ann").await;
            provider.keep_session();
            app.advance(Duration::from_secs(120));
            provider.advance(Duration::from_secs(120));
            assert_proves_nothing(&browser, provider, "did not ask you to sign in once more").await;
        });
    }

    // The person at the browser can change the address of the provider.
    fn a_provider_that_was_not_asked_proves_nothing(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            let browser = app.joined(provider, "ann").await;
            provider.keep_session();
            for asked in [&["prompt", "max_age"][..], &["max_age"]] {
                let there = leave(&browser, FACTOR).await;
                let mut changed = reqwest::Url::parse(&there).unwrap();
                let kept: Vec<(String, String)> = changed
                    .query_pairs()
                    .filter(|(name, _)| !asked.contains(&&**name))
                    .map(|(name, value)| (name.into_owned(), value.into_owned()))
                    .collect();
                changed.query_pairs_mut().clear().extend_pairs(kept);
                let page = browser.get(&provider.agree(changed.as_str())).await;
                assert_page(&page, 403, "did not ask you to sign in once more");
                assert_page(&begin_setup(&browser).await, 403, MISSING);
            }
        });
    }

    fn a_proof_counts_for_one_session(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            let browser = app.joined(provider, "ann").await;
            let there = leave(&browser, FACTOR).await;
            // Others cannot bring the answer.
            let other = app.browser();
            other.sign_in_at(provider).await;
            let back = provider.agree(&there);
            assert_page(&other.get(&back).await, 400, "This sign-in is over");
            assert_eq!(browser.get(&back).await.status, 302);
            assert!(browser.get(FACTOR).await.text().contains(GIVEN));
            assert!(!other.get(FACTOR).await.text().contains(GIVEN));
            // The browser keeps the cookie, but begins another session.
            browser.sign_in_at(provider).await;
            assert!(!browser.get(FACTOR).await.text().contains(GIVEN));
            assert_page(&begin_setup(&browser).await, 403, MISSING);
            // The answer to a question of a session that is over counts for none.
            let there = leave(&browser, FACTOR).await;
            let cookie_of_new = browser.sign_in_by(provider, "/auth/external/main").await;
            assert_eq!(cookie_of_new.status, 302);
            let late = browser.get(&provider.agree(&there)).await;
            assert_page(&late, 400, "This sign-in is over");
        });
    }

    fn a_proof_ends_with_its_login(database: &TestDatabase) {
        let second = Provider::start("second");
        let configure = second.config();
        with_provider_and(database, |config, _| config.external_logins.push(configure), async |app, provider| {
            let browser = app.joined(provider, "ann").await;
            let account: AccountId = app.id_of("ann").await.parse().unwrap();
            browser.prove(provider, LOGINS).await;
            assert_eq!(browser.link(&second, "").await.status, 302);
            // The login of another provider does not keep it.
            assert_eq!(unlink(&browser, provider).await.status, 302);
            assert_not_proven(&browser).await;
            // Nor does it end with another login.
            browser.prove(&second, LOGINS).await;
            assert_eq!(browser.link(provider, "").await.status, 302);
            assert_eq!(unlink(&browser, provider).await.status, 302);
            assert!(browser.get(FACTOR).await.text().contains(GIVEN));
            // Staff remove the last login.
            let remove =
                move |tx: &mut Tx<'_>| external_logins::remove(tx, Decider::Operator, account);
            assert!(app.app().write(remove).await.unwrap());
            assert_not_proven(&browser).await;
            assert!(browser.is_signed_in().await);
        });
    }

    fn a_login_that_is_linked_again_does_not_bring_its_proof_back(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            let browser = app.browser();
            browser.sign_in_at(provider).await;
            let set = async |value: &str| {
                app.app().change_setting("external_only".into(), value.into()).await.unwrap();
            };
            set("true").await;
            browser.prove(provider, FACTOR).await;
            assert!(browser.get(FACTOR).await.text().contains(GIVEN));
            set("false").await;
            let password = [("current_password", PASSWORD)];
            let removed = browser.send_external(LOGINS, UNLINK, &password).await;
            assert_eq!(removed.status, 302, "{removed:?}");
            assert_eq!(browser.link(provider, PASSWORD).await.status, 302);
            set("true").await;
            assert_not_proven(&browser).await;
        });
    }

    fn a_proof_does_not_replace_a_password(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            let browser = app.browser();
            browser.sign_in_at(provider).await;
            let page = browser.get(LOGINS).await.text();
            assert!(page.contains("name=\"current_password\"") && !page.contains("Confirm with"));
            // The page offers no such form, but others could send it.
            let mut form = hidden_fields(&page, UNLINK);
            form.push(("return_to".to_owned(), LOGINS.to_owned()));
            let there = address_on(&browser.form(PROVE, &form).await);
            assert_eq!(browser.get(&provider.agree(&there)).await.status, 302);
            let refused = browser.send_external(LOGINS, UNLINK, &[]).await;
            assert_page(&refused, 422, "The password is wrong");
        });
    }

    fn suspended_people_delete_their_accounts(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.joined(provider, "ann").await;
            let account = app.id_of("ann").await.parse().unwrap();
            let suspended = Decision::Suspended(true);
            app.app().write(move |tx| accounts::decide(tx, account, suspended)).await.unwrap();
            let browser = app.browser();
            browser.sign_in_at(provider).await;
            let refused = browser.send_external(DELETION, DELETION, &[]).await;
            assert!(refused.text().contains(MISSING), "{refused:?}");
            let back = browser.prove(provider, DELETION).await;
            assert_eq!(back.header("location"), Some(&*format!("{}{DELETION}", app.base_url())));
            let gone = browser.send_external(DELETION, DELETION, &[]).await;
            assert_eq!(gone.status, 200, "{gone:?}");
        });
    }

    fn a_password_comes_by_email(database: &TestDatabase) {
        with_provider_and_mail(database, async |app, provider, sink| {
            let browser = app.joined(provider, "ann").await;
            assert!(browser.get(ACCOUNT).await.text().contains("href=\"/auth/password/new\""));
            app.reset_password(sink, "ann@people.example", "battery staple").await;
            assert!(app.logins("ann").await.is_empty());
            let browser = app.browser();
            assert_eq!(sign_in(&browser, "ann", "battery staple").await.status, 302);
            // The person can have both.
            assert_eq!(browser.link(provider, "battery staple").await.status, 302);
            let removed =
                browser.send_external(LOGINS, UNLINK, &[("current_password", "battery staple")]).await;
            assert_eq!(removed.status, 302, "{removed:?}");
        });
    }

    // A password that is of no use cannot be reset.
    fn without_passwords_everyone_with_a_login_gives_the_proof(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            let browser = app.browser();
            browser.sign_in_at(provider).await;
            app.app().change_setting("external_only".into(), "true".into()).await.unwrap();
            let page = browser.get(ACCOUNT).await.text();
            assert!(!page.contains("action=\"/settings/password\""), "{page}");
            let refused = browser.send_external(FACTOR, SETUP, &[("current_password", PASSWORD)]).await;
            assert_page(&refused, 403, MISSING);
            browser.prove(provider, FACTOR).await;
            assert_eq!(begin_setup(&browser).await.status, 200);
        });
    }

    // The session at the provider may have been left open, as the browser was.
    fn downloads_need_more_than_a_silent_sign_in(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.joined(provider, "ann").await;
            let browser = app.browser();
            browser.sign_in_at(provider).await;
            for kind in ["posts", "archives"] {
                let action = format!("{EXPORT}/{kind}");
                assert_eq!(browser.send_external(EXPORT, &action, &[]).await.status, 303, "{kind}");
            }
            app.settle().await;
            let page = browser.get(EXPORT).await.text();
            assert!(page.contains("Confirm with The main provider"), "{page}");
            assert!(downloads(&page).is_empty(), "{page}");
            let there = leave(&browser, EXPORT).await;
            let back = browser.get(&provider.agree(&there)).await;
            assert_eq!(back.header("location"), Some(&*format!("{}{EXPORT}", app.base_url())));
            let page = browser.get(EXPORT).await.text();
            let paths = downloads(&page);
            assert_eq!(paths.len(), 2, "{page}");
            for path in &paths {
                assert_eq!(browser.get(path).await.status, 200, "{path}");
            }
            // Another silent session cannot use the paths.
            let other = app.browser();
            other.sign_in_at(provider).await;
            for path in &paths {
                assert_eq!(other.get(path).await.status, 403, "{path}");
            }
            app.advance(Duration::from_secs(601));
            for path in &paths {
                assert_eq!(browser.get(path).await.status, 403, "{path}");
            }
        });
    }

    fn downloads_need_the_password_of_those_who_have_one(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            let browser = app.browser();
            browser.sign_in_at(provider).await;
            let asked = browser.send_external(EXPORT, &format!("{EXPORT}/posts"), &[]).await;
            assert_eq!(asked.status, 303);
            app.settle().await;
            let page = browser.get(EXPORT).await.text();
            assert!(page.contains("href=\"/auth/sign_in?return_to=%2Fsettings%2Fexport\""), "{page}");
            assert!(downloads(&page).is_empty(), "{page}");
            assert_eq!(sign_in(&browser, "ann", PASSWORD).await.status, 302);
            let paths = downloads(&browser.get(EXPORT).await.text());
            assert_eq!(browser.get(&paths[0]).await.status, 200);
        });
    }
}
