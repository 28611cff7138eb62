//! Adds a member to a document without touching its other bytes.

use serde_json::Value;

/// Returns a JSON object with one more member at its end. Returns `None` if the bytes do not end
/// like an object. The caller has parsed them.
pub(crate) fn append_member(object: &[u8], name: &str, value: &Value) -> Option<Vec<u8>> {
    let inner = object.trim_ascii_end().strip_suffix(b"}")?.trim_ascii_end();
    let is_empty = inner.trim_ascii_start() == b"{";
    let mut out = inner.to_vec();
    if !is_empty {
        out.push(b',');
    }
    out.extend(Value::from(name).to_string().into_bytes());
    out.push(b':');
    out.extend(value.to_string().into_bytes());
    out.push(b'}');
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_bytes_stay_as_they_are() {
        for (object, longer) in [
            ("{}", r#"{"x":1}"#),
            (" { } \n", r#" {"x":1}"#),
            (r#"{"b":1.0, "a":"}"}"#, r#"{"b":1.0, "a":"}","x":1}"#),
            ("{\"b\":{} \n }", r#"{"b":{},"x":1}"#),
        ] {
            let appended = append_member(object.as_bytes(), "x", &1.into()).unwrap();
            assert_eq!(String::from_utf8(appended).unwrap(), longer);
        }
        assert_eq!(append_member(b"[]", "x", &1.into()), None);
    }
}
