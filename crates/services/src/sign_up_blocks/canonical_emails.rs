//! Blocks of email addresses in all spellings that reach the same mailbox. Only a hash of the
//! canonical form is stored, so the list reveals no address.

use sha2::{Digest, Sha256};
use siskin_entities::{
    Actor, AuditAction, AuditTarget, CanonicalEmailBlock, Page, PageRequest, TargetKind,
};
use siskin_ids::CanonicalEmailBlockId;
use siskin_persistence::{Conn, Tx, sign_up_blocks::canonical_emails as rows};
use siskin_policy::sign_up::canonical_email;

use crate::{
    Error, Result,
    accounts::{email::NewEmail, email_key},
    audit,
};

/// Number of hexadecimal digits of a hash.
const HASH_DIGITS: usize = 64;

/// The canonical form of email addresses, as its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailHash(String);

impl EmailHash {
    /// Returns the hash of the canonical form of an email address.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the text is no email address.
    pub fn of_email(typed: &str) -> Result<Self> {
        let email = NewEmail::parse(typed).map_err(|error| Error::invalid(error.to_string()))?;
        Ok(Self::of(&email))
    }

    /// Returns the hash of the canonical form of a checked email address.
    #[must_use]
    pub fn of(email: &NewEmail) -> Self {
        Self(hash_of_key(&email_key(email.as_str())))
    }

    /// Parses a hash as hexadecimal digits in any case.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the text is none.
    pub fn parse(typed: &str) -> Result<Self> {
        let hash = typed.trim().to_ascii_lowercase();
        if hash.is_empty() {
            return Err(Error::validation("Canonical email hash can't be blank"));
        }
        let is_hash =
            hash.len() == HASH_DIGITS && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hash {
            Ok(Self(hash))
        } else {
            Err(Error::validation("Canonical email hash must be a SHA-256 hash in hexadecimal"))
        }
    }

    /// Returns the hash for the parameters of a new block: that of the email address if there is
    /// one, otherwise the typed one.
    ///
    /// # Errors
    /// As [`Self::of_email`] and [`Self::parse`].
    pub fn of_params(email: Option<&str>, hash: Option<&str>) -> Result<Self> {
        match email.filter(|email| !email.trim().is_empty()) {
            Some(email) => Self::of_email(email),
            None => Self::parse(hash.unwrap_or_default()),
        }
    }
}

/// Returns the hash of the canonical form of a normalised email address. For addresses in ASCII,
/// Mastodon has the same hash, so that lists can be exchanged.
pub(super) fn hash_of_key(key: &str) -> String {
    format!("{:x}", Sha256::digest(canonical_email(key).as_bytes()))
}

/// Blocks the email addresses with this hash.
///
/// # Errors
/// [`Error::Invalid`] if they are blocked already.
pub fn create(tx: &mut Tx<'_>, actor: Actor, hash: &EmailHash) -> Result<CanonicalEmailBlock> {
    let Some(block) = rows::insert(tx, &hash.0)? else {
        return Err(Error::validation("Canonical email hash is already blocked"));
    };
    audit::record(tx, actor, AuditAction::Create, &target(&block))?;
    Ok(block)
}

/// Returns a block.
///
/// # Errors
/// [`Error::NotFound`].
pub fn find(conn: &mut Conn, id: CanonicalEmailBlockId) -> Result<CanonicalEmailBlock> {
    rows::find(conn, id)?.ok_or(Error::NotFound)
}

/// Returns the blocks that apply to email addresses with this hash: one, or none.
///
/// # Errors
/// Storage errors only.
pub fn matching(conn: &mut Conn, hash: &EmailHash) -> Result<Vec<CanonicalEmailBlock>> {
    Ok(rows::of_hash(conn, &hash.0)?.into_iter().collect())
}

/// Returns a page of the blocks, newest first.
///
/// # Errors
/// Storage errors only.
pub fn list(conn: &mut Conn, request: PageRequest) -> Result<Page<CanonicalEmailBlock>> {
    Ok(rows::list(conn, request)?)
}

/// Deletes a block.
///
/// # Errors
/// [`Error::NotFound`].
pub fn delete(tx: &mut Tx<'_>, actor: Actor, id: CanonicalEmailBlockId) -> Result<()> {
    let block = find(tx, id)?;
    // Of two simultaneous deletions, only one writes an entry.
    if !rows::delete(tx, id)? {
        return Err(Error::NotFound);
    }
    audit::record(tx, actor, AuditAction::Delete, &target(&block))
}

fn target(block: &CanonicalEmailBlock) -> AuditTarget {
    audit::target(TargetKind::CanonicalEmailBlock, block.id.get(), block.hash.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_an_address_have_one_hash() {
        let hash = |email| EmailHash::of_email(email).unwrap();
        // `printf foo@gmail.com | sha256sum`
        let expected = "f14c1da8a078d3dd8d3d979fd7f2490a93e0eebd418459d9967dabf9e32aa581";
        assert_eq!(hash("foo@gmail.com"), EmailHash(expected.to_owned()));
        assert_eq!(hash("F.o.o+x@GMAIL.com"), hash("foo@gmail.com"));
        assert_ne!(hash("foo@gmail.com"), hash("foo@mail.example"));
        assert!(EmailHash::of_email("nowhere").is_err());
    }

    #[test]
    fn a_hash_has_64_digits() {
        let upper = "AB".repeat(32);
        assert_eq!(EmailHash::parse(&upper).unwrap(), EmailHash(upper.to_lowercase()));
        for wrong in ["", "ab", &"g".repeat(64), &"a".repeat(65)] {
            assert!(EmailHash::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_email_address_wins_over_the_hash() {
        let hash = "ab".repeat(32);
        let of = |email, hash| EmailHash::of_params(email, hash);
        let expected = EmailHash::of_email("a@b.example").unwrap();
        assert_eq!(of(Some("a@b.example"), Some(&hash)).unwrap(), expected);
        assert_eq!(of(Some(" "), Some(&hash)).unwrap(), EmailHash(hash.clone()));
        assert!(of(None, None).is_err() && of(Some("x"), None).is_err());
    }
}
