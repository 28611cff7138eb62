//! Accounts that have moved to another account.

use serde_json::{Value, json};
use siskin_entities::AccountState;
use siskin_ids::AccountId;
use siskin_services::{Error, accounts::migration};

use crate::support::{GOOD, TestApp, User};

const ACCOUNTS: &str = "/api/v1/accounts";

fn id(user: &User) -> AccountId {
    user.id.parse().unwrap()
}

async fn alias(app: &TestApp, user: &User, other: &User) {
    let (account, other) = (id(user), id(other));
    app.app().write(move |tx| migration::add_alias(tx, account, other)).await.unwrap();
}

async fn move_to(app: &TestApp, user: &User, target: &User) -> Result<(), Error> {
    let (account, target) = (id(user), id(target));
    app.app().write(move |tx| migration::move_to(tx, account, target)).await
}

async fn shown(app: &TestApp, user: &User) -> Value {
    app.anonymous().get(&format!("{ACCOUNTS}/{}", user.id)).await.ok()
}

api_tests! {
    async fn an_account_moves_to_its_alias_and_shows_the_target(app: &TestApp) {
        let (old, new) = (app.user("old").await, app.user("new").await);
        assert!(matches!(move_to(app, &old, &new).await, Err(Error::Invalid(_))));
        alias(app, &new, &old).await;
        alias(app, &new, &old).await;
        move_to(app, &old, &new).await.unwrap();
        let account = shown(app, &old).await;
        assert_eq!(account["moved"], shown(app, &new).await);
        assert_eq!(account["moved"].get("moved"), None);
        let own = old.credentials().await.ok();
        assert_eq!(own["moved"]["id"], new.id);
        // The new account is shown in every place that shows the old one, including its statuses.
        alias(app, &old, &new).await;
        let account = id(&old);
        app.app().write(move |tx| migration::undo_move(tx, account)).await.unwrap();
        assert_eq!(shown(app, &old).await.get("moved"), None);
        let status = old.publish("Still here").await;
        move_to(app, &old, &new).await.unwrap();
        let path = format!("/api/v1/statuses/{}", status["id"].as_str().unwrap());
        assert_eq!(app.anonymous().get(&path).await.ok()["account"]["moved"]["id"], new.id);
    }

    async fn a_moved_account_cannot_be_followed_and_cannot_post(app: &TestApp) {
        let (old, new, bob) =
            (app.user("old").await, app.user("new").await, app.user("bob").await);
        let status = bob.publish("Hello").await;
        alias(app, &new, &old).await;
        move_to(app, &old, &new).await.unwrap();
        bob.post(&format!("{ACCOUNTS}/{}/follow", old.id)).await.expect(403);
        old.json("/api/v1/statuses", json!({ "status": "Hi" })).await.expect(403);
        let reblog = format!("/api/v1/statuses/{}/reblog", status["id"].as_str().unwrap());
        old.post(&reblog).await.expect(403);
        assert_eq!(old.get("/api/v1/timelines/home").await.status, 200);
        new.post(&reblog).await.ok();
    }

    async fn a_moved_account_is_found_by_its_full_name_only(app: &TestApp) {
        let (old, new) = (app.user("oldbird").await, app.user("newbird").await);
        let listed = [("discoverable", "true")];
        for user in [&old, &new] {
            user.patch(&format!("{ACCOUNTS}/update_credentials"), &listed).await.ok();
        }
        alias(app, &new, &old).await;
        let found = |q: &'static str| async move {
            app.anonymous().get(&format!("/api/v2/search?q={q}")).await.ok()["accounts"].clone()
        };
        assert_eq!(found("bird").await.as_array().unwrap().len(), 2);
        assert_eq!(app.anonymous().get("/api/v1/directory").await.ids().len(), 2);
        move_to(app, &old, &new).await.unwrap();
        assert_eq!(found("bird").await[0]["id"], new.id);
        assert_eq!(found("bird").await.as_array().unwrap().len(), 1);
        assert_eq!(found("@oldbird").await[0]["id"], old.id);
        assert_eq!(app.anonymous().get("/api/v1/directory").await.ids(), [&*new.id]);
    }

    async fn an_account_cannot_move_to_an_inactive_account(app: &TestApp) {
        let (old, new) = (app.user("old").await, app.user("new").await);
        alias(app, &new, &old).await;
        alias(app, &old, &new).await;
        for state in [
            AccountState { suspended: true, ..GOOD },
            AccountState { reachable: false, ..GOOD },
        ] {
            app.set_state(&new, state).await;
            assert!(matches!(move_to(app, &old, &new).await, Err(Error::Invalid(_))));
        }
        app.set_state(&new, GOOD).await;
        move_to(app, &old, &new).await.unwrap();
        assert!(matches!(move_to(app, &new, &old).await, Err(Error::Invalid(_))));
        assert!(matches!(move_to(app, &old, &old).await, Err(Error::Invalid(_))));
        // A target that is suspended later is no longer shown.
        app.set_state(&new, AccountState { reachable: false, ..GOOD }).await;
        assert_eq!(shown(app, &old).await.get("moved"), None);
    }
}
