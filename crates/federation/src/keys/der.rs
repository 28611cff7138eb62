//! The binary and textual containers of keys: PEM (RFC 7468), SubjectPublicKeyInfo (RFC 5280),
//! PKCS#1 (RFC 8017) and PKCS#8 (RFC 5958).

use base64::{
    Engine as _,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose},
};
use rsa::{
    pkcs1::{self, RsaPublicKey, der::Decode as _},
    pkcs8::{ObjectIdentifier, SubjectPublicKeyInfoRef, der::zeroize::Zeroizing},
};

use super::{ED25519_LENGTH, KeyError, MAX_RSA_BITS, MIN_RSA_BITS};

/// Maximum length of a PEM text, in bytes. A private RSA key of 4096 bits has about 3,300.
const MAX_PEM_LENGTH: usize = 8192;
/// Number of characters of base64 in a line of PEM.
const LINE_LENGTH: usize = 64;
/// Maximum length of a public exponent, in bytes. `ring` allows 33 bits.
const MAX_EXPONENT_LENGTH: usize = 5;
/// Object identifier of Ed25519 (RFC 8410).
const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");
/// Encoded algorithm identifier of RSA: its object identifier and NULL.
const RSA_IDENTIFIER: &[u8] = b"\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00";
/// Encoded algorithm identifier of Ed25519.
const ED25519_IDENTIFIER: &[u8] = b"\x30\x05\x06\x03\x2b\x65\x70";
/// Bytes before the seed of an Ed25519 key in PKCS#8, version 1. Other programs read this version
/// better than that with a public key.
const ED25519_PKCS8: &[u8] = b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20";

/// Base64 with or without padding: peers send both.
const TOLERANT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A public key in its shortest form.
pub(super) enum PublicParts {
    /// `RSAPublicKey` of PKCS#1.
    Rsa(Vec<u8>),
    Ed25519([u8; ED25519_LENGTH]),
}

/// Returns the label and the contents of a PEM text. White space is ignored around the markers and
/// anywhere between them; other text is refused.
///
/// # Errors
/// Returns [`KeyError::TooLong`] or [`KeyError::Pem`].
pub(super) fn read_pem(text: &str) -> Result<(&str, Vec<u8>), KeyError> {
    if text.len() > MAX_PEM_LENGTH {
        return Err(KeyError::TooLong);
    }
    let (label, base64) = pem_parts(text).ok_or(KeyError::Pem)?;
    // It may be a secret.
    let base64: Zeroizing<String> =
        Zeroizing::new(base64.chars().filter(|c| !c.is_ascii_whitespace()).collect());
    let der = TOLERANT.decode(base64.as_bytes()).map_err(|_| KeyError::Pem)?;
    Ok((label, der))
}

/// Returns the label and the text between the markers.
fn pem_parts(text: &str) -> Option<(&str, &str)> {
    let rest = text.trim().strip_prefix("-----BEGIN ")?;
    let (label, rest) = rest.split_once("-----")?;
    let rest = rest.strip_suffix("-----")?;
    let (base64, end) = rest.rsplit_once("-----END ")?;
    (end == label).then_some((label, base64))
}

/// Returns a PEM text with lines of 64 characters.
pub(super) fn write_pem(label: &str, der: &[u8]) -> String {
    let base64 = general_purpose::STANDARD.encode(der);
    let mut pem = format!("-----BEGIN {label}-----\n");
    for (at, c) in base64.chars().enumerate() {
        if at > 0 && at % LINE_LENGTH == 0 {
            pem.push('\n');
        }
        pem.push(c);
    }
    pem.push_str(&format!("\n-----END {label}-----\n"));
    pem
}

/// Reads a public key as SubjectPublicKeyInfo, or else as PKCS#1. The label of a PEM text does not
/// decide, because some peers name the wrong one.
///
/// # Errors
/// Returns [`KeyError::Encoding`], [`KeyError::Kind`], [`KeyError::Size`] or [`KeyError::Weak`].
pub(super) fn read_public(der: &[u8]) -> Result<PublicParts, KeyError> {
    let Ok(info) = SubjectPublicKeyInfoRef::from_der(der) else {
        return read_pkcs1(der).map(PublicParts::Rsa);
    };
    let key = info.subject_public_key.as_bytes().ok_or(KeyError::Encoding)?;
    if info.algorithm.oid == pkcs1::ALGORITHM_OID {
        read_pkcs1(key).map(PublicParts::Rsa)
    } else if info.algorithm.oid == ED25519 {
        key.try_into().map(PublicParts::Ed25519).map_err(|_| KeyError::Encoding)
    } else {
        Err(KeyError::Kind)
    }
}

/// Checks an RSA key in PKCS#1, and returns it.
///
/// # Errors
/// Returns [`KeyError::Encoding`], [`KeyError::Size`] or [`KeyError::Weak`].
pub(super) fn read_pkcs1(der: &[u8]) -> Result<Vec<u8>, KeyError> {
    let key = RsaPublicKey::from_der(der).map_err(|_| KeyError::Encoding)?;
    let (modulus, exponent) = (key.modulus.as_bytes(), key.public_exponent.as_bytes());
    if !(MIN_RSA_BITS..=MAX_RSA_BITS).contains(&bits(modulus)) {
        return Err(KeyError::Size);
    }
    let is_odd = |number: &[u8]| number.last().is_some_and(|byte| byte % 2 == 1);
    let is_usable = is_odd(modulus)
        && is_odd(exponent)
        && exponent != [1]
        && exponent.len() <= MAX_EXPONENT_LENGTH;
    if is_usable { Ok(der.to_vec()) } else { Err(KeyError::Weak) }
}

/// Returns the number of bits of a number without leading zero bytes.
fn bits(number: &[u8]) -> usize {
    let leading = number.first().map_or(0, |byte| byte.leading_zeros());
    (number.len() * 8).saturating_sub(usize::try_from(leading).unwrap_or_default())
}

/// Returns the SubjectPublicKeyInfo of a key.
pub(super) fn write_public(parts: &PublicParts) -> Vec<u8> {
    let (identifier, key) = match parts {
        PublicParts::Rsa(der) => (RSA_IDENTIFIER, der.as_slice()),
        PublicParts::Ed25519(key) => (ED25519_IDENTIFIER, key.as_slice()),
    };
    // A bit string begins with the number of unused bits.
    let bit_string = element(0x03, &[&[0], key]);
    element(0x30, &[identifier, &bit_string])
}

/// Returns the PKCS#8 form of an Ed25519 seed.
pub(super) fn write_ed25519_private(seed: &[u8; ED25519_LENGTH]) -> Vec<u8> {
    [ED25519_PKCS8, seed].concat()
}

/// Returns a DER element: its tag, its length and its contents.
fn element(tag: u8, contents: &[&[u8]]) -> Vec<u8> {
    let contents = contents.concat();
    let mut der = vec![tag];
    match u8::try_from(contents.len()) {
        Ok(length) if length < 0x80 => der.push(length),
        _ => {
            let length = contents.len().to_be_bytes();
            let significant: Vec<u8> = length.into_iter().skip_while(|byte| *byte == 0).collect();
            der.push(0x80 | u8::try_from(significant.len()).unwrap_or_default());
            der.extend(significant);
        }
    }
    der.extend(contents);
    der
}
