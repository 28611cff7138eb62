//! `POST /api/v1/polls/{id}/votes`.

use std::time::Duration;

use futures_util::future::join_all;
use reqwest::multipart::Form;
use serde_json::{Value, json};

use super::{ask, ask_as, path, read, vote, votes};

const NO_SUCH_OPTION: &str = "The chosen vote option does not exist";

fn says(answer: &Value, words: &str) -> bool {
    answer["error"].as_str().unwrap().contains(words)
}

api_tests! {
    async fn a_vote_is_counted_and_shown_to_who_gave_it(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let status = ask(&alice, &["a", "b", "c"]).await;
        assert_eq!(read(&bob, &status).await["voted"], false);
        let answer = vote(&bob, &status, json!([2])).await.ok();
        assert_eq!(votes(&answer), [Some(0), Some(0), Some(1)]);
        assert_eq!((&answer["voted"], &answer["own_votes"]), (&json!(true), &json!([2])));
        assert_eq!(answer, read(&bob, &status).await);
        vote(&carol, &status, json!([2])).await.ok();
        let seen = read(&bob, &status).await;
        assert_eq!(votes(&seen), [Some(0), Some(0), Some(2)]);
        assert_eq!((&seen["votes_count"], &seen["voters_count"]), (&json!(2), &json!(2)));
        assert_eq!(read(&carol, &status).await["own_votes"], json!([2]));
    }

    async fn several_options_count_as_one_voter_where_several_can_be_chosen(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let poll = json!({ "options": ["a", "b", "c"], "expires_in": 300, "multiple": true });
        let status = ask_as(&alice, poll, "public").await;
        let answer = vote(&bob, &status, json!([2, 0])).await.ok();
        assert_eq!(votes(&answer), [Some(1), Some(0), Some(1)]);
        assert_eq!((&answer["votes_count"], &answer["voters_count"]), (&json!(2), &json!(1)));
        assert_eq!(answer["own_votes"], json!([0, 2]));
    }

    // Choices may be numbers or texts, in every encoding.
    async fn choices_are_read_from_whatever_a_client_sends(app: &TestApp) {
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
            let answer = match (form, body) {
                (Some(name), _) => voter.form(&path, &[(name, "1")]).await,
                (_, body) => voter.json(&path, body.unwrap()).await,
            };
            assert_eq!(answer.ok()["own_votes"], json!([1]), "{form:?}");
        }
        let voter = app.user("multipart").await;
        voter.multipart(&path, Form::new().text("choices[]", "1")).await.ok();
        let voter = app.user("query").await;
        voter.post(&format!("{path}?choices[]=1")).await.ok();
        assert_eq!(votes(&read(&alice, &status).await), [Some(0), Some(8)]);
    }

    // An index that is not an option is refused, and no vote counts.
    async fn what_is_no_option_cannot_be_chosen(app: &TestApp) {
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
    async fn a_vote_for_nothing_counts_nobody(app: &TestApp) {
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

    async fn where_several_can_be_chosen_one_may_do_so_one_after_the_other(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let poll = json!({ "options": ["a", "b", "c"], "expires_in": 300, "multiple": true });
        let status = ask_as(&alice, poll, "public").await;
        vote(&bob, &status, json!([1])).await.ok();
        app.advance(Duration::from_secs(1));
        let answer = vote(&bob, &status, json!([0])).await.ok();
        assert_eq!((&answer["votes_count"], &answer["voters_count"]), (&json!(2), &json!(1)));
        assert_eq!(answer["own_votes"], json!([1, 0]));
        assert_eq!(read(&bob, &status).await, answer);
        for again in [json!([0]), json!([0, 2])] {
            let refused = vote(&bob, &status, again).await.expect(422);
            assert!(says(&refused, "You have already voted on this poll"));
        }
        assert_eq!(votes(&read(&alice, &status).await), [Some(1), Some(1), Some(0)]);
    }

    async fn one_votes_once_however_often_one_tries(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = ask(&alice, &["a", "b"]).await;
        let tries = (0..10).map(|number| vote(&bob, &status, json!([number % 2])));
        let answers = join_all(tries).await;
        let counted = answers.iter().filter(|answer| answer.status == 200).count();
        assert_eq!(counted, 1);
        for answer in answers.iter().filter(|answer| answer.status != 200) {
            assert!(says(&answer.expect(422), "You have already voted on this poll"));
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
        for answer in join_all(all).await {
            answer.ok();
        }
        assert_eq!(votes(&read(&alice, &status).await), [Some(6), Some(6)]);
    }

    async fn of_two_options_one_alone_can_be_chosen(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = ask(&alice, &["a", "b"]).await;
        vote(&bob, &status, json!([0, 1])).await.expect(422);
        assert_eq!(read(&bob, &status).await["voted"], false);
        vote(&bob, &status, json!([1, 1])).await.ok();
        assert_eq!(votes(&read(&bob, &status).await), [Some(0), Some(1)]);
    }

    // An expired poll refuses votes.
    async fn a_poll_that_is_over_takes_no_vote(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = ask(&alice, &["a", "b"]).await;
        app.advance(Duration::from_hours(1));
        for _ in 0..2 {
            let answer = vote(&bob, &status, json!([0])).await;
            assert_eq!(answer.header("content-type"), Some("application/json"));
            assert!(says(&answer.expect(422), "The poll has already ended"));
            app.app().drain_jobs().await.unwrap();
        }
        let seen = read(&bob, &status).await;
        assert_eq!((votes(&seen), &seen["expired"]), (vec![Some(0), Some(0)], &json!(true)));
    }

    async fn who_may_not_see_or_does_not_want_to_does_not_vote(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = ask(&alice, &["a", "b"]).await;
        app.anonymous().post(&format!("{}/votes?choices[]=0", path(&status))).await.expect(401);
        let reader = app.user_with_scopes(&bob, "read write:media").await;
        vote(&reader, &status, json!([0])).await.expect(403);
        bob.act_on("block", &alice).await;
        vote(&bob, &status, json!([0])).await.expect(403);
        bob.act_on("unblock", &alice).await;
        vote(&bob, &status, json!([0])).await.ok();
    }
}
