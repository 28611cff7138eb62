//! What remains of deleted accounts and statuses: the digest of the address, the former type and
//! the time. It is kept for ever, so that no address gets another meaning.

use diesel::prelude::*;
use sha2::{Digest as _, Sha256};
use siskin_entities::Timestamp;

use crate::{Conn, Result, Tx, conn::each, schema::tombstones};

/// Number of bytes of a digest that are stored.
const KEY_LENGTH: usize = 16;

/// What remains of a deleted account or status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tombstone {
    /// Type of the document before, such as `Note`.
    pub former_type: String,
    /// Time of the deletion.
    pub at: Timestamp,
}

/// An account or status that is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewTombstone<'a> {
    /// Address in the network.
    pub uri: &'a str,
    /// Type of the document before: `Person`, `Service`, `Note` or `Question`.
    pub former_type: &'a str,
}

/// Loads what remains of the account or status with this address.
pub fn find(conn: &mut Conn, uri: &str) -> Result<Option<Tombstone>> {
    let row: Option<(String, i64)> = tombstones::table
        .find(key(uri))
        .select((tombstones::former_type, tombstones::deleted_at))
        .first(conn)
        .optional()?;
    Ok(row.map(|(former_type, at)| Tombstone { former_type, at: Timestamp::from_unix_ms(at) }))
}

/// Records deletions. An address that was recorded before stays as it is.
pub fn insert(tx: &mut Tx<'_>, deleted: &[NewTombstone<'_>]) -> Result<()> {
    for one in deleted {
        let row = (
            tombstones::uri_key.eq(key(one.uri)),
            tombstones::former_type.eq(one.former_type),
            tombstones::deleted_at.eq(tx.now().unix_ms()),
        );
        each!(&mut **tx, conn => diesel::insert_into(tombstones::table)
            .values(row)
            .on_conflict_do_nothing()
            .execute(conn))?;
    }
    Ok(())
}

/// Returns the key of an address: the beginning of its SHA-256.
fn key(uri: &str) -> Vec<u8> {
    Sha256::digest(uri).into_iter().take(KEY_LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_beginning_of_a_digest() {
        assert_eq!(
            key("abc"),
            [
                0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae,
                0x22, 0x23
            ]
        );
        assert_ne!(key("https://a.example/users/a"), key("https://a.example/users/A"));
    }
}
