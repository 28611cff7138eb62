//! The subset of JSON Schema that the API description uses. Two further checks cover formats of ids
//! and times, and fields that the description does not know.

use serde_json::{Map, Value};

/// Keywords that the check knows, besides those that contain schemas. `default` and `deprecated` do
/// not limit values.
#[cfg(test)]
pub const KEYWORDS: [&str; 8] =
    ["$ref", "type", "enum", "format", "required", "maxProperties", "default", "deprecated"];

/// Document of schemas that refer to each other.
pub struct Schemas<'a>(pub &'a Map<String, Value>);

impl Schemas<'_> {
    /// Returns the errors of `value` under this schema; empty if it is valid. Each error begins
    /// with its place, which begins with `at`. Unknown fields are errors, too.
    pub fn faults(&self, at: &str, schema: &Value, value: &Value) -> Vec<String> {
        let mut faults = self.faults_of_known(at, schema, value);
        self.check_known(schema, value, at, &mut faults);
        faults
    }

    /// As [`faults`](Self::faults), but ignores unknown fields.
    pub fn faults_of_known(&self, at: &str, schema: &Value, value: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        self.check(schema, value, at, &mut faults);
        faults
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
        if *schema == Value::Bool(false) {
            return faults.push(format!("{at}: must be absent"));
        }
        if let Some(named) = self.named(schema) {
            return self.check(named, value, at, faults);
        }
        for part in list(schema, "allOf") {
            self.check(part, value, at, faults);
        }
        let choices = list(schema, "anyOf");
        if !choices.is_empty() && !choices.iter().any(|choice| self.fits(choice, value)) {
            faults.push(format!("{at}: matches none of the alternatives: {value}"));
        }
        let types = types(schema);
        if !types.is_empty() && !types.iter().any(|name| is_of(name, value)) {
            faults.push(format!("{at}: {value} has none of the types {types:?}"));
        }
        let values = list(schema, "enum");
        if !values.is_empty() && !values.contains(value) {
            faults.push(format!("{at}: {value} is none of {values:?}"));
        }
        if let (Some(format), Some(text)) = (schema["format"].as_str(), value.as_str())
            && !is_formatted(format, text)
            // A URL that cannot be null is empty if there is none.
            && !(text.is_empty() && format == "uri" && !types.contains(&"null"))
        {
            faults.push(format!("{at}: {text:?} is not a {format}"));
        }
        self.check_parts(schema, value, at, faults);
    }

    fn check_parts(&self, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
        if let Some(items) = value.as_array() {
            for item in items.iter().filter(|_| schema.get("items").is_some()) {
                self.check(&schema["items"], item, &format!("{at}[]"), faults);
            }
        }
        let Some(fields) = value.as_object() else { return };
        if schema["maxProperties"].as_u64().is_some_and(|most| fields.len() as u64 > most) {
            faults.push(format!("{at}: has too many fields: {value}"));
        }
        for name in list(schema, "required").iter().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                faults.push(format!("{at}.{name}: missing"));
            }
        }
        for (name, field) in fields {
            let known = schema["properties"].get(name).or(schema.get("additionalProperties"));
            if let Some(known) = known {
                self.check(known, field, &format!("{at}.{name}"), faults);
            }
        }
    }

    fn fits(&self, schema: &Value, value: &Value) -> bool {
        let mut faults = Vec::new();
        self.check(schema, value, "", &mut faults);
        faults.is_empty()
    }

    /// Checks that some part of the schema names each field of the value.
    fn check_known(&self, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
        if let Some(items) = value.as_array() {
            for item in items {
                for inner in self.parts(schema).into_iter().filter_map(|part| part.get("items")) {
                    self.check_known(inner, item, &format!("{at}[]"), faults);
                }
            }
        }
        let Some(fields) = value.as_object() else { return };
        let parts = self.parts(schema);
        for (name, field) in fields {
            let known = parts
                .iter()
                .find_map(|part| part["properties"].get(name).or(part.get("additionalProperties")));
            match known {
                Some(known) => self.check_known(known, field, &format!("{at}.{name}"), faults),
                None => faults.push(format!("{at}.{name}: not in the schema")),
            }
        }
    }

    /// Returns the schema, the schemas that it refers to, and all their parts.
    fn parts<'s>(&'s self, schema: &'s Value) -> Vec<&'s Value> {
        if let Some(named) = self.named(schema) {
            return self.parts(named);
        }
        let inner = ["allOf", "anyOf"].into_iter().flat_map(|key| list(schema, key));
        [schema].into_iter().chain(inner.flat_map(|part| self.parts(part))).collect()
    }

    fn named(&self, schema: &Value) -> Option<&Value> {
        let name = schema.get("$ref")?.as_str()?.rsplit('/').next()?;
        Some(&self.0[name])
    }
}

fn list<'s>(schema: &'s Value, key: &str) -> &'s [Value] {
    schema.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn is_of(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("unknown type: {other}"),
    }
}

fn is_formatted(format: &str, text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match format {
        "id" => digits(text.strip_prefix('-').unwrap_or(text)),
        "int-string" | "unix-seconds-string" | "bitmask-decimal" => digits(text),
        "date-time" => is_shaped("0000-00-00T00:00:00.000Z", text),
        "date" => is_shaped("0000-00-00", text),
        "uri" => text.split_once(':').is_some_and(|(scheme, rest)| {
            !rest.is_empty()
                && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
        }),
        _ => true,
    }
}

/// Returns `true` if `text` has a digit for each 0 in `shape`, and otherwise the same characters.
fn is_shaped(shape: &str, text: &str) -> bool {
    shape.len() == text.len()
        && shape.bytes().zip(text.bytes()).all(|(wanted, found)| {
            if wanted == b'0' { found.is_ascii_digit() } else { wanted == found }
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn faults(value: &Value) -> Vec<String> {
        let schemas = json!({
            "Base": {
                "type": "object",
                "required": ["id"],
                "properties": {
                    "id": { "type": "string", "format": "id" },
                    "at": { "type": ["string", "null"], "format": "date-time" },
                    "text": false,
                },
            },
            "Whole": {
                "allOf": [
                    { "$ref": "#/components/schemas/Base" },
                    { "properties": { "kind": { "enum": ["a", "b"] } } },
                ],
                "properties": {
                    "inner": {
                        "anyOf": [{ "$ref": "#/components/schemas/Base" }, { "type": "null" }],
                    },
                    "list": { "type": "array", "items": { "type": "integer" } },
                    "few": { "maxProperties": 1, "additionalProperties": { "type": "integer" } },
                },
            },
        });
        let schema = json!({ "$ref": "#/components/schemas/Whole" });
        Schemas(schemas.as_object().expect("it is an object")).faults("Whole", &schema, value)
    }

    #[test]
    fn a_valid_value_has_no_errors() {
        for value in [
            json!({ "id": "1" }),
            json!({ "id": "1", "at": null, "kind": "a", "inner": null, "list": [1, 2] }),
            json!({ "id": "1", "at": "2026-11-27T08:00:00.000Z", "inner": { "id": "2" } }),
        ] {
            assert_eq!(faults(&value), Vec::<String>::new());
        }
    }

    #[test]
    fn each_kind_of_error_is_found() {
        for value in [
            json!({}),
            json!({ "id": 1 }),
            json!({ "id": "x" }),
            json!({ "id": "1", "at": "2026-11-27" }),
            json!({ "id": "1", "kind": "c" }),
            json!({ "id": "1", "inner": {} }),
            json!({ "id": "1", "inner": { "id": "2", "more": 1 } }),
            json!({ "id": "1", "list": ["1"] }),
            json!({ "id": "1", "list": null }),
            json!({ "id": "1", "text": "t" }),
            json!({ "id": "1", "more": 1 }),
            json!({ "id": "1", "few": { "a": 1, "b": 2 } }),
            json!({ "id": "1", "few": { "a": "1" } }),
        ] {
            assert_eq!(faults(&value).len(), 1, "{value}: {:?}", faults(&value));
        }
    }
}
