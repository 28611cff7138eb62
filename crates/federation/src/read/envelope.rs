//! What is looked at before the signature of an activity is checked.

use super::{ActivityKind, Member, ReadError, Reader};
use crate::{
    address::Uri,
    json::{Contexts, Members, document},
};

/// Outer members of an activity. They decide which key is asked for, and whether it is worth it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// Id; `None` if there is none.
    pub id: Option<Uri>,
    /// Type.
    pub kind: ActivityKind,
    /// Actor.
    pub actor: Uri,
    /// Id of the only object; `None` if there is none or if there are several.
    pub object: Option<Uri>,
}

impl Envelope {
    /// Returns `true` if an actor says that itself is deleted or changed. From an unknown actor, it
    /// needs no answer and no request for a key: much of the traffic of the network is that.
    #[must_use]
    pub fn is_about_its_actor(&self) -> bool {
        matches!(self.kind, ActivityKind::Delete | ActivityKind::Update)
            && self.object.as_ref() == Some(&self.actor)
    }
}

impl Reader {
    /// Reads the outer members of an activity. All limits of JSON hold.
    ///
    /// # Errors
    /// Returns the reason if the document is no activity with one actor.
    pub fn envelope(self, bytes: &[u8]) -> Result<Envelope, ReadError> {
        let value = document(bytes, Contexts::Activities)?;
        let members = Members::of(&value).ok_or(ReadError::Missing(Member::Type))?;
        members.types().next().ok_or(ReadError::Missing(Member::Type))?;
        Ok(Envelope {
            id: self.optional_id(members)?,
            kind: members.types().find_map(ActivityKind::known).unwrap_or(ActivityKind::Other),
            actor: self.only(members, Member::Actor)?,
            object: self.only(members, Member::Object).ok(),
        })
    }
}
