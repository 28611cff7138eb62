//! `GET /api/v1/accounts`: several accounts by id.

use serde_json::json;
use siskin_entities::AccountState;

use crate::support::GOOD;

const ACCOUNTS: &str = "/api/v1/accounts";

api_tests! {
    async fn accounts_are_returned_in_the_requested_order_without_duplicates(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let path = format!(
            "{ACCOUNTS}?id[]={}&id[]=1234567890&id[]=abc&id[]={}&id[]={}",
            bob.id, alice.id, bob.id
        );
        let shown = app.anonymous().get(&path).await;
        assert_eq!(shown.ids(), [&*bob.id, &*alice.id]);
        let one = app.anonymous().get(&format!("{ACCOUNTS}/{}", alice.id)).await.ok();
        assert_eq!(shown.ok()[1], one);
        assert_eq!(app.anonymous().get(ACCOUNTS).await.ok(), json!([]));
        let scoped = app.user_with_scopes(&alice, "push").await;
        assert_eq!(scoped.get(&path).await.ids().len(), 2);
    }

    async fn a_suspended_account_is_listed_without_content(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.set_state(&bob, AccountState { suspended: true, ..GOOD }).await;
        let path = format!("{ACCOUNTS}?id[]={}&id[]={}", alice.id, bob.id);
        let shown = alice.get(&path).await.ok();
        assert_eq!((&shown[0].get("suspended"), &shown[1]["suspended"]), (&None, &json!(true)));
    }

    async fn too_many_ids_are_refused(app: &TestApp) {
        let ids = |count: usize| format!("{ACCOUNTS}?id={}", vec!["1"; count].join("&id[]="));
        let many = ids(41).replacen("?id=", "?id[]=", 1);
        app.anonymous().get(&many).await.expect(422);
        let most = ids(40).replacen("?id=", "?id[]=", 1);
        assert_eq!(app.anonymous().get(&most).await.ok(), json!([]));
    }
}
