//! A network that loses its access also loses what is open: streams, and requests in progress.

use std::time::{Duration, Instant};

use serde_json::json;
use siskin_entities::Actor;
use siskin_persistence::Tx;
use siskin_services::sign_up_blocks::ips::{self, IpBlockChanges, IpBlockParams};
use siskin_test_support::both_engines;
use tokio::time::timeout;

use crate::support::{
    Client, TestApp, User, id,
    lines::RawConnection,
    run,
    streams::{Events, Socket},
    visitors::behind_a_proxy,
};

const BLOCKS: &str = "/api/v1/admin/ip_blocks";
const LIMIT: Duration = Duration::from_secs(5);
const BLOCKED: &str = "192.0.2.7";
const OTHER: &str = "192.0.3.7";

/// What a client has open.
struct Open {
    socket: Socket,
    events: Events,
    upload: RawConnection,
}

impl Open {
    async fn from(app: &TestApp, client: &Client, address: &str) -> Self {
        app.wait_until_delivered().await;
        let bearer = format!("Bearer {}", client.token().unwrap());
        let headers = [("authorization", bearer.as_str()), ("x-forwarded-for", address)];
        let socket = app.socket("stream=user", &headers).await.unwrap();
        let mut events = client.events_with("user", &[("x-forwarded-for", address)]).await;
        assert_eq!(events.block().await.as_deref(), Some(":thump"));
        let mut upload = app.line().await;
        let head = format!(
            "POST /api/v2/media HTTP/1.1\nHost: a\nAuthorization: {bearer}\n\
             X-Forwarded-For: {address}\nContent-Length: 1900000\n\
             Content-Type: multipart/form-data; boundary=XX\n\n\
             --XX\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\n\n"
        );
        upload.send(&head).await;
        assert!(!upload.is_closed().await);
        Self { socket, events, upload }
    }

    /// Checks that everything is closed, at most five seconds after `start`.
    async fn end(mut self, start: Instant) {
        let closed = async {
            let close = self.socket.closed().await.unwrap();
            assert_eq!(u16::from(close.code), 1008, "{close:?}");
            assert_eq!(&*close.reason, "Your network has no access to this server");
            self.events.ended().await;
            while !self.upload.is_closed().await {}
        };
        let rest = LIMIT.saturating_sub(start.elapsed());
        assert!(timeout(rest, closed).await.is_ok(), "something is open after {LIMIT:?}");
    }

    /// Checks that everything is still open: the streams show a new status.
    async fn go_on(&mut self, author: &User) {
        let status = author.publish("Still here").await;
        assert_eq!(id(&self.socket.until("update").await), id(&status));
        assert_eq!(self.events.next().await.entity(), id(&status));
        assert!(!self.upload.is_closed().await);
    }
}

/// Blocks a network by a command, which is another process.
fn block(tx: &mut Tx<'_>) -> siskin_services::Result<siskin_entities::IpBlock> {
    let params = IpBlockParams {
        ip: Some("2001:db8::/32".to_owned()),
        severity: Some("no_access".to_owned()),
        ..IpBlockParams::default()
    };
    ips::create(tx, Actor::Operator, &IpBlockChanges::new(params)?, None)
}

both_engines! {
    fn streams_and_uploads_of_a_blocked_network_end(database: &TestDatabase) {
        run(database, behind_a_proxy, async |app: &TestApp| {
            let (staff, alice) = (app.staff("ada", "Admin").await, app.user("alice").await);
            let blocked = Open::from(app, &alice, BLOCKED).await;
            let mut other = Open::from(app, &alice, OTHER).await;
            let body = json!({ "ip": "192.0.2.0/24", "severity": "sign_up_block" });
            let created = staff.json(BLOCKS, body).await.ok();
            other.go_on(&alice).await;
            let path = format!("{BLOCKS}/{}", id(&created));
            let start = Instant::now();
            staff.put_json(&path, json!({ "severity": "no_access" })).await.ok();
            blocked.end(start).await;
            other.go_on(&alice).await;
            // A new stream is refused.
            let bearer = format!("Bearer {}", alice.token().unwrap());
            let headers = [("authorization", bearer.as_str()), ("x-forwarded-for", BLOCKED)];
            assert_eq!(app.socket("stream=user", &headers).await.err(), Some(403));
            staff.delete(&path).await.ok();
            Open::from(app, &alice, BLOCKED).await.go_on(&alice).await;
        });
    }

    fn streams_and_uploads_end_in_other_processes(database: &TestDatabase) {
        run(database, behind_a_proxy, async |app: &TestApp| {
            let alice = app.user("alice").await;
            let blocked = Open::from(app, &alice, "2001:db8:1::7").await;
            let mut other = Open::from(app, &alice, "2001:db9:1::7").await;
            let start = Instant::now();
            app.app().write(block).await.unwrap();
            blocked.end(start).await;
            other.go_on(&alice).await;
        });
    }

    // A proxy and this machine cannot be blocked, so their streams go on.
    fn streams_of_proxies_go_on(database: &TestDatabase) {
        run(database, behind_a_proxy, async |app: &TestApp| {
            let (staff, alice) = (app.staff("ada", "Admin").await, app.user("alice").await);
            let mut open = Open::from(app, &alice, "127.0.0.1").await;
            let body = json!({ "ip": "127.0.0.0/8", "severity": "no_access" });
            let request = staff.request(reqwest::Method::POST, BLOCKS);
            staff.send(request.header("x-forwarded-for", "192.0.2.1").json(&body)).await.ok();
            open.go_on(&alice).await;
        });
    }
}
