//! Parser of query strings and urlencoded forms.

use percent_encoding::percent_decode;

use super::{
    Error, Limits, Map, Value, keys,
    tree::{self, Budget},
};

/// Parses `name=value&…` into a tree. A name without `=` is `null`, and a pair without a name is
/// ignored.
pub(super) fn read(text: &[u8], limits: Limits) -> Result<Map, Error> {
    let mut root = Map::new();
    let mut budget = Budget::new(limits);
    for pair in text.split(|byte| *byte == b'&') {
        let (key, value) = match pair.iter().position(|byte| *byte == b'=') {
            Some(equals) => {
                (&pair[..equals], Value::Text(tree::text(decoded(&pair[equals + 1..]))?))
            }
            None => (pair, Value::Null),
        };
        if !key.is_empty() {
            keys::insert(&mut root, decoded(key), value, &mut budget)?;
        }
    }
    Ok(root)
}

/// Decodes `+` as a space and `%41` as an A. A `%` without two hexadecimal digits stands for
/// itself.
fn decoded(part: &[u8]) -> Vec<u8> {
    let spaced: Vec<u8> =
        part.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    percent_decode(&spaced).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn root(text: &str) -> Map {
        read(text.as_bytes(), Limits::default()).unwrap()
    }

    fn text(value: &str) -> Value {
        Value::Text(value.into())
    }

    #[test]
    fn escapes_and_plus() {
        assert_eq!(
            root("q=a+b%20c%2Bd%26&n=%E3%81%82"),
            Map::from([("q".into(), text("a b c+d&")), ("n".into(), text("あ")),])
        );
        assert_eq!(root("a%5Bb%5D=1"), root("a[b]=1"));
    }

    #[test]
    fn a_percent_sign_without_digits_is_literal() {
        assert_eq!(
            root("q=100%&r=%zz&s=%4"),
            Map::from([
                ("q".into(), text("100%")),
                ("r".into(), text("%zz")),
                ("s".into(), text("%4")),
            ])
        );
    }

    #[test]
    fn absent_null_and_empty_values_differ() {
        assert_eq!(root(""), Map::new());
        assert_eq!(root("&&=x&="), Map::new());
        assert_eq!(
            root("a&b=&c=="),
            Map::from(
                [("a".into(), Value::Null), ("b".into(), text("")), ("c".into(), text("=")),]
            )
        );
    }

    #[test]
    fn invalid_text_is_malformed() {
        for query in ["q=%ff", "%ff=q", "q=%00", "%00"] {
            let read = read(query.as_bytes(), Limits::default());
            assert!(matches!(read, Err(Error::Malformed { .. })), "{query}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _ = read(&bytes, Limits::default());
        }

        #[test]
        fn any_brackets_are_read_or_refused(query in "([ab]?(\\[[ab]?\\]){0,3}(=|&|%5B|%)?){0,12}") {
            let _ = read(query.as_bytes(), Limits::default());
        }
    }
}
