//! A serde deserializer over the parameter tree, with the lenient rules of [`crate::params`].

use serde::{
    Deserializer,
    de::{IntoDeserializer as _, Visitor},
    forward_to_deserialize_any,
};

use super::{
    Error, Map, Number, Value,
    access::{Elements, Entries},
    blank::{Blanks, Path},
    fault::{Fault, is_blank_text},
    patch,
};

/// Maximum number of elements in a list of texts, numbers or the like. No request needs more, and
/// use cases may allow fewer. The [limits](super::Limits) of the tree bound lists of maps.
const MAX_SCALARS: usize = 2000;

/// The root of the tree.
#[derive(Clone, Copy)]
pub(super) struct Root<'de, 'p> {
    map: &'de Map,
    blanks: &'p Blanks,
}

impl<'de, 'p> Root<'de, 'p> {
    pub(super) const fn new(map: &'de Map, blanks: &'p Blanks) -> Self {
        Self { map, blanks }
    }
}

impl<'de> Deserializer<'de> for Root<'de, '_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_map(Entries::new(self.map, &[], &Path::Root, self.blanks))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_map(Entries::new(self.map, fields, &Path::Root, self.blanks))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// A value and its path.
#[derive(Clone, Copy)]
pub(super) struct Node<'de, 'p> {
    pub(super) value: &'de Value,
    pub(super) path: &'p Path<'p>,
    pub(super) blanks: &'p Blanks,
}

impl<'de, 'p> Node<'de, 'p> {
    fn boolean(&self) -> Result<bool, Fault> {
        match self.value {
            Value::Bool(value) => Ok(*value),
            Value::Number(number) => Ok(number.as_f64() != Some(0.0)),
            Value::Text(text) if !is_blank_text(text) => {
                Ok(!matches!(text.as_str(), "0" | "f" | "F" | "false" | "FALSE" | "off" | "OFF"))
            }
            _ => Err(Fault::wrong_type("must be true or false")),
        }
    }

    /// Returns a whole number; JSON may write it with a fraction of zero.
    fn whole(&self) -> Result<Number, Fault> {
        let number = match self.value {
            Value::Number(number) if number.is_f64() => number.as_f64().and_then(whole_part),
            Value::Number(number) => Some(number.clone()),
            Value::Text(text) => {
                let text = text.trim();
                let signed = text.parse::<i64>().map(Number::from);
                signed.or_else(|_| text.parse::<u64>().map(Number::from)).ok()
            }
            _ => None,
        };
        number.ok_or_else(|| Fault::wrong_type("must be a whole number"))
    }

    fn float(&self) -> Result<f64, Fault> {
        let float = match self.value {
            Value::Number(number) => number.as_f64(),
            Value::Text(text) => text.trim().parse().ok(),
            _ => None,
        };
        float.filter(|float| float.is_finite()).ok_or_else(|| Fault::wrong_type("must be a number"))
    }

    fn visit_whole<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let number = self.whole()?;
        match (number.as_i64(), number.as_u64()) {
            (Some(signed), _) => visitor.visit_i64(signed),
            (None, Some(unsigned)) => visitor.visit_u64(unsigned),
            (None, None) => Err(Fault::wrong_type("must be a whole number")),
        }
    }

    fn visit_text<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.value {
            Value::Text(text) => visitor.visit_borrowed_str(text),
            Value::Number(number) => visitor.visit_string(number.to_string()),
            Value::Bool(value) => visitor.visit_string(value.to_string()),
            _ => Err(Fault::wrong_type("must be a string")),
        }
    }

    fn entries(self, fields: &'static [&'static str]) -> Result<Entries<'de, 'p>, Fault> {
        match self.value {
            Value::Map(map) => Ok(Entries::new(map, fields, self.path, self.blanks)),
            _ => Err(Fault::wrong_type("must have named values")),
        }
    }

    /// Returns the elements of a list, or of a value that is accepted as a list.
    fn elements(self) -> Result<Elements<'de, 'p>, Fault> {
        let elements: Vec<&'de Value> = match self.value {
            Value::List(list) => list.iter().collect(),
            Value::Map(map) => by_index(map)?,
            Value::Text(text) if is_blank_text(text) => {
                return Err(Fault::wrong_type("must be a list"));
            }
            Value::Null => return Err(Fault::wrong_type("must be a list")),
            scalar => vec![scalar],
        };
        if elements.len() > MAX_SCALARS && !matches!(elements.first(), Some(Value::Map(_))) {
            return Err(Fault::Final(Error::TooMany));
        }
        Ok(Elements::new(elements, self.path, self.blanks))
    }
}

/// Converts a float without fraction into a whole number, within the range in which floats are
/// exact.
fn whole_part(float: f64) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (float.fract() == 0.0 && float.abs() <= EXACT).then(|| Number::from(float as i64))
}

/// Returns the values of a map with numeric keys, in the order of the numbers.
fn by_index(map: &Map) -> Result<Vec<&Value>, Fault> {
    let indexed = map.iter().map(|(name, value)| name.parse::<u64>().map(|index| (index, value)));
    let mut indexed: Vec<_> =
        indexed.collect::<Result<_, _>>().map_err(|_| Fault::wrong_type("must be a list"))?;
    indexed.sort_by_key(|(index, _)| *index);
    Ok(indexed.into_iter().map(|(_, value)| value).collect())
}

macro_rules! delegate {
    ($visit:ident: $($method:ident)+) => { $(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            self.$visit(visitor)
        }
    )+ };
}

impl<'de> Deserializer<'de> for Node<'de, '_> {
    type Error = Fault;

    delegate! { visit_whole: deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8
    deserialize_u16 deserialize_u32 deserialize_u64 }

    delegate! { visit_text: deserialize_char deserialize_str deserialize_string deserialize_identifier }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) if number.is_f64() => visitor.visit_f64(self.float()?),
            Value::Number(_) => self.visit_whole(visitor),
            Value::Text(text) => visitor.visit_borrowed_str(text),
            Value::List(_) => visitor.visit_seq(self.elements()?),
            Value::Map(_) => visitor.visit_map(self.entries(&[])?),
            Value::File(_) => Err(Fault::wrong_type("must not be a file")),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_bool(self.boolean()?)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_f64(self.float()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.value {
            Value::Null if name == patch::NAME => visitor.visit_unit(),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_seq(self.elements()?)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_map(self.entries(&[])?)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_map(self.entries(fields)?)
    }

    /// Supports only enums without data: the value is the name of the variant.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let name = match self.value {
            Value::Text(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => return Err(Fault::wrong_type("must be a string")),
        };
        visitor.visit_enum(name.into_deserializer())
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { i128 u128 bytes byte_buf unit unit_struct }
}
