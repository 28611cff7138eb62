//! Access to streams, and when it ends.

use reqwest::Method;
use serde_json::json;
use siskin_ids::AccountId;
use siskin_persistence::{accounts::Decision, tokens};
use siskin_services::{
    accounts::{self, NewPassword},
    applications, oauth, secrets,
};

use crate::support::{Client, TestApp, User, streams::SOCKETS};

async fn decide(app: &TestApp, user: &User, decision: Decision) {
    let account: AccountId = user.id.parse().unwrap();
    app.app().write(move |tx| accounts::decide(tx, account, decision)).await.unwrap();
}

/// Checks that both kinds of streams end, and that a new stream is refused with this status.
async fn ends(app: &TestApp, client: &Client, cause: impl AsyncFnOnce(), then: u16) {
    let mut socket = app.listen(client, "stream=user").await;
    let mut events = client.events("user").await;
    cause().await;
    let close = socket.closed().await.unwrap();
    assert_eq!(u16::from(close.code), 1008, "{close:?}");
    events.ended().await;
    assert_eq!(client.events_refused("user").await, then);
    let bearer = format!("Bearer {}", client.token().unwrap());
    let refused = app.socket("stream=user", &[("authorization", &bearer)]).await.err();
    assert_eq!(refused, Some(then));
}

stream_tests! {
    // The token is accepted in the header, as a subprotocol or in the query.
    async fn a_token_is_accepted_in_header_subprotocol_or_query(app: &TestApp) {
        let alice = app.user("alice").await;
        let token = alice.token().unwrap();
        let bearer = format!("Bearer {token}");
        let by_header = app.socket("stream=user", &[("authorization", &bearer)]).await.unwrap();
        assert_eq!(by_header.handshake.status(), 101);
        assert_eq!(by_header.handshake.headers().get("sec-websocket-protocol"), None);
        let by_protocol =
            app.socket("stream=user", &[("sec-websocket-protocol", token)]).await.unwrap();
        assert_eq!(by_protocol.handshake.headers()["sec-websocket-protocol"], token);
        let query = format!("stream=user&access_token={token}");
        let by_query = app.socket(&query, &[]).await.unwrap();
        assert_eq!(by_query.handshake.status(), 101);
        let path = format!("user?access_token={token}");
        app.anonymous().events(&path).await;
    }

    async fn a_wrong_token_or_none_is_unauthenticated(app: &TestApp) {
        let no_query = app.socket("stream=user", &[]).await.err();
        let wrong = [
            app.socket("stream=user", &[("authorization", "Bearer wrong")]).await.err(),
            app.socket("stream=user", &[("sec-websocket-protocol", "wrong")]).await.err(),
            app.socket("stream=public&access_token=wrong", &[]).await.err(),
        ];
        assert_eq!((no_query, wrong), (Some(401), [Some(401); 3]));
        assert_eq!(app.anonymous().events_refused("public").await, 401);
        assert_eq!(app.with_token("wrong").events_refused("user").await, 401);
        let application = app.application("read").await;
        assert_eq!(application.events_refused("public").await, 401);
    }

    // A token can subscribe only to streams that its scopes cover.
    async fn a_token_subscribes_within_its_scopes(app: &TestApp) {
        let alice = app.user("alice").await;
        let writing = app.user_with_scopes(&alice, "write").await;
        let reading = app.user_with_scopes(&alice, "read:statuses").await;
        let bearer = |client: &Client| format!("Bearer {}", client.token().unwrap());
        for (name, path) in [
            ("public", "public"),
            ("public:local", "public/local"),
            ("hashtag&tag=x", "hashtag?tag=x"),
            ("user", "user"),
        ] {
            let query = format!("stream={name}");
            let refused = app.socket(&query, &[("authorization", &bearer(&writing))]).await.err();
            assert_eq!(refused, Some(403), "{name}");
            assert_eq!(writing.events_refused(path).await, 403, "{path}");
        }
        reading.events("public").await;
        for path in ["user/notification", "user"] {
            assert_eq!(reading.events_refused(path).await, 403, "{path}");
        }
        let mut socket = app.listen(&reading, "stream=public").await;
        for stream in ["user:notification", "user"] {
            socket.command(json!({ "type": "subscribe", "stream": stream })).await;
            let refused = socket.next().await;
            assert_eq!(refused["status"], 403, "{refused}");
        }
    }

    // Streams end when the account is suspended or disabled.
    async fn streams_end_when_the_account_is_no_longer_active(app: &TestApp) {
        let bob = app.user("bob").await;
        let suspend = async || decide(app, &bob, Decision::Suspended(true)).await;
        ends(app, &bob, suspend, 403).await;
        decide(app, &bob, Decision::Suspended(false)).await;
        let disable = async || decide(app, &bob, Decision::Disabled(true)).await;
        ends(app, &bob, disable, 403).await;
    }

    // Streams end when their token is revoked or their application is deleted.
    async fn streams_end_with_their_token_or_application(app: &TestApp) {
        let bob = app.user("bob").await;
        let (one, other) =
            (app.user_by_application(&bob, "read").await, app.user_by_application(&bob, "read").await);
        let mut unconcerned = app.listen(&bob, "stream=user").await;
        let hash = secrets::hash(one.token().unwrap());
        let revoke = async || {
            let token = app.app().read(move |conn| Ok(tokens::find_application(conn, &hash)?)).await;
            let (token, _) = token.unwrap().unwrap();
            app.app().write(move |tx| Ok(tokens::delete(tx, token)?)).await.unwrap();
        };
        ends(app, &one, revoke, 401).await;
        let hash = secrets::hash(other.token().unwrap());
        let delete = async || {
            let token = app.app().read(move |conn| Ok(tokens::find_application(conn, &hash)?)).await;
            let (_, application) = token.unwrap().unwrap();
            let application = application.unwrap();
            app.app().write(move |tx| applications::delete_some(tx, application)).await.unwrap();
        };
        ends(app, &other, delete, 401).await;
        bob.publish("Still there").await;
        assert_eq!(unconcerned.event().await.0, "update");
    }

    // Streams end when the user withdraws the access of the application, and with the password.
    async fn streams_end_when_the_user_ends_the_access(app: &TestApp) {
        let bob = app.user("bob").await;
        let account: AccountId = bob.id.parse().unwrap();
        let client = app.user_by_application(&bob, "read").await;
        let hash = secrets::hash(client.token().unwrap());
        let withdraw = async || {
            let token = app.app().read(move |conn| Ok(tokens::find_application(conn, &hash)?)).await;
            let application = token.unwrap().unwrap().1.unwrap();
            app.app().write(move |tx| oauth::withdraw(tx, account, application)).await.unwrap();
        };
        ends(app, &client, withdraw, 401).await;
        let set_password = async || {
            let password = tokio::task::spawn_blocking(|| NewPassword::new("battery staple")).await;
            let password = password.unwrap().unwrap();
            app.app().write(move |tx| accounts::set_password(tx, account, &password)).await.unwrap();
        };
        ends(app, &bob, set_password, 401).await;
    }

    async fn streams_of_an_account_are_limited(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let set = |tx: &mut siskin_persistence::Tx<'_>| {
            Ok(siskin_persistence::settings::set(tx, "streams.connections", "2")?)
        };
        app.app().write(set).await.unwrap();
        while app.app().settings().streams_connections != 2 {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        let first = alice.events("user").await;
        let _second = app.listen(&alice, "stream=public").await;
        assert_eq!(alice.events_refused("user").await, 429);
        drop((first, bob.events("user").await));
        // The server notices a closed connection when it writes to it.
        while app.streaming().app.open_streams() > 1 {
            alice.publish("Anybody?").await;
            bob.publish("Anybody?").await;
        }
        alice.events("user").await;
    }

    async fn cors_allows_streams_from_other_origins(app: &TestApp) {
        let alice = app.user("alice").await;
        let request = alice
            .request(Method::GET, &format!("{SOCKETS}/user"))
            .header("origin", "https://client.example");
        let response = request.send().await.unwrap();
        assert_eq!(response.headers()["access-control-allow-origin"], "*");
        let health = app.anonymous().get("/api/v1/streaming/health").await;
        assert_eq!((health.status, health.text()), (200, "OK".to_owned()));
        assert!(health.header("content-type").unwrap().starts_with("text/plain"));
    }

    async fn a_websocket_needs_a_handshake(app: &TestApp) {
        let alice = app.user("alice").await;
        alice.get("/api/v1/streaming?stream=user").await.expect(400);
        assert_eq!(app.anonymous().get("/api/v1/streaming").await.status, 401);
    }

    async fn streams_do_not_delay_the_shutdown(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut socket = app.listen(&alice, "stream=user").await;
        let mut events = alice.events("user").await;
        app.streaming().app.close_streams();
        let close = socket.closed().await.unwrap();
        assert_eq!(u16::from(close.code), 1012, "{close:?}");
        events.ended().await;
        assert_eq!(alice.events_refused("user").await, 503);
    }

    async fn head_requests_open_no_stream(app: &TestApp) {
        let alice = app.user("alice").await;
        let head = async |path: &str| {
            let request = alice.request(Method::HEAD, &format!("{SOCKETS}{path}"));
            let handshake = request
                .header("upgrade", "websocket")
                .header("connection", "upgrade")
                .header("sec-websocket-version", "13")
                .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
            alice.send(handshake).await
        };
        let response = head("/user").await;
        assert_eq!((response.status, response.header("content-type")), (200, Some("text/event-stream")));
        assert_eq!(response.text(), "");
        assert_eq!(head("/list?list=1").await.status, 404);
        assert_eq!(head("?stream=user").await.status, 400);
        assert_eq!(app.streaming().app.open_streams(), 0);
        let _events = alice.events("user").await;
        assert_eq!(app.streaming().app.open_streams(), 1);
    }
}
