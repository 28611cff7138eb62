//! Reading of documents of other servers: bytes to values.
//!
//! A [`Reader`] is tolerant about form, because every program writes documents in its own way: one
//! value may stand for an array and an array for one value, objects may stand for their ids,
//! unknown members are ignored and values of a wrong kind are absent. It is strict about what makes
//! documents ambiguous or large ([`JsonError`], [`limits`]).
//!
//! What is read is a claim. The [rules](crate::rules) decide which claims count: who sent the
//! document, and from where. Nothing here asks the network or a clock, and no function panics or
//! takes more than linear time.
//!
//! ```
//! use siskin_federation::{address::Schemes, read::{Action, Reader, Subject}};
//!
//! let reader = Reader::new(Schemes::Https);
//! let activity = reader.activity(br#"{"@context": "https://www.w3.org/ns/activitystreams",
//!     "id": "https://far.example/likes/1", "type": "Like", "actor": "https://far.example/users/a",
//!     "object": "https://town.example/notes/1"}"#)?;
//! let Action::Like { object, .. } = &activity.action else { panic!() };
//! assert_eq!(object.as_str(), "https://town.example/notes/1");
//! # Ok::<(), siskin_federation::read::ReadError>(())
//! ```

mod activity;
mod actor;
mod clean;
mod collection;
mod content;
pub(crate) mod cut;
mod document;
mod envelope;
mod error;
mod keys;
pub mod limits;
mod media;
mod nodeinfo;
mod object;
mod poll;
mod tags;
#[cfg(test)]
mod tests;
mod texts;
mod time;
mod values;
mod webfinger;

pub use activity::{Action, Activity, ActivityKind, Reaction, Subject};
pub use actor::{Actor, ActorKind, ProfileField};
pub use collection::{Collection, Item, PageLink};
pub use document::Document;
pub use envelope::Envelope;
pub use error::{Member, ReadError};
pub use keys::{ClaimedKey, KeyDocument, KeyMaterial};
pub use media::{Attachment, RemotePicture};
pub use nodeinfo::{NodeInfo, NodeInfoUsage};
pub use object::{Attribution, Object, ObjectKind, Source, Tombstone, Vote};
pub use poll::{PollOption, RemotePoll};
pub use tags::{EmojiTag, LinkTag, MentionTag, Tags};
pub use webfinger::{Jrd, JrdLink, LrddTemplate};

pub use crate::json::{JsonError, MAX_BYTES, MAX_DEPTH, MAX_VALUES};

use crate::address::Schemes;

/// Reader of documents. It only knows which schemes ids may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reader {
    schemes: Schemes,
}

impl Reader {
    /// Creates a reader. Servers use [`Schemes::Https`]; tests without TLS need the other one.
    #[must_use]
    pub const fn new(schemes: Schemes) -> Self {
        Self { schemes }
    }
}
