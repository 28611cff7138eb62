//! `GET /api/v1/statuses?id[]=`.

use serde_json::json;

use crate::support::{id, ids};

api_tests! {
    async fn the_statuses_come_in_the_order_of_the_ids_each_once(app: &TestApp) {
        let alice = app.user("alice").await;
        let [one, two] = [alice.publish("1").await, alice.publish("2").await];
        let path = format!(
            "/api/v1/statuses?id[]={one}&id[]=x&id[]={two}&id[]=999&id[]={one}",
            one = id(&one),
            two = id(&two)
        );
        let response = app.anonymous().get(&path).await;
        assert_eq!(response.ids(), ids([&one, &two]));
        assert_eq!(response.link("next"), None);
        assert_eq!(response.ok()[0]["content"], "<p>1</p>");
        assert_eq!(app.anonymous().get("/api/v1/statuses").await.ids(), Vec::<String>::new());
    }

    async fn hidden_statuses_are_skipped(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let open = alice.publish("open").await;
        let private = alice.publish_as(json!({ "status": "x", "visibility": "private" })).await;
        let path = format!("/api/v1/statuses?id[]={}&id[]={}", id(&private), id(&open));
        assert_eq!(app.anonymous().get(&path).await.ids(), ids([&open]));
        assert_eq!(bob.get(&path).await.ids(), ids([&open]));
        app.follow(&bob, &alice).await;
        assert_eq!(bob.get(&path).await.ids(), ids([&private, &open]));
        let without = app.user_with_scopes(&bob, "read:accounts").await;
        without.get(&path).await.expect(403);
    }

    async fn more_ids_than_a_page_are_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        for client in [&app.anonymous(), &alice.client] {
            let path = |count: usize| format!("/api/v1/statuses?{}", "id[]=1&".repeat(count));
            assert_eq!(client.get(&path(40)).await.ids(), Vec::<String>::new());
            client.get(&path(41)).await.expect(422);
        }
    }
}
