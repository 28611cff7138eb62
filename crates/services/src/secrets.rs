//! Random secrets, and the hashes that are stored instead of them.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use rand::RngCore;
use sha2::{Digest, Sha256};

/// Generates a secret of 256 random bits, as 43 URL-safe characters.
#[must_use]
pub fn generate() -> String {
    let mut bytes = [0; 32];
    rand::rng().fill_bytes(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Returns the stored form of a secret that was generated with full entropy: its SHA-256 in
/// base64url. Passwords are chosen by users, so they are hashed with argon2 instead.
#[must_use]
pub fn hash(secret: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(secret.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_unique_and_their_hashes_differ_from_them() {
        let (first, second) = (generate(), generate());
        assert_ne!(first, second);
        assert_eq!(first.len(), 43);
        assert_eq!(hash(&first), hash(&first));
        assert_ne!(hash(&first), first);
    }

    #[test]
    fn a_hash_is_sha_256_in_base64url() {
        // FIPS 180-2, example B.1.
        assert_eq!(hash("abc"), "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
    }
}
