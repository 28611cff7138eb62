//! Pages decide who may open them before they look at queries and forms. Requests with errors are
//! refused as others are: visitors are led to sign-in, and for people without the permission the
//! pages of the staff do not exist.

use reqwest::{Method, RequestBuilder};
use siskin_test_support::builders::PASSWORD;

use super::{
    forged::csrf_token,
    routes::{self, Route},
};
use crate::{
    oauth::{sign_in, signed_in},
    support::{Client, TestApp},
};

const ID: &str = "115600000000000001";
/// Queries that no page with parameters can read: values of another type, a name that is used in two
/// ways, and text that is not UTF-8.
const QUERIES: [&str; 3] = [
    "done[]=1&count=abc&failed[]=1&max_id[]=1&limit[]=1&state[]=1&list[]=1&report_id[]=1&return_to[]=1&code[]=1",
    "done=1&done[]=2",
    "done=%ff",
];
/// Bodies that no form can be read from, with their types.
const BODIES: [(&str, &str); 3] = [
    ("application/json", "{"),
    ("application/x-www-form-urlencoded", "done=1&done[]=2"),
    ("multipart/form-data; boundary=x", "--x\r\nbroken"),
];

/// Returns the routes of pages for people who are signed in.
fn for_people() -> Vec<Route> {
    let mut routes = routes::all();
    routes.retain(|Route { path, .. }| {
        let beginnings = ["/admin/", "/settings/", "/disputes/", "/oauth/authorize/"];
        path == "/admin" || beginnings.iter().any(|beginning| path.starts_with(beginning))
    });
    assert!(routes.len() > 130, "only {}", routes.len());
    routes
}

/// Returns the routes of pages that need a permission, which people without a role lack.
fn of_staff() -> Vec<Route> {
    let mut routes = for_people();
    routes.retain(|Route { path, .. }| {
        path.starts_with("/admin") || path.starts_with("/settings/invites")
    });
    routes
}

/// Returns the requests for a route that cannot be read, and one that can.
fn requests(client: &Client, Route { method, path }: &Route) -> Vec<RequestBuilder> {
    let segment = |part: &str| if part.starts_with('{') { ID } else { part }.to_owned();
    let path = path.split('/').map(segment).collect::<Vec<_>>().join("/");
    let new = |path: &str| client.request(method.clone(), path);
    let mut requests = vec![new(&path)];
    requests.extend(QUERIES.iter().map(|query| new(&format!("{path}?{query}"))));
    if *method != Method::GET {
        requests.extend(
            BODIES.iter().map(|(kind, body)| new(&path).header("content-type", *kind).body(*body)),
        );
    }
    requests
}

/// Signs an owner in.
async fn owner(app: &TestApp) -> Client {
    app.staff("boss", "Owner").await;
    let browser = app.browser();
    assert_eq!(sign_in(&browser, "boss@example.com", PASSWORD).await.status, 302);
    browser
}

api_tests! {
    async fn for_others_pages_of_staff_never_exist(app: &TestApp) {
        let browser = signed_in(app, "alice").await;
        let token = csrf_token(&browser).await;
        let nothing = browser.get("/admin").await.text();
        let (mut tried, mut faults) = (0, Vec::new());
        for route in of_staff() {
            for (number, request) in requests(&browser, &route).into_iter().enumerate() {
                let response = browser.send(request.header("x-csrf-token", &token)).await;
                if response.status != 404 || response.text() != nothing {
                    let what = format!("{} {} {number}", route.method, route.path);
                    faults.push(format!("{what}: {response:?}"));
                }
                tried += 1;
            }
        }
        assert!(faults.is_empty(), "{faults:#?}");
        assert!(tried > 500, "only {tried}");
    }

    async fn visitors_are_always_led_to_sign_in(app: &TestApp) {
        let mut faults = Vec::new();
        for route in for_people().into_iter().filter(|route| route.method == Method::GET) {
            let visitor = app.browser();
            for (number, request) in requests(&visitor, &route).into_iter().enumerate() {
                let response = visitor.send(request).await;
                let location = response.header("location").unwrap_or_default();
                if response.status != 302 || !location.contains("/auth/sign_in") {
                    faults.push(format!("{} {number}: {response:?}", route.path));
                }
            }
        }
        assert!(faults.is_empty(), "{faults:#?}");
    }

    async fn staff_learn_what_cannot_be_read(app: &TestApp) {
        let browser = owner(app).await;
        let token = csrf_token(&browser).await;
        for (method, path, area) in [
            (Method::GET, "/admin/accounts?count=abc", "/admin/accounts"),
            (Method::GET, "/admin/settings?done[]=1", "/admin/settings"),
            (Method::GET, "/admin/roles?done[]=1", "/admin/roles"),
            (Method::GET, "/admin/appeals?state[]=1", "/admin/appeals"),
            (Method::GET, "/admin/accounts/7/action?report_id[]=1", "/admin/accounts"),
            (Method::POST, "/admin/accounts/7/statuses?max_id[]=1", "/admin/accounts"),
        ] {
            let request = browser.request(method, path).header("x-csrf-token", &token);
            let refused = browser.send(request).await;
            assert_eq!(refused.status, 422, "{path}: {refused:?}");
            let page = refused.text();
            assert!(page.contains(&format!("<a href=\"{area}\">Go back to “")), "{path}: {page}");
        }
    }
}
