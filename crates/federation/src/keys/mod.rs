//! Keys of actors: RSA for signatures of requests, Ed25519 for proofs.
//!
//! Public keys are read as PEM and as Multikey. Private keys cannot be printed: neither
//! [`PrivateKey`] nor [`PrivateKeyPem`] shows its secret in `{:?}`, and neither has `Display`.

mod base58;
mod der;
mod multikey;
mod private;
mod public;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;

use thiserror::Error;

pub(crate) use multikey::{decode as decode_base58btc, encode as encode_base58btc};
pub use private::{PrivateKey, PrivateKeyPem};
pub(crate) use public::SignatureAlgorithm;
pub use public::{KeyKind, PublicKey};

/// Size of the RSA keys that [`PrivateKeyPem::generate`] makes, in bits. All peers accept it.
pub const RSA_BITS: usize = 2048;
/// Minimum size of an RSA key, in bits.
pub const MIN_RSA_BITS: usize = 2048;
/// Maximum size of an RSA key, in bits. The time of a check grows with the square of the size.
pub const MAX_RSA_BITS: usize = 8192;
/// Length of a public or private Ed25519 key, in bytes.
const ED25519_LENGTH: usize = 32;

/// Reason why a key cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum KeyError {
    /// The text is longer than any key of an allowed size.
    #[error("the key is too long")]
    TooLong,
    /// The text is not PEM of RFC 7468, or its label is not that of such a key.
    #[error("the key is not PEM")]
    Pem,
    /// The text is not Multibase in `base58btc` (a `z` and base58).
    #[error("the key is not Multibase in base58btc")]
    Multibase,
    /// The bytes are not the structure of a key.
    #[error("the key is malformed")]
    Encoding,
    /// The key is neither RSA nor Ed25519.
    #[error("the key is neither RSA nor Ed25519")]
    Kind,
    /// The RSA key has fewer than [`MIN_RSA_BITS`] or more than [`MAX_RSA_BITS`].
    #[error("the RSA key has not {MIN_RSA_BITS} to {MAX_RSA_BITS} bits")]
    Size,
    /// The numbers of the RSA key cannot be those of a safe key.
    #[error("the numbers of the RSA key are not safe")]
    Weak,
    /// The system has no random numbers, or a key could not be made of them.
    #[error("no key could be generated")]
    Generation,
}

impl KeyError {
    /// Returns the stable name of the reason, for counters and logs.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::TooLong => "key_too_long",
            Self::Pem => "key_pem",
            Self::Multibase => "key_multibase",
            Self::Encoding => "key_encoding",
            Self::Kind => "key_kind",
            Self::Size => "key_size",
            Self::Weak => "key_weak",
            Self::Generation => "key_generation",
        }
    }
}
