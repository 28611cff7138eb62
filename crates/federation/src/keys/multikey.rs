//! Keys as Multibase and Multicodec, as FEP-521a and Controlled Identifiers 1.0 write them.

use super::{KeyError, base58, der::PublicParts};

/// Multibase prefix of `base58btc`.
const BASE58BTC: char = 'z';
/// Multicodec prefix of a public Ed25519 key: 0xed as a variable-length integer.
const ED25519: &[u8] = &[0xed, 0x01];
/// Multicodec prefix of a public RSA key in PKCS#1: 0x1205 as a variable-length integer.
const RSA: &[u8] = &[0x85, 0x24];

/// Returns bytes as Multibase in `base58btc`.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = base58::encode(bytes);
    text.insert(0, BASE58BTC);
    text
}

/// Returns the bytes of Multibase in `base58btc`, the only base that peers use.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    base58::decode(text.strip_prefix(BASE58BTC)?)
}

/// Reads a public key.
///
/// # Errors
/// Returns any [`KeyError`] but [`KeyError::Pem`] and [`KeyError::Generation`].
pub(super) fn read_public(text: &str) -> Result<PublicParts, KeyError> {
    let bytes = decode(text).ok_or(KeyError::Multibase)?;
    if let Some(key) = bytes.strip_prefix(ED25519) {
        return key.try_into().map(PublicParts::Ed25519).map_err(|_| KeyError::Encoding);
    }
    let key = bytes.strip_prefix(RSA).ok_or(KeyError::Kind)?;
    super::der::read_pkcs1(key).map(PublicParts::Rsa)
}

/// Writes a public key.
pub(super) fn write_public(parts: &PublicParts) -> String {
    match parts {
        PublicParts::Rsa(der) => encode(&[RSA, der].concat()),
        PublicParts::Ed25519(key) => encode(&[ED25519, key].concat()),
    }
}
