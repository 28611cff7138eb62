//! `remove_from_followers`.

use futures_util::future::join_all;
use serde_json::json;

api_tests! {
    async fn removing_a_follower_leaves_the_own_follow(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.act_on("follow", &bob).await;
        bob.act_on("follow", &alice).await;
        let relationship = alice.act_on("remove_from_followers", &bob).await;
        assert_eq!((&relationship["followed_by"], &relationship["following"]), (&json!(false), &json!(true)));
        assert_eq!((alice.counts().await, bob.counts().await), ((0, 1), (1, 0)));
        assert_eq!(alice.notification_types().await, [""; 0]);
        assert_eq!(bob.act_on("follow", &alice).await["following"], true);
    }

    async fn removing_an_account_that_does_not_follow_changes_nothing(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        assert_eq!(alice.act_on("remove_from_followers", &bob).await["followed_by"], false);
        alice.lock().await;
        bob.act_on("follow", &alice).await;
        assert_eq!(alice.act_on("remove_from_followers", &bob).await["requested_by"], true);
    }

    async fn concurrent_removals_count_once(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        bob.act_on("follow", &alice).await;
        join_all((0..50).map(|_| alice.act_on("remove_from_followers", &bob))).await;
        assert_eq!((alice.counts().await, bob.counts().await), ((0, 0), (0, 0)));
    }

    async fn removing_needs_the_scope_of_follows(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let path = format!("/api/v1/accounts/{}/remove_from_followers", bob.id);
        for (scopes, status) in [("write:follows", 200), ("follow", 200), ("write:blocks", 403)] {
            let client = app.user_with_scopes(&alice, scopes).await;
            assert_eq!(client.post(&path).await.status, status, "{scopes}");
        }
        app.anonymous().post(&path).await.expect(401);
    }
}
