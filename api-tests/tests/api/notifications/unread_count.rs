//! `/api/v1/notifications/unread_count` and `/api/v2/notifications/unread_count`.

use serde_json::{Value, json};

use super::{LIST, four_by_bob, post};
use crate::support::Client;

const COUNTS: [&str; 2] =
    ["/api/v1/notifications/unread_count", "/api/v2/notifications/unread_count"];

async fn counts(viewer: &Client, query: &str) -> [Value; 2] {
    let [single, grouped] = COUNTS;
    let count = async |path: &str| viewer.get(&format!("{path}{query}")).await.ok();
    [count(single).await, count(grouped).await]
}

fn both(count: i64) -> [Value; 2] {
    [json!({ "count": count }), json!({ "count": count })]
}

api_tests! {
    async fn notifications_above_the_marker_are_unread(app: &TestApp) {
        let [alice, bob] = four_by_bob(app).await;
        assert_eq!(counts(&alice, "").await, both(4));
        assert_eq!(counts(&bob, "").await, both(0));
        let ids = alice.get(LIST).await.ids();
        let read = async |id: &str| {
            alice.form("/api/v1/markers", &[("notifications[last_read_id]", id)]).await.ok();
        };
        read(&ids[2]).await;
        assert_eq!(counts(&alice, "").await, both(2));
        read(&ids[0]).await;
        assert_eq!(counts(&alice, "").await, both(0));
        post(&bob, "@alice again", "public").await;
        assert_eq!(counts(&alice, "").await, both(1));
    }

    async fn a_group_counts_once(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = post(&alice, "Hello", "public").await;
        for number in 0..5 {
            let fan = app.user(&format!("fan{number}")).await;
            fan.post(&format!("/api/v1/statuses/{status}/favourite")).await.ok();
        }
        assert_eq!(counts(&alice, "").await, [json!({ "count": 5 }), json!({ "count": 1 })]);
        let each = counts(&alice, "?grouped_types[]=reblog").await;
        assert_eq!(each, both(5));
    }

    async fn counts_obey_the_parameters_of_the_list(app: &TestApp) {
        let [alice, bob] = four_by_bob(app).await;
        for (query, count) in [
            ("?types[]=mention".to_owned(), 1),
            ("?exclude_types[]=mention".to_owned(), 3),
            ("?types[]=reaction".to_owned(), 0),
            (format!("?account_id={}", bob.id), 4),
            ("?account_id=7".to_owned(), 0),
            ("?limit=3".to_owned(), 3),
            ("?limit=0".to_owned(), 0),
            ("?limit=99999".to_owned(), 4),
        ] {
            assert_eq!(counts(&alice, &query).await, both(count), "{query}");
        }
        alice.post(&format!("/api/v1/accounts/{}/block", bob.id)).await.ok();
        assert_eq!(counts(&alice, "").await, both(0));
    }

    async fn counts_need_the_scope_of_the_list(app: &TestApp) {
        let alice = app.user("alice").await;
        let reader = app.user_with_scopes(&alice, "read:notifications").await;
        let other = app.user_with_scopes(&alice, "read:statuses write").await;
        for path in COUNTS {
            reader.get(path).await.ok();
            other.get(path).await.expect(403);
            app.anonymous().get(path).await.expect(401);
        }
    }
}
