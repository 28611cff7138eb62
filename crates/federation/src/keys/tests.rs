//! Tests of keys in all their forms.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use proptest::prelude::*;

use super::{samples::*, *};

/// Vectors of RFC 8032, 7.1: seed, public key, message and signature in hexadecimal digits.
const RFC_8032: [[&str; 4]; 3] = [
    [
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9\
         b46bd25bf5f0595bbe24655141438e7a100b",
    ],
    [
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f1\
         1d8c387b2eaeb4302aeeb00d291612bb0c00",
    ],
    [
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984d\
         c6594a7c15e9716ed28dc027beceea1ec40a",
    ],
];

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        hex.chars().map(|c| u8::try_from(c.to_digit(16).unwrap()).unwrap()).collect();
    digits.chunks(2).map(|pair| pair[0] * 16 + pair[1]).collect()
}

fn pem(label: &str, der: &[u8]) -> String {
    der::write_pem(label, der)
}

/// Returns the bytes of a PEM text.
fn der_of(pem: &str) -> Vec<u8> {
    der::read_pem(pem).unwrap().1
}

#[test]
fn ed25519_signs_the_messages_of_rfc_8032() {
    for [seed, public, message, signature] in RFC_8032 {
        let seed: [u8; 32] = bytes(seed).try_into().unwrap();
        let key = private(&pem("PRIVATE KEY", &der::write_ed25519_private(&seed)));
        let (message, signature) = (bytes(message), bytes(signature));
        assert_eq!(key.sign(&message).unwrap(), signature);
        let multibase = encode_base58btc(&[&[0xed, 0x01][..], &bytes(public)].concat());
        let public = PublicKey::from_multibase(&multibase).unwrap();
        assert_eq!(*key.public(), public);
        assert!(public.verifies(SignatureAlgorithm::Ed25519, &message, &signature));
        assert!(!public.verifies(SignatureAlgorithm::Ed25519, b"other", &signature));
    }
}

#[test]
fn a_key_is_the_same_in_every_form() {
    let spki = PublicKey::from_pem(RSA_PUBLIC).unwrap();
    assert_eq!(spki.kind(), KeyKind::Rsa);
    assert_eq!(PublicKey::from_pem(RSA_PUBLIC_PKCS1).unwrap(), spki);
    assert_eq!(PublicKey::from_multibase(&spki.to_multibase()).unwrap(), spki);
    assert_eq!(spki.to_pem(), RSA_PUBLIC);
    assert_eq!(*private(RSA).public(), spki);
    assert_eq!(*private(RSA_PKCS1).public(), spki);

    let ed25519 = PublicKey::from_pem(ED25519_PUBLIC).unwrap();
    assert_eq!(ed25519.to_pem(), ED25519_PUBLIC);
    assert_eq!(PublicKey::from_multibase(&ed25519.to_multibase()).unwrap(), ed25519);
    assert_eq!(*samples::ed25519().public(), ed25519);
}

#[test]
fn multibase_begins_as_its_kind_of_key() {
    let rsa = PublicKey::from_pem(RSA_PUBLIC).unwrap().to_multibase();
    assert!(rsa.starts_with("z4MX"), "{rsa}");
    let ed25519 = PublicKey::from_pem(ED25519_PUBLIC).unwrap().to_multibase();
    assert!(ed25519.starts_with("z6Mk"), "{ed25519}");
    // The key of the test vectors of FEP-8b32.
    assert!(PublicKey::from_multibase("z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2").is_ok());
}

#[test]
fn white_space_in_pem_is_ignored() {
    let key = PublicKey::from_pem(RSA_PUBLIC).unwrap();
    let base64 = STANDARD.encode(der_of(RSA_PUBLIC));
    let unpadded = base64.trim_end_matches('=');
    let spaced: String = base64.chars().flat_map(|c| [c, ' ']).collect();
    for text in [
        RSA_PUBLIC.replace('\n', "\r\n"),
        RSA_PUBLIC.replace('\n', "\n\n"),
        RSA_PUBLIC.replace('\n', "\n    "),
        format!("\n\t {RSA_PUBLIC} \n"),
        RSA_PUBLIC.trim_end().to_owned(),
        format!("-----BEGIN PUBLIC KEY-----{base64}-----END PUBLIC KEY-----"),
        format!("-----BEGIN PUBLIC KEY-----\n{unpadded}\n-----END PUBLIC KEY-----"),
        format!("-----BEGIN PUBLIC KEY----- {spaced} -----END PUBLIC KEY-----"),
        // The label of the other form, as some servers write it.
        RSA_PUBLIC.replace("PUBLIC KEY", "RSA PUBLIC KEY"),
        RSA_PUBLIC_PKCS1.replace("RSA PUBLIC KEY", "PUBLIC KEY"),
    ] {
        assert_eq!(PublicKey::from_pem(&text), Ok(key.clone()), "{text}");
    }
}

#[test]
fn what_is_no_public_key_is_refused_with_a_reason() {
    let der = der_of(RSA_PUBLIC);
    let ed25519 = der_of(ED25519_PUBLIC);
    let (mut with_rest, mut curve) = (der.clone(), ed25519.clone());
    with_rest.push(0);
    curve[8] = 0x6e; // X25519
    for (text, expected) in [
        (String::new(), KeyError::Pem),
        ("z6Mk".to_owned(), KeyError::Pem),
        (format!("x{RSA_PUBLIC}"), KeyError::Pem),
        (format!("{RSA_PUBLIC}{RSA_PUBLIC}"), KeyError::Pem),
        (RSA_PUBLIC.replace("END PUBLIC", "END RSA PUBLIC"), KeyError::Pem),
        (RSA_PUBLIC.replace("M", "!"), KeyError::Pem),
        (RSA.to_owned(), KeyError::Pem),
        (pem("CERTIFICATE", &der), KeyError::Pem),
        (format!("{RSA_PUBLIC}{}", " ".repeat(8192)), KeyError::TooLong),
        (pem("PUBLIC KEY", b""), KeyError::Encoding),
        (pem("PUBLIC KEY", &der[..der.len() - 1]), KeyError::Encoding),
        (pem("PUBLIC KEY", &with_rest), KeyError::Encoding),
        (pem("PUBLIC KEY", &ed25519[..43]), KeyError::Encoding),
        (pem("PUBLIC KEY", &curve), KeyError::Kind),
        (RSA_1024_PUBLIC.to_owned(), KeyError::Size),
    ] {
        assert_eq!(PublicKey::from_pem(&text).unwrap_err(), expected, "{text}");
    }
    assert_eq!(PublicKey::from_pem(RSA_8192_PUBLIC).unwrap().kind(), KeyKind::Rsa);
}

#[test]
fn what_is_no_multikey_is_refused_with_a_reason() {
    for (bytes, expected) in [
        (vec![], KeyError::Kind),
        (vec![0xed], KeyError::Kind),
        (vec![0xec, 0x01], KeyError::Kind),
        ([&[0xed, 0x01][..], &[7; 31]].concat(), KeyError::Encoding),
        ([&[0xed, 0x01][..], &[7; 33]].concat(), KeyError::Encoding),
        // P-256, and a private Ed25519 key.
        ([&[0x80, 0x24][..], &[7; 33]].concat(), KeyError::Kind),
        ([&[0x80, 0x26][..], &[7; 32]].concat(), KeyError::Kind),
        ([&[0x85, 0x24][..], &[7; 32]].concat(), KeyError::Encoding),
        // SubjectPublicKeyInfo instead of PKCS#1.
        ([&[0x85, 0x24][..], &der_of(RSA_PUBLIC)].concat(), KeyError::Encoding),
        ([&[0x85, 0x24][..], &der_of(RSA_1024_PUBLIC)[22..]].concat(), KeyError::Size),
    ] {
        let text = encode_base58btc(&bytes);
        assert_eq!(PublicKey::from_multibase(&text).unwrap_err(), expected, "{text}");
    }
    let key = PublicKey::from_pem(ED25519_PUBLIC).unwrap().to_multibase();
    for text in ["", "z0", "m7QEm", &key[1..], &format!(" {key}"), &format!("{key}\n")] {
        assert_eq!(PublicKey::from_multibase(text), Err(KeyError::Multibase), "{text}");
    }
}

#[test]
fn numbers_of_an_unsafe_rsa_key_are_refused() {
    // The last five bytes are the exponent, and before them is the last byte of the modulus.
    let der = der_of(RSA_PUBLIC_PKCS1);
    let end = der.len();
    for (at, byte) in [(end - 1, 0), (end - 6, 0x22)] {
        let mut changed = der.clone();
        changed[at] = byte;
        let error = PublicKey::from_pem(&pem("RSA PUBLIC KEY", &changed)).unwrap_err();
        assert_eq!(error, KeyError::Weak, "{at}");
    }
    let mut one = der[..end - 5].to_vec();
    one.extend(b"\x02\x01\x01");
    one[3] -= 2;
    assert_eq!(PublicKey::from_pem(&pem("RSA PUBLIC KEY", &one)).unwrap_err(), KeyError::Weak);
}

#[test]
fn a_generated_key_is_read_and_signs() {
    for (kind, algorithm) in [
        (KeyKind::Rsa, SignatureAlgorithm::RsaSha256),
        (KeyKind::Ed25519, SignatureAlgorithm::Ed25519),
    ] {
        let pem = PrivateKeyPem::generate(kind).unwrap();
        assert!(pem.expose().starts_with("-----BEGIN PRIVATE KEY-----\n"));
        let key = PrivateKey::from_pem(&pem).unwrap();
        assert_eq!(key.kind(), kind);
        let signature = key.sign(b"message").unwrap();
        let public = PublicKey::from_pem(&key.public().to_pem()).unwrap();
        assert!(public.verifies(algorithm, b"message", &signature));
        assert!(!public.verifies(algorithm, b"massage", &signature));
    }
}

#[test]
fn a_key_of_another_kind_verifies_nothing() {
    let (rsa, ed25519) = (rsa(), ed25519());
    let message = b"message";
    let by_rsa = rsa.sign(message).unwrap();
    let by_ed25519 = ed25519.sign(message).unwrap();
    let all =
        [SignatureAlgorithm::RsaSha256, SignatureAlgorithm::RsaSha512, SignatureAlgorithm::Ed25519];
    let right = |key: &PrivateKey, signature: &[u8]| {
        all.into_iter().filter(|it| key.public().verifies(*it, message, signature)).count()
    };
    assert_eq!(right(&rsa, &by_rsa), 1);
    assert_eq!(right(&ed25519, &by_ed25519), 1);
    assert_eq!(right(&rsa, &by_ed25519), 0);
    assert_eq!(right(&ed25519, &by_rsa), 0);
}

#[test]
fn what_is_no_private_key_is_refused() {
    for text in ["", RSA_PUBLIC, &pem("PRIVATE KEY", b"x"), &RSA.replace(" PRIVATE", " EC PRIVATE")]
    {
        assert!(PrivateKey::from_pem(&PrivateKeyPem::from(text.to_owned())).is_err(), "{text}");
    }
}

#[test]
fn private_keys_are_never_printed() {
    for text in [RSA, ED25519] {
        let pem = PrivateKeyPem::from(text.to_owned());
        let secret = STANDARD.encode(der_of(text));
        let key = PrivateKey::from_pem(&pem).unwrap();
        let shown = format!("{pem:?} {pem:#?} {key:?} {key:#?}");
        let parts: Vec<&[u8]> = secret.as_bytes().chunks(16).collect();
        for part in parts {
            let part = std::str::from_utf8(part).unwrap();
            assert!(part.len() < 16 || !shown.contains(part), "{shown}");
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "\\PC{0,80}", der in prop::collection::vec(any::<u8>(), 0..64)) {
        prop_assert!(PublicKey::from_pem(&text).is_err());
        prop_assert!(PublicKey::from_multibase(&text).is_err());
        prop_assert!(PublicKey::from_pem(&pem("PUBLIC KEY", &der)).is_err());
        let _ = PublicKey::from_multibase(&encode_base58btc(&der));
        let _ = PrivateKey::from_pem(&PrivateKeyPem::from(pem("PRIVATE KEY", &der)));
    }

    #[test]
    fn a_changed_key_is_another_key_or_none(at in 0..294_usize, bit in 0..8_u32) {
        let mut der = der_of(RSA_PUBLIC);
        let original = PublicKey::from_pem(RSA_PUBLIC).unwrap();
        der[at] ^= 1 << bit;
        if let Ok(key) = PublicKey::from_pem(&pem("PUBLIC KEY", &der)) {
            prop_assert_eq!(key.to_multibase() == original.to_multibase(), key == original);
        }
    }

    #[test]
    fn a_changed_signature_is_refused(at in 0..256_usize, bit in 0..8_u32) {
        let key = rsa();
        let mut signature = key.sign(b"message").unwrap();
        signature[at] ^= 1 << bit;
        prop_assert!(!key.public().verifies(SignatureAlgorithm::RsaSha256, b"message", &signature));
    }
}
