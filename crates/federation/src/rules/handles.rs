//! Handles that lead back to their account.

use super::Refusal;
use crate::{
    address::{Handle, Uri},
    read::Jrd,
};

/// What an answer of `WebFinger` says about the handle of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closing {
    /// The account has this handle.
    Closed(Handle),
    /// The answer names another handle, which is asked for next, once. Handles may live on another
    /// domain than the server.
    Ask(Handle),
    /// The account does not have the handle. The user name at the domain of its id stays.
    Open(Refusal),
}

/// Whether the handle that was asked for came from another answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renamed {
    /// It is the one that the account claims.
    No,
    /// An answer named it as its subject.
    Once,
}

/// Judges the answer about a handle that an account claims. The handle counts only if the answer
/// leads to the very same account; the subject may name another handle once, and never twice.
///
/// Otherwise an account could take the name of another domain, which says nothing about it.
#[must_use]
pub fn closes(account: &Uri, asked: &Handle, answer: &Jrd, renamed: Renamed) -> Closing {
    if answer.actor() != Some(account) {
        return Closing::Open(Refusal::HandleNotClosed);
    }
    if answer.subject.is_none() {
        return Closing::Closed(asked.clone());
    }
    match answer.handle() {
        Some(subject) if subject.is_same(asked) => Closing::Closed(asked.clone()),
        Some(subject) if renamed == Renamed::No => Closing::Ask(subject),
        _ => Closing::Open(Refusal::HandleNotClosed),
    }
}
