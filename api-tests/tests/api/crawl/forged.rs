//! Requests that another site makes with the session of a visitor: none is accepted, and a request
//! that only reads changes nothing.

use std::collections::BTreeMap;

use reqwest::{Method, RequestBuilder};
use serde_json::Value;
use siskin_persistence::{Conn, archive, tables};
use siskin_test_support::builders::PASSWORD;

use super::{
    network,
    routes::{self, Route},
    walk::walk,
};
use crate::{
    oauth::sign_in,
    support::{Client, STAFF_SCOPES, TestApp},
};

const UNKNOWN: &str = "115600000000000001";
const FOREIGN: &str = "https://evil.example";
/// Routes that take no session: they need the secret of a client, an access token, or the signature
/// of a link in an email.
const WITHOUT_SESSION: [&str; 4] =
    ["/oauth/revoke", "/oauth/token", "/oauth/userinfo", "/unsubscribe"];
/// Exists only until the first account is created.
const SET_UP: &str = "/setup";
/// Tables that background work fills.
const BACKGROUND: [&str; 5] = ["active_days", "activity_weeks", "daily_counts", "events", "jobs"];
/// Columns with the time of the last use of an account, a session or a token.
const RECORDED: [&str; 4] = ["last_active_at", "last_sign_in_at", "last_used_at", "used_at"];

/// Returns the routes that a session opens and that need its CSRF token: all that change something,
/// and those of the interface for staff, which scripts call.
fn of_sessions() -> Vec<Route> {
    let mut routes = routes::all();
    routes.retain(|Route { method, path }| {
        let is_interface = path.starts_with("/api/");
        let is_of_staff = is_interface && path.contains("/admin/");
        let is_form = !is_interface && *method != Method::GET;
        is_of_staff || (is_form && !WITHOUT_SESSION.contains(&path.as_str()))
    });
    assert!(routes.len() > 130, "only {}", routes.len());
    routes
}

fn request(client: &Client, Route { method, path }: &Route) -> RequestBuilder {
    let segment = |part: &str| if part.starts_with('{') { UNKNOWN } else { part }.to_owned();
    let path: Vec<String> = path.split('/').map(segment).collect();
    client.request(method.clone(), &path.join("/"))
}

/// Returns the CSRF token of the session of a browser.
pub(super) async fn csrf_token(browser: &Client) -> String {
    let page = browser.get("/").await.text();
    let token = page.split("<meta name=\"csrf-token\" content=\"").nth(1).unwrap();
    token.split('"').next().unwrap().to_owned()
}

/// Returns all rows of the tables that a backup contains, without what each use records.
async fn rows(app: &TestApp) -> BTreeMap<String, Vec<String>> {
    let read = |conn: &mut Conn| {
        let mut all = BTreeMap::new();
        for table in tables::archived().filter(|table| !BACKGROUND.contains(table)) {
            let mut rows = Vec::new();
            archive::dump::<siskin_persistence::Error>(conn, table, |row| {
                let mut row: Value = serde_json::from_str(row).unwrap();
                let columns = row.as_object_mut().unwrap();
                columns.retain(|column, _| !RECORDED.contains(&column.as_str()));
                rows.push(row.to_string());
                Ok(())
            })?;
            all.insert(table.to_owned(), rows);
        }
        Ok(all)
    };
    app.app().read(read).await.unwrap()
}

/// Returns the tables with other rows, and the first of these.
fn changed(
    before: &BTreeMap<String, Vec<String>>,
    after: &BTreeMap<String, Vec<String>>,
) -> Vec<String> {
    let changes = after.iter().filter(|(table, rows)| before[*table] != **rows);
    let first = |(table, rows): (&String, &Vec<String>)| {
        let new = rows.iter().find(|row| !before[table].contains(row));
        format!("{table}: {new:?}")
    };
    changes.map(first).collect()
}

api_tests! {
    async fn no_session_accepts_a_forged_request(app: &TestApp) {
        let boss = app.staff("boss", "Owner").await;
        let browser = app.browser();
        assert_eq!(sign_in(&browser, "boss@example.com", PASSWORD).await.status, 302);
        let token = csrf_token(&browser).await;
        let own_site = app.base_url().to_owned();
        let before = rows(app).await;
        let mut faults = Vec::new();
        for route in of_sessions() {
            let new = || request(&browser, &route);
            let field = [("authenticity_token", &*token)];
            let with_field = |request: RequestBuilder| match route.method {
                Method::GET => request,
                _ => request.form(&field),
            };
            for (what, request) in [
                ("no token", new()),
                ("a wrong token", new().header("x-csrf-token", "wrong").header("origin", &own_site)),
                ("a foreign origin", with_field(new().header("origin", FOREIGN))),
                ("a foreign script", new().header("x-csrf-token", &token).header("origin", FOREIGN)),
                ("an opaque origin", with_field(new().header("origin", "null"))),
            ] {
                let status = browser.send(request).await.status;
                if status != 403 && !(status == 404 && route.path == SET_UP) {
                    faults.push(format!("{} {} with {what}: {status}", route.method, route.path));
                }
            }
        }
        assert!(faults.is_empty(), "{faults:#?}");
        assert_eq!(changed(&before, &rows(app).await), Vec::<String>::new());
        // The session still exists, and its own requests are accepted.
        let form = [("authenticity_token", &*token)];
        let own = browser.request(Method::POST, "/settings/writing").header("origin", &own_site);
        assert_ne!(browser.send(own.form(&form)).await.status, 403);
        boss.get("/api/v1/accounts/verify_credentials").await.ok();
    }

    async fn requests_that_read_change_nothing(app: &TestApp) {
        let network = network::build(app).await;
        let route_values = network.route_values(app).await;
        let boss = app.staff("boss", "Owner").await;
        let browser = app.browser();
        assert_eq!(sign_in(&browser, "boss@example.com", PASSWORD).await.status, 302);
        let alice = app.user_with_scopes(&network.alice, STAFF_SCOPES).await;
        let visitors = [&alice, &boss.client, &browser];
        // The first visits of a day are recorded, and start jobs that build feeds.
        for visitor in visitors {
            walk(visitor, &route_values).await;
        }
        app.app().drain_jobs().await.unwrap();
        let before = rows(app).await;
        for visitor in visitors {
            walk(visitor, &route_values).await;
        }
        app.app().drain_jobs().await.unwrap();
        assert_eq!(changed(&before, &rows(app).await), Vec::<String>::new());
    }
}
