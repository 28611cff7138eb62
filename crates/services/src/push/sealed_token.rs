//! Encrypts the access token that the payload of a push message contains. Tokens are stored as
//! hashes, but clients recognise the account of a message by the token itself
//! (`docs/decisions/0033-push-payload-token.md`).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use rand::RngCore;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use siskin_ids::TokenId;
use siskin_outbound::push::VapidKey;

/// Distinguishes the key from others that are derived from the same private key.
const PURPOSE: &[u8] = b"siskin push access token";

fn cipher(key: &VapidKey) -> LessSafeKey {
    let key = UnboundKey::new(&AES_256_GCM, &key.derive_key(PURPOSE));
    LessSafeKey::new(key.expect("the key has the length of the algorithm"))
}

/// Encrypts `token`, bound to its id. Returns base64url.
pub(super) fn seal(key: &VapidKey, id: TokenId, token: &str) -> String {
    let mut nonce = [0; NONCE_LEN];
    rand::rng().fill_bytes(&mut nonce);
    let mut text = token.as_bytes().to_vec();
    cipher(key)
        .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), bound_to(id), &mut text)
        .expect("a token is much shorter than the limit of the algorithm");
    URL_SAFE_NO_PAD.encode([&nonce[..], &text].concat())
}

/// Decrypts a token. Returns `None` if it was encrypted with another key or for another id, or is
/// damaged.
pub(super) fn open(key: &VapidKey, id: TokenId, sealed: &str) -> Option<String> {
    let sealed = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let (nonce, text) = sealed.split_first_chunk::<NONCE_LEN>()?;
    let mut text = text.to_vec();
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let token = cipher(key).open_in_place(nonce, bound_to(id), &mut text).ok()?;
    String::from_utf8(token.to_vec()).ok()
}

fn bound_to(id: TokenId) -> Aad<[u8; 8]> {
    Aad::from(id.get().to_be_bytes())
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
    }

    #[test]
    fn the_same_token_is_sealed_differently_each_time() {
        assert_ne!(seal(&key(1), ID, "secret"), seal(&key(1), ID, "secret"));
    }

    #[test]
    fn damaged_texts_are_not_opened() {
        let sealed = seal(&key(1), ID, "secret");
        for damaged in ["", "?", "AAAA", &sealed[..sealed.len() - 1], &sealed[4..]] {
            assert_eq!(open(&key(1), ID, damaged), None, "{damaged}");
        }
    }
}
