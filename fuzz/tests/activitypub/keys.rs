//! Public and private keys as text.

use siskin_federation::keys::{KeyError, PrivateKey, PrivateKeyPem, PublicKey};

use super::{ED25519, feature};

pub const FRAGMENTS: &[&[u8]] = &[
    b"z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2",
    b"-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=\n-----END PUBLIC KEY-----\n",
    ED25519.as_bytes(),
    b"-----BEGIN PUBLIC KEY-----\n",
    b"-----END PUBLIC KEY-----\n",
    b"-----BEGIN RSA PUBLIC KEY-----\n",
    b"-----END RSA PUBLIC KEY-----\n",
    b"-----BEGIN PRIVATE KEY-----\n",
    b"-----END PRIVATE KEY-----\n",
    b"-----",
    b"MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA",
    b"MIIBCgKCAQEA",
    b"AQAB",
    b"IDAQAB",
    b"MCowBQYDK2VwAyEA",
    b"MC4CAQAwBQYDK2VwBCIEI",
    b"z6Mk",
    b"z4MX",
    b"z",
    b"zzzzzzzz",
    b"1",
    b"11111111",
    b"0",
    b"O",
    b"l",
    b"m",
    b"u",
    b"=",
    b"==",
    b"+/",
    b"AAAAAAAAAAAAAAAA",
    b"////////////////",
    b"\n",
    b"\r\n",
    b" ",
    b"\0",
    "é".as_bytes(),
    b"\xFF",
];

/// Checks that a key that is accepted stays the same when it is written and read again.
pub fn check(input: &[u8]) -> Vec<u64> {
    let text = &*String::from_utf8_lossy(input);
    let read = [PublicKey::from_multibase(text), PublicKey::from_pem(text)];
    for key in read.iter().flatten() {
        assert_eq!(PublicKey::from_multibase(&key.to_multibase()).as_ref(), Ok(key));
        assert_eq!(PublicKey::from_pem(&key.to_pem()).as_ref(), Ok(key));
    }
    let private = PrivateKey::from_pem(&PrivateKeyPem::from(text.to_owned()));
    let private = private.map(|key| key.kind()).map_err(KeyError::reason);
    let public = read.map(|key| key.map(|key| key.kind()).map_err(KeyError::reason));
    vec![feature(public), feature(private)]
}
