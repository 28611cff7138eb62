//! The error type of the deserializer, and its conversion into the error for clients.

use std::fmt::Display;

use serde::de::{self, Expected, Unexpected};

use super::{
    Error, Value,
    blank::{Part, Path},
};

/// The reason why a value cannot be decoded.
#[derive(Debug)]
pub(super) enum Fault {
    /// The current value does not fit. The text continues after its name: `must be a text`.
    WrongType(String),
    /// The current struct lacks a field.
    MissingField(&'static str),
    /// A blank text does not fit at this place.
    Blank(Vec<Part>),
    /// `null` does not fit at this place.
    Null(Vec<Part>),
    /// The finished error.
    Final(Error),
}

impl Fault {
    pub(super) fn wrong_type(reason: impl Into<String>) -> Self {
        Self::WrongType(reason.into())
    }

    /// Returns the fault with the place of `value`, which is at `path`.
    pub(super) fn at(self, path: &Path<'_>, value: &Value) -> Self {
        match self {
            Self::WrongType(_) if is_blank(value) => Self::Blank(path.field_path()),
            Self::WrongType(_) if *value == Value::Null => Self::Null(path.field_path()),
            Self::WrongType(reason) => Self::Final(Error::Invalid { field: path.name(), reason }),
            Self::MissingField(field) => {
                Self::Final(Error::Missing { field: Path::Field(path, field).name() })
            }
            finished @ (Self::Blank(_) | Self::Null(_) | Self::Final(_)) => finished,
        }
    }

    /// Converts the fault into the error of the whole tree.
    pub(super) fn of_root(self) -> Error {
        match self {
            Self::Final(error) => error,
            Self::MissingField(field) => Error::Missing { field: field.to_owned() },
            Self::WrongType(reason) => Error::malformed(format!("the request {reason}")),
            Self::Blank(_) | Self::Null(_) => Error::malformed("the request is empty"),
        }
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::WrongType(reason) => f.write_str(reason),
            Self::MissingField(field) => write!(f, "lacks {field}"),
            Self::Blank(_) | Self::Null(_) => f.write_str("is empty"),
            Self::Final(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Fault {}

/// Texts for serde's errors. Its own texts would repeat values and name Rust types.
impl de::Error for Fault {
    fn custom<T: Display>(message: T) -> Self {
        Self::WrongType(format!("is invalid: {message}"))
    }

    fn invalid_type(_: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self::wrong_type("is of the wrong type")
    }

    fn invalid_value(_: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self::wrong_type("is out of range")
    }

    fn invalid_length(_: usize, _: &dyn Expected) -> Self {
        Self::wrong_type("has the wrong number of elements")
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::WrongType(format!("must be one of: {}", expected.join(", ")))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::MissingField(field)
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::Final(Error::Invalid {
            field: field.to_owned(),
            reason: "is given under two names".to_owned(),
        })
    }
}

pub(super) fn is_empty_text(value: &Value) -> bool {
    matches!(value, Value::Text(text) if text.is_empty())
}

/// Returns `true` for a blank text, which counts as missing unless a text is expected. It is either
/// empty or the word `undefined`, which scripts put into a form for a missing value.
pub(super) fn is_blank(value: &Value) -> bool {
    matches!(value, Value::Text(text) if is_blank_text(text))
}

pub(super) fn is_blank_text(text: &str) -> bool {
    text.is_empty() || text == UNDEFINED
}

const UNDEFINED: &str = "undefined";
