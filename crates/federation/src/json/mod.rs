//! JSON of other servers: a bounded parser, the checks of a document, and tolerant access to its
//! members.
//!
//! Compacted documents are read as they stand, without a JSON-LD processor: most advisories about
//! forged documents were about processors. So documents that mean something else to a processor
//! than to this reader are refused (`document`). No type of this module is public, except for the
//! error.

mod document;
mod members;
mod parse;
#[cfg(test)]
mod tests;

pub(crate) use document::{Contexts, document};
pub(crate) use members::{Members, items};
pub(crate) use parse::parse;
pub(crate) use serde_json::Value;

/// Maximum size of a document, in bytes.
pub const MAX_BYTES: usize = 1 << 20;
/// Maximum nesting of arrays and objects; the document itself is at depth 1.
pub const MAX_DEPTH: usize = 32;
/// Maximum number of values, with all arrays, objects and what they contain.
pub const MAX_VALUES: usize = 20_000;

/// Reason why bytes are no document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum JsonError {
    /// It has more than [`MAX_BYTES`].
    #[error("the document is larger than {MAX_BYTES} bytes")]
    TooLarge,
    /// It is nested deeper than [`MAX_DEPTH`].
    #[error("the document is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// It has more than [`MAX_VALUES`].
    #[error("the document has more than {MAX_VALUES} values")]
    TooManyValues,
    /// An object has two members with the same name, which programs read differently.
    #[error("an object has two members of the same name")]
    DuplicateMember,
    /// It is no JSON of RFC 8259 in UTF-8.
    #[error("the document is no JSON")]
    Syntax,
    /// It is JSON, but no object.
    #[error("the document is no object")]
    NotAnObject,
    /// Its `@context` does not name the vocabulary, so it is of another kind.
    #[error("the document has no context of ActivityStreams")]
    NoContext,
    /// A context in it gives another meaning to a term that rules depend on.
    #[error("a context redefines a term")]
    RedefinedTerm,
    /// It has a member or a context with `@graph`, `@included`, `@reverse` or `@nest`, by which it
    /// says more than it seems to say.
    #[error("the document has a forbidden keyword")]
    ForbiddenKeyword,
}

impl JsonError {
    /// Returns the stable name of the reason, for counters and logs.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::TooLarge => "json_too_large",
            Self::TooDeep => "json_too_deep",
            Self::TooManyValues => "json_too_many_values",
            Self::DuplicateMember => "json_duplicate_member",
            Self::Syntax => "json_syntax",
            Self::NotAnObject => "json_not_an_object",
            Self::NoContext => "json_no_context",
            Self::RedefinedTerm => "json_redefined_term",
            Self::ForbiddenKeyword => "json_forbidden_keyword",
        }
    }
}
