//! `GET /api/v1/statuses/{id}/context`.

use serde_json::{Value, json};
use siskin_entities::AccountState;

use crate::support::{Client, GOOD, id, ids};

async fn context(client: &Client, status: &Value) -> [Vec<String>; 2] {
    let context = client.get(&format!("/api/v1/statuses/{}/context", id(status))).await.ok();
    ["ancestors", "descendants"]
        .map(|part| context[part].as_array().unwrap().iter().map(id).collect())
}

api_tests! {
    async fn a_thread_is_read_in_order(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let root = alice.publish("root").await;
        let by_bob = bob.reply(&root, "1").await;
        let below_bob = alice.reply(&by_bob, "1.1").await;
        let by_alice = alice.reply(&root, "2").await;
        let below_alice = bob.reply(&by_alice, "2.1").await;
        assert_eq!(
            context(&alice, &root).await,
            [vec![], ids([&by_alice, &below_alice, &by_bob, &below_bob])]
        );
        assert_eq!(context(&alice, &below_bob).await, [ids([&root, &by_bob]), vec![]]);
        let reblog = bob.act("reblog", &by_bob).await;
        assert_eq!(context(&alice, &reblog).await, [ids([&root]), ids([&below_bob])]);
    }

    async fn hidden_statuses_leave_no_trace_in_threads(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let root = alice.publish("root").await;
        let private = bob
            .publish_as(json!({
                "status": "@alice", "in_reply_to_id": root["id"], "visibility": "private",
            }))
            .await;
        let below = alice.reply(&private, "below").await;
        assert_eq!(context(&carol, &root).await, [vec![], ids([&below])]);
        assert_eq!(context(&carol, &below).await, [ids([&root]), vec![]]);
        assert_eq!(context(&alice, &root).await, [vec![], ids([&private, &below])]);
        carol.get(&format!("/api/v1/statuses/{}/context", id(&private))).await.expect(404);
    }

    async fn blocked_and_muted_authors_are_left_out(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let (blocked, muted, limited) =
            (app.user("blocked").await, app.user("muted").await, app.user("limited").await);
        let root = alice.publish("root").await;
        let mut replies = Vec::new();
        for user in [&blocked, &muted, &limited] {
            replies.push(id(&user.reply(&root, "x").await));
        }
        bob.act_on("block", &blocked).await;
        bob.act_on("mute", &muted).await;
        app.set_state(&limited, AccountState { silenced: true, ..GOOD }).await;
        assert_eq!(context(&bob, &root).await, [Vec::<String>::new(), vec![]]);
        assert_eq!(context(&alice, &root).await, [vec![], replies[..2].to_vec()]);
        app.follow(&alice, &limited).await;
        assert_eq!(context(&alice, &root).await, [vec![], replies]);
    }

    async fn anonymous_viewers_see_a_limited_thread(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut chain = vec![alice.publish("0").await];
        for depth in 1..=45 {
            chain.push(alice.reply(&chain[depth - 1], "x").await);
        }
        let [above, _] = context(&app.anonymous(), &chain[45]).await;
        assert_eq!(above, chain[5..45].iter().map(id).collect::<Vec<_>>());
        let [_, below] = context(&app.anonymous(), &chain[0]).await;
        assert_eq!(below, chain[1..=20].iter().map(id).collect::<Vec<_>>());
        let [above, _] = context(&alice, &chain[45]).await;
        assert_eq!(above.len(), 45);
        for _ in 0..61 {
            alice.reply(&chain[45], "y").await;
        }
        assert_eq!(context(&app.anonymous(), &chain[45]).await[1].len(), 60);
        assert_eq!(context(&alice, &chain[45]).await[1].len(), 61);
    }
}
