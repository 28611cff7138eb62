//! `POST /api/v1/tags/{name}/follow`, `unfollow`, and `GET /api/v1/followed_tags`.

use serde_json::Value;
use siskin_services::tags;

use crate::support::{Response, User};

const FOLLOWED: &str = "/api/v1/followed_tags";

async fn follow(user: &User, name: &str, action: &str) -> Value {
    user.post(&format!("/api/v1/tags/{name}/{action}")).await.ok()
}

fn names(response: &Response) -> Vec<String> {
    let tags = response.ok();
    let name = |tag: &Value| tag["name"].as_str().unwrap().to_owned();
    tags.as_array().unwrap().iter().map(name).collect()
}

api_tests! {
    async fn followed_hashtags_are_limited(app: &TestApp) {
        let alice = app.user("alice").await;
        let account = alice.id.parse().unwrap();
        app.app()
            .write(move |tx| {
                (1..1000).try_for_each(|number| {
                    tags::follow(tx, account, &format!("tag{number}")).map(drop)
                })
            })
            .await
            .unwrap();
        follow(&alice, "last", "follow").await;
        let refused = alice.post("/api/v1/tags/more/follow").await.expect(422);
        assert_eq!(
            refused["error"], "Validation failed: At most 1000 hashtags can be followed"
        );
        assert_eq!(follow(&alice, "last", "follow").await["following"], true);
        follow(&alice, "tag7", "unfollow").await;
        assert_eq!(follow(&alice, "more", "follow").await["following"], true);
    }

    // A hashtag is followed until the same account unfollows it, in any spelling and script.
    async fn hashtags_are_followed_and_unfollowed(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        for name in ["%E6%97%A5%E6%9C%AC%E8%AA%9E", "Birds", "BIRDS"] {
            assert_eq!(follow(&alice, name, "follow").await["following"], true);
        }
        assert_eq!(names(&alice.get(FOLLOWED).await), ["birds", "日本語"]);
        assert_eq!(alice.get("/api/v1/tags/birds").await.ok()["following"], true);
        assert_eq!(bob.get("/api/v1/tags/birds").await.ok()["following"], false);
        assert_eq!(follow(&bob, "birds", "unfollow").await["following"], false);
        assert_eq!(follow(&bob, "unheard", "unfollow").await["following"], false);
        assert_eq!(names(&alice.get(FOLLOWED).await), ["birds", "日本語"]);
        assert_eq!(names(&bob.get(FOLLOWED).await), Vec::<String>::new());
        assert_eq!(follow(&alice, "bÍrds", "unfollow").await["following"], false);
        assert_eq!(names(&alice.get(FOLLOWED).await), ["日本語"]);
    }

    async fn followed_hashtags_are_paginated_by_the_time_of_following(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let all = ["a", "b", "c", "d", "e"];
        // The hashtags were created in another order than they are followed.
        for name in all.iter().rev() {
            bob.publish(&format!("#{name}")).await;
        }
        for name in all {
            follow(&alice, name, "follow").await;
        }
        let first = alice.get(&format!("{FOLLOWED}?limit=2")).await;
        assert_eq!(names(&first), ["e", "d"]);
        let (next, prev) = (first.link("next").unwrap(), first.link("prev").unwrap());
        assert!(prev.contains("since_id="), "{prev}");
        let second = alice.get(&next).await;
        assert_eq!(names(&second), ["c", "b"]);
        assert_eq!(names(&alice.get(&second.link("next").unwrap()).await), ["a"]);
        assert_eq!(names(&alice.get(&prev).await), Vec::<String>::new());
    }

    async fn following_hashtags_needs_a_token_of_its_scope(app: &TestApp) {
        let alice = app.user("alice").await;
        app.anonymous().get(FOLLOWED).await.expect(401);
        app.anonymous().post("/api/v1/tags/birds/follow").await.expect(401);
        let viewer = app.user_with_scopes(&alice, "read:follows").await;
        viewer.get(FOLLOWED).await.ok();
        viewer.post("/api/v1/tags/birds/follow").await.expect(403);
        viewer.post("/api/v1/tags/birds/unfollow").await.expect(403);
        let writer = app.user_with_scopes(&alice, "write:follows").await;
        writer.post("/api/v1/tags/birds/follow").await.ok();
        writer.get(FOLLOWED).await.expect(403);
    }
}
