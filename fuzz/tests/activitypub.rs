//! Fuzzing of what other servers send: documents, signatures, answers about accounts, keys.

use std::hash::{DefaultHasher, Hash, Hasher as _};

use siskin_entities::Timestamp;
use siskin_federation::{
    address::Schemes,
    keys::{PrivateKey, PrivateKeyPem},
    read::Reader,
};
use siskin_fuzz::{Target, run};

#[path = "activitypub/accounts.rs"]
mod accounts;
#[path = "activitypub/documents.rs"]
mod documents;
#[path = "activitypub/keys.rs"]
mod keys;
#[path = "activitypub/signatures.rs"]
mod signatures;

const READER: Reader = Reader::new(Schemes::Https);

/// 2026-11-27T08:00:00Z.
const NOW: Timestamp = Timestamp::from_unix_ms(1_795_766_400_000);

/// `test-key-ed25519` of RFC 9421, appendix B.1.4.
const ED25519: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----
";

/// Returns a key that no input knows.
fn private_key() -> PrivateKey {
    let pem = PrivateKeyPem::from(ED25519.to_owned());
    PrivateKey::from_pem(&pem).expect("the key of the RFC must be readable")
}

/// Returns a feature of an input.
fn feature(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn any_document_is_read_or_refused() {
    run(&Target { name: "documents", fragments: documents::FRAGMENTS, check: documents::check });
}

#[test]
fn any_signature_is_checked_or_refused() {
    run(&Target { name: "signatures", fragments: signatures::FRAGMENTS, check: signatures::check });
}

#[test]
fn any_answer_about_an_account_is_read_or_refused() {
    run(&Target { name: "accounts", fragments: accounts::FRAGMENTS, check: accounts::check });
}

#[test]
fn any_key_is_read_or_refused() {
    run(&Target { name: "keys", fragments: keys::FRAGMENTS, check: keys::check });
}
