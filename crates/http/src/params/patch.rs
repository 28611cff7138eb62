//! Fields of forms that change something: absent, cleared or set.

use std::{fmt, marker::PhantomData};

use serde::{Deserialize, Deserializer, de::Visitor};

/// A field of a form that changes something. It needs `#[serde(default)]`, which reads an absent
/// field as [`Patch::Keep`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Patch<T> {
    /// The field is absent: keep what is stored.
    #[default]
    Keep,
    /// The field is `null`: clear what is stored.
    Clear,
    /// Store this value.
    Set(T),
}

impl<T> Patch<T> {
    /// Returns the new value, or `None` if the stored one stays. `cleared` stands for
    /// [`Patch::Clear`].
    pub fn or_cleared(self, cleared: T) -> Option<T> {
        match self {
            Self::Keep => None,
            Self::Clear => Some(cleared),
            Self::Set(value) => Some(value),
        }
    }

    /// Returns the new value, or `None` if the stored one stays. The default value of the type
    /// stands for [`Patch::Clear`].
    pub fn or_default(self) -> Option<T>
    where
        T: Default,
    {
        self.or_cleared(T::default())
    }

    /// Returns `None` for [`Patch::Keep`] and `Some(None)` for [`Patch::Clear`].
    pub fn into_options(self) -> Option<Option<T>> {
        match self {
            Self::Keep => None,
            Self::Clear => Some(None),
            Self::Set(value) => Some(Some(value)),
        }
    }

    /// Converts the value of [`Patch::Set`].
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Self::Keep => Patch::Keep,
            Self::Clear => Patch::Clear,
            Self::Set(value) => Patch::Set(convert(value)),
        }
    }
}

/// Name by which the decoder of this module recognises a [`Patch`].
pub(super) const NAME: &str = "siskin_http::params::Patch";

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(NAME, PatchVisitor(PhantomData))
    }
}

struct PatchVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for PatchVisitor<T> {
    type Value = Patch<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or null")
    }

    fn visit_unit<E>(self) -> Result<Patch<T>, E> {
        Ok(Patch::Clear)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Patch<T>, D::Error> {
        T::deserialize(deserializer).map(Patch::Set)
    }
}
