//! `POST /api/v1/polls/{id}/votes`.

use std::time::Duration;

use futures_util::future::join_all;
use reqwest::multipart::Form;
use serde_json::{Value, json};

use super::{ask, ask_as, path, read, vote, votes};

const NO_SUCH_OPTION: &str = "The chosen vote option does not exist";

fn says(response: &Value, text: &str) -> bool {
    response["error"].as_str().unwrap().contains(text)
}

api_tests! {
    async fn a_vote_is_counted_and_shown_to_the_voter(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let status = ask(&alice, &["a", "b", "c"]).await;
        assert_eq!(read(&bob, &status).await["voted"], false);
        let response = vote(&bob, &status, json!([2])).await.ok();
        assert_eq!(votes(&response), [Some(0), Some(0), Some(1)]);
        assert_eq!((&response["voted"], &response["own_votes"]), (&json!(true), &json!([2])));
        assert_eq!(response, read(&bob, &status).await);
        vote(&carol, &status, json!([2])).await.ok();
        let seen = read(&bob, &status).await;
        assert_eq!(votes(&seen), [Some(0), Some(0), Some(2)]);
        assert_eq!((&seen["votes_count"], &seen["voters_count"]), (&json!(2), &json!(2)));
        assert_eq!(read(&carol, &status).await["own_votes"], json!([2]));
    }

    async fn several_chosen_options_count_as_one_voter(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let poll = json!({ "options": ["a", "b", "c"], "expires_in": 300, "multiple": true });
        let status = ask_as(&alice, poll, "public").await;
        let response = vote(&bob, &status, json!([2, 0])).await.ok();
        assert_eq!(votes(&response), [Some(1), Some(0), Some(1)]);
        assert_eq!((&response["votes_count"], &response["voters_count"]), (&json!(2), &json!(1)));
        assert_eq!(response["own_votes"], json!([0, 2]));
    }

    // Choices may be numbers or texts, in every encoding.
    async fn choices_are_accepted_in_every_encoding(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = ask(&alice, &["a", "b"]).await;
        let path = format!("{}/votes", path(&status));
        for (number, (form, body)) in [
            (Some("choices[]"), None),
            (Some("choices"), None),
            (Some("choices[0]"), None),
            (None, Some(json!({ "choices": ["1"] }))),
            (None, Some(json!({ "choices": [1] }))),
            (None, Some(json!({ "choices": 1 }))),
        ]
        .into_iter()
        .enumerate()
        {
            let voter = app.user(&format!("voter{number}")).await;
            let response = match (form, body) {
                (Some(name), _) => voter.form(&path, &[(name, "1")]).await,
                (_, body) => voter.json(&path, body.unwrap()).await,
            };
            assert_eq!(response.ok()["own_votes"], json!([1]), "{form:?}");
        }
        let voter = app.user("multipart").await;
        voter.multipart(&path, Form::new().text("choices[]", "1")).await.ok();
        let voter = app.user("query").await;
        voter.post(&format!("{path}?choices[]=1")).await.ok();
        assert_eq!(votes(&read(&alice, &status).await), [Some(0), Some(8)]);
    }

    // An index that is not an option is refused, and no vote counts.
    async fn invalid_options_are_refused(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = ask(&alice, &["a", "b"]).await;
        for choices in [
            json!(["99"]), json!([99]), json!(["-1"]), json!([-1]), json!(["abc"]), json!([0, 99]),
            json!(["1e0"]), json!(["0.0"]), json!(["18446744073709551616"]),
        ] {
            let refused = vote(&bob, &status, choices.clone()).await.expect(422);
            assert!(says(&refused, NO_SUCH_OPTION), "{choices}: {refused}");
        }
        let seen = read(&bob, &status).await;
        assert_eq!(votes(&seen), [Some(0), Some(0)]);
        assert_eq!((&seen["voted"], &seen["voters_count"]), (&json!(false), &json!(0)));
    }

    // Authors cannot vote in their own polls.
    async fn authors_do_not_vote_in_their_own_polls(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = ask(&alice, &["a", "b"]).await;
        vote(&alice, &status, json!([0])).await.expect(422);
        let own = read(&alice, &status).await;
        assert_eq!((&own["voted"], &own["own_votes"]), (&json!(true), &json!([])));
        assert_eq!(own["votes_count"], 0);
    }

    // A vote without choices is refused and does not count.
    async fn an_empty_vote_is_not_counted(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = ask(&alice, &["a", "b"]).await;
        let votes_path = format!("{}/votes", path(&status));
        for _ in 0..10 {
            bob.post(&votes_path).await.expect(422);
            bob.form(&votes_path, &[("choices[]", "")]).await.expect(422);
        }
        bob.json(&votes_path, json!({ "choices": null })).await.expect(422);
        assert_eq!(read(&bob, &status).await["voters_count"], 0);
        assert_eq!(vote(&bob, &status, json!([1])).await.ok()["voters_count"], 1);
    }

    async fn options_of_a_multiple_choice_poll_can_be_chosen_one_by_one(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let poll = json!({ "options": ["a", "b", "c"], "expires_in": 300, "multiple": true });
        let status = ask_as(&alice, poll, "public").await;
        vote(&bob, &status, json!([1])).await.ok();
        app.advance(Duration::from_secs(1));
        let response = vote(&bob, &status, json!([0])).await.ok();
        assert_eq!((&response["votes_count"], &response["voters_count"]), (&json!(2), &json!(1)));
        assert_eq!(response["own_votes"], json!([1, 0]));
        assert_eq!(read(&bob, &status).await, response);
        for again in [json!([0]), json!([0, 2])] {
            let refused = vote(&bob, &status, again).await.expect(422);
            assert!(says(&refused, "You have already voted on this poll"));
        }
        assert_eq!(votes(&read(&alice, &status).await), [Some(1), Some(1), Some(0)]);
    }

    async fn an_account_votes_once(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = ask(&alice, &["a", "b"]).await;
        let tries = (0..10).map(|number| vote(&bob, &status, json!([number % 2])));
        let answers = join_all(tries).await;
        let counted = answers.iter().filter(|response| response.status == 200).count();
        assert_eq!(counted, 1);
        for response in answers.iter().filter(|response| response.status != 200) {
            assert!(says(&response.expect(422), "You have already voted on this poll"));
        }
        let seen = read(&alice, &status).await;
        assert_eq!((&seen["votes_count"], &seen["voters_count"]), (&json!(1), &json!(1)));
    }

    async fn many_voters_at_once_are_all_counted(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = ask(&alice, &["a", "b"]).await;
        let mut voters = Vec::new();
        for number in 0..12 {
            voters.push(app.user(&format!("voter{number}")).await);
        }
        let all = voters.iter().zip(0..).map(|(voter, number)| vote(voter, &status, json!([number % 2])));
        for response in join_all(all).await {
            response.ok();
        }
        assert_eq!(votes(&read(&alice, &status).await), [Some(6), Some(6)]);
    }

    async fn concurrent_votes_for_two_options_count_one(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = ask(&alice, &["a", "b"]).await;
        vote(&bob, &status, json!([0, 1])).await.expect(422);
        assert_eq!(read(&bob, &status).await["voted"], false);
        vote(&bob, &status, json!([1, 1])).await.ok();
        assert_eq!(votes(&read(&bob, &status).await), [Some(0), Some(1)]);
    }

    // An expired poll refuses votes.
    async fn expired_polls_accept_no_votes(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = ask(&alice, &["a", "b"]).await;
        app.advance(Duration::from_hours(1));
        for _ in 0..2 {
            let response = vote(&bob, &status, json!([0])).await;
            assert_eq!(response.header("content-type"), Some("application/json"));
            assert!(says(&response.expect(422), "The poll has already ended"));
            app.app().drain_jobs().await.unwrap();
        }
        let seen = read(&bob, &status).await;
        assert_eq!((votes(&seen), &seen["expired"]), (vec![Some(0), Some(0)], &json!(true)));
    }

    async fn votes_need_visibility_and_no_block(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = ask(&alice, &["a", "b"]).await;
        app.anonymous().post(&format!("{}/votes?choices[]=0", path(&status))).await.expect(401);
        let viewer = app.user_with_scopes(&bob, "read write:media").await;
        vote(&viewer, &status, json!([0])).await.expect(403);
        bob.act_on("block", &alice).await;
        vote(&bob, &status, json!([0])).await.expect(403);
        bob.act_on("unblock", &alice).await;
        vote(&bob, &status, json!([0])).await.ok();
    }
}
