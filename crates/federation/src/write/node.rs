//! JSON with members in a fixed order.

use std::{borrow::Cow, fmt::Write as _};

use siskin_entities::Timestamp;

/// JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node<'a> {
    Text(Cow<'a, str>),
    Flag(bool),
    Count(u64),
    Decimal(f64),
    List(Vec<Node<'a>>),
    Object(Members<'a>),
}

/// Members of an object. Methods that add a member leave it out if its value is empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Members<'a>(Vec<(&'a str, Node<'a>)>);

impl<'a> Members<'a> {
    /// Returns the members of an object with a type and without id.
    pub(super) fn of(kind: &'a str) -> Self {
        Self::default().text("type", kind)
    }

    pub(super) fn with_id(id: &'a str, kind: &'a str) -> Self {
        Self::default().text("id", id).text("type", kind)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'a str, &Node<'a>)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a member, also an empty one.
    pub(super) fn with(mut self, name: &'a str, value: Node<'a>) -> Self {
        self.0.push((name, value));
        self
    }

    fn with_some(self, name: &'a str, value: Option<Node<'a>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    pub(super) fn text(self, name: &'a str, value: impl Into<Cow<'a, str>>) -> Self {
        let value = value.into();
        self.with_some(name, (!value.is_empty()).then_some(Node::Text(value)))
    }

    pub(super) fn optional(self, name: &'a str, value: Option<&'a str>) -> Self {
        self.text(name, value.unwrap_or_default())
    }

    pub(super) fn texts(self, name: &'a str, values: &[&'a str]) -> Self {
        self.nodes(name, values.iter().map(|text| Node::Text(Cow::Borrowed(*text))).collect())
    }

    pub(super) fn nodes(self, name: &'a str, values: Vec<Node<'a>>) -> Self {
        self.with_some(name, (!values.is_empty()).then_some(Node::List(values)))
    }

    pub(super) fn objects(self, name: &'a str, values: impl Iterator<Item = Self>) -> Self {
        self.nodes(name, values.map(Node::Object).collect())
    }

    pub(super) fn object(self, name: &'a str, value: Option<Self>) -> Self {
        let value = value.filter(|members| !members.is_empty());
        self.with_some(name, value.map(Node::Object))
    }

    pub(super) fn flag(self, name: &'a str, value: bool) -> Self {
        self.with(name, Node::Flag(value))
    }

    pub(super) fn count(self, name: &'a str, value: Option<u64>) -> Self {
        self.with_some(name, value.map(Node::Count))
    }

    /// Adds a time, with its milliseconds unless they are zero.
    pub(super) fn time(self, name: &'a str, value: Option<Timestamp>) -> Self {
        self.text(name, value.map(written).unwrap_or_default())
    }

    /// Returns the members with others behind them.
    pub(super) fn followed_by(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        let mut out = String::new();
        Node::Object(self).write(&mut out);
        out.into_bytes()
    }
}

fn written(time: Timestamp) -> String {
    let text = time.to_string();
    text.strip_suffix(".000Z").map_or(text.clone(), |seconds| format!("{seconds}Z"))
}

impl Node<'_> {
    /// Returns the size in bytes.
    pub(super) fn size(&self) -> usize {
        let mut out = String::new();
        self.write(&mut out);
        out.len()
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Text(text) => quote(text, out),
            Self::Flag(flag) => out.push_str(if *flag { "true" } else { "false" }),
            // Writing to a string cannot fail.
            Self::Count(count) => drop(write!(out, "{count}")),
            Self::Decimal(number) => drop(write!(out, "{number:?}")),
            Self::List(values) => {
                out.push('[');
                for (at, value) in values.iter().enumerate() {
                    separate(at, out);
                    value.write(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (at, (name, value)) in members.iter().enumerate() {
                    separate(at, out);
                    quote(name, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

fn separate(at: usize, out: &mut String) {
    if at > 0 {
        out.push(',');
    }
}

/// Writes a text with the escapes that JSON requires (RFC 8259, section 7).
fn quote(text: &str, out: &mut String) {
    out.reserve(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Writing to a string cannot fail.
            c if c < ' ' => drop(write!(out, "\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_empty_is_left_out() {
        let members = Members::with_id("", "")
            .optional("a", None)
            .optional("b", Some(""))
            .texts("c", &[])
            .object("d", Some(Members::default()))
            .count("e", None)
            .time("f", None);
        assert_eq!(members.clone().into_bytes(), b"{}");
        let members =
            members.count("z", Some(0)).flag("y", false).with("x", Node::List(Vec::new()));
        assert_eq!(members.into_bytes(), br#"{"z":0,"y":false,"x":[]}"#);
    }

    #[test]
    fn times_keep_their_milliseconds() {
        let time =
            |ms| Members::default().time("a", Some(Timestamp::from_unix_ms(ms))).into_bytes();
        assert_eq!(time(0), br#"{"a":"1970-01-01T00:00:00Z"}"#);
        assert_eq!(time(1), br#"{"a":"1970-01-01T00:00:00.001Z"}"#);
    }

    proptest! {
        #[test]
        fn texts_and_numbers_are_those_of_json(
            text in any::<String>(),
            x in -1_000_000..=1_000_000,
        ) {
            let number = f64::from(x) / 1e6;
            let members = Members::default()
                .with("a", Node::Text(text.as_str().into()))
                .with("b", Node::Decimal(number));
            let read: serde_json::Value = serde_json::from_slice(&members.into_bytes()).unwrap();
            prop_assert_eq!(&read, &serde_json::json!({"a": text, "b": number}));
        }
    }
}
