//! What a request says, whichever way it says it: query string, form, multipart and JSON become
//! one tree, and one set of loose rules reads a route's struct out of it.
//!
//! Knows no route and no business rule: it decides what was sent, not whether it is allowed. The
//! path is the router's, the token the authorization extractor's (an `access_token` in the query
//! stays in the tree untouched).
//!
//! Reading, by any method (a GET or DELETE may have a body):
//! - form and query keys nest: `a[]` a list, `a[b]` a map, `k[][x]` a list of maps in which a key
//!   that is already there starts the next one, `f[0][name]` a map that may stand for a list. A
//!   key without `[]` given twice: the last one counts. Keys that use one name in two ways are
//!   malformed. A key with odd brackets is taken as it stands;
//! - JSON is taken as it is and must be an object (an empty body or `null` says nothing);
//! - a body without a known content type is JSON if it begins with `{` or `[`, else a form;
//! - where query and body have the same name, the body's is taken, whole;
//! - a `%` that begins no escape stands for itself; text that is not UTF-8, or has a NUL in it
//!   (PostgreSQL cannot store one), is malformed.
//!
//! Decoding into a struct ([`Params::decode`], or the extractor [`Form`]):
//! - `null` is absent, except in a [`Patch`]: there it clears what is stored. Forms that change
//!   something take every field as a [`Patch`], which tells "absent" from "clear";
//! - the empty text is itself where text is wanted, so that `display_name=` clears a name. It is
//!   `null` where it cannot be read as what is wanted: a boolean, a number, an id, an enum, a
//!   struct. A form has no other way to write `null`;
//! - the text `undefined`, which scripts put into forms in place of a missing value, is itself where
//!   text is wanted, and absent otherwise. Texts that name something take it as absent with [`chosen`]
//!   and [`chosen_list`];
//! - booleans: `0 f F false FALSE off OFF` and the number 0 are false, all else is true;
//! - numbers may be texts, texts may be numbers or booleans; ids are texts;
//! - where a list is wanted, one scalar is a list of one, and a map with numbers for keys is the
//!   list of its values in the order of the numbers;
//! - names that the struct does not know are ignored.
//!
//! A struct that bounds its values with `validator` is taken by [`Checked`].
//!
//! `#[serde(flatten)]` and untagged enums go past these rules, because serde then buffers values
//! without knowing what is wanted. Decode two structs instead: one for the page, one for the rest.

mod access;
mod blank;
mod bodies;
mod checked;
mod chosen;
mod de;
mod error;
mod extract;
mod fault;
mod json;
mod keys;
mod multipart;
mod on_disk;
mod patch;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod rules;
mod tree;
mod urlencoded;

use std::sync::Arc;

use serde::Deserialize;

pub(crate) use bodies::Bodies;
pub use checked::Checked;
pub(crate) use chosen::{chosen, chosen_list};
pub use error::Error;
pub use extract::Form;
pub use on_disk::{Desk, Place, StoredFile};
pub use patch::Patch;
pub use tree::{Limits, Map, Number, Value};

/// What a request says. Cheap to clone. As an extractor it reads the body, once for all
/// extractors of a request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Params {
    root: Arc<Map>,
}

impl Params {
    /// What a query string (without `?`) says.
    ///
    /// # Errors
    /// [`Error::Malformed`] and [`Error::TooMany`].
    pub fn from_query(query: &str) -> Result<Self, Error> {
        urlencoded::read(query.as_bytes(), Limits::default()).map(Self::from)
    }

    /// Reads a `T` by the rules of this module.
    ///
    /// # Errors
    /// [`Error::Missing`] for a required field, [`Error::Invalid`] for one of the wrong type.
    pub fn decode<'a, T: Deserialize<'a>>(&'a self) -> Result<T, Error> {
        blank::decode(&self.root)
    }

    /// The value of a name, as it was sent.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.root.get(name)
    }

    /// The text of a name; none where it is absent or no text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns the uploaded file of a name. `None` if it is absent, `null`, empty or `undefined`.
    ///
    /// # Errors
    /// [`Error::Invalid`] for anything that is not a file.
    pub fn file(&self, name: &str) -> Result<Option<&StoredFile>, Error> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) if fault::is_blank(value) => Ok(None),
            Some(Value::File(file)) => Ok(Some(file)),
            Some(_) => Err(Error::Invalid {
                field: name.to_owned(),
                reason: "must be an uploaded file".to_owned(),
            }),
        }
    }

    /// These parameters and `over`'s; where both have a name, `over`'s value is taken.
    fn overlaid(self, over: Self) -> Self {
        if self.root.is_empty() {
            return over;
        }
        let mut root = Arc::unwrap_or_clone(self.root);
        root.extend(Arc::unwrap_or_clone(over.root));
        Self::from(root)
    }
}

impl From<Map> for Params {
    fn from(root: Map) -> Self {
        Self { root: Arc::new(root) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_wins_over_the_query_name_by_name() {
        let query = Params::from_query("a=1&b[x]=1&b[y]=2").unwrap();
        let body = Params::from_query("b[x]=3&c=4").unwrap();
        let both = Params::from_query("a=1&b[x]=3&c=4").unwrap();
        assert_eq!(query.overlaid(body), both);
    }

    #[test]
    fn text_in_the_place_of_a_file_is_none() {
        let params = Params::from_query("header=data:image/png;base64,&none=&script=undefined");
        let params = params.unwrap();
        for name in ["none", "script", "absent"] {
            assert_eq!(params.file(name), Ok(None), "{name}");
        }
        assert!(
            matches!(params.file("header"), Err(Error::Invalid { field, .. }) if field == "header")
        );
    }
}
