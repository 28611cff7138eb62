//! Proofs of documents by the cryptosuite `eddsa-jcs-2022` (FEP-8b32, VC Data Integrity EdDSA 1.0):
//! Ed25519 over canonical JSON (RFC 8785).
//!
//! A proof stays valid wherever the document is passed on, so it is made for public and unlisted
//! activities only.
//!
//! ```
//! use siskin_entities::Timestamp;
//! use siskin_federation::{
//!     keys::{KeyKind, PrivateKey, PrivateKeyPem},
//!     proof,
//! };
//!
//! let key = PrivateKey::from_pem(&PrivateKeyPem::generate(KeyKind::Ed25519)?)?;
//! let now = Timestamp::from_unix_ms(1_795_766_400_000);
//! let method = "https://town.example/users/a#ed25519-key";
//! let signed = proof::add(br#"{"type":"Like"}"#, &key, method, now)?;
//! let unverified = proof::read(&signed, now)?;
//! assert_eq!(unverified.verification_method(), method);
//! unverified.check(key.public())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(test)]
mod tests;

use ring::digest::{SHA256, digest};
use serde_json::{Map, Value, json};
use siskin_entities::Timestamp;
use thiserror::Error;

use crate::{
    http_date::{read_iso, write_iso},
    json::{JsonError, parse},
    keys::{
        KeyKind, PrivateKey, PublicKey, SignatureAlgorithm, decode_base58btc, encode_base58btc,
    },
    signature::TIME_WINDOW,
    splice::append_member,
};

const TYPE: &str = "DataIntegrityProof";
const CRYPTOSUITE: &str = "eddsa-jcs-2022";
const PURPOSE: &str = "assertionMethod";
/// Maximum length of the id of a key, in bytes.
const MAX_METHOD_LENGTH: usize = 2048;
/// Length of an Ed25519 signature, in bytes.
const SIGNATURE_LENGTH: usize = 64;

/// Reason why a proof does not count, or is not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum ProofError {
    /// The document is not readable. A name that an object has twice is among the reasons, because
    /// two programs could read different values.
    #[error(transparent)]
    Document(#[from] JsonError),
    /// The document has no proof of this kind.
    #[error("the document has no proof that is supported")]
    Missing,
    /// The document has two proofs.
    #[error("the document has two proofs")]
    Repeated,
    /// The proof lacks a member, or a member has another type.
    #[error("the proof is malformed")]
    Malformed,
    /// The proof has another context than the document, so it is of another document.
    #[error("the proof has another context than the document")]
    Context,
    /// The proof is from the future.
    #[error("the proof is from the future")]
    Future,
    /// The proof says that it is no longer valid.
    #[error("the proof has expired")]
    Expired,
    /// The key is not Ed25519.
    #[error("the key is of another kind")]
    KeyKind,
    /// The proof is not by the key, or the document was changed.
    #[error("the proof is wrong")]
    Wrong,
    /// The document has a proof or a signature already.
    #[error("the document is signed already")]
    Signed,
}

impl ProofError {
    /// Returns the stable name of the reason, for counters and logs.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Document(error) => error.reason(),
            Self::Missing => "proof_missing",
            Self::Repeated => "proof_repeated",
            Self::Malformed => "proof_malformed",
            Self::Context => "proof_context",
            Self::Future => "proof_future",
            Self::Expired => "proof_expired",
            Self::KeyKind => "proof_key_kind",
            Self::Wrong => "proof_wrong",
            Self::Signed => "proof_signed",
        }
    }
}

/// A proof that passed all checks that need no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unverified {
    verification_method: String,
    created: Option<Timestamp>,
    hashes: Vec<u8>,
    signature: Vec<u8>,
}

/// Returns a document with a proof as its last member. The other bytes stay as they are.
///
/// `verification_method` is the id of the key.
///
/// # Errors
/// Returns [`ProofError::Document`], [`ProofError::Signed`] or [`ProofError::KeyKind`].
pub fn add(
    document: &[u8],
    key: &PrivateKey,
    verification_method: &str,
    now: Timestamp,
) -> Result<Vec<u8>, ProofError> {
    if key.kind() != KeyKind::Ed25519 {
        return Err(ProofError::KeyKind);
    }
    let members = object(document)?;
    if members.contains_key("proof") || members.contains_key("signature") {
        return Err(ProofError::Signed);
    }
    let mut proof = Map::new();
    if let Some(context) = members.get("@context") {
        proof.insert("@context".to_owned(), context.clone());
    }
    for (name, value) in [
        ("type", TYPE),
        ("cryptosuite", CRYPTOSUITE),
        ("created", &write_iso(now)),
        ("verificationMethod", verification_method),
        ("proofPurpose", PURPOSE),
    ] {
        proof.insert(name.to_owned(), json!(value));
    }
    let hashes = hashes(&members, &proof)?;
    let signature = key.sign(&hashes).ok_or(ProofError::KeyKind)?;
    proof.insert("proofValue".to_owned(), json!(encode_base58btc(&signature)));
    append_member(document, "proof", &Value::Object(proof))
        .ok_or(ProofError::Document(JsonError::NotAnObject))
}

/// Reads the proof of a document, and checks all that needs no key.
///
/// The proof counts only for the bytes that are given here: act on what is read from them. Whether
/// the key is one of the document's actor is for the caller to check.
///
/// # Errors
/// Returns the first reason why the proof does not count.
pub fn read(document: &[u8], now: Timestamp) -> Result<Unverified, ProofError> {
    let mut members = object(document)?;
    let proofs = members.remove("proof").ok_or(ProofError::Missing)?;
    // A Linked-Data signature is made after the proof (FEP-8b32, backward compatibility).
    members.remove("signature");
    let mut proof = supported(proofs)?;
    let value = text(&proof, "proofValue")?;
    let signature = decode_base58btc(value).filter(|bytes| bytes.len() == SIGNATURE_LENGTH);
    let signature = signature.ok_or(ProofError::Malformed)?;
    proof.remove("proofValue");
    let verification_method = text(&proof, "verificationMethod")?.to_owned();
    let is_method = !verification_method.is_empty()
        && verification_method.len() <= MAX_METHOD_LENGTH
        && text(&proof, "proofPurpose")? == PURPOSE;
    // It would prove another proof, too.
    if !is_method || proof.contains_key("previousProof") {
        return Err(ProofError::Malformed);
    }
    if proof.get("@context").is_some_and(|context| members.get("@context") != Some(context)) {
        return Err(ProofError::Context);
    }
    let created = check_times(&proof, now)?;
    Ok(Unverified { verification_method, created, hashes: hashes(&members, &proof)?, signature })
}

impl Unverified {
    /// Returns the id of the key as it was sent, of 1 to 2,048 bytes. It need not be an address.
    #[must_use]
    pub fn verification_method(&self) -> &str {
        &self.verification_method
    }

    /// Returns the time at which the proof says it was made.
    #[must_use]
    pub const fn created(&self) -> Option<Timestamp> {
        self.created
    }

    /// Checks the proof by a key. It can be called again with a newer key.
    ///
    /// # Errors
    /// Returns [`ProofError::KeyKind`] or [`ProofError::Wrong`].
    pub fn check(&self, key: &PublicKey) -> Result<(), ProofError> {
        if key.kind() != KeyKind::Ed25519 {
            return Err(ProofError::KeyKind);
        }
        let is_right = key.verifies(SignatureAlgorithm::Ed25519, &self.hashes, &self.signature);
        if is_right { Ok(()) } else { Err(ProofError::Wrong) }
    }
}

fn object(document: &[u8]) -> Result<Map<String, Value>, ProofError> {
    match parse(document)? {
        Value::Object(members) => Ok(members),
        _ => Err(JsonError::NotAnObject.into()),
    }
}

/// Returns the only proof of the supported cryptosuite.
fn supported(proofs: Value) -> Result<Map<String, Value>, ProofError> {
    let proofs = match proofs {
        Value::Array(proofs) => proofs,
        proof => vec![proof],
    };
    let has =
        |proof: &Map<String, Value>, name, value| proof.get(name).is_some_and(|it| it == value);
    let mut supported = proofs.into_iter().filter_map(|proof| match proof {
        Value::Object(proof) => {
            let is_supported = has(&proof, "type", TYPE) && has(&proof, "cryptosuite", CRYPTOSUITE);
            is_supported.then_some(proof)
        }
        _ => None,
    });
    let proof = supported.next().ok_or(ProofError::Missing)?;
    if supported.next().is_some() { Err(ProofError::Repeated) } else { Ok(proof) }
}

fn text<'p>(proof: &'p Map<String, Value>, name: &str) -> Result<&'p str, ProofError> {
    proof.get(name).and_then(Value::as_str).ok_or(ProofError::Malformed)
}

/// Checks the times of a proof, and returns when it was made.
fn check_times(
    proof: &Map<String, Value>,
    now: Timestamp,
) -> Result<Option<Timestamp>, ProofError> {
    let time = |name| {
        let text = proof.contains_key(name).then(|| text(proof, name)).transpose()?;
        text.map(|text| read_iso(text).ok_or(ProofError::Malformed)).transpose()
    };
    let (created, expires) = (time("created")?, time("expires")?);
    if created.is_some_and(|created| created > now.after(TIME_WINDOW)) {
        return Err(ProofError::Future);
    }
    if expires.is_some_and(|expires| expires < now) {
        return Err(ProofError::Expired);
    }
    Ok(created)
}

/// Returns what is signed: the hash of the proof without its value, and that of the document.
fn hashes(
    document: &Map<String, Value>,
    proof: &Map<String, Value>,
) -> Result<Vec<u8>, ProofError> {
    let hash = |members| {
        let canonical = serde_json_canonicalizer::to_vec(members);
        canonical.map(|bytes| digest(&SHA256, &bytes)).map_err(|_| JsonError::Syntax)
    };
    Ok([hash(proof)?.as_ref(), hash(document)?.as_ref()].concat())
}
