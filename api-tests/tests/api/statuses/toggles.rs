//! Concurrent actions of one person and their undoing, by several clients: no request results in a
//! server error, and counters match the rows.

use futures_util::future::join_all;
use serde_json::{Value, json};
use siskin_persistence::doctor;

use crate::support::{TestApp, User, id};

/// Number of concurrent requests.
pub const MANY: usize = 50;

/// Sends `does` and `undoes` alternately, all at once. Returns the responses with a status that is
/// not among `good`.
pub async fn toggle(user: &User, does: &str, undoes: &str, good: &[u16]) -> Vec<(u16, String)> {
    let request = async |number: usize| {
        let response = user.post(if number.is_multiple_of(2) { does } else { undoes }).await;
        (response.status, response.text())
    };
    let answers = join_all((0..MANY).map(request)).await;
    answers.into_iter().filter(|(status, _)| !good.contains(status)).collect()
}

/// Checks that all counters match the rows.
pub async fn assert_counted(app: &TestApp) {
    let wrong = app.app().read(|conn| Ok(doctor::wrong_counters(conn)?)).await.unwrap();
    assert!(wrong.is_empty(), "{wrong:?}");
}

fn count(status: &Value, counter: &str) -> usize {
    usize::try_from(status[counter].as_u64().unwrap()).unwrap()
}

api_tests! {
    async fn counters_are_correct_after_concurrent_reactions(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = bob.publish("hello").await;
        let of = |action: &str| format!("/api/v1/statuses/{}/{action}", id(&status));
        for (does, undoes, counter, list) in [
            ("reblog", "unreblog", Some("reblogs_count"), "reblogged_by"),
            ("favourite", "unfavourite", Some("favourites_count"), "favourited_by"),
            ("bookmark", "unbookmark", None, ""),
            ("mute", "unmute", None, ""),
        ] {
            let bad = toggle(&alice, &of(does), &of(undoes), &[200]).await;
            assert_eq!(bad, [], "{does}");
            assert_counted(app).await;
            if let Some(counter) = counter {
                let shown = bob.get(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
                let rows = bob.get(&of(list)).await.ids().len();
                assert_eq!(count(&shown, counter), rows, "{does}");
            }
            // Both actions still work afterwards.
            alice.act(does, &status).await;
            alice.act(undoes, &status).await;
        }
        assert_eq!(bob.notification_types().await, [""; 0], "an undone action must not notify");
    }

    async fn pins_are_consistent_after_concurrent_toggles(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("hello").await;
        let of = |action: &str| format!("/api/v1/statuses/{}/{action}", id(&status));
        // Pinning a pinned status is refused.
        assert_eq!(toggle(&alice, &of("pin"), &of("unpin"), &[200, 422]).await, []);
        let shown = alice.get(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
        let path = format!("/api/v1/accounts/{}/statuses?pinned=true", alice.id);
        let pins = alice.get(&path).await.ids().len();
        assert_eq!(shown["pinned"], json!(pins == 1));
    }

    async fn counters_are_correct_after_concurrent_relationship_changes(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let of = |action: &str| format!("/api/v1/accounts/{}/{action}", bob.id);
        for (does, undoes) in [("mute", "unmute"), ("follow", "unfollow"), ("block", "unblock")] {
            assert_eq!(toggle(&alice, &of(does), &of(undoes), &[200]).await, [], "{does}");
            assert_counted(app).await;
        }
        alice.act_on("unblock", &bob).await;
        bob.lock().await;
        assert_eq!(toggle(&alice, &of("follow"), &of("unfollow"), &[200]).await, []);
        alice.act_on("unfollow", &bob).await;
        assert_eq!(bob.get("/api/v1/follow_requests").await.ids(), [""; 0]);
        // Only followed accounts can be endorsed.
        let carol = app.user("carol").await;
        alice.act_on("follow", &carol).await;
        let of = |action: &str| format!("/api/v1/accounts/{}/{action}", carol.id);
        for (does, undoes) in [("endorse", "unendorse"), ("pin", "unpin")] {
            assert_eq!(toggle(&alice, &of(does), &of(undoes), &[200]).await, [], "{does}");
        }
        assert_counted(app).await;
    }

    async fn followed_hashtags_and_domain_blocks_are_consistent_after_concurrent_toggles(app: &TestApp) {
        let alice = app.user("alice").await;
        for (does, undoes) in [("follow", "unfollow"), ("feature", "unfeature")] {
            let of = |action: &str| format!("/api/v1/tags/birds/{action}");
            assert_eq!(toggle(&alice, &of(does), &of(undoes), &[200]).await, [], "{does}");
        }
        let path = "/api/v1/domain_blocks?domain=far.example";
        let request = async |number: usize| match number % 2 {
            0 => alice.post(path).await.status,
            _ => alice.delete(path).await.status,
        };
        let answers = join_all((0..MANY).map(request)).await;
        assert!(answers.iter().all(|status| *status == 200), "{answers:?}");
        assert_counted(app).await;
    }

    async fn counters_are_correct_after_concurrent_votes_and_deletions(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let statuses = join_all((0..10).map(async |_| bob.publish("hello").await)).await;
        let request = async |status: &Value, action: &str| {
            let path = format!("/api/v1/statuses/{}", id(status));
            match action {
                "delete" => bob.delete(&path).await.status,
                _ => alice.post(&format!("{path}/{action}")).await.status,
            }
        };
        let actions = ["reblog", "favourite", "delete", "unreblog", "bookmark"];
        let requests = statuses.iter().flat_map(|status| actions.map(|action| request(status, action)));
        let answers = join_all(requests).await;
        // A deleted status results in 404.
        assert!(answers.iter().all(|status| matches!(status, 200 | 404)), "{answers:?}");
        assert_counted(app).await;
    }
}
