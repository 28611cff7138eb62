//! Several streams on one WebSocket.

use serde_json::json;
use tokio_tungstenite::tungstenite::protocol::frame::coding::Data;

use crate::support::id;

stream_tests! {
    async fn a_status_is_sent_once_for_each_of_its_streams(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut socket = app.listen(&alice, "stream=user").await;
        socket.subscribe(json!({ "stream": "hashtag", "tag": "Birds" })).await;
        socket.subscribe(json!({ "stream": "public:local" })).await;
        // A second subscription to the same stream does not duplicate events.
        socket.subscribe(json!({ "stream": "user" })).await;
        let status = alice.publish("Hello #birds").await;
        let mut streams = Vec::new();
        for _ in 0..3 {
            let frame = socket.next().await;
            assert_eq!(frame["event"], "update");
            let payload: serde_json::Value =
                serde_json::from_str(frame["payload"].as_str().unwrap()).unwrap();
            assert_eq!(payload["id"], status["id"]);
            streams.push(frame["stream"].clone());
        }
        streams.sort_by_key(ToString::to_string);
        assert_eq!(streams, [json!(["hashtag", "Birds"]), json!(["public:local"]), json!(["user"])]);
        alice.publish("No bird").await;
        let mut names = [socket.next().await["stream"].clone(), socket.next().await["stream"].clone()];
        names.sort_by_key(ToString::to_string);
        assert_eq!(names, [json!(["public:local"]), json!(["user"])]);
    }

    async fn unsubscribed_streams_send_nothing(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut socket = app.listen(&alice, "stream=user").await;
        socket.subscribe(json!({ "stream": "public" })).await;
        socket.command(json!({ "type": "unsubscribe", "stream": "user" })).await;
        socket.subscribe(json!({ "stream": "public:media" })).await;
        alice.publish("One").await;
        let two = alice.publish("Two").await;
        assert_eq!(socket.next().await["stream"], json!(["public"]));
        let (_, second) = socket.event().await;
        assert_eq!(second["id"], two["id"]);
    }

    async fn invalid_commands_get_an_error(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut socket = app.listen(&alice, "").await;
        for (command, status) in [
            (json!({ "type": "subscribe", "stream": "nothing" }), 400),
            (json!({ "type": "subscribe", "stream": "hashtag" }), 400),
            (json!({ "type": "subscribe", "stream": "hashtag", "tag": "" }), 400),
            (json!({ "type": "subscribe", "stream": "list" }), 400),
            (json!({ "type": "subscribe", "stream": "list", "list": "123" }), 404),
            (json!({ "type": "subscribe", "stream": "list", "list": "abc" }), 404),
            (json!({ "type": "subscribe" }), 400),
            (json!({ "type": "dance", "stream": "user" }), 400),
            (json!({ "type": "subscribe", "stream": "user", "since": "abc" }), 400),
            (json!({ "stream": "user" }), 400),
            (json!([1]), 400),
            (json!(["subscribe", "user"]), 400),
            (json!("user"), 400),
        ] {
            socket.command(command.clone()).await;
            let refused = socket.next().await;
            assert!(refused["error"].is_string(), "{command} {refused}");
            assert_eq!(refused["status"], status, "{command} {refused}");
        }
        socket.subscribe(json!({ "stream": "user" })).await;
        let status = alice.publish("It goes on").await;
        assert_eq!(socket.event().await.1["id"], status["id"]);
    }

    async fn a_handshake_for_an_unknown_stream_is_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        let bearer = format!("Bearer {}", alice.token().unwrap());
        for (query, status) in [
            ("stream=nothing", 400),
            ("stream=hashtag", 400),
            ("stream=list", 400),
            ("stream=list&list=123", 404),
            ("stream=user&since=abc", 400),
        ] {
            let refused = app.socket(query, &[("authorization", &bearer)]).await.err();
            assert_eq!(refused, Some(status), "{query}");
        }
        for (path, status) in
            [("hashtag", 400), ("list", 400), ("list?list=123", 404), ("user?since=-1", 400)]
        {
            assert_eq!(alice.events_refused(path).await, status, "{path}");
        }
        assert_eq!(app.streaming().app.open_streams(), 0);
    }

    async fn too_many_streams_in_one_socket_are_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut socket = app.listen(&alice, "").await;
        for number in 0..100 {
            socket.subscribe(json!({ "stream": "hashtag", "tag": format!("a{number}") })).await;
        }
        socket.command(json!({ "type": "subscribe", "stream": "hashtag", "tag": "more" })).await;
        assert_eq!(socket.next().await["status"], 429);
    }

    async fn an_overlong_command_closes_the_socket(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut socket = app.listen(&alice, "").await;
        socket.command(json!({ "type": "subscribe", "stream": "x".repeat(10_000) })).await;
        assert_eq!(u16::from(socket.closed().await.unwrap().code), 1009);
    }

    // The server refuses an invalid or oversized frame by its first bytes, before its payload
    // arrives.
    async fn an_oversized_frame_closes_the_socket_before_its_payload(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut declared = vec![0x81, 0xFF];
        declared.extend((1_u64 << 40).to_be_bytes());
        let fragment = |first: u8| {
            let mut frame = vec![first, 0xFE];
            frame.extend(3000_u16.to_be_bytes());
            frame.resize(8 + 3000, 0);
            frame
        };
        for (bytes, code) in [
            (declared, 1009),
            ([fragment(0x01), fragment(0x00)].concat(), 1009),
            (vec![0xC1, 0x81], 1002),
            (vec![0x91, 0x81], 1002),
            (vec![0x83, 0x80, 0, 0, 0, 0], 1002),
        ] {
            let mut socket = app.listen(&alice, "").await;
            socket.raw(&bytes).await;
            let closed = socket.closed().await.unwrap();
            assert_eq!(u16::from(closed.code), code, "{:?} {closed:?}", &bytes[..2]);
        }
        assert_eq!(app.streaming().app.open_streams(), 0);
    }

    async fn too_many_commands_close_the_socket(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut socket = app.listen(&alice, "").await;
        let empty = [0x81, 0x80, 0, 0, 0, 0].repeat(1000);
        socket.raw(&empty).await;
        let closed = socket.closed().await.unwrap();
        assert_eq!((u16::from(closed.code), closed.reason.as_str()), (1008, "Too many commands"));
    }

    async fn a_hashtag_in_a_command_may_be_a_number(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut socket = app.listen(&alice, "").await;
        socket.subscribe(json!({ "stream": "hashtag", "tag": 5 })).await;
        socket.command(json!({ "type": "unsubscribe", "stream": "hashtag", "tag": 5 })).await;
        socket.command(json!({ "type": "subscribe", "stream": "hashtag", "tag": [5] })).await;
        assert_eq!(socket.next().await["status"], 400);
    }

    async fn a_binary_command_closes_the_socket(app: &TestApp) {
        let alice = app.user("alice").await;
        for (opcode, code) in [(Data::Text, 1007), (Data::Binary, 1003)] {
            let mut socket = app.listen(&alice, "").await;
            socket.frame(opcode, b"{\"type\":\"\xFF\"}").await;
            assert_eq!(u16::from(socket.closed().await.unwrap().code), code);
        }
    }

    async fn an_id_in_a_command_may_be_a_number(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&alice, &bob).await;
        let list = alice.form("/api/v1/lists", &[("title", "Friends")]).await.ok();
        let list = id(&list);
        alice.form(&format!("/api/v1/lists/{list}/accounts"), &[("account_ids[]", &bob.id)]).await.ok();
        let mut socket = app.listen(&alice, "").await;
        let number: i64 = list.parse().unwrap();
        socket.subscribe(json!({ "stream": "list", "list": number, "since": 0 })).await;
        let status = bob.publish("In the list").await;
        assert_eq!(socket.until("update").await["id"], status["id"]);
    }

    // Only the owner of a list can subscribe to its stream.
    async fn a_list_stream_is_for_its_owner_only(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&alice, &bob).await;
        let list = alice.form("/api/v1/lists", &[("title", "Friends")]).await.ok();
        let list = id(&list);
        alice.form(&format!("/api/v1/lists/{list}/accounts"), &[("account_ids[]", &bob.id)]).await.ok();
        assert_eq!(bob.events_refused(&format!("list?list={list}")).await, 404);
        let mut of_bob = app.listen(&bob, "").await;
        of_bob.command(json!({ "type": "subscribe", "stream": "list", "list": list })).await;
        assert_eq!(of_bob.next().await["status"], 404);

        let mut socket = app.listen(&alice, &format!("stream=list&list={list}")).await;
        let mut events = alice.events(&format!("list?list={list}")).await;
        alice.publish("Not in the list").await;
        let status = bob.publish("In the list").await;
        let frame = socket.next().await;
        assert_eq!(frame["stream"], json!(["list", list]));
        assert_eq!(events.next().await.entity(), id(&status));
        bob.delete(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
        assert_eq!(socket.event().await, ("delete".to_owned(), status["id"].clone()));
    }
}
