//! The actions that a generated network consists of.

use std::ops::Range;

use siskin_ids::{AccountId, StatusId};
use siskin_services::{
    accounts::Decision, filters::FilterDraft, lists::ListForm, relationships::MuteOptions,
    statuses::Draft,
};

use super::pictures::Scene;

/// An action and its position in the sequence.
#[derive(Debug, Clone)]
pub struct Moment {
    pub at: usize,
    pub action: Action,
}

/// An action of an account, or of the operator.
#[derive(Debug, Clone)]
pub enum Action {
    Join(Person),
    Publish {
        author: usize,
        by: AccountId,
        draft: Box<Draft>,
        scenes: Vec<Scene>,
    },
    Follow {
        by: AccountId,
        target: AccountId,
    },
    Reblog {
        by: AccountId,
        what: StatusId,
    },
    Favourite {
        by: AccountId,
        what: StatusId,
    },
    Bookmark {
        by: AccountId,
        what: StatusId,
    },
    Treat {
        by: AccountId,
        target: AccountId,
        how: Treatment,
    },
    BlockServer {
        by: AccountId,
        domain: &'static str,
    },
    FollowTag {
        by: AccountId,
        tag: &'static str,
    },
    Filter {
        by: AccountId,
        draft: FilterDraft,
    },
    /// Creates a list of those of `members` that the account follows.
    List {
        by: AccountId,
        form: ListForm,
        members: Vec<AccountId>,
    },
    Decide {
        account: AccountId,
        decision: Decision,
    },
    /// Lets staff block the domains with these numbers.
    BlockDomains {
        domains: Range<usize>,
    },
    JoinRemote {
        username: String,
        domain: &'static str,
    },
    /// Follows a remote account, which approves it.
    FollowRemote {
        by: AccountId,
        target: AccountId,
    },
    PublishRemote(RemoteStatus),
}

/// A public status of a remote account.
#[derive(Debug, Clone)]
pub struct RemoteStatus {
    pub by: AccountId,
    pub domain: &'static str,
    /// A text without characters that HTML reserves.
    pub text: String,
    /// Hashtag at the end of the text, without `#`.
    pub tag: Option<&'static str>,
    pub language: &'static str,
}

/// An effect of one account on another, other than a follow.
#[derive(Debug, Clone)]
pub enum Treatment {
    Endorse,
    Note(String),
    Mute(MuteOptions),
    Block,
}

/// Whether an account may sign in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Active,
    /// The account waits for approval.
    Pending,
    /// The email address is not confirmed.
    Unconfirmed,
}

/// A new account.
#[derive(Debug, Clone)]
pub struct Person {
    pub username: String,
    pub display_name: String,
    pub note: String,
    pub is_owner: bool,
    pub standing: Standing,
    pub avatar: Option<Scene>,
    pub header: Option<Scene>,
}
