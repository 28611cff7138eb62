//! Makes Linked-Data signatures (`RsaSignature2017`) of our own documents.
//!
//! They are never believed, because a graph can be arranged in another way under the same signature
//! (CVE-2022-24307, CVE-2026-42462). They are made because Mastodon passes replies, edits and
//! deletions on to other servers only with one. Made for public and unlisted activities only.
//!
//! What is signed is the graph that a JSON-LD processor reads from the document, as canonical
//! N-Quads (URDNA2015). This module is no such processor. It knows the contexts and the shapes that
//! this crate writes, and refuses all others.

mod canonical;
mod context;
mod expand;
mod vocabulary;

#[cfg(test)]
mod tests;

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::digest::{SHA256, digest};
use serde_json::{Map, Value, json};
use siskin_entities::Timestamp;
use thiserror::Error;

use crate::{
    http_date::write_iso,
    json::{JsonError, parse},
    keys::{KeyKind, PrivateKey},
    splice::append_member,
};

/// Time for which a signature counts.
pub const LIFETIME: Duration = Duration::from_hours(48);
/// Type of the signature.
const TYPE: &str = "RsaSignature2017";

/// Reason why a document is not signed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Error)]
pub enum LinkedDataError {
    /// The document is not readable.
    #[error(transparent)]
    Document(#[from] JsonError),
    /// The document is signed already.
    #[error("the document is signed already")]
    Signed,
    /// The document names a context that is not known, or a context of an unsupported form.
    #[error("the context {0:?} is not supported")]
    Context(String),
    /// A member or a type has no meaning in the contexts of the document.
    #[error("the term {0:?} is not defined")]
    UnknownTerm(String),
    /// A value has a form that is not supported there.
    #[error("the value of {0:?} is not supported")]
    Value(String),
    /// A text that must be an address is none.
    #[error("{0:?} is not an absolute address")]
    Address(String),
    /// The document has too many similar parts without id.
    #[error("the document has too many similar parts without id")]
    TooComplex,
    /// The key is not RSA.
    #[error("the key is of another kind")]
    KeyKind,
}

impl LinkedDataError {
    /// Returns the stable name of the reason, for counters and logs.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::Document(error) => error.reason(),
            Self::Signed => "linked_data_signed",
            Self::Context(_) => "linked_data_context",
            Self::UnknownTerm(_) => "linked_data_unknown_term",
            Self::Value(_) => "linked_data_value",
            Self::Address(_) => "linked_data_address",
            Self::TooComplex => "linked_data_too_complex",
            Self::KeyKind => "linked_data_key_kind",
        }
    }
}

/// Returns a document with a signature as its last member. The other bytes stay as they are.
///
/// `creator` is the id of the key. The signature counts for [`LIFETIME`]. A proof has to be added
/// before (FEP-8b32).
///
/// # Errors
/// Returns the reason if the document is none that this crate writes, or the key is not RSA.
pub fn sign(
    document: &[u8],
    key: &PrivateKey,
    creator: &str,
    now: Timestamp,
) -> Result<Vec<u8>, LinkedDataError> {
    if key.kind() != KeyKind::Rsa {
        return Err(LinkedDataError::KeyKind);
    }
    let quads = n_quads(document)?;
    let mut signature = Map::new();
    for (name, value) in [
        ("@context", vocabulary::IDENTITY_NAME),
        ("creator", creator),
        ("created", &write_iso(now)),
        ("expires", &write_iso(now.after(LIFETIME))),
    ] {
        signature.insert(name.to_owned(), json!(value));
    }
    let options = canonical_of(&signature)?;
    let signed = [hash(&options), hash(&quads)].concat();
    let value = key.sign(signed.as_bytes()).ok_or(LinkedDataError::KeyKind)?;
    signature.remove("@context");
    signature.insert("type".to_owned(), json!(TYPE));
    signature.insert("signatureValue".to_owned(), json!(STANDARD.encode(value)));
    append_member(document, "signature", &Value::Object(signature))
        .ok_or(LinkedDataError::Document(JsonError::NotAnObject))
}

/// Returns the graph of one of our own documents as canonical N-Quads (URDNA2015), one line each.
///
/// # Errors
/// Returns the reason if the document is none that this crate writes.
pub fn n_quads(document: &[u8]) -> Result<String, LinkedDataError> {
    match parse(document)? {
        Value::Object(members) if members.contains_key("signature") => Err(LinkedDataError::Signed),
        Value::Object(members) => canonical_of(&members),
        _ => Err(JsonError::NotAnObject.into()),
    }
}

fn canonical_of(document: &Map<String, Value>) -> Result<String, LinkedDataError> {
    canonical::canonical(&expand::quads(document)?)
}

/// Returns the hash of a graph in hexadecimal digits.
fn hash(text: &str) -> String {
    let hash = digest(&SHA256, text.as_bytes());
    hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}
