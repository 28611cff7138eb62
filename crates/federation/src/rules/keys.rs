//! Rule 7: keys and their owners.

use super::Refusal;
use crate::{
    address::Uri,
    read::{Actor, ClaimedKey, KeyDocument},
};

/// Returns the key that a signature names, out of the document at its address. Its owner has the
/// origin of the key (FEP-fe34). The key counts only after [`key_belongs`].
///
/// # Errors
/// Returns the reason if the document has no such key, or one with an owner of another origin.
pub fn key_of_document<'d>(
    key_id: &Uri,
    document: &'d KeyDocument,
) -> Result<&'d ClaimedKey, Refusal> {
    let key = document.key(key_id).ok_or(Refusal::KeyMissing)?;
    if key.owner.has_origin_of(&key.id) { Ok(key) } else { Err(Refusal::ForeignKey) }
}

/// Judges a key by rule 7, with the document of its owner, which counts for its id: the key names
/// the owner, the owner lists this very key by the same id, and both are of one origin.
///
/// Otherwise a document at any address could make itself the key of an account (CVE-2026-96625,
/// GHSA-q9f8).
///
/// # Errors
/// Returns the reason if the key does not belong to the actor.
pub fn key_belongs(key: &ClaimedKey, owner: &Actor) -> Result<(), Refusal> {
    if key.owner != owner.id {
        return Err(Refusal::OtherKeyOwner);
    }
    if !key.id.has_origin_of(&owner.id) {
        return Err(Refusal::ForeignKey);
    }
    // Some servers list a key by one id in two forms.
    if owner.keys.contains(key) { Ok(()) } else { Err(Refusal::KeyNotNamed) }
}
