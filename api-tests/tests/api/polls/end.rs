//! The end of a poll.

use std::time::Duration;

use serde_json::{Value, json};

use super::{ask, ask_as, read, vote, votes};
use crate::support::{TestApp, User, id};

/// Advances the clock by an hour and runs the due jobs.
async fn an_hour_later(app: &TestApp) {
    app.advance(Duration::from_hours(1));
    app.app().drain_jobs().await.unwrap();
}

/// Returns a person's notifications about polls.
async fn poll_notifications(person: &User) -> Vec<Value> {
    let all = person.get("/api/v1/notifications?types[]=poll").await.ok();
    all.as_array().unwrap().clone()
}

api_tests! {
    // Author and voters get one notification when a poll ends, other accounts get none.
    async fn the_end_of_a_poll_notifies_author_and_voters_only(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let poll = json!({ "options": ["a", "b"], "expires_in": 3600, "multiple": true });
        let status = ask_as(&alice, poll, "public").await;
        let before = votes(&vote(&bob, &status, json!([0, 1])).await.ok());
        app.app().drain_jobs().await.unwrap();
        assert_eq!(bob.notification_types().await, [""; 0]);
        an_hour_later(app).await;
        for person in [&alice, &bob] {
            let poll_notifications = poll_notifications(person).await;
            assert_eq!(poll_notifications.len(), 1, "{}", person.username);
            assert_eq!(poll_notifications[0]["type"], "poll");
            assert_eq!(poll_notifications[0]["account"]["id"], alice.id);
            assert_eq!(poll_notifications[0]["status"]["id"], status["id"]);
            let poll = &poll_notifications[0]["status"]["poll"];
            assert_eq!(poll["expired"], true);
            assert_eq!((votes(poll), &poll["votes_count"]), (before.clone(), &json!(2)));
        }
        assert_eq!(poll_notifications(&carol).await, Vec::<Value>::new());
    }

    async fn dismissed_notifications_do_not_come_back(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = ask(&alice, &["a", "b"]).await;
        vote(&bob, &status, json!([0])).await.ok();
        an_hour_later(app).await;
        for person in [&alice, &bob] {
            let dismiss = format!("/api/v1/notifications/{}/dismiss", id(&poll_notifications(person).await[0]));
            person.post(&dismiss).await.ok();
        }
        // The edited poll is open again. Accounts that were notified of the first end get no second
        // notification.
        let anew = json!({ "poll": { "options": ["a", "c"], "expires_in": 3600 } });
        let edit = format!("/api/v1/statuses/{}", id(&status));
        alice.send(alice.request(reqwest::Method::PUT, &edit).json(&anew)).await.ok();
        let carol = app.user("carol").await;
        vote(&bob, &status, json!([1])).await.ok();
        vote(&carol, &status, json!([1])).await.ok();
        assert_eq!(read(&bob, &status).await["expired"], false);
        an_hour_later(app).await;
        assert_eq!(read(&bob, &status).await["expired"], true);
        assert_eq!((poll_notifications(&alice).await.len(), poll_notifications(&bob).await.len()), (0, 0));
        assert_eq!(poll_notifications(&carol).await.len(), 1);
    }

    async fn voters_that_block_or_mute_the_author_are_not_notified(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let status = ask(&alice, &["a", "b"]).await;
        for voter in [&bob, &carol] {
            vote(voter, &status, json!([0])).await.ok();
        }
        bob.act_on("block", &alice).await;
        carol.act_on("mute", &alice).await;
        an_hour_later(app).await;
        bob.act_on("unblock", &alice).await;
        carol.act_on("unmute", &alice).await;
        assert_eq!((poll_notifications(&bob).await.len(), poll_notifications(&carol).await.len()), (0, 0));
        assert_eq!(poll_notifications(&alice).await.len(), 1);
    }

    async fn hidden_totals_are_shown_after_the_end(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let poll = json!({ "options": ["a", "b"], "expires_in": 3600, "hide_totals": true });
        let status = ask_as(&alice, poll, "public").await;
        let response = vote(&bob, &status, json!([1])).await.ok();
        assert_eq!((votes(&response), &response["own_votes"]), (vec![None, None], &json!([1])));
        for viewer in [&alice, &bob] {
            assert_eq!(votes(&read(viewer, &status).await), [None, None]);
        }
        app.advance(Duration::from_hours(1));
        assert_eq!(votes(&read(&app.anonymous(), &status).await), [Some(0), Some(1)]);
    }

    async fn deleting_an_account_removes_its_votes(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let poll = json!({ "options": ["a", "b"], "expires_in": 3600, "multiple": true });
        let status = ask_as(&alice, poll, "public").await;
        vote(&bob, &status, json!([0, 1])).await.ok();
        vote(&carol, &status, json!([1])).await.ok();
        let gone = bob.id.parse().unwrap();
        app.app()
            .write(move |tx| siskin_services::accounts::removal::begin(tx, gone))
            .await
            .unwrap();
        app.app().drain_jobs().await.unwrap();
        let seen = read(&carol, &status).await;
        assert_eq!((votes(&seen), &seen["voters_count"]), (vec![Some(0), Some(1)], &json!(1)));
    }
}
