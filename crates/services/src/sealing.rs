//! Encryption of secrets that the server must read again. What it only compares, such as tokens and
//! passwords, is stored as a hash instead.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use rand::RngCore;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use siskin_persistence::{Conn, Tx, secrets as stored_secrets};

use crate::{Error, Result, secrets};

/// Length of a key, in bytes.
pub(crate) const KEY_LENGTH: usize = 32;

/// Key of AES-256-GCM.
pub(crate) struct SealingKey(LessSafeKey);

impl SealingKey {
    pub(crate) fn new(bytes: &[u8; KEY_LENGTH]) -> Self {
        let key = UnboundKey::new(&AES_256_GCM, bytes);
        Self(LessSafeKey::new(key.expect("the key has the length of the algorithm")))
    }

    /// Returns the key with this name in the secrets of the instance: 32 bytes in base64url. Returns
    /// `None` if none was needed so far.
    pub(crate) fn stored(conn: &mut Conn, name: &str) -> Result<Option<Self>> {
        stored_secrets::find(conn, name)?.map(|text| Self::parse(&text)).transpose()
    }

    /// Returns the key with this name, and generates it if there is none.
    pub(crate) fn ensured(tx: &mut Tx<'_>, name: &str) -> Result<Self> {
        Self::parse(&stored_secrets::find_or_insert(tx, name, &secrets::generate())?)
    }

    fn parse(text: &str) -> Result<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(Error::internal)?;
        let bytes: Result<[u8; KEY_LENGTH], _> = bytes.try_into();
        let bytes = bytes.map_err(|_| Error::internal("a stored key is damaged"))?;
        Ok(Self::new(&bytes))
    }

    /// Encrypts a short secret. It can be decrypted only with the same `context`, which is not
    /// secret. Returns base64url.
    pub(crate) fn seal(&self, context: &[u8], secret: &[u8]) -> String {
        let mut nonce = [0; NONCE_LEN];
        rand::rng().fill_bytes(&mut nonce);
        let mut text = secret.to_vec();
        self.0
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(context),
                &mut text,
            )
            .expect("a secret is much shorter than the limit of the algorithm");
        URL_SAFE_NO_PAD.encode([&nonce[..], &text].concat())
    }

    /// Decrypts a secret. Returns `None` if it was encrypted with another key or for another
    /// context, or is damaged.
    pub(crate) fn open(&self, context: &[u8], sealed: &str) -> Option<Vec<u8>> {
        let sealed = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let (nonce, text) = sealed.split_first_chunk::<NONCE_LEN>()?;
        let mut text = text.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let secret = self.0.open_in_place(nonce, Aad::from(context), &mut text).ok()?;
        Some(secret.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTEXT: &[u8] = b"7";

    fn key(byte: u8) -> SealingKey {
        SealingKey::new(&[byte; KEY_LENGTH])
    }

    #[test]
    fn a_secret_is_opened_with_its_key_and_context_only() {
        let sealed = key(1).seal(CONTEXT, b"secret");
        assert_eq!(key(1).open(CONTEXT, &sealed).as_deref(), Some(&b"secret"[..]));
        assert_eq!(key(2).open(CONTEXT, &sealed), None);
        assert_eq!(key(1).open(b"8", &sealed), None);
    }

    #[test]
    fn the_same_secret_is_sealed_differently_each_time() {
        assert_ne!(key(1).seal(CONTEXT, b"secret"), key(1).seal(CONTEXT, b"secret"));
    }

    #[test]
    fn damaged_texts_are_not_opened() {
        let sealed = key(1).seal(CONTEXT, b"secret");
        for damaged in ["", "?", "AAAA", &sealed[..sealed.len() - 1], &sealed[4..]] {
            assert_eq!(key(1).open(CONTEXT, damaged), None, "{damaged}");
        }
    }
}
