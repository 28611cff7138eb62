//! Key pair with which this server signs its push messages (RFC 8292). It is generated once, on
//! first start. Clients pass the public key to their push service.

use std::sync::{Mutex, PoisonError};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use rand::RngCore;
use siskin_outbound::push::VapidKey;
use siskin_persistence::{Conn, Tx, secrets};

use crate::{Error, Result};

/// Key under which the private key is stored: 32 bytes in base64url.
const NAME: &str = "vapid_private_key";

/// Returns the public key for clients: an uncompressed point of P-256, 65 bytes in base64url.
/// Returns `None` before the first start has finished.
///
/// # Errors
/// [`Error::Internal`] if the stored key is damaged.
pub fn public_key(conn: &mut Conn) -> Result<Option<String>> {
    secrets::find(conn, NAME)?.map(|private| cached_public_key(&private)).transpose()
}

/// Returns the public key, and generates the pair if there is none.
///
/// # Errors
/// As [`public_key`].
pub fn ensure(tx: &mut Tx<'_>) -> Result<String> {
    cached_public_key(&secrets::find_or_insert(tx, NAME, &generate())?)
}

/// Returns the key pair. Returns `None` before the first start has finished.
///
/// # Errors
/// As [`public_key`].
pub fn key(conn: &mut Conn) -> Result<Option<VapidKey>> {
    secrets::find(conn, NAME)?.map(|private| parse(&private)).transpose()
}

/// Last computed public key, with the hash of its private key. The multiplication on the curve
/// takes longer than the rest of a response that contains the key.
static LAST: Mutex<Option<(String, String)>> = Mutex::new(None);

fn cached_public_key(private: &str) -> Result<String> {
    let hash = crate::secrets::hash(private);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, public)) = last.as_ref().filter(|(known, _)| *known == hash) {
        return Ok(public.clone());
    }
    let public = derive_public_key(private)?;
    *last = Some((hash, public.clone()));
    Ok(public)
}

fn generate() -> String {
    loop {
        let mut bytes = [0; 32];
        rand::rng().fill_bytes(&mut bytes);
        // One in 2^32 values is no key: zero, or beyond the order of the curve.
        if VapidKey::new(&bytes).is_ok() {
            return URL_SAFE_NO_PAD.encode(bytes);
        }
    }
}

fn derive_public_key(private: &str) -> Result<String> {
    Ok(parse(private)?.public().to_owned())
}

fn parse(private: &str) -> Result<VapidKey> {
    let bytes = URL_SAFE_NO_PAD.decode(private).map_err(Error::internal)?;
    VapidKey::new(&bytes).map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_key_is_derived_from_the_private_key() {
        // RFC 6979, A.2.5: the private key and both coordinates of the public one.
        let hex = "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721";
        let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        let private: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect();
        let point = URL_SAFE_NO_PAD
            .decode(derive_public_key(&URL_SAFE_NO_PAD.encode(private)).unwrap())
            .unwrap();
        assert_eq!(point.len(), 65);
        assert_eq!(point[..3], [0x04, 0x60, 0xFE]);
        assert_eq!(point[33..35], [0x79, 0x03]);
    }

    #[test]
    fn cached_public_keys_belong_to_their_private_key() {
        let keys: Vec<String> = (0..3).map(|_| generate()).collect();
        for private in keys.iter().chain(&keys).chain(&keys[2..]) {
            assert_eq!(cached_public_key(private).unwrap(), derive_public_key(private).unwrap());
        }
    }

    #[test]
    fn a_damaged_key_is_an_internal_error() {
        assert!(matches!(derive_public_key("?"), Err(Error::Internal(_))));
        assert!(matches!(derive_public_key("AAAA"), Err(Error::Internal(_))));
        assert!(derive_public_key(&generate()).is_ok());
    }
}
