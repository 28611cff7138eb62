//! Keys for tests. No server uses them.

use super::{PrivateKey, PrivateKeyPem};

pub(crate) const RSA: &str = include_str!("samples/rsa.pem");
pub(crate) const RSA_PKCS1: &str = include_str!("samples/rsa-pkcs1.pem");
pub(crate) const RSA_PUBLIC: &str = include_str!("samples/rsa-public.pem");
pub(crate) const RSA_PUBLIC_PKCS1: &str = include_str!("samples/rsa-public-pkcs1.pem");
pub(crate) const RSA_1024_PUBLIC: &str = include_str!("samples/rsa-1024-public.pem");
pub(crate) const RSA_8192_PUBLIC: &str = include_str!("samples/rsa-8192-public.pem");

/// `test-key-ed25519` of RFC 9421, appendix B.1.4.
pub(crate) const ED25519: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----
";
/// Public part of `test-key-ed25519`.
pub(crate) const ED25519_PUBLIC: &str = "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=
-----END PUBLIC KEY-----
";

pub(crate) fn rsa() -> PrivateKey {
    private(RSA)
}

pub(crate) fn ed25519() -> PrivateKey {
    private(ED25519)
}

pub(crate) fn private(pem: &str) -> PrivateKey {
    PrivateKey::from_pem(&PrivateKeyPem::from(pem.to_owned())).unwrap()
}

/// Returns the Ed25519 key of a seed of 32 bytes.
pub(crate) fn from_seed(seed: &[u8]) -> PrivateKey {
    let der = super::der::write_ed25519_private(&seed.try_into().unwrap());
    private(&super::der::write_pem("PRIVATE KEY", &der))
}
