//! Encrypts the access token that the payload of a push message contains. Tokens are stored as
//! hashes, but clients recognise the account of a message by the token itself
//! (`docs/decisions/0033-push-payload-token.md`).

use siskin_ids::TokenId;
use siskin_outbound::push::VapidKey;

use crate::sealing::SealingKey;

/// Distinguishes the key from others that are derived from the same private key.
const PURPOSE: &[u8] = b"siskin push access token";

fn derived(key: &VapidKey) -> SealingKey {
    SealingKey::new(&key.derive_key(PURPOSE))
}

/// Encrypts `token`, bound to its id. Returns base64url.
pub(super) fn seal(key: &VapidKey, id: TokenId, token: &str) -> String {
    derived(key).seal(&id.get().to_be_bytes(), token.as_bytes())
}

/// Decrypts a token. Returns `None` if it was encrypted with another key or for another id, or is
/// damaged.
pub(super) fn open(key: &VapidKey, id: TokenId, sealed: &str) -> Option<String> {
    String::from_utf8(derived(key).open(&id.get().to_be_bytes(), sealed)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: TokenId = TokenId::new(7);

    fn key(byte: u8) -> VapidKey {
        VapidKey::new(&[byte; 32]).unwrap()
    }

    #[test]
    fn a_sealed_token_is_opened_with_its_key_and_id_only() {
        let sealed = seal(&key(1), ID, "secret");
        assert_eq!(open(&key(1), ID, &sealed).as_deref(), Some("secret"));
        assert_eq!(open(&key(2), ID, &sealed), None);
        assert_eq!(open(&key(1), TokenId::new(8), &sealed), None);
        assert_eq!(open(&key(1), ID, &sealed[4..]), None);
    }
}
