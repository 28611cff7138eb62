//! Repeated, concurrent and undone actions: each has one notification while it is in force, and
//! none afterwards.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use siskin_services::polls::{self, EndPoll};

use super::{LIST, types};
use crate::{
    polls::{ask, vote},
    statuses::toggles::{MANY, assert_counted, toggle},
    support::{User, id},
};

/// Returns the path of the action that notifies Alice, and of the one that undoes it.
fn paths(alice: &User, status: &Value, kind: &str) -> [String; 2] {
    let of_status = |action: &str| format!("/api/v1/statuses/{}/{action}", id(status));
    let of_alice = |action: &str| format!("/api/v1/accounts/{}/{action}", alice.id);
    match kind {
        "favourite" => ["favourite", "unfavourite"].map(of_status),
        "reblog" => ["reblog", "unreblog"].map(of_status),
        _ => ["follow", "unfollow"].map(of_alice),
    }
}

/// Returns `true` if the action of Bob is in force.
async fn is_in_force(alice: &User, bob: &User, status: &Value, kind: &str) -> bool {
    let status = format!("/api/v1/statuses/{}", id(status));
    match kind {
        "favourite" => bob.get(&status).await.ok()["favourited"] == true,
        "reblog" => bob.get(&status).await.ok()["reblogged"] == true,
        "follow" => bob.relationship(alice).await["following"] == true,
        _ => bob.relationship(alice).await["requested"] == true,
    }
}

api_tests! {
    async fn each_action_notifies_once_however_often_it_is_repeated_and_undone(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        for kind in ["favourite", "reblog", "follow", "follow_request"] {
            if kind == "follow_request" {
                alice.lock().await;
            }
            let [does, undoes] = paths(&alice, &status, kind);
            assert_eq!(toggle(&bob, &does, &does, &[200]).await, [], "{kind}");
            assert_eq!(types(&alice, "").await, [kind], "repeated at once");
            let one = alice.get(LIST).await.ids();
            bob.post(&does).await.ok();
            assert_eq!(alice.get(LIST).await.ids(), one, "{kind}, repeated later");
            assert_eq!(toggle(&bob, &does, &undoes, &[200]).await, [], "{kind}");
            let is_in_force = is_in_force(&alice, &bob, &status, kind).await;
            let expected = if is_in_force { vec![kind] } else { Vec::new() };
            assert_eq!(types(&alice, "").await, expected, "{kind}, repeated and undone at once");
            bob.post(&does).await.ok();
            assert_eq!(types(&alice, "").await, [kind], "done last");
            bob.post(&undoes).await.ok();
            assert_eq!(types(&alice, "").await, [""; 0], "{kind}, undone last");
            assert_eq!(toggle(&bob, &undoes, &undoes, &[200]).await, [], "{kind}");
            assert_eq!(types(&alice, "").await, [""; 0], "{kind}, undone at once");
            assert_counted(app).await;
        }
    }

    // A vote cannot be undone, and causes no notification before the poll ends.
    async fn the_end_of_a_poll_notifies_once_after_repeated_votes_and_ends(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = ask(&alice, &["a", "b"]).await;
        let votes = (0..MANY).map(|number| vote(&bob, &status, json!([number % 2])));
        let votes = join_all(votes).await;
        assert!(votes.iter().all(|vote| matches!(vote.status, 200 | 422)), "{votes:?}");
        assert_eq!(votes.iter().filter(|vote| vote.status == 200).count(), 1);
        app.settle().await;
        for person in [&alice, &bob] {
            assert_eq!(types(person, "").await, [""; 0], "before the end");
        }
        app.advance(Duration::from_hours(1));
        let job = EndPoll { poll: id(&status["poll"]).parse().unwrap(), after: None };
        let ends = (0..MANY).map(|_| {
            let job = job.clone();
            app.app().write(move |tx| polls::end(tx, &job))
        });
        for ended in join_all(ends).await {
            ended.unwrap();
        }
        app.settle().await;
        for person in [&alice, &bob] {
            assert_eq!(types(person, "").await, ["poll"], "after the end");
        }
        assert_counted(app).await;
    }
}
