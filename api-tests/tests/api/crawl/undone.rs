//! A decision of staff and its end leave no trace: afterwards, all visitors get the same responses
//! as before, byte for byte. Meanwhile, nothing of the account is left where it must not be.

use std::time::Duration;

use serde_json::{Value, json};
use siskin_entities::feed::Feed;

use super::{
    compared::{self, Crawl, Lasting, assert_same},
    network::{self, Network},
    walk::{RouteValues, walk_some},
};
use crate::support::{Client, TestApp, User, id, ids, trends::all_favourite};

/// A word in the display name and in all new texts of Alice. No one else uses it.
const WORD: &str = "heliotrope";
const FAR: &str = "far.example";
const BELOW: &str = "sub.far.example";
/// Longer than the instance caches anything about itself.
const CACHED: Duration = Duration::from_mins(6);
const BLOCKS: &str = "/api/v1/admin/domain_blocks";

const ANYONE: &str = "anyone";
const FOLLOWER: &str = "the follower";
const STRANGER: &str = "a stranger";

/// Places where the follower finds Alice or her statuses.
const SHOWN: &[&str] = &[
    "/api/v1/accounts/{id}",
    "/api/v1/accounts/{id}/endorsements",
    "/api/v1/accounts/{id}/statuses",
    "/api/v1/accounts/search",
    "/api/v1/bookmarks",
    "/api/v1/conversations",
    "/api/v1/directory",
    "/api/v1/favourites",
    "/api/v1/lists/{id}/accounts",
    "/api/v1/notifications",
    "/api/v1/polls/{id}",
    "/api/v1/statuses/{id}",
    "/api/v1/statuses/{id}/context",
    "/api/v1/statuses/{id}/favourited_by",
    "/api/v1/statuses/{id}/reblogged_by",
    "/api/v1/timelines/home",
    "/api/v1/timelines/link",
    "/api/v1/timelines/list/{list_id}",
    "/api/v1/timelines/public",
    "/api/v1/timelines/tag/{hashtag}",
    "/api/v1/trends/statuses",
    "/api/v2/notifications",
    "/api/v2/search",
];
/// Lists of accounts, which never contain a suspended one.
const LISTS: &[&str] = &[
    "/api/v1/accounts/search",
    "/api/v1/accounts/{id}/endorsements",
    "/api/v1/accounts/{id}/followers",
    "/api/v1/accounts/{id}/following",
    "/api/v1/directory",
    "/api/v1/endorsements",
    "/api/v1/lists/{id}/accounts",
    "/api/v1/statuses/{id}/favourited_by",
    "/api/v1/statuses/{id}/reblogged_by",
    "/api/v1/suggestions",
];
/// Places that show a silenced account to its followers only.
const PUBLIC: &[&str] = &[
    "/api/v1/directory",
    "/api/v1/timelines/link",
    "/api/v1/timelines/public",
    "/api/v1/timelines/tag/{hashtag}",
    "/api/v1/trends/statuses",
];

/// Places that still show a silenced account to its followers.
const KEPT: &[&str] = &["/api/v1/accounts/{id}", "/api/v1/statuses/{id}", "/api/v1/timelines/home"];

/// The network with more content of Alice, as three visitors see it.
struct World {
    network: Network,
    staff: User,
    viewers: [(&'static str, Client); 3],
    route_values: RouteValues,
    /// The accounts about which staff decide: Alice, and another one of her server if she is
    /// remote.
    targets: Vec<String>,
    /// Alice's reblog of a status of Bob.
    reblog: String,
}

/// What Alice and Bob did in addition to the network.
struct Written {
    popular: Value,
    statuses: Vec<String>,
    poll: String,
    filter: String,
    reblog: String,
    file: String,
}

impl World {
    /// Builds the network. With `domain`, Alice and all that she did belong to another server.
    async fn build(app: &TestApp, domain: Option<&'static str>) -> Self {
        begin_early(app);
        let staff = app.staff("ada", "Admin").await;
        app.be_active(&staff).await;
        let network = network::build(app).await;
        let stranger = app.user("dave").await;
        // So Alice is suggested to the stranger.
        app.follow(&stranger, &network.bob).await;
        let written = write(app, &network).await;
        let mut targets = vec![network.alice.id.clone()];
        if let Some(domain) = domain {
            app.set_domain(&network.alice, domain).await;
            let neighbour = app.user_of("yan", BELOW).await;
            app.follow(&network.bob, &neighbour).await;
            neighbour.reply(&written.popular, &format!("A {WORD}, too #birds")).await;
            targets.push(neighbour.id);
        }
        let mut route_values = network.route_values(app).await;
        route_values.statuses.extend(written.statuses);
        route_values.polls.push(written.poll);
        route_values.filters.push(written.filter);
        route_values.files.push(written.file);
        route_values.searches.push(WORD.to_owned());
        route_values.hashtags.push("trending".to_owned());
        if let Some(domain) = domain {
            route_values.handles.push(format!("alice@{domain}"));
        }
        build_feeds(app, &network.bob, &stranger, &route_values.lists[1]).await;
        let viewers = [
            (ANYONE, app.anonymous()),
            (FOLLOWER, network.bob.client.clone()),
            (STRANGER, stranger.client),
        ];
        Self { network, staff, viewers, route_values, targets, reblog: written.reblog }
    }

    /// Lets all jobs run and all caches expire, and gets every response for every visitor.
    async fn crawl(&self, app: &TestApp) -> Crawl {
        self.crawl_some(app, |_| true).await
    }

    /// The same for the routes that are wanted.
    async fn crawl_some(&self, app: &TestApp, is_wanted: impl Fn(&str) -> bool) -> Crawl {
        app.app().drain_jobs().await.unwrap();
        app.count_trends().await;
        app.advance(CACHED);
        let mut crawl = Crawl::new();
        for (name, viewer) in &self.viewers {
            let visits = walk_some(viewer, &self.route_values, &is_wanted).await;
            compared::add(&mut crawl, name, visits);
        }
        crawl
    }

    /// Checks that there is something to hide.
    fn assert_shown(&self, crawl: &Crawl) {
        let found: Vec<&str> = seen_by(crawl, FOLLOWER)
            .filter(|(_, seen)| seen.body.to_lowercase().contains(WORD))
            .map(|(_, seen)| seen.route.as_str())
            .collect();
        let missing: Vec<_> = SHOWN.iter().filter(|route| !found.contains(route)).collect();
        assert!(missing.is_empty(), "the follower does not find Alice at {missing:#?}");
        assert!(self.lists_with_targets(crawl).len() > 5);
    }

    /// Checks that no visitor finds any content or profile of the accounts.
    fn assert_hidden(&self, crawl: &Crawl) {
        let reblog = format!("\"{}\"", self.reblog);
        let shows =
            |seen: &Lasting| seen.body.to_lowercase().contains(WORD) || seen.body.contains(&reblog);
        let leaks: Vec<_> =
            crawl.iter().filter(|(_, seen)| shows(seen)).map(|(key, _)| key).collect();
        assert!(leaks.is_empty(), "{leaks:#?}");
        assert_eq!(self.lists_with_targets(crawl), Vec::<&str>::new());
    }

    /// Checks that only the follower finds the accounts in public places, and that the follower
    /// still has them at home.
    async fn assert_limited(&self, app: &TestApp) {
        let is_wanted = |route: &str| PUBLIC.contains(&route) || KEPT.contains(&route);
        let crawl = &self.crawl_some(app, is_wanted).await;
        for viewer in [ANYONE, STRANGER] {
            let found: Vec<&str> = seen_by(crawl, viewer)
                .filter(|(_, seen)| PUBLIC.contains(&&*seen.route) && self.is_of_targets(seen))
                .map(|(path, _)| path)
                .collect();
            assert!(found.is_empty(), "{viewer}: {found:#?}");
        }
        for route in KEPT {
            let is_shown = |(_, seen): (&str, &Lasting)| {
                seen.route == *route && seen.body.to_lowercase().contains(WORD)
            };
            assert!(seen_by(crawl, FOLLOWER).any(is_shown), "{route}");
        }
    }

    /// Returns the paths of lists of accounts that contain one of the accounts.
    fn lists_with_targets<'c>(&self, crawl: &'c Crawl) -> Vec<&'c str> {
        let is_there = |seen: &Lasting| {
            let has = |target: &String| seen.body.contains(&format!("\"id\":\"{target}\""));
            LISTS.contains(&&*seen.route) && self.targets.iter().any(has)
        };
        crawl.iter().filter(|(_, seen)| is_there(seen)).map(|((_, path), _)| &**path).collect()
    }

    /// Returns `true` if an entry of a list is one of the accounts, or is written by one.
    fn is_of_targets(&self, list: &Lasting) -> bool {
        let Some(Value::Array(entries)) = list.json() else { return false };
        let is_target = |id: &Value| self.targets.iter().any(|target| *id == target.as_str());
        entries.iter().any(|entry| is_target(&entry["id"]) || is_target(&entry["account"]["id"]))
    }
}

/// Returns what a viewer got, by path.
fn seen_by<'c>(crawl: &'c Crawl, viewer: &str) -> impl Iterator<Item = (&'c str, &'c Lasting)> {
    let own = crawl.iter().filter(move |((name, _), _)| name == viewer);
    own.map(|((_, path), seen)| (path.as_str(), seen))
}

/// Moves the clock to two o'clock of the next day. The network takes thirty hours, so that no day
/// ends during the crawls: that would move the days in the history of hashtags.
fn begin_early(app: &TestApp) {
    const HOUR_MS: i64 = 3_600_000;
    let into = app.app().now().unix_ms().rem_euclid(24 * HOUR_MS);
    app.advance(Duration::from_millis(u64::try_from(26 * HOUR_MS - into).unwrap()));
}

/// Lets Alice publish and do what all kinds of lists show, and Bob react to it.
async fn write(app: &TestApp, network: &Network) -> Written {
    let Network { alice, bob, .. } = network;
    let profile = [("display_name", "Heliotrope"), ("discoverable", "true"), ("indexable", "true")];
    alice.patch("/api/v1/accounts/update_credentials", &profile).await.ok();
    let popular =
        alice.publish("A purple heliotrope #birds #trending https://news.example/trend").await;
    let pictured = alice.publish_picture("A heliotrope", "Heliotrope").await;
    let mut statuses = ids([&popular, &pictured]);
    for (text, visibility) in [("@bob heliotrope", "direct"), ("Our heliotrope", "private")] {
        let secret = json!({ "status": text, "visibility": visibility });
        statuses.push(id(&alice.publish_as(secret).await));
    }
    let poll = json!({ "options": ["Heliotrope", "Rose"], "expires_in": 200_000 });
    let asking = alice.publish_as(json!({ "status": "Which heliotrope?", "poll": poll })).await;
    let poll = id(&asking["poll"]);
    let of_bob = bob.publish("Good morning #birds").await;
    let reply = alice.reply(&of_bob, "@bob heliotrope").await;
    let reblog = id(&alice.act("reblog", &of_bob).await);
    alice.act("favourite", &of_bob).await;
    alice.act("pin", &popular).await;
    for action in ["favourite", "bookmark", "reblog"] {
        bob.act(action, &popular).await;
    }
    bob.act_on("endorse", alice).await;
    bob.form(&format!("/api/v1/polls/{poll}/votes"), &[("choices[]", "0")]).await.ok();
    let quote = json!({ "status": "See", "quoted_status_id": popular["id"] });
    let quote = bob.publish_as(quote).await;
    statuses.extend(ids([&asking, &of_bob, &reply, &quote]));
    statuses.push(reblog.clone());
    let filter = filter(bob, &popular).await;
    app.trend_by_default().await;
    all_favourite(&app.crowd("fan", 8).await, &popular).await;
    let file = pictured["media_attachments"][0]["url"].as_str().unwrap();
    let file = file.rsplit_once('/').unwrap().1.to_owned();
    Written { popular, statuses, poll, filter, reblog, file }
}

/// Creates a filter that marks statuses of Alice, one by its text and one by its id.
async fn filter(bob: &User, status: &Value) -> String {
    let filter = json!({
        "title": "Colours", "context": ["home", "public", "thread", "account", "notifications"],
        "keywords_attributes": [{ "keyword": "purple" }],
    });
    let filter = id(&bob.json("/api/v2/filters", filter).await.ok());
    let path = format!("/api/v2/filters/{filter}/statuses");
    bob.form(&path, &[("status_id", &id(status))]).await.ok();
    filter
}

/// Builds the feeds before the first crawl, so that all of them read the same ones.
async fn build_feeds(app: &TestApp, bob: &User, stranger: &User, list: &str) {
    let list_path = format!("/api/v1/timelines/list/{list}");
    let account = |user: &User| user.id.parse().unwrap();
    for (viewer, path, feed) in [
        (bob, "/api/v1/timelines/home", Feed::Home(account(bob))),
        (stranger, "/api/v1/timelines/home", Feed::Home(account(stranger))),
        (bob, &*list_path, Feed::List(account(bob), list.parse().unwrap())),
    ] {
        viewer.get(path).await;
        app.build_feed(feed).await;
        app.be_active(viewer).await;
    }
}

api_tests! {
    async fn the_end_of_a_decision_about_an_account_restores_every_response(app: &TestApp) {
        let world = World::build(app, None).await;
        let (staff, alice) = (&world.staff, &world.network.alice);
        let before = world.crawl(app).await;
        world.assert_shown(&before);
        staff.impose("silence", alice).await;
        world.assert_limited(app).await;
        staff.lift("unsilence", alice).await.ok();
        assert_same(&before, &world.crawl(app).await);
        staff.impose("suspend", alice).await;
        world.assert_hidden(&world.crawl(app).await);
        staff.lift("unsuspend", alice).await.ok();
        assert_same(&before, &world.crawl(app).await);
    }

    async fn the_end_of_a_domain_block_restores_every_response(app: &TestApp) {
        let world = World::build(app, Some(FAR)).await;
        let staff = &world.staff;
        let before = world.crawl(app).await;
        world.assert_shown(&before);
        for severity in ["silence", "suspend"] {
            let form = [("domain", FAR), ("severity", severity)];
            let block = id(&staff.form(BLOCKS, &form).await.ok());
            if severity == "silence" {
                world.assert_limited(app).await;
            } else {
                world.assert_hidden(&world.crawl(app).await);
            }
            staff.delete(&format!("{BLOCKS}/{block}")).await.ok();
            assert_same(&before, &world.crawl(app).await);
        }
    }
}
