//! A decision takes effect everywhere within five seconds. Nothing here runs the jobs: the server
//! does so itself, as in operation, and with two processes the other one learns of it by events.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use siskin_test_support::builders::PASSWORD;
use tokio::time::{sleep, timeout};

use super::suspension::found;
use crate::{
    oauth::sign_in,
    support::{
        Client, TestApp, User, id,
        pictures::png,
        streams::{Events, Socket},
        trends::all_favourite,
    },
};

const LIMIT: Duration = Duration::from_secs(5);
const FAR: &str = "far.example";
const VERIFY: &str = "/api/v1/accounts/verify_credentials";

/// Bob, what he holds and did, and a follower.
struct Scene {
    staff: User,
    bob: User,
    viewer: User,
    reblog: Value,
    /// A popular status of Bob.
    popular: Value,
    /// Path of Bob's avatar.
    avatar: String,
}

impl Scene {
    async fn build(app: &TestApp) -> Self {
        app.trend_by_default().await;
        let staff = app.staff("ada", "Admin").await;
        let (ann, viewer) = (app.user("ann").await, app.user("viewer").await);
        let bob = app.famous("bob").await;
        bob.patch("/api/v1/accounts/update_credentials", &[("indexable", "true")]).await.ok();
        let avatar = bob.upload("avatar", png(20, 20)).await.ok()["avatar"].clone();
        let avatar = avatar.as_str().unwrap().strip_prefix(app.base_url()).unwrap().to_owned();
        viewer.act_on("follow", &bob).await;
        let list = viewer.list("People").await;
        viewer.enlist(&list, &[&bob]).await;
        let shared = ann.publish("Shared by bob").await;
        let reblog = bob.act("reblog", &shared).await;
        bob.act("favourite", &shared).await;
        let popular = bob.publish("All finches #birds").await;
        all_favourite(&app.crowd("crowd", 5).await, &popular).await;
        app.count_trends().await;
        Self { staff, bob, viewer, reblog, popular, avatar }
    }

    /// Returns the places that show Bob to his follower, if `shown`, and otherwise those that do
    /// not.
    async fn places(&self, app: &TestApp, shown: bool) -> Vec<String> {
        let places = found(app, &self.viewer, &self.bob, &self.reblog).await;
        let mut places: Vec<String> =
            places.into_iter().filter(|(_, is)| *is == shown).map(|(place, _)| place).collect();
        if (app.anonymous().get(&self.avatar).await.status == 200) == shown {
            places.push(self.avatar.clone());
        }
        places
    }

    /// Returns the public places that show Bob to everyone, if `shown`, and otherwise those that do
    /// not.
    async fn public_places(&self, app: &TestApp, shown: bool) -> Vec<&'static str> {
        let (anyone, bob) = (app.anonymous(), format!("\"{}\"", self.bob.id));
        let mut places = Vec::new();
        for path in [
            "/api/v1/timelines/public",
            "/api/v1/timelines/tag/birds",
            "/api/v1/trends/statuses",
            "/api/v1/directory",
        ] {
            if anyone.get(path).await.ok().to_string().contains(&bob) == shown {
                places.push(path);
            }
        }
        places
    }
}

/// Waits until `rest` returns nothing more, at most five seconds from `start` on.
async fn wait_for<T: std::fmt::Debug>(start: Instant, mut rest: impl AsyncFnMut() -> Vec<T>) {
    loop {
        let left = rest().await;
        if left.is_empty() {
            return;
        }
        assert!(start.elapsed() < LIMIT, "after {:?}: {left:?}", start.elapsed());
        sleep(Duration::from_millis(50)).await;
    }
}

/// Waits until the server closes the streams, at most five seconds from `start` on.
async fn end(start: Instant, mut socket: Socket, mut events: Events) {
    let closed = async {
        socket.closed().await;
        events.ended().await;
    };
    let rest = LIMIT.saturating_sub(start.elapsed());
    assert!(timeout(rest, closed).await.is_ok(), "the streams are open after {LIMIT:?}");
}

/// Returns the tokens and sessions that are accepted.
async fn accepted(tokens: [&Client; 2], browser: &Client) -> Vec<&'static str> {
    let mut accepted = Vec::new();
    for token in tokens {
        if token.get(VERIFY).await.status != 403 {
            accepted.push("a token");
        }
    }
    if browser.get("/settings/profile").await.status == 200 {
        accepted.push("the session");
    }
    accepted
}

/// Returns the statuses of responses other than the expected one, to a token and to anyone.
async fn others(viewers: [&Client; 2], path: &str, expected: u16) -> Vec<u16> {
    let mut others = Vec::new();
    for viewer in viewers {
        others.push(viewer.get(path).await.status);
    }
    others.retain(|status| *status != expected);
    others
}

stream_tests! {
    async fn a_suspension_takes_effect_within_five_seconds(app: &TestApp) {
        let scene = Scene::build(app).await;
        let Scene { staff, bob, viewer, .. } = &scene;
        let second = app.user_with_scopes(bob, "read write follow push").await;
        let browser = app.browser();
        assert_eq!(sign_in(&browser, "bob@example.com", PASSWORD).await.status, 302);
        assert_eq!(browser.get("/settings/profile").await.status, 200);
        let (socket, events) = (app.listen(bob, "stream=user").await, second.events("user").await);
        wait_for(Instant::now(), async || scene.places(app, false).await).await;

        let start = Instant::now();
        staff.impose("suspend", bob).await;
        end(start, socket, events).await;
        wait_for(start, async || accepted([bob, &second], &browser).await).await;
        wait_for(start, async || scene.places(app, true).await).await;
        assert_eq!(second.events_refused("user").await, 403);
        viewer.get(&format!("/api/v1/statuses/{}", id(&scene.popular))).await.expect(404);

        let start = Instant::now();
        staff.lift("unsuspend", bob).await.ok();
        wait_for(start, async || scene.places(app, false).await).await;
        wait_for(start, async || others([bob, &second], VERIFY, 200).await).await;
        let mut socket = app.listen(viewer, "stream=user").await;
        let back = id(&bob.publish("Back").await);
        let event = timeout(LIMIT, socket.until("update")).await.expect("no event");
        assert_eq!(event["id"], back.as_str());
    }

    async fn a_silence_takes_effect_within_five_seconds(app: &TestApp) {
        let scene = Scene::build(app).await;
        let Scene { staff, bob, viewer, .. } = &scene;
        wait_for(Instant::now(), async || scene.public_places(app, false).await).await;
        let dave = app.user("dave").await;
        let mut socket = app.listen(&dave, "stream=public").await;
        let start = Instant::now();
        staff.impose("silence", bob).await;
        wait_for(start, async || scene.public_places(app, true).await).await;
        let hidden = id(&bob.publish("Hidden #birds").await);
        let home = viewer.get("/api/v1/timelines/home").await.ids();
        assert!(home.contains(&hidden), "{home:?}");
        app.wait_until_delivered().await;

        let start = Instant::now();
        staff.lift("unsilence", bob).await.ok();
        wait_for(start, async || scene.public_places(app, false).await).await;
        let shown = id(&bob.publish("Shown #birds").await);
        let event = timeout(LIMIT, socket.until("update")).await.expect("no event");
        assert_eq!(event["id"], shown.as_str());
    }

    // A job limits the accounts of the server.
    async fn a_domain_block_takes_effect_within_five_seconds(app: &TestApp) {
        let scene = Scene::build(app).await;
        let Scene { staff, bob, viewer, .. } = &scene;
        app.set_domain(bob, FAR).await;
        let status = format!("/api/v1/statuses/{}", id(&scene.popular));
        let viewers = [&viewer.client, &app.anonymous()];
        wait_for(Instant::now(), async || scene.public_places(app, false).await).await;
        let blocks = "/api/v1/admin/domain_blocks";

        let start = Instant::now();
        let block = json!({ "domain": FAR, "severity": "suspend" });
        let block = id(&staff.json(blocks, block).await.ok());
        wait_for(start, async || scene.public_places(app, true).await).await;
        wait_for(start, async || others(viewers, &status, 404).await).await;
        assert!(!viewer.get("/api/v1/timelines/home").await.text().contains("finches"));

        let start = Instant::now();
        staff.delete(&format!("{blocks}/{block}")).await.ok();
        wait_for(start, async || scene.public_places(app, false).await).await;
        wait_for(start, async || others(viewers, &status, 200).await).await;
        assert!(viewer.get("/api/v1/timelines/home").await.text().contains("finches"));
    }
}
