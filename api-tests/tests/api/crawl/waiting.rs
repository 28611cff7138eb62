//! Accounts that wait for confirmation or approval, on every route that authenticates its caller.

use siskin_services::accounts::{self, NewAccount};
use siskin_test_support::builders::PASSWORD;

use super::routes::{self, Route};
use crate::support::{Client, Response, TestApp, User};

/// Routes that are open to waiting accounts: to name their application, and to resend an email.
const OPEN: [&str; 2] = ["/api/v1/apps/verify_credentials", "/api/v1/emails/"];
/// All parameters that a route may require before it authenticates the caller.
const PARAMETERS: &str = "q=x&acct=x&status=x&resource=x&username=x&timeline[]=home&domain=x&uri=x";

async fn send(client: &Client, Route { method, path }: &Route) -> Response {
    let path = concrete(path);
    client.send(client.request(method.clone(), &format!("{path}?{PARAMETERS}"))).await
}

/// Returns a path with a value in place of each parameter.
fn concrete(path: &str) -> String {
    let segment = |part: &str| if part.starts_with('{') { "1".to_owned() } else { part.to_owned() };
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

/// Creates a token of an account that is not `confirmed`, or not `approved`.
async fn waiting(app: &TestApp, name: &str, confirmed: bool, approved: bool) -> Client {
    let new = NewAccount {
        confirmed,
        approved,
        ..NewAccount::by_operator(name, &format!("{name}@example.com"), PASSWORD)
    };
    let instance = app.app().instance().clone();
    let prepared = tokio::task::spawn_blocking(move || accounts::prepare(&instance, new)).await;
    let prepared = prepared.unwrap().unwrap();
    let created = app.app().write(move |tx| accounts::apply(tx, &prepared)).await.unwrap();
    let user =
        User { id: created.id.to_string(), username: name.to_owned(), client: app.anonymous() };
    app.user_with_scopes(&user, "read write follow push profile").await
}

api_tests! {
    // Routes that authenticate their caller refuse accounts that wait for confirmation or approval.
    async fn waiting_accounts_cannot_call_authenticated_routes(app: &TestApp) {
        app.app().change_setting("registrations".into(), "open".into()).await.unwrap();
        let people = [
            waiting(app, "una", false, true).await,
            waiting(app, "wes", true, false).await,
        ];
        let garbage = app.with_token("garbage");
        let authenticates = |route: &&Route| {
            let interface = route.path.starts_with("/api/") || route.path == "/oauth/userinfo";
            interface && !OPEN.iter().any(|open| route.path.starts_with(open))
        };
        let mut refused = 0;
        for route in routes::all().iter().filter(authenticates) {
            let unknown = send(&garbage, route).await;
            if unknown.status != 401 {
                // This route does not authenticate its caller.
                assert!(send(&app.anonymous(), route).await.status == unknown.status, "{route:?}");
                continue;
            }
            for person in &people {
                let response = send(person, route).await;
                assert!(response.expect(403)["error"].is_string(), "{route:?}: {response:?}");
                refused += 1;
            }
        }
        assert!(refused > 40, "only {refused}");
    }
}
