//! Encrypts messages for one client: RFC 8291, or the early draft of it that older clients expect
//! (`draft-ietf-webpush-encryption-04`).
//!
//! The library `ece` is under a licence that `deny.toml` does not allow, and others lack the draft.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use p256::{PublicKey, elliptic_curve::sec1::ToEncodedPoint};
use ring::{
    aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral},
    hkdf::{HKDF_SHA256, KeyType, Salt},
    rand::SystemRandom,
};
use thiserror::Error;

/// Length of an uncompressed point of P-256, in bytes.
const POINT_LENGTH: usize = 65;
/// First byte of an uncompressed point.
const UNCOMPRESSED: u8 = 4;
/// Length of the authentication secret of a client, in bytes.
const AUTH_LENGTH: usize = 16;
/// Record size that is announced. Each message is one record.
const RECORD_SIZE: u32 = 4096;
/// Maximum length of an encrypted message, in bytes. Push services need not accept more.
const MAX_LENGTH: usize = 4096;
/// Length of the tag after the ciphertext, in bytes.
const TAG_LENGTH: usize = 16;

/// How a message is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// `aes128gcm` of RFC 8291.
    Standard,
    /// `aesgcm` of the early draft.
    Draft,
}

impl Encoding {
    /// Returns the value of the header `Content-Encoding`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standard => "aes128gcm",
            Self::Draft => "aesgcm",
        }
    }
}

/// Keys that a client gave for its subscription.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientKeys {
    public: PublicKey,
    auth: [u8; AUTH_LENGTH],
}

impl fmt::Debug for ClientKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientKeys")
    }
}

/// Keys of a client that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum InvalidKeys {
    /// The public key is not an uncompressed point of P-256 in base64.
    #[error("the public key is invalid")]
    P256dh,
    /// The authentication secret is not 16 bytes in base64.
    #[error("the authentication secret is invalid")]
    Auth,
}

impl ClientKeys {
    /// Parses the keys from base64, in either alphabet and with or without padding.
    ///
    /// # Errors
    /// Says which of the two keys is invalid.
    pub fn parse(p256dh: &str, auth: &str) -> Result<Self, InvalidKeys> {
        let point = decode(p256dh, POINT_LENGTH).ok_or(InvalidKeys::P256dh)?;
        if point.first() != Some(&UNCOMPRESSED) {
            return Err(InvalidKeys::P256dh);
        }
        let public = PublicKey::from_sec1_bytes(&point).map_err(|_| InvalidKeys::P256dh)?;
        let auth = decode(auth, AUTH_LENGTH).and_then(|auth| auth.try_into().ok());
        Ok(Self { public, auth: auth.ok_or(InvalidKeys::Auth)? })
    }

    /// Returns the public key in base64url without padding.
    #[must_use]
    pub fn p256dh(&self) -> String {
        URL_SAFE_NO_PAD.encode(point(&self.public))
    }

    /// Returns the authentication secret in base64url without padding.
    #[must_use]
    pub fn auth(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.auth)
    }
}

/// Decodes base64 of exactly `length` bytes.
fn decode(text: &str, length: usize) -> Option<Vec<u8>> {
    if text.len() > 2 * length {
        return None;
    }
    let text = text.trim().trim_end_matches('=').replace('+', "-").replace('/', "_");
    URL_SAFE_NO_PAD.decode(text).ok().filter(|bytes| bytes.len() == length)
}

fn point(key: &PublicKey) -> Vec<u8> {
    key.to_encoded_point(false).as_bytes().to_vec()
}

/// Error for a message that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the message is too long")]
pub struct TooLong;

/// An encrypted message, with what the headers of the request need.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Encrypted {
    pub(super) body: Vec<u8>,
    pub(super) salt: [u8; 16],
    /// Public key of the sender for this message: an uncompressed point.
    pub(super) sender: Vec<u8>,
}

/// Encrypts a message with a new key and a random salt.
pub(super) fn encrypt(
    encoding: Encoding,
    client: &ClientKeys,
    message: &[u8],
) -> Result<Encrypted, TooLong> {
    let mut salt = [0; 16];
    rand::fill(&mut salt);
    let private = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new())
        .expect("the system has random numbers");
    let sender = private.compute_public_key().expect("the algorithm is supported");
    let receiver = UnparsedPublicKey::new(&ECDH_P256, point(&client.public));
    agree_ephemeral(private, &receiver, |shared| {
        encrypt_with(encoding, client, message, sender.as_ref(), shared, salt)
    })
    .expect("the client's key is a point of the curve")
}

/// Encrypts a message with the public key of the sender and the secret that both sides share.
fn encrypt_with(
    encoding: Encoding,
    client: &ClientKeys,
    message: &[u8],
    sender: &[u8],
    shared: &[u8],
    salt: [u8; 16],
) -> Result<Encrypted, TooLong> {
    let receiver = point(&client.public);
    let body = match encoding {
        Encoding::Standard => {
            let secret: [u8; 32] =
                derive(&client.auth, shared, &[b"WebPush: info\0", &receiver, sender]);
            let key = derive(&salt, &secret, &[b"Content-Encoding: aes128gcm\0"]);
            let nonce = derive(&salt, &secret, &[b"Content-Encoding: nonce\0"]);
            let id_length = [u8::try_from(POINT_LENGTH).unwrap_or_default()];
            let mut body = [&salt[..], &RECORD_SIZE.to_be_bytes(), &id_length, sender].concat();
            // The delimiter of the last record, with no padding after it.
            body.extend(seal(&key, nonce, [message, &[2]].concat()));
            body
        }
        Encoding::Draft => {
            let secret: [u8; 32] = derive(&client.auth, shared, &[b"Content-Encoding: auth\0"]);
            let length = u16::try_from(POINT_LENGTH).unwrap_or_default().to_be_bytes();
            let keys: [&[u8]; 5] = [b"P-256\0", &length, &receiver, &length, sender];
            let info = |name: &'static [u8]| [&[name][..], &keys].concat();
            let key = derive(&salt, &secret, &info(b"Content-Encoding: aesgcm\0"));
            let nonce = derive(&salt, &secret, &info(b"Content-Encoding: nonce\0"));
            // Two bytes with the length of the padding, which is empty.
            seal(&key, nonce, [&[0, 0], message].concat())
        }
    };
    if body.len() > MAX_LENGTH {
        Err(TooLong)
    } else {
        Ok(Encrypted { body, salt, sender: sender.to_vec() })
    }
}

/// Derives bytes from a secret by HKDF with SHA-256 (RFC 5869).
pub(super) fn derive<const N: usize>(salt: &[u8], secret: &[u8], info: &[&[u8]]) -> [u8; N] {
    struct Length(usize);
    impl KeyType for Length {
        fn len(&self) -> usize {
            self.0
        }
    }
    let mut derived = [0; N];
    let key = Salt::new(HKDF_SHA256, salt).extract(secret);
    key.expand(info, Length(N))
        .and_then(|bytes| bytes.fill(&mut derived))
        .expect("HKDF yields up to 8,160 bytes");
    derived
}

/// Encrypts with AES-128-GCM and appends the tag. A key is used once.
fn seal(key: &[u8; 16], nonce: [u8; 12], mut message: Vec<u8>) -> Vec<u8> {
    message.reserve_exact(TAG_LENGTH);
    let key = UnboundKey::new(&AES_128_GCM, key).expect("the key has the length of the algorithm");
    LessSafeKey::new(key)
        .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut message)
        .expect("the message is much shorter than the limit of the algorithm");
    message
}

#[cfg(test)]
mod tests {
    use p256::{SecretKey, ecdh::diffie_hellman};

    use super::*;

    // RFC 8291, section 5 and appendix A.
    const MESSAGE: &[u8] = b"When I grow up, I want to be a watermelon";
    const SENDER: &str = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw";
    const P256DH: &str = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZG\
                          H6SRpkNtoIAiw4";
    const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";
    const SALT: &str = "DGv6ra1nlYgDCS1FRnbzlw";

    fn bytes<const N: usize>(text: &str) -> [u8; N] {
        URL_SAFE_NO_PAD.decode(text).unwrap().try_into().unwrap()
    }

    fn encrypted(encoding: Encoding) -> String {
        let client = ClientKeys::parse(P256DH, AUTH).unwrap();
        let sender = SecretKey::from_slice(&bytes::<32>(SENDER)).unwrap();
        let shared = diffie_hellman(sender.to_nonzero_scalar(), client.public.as_affine());
        let (sender, shared) = (point(&sender.public_key()), shared.raw_secret_bytes());
        let encrypted =
            encrypt_with(encoding, &client, MESSAGE, &sender, shared, bytes(SALT)).unwrap();
        URL_SAFE_NO_PAD.encode(encrypted.body)
    }

    #[test]
    fn the_example_of_the_standard_is_reproduced() {
        assert_eq!(
            encrypted(Encoding::Standard),
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocIn\
             mYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNW\
             QexSgSxsj_Qulcy4a-fN"
        );
    }

    #[test]
    fn the_draft_is_encrypted_as_by_another_implementation() {
        // The Python library http_ece 1.2.1 with the same keys.
        let expected =
            "4qwOLFm_mNy0vf1A8f3Bm6B5UD15y3aV_xZy14pixUhcPTIoZKHzq5i3dZ6PzqSMxBI_-VDUZ4jW04M";
        assert_eq!(encrypted(Encoding::Draft), expected);
    }

    #[test]
    fn keys_are_read_in_either_alphabet_with_and_without_padding() {
        let (p256dh, auth) = (P256DH.replace('-', "+").replace('_', "/"), format!("{AUTH}=="));
        let keys = ClientKeys::parse(&format!("{p256dh}="), &auth).unwrap();
        assert_eq!(keys, ClientKeys::parse(P256DH, AUTH).unwrap());
        assert_eq!((keys.p256dh().as_str(), keys.auth().as_str()), (P256DH, AUTH));
    }

    #[test]
    fn invalid_keys_are_refused() {
        let not_on_the_curve = URL_SAFE_NO_PAD.encode([[4].as_slice(), &[7; 64]].concat());
        let key = ClientKeys::parse(P256DH, AUTH).unwrap().public;
        let compressed = URL_SAFE_NO_PAD.encode(key.to_encoded_point(true).as_bytes());
        let hybrid = URL_SAFE_NO_PAD.encode([&[6], &point(&key)[1..]].concat());
        for p256dh in ["", "x", AUTH, &not_on_the_curve, &compressed, &hybrid, &P256DH[..80]] {
            assert_eq!(ClientKeys::parse(p256dh, AUTH), Err(InvalidKeys::P256dh), "{p256dh}");
        }
        for auth in ["", "?", P256DH, &AUTH[..20], &"A".repeat(1 << 20)] {
            assert_eq!(ClientKeys::parse(P256DH, auth), Err(InvalidKeys::Auth));
        }
    }

    #[test]
    fn a_message_has_at_most_4096_bytes() {
        let client = ClientKeys::parse(P256DH, AUTH).unwrap();
        for (encoding, longest) in [(Encoding::Standard, 3993), (Encoding::Draft, 4078)] {
            let length = |message: usize| {
                encrypt(encoding, &client, &vec![0; message]).map(|encrypted| encrypted.body.len())
            };
            assert_eq!(length(longest), Ok(4096));
            assert_eq!(length(longest + 1), Err(TooLong));
        }
    }

    #[test]
    fn each_message_has_its_own_key_and_salt() {
        let client = ClientKeys::parse(P256DH, AUTH).unwrap();
        let [one, other] = [0, 1].map(|_| encrypt(Encoding::Draft, &client, MESSAGE).unwrap());
        assert!(one.salt != other.salt && one.sender != other.sender && one.body != other.body);
    }
}
