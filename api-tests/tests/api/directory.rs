//! `GET /api/v1/directory`.

use std::time::Duration;

use siskin_entities::AccountState;
use siskin_ids::AccountId;
use siskin_services::accounts::profile::{self, Changes, Pictures};

use crate::support::{GOOD, TestApp, User};

const DIRECTORY: &str = "/api/v1/directory";

async fn listed(app: &TestApp, username: &str) -> User {
    let user = app.user(username).await;
    show(&user, "true").await;
    app.advance(Duration::from_secs(1));
    user
}

async fn show(user: &User, discoverable: &str) {
    let form = [("discoverable", discoverable)];
    user.patch("/api/v1/accounts/update_credentials", &form).await.ok();
}

/// Creates a discoverable account of another server.
async fn remote(app: &TestApp) -> String {
    let id = app.remote("zoe", "far.example").await;
    let account: AccountId = id.parse().unwrap();
    let changes = Changes { discoverable: Some(Some(true)), ..Changes::default() };
    let changes = profile::prepare(&app.app().settings(), changes).unwrap();
    let instance = app.app().instance().clone();
    app.app()
        .write(move |tx| profile::apply(tx, &instance, account, &changes, &Pictures::default()))
        .await
        .unwrap();
    id
}

api_tests! {
    async fn only_discoverable_accounts_are_listed(app: &TestApp) {
        let alice = listed(app, "alice").await;
        let bob = app.user("bob").await;
        let directory = app.anonymous().get(DIRECTORY).await;
        assert_eq!(directory.ids(), [&*alice.id]);
        let shown = app.anonymous().get(&format!("/api/v1/accounts/{}", alice.id)).await.ok();
        assert_eq!(directory.ok()[0], shown);
        show(&bob, "true").await;
        show(&alice, "false").await;
        assert_eq!(app.anonymous().get(DIRECTORY).await.ids(), [&*bob.id]);
        for state in [
            AccountState { suspended: true, ..GOOD },
            AccountState { silenced: true, ..GOOD },
            AccountState { reachable: false, ..GOOD },
        ] {
            app.set_state(&bob, state).await;
            assert!(app.anonymous().get(DIRECTORY).await.ids().is_empty(), "{state:?}");
        }
    }

    async fn the_directory_is_ordered_by_activity_or_registration(app: &TestApp) {
        let (alice, bob, cat) =
            (listed(app, "alice").await, listed(app, "bob").await, listed(app, "cat").await);
        let zoe = remote(app).await;
        bob.publish("Hello").await;
        app.advance(Duration::from_secs(1));
        alice.publish("Hello").await;
        let order = |query: &'static str| async move {
            app.anonymous().get(&format!("{DIRECTORY}?{query}")).await.ids()
        };
        let active = [&*alice.id, &bob.id, &zoe, &cat.id];
        assert_eq!(order("").await, active);
        assert_eq!(order("order=active").await, active);
        assert_eq!(order("order=new").await, [&*zoe, &cat.id, &bob.id, &alice.id]);
        assert_eq!(order("local=true").await, [&*alice.id, &bob.id, &cat.id]);
        assert_eq!(order("order=new&local=true").await, [&*cat.id, &bob.id, &alice.id]);
        assert_eq!(order("local=false&limit=2&offset=1").await, active[1..3]);
        assert_eq!(order("order=new&local=1&offset=2").await, [&*alice.id]);
        assert!(order("offset=4").await.is_empty());
        assert!(order("limit=0").await.is_empty());
        app.anonymous().get(&format!("{DIRECTORY}?order=best")).await.expect(422);
        app.anonymous().get(&format!("{DIRECTORY}?offset=-1")).await.expect(400);
    }

    async fn blocked_muted_and_blocking_accounts_are_left_out(app: &TestApp) {
        let (alice, bob, cat) =
            (listed(app, "alice").await, listed(app, "bob").await, listed(app, "cat").await);
        let viewer = app.user("reader").await;
        viewer.act_on("block", &alice).await;
        bob.act_on("block", &viewer).await;
        viewer.act_on("mute", &cat).await;
        assert!(viewer.get(DIRECTORY).await.ids().is_empty());
        assert_eq!(app.anonymous().get(DIRECTORY).await.ids().len(), 3);
        app.user_with_scopes(&viewer, "read:statuses").await.get(DIRECTORY).await.expect(403);
        app.user_with_scopes(&viewer, "read:accounts").await.get(DIRECTORY).await.ok();
    }
}
