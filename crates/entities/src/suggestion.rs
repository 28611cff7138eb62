//! Account suggestions ("who to follow") and their reasons.

use std::sync::Arc;

use crate::account::Account;

/// Reason for a suggestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuggestionSource {
    /// The operator selected the account.
    Featured,
    /// Accounts that the viewer follows follow it.
    FriendsOfFriends,
}

/// Account that is suggested to the viewer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The suggested account.
    pub account: Arc<Account>,
    /// At least one source, the most important first.
    pub sources: Vec<SuggestionSource>,
}
