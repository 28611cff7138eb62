//! Public keys, and the check of a signature by one.

use std::fmt;

use ring::signature::{
    ED25519, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA512, UnparsedPublicKey,
    VerificationAlgorithm,
};

use super::{
    ED25519_LENGTH, KeyError,
    der::{self, PublicParts},
    multikey,
};

/// Kind of a key. It decides how a signature is checked, whatever the signature says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// RSA, with the padding of PKCS#1 version 1.5.
    Rsa,
    /// Ed25519 (RFC 8032).
    Ed25519,
}

/// How a signature is made and checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignatureAlgorithm {
    RsaSha256,
    RsaSha512,
    Ed25519,
}

impl SignatureAlgorithm {
    /// Returns the kind of the keys that it needs.
    pub(crate) const fn kind(self) -> KeyKind {
        match self {
            Self::RsaSha256 | Self::RsaSha512 => KeyKind::Rsa,
            Self::Ed25519 => KeyKind::Ed25519,
        }
    }

    fn implementation(self) -> &'static dyn VerificationAlgorithm {
        match self {
            Self::RsaSha256 => &RSA_PKCS1_2048_8192_SHA256,
            Self::RsaSha512 => &RSA_PKCS1_2048_8192_SHA512,
            Self::Ed25519 => &ED25519,
        }
    }
}

/// Public key of an actor. Equal keys are equal in every form in which they were read.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PublicKey {
    kind: KeyKind,
    /// `RSAPublicKey` of PKCS#1, or the 32 bytes of an Ed25519 key.
    bytes: Vec<u8>,
}

impl PublicKey {
    /// Reads a key from PEM: SubjectPublicKeyInfo (`PUBLIC KEY`) of RSA or Ed25519, or PKCS#1
    /// (`RSA PUBLIC KEY`). White space may be anywhere but in the markers.
    ///
    /// ```
    /// use siskin_federation::keys::{KeyKind, PublicKey};
    ///
    /// let pem = "-----BEGIN PUBLIC KEY-----
    ///     MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=
    ///     -----END PUBLIC KEY-----";
    /// let key = PublicKey::from_pem(pem)?;
    /// assert_eq!(key.kind(), KeyKind::Ed25519);
    /// assert_eq!(PublicKey::from_multibase(&key.to_multibase())?, key);
    /// # Ok::<(), siskin_federation::keys::KeyError>(())
    /// ```
    ///
    /// # Errors
    /// Returns any [`KeyError`] but [`KeyError::Multibase`] and [`KeyError::Generation`].
    pub fn from_pem(pem: &str) -> Result<Self, KeyError> {
        let (label, bytes) = der::read_pem(pem)?;
        if !matches!(label, "PUBLIC KEY" | "RSA PUBLIC KEY") {
            return Err(KeyError::Pem);
        }
        der::read_public(&bytes).map(Self::from_parts)
    }

    /// Reads a key from Multibase: `z`, then base58 of the Multicodec `0xed` (Ed25519) or `0x1205`
    /// (RSA in PKCS#1) and the key (FEP-521a).
    ///
    /// # Errors
    /// Returns any [`KeyError`] but [`KeyError::Pem`] and [`KeyError::Generation`].
    pub fn from_multibase(text: &str) -> Result<Self, KeyError> {
        multikey::read_public(text).map(Self::from_parts)
    }

    pub(super) fn from_parts(parts: PublicParts) -> Self {
        match parts {
            PublicParts::Rsa(bytes) => Self { kind: KeyKind::Rsa, bytes },
            PublicParts::Ed25519(key) => Self { kind: KeyKind::Ed25519, bytes: key.to_vec() },
        }
    }

    fn parts(&self) -> PublicParts {
        match self.kind {
            KeyKind::Rsa => PublicParts::Rsa(self.bytes.clone()),
            KeyKind::Ed25519 => {
                let mut key = [0; ED25519_LENGTH];
                key.iter_mut().zip(&self.bytes).for_each(|(to, from)| *to = *from);
                PublicParts::Ed25519(key)
            }
        }
    }

    /// Returns the kind of the key.
    #[must_use]
    pub const fn kind(&self) -> KeyKind {
        self.kind
    }

    /// Returns the key as PEM with SubjectPublicKeyInfo, as `publicKeyPem` of actors has it.
    #[must_use]
    pub fn to_pem(&self) -> String {
        der::write_pem("PUBLIC KEY", &der::write_public(&self.parts()))
    }

    /// Returns the key as `publicKeyMultibase` of a Multikey has it (FEP-521a).
    #[must_use]
    pub fn to_multibase(&self) -> String {
        multikey::write_public(&self.parts())
    }

    /// Returns `true` if a signature of the message is by this key. A key of another kind than the
    /// algorithm's never is.
    pub(crate) fn verifies(
        &self,
        algorithm: SignatureAlgorithm,
        message: &[u8],
        signature: &[u8],
    ) -> bool {
        let key = UnparsedPublicKey::new(algorithm.implementation(), &self.bytes);
        algorithm.kind() == self.kind && key.verify(message, signature).is_ok()
    }
}

/// Shows the Multibase form.
impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PublicKey").field(&self.to_multibase()).finish()
    }
}
