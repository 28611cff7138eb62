//! Crawls over every response of the server, for every kind of viewer.

mod channels;
mod compared;
mod disclosure;
mod documented;
mod forged;
mod lists;
mod long_texts;
mod matrix;
mod network;
mod others;
mod pages_first;
mod payloads;
pub mod routes;
mod secrets;
mod spellings;
mod staff_first;
mod strange_ids;
mod undone;
mod waiting;
mod walk;

use std::collections::BTreeMap;

use self::walk::{Visit, best_answers, walk};
use crate::support::promises;

/// Routes of pages with forms for a browser; all others return data.
const PAGES: [&str; 9] = [
    "/",
    "/admin",
    "/auth/",
    "/authorize_interaction",
    "/disputes/",
    "/invite/",
    "/oauth/authorize",
    "/settings",
    "/users/",
];

/// Exists only until the first account is created.
const SET_UP: &str = "/setup";

/// Need a provider, and the second one also a sign-in that began there.
const EXTERNAL: [&str; 2] = ["/auth/external/{provider}", "/auth/external/{provider}/callback"];

/// Needs a signed link from an email.
const UNSUBSCRIBE: &str = "/unsubscribe";

fn is_page(route: &str) -> bool {
    let [front, rest @ ..] = PAGES;
    route == front || rest.iter().any(|page| route.starts_with(page))
}

api_tests! {
    // Ids are strings and times have their documented form in every response.
    async fn every_response_has_documented_ids_and_times(app: &TestApp) {
        let network = network::build(app).await;
        app.federate().await;
        let route_values = network.route_values(app).await;
        let mut violations: Vec<String> = network.answers.iter().flat_map(promises::violations).collect();
        let (mut visits, mut statuses) = (Vec::new(), BTreeMap::new());
        for (visitor, client) in network.visitors(app).await {
            for visit in walk(&client, &route_values).await {
                let path = format!("{} for {visitor}", visit.path);
                violations.extend(faults(&visit).into_iter().map(|fault| format!("{path}: {fault}")));
                visit.json().inspect(|body| promises::gather_statuses(body, &mut statuses));
                visits.push(visit);
            }
        }
        assert!(violations.is_empty(), "{violations:#?}");
        assert!(statuses.len() > network.statuses.len(), "{statuses:?}");
        assert!(statuses.values().is_sorted(), "ids do not ascend with time: {statuses:?}");
        for (route, status) in best_answers(visits.iter()) {
            let is_good = match status {
                200 => true,
                404 => [SET_UP, UNSUBSCRIBE, EXTERNAL[0]].contains(&route),
                400 => route == EXTERNAL[1],
                other => is_page(route) && other < 400,
            };
            assert!(is_good, "the crawl got no successful response from {route}, only {status}");
        }
    }
}

fn faults(visit: &Visit) -> Vec<String> {
    if visit.response.status >= 500 {
        return vec![format!("{:?}", visit.response)];
    }
    visit.json().map_or_else(Vec::new, |body| promises::violations(&body))
}
