//! Notifications: which accounts get one, and which of its notifications an account sees later.
//!
//! A notification is created once, in the transaction of its cause, and read for months. Relations
//! and states may change meanwhile, so both moments have a rule.

use siskin_entities::{NotificationKind, Timestamp, ViewerRelations};
use siskin_ids::AccountId;

use crate::{
    timelines::{self, StatusFacts, is_listed},
    visibility::{AccountFacts, may_see_account},
};

/// Facts about what happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CauseFacts<'a> {
    /// Kind of the notification.
    pub kind: NotificationKind,
    /// Account that caused it.
    pub sender: AccountFacts<'a>,
    /// For a mention: the accounts that the current version of the status mentions, and the author
    /// of its parent. Ignored for other kinds.
    pub participants: &'a [Participant],
}

/// An account that takes part in a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Participant {
    /// Id of the account.
    pub id: AccountId,
    /// Domain of its server; `None` for a local account.
    pub domain: Option<String>,
}

/// State of a local account that may get a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecipientFacts {
    /// Whether the account is suspended.
    pub is_suspended: bool,
    /// Whether the account muted the conversation of the status.
    pub mutes_conversation: bool,
}

/// Facts about a notification that was created earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotificationFacts<'a> {
    /// Account that caused it.
    pub sender: AccountFacts<'a>,
    /// Status that it is about; `None` if it is about the account only.
    pub status: Option<StatusFacts<'a>>,
}

/// Returns `true` if a local account gets a notification. It gets none about:
///
/// - its own actions, except for [some kinds](NotificationKind::notifies_actor);
/// - actions of accounts that it blocks, mutes with notifications, or blocks by domain, and of
///   accounts that block it;
/// - actions of a silenced account that it does not follow;
/// - a mention in a status that also mentions, or replies to, an account that it blocks or mutes
///   with notifications;
/// - statuses of a conversation that it muted.
///
/// ```
/// use siskin_entities::{AccountState, NotificationKind, RelationParts, Timestamp, ViewerRelations};
/// use siskin_ids::AccountId;
/// use siskin_policy::{
///     notifications::{CauseFacts, RecipientFacts, notifies},
///     visibility::AccountFacts,
/// };
///
/// let (recipient, sender) = (AccountId::new(1), AccountId::new(2));
/// let state = AccountState { suspended: false, silenced: false, reachable: true };
/// let follow = CauseFacts {
///     kind: NotificationKind::Follow,
///     sender: AccountFacts { id: sender, domain: None, state },
///     participants: &[],
/// };
/// let gets = |parts| {
///     let relations = ViewerRelations::of(recipient, parts);
///     notifies(&relations, RecipientFacts::default(), &follow, Timestamp::from_unix_ms(0))
/// };
/// assert!(gets(RelationParts::default()));
/// assert!(!gets(RelationParts { blocks: vec![sender], ..RelationParts::default() }));
/// ```
#[must_use]
pub fn notifies(
    recipient: &ViewerRelations,
    state: RecipientFacts,
    cause: &CauseFacts<'_>,
    now: Timestamp,
) -> bool {
    let sender = &cause.sender;
    let rejects = |one: &Participant| !accepts(recipient, one.id, one.domain.as_deref(), now);
    let is_mention = cause.kind == NotificationKind::Mention;
    !state.is_suspended
        && !state.mutes_conversation
        && (cause.kind.notifies_actor() || !recipient.is_viewer(sender.id))
        && !recipient.is_blocked_by(sender.id)
        && accepts(recipient, sender.id, sender.domain, now)
        && is_listed(recipient, sender)
        && !(is_mention && cause.participants.iter().any(rejects))
}

/// Returns `true` if the recipient sees a notification that was created earlier. The sender must be
/// visible and neither blocked nor muted with notifications. The status must be visible.
#[must_use]
pub fn shows(
    recipient: &ViewerRelations,
    notification: &NotificationFacts<'_>,
    now: Timestamp,
) -> bool {
    let NotificationFacts { sender, status } = notification;
    may_see_account(recipient, sender)
        && accepts(recipient, sender.id, sender.domain, now)
        && status.is_none_or(|status| timelines::may_see(recipient, &status))
}

/// Returns `false` if the recipient sees no notification of this sender. If it returns `true`, the
/// notification still has to be checked.
#[must_use]
pub fn may_show_sender(recipient: &ViewerRelations, sender: AccountId, now: Timestamp) -> bool {
    !recipient.is_blocked_by(sender) && accepts(recipient, sender, None, now)
}

/// Returns `true` if the recipient neither blocks the account or its domain, nor mutes it with
/// notifications.
fn accepts(
    recipient: &ViewerRelations,
    account: AccountId,
    domain: Option<&str>,
    now: Timestamp,
) -> bool {
    let is_muted = || recipient.mute(account, now).is_some_and(|mute| mute.notifications);
    !recipient.blocks(account, domain) && !is_muted()
}

#[cfg(test)]
mod tests;
