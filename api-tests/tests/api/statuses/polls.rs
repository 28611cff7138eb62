//! The poll of a new or edited status.

use reqwest::{Method, multipart::Form};
use serde_json::{Value, json};

use crate::{
    polls::{ask, ask_as, read, vote, votes},
    support::{Response, User, id},
};

const PATH: &str = "/api/v1/statuses";

fn titles(poll: &Value) -> Vec<&str> {
    let options = poll["options"].as_array().unwrap();
    options.iter().map(|option| option["title"].as_str().unwrap()).collect()
}

async fn edit(author: &User, status: &Value, parameters: Value) -> Response {
    let path = format!("{PATH}/{}", id(status));
    author.send(author.request(Method::PUT, &path).json(&parameters)).await
}

api_tests! {
    async fn a_poll_is_published_with_its_status(app: &TestApp) {
        let alice = app.user("alice").await;
        let poll = json!({ "options": [" yes ", "no"], "expires_in": 300 });
        let status = ask_as(&alice, poll, "public").await;
        let poll = &status["poll"];
        assert_eq!(titles(poll), ["yes", "no"]);
        assert_eq!((votes(poll), &poll["multiple"]), (vec![Some(0), Some(0)], &json!(false)));
        assert_eq!((&poll["expired"], &poll["voted"]), (&json!(false), &json!(true)));
        assert_eq!((&poll["voters_count"], &poll["emojis"]), (&json!(0), &json!([])));
        assert_eq!(alice.get(&format!("{PATH}/{}", id(&status))).await.ok(), status);
        assert_eq!(alice.publish("no question").await["poll"], json!(null));
    }

    // Parameters of a poll may be numbers, booleans or texts.
    async fn a_poll_is_accepted_in_every_encoding(app: &TestApp) {
        let alice = app.user("alice").await;
        let texts = json!({ "options": ["a", "b"], "expires_in": "3600", "multiple": "false" });
        let status = ask_as(&alice, texts, "public").await;
        assert_eq!(status["poll"]["multiple"], false);
        let bob = app.user("bob").await;
        vote(&bob, &status, json!(["0"])).await.ok();
        let fields = [
            ("status", "x"), ("poll[options][]", "a"), ("poll[options][]", "b"),
            ("poll[expires_in]", "3600"), ("poll[multiple]", "true"), ("poll[hide_totals]", "1"),
        ];
        let form = alice.form(PATH, &fields).await.ok();
        let mut multipart = Form::new();
        for (name, value) in fields {
            multipart = multipart.text(name, value);
        }
        let multipart = alice.multipart(PATH, multipart).await.ok();
        let query = format!(
            "{PATH}?status=x&poll[options][0]=a&poll[options][1]=b&poll[expires_in]=3600\
             &poll[multiple]=on&poll[hide_totals]=t"
        );
        let query = alice.post(&query).await.ok();
        for status in [form, multipart, query] {
            let poll = &status["poll"];
            assert_eq!((titles(poll), votes(poll)), (vec!["a", "b"], vec![None, None]));
            assert_eq!(poll["multiple"], true);
        }
    }

    // An invalid poll is refused, and the status is not published.
    async fn invalid_polls_are_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        let ask = |options: Value, expires_in: Value| {
            json!({ "status": "x", "poll": { "options": options, "expires_in": expires_in } })
        };
        let two = || json!(["a", "b"]);
        let long = "x".repeat(51);
        for (parameters, why) in [
            (ask(two(), json!(0)), "Poll expires at is too soon"),
            (ask(two(), json!(-5)), "Poll expires at is too soon"),
            (ask(two(), json!(null)), "Poll expires at is too soon"),
            (ask(two(), json!(1e12)), "Poll expires at is too far into the future"),
            (ask(two(), json!(2_629_747)), "Poll expires at is too far into the future"),
            (ask(json!(["a"]), json!(300)), "Poll options must have more than one item"),
            (ask(json!([]), json!(300)), "Poll options must have more than one item"),
            (ask(json!(["", ""]), json!(300)), "Poll options must have more than one item"),
            (ask(json!(["a", "a"]), json!(300)), "Poll options contain duplicate items"),
            (ask(json!(vec!["a"; 50]), json!(300)), "Poll options can't contain more than 4 items"),
            (
                ask(json!(["a", long]), json!(300)),
                "Poll options cannot be longer than 50 characters each",
            ),
        ] {
            let refused = alice.json(PATH, parameters.clone()).await.expect(422);
            assert_eq!(refused["error"], format!("Validation failed: {why}"), "{parameters}");
        }
        for odd in [json!("soon"), json!(3.5), json!([300])] {
            alice.json(PATH, ask(two(), odd)).await.expect(422);
        }
        let wordless = json!({ "poll": { "options": ["a", "b"], "expires_in": 300 } });
        alice.json(PATH, wordless).await.expect(422);
        assert_eq!(alice.credentials().await.ok()["statuses_count"], 0);
    }

    async fn the_announced_limits_apply(app: &TestApp) {
        let alice = app.user("alice").await;
        let instance = alice.get("/api/v2/instance").await.ok();
        let limits = &instance["configuration"]["polls"];
        let number = |name: &str| limits[name].as_u64().unwrap();
        let options: Vec<String> = (0..number("max_options"))
            .map(|option| option.to_string().repeat(number("max_characters_per_option") as usize))
            .collect();
        for seconds in [number("min_expiration"), number("max_expiration")] {
            let poll = json!({ "options": options.clone(), "expires_in": seconds });
            assert_eq!(titles(&ask_as(&alice, poll, "public").await["poll"]), options);
        }
    }

    async fn an_idempotency_key_publishes_one_poll(app: &TestApp) {
        let alice = app.user("alice").await;
        let parameters = json!({
            "status": "x", "poll": { "options": ["a", "b"], "expires_in": 300 },
        });
        let mut polls = Vec::new();
        for _ in 0..2 {
            let request = alice.request(Method::POST, PATH).json(&parameters);
            polls.push(alice.send(request.header("Idempotency-Key", "once")).await.ok()["poll"].take());
        }
        assert_eq!(polls[0], polls[1]);
    }

    // An edit with the same options keeps the votes.
    async fn an_edit_with_the_same_poll_leaves_the_votes(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = ask(&alice, &["a", "b"]).await;
        vote(&bob, &status, json!([1])).await.ok();
        let same = json!({
            "status": "Well then?", "poll": { "options": ["a", "b"], "expires_in": 3600 },
        });
        let edited = edit(&alice, &status, same).await.ok();
        assert_eq!(edited["poll"]["id"], status["poll"]["id"]);
        assert_eq!(votes(&edited["poll"]), [Some(0), Some(1)]);
        assert!(edited["edited_at"].is_string());
        let silent = edit(&alice, &status, json!({ "status": "Now?" })).await.ok();
        assert_eq!(votes(&silent["poll"]), [Some(0), Some(1)]);
        let history = alice.get(&format!("{PATH}/{}/history", id(&status))).await.ok();
        let options: Vec<Vec<&str>> =
            history.as_array().unwrap().iter().map(|version| titles(&version["poll"])).collect();
        assert_eq!(options, [["a", "b"]; 3]);
    }

    async fn an_edit_with_another_poll_resets_the_votes(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = ask(&alice, &["a", "b"]).await;
        vote(&bob, &status, json!([1])).await.ok();
        let other = json!({ "poll": { "options": ["b", "c"], "expires_in": 300 } });
        let edited = edit(&alice, &status, other).await.ok();
        assert_eq!((titles(&edited["poll"]), votes(&edited["poll"])), (vec!["b", "c"], vec![Some(0), Some(0)]));
        let seen = read(&bob, &status).await;
        assert_eq!((&seen["voted"], &seen["voters_count"]), (&json!(false), &json!(0)));
        vote(&bob, &status, json!([0])).await.ok();
        // The history shows the options of each version.
        let history = alice.get(&format!("{PATH}/{}/history", id(&status))).await.ok();
        assert_eq!(titles(&history[0]["poll"]), ["a", "b"]);
        assert_eq!(titles(&history[1]["poll"]), ["b", "c"]);
        edit(&alice, &status, json!({ "poll": { "options": ["b"], "expires_in": 300 } })).await.expect(422);
        assert_eq!(votes(&read(&bob, &status).await), [Some(1), Some(0)]);
    }

    async fn an_edit_can_add_a_poll(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hm").await;
        let poll = json!({ "poll": { "options": ["a", "b"], "expires_in": 300 } });
        let edited = edit(&alice, &status, poll).await.ok();
        vote(&bob, &edited, json!([0])).await.ok();
        assert!(edited["edited_at"].is_string());
    }

    async fn a_status_has_either_attachments_or_a_poll(app: &TestApp) {
        let alice = app.user("alice").await;
        let picture = alice.publish_picture("look", "a bird").await;
        let poll = json!({ "poll": { "options": ["a", "b"], "expires_in": 300 } });
        let refused = edit(&alice, &picture, poll).await.expect(422);
        let why = "Validation failed: A post has either attachments or a poll";
        assert_eq!(refused["error"], why);
        let shown = alice.get(&format!("{PATH}/{}", id(&picture))).await.ok();
        assert_eq!(shown["poll"], Value::Null);
        let both = json!({
            "status": "x", "media_ids": [picture["media_attachments"][0]["id"]],
            "poll": { "options": ["a", "b"], "expires_in": 300 },
        });
        let refused = alice.send(alice.request(Method::POST, PATH).json(&both)).await.expect(422);
        assert_eq!(refused["error"], why);
    }
}
