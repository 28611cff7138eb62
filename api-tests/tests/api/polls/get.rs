//! `GET /api/v1/polls/{id}`.

use serde_json::json;

use super::{ask, ask_as, path, read, vote, votes};
use crate::support::{GOOD, id};
use siskin_entities::AccountState;

api_tests! {
    async fn a_poll_is_equal_alone_and_in_its_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = ask(&alice, &["yes", "no"]).await;
        vote(&bob, &status, json!([1])).await.ok();
        let status_path = format!("/api/v1/statuses/{}", id(&status));
        for viewer in [&alice.client, &bob.client, &app.anonymous()] {
            assert_eq!(viewer.get(&status_path).await.ok()["poll"], read(viewer, &status).await);
        }
        snapshot!("poll", bob.get(&path(&status)).await);
        let anonymous = read(&app.anonymous(), &status).await;
        assert!(anonymous.get("voted").is_none() && anonymous.get("own_votes").is_none());
    }

    async fn a_poll_is_visible_like_its_status(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        app.follow(&bob, &alice).await;
        let poll = || json!({ "options": ["a", "b"], "expires_in": 300 });
        let anonymous = app.anonymous();
        let unknown = alice.get("/api/v1/polls/115600000000000001").await.expect(404);
        for visibility in ["public", "unlisted"] {
            let status = ask_as(&alice, poll(), visibility).await;
            read(&anonymous, &status).await;
            read(&carol, &status).await;
        }
        let status = ask_as(&alice, poll(), "private").await;
        read(&bob, &status).await;
        for outsider in [&anonymous, &carol.client] {
            assert_eq!(outsider.get(&path(&status)).await.expect(404), unknown);
        }
        assert_eq!(vote(&carol, &status, json!([0])).await.expect(404), unknown);
        let direct = ask_as(&alice, poll(), "direct").await;
        read(&alice, &direct).await;
        for outsider in [&anonymous, &bob.client] {
            assert_eq!(outsider.get(&path(&direct)).await.expect(404), unknown);
        }
        assert_eq!(votes(&read(&alice, &status).await), [Some(0), Some(0)]);
    }

    async fn polls_are_hidden_from_blocked_viewers_and_of_suspended_authors(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = ask(&alice, &["a", "b"]).await;
        alice.act_on("block", &bob).await;
        bob.get(&path(&status)).await.expect(404);
        vote(&bob, &status, json!([0])).await.expect(404);
        app.anonymous().get(&path(&status)).await.ok();
        app.set_state(&alice, AccountState { suspended: true, ..GOOD }).await;
        app.anonymous().get(&path(&status)).await.expect(404);
    }

    async fn a_token_needs_the_read_scope(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = ask(&alice, &["a", "b"]).await;
        app.user_with_scopes(&alice, "write").await.get(&path(&status)).await.expect(403);
        app.user_with_scopes(&alice, "read:statuses").await.get(&path(&status)).await.ok();
        app.with_token("nonsense").get(&path(&status)).await.expect(401);
    }

    async fn a_reblog_shows_the_poll_of_what_it_reblogs(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = ask(&alice, &["a", "b"]).await;
        vote(&bob, &status, json!([0])).await.ok();
        let reblog = bob.act("reblog", &status).await;
        assert_eq!(reblog["poll"], json!(null));
        assert_eq!(reblog["reblog"]["poll"]["own_votes"], json!([0]));
    }

    async fn a_deleted_status_returns_its_poll_for_redrafting(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = ask(&alice, &["a", "b"]).await;
        vote(&bob, &status, json!([0])).await.ok();
        // The response to the deletion keeps the poll, for a redraft.
        let deleted = alice.delete(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
        assert_eq!(deleted["poll"]["options"][0]["title"], "a");
        assert_eq!(deleted["poll"]["id"], status["poll"]["id"]);
        bob.get(&path(&status)).await.expect(404);
        vote(&bob, &status, json!([0])).await.expect(404);
    }
}
