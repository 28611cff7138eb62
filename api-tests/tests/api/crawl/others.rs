//! What belongs to others, in all routes with an id: the response is that to an id that never
//! existed, and nothing changes for the owner.

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    compared::{self, Crawl, assert_same},
    network::{self, Network},
    routes,
    secrets::plant,
    walk::{RouteValues, walk},
};
use crate::support::{Client, TestApp, User, id, trends::each};

const UNKNOWN: &str = "115600000000000001";
/// Key of a group of notifications that does not exist.
const UNKNOWN_GROUP: &str = "favourite-115600000000000001-1";

/// Beginnings of routes with ids and names of what all may see, and of those for staff, which other
/// tests cover.
const PUBLIC: [&str; 8] = [
    "/api/v1/accounts/{id}",
    "/api/v1/admin/",
    "/api/v2/admin/",
    "/api/v1/announcements/{id}",
    "/api/v1/instance/",
    "/api/v1/suggestions/{account_id}",
    "/api/v1/tags/{name}",
    "/api/v1/timelines/tag/{hashtag}",
];

/// An object of Alice, by the beginning of the routes that take its id.
struct Owned {
    route: &'static str,
    id: String,
    unknown: &'static str,
}

impl Owned {
    /// Returns `true` if the first parameter of a route is this object.
    fn is_in(&self, route: &str) -> bool {
        route.strip_prefix(self.route).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Returns the path of a route with this value, and an unknown id in place of further
    /// parameters.
    fn path(&self, route: &str, value: &str) -> String {
        let (before, _) = self.route.split_once('{').unwrap();
        let further = |part: &str| if part.starts_with('{') { UNKNOWN } else { part }.to_owned();
        let rest: Vec<String> = route[self.route.len()..].split('/').map(further).collect();
        format!("{before}{value}{}", rest.join("/"))
    }
}

async fn owned(app: &TestApp, alice: &User, route_values: &RouteValues) -> Vec<Owned> {
    let [[followers_only, _, _], [direct, _, poll]] = plant(alice).await;
    let policy = [("for_not_following", "filter")];
    alice.patch("/api/v2/notifications/policy", &policy).await.ok();
    app.user("eve").await.publish("Hello @alice").await;
    app.app().drain_jobs().await.unwrap();
    let first = async |path: &str| alice.get(path).await.ids().remove(0);
    let notifications = alice.get("/api/v1/notifications").await.ok();
    let tag = id(&alice.form("/api/v1/featured_tags", &[("name", "birds")]).await.ok());
    let invite = id(&app.staff("gate", "Admin").await.post("/api/v1/invites").await.ok());
    let RouteValues { filters, filter_keywords, filter_statuses, lists, .. } = route_values;
    let media = route_values.media.last().unwrap();
    [
        ("/api/v1/conversations/{id}", first("/api/v1/conversations").await),
        ("/api/v1/featured_tags/{id}", tag),
        ("/api/v1/filters/keywords/{id}", filter_keywords[0].clone()),
        ("/api/v1/filters/{id}", filter_keywords[0].clone()),
        ("/api/v1/follow_requests/{id}", alice.id.clone()),
        ("/api/v1/invites/{id}", invite),
        ("/api/v1/lists/{id}", lists[0].clone()),
        ("/api/v1/media/{id}", media.clone()),
        ("/api/v1/notifications/requests/{id}", first("/api/v1/notifications/requests").await),
        ("/api/v1/notifications/{id}", id(&notifications[0])),
        ("/api/v1/polls/{id}", poll),
        ("/api/v1/scheduled_statuses/{id}", route_values.scheduled[0].clone()),
        ("/api/v1/statuses/{id}", followers_only),
        ("/api/v1/statuses/{id}", direct),
        ("/api/v1/strikes/{id}", route_values.strikes[0].clone()),
        ("/api/v1/timelines/list/{list_id}", lists[0].clone()),
        ("/api/v2/filters/keywords/{id}", filter_keywords[0].clone()),
        ("/api/v2/filters/statuses/{id}", filter_statuses[0].clone()),
        ("/api/v2/filters/{filter_id}", filters[0].clone()),
        ("/api/v2/filters/{id}", filters[0].clone()),
        ("/api/v2/notifications/{group_key}", each(&notifications, "group_key").remove(0)),
    ]
    .map(|(route, id)| {
        let unknown = if route.ends_with("{group_key}") { UNKNOWN_GROUP } else { UNKNOWN };
        Owned { route, id, unknown }
    })
    .into()
}

/// Checks that each route with a parameter takes one of the objects, or what all may see.
fn assert_covers(objects: &[Owned]) {
    let mut with_id = routes::all();
    with_id.retain(|routes::Route { path, .. }| {
        let is_public = PUBLIC.iter().any(|public| path.starts_with(public));
        let takes_object = objects.iter().any(|object| object.is_in(path));
        path.starts_with("/api/") && path.contains('{') && !is_public && !takes_object
    });
    assert!(with_id.is_empty(), "add an object of Alice, or a public beginning: {with_id:#?}");
}

/// Returns a body with valid values for all routes, so that only the id can be the fault.
fn valid(status: &str, later: &str) -> Value {
    json!({
        "status": "Hello", "text": "Hello", "comment": "Hello", "title": "Hello",
        "description": "Hello", "keyword": "Hello", "phrase": "Hello", "context": ["home"],
        "replies_policy": "none", "account_ids": [], "choices": ["0"], "status_id": status,
        "scheduled_at": later, "quote_approval_policy": "nobody", "lang": "de",
    })
}

async fn send(client: &Client, method: &Method, path: &str, body: &Value) -> (u16, String) {
    let request = client.request(method.clone(), path);
    let request = if *method == Method::GET { request } else { request.json(body) };
    let response = client.send(request).await;
    (response.status, response.text())
}

/// Returns everything that Alice reads through the interface.
async fn everything(network: &Network, route_values: &RouteValues) -> Crawl {
    let mut visits = walk(&network.alice, route_values).await;
    visits.retain(|visit| visit.route.starts_with("/api/"));
    let mut crawl = Crawl::new();
    compared::add(&mut crawl, "Alice", visits);
    crawl
}

api_tests! {
    async fn what_belongs_to_others_is_like_what_never_existed(app: &TestApp) {
        let network = network::build(app).await;
        let route_values = network.route_values(app).await;
        let objects = owned(app, &network.alice, &route_values).await;
        assert_covers(&objects);
        let stranger = app.user("dave").await;
        app.be_active(&stranger).await;
        let all_scopes = "read write follow push profile";
        let stranger = app.user_with_scopes(&stranger, all_scopes).await;
        let later = app.app().now().after(std::time::Duration::from_hours(2)).to_string();
        let body = valid(&route_values.statuses[0], &later);
        // The first crawl starts jobs that build feeds.
        everything(&network, &route_values).await;
        app.app().drain_jobs().await.unwrap();
        let before = everything(&network, &route_values).await;
        let (mut tried, mut faults) = (0, Vec::new());
        for route in routes::all() {
            let method = &route.method;
            for object in objects.iter().filter(|object| object.is_in(&route.path)) {
                let theirs = object.path(&route.path, &object.id);
                let unknown = object.path(&route.path, object.unknown);
                let response = send(&stranger, method, &theirs, &body).await;
                let expected = send(&stranger, method, &unknown, &body).await;
                if response != expected {
                    faults.push(format!("{method} {theirs}: {response:?}, not {expected:?}"));
                }
                tried += 1;
            }
        }
        assert!(faults.is_empty(), "{faults:#?}");
        assert!(tried > 80, "only {tried}");
        assert_same(&before, &everything(&network, &route_values).await);
    }
}
