//! Tests of the log about streaming clients.

use serde_json::Value;
use siskin_test_support::both_engines;
use tokio_tungstenite::tungstenite::Error;

use crate::{
    program::{Program, Server},
    socket::Socket,
};

/// Places for the token in a request.
const TOKEN_LOCATIONS: [&str; 3] = ["header", "subprotocol", "query"];
const WRONG: &str = "wrong-but-perhaps-the-token-of-another-server";

fn token(program: &Program) -> String {
    program.run(&["accounts", "create", "alice", "--email", "alice@example.com"]);
    let made = program.json(&["tokens", "create", "--account", "alice", "--scopes", "read"]);
    made["access_token"].as_str().unwrap().to_owned()
}

/// Opens a WebSocket. Returns `false` if the token is refused.
async fn socket(server: &Server, location: &str, token: &str) -> bool {
    let (address, bearer) = (&server.address, format!("Bearer {token}"));
    let query = format!("stream=user&access_token={token}");
    let opened = match location {
        "header" => Socket::open(address, "stream=user", &[("authorization", &bearer)]).await,
        "query" => Socket::open(address, &query, &[]).await,
        _ => Socket::open(address, "stream=user", &[("sec-websocket-protocol", token)]).await,
    };
    match opened {
        Ok(_) => true,
        Err(Error::Http(response)) => {
            assert_eq!(response.status(), 401);
            false
        }
        Err(other) => panic!("{other}"),
    }
}

/// Opens a stream of server-sent events. Returns `false` if the token is refused.
async fn events(http: &reqwest::Client, server: &Server, location: &str, token: &str) -> bool {
    let url = format!("http://{}/api/v1/streaming/user", server.address);
    let request = match location {
        "header" => http.get(url).bearer_auth(token),
        "query" => http.get(format!("{url}?access_token={token}")),
        _ => http.get(url).header("sec-websocket-protocol", token),
    };
    let status = request.send().await.unwrap().status().as_u16();
    assert!([200, 401].contains(&status), "{status}");
    status == 200
}

both_engines! {
    // The log must never contain a token, in any place of a request and even at the level `debug`.
    fn the_log_contains_no_tokens_of_listeners(database: &TestDatabase) {
        let program = Program::on(database).with("SISKIN_LOG", "debug");
        let (token, server) = (token(&program), program.serve());
        siskin_outbound::prepare_tls();
        let http = reqwest::Client::builder().tls_certs_only([]).no_proxy().build().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            for location in TOKEN_LOCATIONS {
                assert!(socket(&server, location, &token).await, "{location}");
                assert!(events(&http, &server, location, &token).await, "{location}");
                assert!(!socket(&server, location, WRONG).await, "{location}");
                assert!(!events(&http, &server, location, WRONG).await, "{location}");
            }
        });
        server.kill();
        let log = program.log();
        for (path, status) in [("", 101), ("", 401), ("/user", 200), ("/user", 401)] {
            let line = format!("path={} status={status}", Value::from(format!("/api/v1/streaming{path}")));
            assert_eq!(log.matches(&line).count(), TOKEN_LOCATIONS.len(), "{line}");
        }
        for secret in [&token, WRONG] {
            assert!(!log.contains(secret), "{secret}");
        }
    }
}
