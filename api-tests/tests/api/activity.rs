//! `/api/v1/instance/activity` and `/api/v1/instance/peers`.

use std::time::Duration;

use serde_json::{Value, json};
use siskin_entities::Week;
use siskin_services::housekeeping;

use crate::support::{TestApp, id};

const ACTIVITY: &str = "/api/v1/instance/activity";
const PEERS: &str = "/api/v1/instance/peers";
const WEEK: Duration = Duration::from_hours(7 * 24);

/// Returns the weeks, once the cached ones are too old.
async fn weeks(app: &TestApp) -> Vec<Value> {
    app.advance(Duration::from_secs(61));
    app.anonymous().get(ACTIVITY).await.ok().as_array().unwrap().clone()
}

/// Moves the clock to the beginning of the next week, so that a test does not cross its end.
fn begin_week(app: &TestApp) {
    let now = app.app().now();
    let rest = Week::of(now).end().unix_ms() - now.unix_ms();
    app.advance(Duration::from_millis(u64::try_from(rest).unwrap() + 60_000));
}

async fn count(app: &TestApp) {
    app.app().write(housekeeping::enqueue_upkeep_jobs).await.unwrap();
    app.app().drain_jobs().await.unwrap();
}

/// Reads the domains, once the cached ones are too old.
async fn peers(app: &TestApp) -> Value {
    app.advance(Duration::from_secs(301));
    app.anonymous().get(PEERS).await.ok()
}

api_tests! {
    async fn activity_covers_twelve_weeks_the_current_one_first(app: &TestApp) {
        begin_week(app);
        let current = Week::of(app.app().now());
        let weeks = weeks(app).await;
        assert_eq!(weeks.len(), 12);
        for (age, week) in (0..).zip(&weeks) {
            let start = current.before(age).start().unix_seconds().to_string();
            let expected =
                json!({ "week": start, "statuses": "0", "logins": "0", "registrations": "0" });
            assert_eq!(*week, expected);
        }
    }

    async fn public_and_unlisted_statuses_of_local_accounts_count(app: &TestApp) {
        begin_week(app);
        let alice = app.user("alice").await;
        for visibility in ["public", "unlisted", "private", "direct"] {
            alice.publish_as(json!({ "status": "Hello", "visibility": visibility })).await;
        }
        let far = app.user_of("zoe", "far.example").await;
        far.publish("Hello from far away").await;
        assert_eq!(weeks(app).await[0]["statuses"], "2");
        let deleted = alice.publish("Oops").await;
        count(app).await;
        assert_eq!(weeks(app).await[0]["statuses"], "3");
        // Settled statuses are counted once, by the job.
        app.advance(Duration::from_mins(10));
        count(app).await;
        count(app).await;
        assert_eq!(weeks(app).await[0]["statuses"], "3");
        alice.delete(&format!("/api/v1/statuses/{}", id(&deleted))).await.ok();
        alice.publish("Again").await;
        assert_eq!(weeks(app).await[0]["statuses"], "4");
        app.advance(WEEK);
        let next = weeks(app).await;
        assert_eq!((&next[0]["statuses"], &next[1]["statuses"]), (&json!("0"), &json!("4")));
        count(app).await;
        app.advance(WEEK);
        assert_eq!(weeks(app).await[2]["statuses"], "4");
    }

    async fn statuses_from_before_an_upgrade_are_counted(app: &TestApp) {
        begin_week(app);
        let alice = app.user("alice").await;
        for _ in 0..3 {
            alice.publish("Hello").await;
            app.advance(WEEK);
        }
        // Without the job, only the newest weeks are known.
        let statuses = |weeks: &[Value]| {
            weeks[..5].iter().map(|week| week["statuses"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(statuses(&weeks(app).await), ["0", "1", "0", "0", "0"]);
        count(app).await;
        assert_eq!(statuses(&weeks(app).await), ["0", "1", "1", "1", "0"]);
    }

    async fn a_user_counts_once_a_week_as_a_login(app: &TestApp) {
        begin_week(app);
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.be_active(&alice).await;
        let day = Duration::from_hours(25);
        for expected in ["1", "1"] {
            assert_eq!(weeks(app).await[0]["logins"], expected);
            app.advance(day);
            alice.get("/api/v1/markers").await.ok();
        }
        app.be_active(&bob).await;
        assert_eq!(weeks(app).await[0]["logins"], "2");
        count(app).await;
        app.advance(WEEK);
        let next = weeks(app).await;
        assert_eq!((&next[0]["logins"], &next[1]["logins"]), (&json!("0"), &json!("2")));
    }

    async fn admitted_accounts_count_as_registrations(app: &TestApp) {
        begin_week(app);
        app.user("alice").await;
        let bob = app.user("bob").await;
        app.remote("zoe", "far.example").await;
        app.set_state(&bob, siskin_entities::AccountState {
            reachable: false,
            ..crate::support::GOOD
        })
        .await;
        assert_eq!(weeks(app).await[0]["registrations"], "1");
        app.advance(WEEK);
        app.user("carl").await;
        let next = weeks(app).await;
        assert_eq!(next[0]["registrations"], "1");
        assert_eq!(next[1]["registrations"], "1");
    }

    async fn both_can_be_switched_off(app: &TestApp) {
        for (setting, path) in [("activity_api", ACTIVITY), ("peers_api", PEERS)] {
            app.anonymous().get(path).await.ok();
            app.app().change_setting(setting.to_owned(), "false".to_owned()).await.unwrap();
            let refused = app.anonymous().get(path).await.expect(404);
            assert_eq!(refused["error"], "Record not found");
            app.app().change_setting(setting.to_owned(), "true".to_owned()).await.unwrap();
            app.anonymous().get(path).await.ok();
        }
    }

    async fn peers_are_the_domains_of_remote_accounts(app: &TestApp) {
        assert_eq!(app.anonymous().get(PEERS).await.ok(), json!([]));
        app.user("alice").await;
        for (name, domain) in [
            ("zoe", "far.example"), ("zac", "far.example"), ("bea", "b.example:3000"),
            ("cat", "xn--bcher-kva.example"),
        ] {
            app.remote(name, domain).await;
        }
        let expected = json!(["b.example:3000", "far.example", "xn--bcher-kva.example"]);
        assert_eq!(peers(app).await, expected);
    }

    async fn suspended_servers_are_no_peers(app: &TestApp) {
        for (name, domain) in [("zoe", "far.example"), ("eve", "a.bad.example"), ("sid", "bad.example")] {
            app.remote(name, domain).await;
        }
        let admin = app.staff("admin", "Admin").await;
        let block = |domain: &str, severity: &str| json!({ "domain": domain, "severity": severity });
        let path = "/api/v1/admin/domain_blocks";
        admin.json(path, block("bad.example", "suspend")).await.ok();
        admin.json(path, block("far.example", "silence")).await.ok();
        assert_eq!(peers(app).await, json!(["far.example"]));
    }
}
