//! Request parameters in every encoding: query string, form, multipart and JSON become one tree,
//! and one set of lenient rules decodes a route's struct from it.
//!
//! This module knows no route and no business rule: it decides what was sent, not whether it is
//! allowed. The router reads the path, and the authorization extractor reads the token. An
//! `access_token` in the query stays in the tree untouched.
//!
//! Rules of parsing, for any method (a GET or DELETE may have a body):
//! - Keys of forms and queries nest. `a[]` is a list and `a[b]` a map. `k[][x]` is a list of maps;
//!   a key that the current map already has starts the next one. `f[0][name]` is a map that may
//!   stand for a list.
//! - If a key without `[]` is given twice, the last one counts. Keys that use one name in two ways
//!   are malformed. A key with unbalanced brackets is a plain name.
//! - JSON is used unchanged and must be an object. An empty body or `null` means no parameters.
//! - A body without a known content type is JSON if it begins with `{` or `[`, else a form.
//! - If query and body have the same name, the whole value of the body replaces that of the query.
//! - A `%` that begins no escape stands for itself. Text that is not UTF-8, or contains a NUL
//!   (which PostgreSQL cannot store), is malformed.
//!
//! Rules of decoding into a struct ([`Params::decode`], or the extractor [`Form`]):
//! - `null` is absent, except in a [`Patch`]: there it clears the stored value. Forms that change
//!   something use a [`Patch`] for every field, which tells "absent" from "clear".
//! - The empty text is a value if a text is expected, so that `display_name=` clears a name. It is
//!   `null` if it cannot be decoded as the expected type: a boolean, a number, an id, an enum, a
//!   struct. A form has no other way to write `null`.
//! - The text `undefined`, which scripts put into forms for a missing value, is a value if a text
//!   is expected, and absent otherwise. For texts that identify something, [`chosen()`] and
//!   [`chosen_list`] treat it as absent.
//! - Booleans: `0 f F false FALSE off OFF` and the number 0 are false, everything else is true.
//! - Numbers may be texts, texts may be numbers or booleans. Ids are texts.
//! - If a list is expected, one scalar is a list of one. A map with numeric keys is the list of its
//!   values in the order of the numbers.
//! - Names that the struct does not know are ignored.
//!
//! [`Checked`] extracts a struct that bounds its values with `validator`.
//!
//! `#[serde(flatten)]` and untagged enums bypass these rules, because serde then buffers values
//! without knowing the expected type. Decode two structs instead: one for the page, one for the
//! rest.

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
mod record_id;
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
pub use on_disk::{StoredFile, UploadPolicy, UploadTarget};
pub use patch::Patch;
pub(crate) use record_id::record_id;
pub use tree::{Limits, Map, Number, Value};

/// The parameters of a request. Cheap to clone. As an extractor it reads the body, once for all
/// extractors of a request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Params {
    root: Arc<Map>,
}

impl Params {
    /// Parses a query string (without `?`).
    ///
    /// # Errors
    /// [`Error::Malformed`] and [`Error::TooMany`].
    pub fn from_query(query: &str) -> Result<Self, Error> {
        urlencoded::read(query.as_bytes(), Limits::default()).map(Self::from)
    }

    /// Decodes a `T` by the rules of this module.
    ///
    /// # Errors
    /// [`Error::Missing`] for a required field, [`Error::Invalid`] for one of the wrong type.
    pub fn decode<'a, T: Deserialize<'a>>(&'a self) -> Result<T, Error> {
        blank::decode(&self.root)
    }

    /// Returns the value of a name, as it was sent.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.root.get(name)
    }

    /// Returns the text of a name. `None` if the value is absent or not a text.
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

    /// Merges these parameters with those of `over`. If both have a name, the value of `over`
    /// counts.
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
    fn blank_text_instead_of_a_file_is_absent() {
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
