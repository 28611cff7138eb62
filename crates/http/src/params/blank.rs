//! Blank values: decides which empty texts are `null`, and which `null` values are absent.
//!
//! `display_name=` is a text, `sensitive=` is a missing value. Only the type of the field tells one
//! from the other, and serde reveals types only by trying. If the empty text fails for a field, the
//! decoder remembers the field and decodes the tree again with `null` in its place. The text
//! `undefined` is treated as absent in the same way. If a type cannot decode `null` either, the
//! value counts as absent. A [`Patch`](super::Patch) and an `Option` decode `null`.
//!
//! The remembered places are places of the *struct* (elements of a list share one). The number of
//! passes is therefore bounded by the fields of the struct and not by the input of a client.

use serde::Deserialize;

use super::{
    Error, Map, Value,
    de::Root,
    fault::{Fault, is_blank, is_empty_text},
};

/// Decodes a `T`.
pub(super) fn decode<'a, T: Deserialize<'a>>(root: &'a Map) -> Result<T, Error> {
    let mut blanks = Blanks::default();
    loop {
        match T::deserialize(Root::new(root, &blanks)) {
            Ok(value) => return Ok(value),
            Err(Fault::Blank(field_path)) => blanks.nulls.push(field_path),
            Err(Fault::Null(field_path)) => blanks.absent.push(field_path),
            Err(fault) => return Err(fault.of_root()),
        }
    }
}

static NULL: Value = Value::Null;

/// The places where an empty text is `null`, and those where `null` is absent.
#[derive(Debug, Default)]
pub(super) struct Blanks {
    nulls: Vec<Vec<Part>>,
    absent: Vec<Vec<Part>>,
}

fn has(field_paths: &[Vec<Part>], path: &Path<'_>) -> bool {
    !field_paths.is_empty() && field_paths.contains(&path.field_path())
}

/// A step to a place: a field of a struct, or any one element of a list or map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Field(&'static str),
    Element,
}

impl Blanks {
    /// Returns the value to decode for `value` at `path`. `None` if it counts as absent.
    pub(super) fn resolved<'a>(&self, value: &'a Value, path: &Path<'_>) -> Option<&'a Value> {
        let is_null = match value {
            Value::Null => true,
            _ if is_blank(value) && has(&self.nulls, path) => {
                if !is_empty_text(value) {
                    return None;
                }
                true
            }
            _ => false,
        };
        match is_null {
            true if has(&self.absent, path) => None,
            true => Some(&NULL),
            false => Some(value),
        }
    }
}

/// The path from the root to a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Path<'p> {
    Root,
    /// A field that the struct knows.
    Field(&'p Path<'p>, &'static str),
    /// An entry of a map, or an unknown name in a struct.
    Entry(&'p Path<'p>, &'p str),
    /// An element of a list.
    Index(&'p Path<'p>, usize),
}

impl Path<'_> {
    /// Returns the place in the struct, which is the same for all elements of a list.
    pub(super) fn field_path(&self) -> Vec<Part> {
        let (parent, part) = match self {
            Self::Root => return Vec::new(),
            Self::Field(parent, name) => (parent, Part::Field(name)),
            Self::Entry(parent, _) | Self::Index(parent, _) => (parent, Part::Element),
        };
        let mut field_path = parent.field_path();
        field_path.push(part);
        field_path
    }

    /// Returns the name as a form would write it: `fields_attributes[0][name]`.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Field(parent, name) => parent.join(name),
            Self::Entry(parent, name) => parent.join(name),
            Self::Index(parent, index) => parent.join(&index.to_string()),
        }
    }

    fn join(&self, name: &str) -> String {
        match self {
            Self::Root => name.to_owned(),
            parent => format!("{}[{name}]", parent.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_in_forms() {
        let list = Path::Field(&Path::Root, "fields_attributes");
        let element = Path::Index(&list, 3);
        assert_eq!(Path::Field(&element, "name").name(), "fields_attributes[3][name]");
        assert_eq!(Path::Root.name(), "");
    }

    #[test]
    fn elements_of_a_list_share_a_field_path() {
        let list = Path::Field(&Path::Root, "list");
        assert_eq!(Path::Index(&list, 0).field_path(), Path::Index(&list, 7).field_path());
        assert_ne!(Path::Index(&list, 0).field_path(), list.field_path());
    }
}
