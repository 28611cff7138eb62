//! Finished documents, and a cache of them.

use std::{fmt, sync::Arc};

use sha2::{Digest as _, Sha256};
use siskin_entities::{QuotePolicy, Timestamp};
use siskin_federation::write;
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{Conn, SnapshotVersion, tombstones};

use crate::{Error, Result};

/// Version of a document: a digest of its content. Displays as hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Version([u8; 16]);

impl Version {
    fn of(content: &[u8]) -> Self {
        let mut version = [0; 16];
        version.iter_mut().zip(Sha256::digest(content)).for_each(|(to, from)| *to = from);
        Self(version)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Document as it is sent, with the content type [`write::CONTENT_TYPE`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    pub bytes: Arc<[u8]>,
    pub version: Version,
}

impl Document {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self { version: Version::of(&bytes), bytes: bytes.into() }
    }
}

/// What a server finds at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    Document(Document),
    /// It was deleted. Contains the document that says so (`Tombstone`).
    Gone(Vec<u8>),
}

/// Document of an actor, or what is missing for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Found(Found),
    /// The actor has no keys yet. The caller [generates](super::keys::generate) and
    /// [stores](super::keys::store) them, and asks again. `None` is the actor of the whole server.
    WithoutKeys(Option<AccountId>),
}

/// All that a document depends on. Two documents with equal keys have the same content.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key(pub(super) Parts);

/// The parts of a [`Key`]. Addresses of this server are not among them: they never change while it
/// runs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Parts {
    Actor(ActorParts),
    InstanceActor {
        keys: Vec<String>,
    },
    Status(StatusParts),
    /// Activity that published a status, or a reblog.
    Activity(StatusParts),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ActorParts {
    pub(super) id: AccountId,
    pub(super) version: SnapshotVersion,
    pub(super) moved_to: Option<AccountId>,
    /// Public keys.
    pub(super) keys: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct StatusParts {
    pub(super) id: StatusId,
    pub(super) version: SnapshotVersion,
    pub(super) is_sensitive: bool,
    pub(super) parent: Option<StatusId>,
    pub(super) quoted: Option<StatusId>,
    pub(super) quote_policy: QuotePolicy,
    pub(super) favourites: i64,
    pub(super) reblogs: i64,
    /// The author's replies that it shows.
    pub(super) own_replies: Vec<StatusId>,
    pub(super) poll: Option<PollParts>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct PollParts {
    pub(super) votes: Vec<i64>,
    pub(super) voters: i64,
    pub(super) is_over: bool,
}

/// Cache of documents. Only functions that read from the database use it: what a write sees may be
/// rolled back.
pub trait DocumentCache {
    /// Returns the document with this key.
    fn get(&self, key: &Key) -> Option<Document>;

    /// Adds a document.
    fn insert(&self, key: Key, document: &Document);
}

/// Cache that keeps nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCache;

impl DocumentCache for NoCache {
    fn get(&self, _: &Key) -> Option<Document> {
        None
    }

    fn insert(&self, _: Key, _: &Document) {}
}

/// Returns the document with this key, from the cache if possible.
pub(super) fn cached(
    cache: &dyn DocumentCache,
    parts: Parts,
    write: impl FnOnce() -> Result<Vec<u8>>,
) -> Result<Document> {
    let key = Key(parts);
    if let Some(document) = cache.get(&key) {
        return Ok(document);
    }
    let document = Document::new(write()?);
    cache.insert(key, &document);
    Ok(document)
}

/// Returns the error for a document that is too large. Limits of texts and lists prevent it.
pub(super) fn too_large(error: write::TooLarge) -> Error {
    Error::internal(error)
}

/// Returns what remains of the object with this id, if it or the actor `owner` was deleted.
///
/// # Errors
/// [`Error::NotFound`] if neither was.
pub(super) fn remains(conn: &mut Conn, id: &str, owner: &str) -> Result<Found> {
    if let Some(found) = tombstones::find(conn, id)? {
        return Ok(tombstone(id, &found.former_type, found.at));
    }
    match (id != owner).then(|| tombstones::find(conn, owner)).transpose()?.flatten() {
        // Its type is not known any more.
        Some(found) => Ok(tombstone(id, "", found.at)),
        None => Err(Error::NotFound),
    }
}

fn tombstone(id: &str, former_type: &str, at: Timestamp) -> Found {
    Found::Gone(write::tombstone(id, former_type, Some(at)))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// Cache that keeps everything.
    #[derive(Default)]
    struct Everything(RefCell<Vec<(Key, Document)>>);

    impl DocumentCache for Everything {
        fn get(&self, key: &Key) -> Option<Document> {
            let kept = self.0.borrow();
            kept.iter().find(|(known, _)| known == key).map(|(_, document)| document.clone())
        }

        fn insert(&self, key: Key, document: &Document) {
            self.0.borrow_mut().push((key, document.clone()));
        }
    }

    #[test]
    fn a_version_is_a_digest_of_the_content() {
        let document = Document::new(b"{}".to_vec());
        assert_eq!(document.version.to_string(), "44136fa355b3678a1146ad16f7e8649e");
        assert_ne!(document.version, Document::new(b"[]".to_vec()).version);
    }

    #[test]
    fn a_document_is_written_once_for_each_key() {
        let cache = Everything::default();
        let parts = |key: &str| Parts::InstanceActor { keys: vec![key.to_owned()] };
        let write = |text: &'static str| move || Ok(text.as_bytes().to_vec());
        let first = cached(&cache, parts("a"), write("1")).unwrap();
        assert_eq!(cached(&cache, parts("a"), write("2")).unwrap(), first);
        assert_eq!(&*cached(&cache, parts("b"), write("2")).unwrap().bytes, b"2");
        assert_eq!(&*cached(&NoCache, parts("a"), write("3")).unwrap().bytes, b"3");
    }
}
