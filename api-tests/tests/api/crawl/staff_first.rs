//! Routes of the staff decide who may call them before they look at ids, parameters, bodies and the
//! database. So callers without a role neither learn what exists nor make the server work.

use reqwest::{Method, RequestBuilder};
use siskin_test_support::both_engines;

use super::routes::{self, Route};
use crate::support::{Client, STAFF_SCOPES, TestApp, run};

/// Values for all parameters of routes: two ids, and texts that are none.
const IDS: [&str; 5] = ["115600000000000001", "1", "x", "%27", "1%20OR%201"];
const QUERIES: [&str; 4] = [
    "limit=abc&offset=-1&max_id=%27&min_id=x",
    "start_at=never&end_at=9999999999&frequency=second&keys[]=x&keys[]=x",
    "origin=here&status=happy&role_ids[]=x&ip=10.0.0.0/99&by_domain=..&permissions=all",
    "target_kind=thing&target_id=x&account_id=x&state=x&a[b]=1&a=2",
];
/// Bodies that cannot be decoded, or have wrong values, with their types.
const BODIES: [(&str, &str); 7] = [
    ("application/json", "{"),
    ("application/json", r#"{"keys":{"a":[[[[[[1]]]]]]},"type":7,"severity":[],"ip":{}}"#),
    ("application/json", r#"{"action":"x","account_ids":"x","domain":"\u0000"}"#),
    ("application/x-www-form-urlencoded", "a[=1&%zz=%&keys[][]=1&keys=2"),
    ("multipart/form-data; boundary=x", "--x\r\nbroken"),
    ("multipart/form-data", "no boundary"),
    ("text/csv", "#domain,#severity\nx,y"),
];

/// Returns the routes of the interface for staff.
fn of_staff() -> Vec<Route> {
    let mut routes = routes::all();
    routes.retain(|route| route.path.starts_with("/api/") && route.path.contains("/admin/"));
    assert!(routes.len() > 60, "only {}", routes.len());
    routes
}

/// Returns a path with the same value in place of each parameter.
fn concrete(path: &str, value: &str) -> String {
    let segment = |part: &str| if part.starts_with('{') { value } else { part }.to_owned();
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

/// Returns the requests for a route: a plain one, and others with faults of all kinds.
fn requests(client: &Client, Route { method, path }: &Route) -> Vec<RequestBuilder> {
    let plain = concrete(path, IDS[0]);
    let new = |path: &str| client.request(method.clone(), path);
    let mut requests = vec![new(&plain)];
    if path.contains('{') {
        requests.extend(IDS[1..].iter().map(|id| new(&concrete(path, id))));
    }
    requests.extend(QUERIES.iter().map(|query| new(&format!("{plain}?{query}"))));
    if *method != Method::GET {
        requests.extend(
            BODIES.iter().map(|(kind, body)| new(&plain).header("content-type", *kind).body(*body)),
        );
    }
    requests
}

/// Returns the number of statements of a request. Background work does not count.
async fn statements(app: &TestApp, client: &Client, request: RequestBuilder) -> u32 {
    drop(app.app().store().take_counted());
    client.send(request).await;
    let counted = app.app().store().take_counted();
    let of_requests = counted.iter().filter(|cost| cost.at.file().contains("crates/http"));
    of_requests.map(|cost| cost.statements).sum()
}

api_tests! {
    async fn the_caller_is_refused_whatever_the_request_contains(app: &TestApp) {
        let alice = app.user("alice").await;
        let powerless = app.user_with_scopes(&alice, STAFF_SCOPES).await;
        let callers = [
            ("an anonymous caller", app.anonymous(), 401),
            ("an unknown token", app.with_token("unknown"), 401),
            ("a user without the scope", alice.client.clone(), 403),
            ("a user without a role", powerless, 403),
            ("an application", app.application("read write").await, 403),
        ];
        let (mut tried, mut faults) = (0, Vec::new());
        for route in of_staff() {
            for (who, client, status) in &callers {
                let mut first = None;
                for (number, request) in requests(client, &route).into_iter().enumerate() {
                    let response = client.send(request).await;
                    let answer = (response.status, response.text());
                    let expected = first.get_or_insert_with(|| answer.clone());
                    if response.status != *status || answer != *expected {
                        let what = format!("{} {} {number}", route.method, route.path);
                        faults.push(format!("{what}: {who} gets {answer:?}"));
                    }
                    tried += 1;
                }
            }
        }
        assert!(faults.is_empty(), "{faults:#?}");
        assert!(tried > 2000, "only {tried}");
    }
}

both_engines! {
    fn an_anonymous_caller_costs_no_statement(database: &TestDatabase) {
        run(database, |config| config.count_statements = true, async |app: &TestApp| {
            let (anonymous, staff) = (app.anonymous(), app.staff("boss", "Owner").await);
            for route in of_staff() {
                for request in requests(&anonymous, &route) {
                    let cost = statements(app, &anonymous, request).await;
                    assert_eq!(cost, 0, "{} {}", route.method, route.path);
                }
            }
            // The statements of a caller with the permission are counted.
            let request = staff.request(Method::GET, "/api/v1/admin/roles");
            assert!(statements(app, &staff, request).await > 0);
        });
    }
}
