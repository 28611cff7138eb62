//! Browser sessions and authorized applications of an account.

use siskin_ids::{AccountId, SessionId};

use crate::{application::Application, time::Timestamp};

/// Browser in which a user is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Id of the session.
    pub id: SessionId,
    /// Account of the user.
    pub account: AccountId,
    /// `User-Agent` header at sign-in; may be empty.
    pub user_agent: String,
    /// IP address at sign-in; may be empty.
    pub ip: String,
    /// Time of sign-in.
    pub created_at: Timestamp,
    /// Time of the last request.
    pub last_used_at: Timestamp,
}

/// Application that holds access tokens of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizedApplication {
    /// The application.
    pub application: Application,
    /// All scopes of its tokens, separated by spaces.
    pub scopes: String,
    /// Time when its first token was issued.
    pub authorized_at: Timestamp,
    /// Time when a token was last used; `None` if unknown.
    pub last_used_at: Option<Timestamp>,
}
