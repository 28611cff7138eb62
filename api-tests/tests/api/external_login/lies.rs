//! Providers that break the protocol, and providers that change.

use std::time::Duration;

use futures_util::future::join_all;
use siskin_test_support::both_engines;

use super::assert_page;
use crate::support::{
    TestApp,
    providers::{Lie, Provider, with_provider, with_provider_and},
};

const START: &str = "/auth/external/main";
const METADATA: &str = "/.well-known/openid-configuration";
const BROKEN: &str = "The sign-in provider does not answer properly";
/// The provider remembers for this time that a request failed.
const PAUSE: Duration = Duration::from_secs(6);
/// New keys are requested at most this often.
const KEYS: Duration = Duration::from_secs(11);

fn advance(app: &TestApp, provider: &Provider, by: Duration) {
    app.advance(by);
    provider.advance(by);
}

both_engines! {
    fn no_lie_signs_anyone_in(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.store_setting("registrations", "open").await;
            app.linked(provider, "ann").await;
            for lie in [
                Lie::Audience, Lie::SecondAudience, Lie::AuthorizedParty, Lie::Issuer, Lie::Expired,
                Lie::Nonce, Lie::NoNonce, Lie::Unsigned, Lie::BySecret, Lie::WrongSignature,
                Lie::UnknownKey, Lie::AccessToken, Lie::NoIdToken, Lie::NoSubject, Lie::LongSubject,
                Lie::NullInSubject, Lie::BreakInSubject, Lie::HugeBody, Lie::Redirect, Lie::Failure, Lie::NoJson,
            ] {
                for name in ["ann", "eve"] {
                    provider.sign_in_as(name);
                    provider.lie(lie);
                    let browser = app.browser();
                    let page = browser.sign_in_at(provider).await;
                    assert_page(&page, 502, BROKEN);
                    assert!(page.text().contains(&format!("href=\"{START}\"")), "{lie:?}: {page:?}");
                    assert!(!browser.is_signed_in().await, "{lie:?}");
                    assert_eq!(browser.get("/auth/external_sign_up").await.status, 302, "{lie:?}");
                    assert!(!app.is_linked(provider, "eve").await, "{lie:?}");
                    provider.lie(None);
                }
            }
            provider.sign_in_as("ann");
            assert_eq!(app.browser().sign_in_at(provider).await.status, 302);
        });
    }

    fn no_request_follows_a_redirect(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            let browser = app.browser();
            let there = browser.leave_for(START).await;
            let requests = provider.requests("/keys");
            provider.lie(Lie::Redirect);
            assert_page(&browser.get(&provider.agree(&there)).await, 502, BROKEN);
            assert_eq!(provider.requests("/keys"), requests);
        });
    }

    fn the_metadata_must_be_its_own(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            for lie in [Lie::IssuerOfMetadata, Lie::PageElsewhere, Lie::PageOfScript, Lie::KeysElsewhere] {
                // Metadata from before is too old to be used.
                advance(app, provider, Duration::from_hours(25));
                provider.lie(lie);
                assert_page(&app.browser().get(START).await, 502, BROKEN);
                provider.lie(None);
                advance(app, provider, PAUSE);
                app.browser().leave_for(START).await;
            }
            advance(app, provider, Duration::from_hours(25));
            provider.lie(Lie::TokensElsewhere);
            assert_page(&app.browser().sign_in_at(provider).await, 502, BROKEN);
        });
    }

    fn userinfo_of_another_person_is_refused(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.store_setting("registrations", "open").await;
            provider.be_terse();
            provider.lie(Lie::OtherPersonInUserinfo);
            assert_page(&app.browser().sign_in_at(provider).await, 502, BROKEN);
            provider.lie(None);
            assert_eq!(app.browser().sign_in_at(provider).await.status, 302);
        });
    }

    fn claims_that_cannot_be_stored_count_as_absent(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.store_setting("registrations", "open").await;
            for bad in ["\0", "\u{1b}[2J", "\u{85}"] {
                provider.tell(serde_json::json!({
                    "sub": "7", "preferred_username": format!("a{bad}nn"),
                    "email": format!("an{bad}n@people.example"), "email_verified": true,
                }));
                let browser = app.browser();
                assert_eq!(browser.sign_in_at(provider).await.status, 302, "{bad:?}");
                let form = browser.get("/auth/external_sign_up").await;
                assert_eq!(form.status, 200, "{bad:?}");
                assert!(form.text().contains("name=\"email\"") && !form.text().contains(bad), "{form:?}");
            }
        });
    }

    fn a_wrong_client_secret_signs_nobody_in(database: &TestDatabase) {
        let wrong = |provider: &mut siskin_outbound::openid::ProviderConfig| {
            provider.client_secret = Some("wrong".to_owned());
        };
        with_provider_and(database, |_, provider| wrong(provider), async |app, provider| {
            let page = app.browser().sign_in_at(provider).await;
            assert_page(&page, 502, BROKEN);
            assert!(!page.text().contains("invalid_client"), "{page:?}");
        });
    }

    fn a_code_that_the_provider_refuses_is_tried_again(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            let browser = app.browser();
            let back = provider.agree(&browser.leave_for(START).await);
            let made_up = back.replace("code=code-", "code=other-");
            let page = browser.get(&made_up).await;
            assert_page(&page, 400, "This sign-in was finished before, or took too long");
        });
    }

    fn new_keys_are_requested_when_they_are_needed(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            let sign_in = async || app.browser().sign_in_at(provider).await.status;
            assert_eq!((sign_in().await, provider.requests("/keys")), (302, 1));
            provider.rotate_key();
            // Everyone can cause such a request, so they are rare.
            assert_eq!((sign_in().await, provider.requests("/keys")), (502, 1));
            advance(app, provider, KEYS);
            assert_eq!((sign_in().await, provider.requests("/keys")), (302, 2));
            provider.rotate_key();
            assert_eq!((sign_in().await, provider.requests("/keys")), (502, 2));
            advance(app, provider, KEYS);
            assert_eq!((sign_in().await, provider.requests("/keys")), (302, 3));
            // A key that does not exist is asked for once.
            advance(app, provider, KEYS);
            provider.lie(Lie::UnknownKey);
            assert_eq!((sign_in().await, provider.requests("/keys")), (502, 4));
            assert_eq!((sign_in().await, provider.requests("/keys")), (502, 4));
        });
    }

    fn metadata_is_kept_for_an_hour(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            app.linked(provider, "ann").await;
            let browsers = [(); 5].map(|()| app.browser());
            join_all(browsers.iter().map(|browser| browser.leave_for(START))).await;
            assert_eq!(provider.requests(METADATA), 1);
            advance(app, provider, Duration::from_secs(3601));
            join_all(browsers.iter().map(|browser| browser.leave_for(START))).await;
            assert_eq!(provider.requests(METADATA), 2);
            // While the provider is down, that of the last day counts.
            advance(app, provider, Duration::from_hours(2));
            provider.be_down(true);
            let there = browsers[0].leave_for(START).await;
            provider.be_down(false);
            assert_eq!(browsers[0].get(&provider.agree(&there)).await.status, 302);
        });
    }
}
