//! Key pairs of local accounts and of the actor of the whole server. Each actor has one present key
//! of each kind. Private keys are stored encrypted.

use diesel::{
    dsl::{exists, not},
    prelude::*,
};
use siskin_entities::Timestamp;
use siskin_ids::AccountId;

use crate::{
    Conn, Error, Result, Tx,
    conn::{OnEngine, each},
    schema::{account_keys, accounts},
};

/// Kind of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// Signs requests.
    Rsa,
    /// Makes proofs.
    Ed25519,
}

impl KeyKind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Rsa => "rsa",
            Self::Ed25519 => "ed25519",
        }
    }

    fn from_name(name: &str) -> Result<Self> {
        [Self::Rsa, Self::Ed25519]
            .into_iter()
            .find(|kind| kind.as_str() == name)
            .ok_or(Error::Damaged("account_keys.kind"))
    }
}

/// A stored key pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountKey {
    pub id: i64,
    pub kind: KeyKind,
    /// PEM of an RSA key, Multibase of an Ed25519 key.
    pub public: String,
    /// PEM, encrypted by the caller.
    pub sealed_private: String,
    pub created_at: Timestamp,
}

/// A new key pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewKey<'a> {
    pub kind: KeyKind,
    pub public: &'a str,
    /// PEM, encrypted by the caller.
    pub sealed_private: &'a str,
}

/// How many actors have keys: local accounts that are confirmed and approved, and the actor of the
/// whole server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyCounts {
    /// Number of actors with keys.
    pub made: i64,
    /// Number of actors without keys.
    pub missing: i64,
}

/// Loads the present keys of an account. `None` stands for the actor of the whole server.
pub fn active(conn: &mut Conn, account: Option<AccountId>) -> Result<Vec<AccountKey>> {
    let present = account_keys::table.filter(account_keys::ended_at.is_null()).select((
        account_keys::id,
        account_keys::kind,
        account_keys::public,
        account_keys::private,
        account_keys::created_at,
    ));
    let rows: Vec<(i64, String, String, String, i64)> = match account {
        Some(account) => present.filter(account_keys::account_id.eq(account)).load(conn)?,
        None => present.filter(account_keys::account_id.is_null()).load(conn)?,
    };
    rows.into_iter()
        .map(|(id, kind, public, sealed_private, created_at)| {
            Ok(AccountKey {
                id,
                kind: KeyKind::from_name(&kind)?,
                public,
                sealed_private,
                created_at: Timestamp::from_unix_ms(created_at),
            })
        })
        .collect()
}

/// Inserts keys of an actor. Leaves out those of a kind that the actor has already: the first of
/// two concurrent callers wins. Returns `false` if the account is gone or is being deleted.
pub fn insert(tx: &mut Tx<'_>, account: Option<AccountId>, keys: &[NewKey<'_>]) -> Result<bool> {
    if let Some(account) = account
        && !lock_against_deletion(tx, account)?
    {
        return Ok(false);
    }
    for key in keys {
        let row = (
            account_keys::id.eq(tx.next_id()),
            account_keys::account_id.eq(account),
            account_keys::kind.eq(key.kind.as_str()),
            account_keys::public.eq(key.public),
            account_keys::private.eq(key.sealed_private),
            account_keys::created_at.eq(tx.now().unix_ms()),
        );
        each!(&mut **tx, conn => diesel::insert_into(account_keys::table)
            .values(row)
            .on_conflict_do_nothing()
            .execute(conn))?;
    }
    Ok(true)
}

/// Locks an account against deletion until the transaction ends. Returns `false` if it is gone, or
/// if its deletion has begun.
fn lock_against_deletion(tx: &mut Tx<'_>, account: AccountId) -> Result<bool> {
    let row = accounts::table
        .find(account)
        .filter(accounts::deleting_since.is_null())
        .select(accounts::id);
    let found: Option<AccountId> = match tx.on_engine() {
        OnEngine::Postgres(pg) => row.for_key_share().first(pg).optional()?,
        // SQLite has one writer at a time, and this transaction is it.
        OnEngine::Sqlite(sqlite) => row.first(sqlite).optional()?,
    };
    Ok(found.is_some())
}

/// The local accounts without keys that need some: they are confirmed and approved, and are not
/// being deleted.
macro_rules! without_keys {
    () => {{
        let own = account_keys::table
            .filter(account_keys::account_id.eq(accounts::id.nullable()))
            .filter(account_keys::ended_at.is_null());
        accounts::table
            .filter(accounts::domain.is_null())
            .filter(accounts::reachable.eq(true))
            .filter(accounts::deleting_since.is_null())
            .filter(not(exists(own)))
    }};
}

/// Loads the first `limit` accounts after `after` that need keys, in the order of their ids.
pub fn accounts_without(conn: &mut Conn, after: AccountId, limit: i64) -> Result<Vec<AccountId>> {
    Ok(without_keys!()
        .filter(accounts::id.gt(after))
        .order(accounts::id)
        .limit(limit)
        .select(accounts::id)
        .load(conn)?)
}

/// Returns `true` if this account needs keys.
pub fn is_without(conn: &mut Conn, account: AccountId) -> Result<bool> {
    Ok(diesel::select(exists(without_keys!().filter(accounts::id.eq(account)))).get_result(conn)?)
}

/// Returns `true` if the actor of the whole server has keys: federation is on, or was.
pub fn any_of_instance(conn: &mut Conn) -> Result<bool> {
    let own = account_keys::table
        .filter(account_keys::account_id.is_null())
        .filter(account_keys::ended_at.is_null());
    Ok(diesel::select(exists(own)).get_result(conn)?)
}

/// Counts the actors with and without keys. Reads all local accounts, so it is for the operator
/// only.
pub fn count(conn: &mut Conn) -> Result<KeyCounts> {
    let made: i64 = account_keys::table
        .filter(account_keys::ended_at.is_null())
        .filter(account_keys::kind.eq(KeyKind::Rsa.as_str()))
        .count()
        .get_result(conn)?;
    let missing: i64 = without_keys!().count().get_result(conn)?;
    let missing = if any_of_instance(conn)? { missing } else { missing + 1 };
    Ok(KeyCounts { made, missing })
}
