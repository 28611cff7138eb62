//! Documents of a kind that is not known before.

use super::{
    Activity, ActivityKind, Actor, ActorKind, Collection, Member, Object, ObjectKind, ReadError,
    Reader, Tombstone, collection,
};
use crate::{
    address::Uri,
    json::{Contexts, Members, document},
};

/// Document of any kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Document {
    /// Actor.
    Actor(Box<Actor>),
    /// Object that is shown as a status.
    Object(Box<Object>),
    /// Activity.
    Activity(Box<Activity>),
    /// Collection, or a page of one.
    Collection(Box<Collection>),
    /// Remains of something deleted.
    Tombstone(Tombstone),
}

impl Document {
    /// Returns the id; `None` if there is none.
    #[must_use]
    pub fn id(&self) -> Option<&Uri> {
        match self {
            Self::Actor(actor) => Some(&actor.id),
            Self::Object(object) => Some(&object.id),
            Self::Activity(activity) => activity.id.as_ref(),
            Self::Collection(collection) => collection.id.as_ref(),
            Self::Tombstone(tombstone) => Some(&tombstone.id),
        }
    }
}

impl Reader {
    /// Reads a document of any kind. The first known type decides; without one, a document with an
    /// actor and an object is an activity, and one with a content an object.
    ///
    /// # Errors
    /// Returns the reason if it is none of these, or refused by a limit.
    pub fn document(self, bytes: &[u8]) -> Result<Document, ReadError> {
        let value = document(bytes, Contexts::Activities)?;
        let members = Members::of(&value).ok_or(ReadError::Missing(Member::Type))?;
        let is_activity = members.get("actor").is_some() && members.get("object").is_some();
        for name in members.types() {
            if ActorKind::known(name).is_some() {
                return self.read_actor(members).map(|it| Document::Actor(Box::new(it)));
            } else if ObjectKind::known(name).is_some() {
                return self.read_object(members).map(|it| Document::Object(Box::new(it)));
            } else if ActivityKind::known(name).is_some() {
                return self.read_activity(members, 1).map(|it| Document::Activity(Box::new(it)));
            } else if collection::is_collection(name) {
                return self.read_collection(members).map(|it| Document::Collection(Box::new(it)));
            } else if name == "Tombstone" {
                return self.read_tombstone(members).map(Document::Tombstone);
            }
        }
        if is_activity {
            return self.read_activity(members, 1).map(|it| Document::Activity(Box::new(it)));
        }
        self.read_object(members).map(|it| Document::Object(Box::new(it)))
    }

    /// Reads an actor.
    ///
    /// # Errors
    /// Returns the reason if the document is no actor with an id, an inbox and a valid user name.
    pub fn actor(self, bytes: &[u8]) -> Result<Actor, ReadError> {
        match self.document(bytes)? {
            Document::Actor(actor) => Ok(*actor),
            _ => Err(ReadError::UnknownType),
        }
    }

    /// Reads an object that is shown as a status.
    ///
    /// # Errors
    /// Returns the reason if the document is no such object, or refused by a limit.
    pub fn object(self, bytes: &[u8]) -> Result<Object, ReadError> {
        match self.document(bytes)? {
            Document::Object(object) => Ok(*object),
            _ => Err(ReadError::UnknownType),
        }
    }

    /// Reads a collection or a page of one.
    ///
    /// # Errors
    /// Returns the reason if the document is no collection.
    pub fn collection(self, bytes: &[u8]) -> Result<Collection, ReadError> {
        match self.document(bytes)? {
            Document::Collection(collection) => Ok(*collection),
            _ => Err(ReadError::UnknownType),
        }
    }
}
