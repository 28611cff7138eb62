//! Signatures by which push services recognise this server (RFC 8292).

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use p256::{
    SecretKey,
    ecdsa::{Signature, SigningKey, signature::Signer as _},
    elliptic_curve::sec1::ToEncodedPoint,
};
use serde_json::json;
use siskin_entities::Timestamp;
use thiserror::Error;

use super::encrypt::derive;

/// Private key of this server.
#[derive(Clone)]
pub struct VapidKey {
    private: SecretKey,
    public: String,
}

impl fmt::Debug for VapidKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VapidKey").field("public", &self.public).finish_non_exhaustive()
    }
}

/// Error for bytes that are no private key of P-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a private key of P-256")]
pub struct InvalidKey;

impl VapidKey {
    /// Reads a private key of 32 bytes.
    ///
    /// # Errors
    /// If the bytes are no key.
    pub fn new(private: &[u8]) -> Result<Self, InvalidKey> {
        let private: &[u8; 32] = private.try_into().map_err(|_| InvalidKey)?;
        let private = SecretKey::from_slice(private).map_err(|_| InvalidKey)?;
        let point = private.public_key().to_encoded_point(false);
        Ok(Self { private, public: URL_SAFE_NO_PAD.encode(point.as_bytes()) })
    }

    /// Returns the public key: an uncompressed point in base64url without padding.
    #[must_use]
    pub fn public(&self) -> &str {
        &self.public
    }

    /// Derives a symmetric key for another purpose, by HKDF. It does not reveal the private key.
    #[must_use]
    pub fn derive_key(&self, purpose: &[u8]) -> [u8; 32] {
        derive(&[], &self.private.to_bytes(), &[purpose])
    }

    /// Signs a token for the push service at the origin `audience`. `contact` is a `mailto:` or
    /// `https:` address of the operator.
    pub(super) fn sign(&self, audience: &str, contact: &str, expires_at: Timestamp) -> String {
        let header = json!({ "typ": "JWT", "alg": "ES256" });
        let claims = json!({ "aud": audience, "exp": expires_at.unix_seconds(), "sub": contact });
        let part = |part: &serde_json::Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let signed = format!("{}.{}", part(&header), part(&claims));
        let signature: Signature = SigningKey::from(&self.private).sign(signed.as_bytes());
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.to_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use p256::ecdsa::{VerifyingKey, signature::Verifier as _};
    use serde_json::Value;

    use super::*;

    const NOON: Timestamp = Timestamp::from_unix_ms(1_795_780_800_999);

    #[test]
    fn a_token_contains_the_claims_and_is_signed() {
        let key = VapidKey::new(&[7; 32]).unwrap();
        let token = key.sign("https://push.example", "mailto:me@example.com", NOON);
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let parts: Vec<Value> = signed
            .split('.')
            .map(|part| serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap())
            .collect();
        assert_eq!(parts[0], json!({ "typ": "JWT", "alg": "ES256" }));
        assert_eq!(
            parts[1],
            json!({
                "aud": "https://push.example", "exp": 1_795_780_800,
                "sub": "mailto:me@example.com",
            })
        );
        let public = URL_SAFE_NO_PAD.decode(key.public()).unwrap();
        let verifier = VerifyingKey::from_sec1_bytes(&public).unwrap();
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        let signature = Signature::from_slice(&signature).unwrap();
        assert!(verifier.verify(signed.as_bytes(), &signature).is_ok());
        assert!(verifier.verify(b"other", &signature).is_err());
    }

    #[test]
    fn derived_keys_depend_on_the_purpose_and_the_key() {
        let (one, other) = (VapidKey::new(&[7; 32]).unwrap(), VapidKey::new(&[8; 32]).unwrap());
        assert_eq!(one.derive_key(b"a"), one.derive_key(b"a"));
        assert_ne!(one.derive_key(b"a"), one.derive_key(b"b"));
        assert_ne!(one.derive_key(b"a"), other.derive_key(b"a"));
        assert_ne!(one.derive_key(b"a"), [7; 32]);
    }

    #[test]
    fn other_bytes_are_no_key() {
        for bytes in [&[][..], &[0; 32], &[255; 32], &[7; 31]] {
            assert!(VapidKey::new(bytes).is_err());
        }
    }

    #[test]
    fn debug_output_contains_the_public_key_only() {
        let key = VapidKey::new(&[7; 32]).unwrap();
        assert_eq!(format!("{key:?}"), format!("VapidKey {{ public: {:?}, .. }}", key.public()));
    }
}
