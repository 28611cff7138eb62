//! Tolerant access to the members of an object: one value or an array of them, and `null` like
//! absent.

use serde_json::{Map, Value};

/// An object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Members<'a>(&'a Map<String, Value>);

/// Returns one value, or those of an array, without `null`. Arrays in arrays are not opened.
pub(crate) fn items(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    let values = match value {
        Some(Value::Array(values)) => values.as_slice(),
        Some(value) => std::slice::from_ref(value),
        None => &[],
    };
    values.iter().filter(|value| !value.is_null())
}

impl<'a> Members<'a> {
    /// Returns the members of an object, or `None` for any other value.
    pub(crate) fn of(value: &'a Value) -> Option<Self> {
        value.as_object().map(Self)
    }

    /// Returns a member. Returns `None` if it is absent or `null`.
    pub(crate) fn get(self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// Returns the only value of a member, or the first of an array.
    pub(crate) fn first(self, name: &str) -> Option<&'a Value> {
        self.items(name).next()
    }

    /// Returns the values of a member.
    pub(crate) fn items(self, name: &str) -> impl Iterator<Item = &'a Value> {
        items(self.get(name))
    }

    /// Returns the objects among the values of a member.
    pub(crate) fn objects(self, name: &str) -> impl Iterator<Item = Self> {
        self.items(name).filter_map(Self::of)
    }

    /// Returns the first object of a member.
    pub(crate) fn object(self, name: &str) -> Option<Self> {
        self.objects(name).next()
    }

    /// Returns the first text of a member.
    pub(crate) fn text(self, name: &str) -> Option<&'a str> {
        self.items(name).find_map(Value::as_str)
    }

    /// Returns a natural-language text (`ActivityStreams` 2.0, 4.7): the member, else the only or
    /// first entry of its map by languages, with the language of the map.
    pub(crate) fn natural(self, name: &str) -> Option<(&'a str, Option<&'a str>)> {
        let map = self.object(&format!("{name}Map"));
        if let Some(text) = self.text(name) {
            let language = map.and_then(|map| map.language_of(text));
            return Some((text, language));
        }
        map?.0.iter().find_map(|(language, text)| Some((text.as_str()?, Some(language.as_str()))))
    }

    fn language_of(self, text: &str) -> Option<&'a str> {
        let entry = self.0.iter().find(|(_, value)| value.as_str() == Some(text));
        entry.map(|(language, _)| language.as_str())
    }

    /// Returns `true` or `false`. Also accepts them as texts, which some servers send.
    pub(crate) fn flag(self, name: &str) -> Option<bool> {
        match self.first(name)? {
            Value::Bool(flag) => Some(*flag),
            Value::String(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Returns a count: a whole number that is not negative.
    pub(crate) fn count(self, name: &str) -> Option<u64> {
        let number = self.first(name)?;
        number.as_u64().or_else(|| {
            let number = number.as_f64().filter(|number| (0.0..=1e15).contains(number))?;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "in the range above"
            )]
            let count = number as u64;
            Some(count)
        })
    }

    /// Returns the names of its types.
    pub(crate) fn types(self) -> impl Iterator<Item = &'a str> {
        self.items("type").filter_map(Value::as_str)
    }

    /// Returns `true` if this is one of its types.
    pub(crate) fn is_a(self, name: &str) -> bool {
        self.types().any(|it| it == name)
    }
}
