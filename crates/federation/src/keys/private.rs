//! Private keys: made, read and used, never printed.

use std::fmt;

use ring::{
    rand::{SecureRandom as _, SystemRandom},
    signature::{Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair},
};
use rsa::{
    RsaPrivateKey,
    pkcs8::{EncodePrivateKey as _, LineEnding, der::zeroize::Zeroizing},
    rand_core::OsRng,
};

use super::{
    ED25519_LENGTH, KeyError, KeyKind, PublicKey, RSA_BITS,
    der::{self, PublicParts},
};

/// Private key as PEM in PKCS#8, as it is stored. The memory is overwritten when it is dropped.
#[derive(Clone)]
pub struct PrivateKeyPem(Zeroizing<String>);

impl PrivateKeyPem {
    /// Generates a key: RSA with [`RSA_BITS`], or Ed25519.
    ///
    /// An RSA key takes about 0.1 s of processor time, sometimes ten times as much. Call this on a
    /// thread that may block.
    ///
    /// # Errors
    /// Returns [`KeyError::Generation`] if the system has no random numbers.
    pub fn generate(kind: KeyKind) -> Result<Self, KeyError> {
        let pem = match kind {
            KeyKind::Rsa => RsaPrivateKey::new(&mut OsRng, RSA_BITS)
                .ok()
                .and_then(|key| key.to_pkcs8_pem(LineEnding::LF).ok()),
            KeyKind::Ed25519 => {
                let mut seed = Zeroizing::new([0; ED25519_LENGTH]);
                let filled = SystemRandom::new().fill(&mut *seed);
                filled.ok().map(|()| {
                    let der = Zeroizing::new(der::write_ed25519_private(&seed));
                    Zeroizing::new(der::write_pem("PRIVATE KEY", &der))
                })
            }
        };
        pem.map(Self).ok_or(KeyError::Generation)
    }

    /// Returns the secret text, to store it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// Takes a stored text. [`PrivateKey::from_pem`] checks it.
impl From<String> for PrivateKeyPem {
    fn from(pem: String) -> Self {
        Self(Zeroizing::new(pem))
    }
}

/// Hides the secret.
impl fmt::Debug for PrivateKeyPem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKeyPem(…)")
    }
}

/// Private key, ready to sign. Reading an RSA key costs about as much as one signature.
pub struct PrivateKey {
    pair: Pair,
    public: PublicKey,
}

enum Pair {
    Rsa(Box<RsaKeyPair>),
    Ed25519(Box<Ed25519KeyPair>),
}

impl PrivateKey {
    /// Reads a key from PEM: PKCS#8 (`PRIVATE KEY`) of RSA or Ed25519, or PKCS#1
    /// (`RSA PRIVATE KEY`). RSA keys have 2048 to 4096 bits.
    ///
    /// # Errors
    /// Returns [`KeyError::TooLong`], [`KeyError::Pem`] or [`KeyError::Encoding`]. The latter also
    /// stands for a key of another kind or size.
    pub fn from_pem(pem: &PrivateKeyPem) -> Result<Self, KeyError> {
        let (label, der) = der::read_pem(pem.expose())?;
        let der = Zeroizing::new(der);
        let pair = match label {
            "PRIVATE KEY" => RsaKeyPair::from_pkcs8(&der)
                .map(|pair| Pair::Rsa(Box::new(pair)))
                .or_else(|_| Ed25519KeyPair::from_pkcs8_maybe_unchecked(&der).map(Pair::ed25519)),
            "RSA PRIVATE KEY" => RsaKeyPair::from_der(&der).map(|pair| Pair::Rsa(Box::new(pair))),
            _ => return Err(KeyError::Pem),
        };
        let pair = pair.map_err(|_| KeyError::Encoding)?;
        Ok(Self { public: pair.public()?, pair })
    }

    /// Returns the kind of the key.
    #[must_use]
    pub const fn kind(&self) -> KeyKind {
        self.public.kind()
    }

    /// Returns the public key.
    #[must_use]
    pub const fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Signs a message: with SHA-256 by an RSA key. Returns `None` if the system has no random
    /// numbers, which blind the computation.
    pub(crate) fn sign(&self, message: &[u8]) -> Option<Vec<u8>> {
        match &self.pair {
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                let random = SystemRandom::new();
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).ok()?;
                Some(signature)
            }
            Pair::Ed25519(pair) => Some(pair.sign(message).as_ref().to_vec()),
        }
    }
}

impl Pair {
    fn ed25519(pair: Ed25519KeyPair) -> Self {
        Self::Ed25519(Box::new(pair))
    }

    fn public(&self) -> Result<PublicKey, KeyError> {
        let parts = match self {
            Self::Rsa(pair) => PublicParts::Rsa(der::read_pkcs1(pair.public().as_ref())?),
            Self::Ed25519(pair) => {
                let key = pair.public_key().as_ref().try_into();
                PublicParts::Ed25519(key.map_err(|_| KeyError::Encoding)?)
            }
        };
        Ok(PublicKey::from_parts(parts))
    }
}

/// Shows the public key only.
impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrivateKey").field("public", &self.public).finish_non_exhaustive()
    }
}
