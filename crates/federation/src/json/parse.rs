//! The bounded parser.

use std::{cell::Cell, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::{JsonError, MAX_BYTES, MAX_DEPTH, MAX_VALUES};

/// Parses JSON within all limits.
///
/// # Errors
/// Returns the reason for bytes that are no JSON, for a violated limit and for duplicate members.
/// The parser stops at the first fault.
pub(crate) fn parse(bytes: &[u8]) -> Result<Value, JsonError> {
    if bytes.len() > MAX_BYTES {
        return Err(JsonError::TooLarge);
    }
    let state = State { values: Cell::new(0), fault: Cell::new(None) };
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let parsed = Nested { state: &state, depth: 0 }
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value));
    parsed.map_err(|_| state.fault.get().unwrap_or(JsonError::Syntax))
}

struct State {
    values: Cell<usize>,
    /// The fault that stopped the parser, if it was no fault of syntax.
    fault: Cell<Option<JsonError>>,
}

/// A value that is inside of `depth` others.
#[derive(Clone, Copy)]
struct Nested<'s> {
    state: &'s State,
    depth: usize,
}

impl<'s> Nested<'s> {
    fn fail<E: Error>(self, fault: JsonError) -> E {
        self.state.fault.set(Some(fault));
        E::custom(fault)
    }

    /// Returns the seed for what an array or object contains.
    fn inner<E: Error>(self) -> Result<Nested<'s>, E> {
        let inner = Nested { depth: self.depth + 1, ..self };
        if inner.depth > MAX_DEPTH { Err(self.fail(JsonError::TooDeep)) } else { Ok(inner) }
    }
}

impl<'de> DeserializeSeed<'de> for Nested<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let values = self.state.values.get() + 1;
        self.state.values.set(values);
        if values > MAX_VALUES {
            return Err(self.fail(JsonError::TooManyValues));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Nested<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let mut values = Vec::new();
        while let Some(value) = array.next_element_seed(inner)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let mut members = Map::new();
        while let Some(name) = object.next_key::<String>()? {
            if members.contains_key(&name) {
                return Err(self.fail(JsonError::DuplicateMember));
            }
            members.insert(name, object.next_value_seed(inner)?);
        }
        Ok(Value::Object(members))
    }
}
