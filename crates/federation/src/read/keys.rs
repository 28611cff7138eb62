//! Keys of actors, and documents of keys.
//!
//! Only the texts of keys are read here; other modules decode them.

use super::{Member, ReadError, Reader, limits};
use crate::{
    address::Uri,
    json::{Contexts, Members, document},
};

/// Maximum length of the text of a key, in bytes: four times an RSA key of 8,192 bits in PEM.
const MAX_KEY_BYTES: usize = 8192;

/// Public key as text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum KeyMaterial {
    /// PEM with SPKI or PKCS #1 (`publicKeyPem`).
    Pem(String),
    /// Multikey in multibase (`publicKeyMultibase`, FEP-521a).
    Multibase(String),
}

/// Public key with the claim of its owner.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ClaimedKey {
    /// Id of the key, which signatures name.
    pub id: Uri,
    /// Actor that the key says it belongs to (`owner` or `controller`).
    pub owner: Uri,
    /// Key.
    pub material: KeyMaterial,
}

/// Document at the address of a key: an actor, a stub of one (`GoToSocial`), or the key itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyDocument {
    /// Id of the document; `None` if there is none.
    pub id: Option<Uri>,
    /// Keys in it, at most [`limits::KEYS`].
    pub keys: Vec<ClaimedKey>,
}

impl KeyDocument {
    /// Returns the key with this id, compared as a whole.
    #[must_use]
    pub fn key(&self, id: &Uri) -> Option<&ClaimedKey> {
        self.keys.iter().find(|key| key.id == *id)
    }
}

impl Reader {
    /// Reads a document of keys.
    ///
    /// # Errors
    /// Returns the reason if it is no document with at least one key.
    pub fn key_document(self, bytes: &[u8]) -> Result<KeyDocument, ReadError> {
        let value = document(bytes, Contexts::Keys)?;
        let members = Members::of(&value).ok_or(ReadError::Missing(Member::Keys))?;
        let mut keys: Vec<ClaimedKey> = self.key(members).into_iter().collect();
        keys.extend(self.keys(members));
        if keys.is_empty() {
            return Err(ReadError::Missing(Member::Keys));
        }
        Ok(KeyDocument { id: self.optional_id(members)?, keys })
    }

    /// Returns the keys of an actor. References to keys in other documents are left out.
    pub(super) fn keys(self, members: Members<'_>) -> Vec<ClaimedKey> {
        let rsa = members.objects("publicKey");
        let multikeys = members.objects("assertionMethod");
        rsa.chain(multikeys).filter_map(|it| self.key(it)).take(limits::KEYS).collect()
    }

    fn key(self, members: Members<'_>) -> Option<ClaimedKey> {
        let owner = self.uri_of(members, "owner").or_else(|| self.uri_of(members, "controller"))?;
        Some(ClaimedKey { id: self.uri_of(members, "id")?, owner, material: material(members)? })
    }
}

fn material(members: Members<'_>) -> Option<KeyMaterial> {
    let text = |name| members.text(name).filter(|it| it.len() <= MAX_KEY_BYTES);
    let pem = text("publicKeyPem").map(|it| KeyMaterial::Pem(it.to_owned()));
    pem.or_else(|| text("publicKeyMultibase").map(|it| KeyMaterial::Multibase(it.to_owned())))
}
