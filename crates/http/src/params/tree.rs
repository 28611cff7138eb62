//! The parameter tree, common to all encodings, and the limits of its growth.

use std::collections::BTreeMap;

use super::{Error, StoredFile};

pub use serde_json::Number;

/// Values by name.
pub type Map = BTreeMap<String, Value>;

/// A value of a request. Forms have only texts, lists, maps, files, and `Null` for a name without
/// `=`. The other variants come from JSON.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// JSON's `null`, or a name without `=` in a query or form.
    Null,
    /// A JSON boolean.
    Bool(bool),
    /// A JSON number.
    Number(Number),
    /// Text without NUL.
    Text(String),
    /// Values in the order they were sent.
    List(Vec<Value>),
    /// Values by name.
    Map(Map),
    /// A part of a multipart body that has a file name. It lies on disk.
    File(StoredFile),
}

/// Limits on the parameters of a request. Give another value to the application as `app_data` to
/// replace the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum bytes of a JSON or form body, and of all texts of a multipart body together.
    pub text: usize,
    /// Maximum bytes of one file of a multipart body.
    pub file: usize,
    /// Maximum bytes of a multipart body.
    pub multipart: usize,
    /// Maximum number of values, counting every text, list and map.
    pub values: usize,
    /// Maximum levels of nesting; `a[b]` has two.
    pub depth: usize,
}

impl Default for Limits {
    /// Large enough that every list in the API is refused by its own rule first (ten thousand
    /// filter keywords). Routes that accept files define the size of those.
    fn default() -> Self {
        Self { text: 2 << 20, file: 0, multipart: 2 << 20, values: 50_000, depth: 32 }
    }
}

impl Limits {
    /// Returns the limits for anonymous callers: enough for forms to sign up and in, and for
    /// registrations of applications.
    pub(super) fn anonymous(self) -> Self {
        let (text, multipart) = (self.text.min(64 << 10), self.multipart.min(64 << 10));
        Self { text, multipart, values: self.values.min(2000), ..self }
    }
}

/// The rest of [`Limits`] while a tree grows.
#[derive(Debug)]
pub(super) struct Budget {
    values: usize,
    depth: usize,
}

impl Budget {
    pub(super) const fn new(limits: Limits) -> Self {
        Self { values: limits.values, depth: limits.depth }
    }

    /// Spends one text, list or map.
    pub(super) fn spend(&mut self) -> Result<(), Error> {
        self.values = self.values.checked_sub(1).ok_or(Error::TooMany)?;
        Ok(())
    }

    /// Checks that a value may be `depth` levels deep; the names of the root are level 1.
    pub(super) fn check_depth(&self, depth: usize) -> Result<(), Error> {
        if depth > self.depth { Err(Error::TooMany) } else { Ok(()) }
    }
}

/// Decodes `bytes` as text.
pub(super) fn text(bytes: Vec<u8>) -> Result<String, Error> {
    let text = String::from_utf8(bytes).map_err(|_| Error::malformed("text is not UTF-8"))?;
    if text.contains('\0') {
        return Err(Error::malformed("text has a NUL character in it"));
    }
    Ok(text)
}
