//! `/api/v1/admin/retention`.

use std::time::Duration;

use serde_json::{Value, json};

const RETENTION: &str = "/api/v1/admin/retention";
const DAY: Duration = Duration::from_hours(24);

/// Returns the numbers of each cohort, with their shares.
fn numbers(cohorts: &Value) -> Vec<Vec<(i64, f64)>> {
    let data = |data: &Value| {
        (data["value"].as_str().unwrap().parse().unwrap(), data["rate"].as_f64().unwrap())
    };
    let cohort = |cohort: &Value| cohort["data"].as_array().unwrap().iter().map(data).collect();
    cohorts.as_array().unwrap().iter().map(cohort).collect()
}

api_tests! {
    async fn a_cohort_shows_who_was_active_later(app: &TestApp) {
        let staff = app.staff("mo", "Moderator").await;
        app.advance(DAY);
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.advance(DAY);
        app.be_active_today(&alice).await;
        app.advance(DAY);
        app.be_active_today(&alice).await;
        app.be_active_today(&bob).await;
        let mut parameters = app.last_days(2);
        parameters["frequency"] = json!("day");
        let cohorts = staff.json(RETENTION, parameters.clone()).await.ok();
        let days = [
            vec![(2, 1.0), (1, 0.5), (2, 1.0)], vec![(0, 0.0), (0, 0.0)], vec![(0, 0.0)],
        ];
        assert_eq!(numbers(&cohorts), days);
        let first = &cohorts[0];
        assert_eq!(first["frequency"], "day");
        assert_eq!(first["period"], first["data"][0]["date"]);
        assert!(first["period"].as_str().unwrap().ends_with("T00:00:00.000Z"), "{first}");
        // Days are the default.
        parameters["frequency"] = json!(null);
        assert_eq!(staff.json(RETENTION, parameters).await.ok(), cohorts);
    }

    // The months at both ends are counted as a whole.
    async fn months_are_those_of_the_calendar(app: &TestApp) {
        let staff = app.staff("mo", "Moderator").await;
        app.user("alice").await;
        let now = app.app().now().to_string();
        let parameters = json!({ "start_at": now, "end_at": now, "frequency": "month" });
        let cohorts = staff.json(RETENTION, parameters).await.ok();
        assert_eq!(numbers(&cohorts), [vec![(2, 1.0)]]);
        assert_eq!(cohorts[0]["period"], format!("{}-01T00:00:00.000Z", &now[..7]));
        let mut year = json!({ "start_at": "2025-02-10", "end_at": "2026-02-10" });
        year["frequency"] = json!("month");
        let cohorts = staff.json(RETENTION, year).await.ok();
        let lengths: Vec<usize> = numbers(&cohorts).iter().map(Vec::len).collect();
        assert_eq!(lengths, (1..=13).rev().collect::<Vec<_>>());
    }

    async fn periods_are_checked(app: &TestApp) {
        let staff = app.staff("mo", "Moderator").await;
        let by = |frequency: &str, start: &str, end: &str| {
            json!({ "start_at": start, "end_at": end, "frequency": frequency })
        };
        let unknown = "Frequency is not included in the list".to_owned();
        let too_long = |days: u32| format!("At most {days} days can be requested at once");
        for (parameters, error) in [
            (json!({}), "Start at can't be blank".to_owned()),
            (json!({ "start_at": "2026-01-01" }), "End at can't be blank".to_owned()),
            (by("day", "2026-01-01", "2026-04-03"), too_long(92)),
            (by("month", "2025-01-01", "2026-01-02"), too_long(366)),
            (by("year", "2026-01-01", "2026-01-02"), unknown),
        ] {
            let refused = staff.json(RETENTION, parameters.clone()).await.expect(422);
            assert_eq!(refused["error"], format!("Validation failed: {error}"), "{parameters}");
        }
        let days = json!({ "start_at": "2026-01-01", "end_at": "2026-04-02" });
        assert_eq!(staff.json(RETENTION, days).await.ok().as_array().unwrap().len(), 92);
    }
}
