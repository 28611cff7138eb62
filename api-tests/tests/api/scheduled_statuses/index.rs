//! `GET /api/v1/scheduled_statuses`.

use serde_json::json;

use super::{PATH, schedule};
use crate::support::{id, ids};

api_tests! {
    async fn scheduled_statuses_are_listed_newest_first_without_duplicates(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let mut written = Vec::new();
        for number in 0..5 {
            written.push(schedule(app, &alice, json!({ "status": number.to_string() })).await);
        }
        schedule(app, &bob, json!({ "status": "Bob's" })).await;
        let first = alice.get(&format!("{PATH}?limit=2")).await;
        assert_eq!(first.ids(), ids([&written[4], &written[3]]));
        assert_eq!(first.ok()[0], written[4]);
        let all: Vec<String> = written.iter().rev().map(id).collect();
        assert_eq!(alice.walk(&format!("{PATH}?limit=2")).await, all);
        let two = id(&written[1]);
        for (query, expected) in [
            (format!("max_id={two}"), ids([&written[0]])),
            (format!("since_id={two}&limit=2"), ids([&written[4], &written[3]])),
            (format!("min_id={two}&limit=2"), ids([&written[3], &written[2]])),
            ("limit=0".to_owned(), vec![]),
        ] {
            assert_eq!(alice.get(&format!("{PATH}?{query}")).await.ids(), expected, "{query}");
        }
        alice.get(&format!("{PATH}?max_id=x")).await.expect(422);
        let newer = alice.get(&first.link("prev").unwrap()).await;
        assert_eq!(newer.ids(), Vec::<String>::new());
        let another = schedule(app, &alice, json!({ "status": "6" })).await;
        assert_eq!(alice.get(&first.link("prev").unwrap()).await.ids(), ids([&another]));
    }

    async fn a_page_has_twenty_entries_by_default_and_at_most_forty(app: &TestApp) {
        let alice = app.user("alice").await;
        // Two days, because the limit for a day is 25.
        for number in 0..41_u64 {
            let hours = std::time::Duration::from_hours(24 * (1 + number / 25));
            let at = super::ahead(app, hours);
            let post = json!({ "status": number.to_string(), "scheduled_at": at });
            alice.json("/api/v1/statuses", post).await.ok();
        }
        assert_eq!(alice.get(PATH).await.ids().len(), 20);
        assert_eq!(alice.get(&format!("{PATH}?limit=100")).await.ids().len(), 40);
    }

    async fn listing_scheduled_statuses_needs_the_read_scope(app: &TestApp) {
        let alice = app.user("alice").await;
        app.anonymous().get(PATH).await.expect(401);
        app.user_with_scopes(&alice, "write read:accounts").await.get(PATH).await.expect(403);
        app.user_with_scopes(&alice, "read:statuses").await.get(PATH).await.ok();
        app.application("read write").await.get(PATH).await.expect(422);
    }
}
