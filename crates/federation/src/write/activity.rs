//! Activities.

use siskin_entities::Timestamp;

use super::{
    Detail,
    actor::Actor,
    node::{Members, Node},
    note::Note,
    tags::Tag,
};
use crate::{audience::PUBLIC, read::ActivityKind};

/// Request to follow, as the activity that answers it embeds it. It was sent to the actor of the
/// answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FollowRequest<'a> {
    /// Id; `None` if it had none.
    pub id: Option<&'a str>,
    /// Actor that asks.
    pub actor: &'a str,
}

/// Activity that its actor takes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Original<'a> {
    /// Type: `Follow`, `Like`, `Announce` or `Block`.
    pub kind: ActivityKind,
    /// Id.
    pub id: &'a str,
    /// What it was about.
    pub object: &'a str,
}

/// Vote in a poll. Each chosen option is a vote of its own, to the author of the poll alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vote<'a> {
    /// Id of the vote.
    pub id: &'a str,
    /// Name of the chosen option, as the poll has it.
    pub option: &'a str,
    /// Id of the poll.
    pub poll: &'a str,
}

/// What is added to a collection, or removed from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addition<'a> {
    /// Status, by its id.
    Status(&'a str),
    /// Hashtag.
    Hashtag {
        /// Page of the hashtag.
        href: &'a str,
        /// Name without `#`.
        name: &'a str,
    },
}

/// What an actor does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action<'a> {
    /// Publishes a status.
    Create(&'a Note<'a>),
    /// Votes.
    Vote(Vote<'a>),
    /// Changes a status, or the counts of its poll.
    Update(&'a Note<'a>),
    /// Changes its profile or its keys.
    UpdateActor(&'a Actor<'a>),
    /// Deletes a status, by its id.
    Delete(&'a str),
    /// Deletes itself.
    DeleteActor,
    /// Asks to follow an account, by its id.
    Follow(&'a str),
    /// Accepts a follower.
    Accept(FollowRequest<'a>),
    /// Rejects a request to follow, or ends it later.
    Reject(FollowRequest<'a>),
    /// Takes an activity back.
    Undo(Original<'a>),
    /// Likes a status, by its id.
    Like(&'a str),
    /// Reblogs a status, by its id.
    Announce(&'a str),
    /// Adds to one of its collections.
    Add {
        /// What is added.
        object: Addition<'a>,
        /// Collection.
        target: &'a str,
    },
    /// Removes from one of its collections.
    Remove {
        /// What is removed.
        object: Addition<'a>,
        /// Collection.
        target: &'a str,
    },
    /// Blocks an account, by its id.
    Block(&'a str),
    /// Reports. The actor is that of the server, never the account that reports.
    Flag {
        /// Id of the account, then those of its statuses.
        objects: &'a [&'a str],
        /// Comment as plain text; empty if there is none.
        comment: &'a str,
    },
}

impl Action<'_> {
    /// Returns the type.
    #[must_use]
    pub const fn kind(&self) -> ActivityKind {
        match self {
            Self::Create(_) | Self::Vote(_) => ActivityKind::Create,
            Self::Update(_) | Self::UpdateActor(_) => ActivityKind::Update,
            Self::Delete(_) | Self::DeleteActor => ActivityKind::Delete,
            Self::Follow(_) => ActivityKind::Follow,
            Self::Accept(_) => ActivityKind::Accept,
            Self::Reject(_) => ActivityKind::Reject,
            Self::Undo(_) => ActivityKind::Undo,
            Self::Like(_) => ActivityKind::Like,
            Self::Announce(_) => ActivityKind::Announce,
            Self::Add { .. } => ActivityKind::Add,
            Self::Remove { .. } => ActivityKind::Remove,
            Self::Block(_) => ActivityKind::Block,
            Self::Flag { .. } => ActivityKind::Flag,
        }
    }
}

/// Activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activity<'a> {
    /// Id. It has the origin of the actor.
    pub id: &'a str,
    /// Actor that does it.
    pub actor: &'a str,
    /// Time; `None` if it is not shown.
    pub published: Option<Timestamp>,
    /// Ids in `to`: for `Create` and `Update` those of the status, for `Delete` everyone.
    pub to: &'a [&'a str],
    /// Ids in `cc`.
    pub cc: &'a [&'a str],
    /// What the actor does.
    pub action: Action<'a>,
}

impl<'a> Activity<'a> {
    /// Returns `true` if it is for everyone. Only such activities get a proof and a signature,
    /// because both stay valid when other servers pass the activity on.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.to.contains(&PUBLIC) || self.cc.contains(&PUBLIC)
    }

    pub(super) fn members(&self, detail: Detail) -> Members<'a> {
        let head = Members::with_id(self.id, self.action.kind().as_str())
            .text("actor", self.actor)
            .time("published", self.published)
            .texts("to", self.to)
            .texts("cc", self.cc);
        match self.action {
            Action::Add { target, .. } | Action::Remove { target, .. } => {
                head.text("target", target)
            }
            Action::Flag { comment, .. } => head.text("content", comment),
            _ => head,
        }
        .with("object", self.object(detail))
    }

    fn object(&self, detail: Detail) -> Node<'a> {
        Node::Object(match self.action {
            Action::Create(note) | Action::Update(note) => note.members(detail),
            Action::Vote(vote) => self.vote(vote),
            Action::UpdateActor(actor) => actor.members(),
            Action::Delete(id) => Members::with_id(id, "Tombstone"),
            Action::DeleteActor => return Node::Text(self.actor.into()),
            Action::Follow(id) | Action::Like(id) | Action::Announce(id) | Action::Block(id) => {
                return Node::Text(id.into());
            }
            Action::Accept(request) | Action::Reject(request) => Members::default()
                .optional("id", request.id)
                .text("type", ActivityKind::Follow.as_str())
                .text("actor", request.actor)
                .text("object", self.actor),
            Action::Undo(original) => Members::with_id(original.id, original.kind.as_str())
                .text("actor", self.actor)
                .text("object", original.object),
            Action::Add { object, .. } | Action::Remove { object, .. } => match object {
                Addition::Status(id) => return Node::Text(id.into()),
                Addition::Hashtag { href, name } => Tag::Hashtag { href, name }.members(),
            },
            Action::Flag { objects, .. } => {
                return Node::List(objects.iter().map(|id| Node::Text((*id).into())).collect());
            }
        })
    }

    fn vote(&self, vote: Vote<'a>) -> Members<'a> {
        Members::with_id(vote.id, "Note")
            .text("name", vote.option)
            .text("attributedTo", self.actor)
            .text("inReplyTo", vote.poll)
            .texts("to", self.to)
    }
}
