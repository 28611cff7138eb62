//! Parser of JSON bodies.

use std::fmt;

use serde::{
    Deserializer,
    de::{DeserializeSeed, MapAccess, SeqAccess, Visitor},
};

use super::{
    Error, Limits, Map, Number, Value,
    tree::{self, Budget},
};

/// Parses a JSON object into a tree. `null` and an empty body are empty trees.
pub(super) fn read(body: &[u8], limits: Limits) -> Result<Map, Error> {
    let body = without_byte_order_mark(body);
    if body.trim_ascii().is_empty() {
        return Ok(Map::new());
    }
    let mut growth = Growth { budget: Budget::new(limits), refused: None };
    match parse(body, &mut growth) {
        Ok(Value::Map(root)) => Ok(root),
        Ok(Value::Null) => Ok(Map::new()),
        Ok(_) => Err(Error::malformed("the JSON body must be an object")),
        Err(error) => Err(growth.refused.unwrap_or_else(|| Error::malformed(reason(&error)))),
    }
}

/// Returns the body without the byte order mark that some programs write before UTF-8.
pub(super) fn without_byte_order_mark(body: &[u8]) -> &[u8] {
    body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body)
}

fn parse(body: &[u8], growth: &mut Growth) -> Result<Value, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let value = Node { growth, depth: 0 }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Describes where the syntax is invalid. It leaves out the parser's own text, which may repeat the
/// body.
fn reason(error: &serde_json::Error) -> String {
    format!("the body is not JSON (line {}, column {})", error.line(), error.column())
}

/// The budget of the tree, and the error if one of its limits ended the parsing.
struct Growth {
    budget: Budget,
    refused: Option<Error>,
}

impl Growth {
    fn or_refuse<T, E: serde::de::Error>(&mut self, step: Result<T, Error>) -> Result<T, E> {
        step.map_err(|error| {
            let message = E::custom(&error);
            self.refused = Some(error);
            message
        })
    }

    fn text<E: serde::de::Error>(&mut self, text: String) -> Result<String, E> {
        let checked = tree::text(text.into_bytes());
        self.or_refuse(checked)
    }
}

/// A value that is `depth` levels below the root.
struct Node<'a> {
    growth: &'a mut Growth,
    depth: usize,
}

impl Node<'_> {
    fn child(&mut self) -> Node<'_> {
        Node { growth: &mut *self.growth, depth: self.depth + 1 }
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let taken =
            self.growth.budget.check_depth(self.depth).and_then(|()| self.growth.budget.spend());
        self.growth.or_refuse(taken)?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("not finite"))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Value, E> {
        self.visit_string(value.to_owned())
    }

    fn visit_string<E: serde::de::Error>(self, value: String) -> Result<Value, E> {
        self.growth.text(value).map(Value::Text)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = seq.next_element_seed(self.child())? {
            list.push(value);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = entries.next_key::<String>()? {
            let name = self.growth.text(name)?;
            map.insert(name, entries.next_value_seed(self.child())?);
        }
        Ok(Value::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(body: &str) -> Result<Map, Error> {
        read(body.as_bytes(), Limits::default())
    }

    #[test]
    fn every_kind_of_value() {
        let root = parsed(
            r#"{"n":null,"t":true,"i":-5,"u":18446744073709551615,"f":1.5,"s":"x\n","l":[1,[]],"m":{"":{}}}"#,
        );
        assert_eq!(
            root,
            Ok(Map::from([
                ("n".into(), Value::Null),
                ("t".into(), Value::Bool(true)),
                ("i".into(), Value::Number((-5).into())),
                ("u".into(), Value::Number(u64::MAX.into())),
                ("f".into(), Value::Number(Number::from_f64(1.5).unwrap())),
                ("s".into(), Value::Text("x\n".into())),
                ("l".into(), Value::List(vec![Value::Number(1.into()), Value::List(vec![])])),
                ("m".into(), Value::Map(Map::from([("".into(), Value::Map(Map::new()))]))),
            ]))
        );
    }

    #[test]
    fn an_empty_body_and_null_have_no_parameters() {
        for body in ["", " \r\n", "null", "{}"] {
            assert_eq!(parsed(body), Ok(Map::new()));
        }
    }

    #[test]
    fn one_byte_order_mark_is_skipped() {
        let one = Ok(Map::from([("a".into(), Value::Text("\u{FEFF}".into()))]));
        assert_eq!(parsed("\u{FEFF}{\"a\":\"\u{FEFF}\"}"), one);
        assert_eq!(parsed("\u{FEFF}"), Ok(Map::new()));
        assert!(matches!(parsed("\u{FEFF}\u{FEFF}{}"), Err(Error::Malformed { .. })));
    }

    #[test]
    fn anything_but_an_object_is_malformed() {
        for body in [
            "[]",
            "1",
            "\"a\"",
            "{",
            "{\"a\":1}x",
            "{\"a\":1,}",
            "{\"a\":\"\\ud800\"}",
            "a=1",
            "{\"a\":1e999}",
        ] {
            assert!(matches!(parsed(body), Err(Error::Malformed { .. })), "{body}");
        }
        assert!(matches!(
            read(b"{\"a\":\"\xff\"}", Limits::default()),
            Err(Error::Malformed { .. })
        ));
    }

    #[test]
    fn nul_is_refused_and_the_body_not_repeated() {
        for body in [r#"{"a":"\u0000"}"#, r#"{"\u0000":1}"#] {
            assert_eq!(parsed(body), Err(Error::malformed("text has a NUL character in it")));
        }
        assert_eq!(
            parsed("{\"password\":secret}"),
            Err(Error::malformed("the body is not JSON (line 1, column 13)"))
        );
    }

    #[test]
    fn depth_and_number_are_bounded() {
        let nested = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        assert!(parsed(&nested(32)).is_ok());
        assert_eq!(parsed(&nested(33)), Err(Error::TooMany));
        assert_eq!(parsed(&nested(100_000)), Err(Error::TooMany));
        let wide = |values: usize| format!("{{\"a\":[{}1]}}", "1,".repeat(values - 1));
        assert!(parsed(&wide(49_998)).is_ok());
        assert_eq!(parsed(&wide(49_999)), Err(Error::TooMany));
        let keywords = r#"{"keyword":"abcdefgh","whole_word":true},"#.repeat(9_999);
        assert!(parsed(&format!(r#"{{"k":[{keywords}{{"keyword":"z"}}]}}"#)).is_ok());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _ = read(&bytes, Limits::default());
        }

        #[test]
        fn any_punctuation_is_read_or_refused(body in "[{}\\[\\]\",:a1\\\\u0 ]{0,40}") {
            let _ = read(body.as_bytes(), Limits::default());
        }
    }
}
