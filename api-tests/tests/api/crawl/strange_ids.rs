//! Invalid ids, in all places that accept an id.

use super::routes;
use crate::support::Response;

/// Ids in the spelling of a URL. The last two are valid, but do not exist.
const STRANGE: [&str; 20] = [
    "0",
    "-1",
    "abc",
    "9223372036854775808",
    "18446744073709551617",
    "1e3",
    "1.0",
    "%00",
    "1%00",
    "01",
    "+1",
    "%201",
    "1%20",
    "%ff",
    "%2F",
    "%EF%BC%91",
    "%27%20OR%201=1--",
    "null",
    "9223372036854775807",
    "115600000000000001",
];

fn assert_not_found(response: &Response, what: &str) {
    assert_eq!(response.status, 404, "{what}: {response:?}");
    assert_eq!(response.header("content-type"), Some("application/json"), "{what}");
    assert_eq!(response.text(), r#"{"error":"Record not found"}"#, "{what}");
}

api_tests! {
    // Invalid ids in a path result in the same 404 response as unknown ids.
    async fn invalid_ids_in_paths_get_the_same_404_response(app: &TestApp) {
        let (alice, staff) = (app.user("alice").await, app.staff("staff", "Owner").await);
        let with_id = routes::all().into_iter().filter(|route| {
            route.path.starts_with("/api/") && route.path.contains("{id}")
        });
        let mut tried = 0;
        for route in with_id {
            for id in STRANGE {
                let path = route.path.replace("{id}", id);
                let is_for_staff = path.contains("/admin/");
                let caller = if is_for_staff { &staff } else { &alice };
                let response = caller.send(caller.request(route.method.clone(), &path)).await;
                assert_not_found(&response, &format!("{} {path}", route.method));
                tried += 1;
            }
        }
        assert!(tried > 10 * STRANGE.len(), "only {tried}");
    }

    async fn strange_parameters_never_cause_a_server_error(app: &TestApp) {
        let alice = app.user("alice").await;
        alice.publish("Hello #birds").await;
        let staff = app.staff("staff", "Owner").await;
        for route in routes::read() {
            let path = route.path.replace("{id}", &alice.id).replace("{hashtag}", "birds");
            for value in STRANGE {
                let names = [
                    "max_id", "since_id", "min_id", "limit", "offset", "id[]", "types[]",
                    "account_id", "q", "acct", "resource", "timeline[]", "tagged", "target_kind",
                    "target_id",
                ];
                let all: Vec<String> = names.iter().map(|name| format!("{name}={value}")).collect();
                for query in [&all[3..], &all] {
                    let path = format!("{path}?{}", query.join("&"));
                    let is_for_staff = path.contains("/admin/");
                    let caller = if is_for_staff { &staff } else { &alice };
                    let response = caller.get(&path).await;
                    assert!(response.status < 500, "{path}: {response:?}");
                }
            }
        }
    }
}
