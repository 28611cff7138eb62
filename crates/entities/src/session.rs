//! Where a person is signed in, and which applications act for them.

use siskin_ids::{AccountId, SessionId};

use crate::{application::Application, time::Timestamp};

/// A browser in which a person is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub id: SessionId,
    pub account: AccountId,
    /// As the browser described itself when it signed in; may be empty.
    pub user_agent: String,
    /// The address it signed in from; may be empty.
    pub ip: String,
    pub created_at: Timestamp,
    pub last_used_at: Timestamp,
}

/// An application that holds tokens of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizedApplication {
    pub application: Application,
    /// All that its tokens allow, separated by spaces.
    pub scopes: String,
    /// When the first of its tokens was given.
    pub authorized_at: Timestamp,
    /// When a token was last used; None where that is not known.
    pub last_used_at: Option<Timestamp>,
}
