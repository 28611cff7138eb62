//! Accounts that are suggested to somebody, and why.

use std::sync::Arc;

use crate::account::Account;

/// Why an account is suggested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuggestionSource {
    /// The operator picked it.
    Featured,
    /// Those whom the reader follows follow it.
    FriendsOfFriends,
}

/// An account that the reader may want to follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    pub account: Arc<Account>,
    /// At least one, the weightiest first.
    pub sources: Vec<SuggestionSource>,
}
