//! Counters of featured hashtags: which statuses they count, and when.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::on_profile;
use crate::support::{TestApp, User, id};

type Counted = (String, String, Option<String>);

fn counted(name: &str, statuses: i64, day: Option<&str>) -> Counted {
    (name.to_owned(), statuses.to_string(), day.map(str::to_owned))
}

async fn profile(app: &TestApp, owner: &User) -> Vec<Counted> {
    on_profile(&app.anonymous(), owner).await
}

/// Returns the date on which a status was published.
fn day(status: &Value) -> String {
    status["created_at"].as_str().unwrap()[..10].to_owned()
}

async fn edit(owner: &User, status: &Value, text: &str) {
    owner.put(&format!("/api/v1/statuses/{}", id(status)), &[("status", text)]).await.ok();
}

async fn delete(owner: &User, status: &Value) {
    owner.delete(&format!("/api/v1/statuses/{}", id(status))).await.ok();
}

api_tests! {
    async fn public_and_unlisted_statuses_are_counted_as_they_are_written(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let first = alice.publish("#birds before").await;
        alice.publish_as(json!({ "status": "#birds", "visibility": "private" })).await;
        alice.feature("Birds").await;
        assert_eq!(profile(app, &alice).await, [counted("birds", 1, Some(&day(&first)))]);
        app.advance(Duration::from_hours(24));
        let quiet = json!({ "status": "#birds", "visibility": "unlisted" });
        let second = alice.publish_as(quiet).await;
        for visibility in ["private", "direct"] {
            alice.publish_as(json!({ "status": "#birds", "visibility": visibility })).await;
        }
        alice.publish("#owls").await;
        let bobs = bob.publish("#birds").await;
        alice.act("reblog", &bobs).await;
        assert_eq!(profile(app, &alice).await, [counted("birds", 2, Some(&day(&second)))]);
    }

    async fn deleted_statuses_are_not_counted(app: &TestApp) {
        let alice = app.user("alice").await;
        alice.feature("birds").await;
        let mut written = Vec::new();
        for _ in 0..3 {
            written.push(alice.publish("#birds").await);
            app.advance(Duration::from_hours(24));
        }
        let days: Vec<String> = written.iter().map(day).collect();
        delete(&alice, &written[2]).await;
        assert_eq!(profile(app, &alice).await, [counted("birds", 2, Some(&days[1]))]);
        delete(&alice, &written[0]).await;
        assert_eq!(profile(app, &alice).await, [counted("birds", 1, Some(&days[1]))]);
        delete(&alice, &written[1]).await;
        assert_eq!(profile(app, &alice).await, [counted("birds", 0, None)]);
    }

    async fn an_edit_updates_the_counters_of_hashtags(app: &TestApp) {
        let alice = app.user("alice").await;
        for name in ["birds", "owls"] {
            alice.feature(name).await;
        }
        let status = alice.publish("#birds").await;
        let written = day(&status);
        app.advance(Duration::from_hours(48));
        edit(&alice, &status, "#birds and #owls").await;
        let both = [counted("birds", 1, Some(&written)), counted("owls", 1, Some(&written))];
        assert_eq!(profile(app, &alice).await, both);
        edit(&alice, &status, "only #owls now").await;
        let after = [counted("owls", 1, Some(&written)), counted("birds", 0, None)];
        assert_eq!(profile(app, &alice).await, after);
        edit(&alice, &status, "nothing now").await;
        let none = [counted("birds", 0, None), counted("owls", 0, None)];
        assert_eq!(profile(app, &alice).await, none);
    }

    async fn concurrent_statuses_are_counted_once(app: &TestApp) {
        let alice = app.user("alice").await;
        let write = async |_: usize| alice.publish("#birds").await;
        let feature = async { alice.feature("birds").await };
        let (statuses, _) = futures_util::future::join(join_all((0..12).map(write)), feature).await;
        let written = day(&statuses[0]);
        assert_eq!(profile(app, &alice).await, [counted("birds", 12, Some(&written))]);
        let remove = async |status: &Value| delete(&alice, status).await;
        join_all(statuses[..6].iter().map(remove)).await;
        assert_eq!(profile(app, &alice).await, [counted("birds", 6, Some(&written))]);
        let wrong = app.app().read(|conn| Ok(siskin_persistence::doctor::wrong_counters(conn)?)).await;
        assert_eq!(wrong.unwrap(), []);
    }
}
