//! Key pairs of local accounts, and of the actor of the whole server: RSA for signatures of
//! requests, Ed25519 for proofs of documents.
//!
//! To make an RSA key takes long. So keys are made outside of transactions, one after another, and
//! stored afterwards. The first ones that are stored count. Private keys are stored encrypted.

use serde::{Deserialize, Serialize};
use siskin_federation::keys::{KeyKind, PrivateKey, PrivateKeyPem};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn, Tx,
    account_keys::{self as rows, AccountKey, KeyCounts, NewKey},
    jobs as job_rows,
};

use crate::{
    Error, Result,
    jobs::{self, Job},
    sealing::SealingKey,
};

/// Name of the key in the secrets of the instance that encrypts the private keys.
const KEY_NAME: &str = "account_keys_key";
/// Binds an encrypted key to its use.
const PURPOSE: &[u8] = b"key of an actor";
/// Number of accounts that get keys in one job. Each takes up to a second of processor time.
const AT_ONCE: i64 = 8;

/// A stored key pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The public key: PEM of an RSA key, Multibase of an Ed25519 key.
    pub public: String,
    sealed_private: String,
    kind: rows::KeyKind,
    account: Option<AccountId>,
}

/// The present keys of an actor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySet {
    pub rsa: Pair,
    pub ed25519: Pair,
}

/// Keys that are not stored yet.
#[derive(Debug, Clone)]
pub struct NewKeys {
    rsa: NewPair,
    ed25519: NewPair,
}

#[derive(Debug, Clone)]
struct NewPair {
    public: String,
    private: PrivateKeyPem,
}

/// Makes keys for an actor. Takes about 0.1 s of processor time, sometimes ten times as much. Call
/// it on a thread that may block.
///
/// # Errors
/// [`Error::Internal`] if the system has no random numbers.
pub fn generate() -> Result<NewKeys> {
    let pair = |kind| -> Result<NewPair> {
        let private = PrivateKeyPem::generate(kind).map_err(Error::internal)?;
        let key = PrivateKey::from_pem(&private).map_err(Error::internal)?;
        let public = match kind {
            KeyKind::Rsa => key.public().to_pem(),
            KeyKind::Ed25519 => key.public().to_multibase(),
        };
        Ok(NewPair { public, private })
    };
    Ok(NewKeys { rsa: pair(KeyKind::Rsa)?, ed25519: pair(KeyKind::Ed25519)? })
}

/// Loads the keys of an account. `None` stands for the actor of the whole server. Returns `None` if
/// there are none yet.
///
/// # Errors
/// Storage errors only.
pub fn load(conn: &mut Conn, account: Option<AccountId>) -> Result<Option<KeySet>> {
    let mut keys = rows::active(conn, account)?;
    let mut take = |kind| {
        let place = keys.iter().position(|key| key.kind == kind)?;
        Some(stored(account, keys.swap_remove(place)))
    };
    let (rsa, ed25519) = (take(rows::KeyKind::Rsa), take(rows::KeyKind::Ed25519));
    Ok(rsa.zip(ed25519).map(|(rsa, ed25519)| KeySet { rsa, ed25519 }))
}

fn stored(account: Option<AccountId>, key: AccountKey) -> Pair {
    let AccountKey { kind, public, sealed_private, .. } = key;
    Pair { public, sealed_private, kind, account }
}

/// Stores the keys of an account. `None` stands for the actor of the whole server. If it has keys
/// already, they stay. Returns the keys that count.
///
/// # Errors
/// [`Error::NotFound`] if the account is gone.
pub fn store(tx: &mut Tx<'_>, account: Option<AccountId>, new: &NewKeys) -> Result<KeySet> {
    let sealing = SealingKey::ensured(tx, KEY_NAME)?;
    let seal = |pair: &NewPair, kind| {
        sealing.seal(&context(account, kind), pair.private.expose().as_bytes())
    };
    let rsa = seal(&new.rsa, rows::KeyKind::Rsa);
    let ed25519 = seal(&new.ed25519, rows::KeyKind::Ed25519);
    let keys = [
        NewKey { kind: rows::KeyKind::Rsa, public: &new.rsa.public, sealed_private: &rsa },
        NewKey {
            kind: rows::KeyKind::Ed25519,
            public: &new.ed25519.public,
            sealed_private: &ed25519,
        },
    ];
    if !rows::insert(tx, account, &keys)? {
        return Err(Error::NotFound);
    }
    load(tx, account)?.ok_or_else(|| Error::internal("stored keys are missing"))
}

/// Decrypts a private key, ready to sign.
///
/// # Errors
/// [`Error::Internal`] if the stored key is damaged.
pub fn private(conn: &mut Conn, pair: &Pair) -> Result<PrivateKey> {
    let context = context(pair.account, pair.kind);
    let opened = SealingKey::stored(conn, KEY_NAME)?
        .and_then(|sealing| sealing.open(&context, &pair.sealed_private))
        .and_then(|bytes| String::from_utf8(bytes).ok());
    let pem = opened.ok_or_else(|| Error::internal("the key of an actor cannot be decrypted"))?;
    PrivateKey::from_pem(&PrivateKeyPem::from(pem)).map_err(Error::internal)
}

/// Returns what binds an encrypted key to its actor and kind. No account has the id 0.
fn context(account: Option<AccountId>, kind: rows::KeyKind) -> Vec<u8> {
    let kind: &[u8] = match kind {
        rows::KeyKind::Rsa => b"rsa",
        rows::KeyKind::Ed25519 => b"ed25519",
    };
    let account = account.map_or(0, AccountId::get);
    [PURPOSE, kind, &account.to_be_bytes()].concat()
}

/// Job that makes keys for actors that have none. It does nothing while federation is off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MakeKeys {
    /// The only account that gets keys. `None`: the actor of the whole server and all accounts.
    #[serde(default)]
    account: Option<AccountId>,
    /// Accounts up to this one have keys.
    #[serde(default)]
    done: Option<AccountId>,
}

impl Job for MakeKeys {
    const KIND: &'static str = "federation.keys";
}

/// Actors for which [`MakeKeys`] makes keys now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// `None` is the actor of the whole server.
    pub actors: Vec<Option<AccountId>>,
    /// The job for the others.
    next: Option<MakeKeys>,
}

/// Lets a job make the keys of all actors that have none. Call it when federation is switched on
/// and at each start. Does nothing if all have keys, or if a job makes them already.
///
/// # Errors
/// Storage errors only.
pub fn make_all(tx: &mut Tx<'_>) -> Result<()> {
    let job = MakeKeys { account: None, done: None };
    let waiting = job_rows::payloads(tx, MakeKeys::KIND)?;
    let is_whole = |payload: &String| {
        jobs::read::<MakeKeys>(payload).is_ok_and(|waiting| waiting.account.is_none())
    };
    if waiting.iter().any(is_whole) || missing(tx, &job)?.actors.is_empty() {
        return Ok(());
    }
    jobs::enqueue(tx, &job).map(drop)
}

/// Lets a job make the keys of an account that is confirmed and approved now. Does nothing on a
/// server that was never part of a network.
pub(crate) fn make_for(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    if !rows::any_of_instance(tx)? {
        return Ok(());
    }
    jobs::enqueue(tx, &MakeKeys { account: Some(account), done: None }).map(drop)
}

/// Returns the next actors for a job.
///
/// # Errors
/// Storage errors only.
pub fn missing(conn: &mut Conn, job: &MakeKeys) -> Result<Missing> {
    if let Some(account) = job.account {
        let is_without = rows::is_without(conn, account)?;
        let actors = is_without.then_some(Some(account)).into_iter().collect();
        return Ok(Missing { actors, next: None });
    }
    let done = job.done.unwrap_or(AccountId::new(0));
    let accounts = rows::accounts_without(conn, done, AT_ONCE)?;
    let next = accounts.last().map(|last| MakeKeys { account: None, done: Some(*last) });
    let mut actors: Vec<_> = accounts.into_iter().map(Some).collect();
    if !rows::any_of_instance(conn)? {
        actors.insert(0, None);
    }
    Ok(Missing { actors, next })
}

/// Enqueues the job for the actors that are left, if there may be some.
///
/// # Errors
/// Storage errors only.
pub fn make_rest(tx: &mut Tx<'_>, missing: &Missing) -> Result<()> {
    missing.next.iter().try_for_each(|next| jobs::enqueue(tx, next).map(drop))
}

/// Counts the actors with and without keys. Reads all local accounts.
///
/// # Errors
/// Storage errors only.
pub fn count(conn: &mut Conn) -> Result<KeyCounts> {
    Ok(rows::count(conn)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_keys_are_of_both_kinds_and_never_printed() {
        let new = generate().unwrap();
        assert!(new.rsa.public.starts_with("-----BEGIN PUBLIC KEY-----\n"), "{}", new.rsa.public);
        assert!(new.ed25519.public.starts_with("z6Mk"), "{}", new.ed25519.public);
        let printed = format!("{new:?}");
        assert!(!printed.contains("PRIVATE KEY"), "{printed}");
    }

    #[test]
    fn a_key_is_bound_to_its_actor_and_kind() {
        let (one, other) = (Some(AccountId::new(1)), Some(AccountId::new(2)));
        let all = [
            context(None, rows::KeyKind::Rsa),
            context(one, rows::KeyKind::Rsa),
            context(other, rows::KeyKind::Rsa),
            context(one, rows::KeyKind::Ed25519),
        ];
        for (place, context) in all.iter().enumerate() {
            assert!(!all[..place].contains(context));
        }
    }

    #[test]
    fn a_stored_job_is_read_by_later_versions() {
        let job: MakeKeys = jobs::read(r#"{"account":null,"done":null}"#).unwrap();
        assert_eq!(jobs::read::<MakeKeys>("{}").unwrap(), job);
    }
}
