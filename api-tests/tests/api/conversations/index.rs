//! `GET /api/v1/conversations`.

use serde_json::json;
use siskin_entities::AccountState;

use super::{PATH, all, conversation};
use crate::support::{GOOD, id};

api_tests! {
    async fn a_direct_status_creates_a_conversation_for_each_participant(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let hello = alice.tell("@bob hello").await;
        assert_eq!(all(&alice).await, [conversation(&["bob"], &hello, false)]);
        assert_eq!(all(&bob).await, [conversation(&["alice"], &hello, true)]);
        let response = bob.tell_in_answer(&hello, "@alice hello").await;
        assert_eq!(all(&alice).await, [conversation(&["bob"], &response, true)]);
        assert_eq!(all(&bob).await, [conversation(&["alice"], &response, false)]);
        assert_eq!(all(&carol).await, []);
        snapshot!("conversations", alice.get(PATH).await);
        alice.publish("@bob not between us").await;
        alice.publish_as(json!({ "status": "@bob x", "visibility": "private" })).await;
        assert_eq!(all(&bob).await.len(), 1);
    }

    async fn other_participants_in_a_thread_form_another_conversation(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let root = alice.publish("hello, all").await;
        let to_bob = alice.tell_in_answer(&root, "@bob between us").await;
        let to_carol = alice.tell_in_answer(&root, "@carol between us").await;
        let to_both = alice.tell_in_answer(&to_bob, "@bob @carol all of us").await;
        assert_eq!(
            all(&alice).await,
            [
                conversation(&["bob", "carol"], &to_both, false),
                conversation(&["carol"], &to_carol, false),
                conversation(&["bob"], &to_bob, false),
            ]
        );
        assert_eq!(
            all(&carol).await,
            [
                conversation(&["alice", "bob"], &to_both, true),
                conversation(&["alice"], &to_carol, true),
            ]
        );
        let again = bob.tell_in_answer(&to_bob, "@alice yes").await;
        assert_eq!(all(&bob).await[0], conversation(&["alice"], &again, false));
        assert_eq!(all(&alice).await[0], conversation(&["bob"], &again, true));
    }

    async fn a_note_to_oneself_is_a_conversation_with_oneself(app: &TestApp) {
        let alice = app.user("alice").await;
        let note = alice.tell("milk, eggs").await;
        assert_eq!(all(&alice).await, [conversation(&["alice"], &note, false)]);
    }

    async fn conversations_are_paginated_by_their_last_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let mut begun = Vec::new();
        for number in 0..5 {
            begun.push(alice.tell(&format!("@bob {number}")).await);
        }
        let last = bob.tell_in_answer(&begun[1], "@alice back to 1").await;
        let order = [&last, &begun[4], &begun[3], &begun[2], &begun[0]];
        let first = alice.get(&format!("{PATH}?limit=2")).await;
        let last_texts = |response: &serde_json::Value| -> Vec<String> {
            response.as_array().unwrap().iter().map(|one| id(&one["last_status"])).collect()
        };
        let expected = |range: std::ops::Range<usize>| -> Vec<String> {
            order[range].iter().map(|status| id(status)).collect()
        };
        assert_eq!(last_texts(&first.ok()), expected(0..2));
        let next = first.link("next").unwrap();
        assert!(next.contains(&format!("max_id={}", id(order[1]))), "{next}");
        let second = alice.get(&next).await;
        assert_eq!(last_texts(&second.ok()), expected(2..4));
        let prev = second.link("prev").unwrap();
        assert!(prev.contains(&format!("min_id={}", id(order[2]))), "{prev}");
        assert_eq!(last_texts(&alice.get(&prev).await.ok()), expected(0..2));
        let since = format!("{PATH}?since_id={}", id(order[3]));
        assert_eq!(last_texts(&alice.get(&since).await.ok()), expected(0..3));
        let newer = alice.get(&first.link("prev").unwrap()).await;
        assert_eq!(newer.ok(), json!([]));
        let more = alice.tell("@bob more").await;
        let again = alice.get(&newer.link("prev").unwrap()).await;
        assert_eq!(last_texts(&again.ok()), [id(&more)]);
    }

    async fn statuses_of_blocked_and_muted_accounts_are_hidden(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let to_both = carol.tell("@alice @bob hello").await;
        let by_bob = bob.tell_in_answer(&to_both, "@alice @carol hello").await;
        let alone = bob.tell("@alice only you").await;
        let summary = [
            conversation(&["bob"], &alone, true),
            conversation(&["bob", "carol"], &by_bob, true),
        ];
        assert_eq!(all(&alice).await, summary);
        alice.act_on("mute", &bob).await;
        assert_eq!(all(&alice).await, [conversation(&["bob", "carol"], &to_both, true)]);
        alice.act_on("unmute", &bob).await;
        assert_eq!(all(&alice).await, summary);
        bob.act_on("block", &alice).await;
        assert_eq!(all(&alice).await, [conversation(&["bob", "carol"], &to_both, true)]);
        app.set_state(&carol, AccountState { suspended: true, ..GOOD }).await;
        assert_eq!(all(&alice).await, []);
    }

    async fn after_a_deletion_the_previous_status_is_the_last(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let first = alice.tell("@bob one").await;
        let second = alice.tell_in_answer(&first, "@bob two").await;
        let delete = async |status| {
            alice.delete(&format!("/api/v1/statuses/{}", id(status))).await.ok();
        };
        delete(&second).await;
        assert_eq!(all(&bob).await, [conversation(&["alice"], &first, true)]);
        delete(&first).await;
        for user in [&alice, &bob] {
            assert_eq!(all(user).await, []);
        }
    }

    async fn an_edit_with_a_new_mention_moves_the_status(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let first = alice.tell("@bob one").await;
        let second = alice.tell_in_answer(&first, "@bob two").await;
        let path = format!("/api/v1/statuses/{}", id(&second));
        alice.put(&path, &[("status", "@bob @carol two")]).await.ok();
        assert_eq!(all(&carol).await, [conversation(&["alice", "bob"], &second, true)]);
        assert_eq!(
            all(&bob).await,
            [
                conversation(&["alice", "carol"], &second, true),
                conversation(&["alice"], &first, true),
            ]
        );
    }

    async fn thread_filters_apply_to_the_last_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        for (word, context) in [("secret", "thread"), ("hidden", "home")] {
            let filter = json!({
                "title": word, "context": [context], "filter_action": "hide",
                "keywords_attributes": [{ "keyword": word }],
            });
            bob.json("/api/v2/filters", filter).await.ok();
        }
        alice.tell("@bob a secret, hidden").await;
        let marks = |conversation: &serde_json::Value| -> Vec<String> {
            let marks = conversation["last_status"]["filtered"].as_array().unwrap();
            let title = |mark: &serde_json::Value| mark["filter"]["title"].as_str().unwrap().to_owned();
            marks.iter().map(title).collect()
        };
        let all = bob.get(PATH).await.ok();
        assert_eq!(marks(&all[0]), ["secret"]);
        let read = bob.post(&format!("{PATH}/{}/read", id(&all[0]))).await.ok();
        assert_eq!(marks(&read), ["secret"]);
        assert_eq!(marks(&alice.get(PATH).await.ok()[0]), Vec::<String>::new());
    }

    async fn conversations_need_a_token_of_their_scope(app: &TestApp) {
        let alice = app.user("alice").await;
        app.anonymous().get(PATH).await.expect(401);
        app.user_with_scopes(&alice, "read:statuses").await.get(PATH).await.ok();
        app.user_with_scopes(&alice, "read:accounts").await.get(PATH).await.expect(403);
        alice.get(&format!("{PATH}/")).await.ok();
    }
}
