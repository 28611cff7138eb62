//! Signatures of HTTP requests, in the two schemes of the network: draft-cavage-http-signatures-12
//! and RFC 9421.
//!
//! [`sign()`] returns the headers to add to a request. A check has two steps, because the key has to
//! be found between them: [`read`] judges all that needs no key (what is covered, the host, the
//! time, the digest) and says which key is needed, then [`Unverified::check`] decides by the key.
//!
//! ```
//! use siskin_entities::Timestamp;
//! use siskin_federation::{
//!     keys::{KeyKind, PrivateKey, PrivateKeyPem},
//!     request::Request,
//!     signature::{self, Scheme},
//! };
//!
//! let key = PrivateKey::from_pem(&PrivateKeyPem::generate(KeyKind::Ed25519)?)?;
//! let url = "https://far.example/inbox".parse()?;
//! let request = Request::to_url("POST", &url, &[("content-type", b"text/plain")], b"Hi").unwrap();
//! let now = Timestamp::from_unix_ms(1_795_766_400_000);
//! let id = "https://town.example/users/a#key";
//! let added = signature::sign(&key, id, &request, now, Scheme::Rfc9421)?;
//!
//! let mut headers = request.headers.to_vec();
//! headers.extend(added.iter().map(|(name, value)| (*name, value.as_bytes())));
//! let arrived = Request { headers: &headers, ..request };
//! let unverified = signature::read(&arrived, &["far.example"], now)?;
//! assert_eq!(unverified.key_id(), id);
//! unverified.check(key.public())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cavage;
mod demand;
mod error;
mod message;
mod sign;
#[cfg(test)]
mod tests;
mod time;

use std::fmt;

use siskin_entities::Timestamp;

pub use self::{
    demand::Demand,
    error::{RequiredPart, SignatureError, SigningError},
    sign::{sign, sign_as_demanded},
    time::{MAX_LIFETIME, TIME_WINDOW},
};
use crate::{
    keys::{KeyKind, PublicKey, SignatureAlgorithm},
    request::{Request, normal_authority},
};

/// Maximum length of a header with a signature, in bytes.
const MAX_HEADER_LENGTH: usize = 8192;
/// Maximum length of the id of a key, in bytes.
const MAX_KEY_ID_LENGTH: usize = 2048;
/// Maximum number of covered parts.
const MAX_PARTS: usize = 64;

/// How a signature is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// draft-cavage-http-signatures-12: one header `Signature`. All peers read it.
    Cavage,
    /// RFC 9421: `Signature-Input` and `Signature`.
    Rfc9421,
}

/// The target that a signature proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SignedTarget {
    /// The path and the query.
    Whole,
    /// The path alone. Only a signature of a `GET` or `HEAD` may leave out the query.
    WithoutQuery,
}

/// A signature that passed all checks that need no key.
#[derive(Clone, PartialEq, Eq)]
pub struct Unverified {
    scheme: Scheme,
    key_id: String,
    /// Names of the covered parts, in lower case.
    covered: Vec<String>,
    signed_at: Timestamp,
    /// `None` if the kind of the key decides alone.
    algorithm: Option<SignatureAlgorithm>,
    /// The signed bytes, for each target that the signature may have meant.
    bases: Vec<(SignedTarget, Vec<u8>)>,
    signature: Vec<u8>,
}

/// Reads the signature of a request, and checks all that needs no key.
///
/// `hosts` are the hosts of this server, with the port if it is unusual. The request must be sent
/// to one of them. If the request has `Signature-Input`, the signature is read by RFC 9421,
/// otherwise by the draft.
///
/// A signature must cover the method, the target, the host and a time, and the digest of the body
/// unless the request is a `GET` or `HEAD` without one:
/// - draft: `(request-target)`, `host`, `date` or `(created)`, and `digest`
/// - RFC 9421: `@method`, `@target-uri` (or `@authority` with `@path` and `@query`, or with
///   `@request-target`), `created`, and `content-digest`
///
/// # Errors
/// Returns the first reason why the signature does not count.
pub fn read(
    request: &Request<'_>,
    hosts: &[&str],
    now: Timestamp,
) -> Result<Unverified, SignatureError> {
    check_host(request, hosts)?;
    if has_input(request) { message::read(request, now) } else { cavage::read(request, now) }
}

fn has_input(request: &Request<'_>) -> bool {
    request.values(message::INPUT).next().is_some()
}

/// Returns the id of the key that a request names, without any check but of the syntax. It says
/// only which server claims to speak, so that a blocked one is refused before anything costs time.
///
/// # Errors
/// Returns [`SignatureError::Missing`], [`SignatureError::Repeated`] or
/// [`SignatureError::Malformed`].
pub fn claimed_key_id(request: &Request<'_>) -> Result<String, SignatureError> {
    if has_input(request) { message::key_id_of(request) } else { cavage::key_id_of(request) }
}

/// Reads the signature of a request, and checks it by a key that is already known.
///
/// # Errors
/// Returns the first reason why the signature does not count.
pub fn verify(
    request: &Request<'_>,
    hosts: &[&str],
    now: Timestamp,
    key: &PublicKey,
) -> Result<SignedTarget, SignatureError> {
    read(request, hosts, now)?.check(key)
}

impl Unverified {
    /// Returns the id of the key as it was sent. It is not empty and has at most 2,048 bytes, but
    /// need not be an address.
    #[must_use]
    pub fn key_id(&self) -> &str {
        &self.key_id
    }

    /// Returns the scheme of the signature.
    #[must_use]
    pub const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Returns the names of the covered parts in their order, in lower case.
    pub fn covered(&self) -> impl Iterator<Item = &str> {
        self.covered.iter().map(String::as_str)
    }

    /// Returns the time at which the signature says it was made.
    #[must_use]
    pub const fn signed_at(&self) -> Timestamp {
        self.signed_at
    }

    /// Checks the signature by a key. It can be called again with a newer key.
    ///
    /// The kind of the key decides how the signature is checked: RSA with SHA-256, or else with
    /// SHA-512; or Ed25519. What the signature says of its algorithm is no choice, but a signature
    /// that names an algorithm of another kind of key is refused.
    ///
    /// # Errors
    /// Returns [`SignatureError::WrongAlgorithm`] or [`SignatureError::Wrong`].
    pub fn check(&self, key: &PublicKey) -> Result<SignedTarget, SignatureError> {
        let by_kind: &[SignatureAlgorithm] = match key.kind() {
            KeyKind::Rsa => &[SignatureAlgorithm::RsaSha256, SignatureAlgorithm::RsaSha512],
            KeyKind::Ed25519 => &[SignatureAlgorithm::Ed25519],
        };
        if self.algorithm.is_some_and(|named| !by_kind.contains(&named)) {
            return Err(SignatureError::WrongAlgorithm);
        }
        let is_open = |known: &&SignatureAlgorithm| self.algorithm.is_none_or(|it| it == **known);
        for algorithm in by_kind.iter().filter(is_open) {
            for (target, base) in &self.bases {
                if key.verifies(*algorithm, base, &self.signature) {
                    return Ok(*target);
                }
            }
        }
        Err(SignatureError::Wrong)
    }
}

/// Shows no header of the request, because it may be private.
impl fmt::Debug for Unverified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unverified")
            .field("scheme", &self.scheme)
            .field("key_id", &self.key_id)
            .field("covered", &self.covered)
            .field("signed_at", &self.signed_at)
            .field("algorithm", &self.algorithm)
            .finish_non_exhaustive()
    }
}

/// Checks that a request was sent to this server, and has a target that can be signed.
fn check_host(request: &Request<'_>, hosts: &[&str]) -> Result<(), SignatureError> {
    let authority = request.normal_authority();
    if !hosts.iter().any(|host| normal_authority(request.scheme, host) == authority) {
        return Err(SignatureError::OtherHost);
    }
    let mut named = request.values("host");
    let repeats = |host: &[u8]| {
        std::str::from_utf8(host)
            .is_ok_and(|host| normal_authority(request.scheme, host) == authority)
    };
    if named.next().is_some_and(|host| !repeats(host)) || named.next().is_some() {
        return Err(SignatureError::OtherHost);
    }
    if is_signable(request) { Ok(()) } else { Err(SignatureError::Malformed) }
}

/// Returns `true` if the method and the target cannot be mistaken for other lines of what is
/// signed.
fn is_signable(request: &Request<'_>) -> bool {
    let is_token = |method: &str| {
        !method.is_empty() && method.bytes().all(|c| c.is_ascii_alphabetic() || c == b'-')
    };
    let is_path = request.target.starts_with('/')
        && request.target.bytes().all(|c| c.is_ascii_graphic() || c >= 0x80);
    is_token(request.method) && is_path
}

/// Returns the targets that a signature may have meant, each with the request as it was signed.
/// Some servers leave out the query of what they read.
fn targets<'r>(request: &Request<'r>) -> impl Iterator<Item = (SignedTarget, Request<'r>)> {
    let without = request.without_query().filter(Request::is_bodyless);
    std::iter::once((SignedTarget::Whole, *request))
        .chain(without.map(|request| (SignedTarget::WithoutQuery, request)))
}

/// Returns the value of a header that may be there once only.
fn only<'r>(request: &Request<'r>, name: &str) -> Result<&'r [u8], SignatureError> {
    let mut values = request.values(name);
    let value = values.next().ok_or(SignatureError::Missing)?;
    if values.next().is_some() {
        return Err(SignatureError::Repeated);
    }
    if value.len() > MAX_HEADER_LENGTH { Err(SignatureError::Malformed) } else { Ok(value) }
}

/// Checks the names of covered parts: each once, and not too many.
fn check_parts(parts: &[String]) -> Result<(), SignatureError> {
    if parts.len() > MAX_PARTS {
        return Err(SignatureError::Malformed);
    }
    let is_repeated = |(at, part): (usize, &String)| parts.iter().take(at).any(|it| it == part);
    if parts.iter().enumerate().any(is_repeated) {
        return Err(SignatureError::CoveredTwice);
    }
    Ok(())
}

/// Returns an error if a required part is not covered.
fn require(is_covered: bool, part: RequiredPart) -> Result<(), SignatureError> {
    if is_covered { Ok(()) } else { Err(SignatureError::NotCovered(part)) }
}

/// Returns the id of a key if it can be one.
fn key_id(id: &str) -> Result<String, SignatureError> {
    let is_key_id = !id.is_empty() && id.len() <= MAX_KEY_ID_LENGTH;
    if is_key_id { Ok(id.to_owned()) } else { Err(SignatureError::Malformed) }
}
