//! Snapshot tests of whole responses, with values that differ between runs replaced.

use std::{collections::BTreeMap, path::Path};

use serde_json::{Value, json};

use super::Response;

/// Compares a response (status, content type, `Link`, body) with `snapshots/NAME.snap`. Both
/// engines share the snapshot.
macro_rules! snapshot {
    ($name:literal, $response:expr) => {
        $crate::support::assert_snapshot($name, &$response)
    };
}

pub fn assert_snapshot(name: &str, response: &Response) {
    let body = serde_json::from_slice(&response.body).unwrap_or_else(|_| json!(response.text()));
    let mut whole = json!({
        "status": response.status,
        "content-type": response.header("content-type"),
        "body": body,
    });
    if let Some(link) = response.header("link") {
        whole["link"] = json!(link);
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/api/snapshots"));
    settings.bind(|| insta::assert_json_snapshot!(name, redacted(&whole)));
}

/// Returns `value` with replacements. Ids are numbered in order of appearance, so that equal ids
/// stay equal. Times and dates are replaced by their form, and the server's address by
/// `http://here`.
fn redacted(value: &Value) -> Value {
    let mut ids = BTreeMap::new();
    redact(value, &mut ids)
}

fn redact(value: &Value, ids: &mut BTreeMap<String, usize>) -> Value {
    match value {
        Value::String(text) => Value::String(redact_text(text, ids)),
        Value::Array(items) => items.iter().map(|item| redact(item, ids)).collect(),
        Value::Object(members) => {
            let redacted = members.iter().map(|(key, value)| match (key.as_str(), value) {
                ("group_key", Value::String(text)) => {
                    (key.clone(), Value::String(redact_window(&redact_text(text, ids))))
                }
                _ => (key.clone(), redact(value, ids)),
            });
            Value::Object(redacted.collect())
        }
        other => other.clone(),
    }
}

fn redact_text(text: &str, ids: &mut BTreeMap<String, usize>) -> String {
    if let Some(form) = form_of_time(text) {
        return form.to_owned();
    }
    redact_ids(&redact_address(text), ids)
}

/// Returns the placeholder for a time. Times in responses always have milliseconds.
fn form_of_time(text: &str) -> Option<&'static str> {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    match shape.as_str() {
        "0000-00-00T00:00:00.000Z" if text.ends_with("T00:00:00.000Z") => Some("[midnight]"),
        "0000-00-00T00:00:00.000Z" => Some("[time]"),
        "0000-00-00" => Some("[date]"),
        _ => None,
    }
}

/// Replaces the number of the time window at the end of a group's key.
fn redact_window(key: &str) -> String {
    match key.rsplit_once('-') {
        Some((before, window)) if window.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{before}-[window]")
        }
        _ => key.to_owned(),
    }
}

/// Replaces the address of the server, because ports differ from run to run.
fn redact_address(text: &str) -> String {
    let mut parts = text.split("127.0.0.1:");
    let mut redacted = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        redacted.push_str("here");
        redacted.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    redacted
}

/// Replaces ids. Current ids have 18 digits, and no other number in a response has as many.
fn redact_ids(text: &str, ids: &mut BTreeMap<String, usize>) -> String {
    let mut redacted = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        redacted.push_str(&rest[..start]);
        let digits = rest[start..].find(|c: char| !c.is_ascii_digit());
        let (number, after) = rest[start..].split_at(digits.unwrap_or(rest.len() - start));
        if number.len() >= 17 {
            let next = ids.len() + 1;
            let id = *ids.entry(number.to_owned()).or_insert(next);
            redacted.push_str(&format!("[id {id}]"));
        } else {
            redacted.push_str(number);
        }
        rest = after;
    }
    redacted.push_str(rest);
    redacted
}

#[test]
fn volatile_values_are_redacted_and_equal_ids_stay_equal() {
    let value = json!({
        "id": "115600000000000001",
        "uri": "http://127.0.0.1:40123/@alice/115600000000000001",
        "in_reply_to_id": "115600000000000002",
        "created_at": "2026-11-27T08:00:00.123Z",
        "text": "in 2026, 127.0.0.1",
    });
    assert_eq!(
        redacted(&value),
        json!({
            "id": "[id 1]",
            "uri": "http://here/@alice/[id 1]",
            "in_reply_to_id": "[id 2]",
            "created_at": "[time]",
            "text": "in 2026, 127.0.0.1",
        })
    );
}

#[test]
fn every_snapshot_is_used() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/api");
    let source = source_below(&tests);
    for file in std::fs::read_dir(tests.join("snapshots")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let (name, kind) = name.split_once('.').unwrap();
        assert_eq!(kind, "snap", "{name}.{kind} must be reviewed or removed");
        assert!(source.contains(&format!("snapshot!(\"{name}\"")), "no test uses {name}.snap");
    }
}

fn source_below(folder: &Path) -> String {
    let mut source = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            source.push_str(&source_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            source.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
    source
}
