//! Log filters and the format of log lines.

use std::io::Write as _;

use clap::ValueEnum;
use env_logger::fmt::Formatter;
use log::{LevelFilter, Record};
use serde_json::{Map, Value, json};
use siskin_http::access_log;

/// The format of log lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Text for people
    #[default]
    Text,
    /// A JSON object on each line
    Json,
}

/// Starts logging to standard error: the lines that match `filters`, and the access log if it is
/// enabled.
pub(super) fn start(filters: &str, format: LogFormat, access: bool) {
    let level = if access { LevelFilter::Info } else { LevelFilter::Off };
    let mut builder = env_logger::Builder::new();
    builder.parse_filters(filters).filter_module(access_log::TARGET, level);
    if format == LogFormat::Json {
        builder.format(write_json);
    }
    builder.init();
}

fn write_json(line: &mut Formatter, record: &Record<'_>) -> std::io::Result<()> {
    let time = line.timestamp_millis().to_string();
    let message = record.args().to_string();
    let value = object(&time, record.level().as_str(), record.target(), &message);
    writeln!(line, "{value}")
}

/// Builds the JSON object of a line. A line of the access log consists of fields, and each becomes
/// an entry of its own.
fn object(time: &str, level: &str, target: &str, message: &str) -> Value {
    let mut object = Map::new();
    object.insert("time".to_owned(), json!(time));
    object.insert("level".to_owned(), json!(level));
    object.insert("target".to_owned(), json!(target));
    if target == access_log::TARGET {
        let fields = message.split(' ').filter_map(|field| field.split_once('='));
        object.extend(fields.map(|(name, value)| (name.to_owned(), field(name, value))));
    } else {
        object.insert("message".to_owned(), json!(message));
    }
    Value::Object(object)
}

fn field(name: &str, value: &str) -> Value {
    match (name, value.parse::<u64>()) {
        ("status" | "ms", Ok(number)) => json!(number),
        _ => json!(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_log_line_is_one_json_object() {
        let value = object("t", "WARN", "siskin_app", "two\nlines, a \"quote\" and request=1");
        let text = value.to_string();
        assert!(!text.contains('\n'), "{text}");
        assert_eq!(
            serde_json::from_str::<Value>(&text).unwrap(),
            json!({
                "time": "t", "level": "WARN", "target": "siskin_app",
                "message": "two\nlines, a \"quote\" and request=1",
            })
        );
    }

    #[test]
    fn access_log_fields_are_separate_json_fields() {
        let message = "request=1f-2 address=::1 method=GET path=/lists/7 status=200 ms=3";
        assert_eq!(
            object("t", "INFO", access_log::TARGET, message),
            json!({
                "time": "t", "level": "INFO", "target": "access", "request": "1f-2",
                "address": "::1", "method": "GET", "path": "/lists/7", "status": 200, "ms": 3,
            })
        );
    }
}
