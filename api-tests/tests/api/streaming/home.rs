//! The stream `user`: events of the home timeline.

use serde_json::json;
use siskin_persistence::accounts::Decision;
use siskin_services::accounts;

use crate::support::id;

stream_tests! {
    async fn the_home_stream_matches_the_home_timeline(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        app.follow(&alice, &bob).await;
        let mut socket = app.listen(&alice, "stream=user").await;
        carol.publish("Not followed").await;
        let private = bob.publish_as(json!({ "status": "Among us", "visibility": "private" })).await;
        bob.publish_as(json!({ "status": "@carol secret", "visibility": "direct" })).await;
        bob.reply(&carol.publish("Question").await, "Answer to a stranger").await;
        let own = alice.publish("Mine").await;
        assert_eq!(socket.event().await.1["id"], private["id"]);
        assert_eq!(socket.event().await.1["id"], own["id"]);
        let direct =
            bob.publish_as(json!({ "status": "@alice secret", "visibility": "direct" })).await;
        let payload = socket.until("update").await;
        assert_eq!(payload["id"], direct["id"]);
    }

    async fn a_streamed_status_equals_the_one_in_the_timeline(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&alice, &bob).await;
        let mut socket = app.listen(&alice, "stream=user").await;
        let mut of_bob = app.listen(&bob, "stream=user").await;
        let private = bob.publish_as(json!({ "status": "Among us", "visibility": "private" })).await;
        let poll = json!({ "options": ["Yes", "No"], "expires_in": 3600 });
        bob.publish_as(json!({
            "status": "What #now?", "in_reply_to_id": private["id"], "poll": poll,
        })).await;
        let far = app.user("carol").await.publish("Look https://a.example").await;
        bob.act("reblog", &far).await;
        alice.act("favourite", &far).await;
        for (user, socket) in [(&alice, &mut socket), (&bob, &mut of_bob)] {
            let page = user.get("/api/v1/timelines/home").await.ok();
            for shown in page.as_array().unwrap().iter().rev() {
                let event = socket.until("update").await;
                assert_eq!(event["id"], shown["id"]);
                for field in ["content", "poll", "in_reply_to_id", "pinned", "filtered",
                    "visibility", "url", "application"]
                {
                    assert_eq!(event.get(field), shown.get(field), "{field} for {}", user.username);
                }
                assert_eq!(event["reblog"]["id"], shown["reblog"]["id"]);
                assert_eq!(event["account"]["id"], shown["account"]["id"]);
            }
        }
    }

    async fn mentioned_accounts_receive_the_deletion(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let mut socket = app.listen(&alice, "stream=user").await;
        let status = id(&bob.publish("Hello @alice").await);
        socket.until("notification").await;
        bob.delete(&format!("/api/v1/statuses/{status}")).await.ok();
        assert_eq!(socket.event().await, ("delete".to_owned(), status.into()));
    }

    async fn muted_and_blocked_authors_are_not_streamed(app: &TestApp) {
        let (alice, bob, carol, dan) = (
            app.user("alice").await,
            app.user("bob").await,
            app.user("carol").await,
            app.user("dan").await,
        );
        for other in [&bob, &carol, &dan] {
            app.follow(&alice, other).await;
        }
        let mut socket = app.listen(&alice, "stream=user").await;
        socket.subscribe(json!({ "stream": "public" })).await;
        alice.act_on("mute", &bob).await;
        carol.act_on("block", &alice).await;
        bob.publish("Muted").await;
        carol.publish("Blocking").await;
        dan.act("reblog", &bob.publish("Muted again").await).await;
        let delivered = dan.publish("Heard").await;
        for _ in 0..2 {
            assert_eq!(socket.until("update").await["id"], delivered["id"]);
        }
    }

    async fn an_edit_reaches_the_recipients_of_the_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&alice, &bob).await;
        let status = bob.publish("Frist").await;
        let mut socket = app.listen(&alice, "stream=user").await;
        let path = format!("/api/v1/statuses/{}", id(&status));
        bob.put(&path, &[("status", "First")]).await.ok();
        // An edit without changes is not an event.
        bob.put(&path, &[("status", "First")]).await.ok();
        bob.publish("Next").await;
        let (event, payload) = socket.event().await;
        assert_eq!((event.as_str(), &payload["id"]), ("status.update", &status["id"]));
        assert!(payload["content"].as_str().unwrap().contains("First"));
        assert!(payload["edited_at"].is_string());
        assert_eq!(socket.event().await.0, "update");
    }

    async fn an_edit_without_the_blocked_mention_is_streamed(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        app.follow(&alice, &bob).await;
        alice.act_on("mute", &carol).await;
        let mut socket = app.listen(&alice, "stream=user").await;
        let status = bob.publish("@carol hello").await;
        let path = format!("/api/v1/statuses/{}", id(&status));
        // An event shows the status at the time of its delivery, so wait for the delivery first.
        app.wait_until_delivered().await;
        bob.put(&path, &[("status", "hello")]).await.ok();
        let (event, payload) = socket.event().await;
        assert_eq!((event.as_str(), &payload["id"]), ("status.update", &status["id"]));
    }

    async fn the_end_of_a_poll_is_streamed(app: &TestApp) {
        let alice = app.user("alice").await;
        let poll = json!({ "options": ["Yes", "No"], "expires_in": 300 });
        let status = alice.publish_as(json!({ "status": "What?", "poll": poll })).await;
        let mut socket = app.listen(&alice, "stream=user").await;
        app.advance(std::time::Duration::from_secs(400));
        app.app().drain_jobs().await.unwrap();
        let update = socket.until("status.update").await;
        assert_eq!((&update["id"], &update["poll"]["expired"]), (&status["id"], &true.into()));
    }

    // The event about a deletion goes to all subscribers that could see the status.
    async fn a_deletion_reaches_accounts_that_could_see_the_status(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        app.follow(&alice, &bob).await;
        app.follow(&carol, &alice).await;
        let private = bob.publish_as(json!({ "status": "Among us", "visibility": "private" })).await;
        let direct = bob.publish_as(json!({ "status": "@carol", "visibility": "direct" })).await;
        let open = bob.publish("To all").await;
        let reblog = alice.act("reblog", &open).await;
        let mut of_alice = app.listen(&alice, "stream=user").await;
        let mut of_carol = app.listen(&carol, "stream=user").await;
        for status in [&private, &direct, &open] {
            bob.delete(&format!("/api/v1/statuses/{}", id(status))).await.ok();
        }
        let gone = |status: &serde_json::Value| ("delete".to_owned(), status["id"].clone());
        assert_eq!(of_alice.event().await, gone(&private));
        assert_eq!(of_alice.event().await, gone(&reblog));
        assert_eq!(of_alice.event().await, gone(&open));
        // She is mentioned in the first status. The second one reached her by a reblog of an
        // account that she follows.
        assert_eq!(of_carol.event().await, gone(&direct));
        assert_eq!(of_carol.event().await, gone(&reblog));
        assert_eq!(of_carol.event().await, gone(&open));
    }

    async fn recipients_of_a_reblog_receive_its_deletion_with_the_status(app: &TestApp) {
        let [viewer, stranger, writer, one, other] = [
            app.user("reader").await,
            app.user("stranger").await,
            app.user("writer").await,
            app.user("one").await,
            app.user("other").await,
        ];
        for followed in [&one, &other] {
            app.follow(&viewer, followed).await;
        }
        let list = viewer.list("One").await;
        let members = json!({ "account_ids": [one.id] });
        viewer.json(&format!("/api/v1/lists/{list}/accounts"), members).await.ok();
        let status = writer.publish("Repeat me").await;
        let (first, second) = (one.act("reblog", &status).await, other.act("reblog", &status).await);
        let mut of_reader = app.listen(&viewer, "stream=user").await;
        let mut of_list = app.listen(&viewer, &format!("stream=list&list={list}")).await;
        let mut of_stranger = app.listen(&stranger, "stream=user").await;
        let mut public = app.listen(&stranger, "stream=public").await;
        writer.delete(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
        let end = stranger.publish("The end").await;
        let gone = |status: &serde_json::Value| ("delete".to_owned(), status["id"].clone());
        for status in [&second, &first, &status] {
            assert_eq!(of_reader.event().await, gone(status));
        }
        for status in [&first, &status] {
            assert_eq!(of_list.event().await, gone(status));
        }
        assert_eq!(public.event().await, gone(&status));
        assert_eq!(public.event().await.1["id"], end["id"]);
        assert_eq!(of_stranger.event().await.1["id"], end["id"]);
    }

    async fn deleting_an_account_sends_deletions_to_followers(app: &TestApp) {
        let [viewer, stranger, leaver, other] = [
            app.user("reader").await,
            app.user("stranger").await,
            app.user("leaver").await,
            app.user("other").await,
        ];
        for followed in [&leaver, &other] {
            app.follow(&viewer, followed).await;
        }
        app.follow(&stranger, &other).await;
        let list = viewer.list("One").await;
        let members = json!({ "account_ids": [leaver.id] });
        viewer.json(&format!("/api/v1/lists/{list}/accounts"), members).await.ok();
        let mut socket = app.listen(&viewer, "stream=user").await;
        let private = leaver.publish_as(json!({ "status": "x", "visibility": "private" })).await;
        let last = socket.next().await["id"].as_str().unwrap().to_owned();
        let open = leaver.publish("To all").await;
        let reblog = leaver.act("reblog", &other.publish("Repeat me").await).await;
        drop(socket);
        let account = leaver.id.parse().unwrap();
        app.app().write(move |tx| accounts::removal::begin(tx, account)).await.unwrap();
        app.app().drain_jobs().await.unwrap();
        app.anonymous().get(&format!("/api/v1/accounts/{}", leaver.id)).await.expect(404);
        let end = other.publish("The end").await;
        // The streams resolve the events after all data of the account is deleted.
        for stream in ["stream=user".to_owned(), format!("stream=list&list={list}")] {
            let mut socket = app.listen(&viewer, &format!("{stream}&since={last}")).await;
            for gone in [&reblog, &open, &private] {
                assert_eq!(socket.until("delete").await, gone["id"], "{stream}");
            }
        }
        let mut of_stranger = app.listen(&stranger, &format!("stream=user&since={last}")).await;
        loop {
            let (event, payload) = of_stranger.event().await;
            assert_ne!(event, "delete");
            if payload["id"] == end["id"] {
                break;
            }
        }
    }

    async fn recipients_receive_the_deletion_even_if_the_relationship_ended(app: &TestApp) {
        let [viewer, writer, member, tagged] = [
            app.user("reader").await,
            app.user("writer").await,
            app.user("member").await,
            app.user("tagged").await,
        ];
        for followed in [&writer, &member] {
            app.follow(&viewer, followed).await;
        }
        let list = viewer.list("One").await;
        let members = json!({ "account_ids": [member.id] });
        viewer.json(&format!("/api/v1/lists/{list}/accounts"), members.clone()).await.ok();
        viewer.post("/api/v1/tags/birds/follow").await.ok();
        let mut socket = app.listen(&viewer, "stream=user").await;
        let hers = writer.publish_as(json!({ "status": "x", "visibility": "private" })).await;
        let last = socket.next().await["id"].as_str().unwrap().to_owned();
        drop(socket);
        let (listed, birds) = (member.publish("y").await, tagged.publish("#birds").await);
        for (user, status) in [(&writer, &hers), (&member, &listed), (&tagged, &birds)] {
            user.delete(&format!("/api/v1/statuses/{}", id(status))).await.ok();
        }
        // The streams resolve the events after all of these changes.
        writer.act_on("block", &viewer).await;
        viewer.post("/api/v1/tags/birds/unfollow").await.ok();
        let path = format!("/api/v1/lists/{list}/accounts?account_ids[]={}", member.id);
        viewer.delete(&path).await.ok();
        let late = writer.publish("Not for her").await;
        writer.delete(&format!("/api/v1/statuses/{}", id(&late))).await.ok();
        let mine = viewer.publish("The end").await;
        let mut socket = app.listen(&viewer, &format!("stream=user&since={last}")).await;
        for gone in [&hers, &listed, &birds] {
            assert_eq!(socket.until("delete").await, gone["id"]);
        }
        // The status that was deleted after the block was never visible to her.
        assert_eq!(socket.event().await.1["id"], mine["id"]);
        let query = format!("stream=list&list={list}&since={last}");
        let mut socket = app.listen(&viewer, &query).await;
        assert_eq!(socket.until("delete").await, listed["id"]);
    }

    async fn an_undone_reblog_is_deleted_in_streams(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&alice, &bob).await;
        let status = alice.publish("Repeat me").await;
        let mut socket = app.listen(&alice, "stream=user").await;
        bob.act("reblog", &status).await;
        let reblog = socket.until("notification").await;
        assert_eq!(reblog["type"], "reblog");
        bob.act("unreblog", &status).await;
        assert!(socket.until("delete").await.is_string());
    }

    async fn suspended_authors_are_not_streamed(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&alice, &bob).await;
        let status = bob.publish("Before").await;
        let account = bob.id.parse().unwrap();
        app.app()
            .write(move |tx| accounts::decide(tx, account, Decision::Suspended(true)))
            .await
            .unwrap();
        let mut socket = app.listen(&alice, "stream=user").await;
        let edited: siskin_ids::StatusId = id(&status).parse().unwrap();
        let write = move |tx: &mut siskin_persistence::Tx<'_>| {
            Ok(siskin_persistence::events::DomainEvent::StatusEdited(edited).write(tx)?)
        };
        app.app().write(write).await.unwrap();
        let own = alice.publish("After").await;
        assert_eq!(socket.event().await.1["id"], own["id"]);
    }

    async fn a_filter_change_is_sent_once_without_payload(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let mut socket = app.listen(&alice, "stream=user").await;
        let mut of_bob = app.listen(&bob, "stream=user").await;
        let filter = json!({
            "title": "t", "context": ["home"],
            "keywords_attributes": [{ "keyword": "a" }, { "keyword": "b" }],
        });
        alice.json("/api/v2/filters", filter).await.ok();
        assert_eq!(socket.event().await.0, "filters_changed");
        bob.publish("Mine are the same").await;
        assert_eq!(of_bob.event().await.0, "update");
        alice.publish("It was one").await;
        assert_eq!(socket.event().await.0, "update");
    }

    async fn deleting_a_filtered_status_sends_a_filter_change(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = bob.publish("To be filtered").await;
        let filter = json!({ "title": "t", "context": ["home"] });
        let filter = alice.json("/api/v2/filters", filter).await.ok();
        let path = format!("/api/v2/filters/{}/statuses", id(&filter));
        alice.form(&path, &[("status_id", id(&status))]).await.ok();
        let mut socket = app.listen(&alice, "stream=user").await;
        bob.delete(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
        assert_eq!(socket.event().await.0, "filters_changed");
        alice.publish("It was one").await;
        assert_eq!(socket.event().await.0, "update");
    }

    // Events contain the result of the subscriber's filters.
    async fn filter_results_are_streamed_with_the_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&alice, &bob).await;
        let filter = json!({
            "title": "t", "context": ["home"], "filter_action": "hide",
            "keywords_attributes": [{ "keyword": "spoiler" }],
        });
        let filter = alice.json("/api/v2/filters", filter).await.ok();
        let mut socket = app.listen(&alice, "stream=user").await;
        let mut public = app.listen(&alice, "stream=public").await;
        let status = bob.publish("A Spoiler").await;
        bob.publish("Plain").await;
        let matching = socket.until("update").await;
        assert_eq!(matching["id"], status["id"]);
        assert_eq!(matching["filtered"][0]["filter"]["id"], filter["id"]);
        assert_eq!(matching["filtered"][0]["keyword_matches"], json!(["Spoiler"]));
        assert_eq!(socket.until("update").await["filtered"], json!([]));
        // A filter for home does not apply to other streams.
        assert_eq!(public.until("update").await["filtered"], json!([]));
        alice.delete(&format!("/api/v2/filters/{}", id(&filter))).await.ok();
        bob.publish("Another spoiler").await;
        assert_eq!(socket.until("update").await["filtered"], json!([]));
    }

    // Filters match in streams as in pages.
    async fn filters_match_in_streams_as_in_pages(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut keywords = vec![json!({ "keyword": "test", "whole_word": false })];
        for whole in ["cat", "#bread", "c++"] {
            keywords.push(json!({ "keyword": whole, "whole_word": true }));
        }
        let filter =
            json!({ "title": "t", "context": ["home"], "keywords_attributes": keywords });
        alice.json("/api/v2/filters", filter).await.ok();
        let mut socket = app.listen(&alice, "stream=user").await;
        for (text, matches) in [
            ("Test0", true),
            ("category", false),
            ("I like #bread", true),
            ("#breadbin", false),
            ("c++ rocks", true),
        ] {
            alice.publish(text).await;
            let filtered = socket.until("update").await["filtered"].clone();
            assert_eq!(!filtered.as_array().unwrap().is_empty(), matches, "{text} {filtered}");
        }
    }
}
