//! `GET /api/v1/tags/{name}`.

use std::time::Duration;

use serde_json::{Value, json};
use siskin_entities::AccountState;

use crate::support::{Client, GOOD};

const PATH: &str = "/api/v1/tags";

/// Returns uses and accounts of each day, the newest first.
async fn history(viewer: &Client, name: &str) -> Vec<(String, String)> {
    let tag = viewer.get(&format!("{PATH}/{name}")).await.ok();
    let days = tag["history"].as_array().unwrap();
    assert_eq!(days.len(), 7, "{tag}");
    let texts = |day: &Value| {
        let text = |key: &str| day[key].as_str().unwrap().to_owned();
        let day: i64 = text("day").parse().unwrap();
        assert_eq!(day % 86_400, 0, "not midnight: {day}");
        (text("uses"), text("accounts"))
    };
    days.iter().map(texts).collect()
}

fn day(uses: i64, accounts: i64) -> (String, String) {
    (uses.to_string(), accounts.to_string())
}

api_tests! {
    // A hashtag is found in any spelling, also with characters outside of ASCII.
    async fn a_hashtag_is_found_in_any_spelling(app: &TestApp) {
        let alice = app.user("alice").await;
        alice.publish("#RyżowaŚroda #Birds").await;
        for (name, shown) in [
            ("Ry%C5%BCowa%C5%9Aroda", "ryzowasroda"),
            ("%E6%97%A5%E6%9C%AC%E8%AA%9E", "日本語"),
            ("BIRDS", "birds"),
            ("%23birds", "birds"),
            ("birds/", "birds"),
        ] {
            let tag = app.anonymous().get(&format!("{PATH}/{name}")).await.ok();
            assert_eq!(tag["name"], shown, "{name}");
            assert_eq!(tag.get("following"), None);
            let own = alice.get(&format!("{PATH}/{name}")).await.ok();
            assert_eq!(own["following"], false);
        }
        let birds = alice.get(&format!("{PATH}/birds")).await.ok();
        assert_eq!(birds["url"], format!("{}/tags/birds", app.base_url()));
        assert!(birds["id"].is_string(), "{birds}");
    }

    // An invalid hashtag name results in 404.
    async fn invalid_hashtags_are_not_found(app: &TestApp) {
        let alice = app.user("alice").await;
        for name in ["100%25", "%ZZ", "%00", "%2F..%2F", "%FF", "123", "a%20b"] {
            for response in [
                app.anonymous().get(&format!("{PATH}/{name}")).await,
                alice.post(&format!("{PATH}/{name}/follow")).await,
                alice.post(&format!("{PATH}/{name}/unfollow")).await,
            ] {
                assert_eq!(response.expect(404), json!({ "error": "Record not found" }), "{name}");
            }
        }
    }

    async fn hashtags_of_private_statuses_look_unused(app: &TestApp) {
        let alice = app.user("alice").await;
        for visibility in ["private", "direct"] {
            alice.publish_as(json!({ "status": "#secret", "visibility": visibility })).await;
        }
        let viewer = app.anonymous();
        let secret = viewer.get(&format!("{PATH}/secret")).await.text();
        let unheard = viewer.get(&format!("{PATH}/unheard")).await.text();
        assert_eq!(secret.replace("secret", "unheard"), unheard);
        alice.publish_as(json!({ "status": "#secret", "visibility": "unlisted" })).await;
        let known = viewer.get(&format!("{PATH}/secret")).await.ok();
        assert!(known["id"].is_string(), "{known}");
    }

    async fn the_id_of_a_hashtag_does_not_reveal_its_first_use(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut times = Vec::new();
        for (name, visibility) in [("one", "direct"), ("two", "private"), ("three", "public")] {
            times.push(app.app().now().unix_ms());
            let text = format!("#{name}");
            alice.publish_as(json!({ "status": text, "visibility": visibility })).await;
            app.advance(Duration::from_secs(24 * 3600));
        }
        alice.publish("#one #two #three").await;
        times.push(app.app().now().unix_ms());
        let mut ids = Vec::new();
        for name in ["one", "two", "three"] {
            let tag = app.anonymous().get(&format!("{PATH}/{name}")).await.ok();
            ids.push(tag["id"].as_str().unwrap().parse::<i64>().unwrap());
        }
        // Ids of hashtags are random. Other ids begin with their time in milliseconds.
        let hour = 3_600_000;
        for id in &ids {
            assert!(*id > 0);
            assert!(times.iter().all(|time| (time - (id >> 16)).abs() > hour), "{ids:?} {times:?}");
        }
    }

    async fn the_history_counts_uses_and_accounts(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let viewer = app.anonymous();
        for _ in 0..2 {
            alice.publish("#birds").await;
        }
        app.advance(Duration::from_hours(24));
        for writer in [&alice, &bob] {
            writer.publish("#birds").await;
        }
        bob.publish_as(json!({ "status": "#birds", "visibility": "unlisted" })).await;
        carol.publish("#birds").await;
        let none = day(0, 0);
        let mut days = vec![none.clone(); 7];
        (days[0], days[1]) = (day(3, 3), day(2, 1));
        assert_eq!(history(&viewer, "birds").await, days);
        app.set_state(&carol, AccountState { silenced: true, ..GOOD }).await;
        days[0] = day(2, 2);
        assert_eq!(history(&viewer, "birds").await, days);
        app.advance(Duration::from_hours(24 * 6));
        assert_eq!(history(&viewer, "birds").await[6], day(2, 2));
        app.advance(Duration::from_hours(24));
        assert_eq!(history(&viewer, "birds").await, vec![none; 7]);
    }
}
