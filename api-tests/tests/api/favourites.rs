//! `GET /api/v1/favourites`.

use crate::support::{id, ids};

api_tests! {
    // The latest favourite comes first, and the links visit each one once.
    async fn favourites_are_listed_newest_first_without_duplicates(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let [one, two, three, four] = [
            alice.publish("1").await,
            alice.publish("2").await,
            alice.publish("3").await,
            alice.publish("4").await,
        ];
        for status in [&three, &one, &four, &two] {
            bob.act("favourite", status).await;
        }
        let first = bob.get("/api/v1/favourites?limit=3").await;
        assert_eq!(first.ids(), ids([&two, &four, &one]));
        assert!(first.ok().as_array().unwrap().iter().all(|status| status["favourited"] == true));
        let next = first.link("next").unwrap();
        assert!(next.contains("limit=3"), "{next}");
        // The cursor is not an id that the response shows.
        assert!(!next.contains(&id(&one)), "{next}");
        assert_eq!(bob.get(&next).await.ids(), ids([&three]));
        let newer = bob.get(&first.link("prev").unwrap()).await;
        assert_eq!(newer.ids(), Vec::<String>::new());
        bob.act("favourite", &alice.publish("5").await).await;
        assert_eq!(bob.get(&first.link("prev").unwrap()).await.ids().len(), 1);
        assert_eq!(bob.walk("/api/v1/favourites?limit=2").await.len(), 5);
        bob.get(&format!("/api/v1/favourites?max_id={}", id(&three))).await.ok();
    }

    async fn removed_deleted_and_hidden_statuses_are_left_out(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&bob, &alice).await;
        let [listed, undone, deleted, private] = [
            alice.publish("kept").await,
            alice.publish("undone").await,
            alice.publish("deleted").await,
            alice.publish_as(serde_json::json!({ "status": "private", "visibility": "private" })).await,
        ];
        for status in [&listed, &undone, &deleted, &private] {
            bob.act("favourite", status).await;
        }
        assert_eq!(bob.get("/api/v1/favourites").await.ids().len(), 4);
        bob.act("unfavourite", &undone).await;
        alice.delete(&format!("/api/v1/statuses/{}", id(&deleted))).await.ok();
        bob.act_on("unfollow", &alice).await;
        assert_eq!(bob.get("/api/v1/favourites").await.ids(), ids([&listed]));
        assert_eq!(alice.get("/api/v1/favourites").await.ids(), Vec::<String>::new());
        alice.act_on("block", &bob).await;
        assert_eq!(bob.get("/api/v1/favourites").await.ids(), Vec::<String>::new());
    }

    async fn reblogs_are_listed_as_the_original_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        let reblog = alice.act("reblog", &status).await;
        bob.act("favourite", &reblog).await;
        assert_eq!(bob.get("/api/v1/favourites").await.ids(), ids([&status]));
    }

    async fn favourites_need_their_scope(app: &TestApp) {
        let alice = app.user("alice").await;
        app.anonymous().get("/api/v1/favourites").await.expect(401);
        app.user_with_scopes(&alice, "read:statuses").await.get("/api/v1/favourites").await.expect(403);
        app.user_with_scopes(&alice, "read:favourites").await.get("/api/v1/favourites").await.ok();
    }
}
