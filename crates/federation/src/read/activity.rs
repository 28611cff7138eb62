//! Activities: what actors do.

use siskin_entities::Timestamp;
use siskin_text::Hashtag;

use super::{
    Actor, ActorKind, EmojiTag, Member, Object, ObjectKind, ReadError, Reader, Tombstone, limits,
    texts, time::time_of,
};
use crate::{
    address::Uri,
    audience::Audience,
    json::{Contexts, Members, Value, document},
};

/// Type of an activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ActivityKind {
    /// `Create`
    Create,
    /// `Update`
    Update,
    /// `Delete`
    Delete,
    /// `Follow`
    Follow,
    /// `Accept`
    Accept,
    /// `Reject`
    Reject,
    /// `Undo`
    Undo,
    /// `Like`, or `EmojiReact` of Pleroma.
    Like,
    /// `Announce`
    Announce,
    /// `Add`
    Add,
    /// `Remove`
    Remove,
    /// `Block`
    Block,
    /// `Flag`
    Flag,
    /// `Move`
    Move,
    /// `QuoteRequest` (FEP-044f)
    QuoteRequest,
    /// Another type. It has no effect here and is only counted.
    Other,
}

impl ActivityKind {
    const KNOWN: [(&'static str, Self); 16] = [
        ("Create", Self::Create),
        ("Update", Self::Update),
        ("Delete", Self::Delete),
        ("Follow", Self::Follow),
        ("Accept", Self::Accept),
        ("Reject", Self::Reject),
        ("Undo", Self::Undo),
        ("Like", Self::Like),
        ("EmojiReact", Self::Like),
        ("Announce", Self::Announce),
        ("Add", Self::Add),
        ("Remove", Self::Remove),
        ("Block", Self::Block),
        ("Flag", Self::Flag),
        ("Move", Self::Move),
        ("QuoteRequest", Self::QuoteRequest),
    ];

    /// Returns the name of the type in documents, or `Other`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::KNOWN.iter().find(|(_, kind)| *kind == self).map_or("Other", |(name, _)| name)
    }

    /// Returns the known type with this name.
    pub(super) fn known(name: &str) -> Option<Self> {
        Self::KNOWN.into_iter().find(|(known, _)| *known == name).map(|(_, kind)| kind)
    }
}

/// What an activity is about: an id, or a copy that the sender embeds. The rules decide whether a
/// copy counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// Only an id.
    Id(Uri),
    /// Object that is shown as a status.
    Object(Box<Object>),
    /// Actor.
    Actor(Box<Actor>),
    /// Activity.
    Activity(Box<Activity>),
    /// Remains of something deleted.
    Tombstone(Tombstone),
    /// Hashtag, which has no id.
    Hashtag(Hashtag),
    /// Something of an unknown type.
    Unknown {
        /// Its id; `None` if there is none.
        id: Option<Uri>,
        /// Name of its type.
        kind: String,
    },
}

impl Subject {
    /// Returns the id; `None` if there is none.
    #[must_use]
    pub fn id(&self) -> Option<&Uri> {
        match self {
            Self::Id(id) => Some(id),
            Self::Object(object) => Some(&object.id),
            Self::Actor(actor) => Some(&actor.id),
            Self::Activity(activity) => activity.id.as_ref(),
            Self::Tombstone(tombstone) => Some(&tombstone.id),
            Self::Hashtag(_) => None,
            Self::Unknown { id, .. } => id.as_ref(),
        }
    }
}

/// Emoji of a reaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reaction {
    /// Emoji, or shortcode of a custom one.
    pub content: String,
    /// The custom emoji, if there is one.
    pub emoji: Option<EmojiTag>,
}

/// What an actor does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Publishes objects. Several votes may come in one activity (`GoToSocial`).
    Create {
        /// Published objects: at least one, at most [`limits::OBJECTS`].
        objects: Vec<Subject>,
    },
    /// Changes an object or itself.
    Update {
        /// New version.
        object: Subject,
    },
    /// Deletes an object or itself.
    Delete {
        /// What is deleted.
        object: Subject,
    },
    /// Asks to follow.
    Follow {
        /// Actor to follow.
        object: Uri,
    },
    /// Accepts a request.
    Accept {
        /// Request.
        object: Subject,
        /// Stamp of an accepted quote.
        result: Option<Uri>,
    },
    /// Rejects a request, or ends what was accepted.
    Reject {
        /// Request.
        object: Subject,
    },
    /// Takes an activity back.
    Undo {
        /// The activity.
        object: Subject,
    },
    /// Likes or reacts.
    Like {
        /// Liked object.
        object: Uri,
        /// Emoji; `None` for a plain like.
        reaction: Option<Reaction>,
    },
    /// Passes something on.
    Announce {
        /// Object, or activity if a group passes it on.
        object: Subject,
    },
    /// Adds to a collection.
    Add {
        /// What is added.
        object: Subject,
        /// Collection.
        target: Uri,
    },
    /// Removes from a collection.
    Remove {
        /// What is removed.
        object: Subject,
        /// Collection.
        target: Uri,
    },
    /// Blocks.
    Block {
        /// Blocked actor.
        object: Uri,
    },
    /// Reports.
    Flag {
        /// Reported accounts and objects: at least one, at most [`limits::REPORTED`].
        objects: Vec<Uri>,
        /// Comment as plain text; empty if there is none.
        comment: String,
    },
    /// Moves to another account.
    Move {
        /// Old account.
        object: Uri,
        /// New account.
        target: Uri,
    },
    /// Asks whether it may quote (FEP-044f).
    QuoteRequest {
        /// Object to be quoted.
        object: Uri,
        /// Object that quotes.
        instrument: Subject,
    },
    /// Does something of another type, with its name.
    Other(String),
}

impl Action {
    /// Returns the type.
    #[must_use]
    pub const fn kind(&self) -> ActivityKind {
        match self {
            Self::Create { .. } => ActivityKind::Create,
            Self::Update { .. } => ActivityKind::Update,
            Self::Delete { .. } => ActivityKind::Delete,
            Self::Follow { .. } => ActivityKind::Follow,
            Self::Accept { .. } => ActivityKind::Accept,
            Self::Reject { .. } => ActivityKind::Reject,
            Self::Undo { .. } => ActivityKind::Undo,
            Self::Like { .. } => ActivityKind::Like,
            Self::Announce { .. } => ActivityKind::Announce,
            Self::Add { .. } => ActivityKind::Add,
            Self::Remove { .. } => ActivityKind::Remove,
            Self::Block { .. } => ActivityKind::Block,
            Self::Flag { .. } => ActivityKind::Flag,
            Self::Move { .. } => ActivityKind::Move,
            Self::QuoteRequest { .. } => ActivityKind::QuoteRequest,
            Self::Other(_) => ActivityKind::Other,
        }
    }
}

/// Activity of another server. Everything in it is a claim of the server that sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activity {
    /// Id; `None` if there is none.
    pub id: Option<Uri>,
    /// Actor that does it.
    pub actor: Uri,
    /// Time; `None` if unknown.
    pub published: Option<Timestamp>,
    /// Addressees.
    pub audience: Audience,
    /// What the actor does.
    pub action: Action,
}

/// Maximum levels of activities in activities: a group announces the Undo of a Like.
const MAX_NESTED: usize = 3;

impl Reader {
    /// Reads an activity.
    ///
    /// # Errors
    /// Returns the reason if the document is no activity, or if it contains an object that a limit
    /// refuses.
    pub fn activity(self, bytes: &[u8]) -> Result<Activity, ReadError> {
        let value = document(bytes, Contexts::Activities)?;
        let members = Members::of(&value).ok_or(ReadError::Missing(Member::Type))?;
        self.read_activity(members, 1)
    }

    /// Reads an activity that is inside of `level - 1` others.
    pub(super) fn read_activity(
        self,
        members: Members<'_>,
        level: usize,
    ) -> Result<Activity, ReadError> {
        if level > MAX_NESTED {
            return Err(ReadError::Nested);
        }
        Ok(Activity {
            id: self.optional_id(members)?,
            actor: self.only(members, Member::Actor)?,
            published: time_of(members, "published"),
            audience: self.audience(members),
            action: self.action(members, level)?,
        })
    }

    fn action(self, members: Members<'_>, level: usize) -> Result<Action, ReadError> {
        let kind = members.types().find_map(ActivityKind::known).unwrap_or(ActivityKind::Other);
        let object = || self.subject_of(members, Member::Object, level);
        let id = || self.only(members, Member::Object);
        let target = || self.only(members, Member::Target);
        Ok(match kind {
            ActivityKind::Create => Action::Create { objects: self.created(members, level)? },
            ActivityKind::Update => Action::Update { object: object()? },
            ActivityKind::Delete => Action::Delete { object: object()? },
            ActivityKind::Follow => Action::Follow { object: id()? },
            ActivityKind::Accept => {
                Action::Accept { object: object()?, result: self.uri_of(members, "result") }
            }
            ActivityKind::Reject => Action::Reject { object: object()? },
            ActivityKind::Undo => Action::Undo { object: object()? },
            ActivityKind::Like => Action::Like { object: id()?, reaction: self.reaction(members) },
            ActivityKind::Announce => Action::Announce { object: object()? },
            ActivityKind::Add => Action::Add { object: object()?, target: target()? },
            ActivityKind::Remove => Action::Remove { object: object()?, target: target()? },
            ActivityKind::Block => Action::Block { object: id()? },
            ActivityKind::Flag => self.flag(members)?,
            ActivityKind::Move => Action::Move { object: id()?, target: target()? },
            ActivityKind::QuoteRequest => self.quote_request(members, level)?,
            ActivityKind::Other => Action::Other(type_name(members)?),
        })
    }

    fn created(self, members: Members<'_>, level: usize) -> Result<Vec<Subject>, ReadError> {
        let objects = members.items("object").take(limits::OBJECTS);
        let objects: Vec<Subject> =
            objects.map(|it| self.subject(it, Member::Object, level)).collect::<Result<_, _>>()?;
        if objects.is_empty() { Err(ReadError::Missing(Member::Object)) } else { Ok(objects) }
    }

    fn reaction(self, members: Members<'_>) -> Option<Reaction> {
        let content = members.text("content").or_else(|| members.text("_misskey_reaction"))?;
        let content = texts::line(content, limits::REACTION_CHARACTERS)?;
        let emoji = members.objects("tag").find(|tag| tag.is_a("Emoji"));
        Some(Reaction { content, emoji: emoji.and_then(|tag| self.emoji(tag)) })
    }

    fn flag(self, members: Members<'_>) -> Result<Action, ReadError> {
        let objects = self.uris_of(members, Member::Object.as_str(), limits::REPORTED);
        if objects.is_empty() {
            return Err(ReadError::Missing(Member::Object));
        }
        let comment = members.natural("content").or_else(|| members.natural("summary"));
        let comment = comment.and_then(|(it, _)| texts::comment(it, limits::COMMENT_CHARACTERS));
        Ok(Action::Flag { objects, comment: comment.unwrap_or_default() })
    }

    fn quote_request(self, members: Members<'_>, level: usize) -> Result<Action, ReadError> {
        let object = self.only(members, Member::Object)?;
        let instrument = members.first("instrument").ok_or(ReadError::Missing(Member::Object))?;
        let instrument = self.subject(instrument, Member::Object, level)?;
        Ok(Action::QuoteRequest { object, instrument })
    }

    fn subject_of(
        self,
        members: Members<'_>,
        member: Member,
        level: usize,
    ) -> Result<Subject, ReadError> {
        let mut values = members.items(member.as_str());
        let value = values.next().ok_or(ReadError::Missing(member))?;
        if values.next().is_some() {
            return Err(ReadError::Invalid(member));
        }
        self.subject(value, member, level)
    }

    /// Reads what an activity is about. A copy that lacks something counts as its id, so that it
    /// can be fetched.
    pub(super) fn subject(
        self,
        value: &Value,
        member: Member,
        level: usize,
    ) -> Result<Subject, ReadError> {
        let Some(members) = Members::of(value) else {
            return self.uri(value).map(Subject::Id).ok_or(ReadError::Invalid(member));
        };
        match self.embedded(members, level) {
            Err(ReadError::Missing(_) | ReadError::Invalid(_)) => {
                let id = self.optional_id(members)?;
                id.map(Subject::Id).ok_or(ReadError::Invalid(member))
            }
            read => read,
        }
    }

    fn embedded(self, members: Members<'_>, level: usize) -> Result<Subject, ReadError> {
        let Some(kind) = members.types().find_map(SubjectKind::known) else {
            return self.of_unknown_type(members);
        };
        Ok(match kind {
            SubjectKind::Object => Subject::Object(Box::new(self.read_object(members)?)),
            SubjectKind::Actor => Subject::Actor(Box::new(self.read_actor(members)?)),
            SubjectKind::Activity => {
                Subject::Activity(Box::new(self.read_activity(members, level + 1)?))
            }
            SubjectKind::Tombstone => Subject::Tombstone(self.read_tombstone(members)?),
            SubjectKind::Hashtag => {
                let name = members.text("name").ok_or(ReadError::Missing(Member::Object))?;
                let hashtag = Hashtag::parse(name.strip_prefix('#').unwrap_or(name));
                Subject::Hashtag(hashtag.ok_or(ReadError::Invalid(Member::Object))?)
            }
        })
    }

    /// Reads an embedded value of no known type: as a status if it has a content, as an activity if
    /// it has an actor and an object.
    fn of_unknown_type(self, members: Members<'_>) -> Result<Subject, ReadError> {
        match self.read_object(members) {
            Err(ReadError::UnknownType) => {
                Ok(Subject::Unknown { id: self.optional_id(members)?, kind: type_name(members)? })
            }
            object => Ok(Subject::Object(Box::new(object?))),
        }
    }
}

/// Returns the name of the first type, for counters: its first 64 characters.
fn type_name(members: Members<'_>) -> Result<String, ReadError> {
    let name = members.types().next().ok_or(ReadError::Missing(Member::Type))?;
    texts::line(name, 64).ok_or(ReadError::Invalid(Member::Type))
}

/// How an embedded value is read.
#[derive(Debug, Clone, Copy)]
enum SubjectKind {
    Object,
    Actor,
    Activity,
    Tombstone,
    Hashtag,
}

impl SubjectKind {
    fn known(name: &str) -> Option<Self> {
        match name {
            "Tombstone" => Some(Self::Tombstone),
            "Hashtag" => Some(Self::Hashtag),
            _ if ObjectKind::known(name).is_some() => Some(Self::Object),
            _ if ActorKind::known(name).is_some() => Some(Self::Actor),
            _ if ActivityKind::known(name).is_some() => Some(Self::Activity),
            _ => None,
        }
    }
}
