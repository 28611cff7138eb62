//! Who still gets messages: the end of tokens and accounts.

use std::time::Duration;

use serde_json::json;
use siskin_entities::AccountState;
use siskin_ids::{ApplicationId, TokenId};
use siskin_services::{
    accounts::{Decision, decide},
    applications, tokens,
};
use siskin_test_support::{both_engines, builders::PASSWORD};

use crate::{
    oauth::{self, BACK, Registered, parameter, register, sign_in, signed_in},
    settings::{account, deletion},
    support::{
        Client, GOOD, TestApp, User,
        push::{PushClient, PushService, SUBSCRIPTION, status, with_push},
    },
};

/// Creates Alice with a subscription, and Bob. A message about a first mention waits for its second
/// attempt.
async fn waiting(app: &TestApp, service: &PushService) -> [User; 2] {
    let alice = app.user("alice").await;
    let bob = waiting_for(app, service, &alice).await;
    [alice, bob]
}

/// Subscribes a client of Alice, and creates Bob. A message about a first mention waits for its
/// second attempt.
async fn waiting_for(app: &TestApp, service: &PushService, client: &Client) -> User {
    let bob = app.user("bob").await;
    PushClient::new(1).subscribe(client, &service.endpoint("/")).await;
    service.answer(|_| status("503 Service Unavailable"));
    bob.publish("Hello @alice").await;
    app.settle().await;
    assert_eq!(service.received().len(), 1);
    service.answer(|_| status("201 Created"));
    bob
}

/// Creates Alice and an application to which she gives a token. Returns the application and the
/// token.
async fn authorized(app: &TestApp) -> (Registered, String) {
    let (application, browser) = (register(app, "read push").await, signed_in(app, "alice").await);
    let asked = application.authorize(&[("scope", "read push")]);
    let agreed = oauth::decide(&browser, &asked, "agree").await;
    let code = parameter(agreed.header("location").unwrap(), "code").unwrap();
    let grant = [("grant_type", "authorization_code"), ("code", &code), ("redirect_uri", BACK)];
    let token = application.token(&app.anonymous(), &grant).await.ok();
    (application, oauth::text(&token, "access_token"))
}

/// Returns a browser in which Alice is signed in.
async fn browser_of_alice(app: &TestApp) -> Client {
    let browser = app.browser();
    sign_in(&browser, "alice", PASSWORD).await;
    browser
}

/// Checks that neither the waiting message nor a new one is sent.
async fn gets_nothing(app: &TestApp, service: &PushService, bob: &User) {
    bob.publish("Hello again @alice").await;
    app.settle().await;
    app.advance(Duration::from_hours(1));
    app.settle().await;
    assert_eq!(service.received().len(), 1);
}

both_engines! {
    fn a_revoked_token_gets_nothing(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let [alice, bob] = waiting(app, service).await;
            let account = alice.id.parse().unwrap();
            let all = app.app().read(move |conn| tokens::list(conn, Some(account), TokenId::new(0)));
            let token = all.await.unwrap()[0].id;
            app.app().write(move |tx| tokens::revoke(tx, token)).await.unwrap();
            gets_nothing(app, service, &bob).await;
        });
    }

    fn a_token_that_its_application_revokes_gets_nothing(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let (application, token) = authorized(app).await;
            let bob = waiting_for(app, service, &app.with_token(&token)).await;
            let named = [("token", token.as_str())];
            let revocation = application.form(&named);
            let revoked = app.anonymous().form("/oauth/revoke", &revocation).await;
            assert_eq!(revoked.ok(), json!({}));
            gets_nothing(app, service, &bob).await;
        });
    }

    fn a_deleted_application_gets_nothing(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let (application, token) = authorized(app).await;
            let bob = waiting_for(app, service, &app.with_token(&token)).await;
            let id: ApplicationId = application.id.parse().unwrap();
            let delete_some = async || {
                app.app().write(move |tx| applications::delete_some(tx, id)).await.unwrap()
            };
            while delete_some().await {}
            gets_nothing(app, service, &bob).await;
        });
    }

    fn a_new_password_ends_the_messages(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let [alice, bob] = waiting(app, service).await;
            let browser = browser_of_alice(app).await;
            let change = [("current_password", PASSWORD), ("password", "battery staple")];
            let changed = account::send(&browser, "/settings/password", &change).await;
            assert_eq!(changed.status, 302, "{changed:?}");
            alice.get(SUBSCRIPTION).await.expect(401);
            gets_nothing(app, service, &bob).await;
        });
    }

    fn a_deleted_account_gets_nothing(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let [alice, bob] = waiting(app, service).await;
            let browser = browser_of_alice(app).await;
            let password = [("current_password", PASSWORD)];
            let deleted = deletion::delete(&browser, &password).await;
            assert_eq!(deleted.status, 200, "{deleted:?}");
            alice.get(SUBSCRIPTION).await.expect(401);
            gets_nothing(app, service, &bob).await;
        });
    }

    fn a_suspended_account_gets_nothing(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let [alice, bob] = waiting(app, service).await;
            app.set_state(&alice, AccountState { suspended: true, ..GOOD }).await;
            gets_nothing(app, service, &bob).await;
        });
    }

    fn a_disabled_user_gets_nothing(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let [alice, bob] = waiting(app, service).await;
            let account = alice.id.parse().unwrap();
            app.app().write(move |tx| decide(tx, account, Decision::Disabled(true))).await.unwrap();
            gets_nothing(app, service, &bob).await;
        });
    }

    fn nothing_of_a_suspended_sender_is_pushed(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let [_, bob] = waiting(app, service).await;
            app.set_state(&bob, AccountState { suspended: true, ..GOOD }).await;
            app.advance(Duration::from_hours(1));
            app.settle().await;
            assert_eq!(service.received().len(), 1);
        });
    }

    fn a_removed_subscription_gets_nothing(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let [alice, bob] = waiting(app, service).await;
            alice.delete(SUBSCRIPTION).await.ok();
            gets_nothing(app, service, &bob).await;
        });
    }
}
