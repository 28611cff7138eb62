//! Access to the entries of maps and lists in the parameter tree. Skips absent values: `null` in
//! lists, and the values that [`Blanks`] marks as absent.

use std::{collections::btree_map, iter::Enumerate, vec};

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, value::BorrowedStrDeserializer};

use super::{
    Map, Value,
    blank::{Blanks, Path},
    de::Node,
    fault::Fault,
};

/// Iterator over the entries of a map.
pub(super) struct Entries<'a, 'p> {
    rest: btree_map::Iter<'a, String, Value>,
    next: Option<(&'a str, &'a Value)>,
    /// The field names of the struct; empty if the target is a map.
    fields: &'static [&'static str],
    path: &'p Path<'p>,
    blanks: &'p Blanks,
}

impl<'a, 'p> Entries<'a, 'p> {
    pub(super) fn new(
        map: &'a Map,
        fields: &'static [&'static str],
        path: &'p Path<'p>,
        blanks: &'p Blanks,
    ) -> Self {
        Self { rest: map.iter(), next: None, fields, path, blanks }
    }

    fn path_of<'q>(&'q self, name: &'q str) -> Path<'q> {
        match self.fields.iter().find(|field| **field == name) {
            Some(field) => Path::Field(self.path, field),
            None => Path::Entry(self.path, name),
        }
    }
}

impl<'a> MapAccess<'a> for Entries<'a, '_> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'a>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Fault> {
        while let Some((name, value)) = self.rest.next() {
            if let Some(value) = self.blanks.resolved(value, &self.path_of(name)) {
                self.next = Some((name, value));
                return seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some);
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let Some((name, value)) = self.next.take() else {
            return Err(Fault::wrong_type("has a value without a name"));
        };
        let path = self.path_of(name);
        let node = Node { value, path: &path, blanks: self.blanks };
        seed.deserialize(node).map_err(|fault| fault.at(&path, value))
    }
}

/// Iterator over the elements of a list.
pub(super) struct Elements<'a, 'p> {
    rest: Enumerate<vec::IntoIter<&'a Value>>,
    path: &'p Path<'p>,
    blanks: &'p Blanks,
}

impl<'a, 'p> Elements<'a, 'p> {
    pub(super) fn new(elements: Vec<&'a Value>, path: &'p Path<'p>, blanks: &'p Blanks) -> Self {
        Self { rest: elements.into_iter().enumerate(), path, blanks }
    }
}

impl<'a> SeqAccess<'a> for Elements<'a, '_> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'a>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Fault> {
        for (index, value) in self.rest.by_ref() {
            let path = Path::Index(self.path, index);
            // List elements that are `null` are skipped.
            let resolved = self.blanks.resolved(value, &path);
            if let Some(value) = resolved.filter(|value| **value != Value::Null) {
                let node = Node { value, path: &path, blanks: self.blanks };
                return seed.deserialize(node).map(Some).map_err(|fault| fault.at(&path, value));
            }
        }
        Ok(None)
    }
}
