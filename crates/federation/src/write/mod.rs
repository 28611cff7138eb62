//! Writing of our own documents: borrowed values to bytes.
//!
//! Members have a fixed order, and what is empty is left out. `@context` names only the terms that
//! a document uses. Activities to everyone also name the contexts of what is appended to them
//! later: a [proof](crate::proof), then a [Linked-Data signature](crate::linked_data).
//!
//! Nothing is checked here that its source has checked: addresses are `http` or `https` addresses
//! without spaces and control characters, HTML is what `siskin_text` rendered.
//! [`read`](crate::read) reads all documents back with the same values. A time keeps its
//! milliseconds.
//!
//! ```
//! use siskin_federation::write::{Action, Activity, activity};
//!
//! let like = Activity {
//!     id: "https://town.example/users/a#likes/1",
//!     actor: "https://town.example/users/a",
//!     published: None,
//!     to: &[],
//!     cc: &[],
//!     action: Action::Like("https://far.example/notes/1"),
//! };
//! let expected = r#"{"@context":"https://www.w3.org/ns/activitystreams","#.to_owned()
//!     + r#""id":"https://town.example/users/a#likes/1","type":"Like","#
//!     + r#""actor":"https://town.example/users/a","object":"https://far.example/notes/1"}"#;
//! assert_eq!(activity(&like)?, expected.as_bytes());
//! # Ok::<(), siskin_federation::write::TooLarge>(())
//! ```

mod activity;
mod actor;
mod addressees;
mod collection;
mod context;
mod node;
mod nodeinfo;
mod note;
mod tags;
#[cfg(test)]
mod tests;
mod webfinger;

use siskin_entities::Timestamp;

pub use activity::{Action, Activity, Addition, FollowRequest, Original, Vote};
pub use actor::{Actor, InstanceActor, Multikey, ProfileField, RsaKey};
pub use addressees::{Addressees, addressees};
pub use collection::{Collection, Item, Order, Page};
pub use nodeinfo::{NodeInfo, NodeInfoVersion, Usage};
pub use note::{Attachment, Note, Poll, PollOption, Quote, Replies, Source, Total};
pub use tags::{Emoji, Picture, Tag};
pub use webfinger::{Jrd, JrdTemplate, host_meta, host_meta_json};

use context::Signing;
use node::Members;

/// Content type of documents and activities. Lemmy accepts no parameters.
pub const CONTENT_TYPE: &str = "application/activity+json";
/// Content type of answers of `WebFinger`.
pub const JRD_CONTENT_TYPE: &str = "application/jrd+json";
/// Content type of host metadata as XML.
pub const HOST_META_CONTENT_TYPE: &str = "application/xrd+xml";

/// Maximum size of a document, in bytes, with a proof and a signature. Misskey refuses bodies of
/// more than 64 KiB.
pub const MAX_DOCUMENT_BYTES: usize = 60_000;
/// Maximum size of what a proof and a signature add to an activity, in bytes.
pub const SIGNATURE_BYTES: usize = 4_500;

/// A document cannot be shortened to [`MAX_DOCUMENT_BYTES`]: it has too many mentions or tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[error("the document is larger than {MAX_DOCUMENT_BYTES} bytes")]
pub struct TooLarge;

impl TooLarge {
    /// Returns the stable name of the reason, for counters and logs.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        "write_too_large"
    }
}

/// Parts that a status loses if its document is too large, one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    /// Everything is written.
    Full,
    /// The text from which the content was made is left out.
    NoSource,
    /// Replies are left out, except for the address of their collection.
    NoReplies,
    /// The language is left out, because it needs the content a second time.
    NoLanguage,
    /// The content is cut, and a link leads to the rest.
    CutContent,
}

impl Detail {
    const ALL: [Self; 5] =
        [Self::Full, Self::NoSource, Self::NoReplies, Self::NoLanguage, Self::CutContent];
}

/// Writes an actor. A suspended one shows no texts, pictures and tags.
///
/// # Errors
/// Returns [`TooLarge`] if it has too many or too long fields.
pub fn actor(actor: &Actor<'_>) -> Result<Vec<u8>, TooLarge> {
    within(MAX_DOCUMENT_BYTES, |_| context::document(actor.members(), Signing::Never))
}

/// Writes the actor of the whole server. It signs what no account asks for.
#[must_use]
pub fn instance_actor(actor: &InstanceActor<'_>) -> Vec<u8> {
    context::document(actor.members(), Signing::Never)
}

/// Writes a status: a `Note`, or a `Question` if it has a poll.
///
/// A status that is too large loses its source, the page of its replies, its language and the end
/// of its content, in this order.
///
/// # Errors
/// Returns [`TooLarge`] if that is not sufficient.
pub fn note(note: &Note<'_>) -> Result<Vec<u8>, TooLarge> {
    within(MAX_DOCUMENT_BYTES, |detail| context::document(note.members(detail), Signing::Never))
}

/// Writes an activity. One to everyone leaves room for a proof and a signature, and names their
/// contexts. A status in it is shortened like by [`note()`].
///
/// # Errors
/// Returns [`TooLarge`] if the document is too large.
pub fn activity(activity: &Activity<'_>) -> Result<Vec<u8>, TooLarge> {
    let (signing, room) = if activity.is_public() {
        (Signing::Planned, SIGNATURE_BYTES)
    } else {
        (Signing::Never, 0)
    };
    within(MAX_DOCUMENT_BYTES - room, |detail| context::document(activity.members(detail), signing))
}

/// Writes a collection.
#[must_use]
pub fn collection(collection: &Collection<'_>) -> Vec<u8> {
    context::document(collection.members(), Signing::Never)
}

/// Writes a page of a collection.
#[must_use]
pub fn page(page: &Page<'_>) -> Vec<u8> {
    context::document(page.members(), Signing::Never)
}

/// Writes what remains of a deleted status or account, for an answer with status 410.
///
/// `former_type` is the type before, such as `Note`; empty if it is unknown.
#[must_use]
pub fn tombstone(id: &str, former_type: &str, deleted: Option<Timestamp>) -> Vec<u8> {
    let members = Members::with_id(id, "Tombstone").text("formerType", former_type);
    context::document(members.time("deleted", deleted), Signing::Never)
}

/// Writes an answer of `WebFinger` (RFC 7033).
#[must_use]
pub fn jrd(jrd: &Jrd<'_>) -> Vec<u8> {
    jrd.members().into_bytes()
}

/// Writes the index at `/.well-known/nodeinfo`, with the addresses of both versions.
#[must_use]
pub fn node_info_index(version_2_0: &str, version_2_1: &str) -> Vec<u8> {
    nodeinfo::index(version_2_0, version_2_1).into_bytes()
}

/// Writes a document of `NodeInfo`.
#[must_use]
pub fn node_info(info: &NodeInfo<'_>, version: NodeInfoVersion) -> Vec<u8> {
    info.members(version).into_bytes()
}

/// Returns the first document that is small enough.
fn within(limit: usize, write: impl Fn(Detail) -> Vec<u8>) -> Result<Vec<u8>, TooLarge> {
    Detail::ALL.into_iter().map(write).find(|bytes| bytes.len() <= limit).ok_or(TooLarge)
}
