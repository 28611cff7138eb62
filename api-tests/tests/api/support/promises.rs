//! Invariants of ids and times, which hold in every response.

use std::{collections::BTreeMap, sync::LazyLock};

use regex::Regex;
use serde_json::{Map, Value, json};
use siskin_entities::Timestamp;

/// Maximum difference between the times of the id and of the status, in milliseconds.
const CLOSE_MS: i64 = 2_000;

/// Returns descriptions of all violations in `response`.
pub fn violations(response: &Value) -> Vec<String> {
    let mut violations = Vec::new();
    check_value(response, "", &mut violations);
    violations
}

fn check_value(value: &Value, path: &str, violations: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                check_value(item, &format!("{path}[{index}]"), violations);
            }
        }
        Value::Object(object) => {
            let faults = object.iter().filter_map(|(key, value)| fault_of(object, key, value));
            violations.extend(faults.map(|(key, fault)| format!("{path}.{key} {fault}")));
            violations.extend(fault_of_status(object).map(|fault| format!("{path} {fault}")));
            for (key, value) in object {
                check_value(value, &format!("{path}.{key}"), violations);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn fault_of<'k>(
    object: &Map<String, Value>,
    key: &'k str,
    value: &Value,
) -> Option<(&'k str, String)> {
    let (is_kept, promise) = if key == "id" || key.ends_with("_id") {
        (is_null_or(value, |_| true), "a string or null")
    } else if key.ends_with("_ids") {
        let is_list = value.as_array().is_some_and(|ids| ids.iter().all(Value::is_string));
        // Reports and strikes that name none, as the contract says.
        let may_be_null = matches!(key, "rule_ids" | "status_ids");
        (is_list || (may_be_null && value.is_null()), "a list of strings")
    } else if key.ends_with("_at") {
        promise_of_time(object, key, value)
    } else {
        return None;
    };
    (!is_kept).then(|| (key, format!("is {value}, not {promise}")))
}

fn promise_of_time(object: &Map<String, Value>, key: &str, value: &Value) -> (bool, &'static str) {
    match key {
        "last_status_at" => (is_null_or(value, is_date), "a date or null"),
        "client_secret_expires_at" => (value.is_u64(), "in seconds"),
        "created_at" if object.contains_key("access_token") => (value.is_u64(), "in seconds"),
        "created_at" if is_account(object) => {
            let midnight = |text: &str| is_time(text) && text.ends_with("T00:00:00.000Z");
            (value.as_str().is_some_and(midnight), "midnight")
        }
        "published_at" if object.contains_key("provider_name") => {
            let seconds = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            (is_null_or(value, seconds), "seconds in a string")
        }
        _ => (is_null_or(value, is_time), "a time with milliseconds and Z, or null"),
    }
}

fn is_null_or(value: &Value, is_right: impl Fn(&str) -> bool) -> bool {
    value.is_null() || value.as_str().is_some_and(is_right)
}

fn is_account(object: &Map<String, Value>) -> bool {
    object.contains_key("acct") && object.contains_key("username")
}

fn is_status(object: &Map<String, Value>) -> bool {
    ["account", "visibility", "uri", "created_at"].iter().all(|key| object.contains_key(*key))
}

fn is_time(text: &str) -> bool {
    static TIME: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$").unwrap());
    TIME.is_match(text)
}

fn is_date(text: &str) -> bool {
    static DATE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\d{4}-\d\d-\d\d$").unwrap());
    DATE.is_match(text)
}

/// Checks that the id of a status, shifted right by 16, is close to its `created_at` in
/// milliseconds.
fn fault_of_status(object: &Map<String, Value>) -> Option<String> {
    if !is_status(object) {
        return None;
    }
    let id: i64 = object["id"].as_str()?.parse().ok()?;
    let created_at = object["created_at"].as_str()?;
    // Times in this format can be compared as texts.
    let format_time = |unix_ms| Timestamp::from_unix_ms(unix_ms).to_string();
    let (earliest, latest) =
        (format_time((id >> 16) - CLOSE_MS), format_time((id >> 16) + CLOSE_MS));
    let close = *created_at >= *earliest && *created_at <= *latest;
    (!close).then(|| format!("{id} was generated at {}, not {created_at}", format_time(id >> 16)))
}

/// Collects the ids of all statuses in `response` with their `created_at`.
pub fn gather_statuses(response: &Value, found: &mut BTreeMap<i64, String>) {
    match response {
        Value::Array(items) => items.iter().for_each(|item| gather_statuses(item, found)),
        Value::Object(object) => {
            if is_status(object) {
                let text = |key: &str| object[key].as_str().unwrap().to_owned();
                found.insert(text("id").parse().unwrap(), text("created_at"));
            }
            object.values().for_each(|value| gather_statuses(value, found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn exactly_the_violations_are_found() {
    let status = |id: Value, created_at: &str| {
        json!({ "id": id, "created_at": created_at, "uri": "", "visibility": "public",
            "account": { "id": "1", "acct": "a", "username": "a",
                "created_at": "2026-11-27T00:00:00.000Z", "last_status_at": "2026-11-27" } })
    };
    // Id of 2026-11-27T08:00:00.000Z.
    let id = (1_795_766_400_000_i64 << 16).to_string();
    for is_kept in [
        status(json!(id), "2026-11-27T08:00:01.999Z"),
        json!([{ "x_id": null, "rule_ids": ["1"], "edited_at": null, "identity": 1 }]),
        json!({ "rule_ids": null }),
        json!({ "access_token": "x", "created_at": 1_795_766_400 }),
    ] {
        assert_eq!(violations(&is_kept), Vec::<String>::new());
    }
    for fault in [
        status(json!(id), "2026-11-27T08:00:02.001Z"),
        status(json!(1), "2026-11-27T08:00:00.000Z"),
        json!({ "a": [{ "x_id": 1 }] }),
        json!({ "rule_ids": [1] }),
        json!({ "sample_account_ids": null }),
        json!({ "created_at": "2026-11-27T08:00:00Z" }),
        json!({ "created_at": 1_795_766_400 }),
        json!({ "last_status_at": "2026-11-27T08:00:00.000Z" }),
        json!({ "acct": "a", "username": "a", "created_at": "2026-11-27T08:00:00.000Z" }),
    ] {
        assert_eq!(violations(&fault).len(), 1, "{fault}");
    }
}
