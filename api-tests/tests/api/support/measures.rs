//! Statistics for staff in tests.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use siskin_entities::DayRange;
use siskin_persistence::measures;

use super::{Client, TestApp, User};

const DAY: Duration = Duration::from_hours(24);
/// Timeout that tolerates a busy machine.
const TIMEOUT: Duration = Duration::from_secs(20);

impl TestApp {
    /// Returns the parameters for the days from `ago` days before today until today.
    pub fn last_days(&self, ago: u32) -> Value {
        let now = self.app().now();
        let start = now.before(DAY.saturating_mul(ago));
        json!({ "start_at": start.to_string(), "end_at": now.to_string() })
    }

    /// Lets a user be active today. This is recorded after the response.
    pub async fn be_active_today(&self, user: &User) {
        let now = self.app().now();
        let range = DayRange::of(now, now, 1).unwrap();
        let active = async || -> i64 {
            let total = self.app().read(move |conn| Ok(measures::active_totals(conn, range)?));
            total.await.unwrap().0
        };
        let before = active().await;
        user.get("/api/v1/markers").await.ok();
        let start = Instant::now();
        while active().await == before {
            assert!(start.elapsed() < TIMEOUT, "the activity is not recorded");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Client {
    /// Returns the measure with this key for the days in `parameters`.
    pub async fn measure(&self, key: &str, mut parameters: Value) -> Value {
        parameters["keys"] = json!([key]);
        let measures = self.json("/api/v1/admin/measures", parameters).await.ok();
        assert_eq!(measures[0]["key"], key, "{measures}");
        measures[0].clone()
    }

    /// Returns the total and the previous total of a measure.
    pub async fn totals(&self, key: &str, parameters: Value) -> (i64, Option<i64>) {
        let measure = self.measure(key, parameters).await;
        (number(&measure["total"]).unwrap(), number(&measure["previous_total"]))
    }

    /// Returns the names and values of the ranking with this key.
    pub async fn ranking(&self, key: &str, mut parameters: Value) -> Vec<(String, String)> {
        parameters["keys"] = json!([key]);
        let rankings = self.json("/api/v1/admin/dimensions", parameters).await.ok();
        assert_eq!(rankings[0]["key"], key, "{rankings}");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let entries = rankings[0]["data"].as_array().unwrap().iter();
        entries.map(|entry| (text(&entry["key"]), text(&entry["value"]))).collect()
    }
}

/// Returns the number in a string. `None` if it is absent.
pub fn number(value: &Value) -> Option<i64> {
    value.as_str().map(|text| text.parse().unwrap())
}
