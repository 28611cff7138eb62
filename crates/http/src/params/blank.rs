//! Which empty texts are `null`, and which values that are `null` are absent.
//!
//! `display_name=` is a text, `sensitive=` is none. Only the type of the field tells one from the
//! other, and serde shows types only by trying: a field for which the empty text failed is
//! remembered, and the tree is read again with `null` in its place, or with nothing in the place of
//! the text `undefined`. A type that cannot read `null`
//! either takes it as absent, in the same way. A [`Patch`](super::Patch) and an `Option` read it.
//! What is remembered are places of the *struct* (elements of a list share one), so the number of
//! readings is bounded by the fields of the struct and not by what a client sends.

use serde::Deserialize;

use super::{
    Error, Map, Value,
    de::Root,
    fault::{Fault, is_blank, is_empty_text},
};

/// Reads a `T`.
pub(super) fn decode<'a, T: Deserialize<'a>>(root: &'a Map) -> Result<T, Error> {
    let mut blanks = Blanks::default();
    loop {
        match T::deserialize(Root::new(root, &blanks)) {
            Ok(value) => return Ok(value),
            Err(Fault::Blank(place)) => blanks.nulls.push(place),
            Err(Fault::Null(place)) => blanks.absent.push(place),
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

fn has(places: &[Vec<Part>], path: &Path<'_>) -> bool {
    !places.is_empty() && places.contains(&path.place())
}

/// A step to a place: a field of a struct, or any one element of a list or map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Field(&'static str),
    Element,
}

impl Blanks {
    /// Returns what `value` at `path` is read as: `None` if it counts as absent.
    pub(super) fn seen<'a>(&self, value: &'a Value, path: &Path<'_>) -> Option<&'a Value> {
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

/// The way from the root to a value.
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
    /// The place in the struct, whatever the element.
    pub(super) fn place(&self) -> Vec<Part> {
        let (parent, part) = match self {
            Self::Root => return Vec::new(),
            Self::Field(parent, name) => (parent, Part::Field(name)),
            Self::Entry(parent, _) | Self::Index(parent, _) => (parent, Part::Element),
        };
        let mut place = parent.place();
        place.push(part);
        place
    }

    /// The name as a form would write it: `fields_attributes[0][name]`.
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
    fn elements_share_a_place() {
        let list = Path::Field(&Path::Root, "list");
        assert_eq!(Path::Index(&list, 0).place(), Path::Index(&list, 7).place());
        assert_ne!(Path::Index(&list, 0).place(), list.place());
    }
}
