//! Who still gets messages: the end of tokens and accounts.

use std::time::Duration;

use siskin_entities::AccountState;
use siskin_ids::TokenId;
use siskin_services::{
    accounts::{Decision, decide},
    tokens,
};
use siskin_test_support::both_engines;

use crate::support::{
    GOOD, TestApp, User,
    push::{PushClient, PushService, SUBSCRIPTION, status, with_push},
};

/// Creates Alice with a subscription, and Bob. A message about a first mention waits for its second
/// attempt.
async fn waiting(app: &TestApp, service: &PushService) -> [User; 2] {
    let (alice, bob) = (app.user("alice").await, app.user("bob").await);
    PushClient::new(1).subscribe(&alice, &service.endpoint("/")).await;
    service.answer(|_| status("503 Service Unavailable"));
    bob.publish("Hello @alice").await;
    app.settle().await;
    assert_eq!(service.received().len(), 1);
    service.answer(|_| status("201 Created"));
    [alice, bob]
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
