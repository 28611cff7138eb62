//! Notifications: which accounts get one, and which of its notifications an account sees later.
//!
//! A notification is created once, in the transaction of its cause, and read for months. Relations
//! and states may change meanwhile, so both moments have a rule.

use std::time::Duration;

use siskin_entities::{
    NotificationKind, NotificationPolicy, PolicyAction, PolicyRule, Timestamp, ViewerRelations,
};
use siskin_ids::AccountId;

use crate::{
    timelines::{self, StatusFacts},
    visibility::{AccountFacts, may_see_account},
};

/// Age below which an account is new: 30 days, as on Mastodon.
const NEW_ACCOUNT: Duration = Duration::from_hours(30 * 24);
/// Time for which a follower has to follow before it counts as one: 3 days, as on Mastodon.
const NEW_FOLLOWER: Duration = Duration::from_hours(3 * 24);

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
    /// Time when the sender's account was created.
    pub sender_created_at: Timestamp,
    /// For a mention: whether only the mentioned accounts see the status.
    pub is_private: bool,
    /// For a mention: the author of the parent, if only mentioned accounts see the parent.
    pub private_parent_author: Option<AccountId>,
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
    /// The account's policy.
    pub policy: NotificationPolicy,
    /// Whether the account accepts the sender in spite of its policy.
    pub permits_sender: bool,
    /// Since when the sender follows the account; `None` if it does not.
    pub followed_since: Option<Timestamp>,
}

/// Facts about a notification that was created earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotificationFacts<'a> {
    /// Kind of the notification.
    pub kind: NotificationKind,
    /// Account that caused it.
    pub sender: AccountFacts<'a>,
    /// Status that it is about; `None` if it is about the account only.
    pub status: Option<StatusFacts<'a>>,
}

/// Returns what happens to a notification for a local account. It is dropped if it is about:
///
/// - its own actions, except for [some kinds](NotificationKind::notifies_actor);
/// - actions of accounts that it blocks, mutes with notifications, or blocks by domain, and of
///   accounts that block it;
/// - a mention in a status that also mentions, or replies to, an account that it blocks or mutes
///   with notifications;
/// - statuses of a conversation that it muted.
///
/// What staff have to know is dropped only if the account is suspended or caused it. A warning of
/// the moderators is never dropped: the account reads it once it may return.
///
/// Otherwise the policy of the account decides, unless the kind [needs
/// none](NotificationKind::obeys_policy) or the account permits the sender: the strictest action of
/// all rules that apply counts.
///
/// ```
/// use siskin_entities::{
///     AccountState, NotificationKind, PolicyAction, RelationParts, Timestamp, ViewerRelations,
/// };
/// use siskin_ids::AccountId;
/// use siskin_policy::{
///     notifications::{CauseFacts, RecipientFacts, action},
///     visibility::AccountFacts,
/// };
///
/// let (recipient, sender) = (AccountId::new(1), AccountId::new(2));
/// let state = AccountState { suspended: false, silenced: false, reachable: true };
/// let follow = CauseFacts {
///     kind: NotificationKind::Follow,
///     sender: AccountFacts { id: sender, domain: None, state },
///     participants: &[],
///     sender_created_at: Timestamp::from_unix_ms(0),
///     is_private: false,
///     private_parent_author: None,
/// };
/// let happens = |parts| {
///     let relations = ViewerRelations::of(recipient, parts);
///     action(&relations, &RecipientFacts::default(), &follow, Timestamp::from_unix_ms(0))
/// };
/// assert_eq!(happens(RelationParts::default()), PolicyAction::Accept);
/// let blocks = RelationParts { blocks: vec![sender], ..RelationParts::default() };
/// assert_eq!(happens(blocks), PolicyAction::Drop);
/// ```
#[must_use]
pub fn action(
    recipient: &ViewerRelations,
    state: &RecipientFacts,
    cause: &CauseFacts<'_>,
    now: Timestamp,
) -> PolicyAction {
    if !is_wanted(recipient, state, cause, now) {
        return PolicyAction::Drop;
    }
    if !cause.kind.obeys_policy() || state.permits_sender {
        return PolicyAction::Accept;
    }
    let applying =
        PolicyRule::ALL.into_iter().filter(|rule| applies(*rule, recipient, state, cause, now));
    applying.map(|rule| state.policy.action(rule)).max().unwrap_or_default()
}

/// Returns `false` if the account gets no such notification, whatever its policy is.
fn is_wanted(
    recipient: &ViewerRelations,
    state: &RecipientFacts,
    cause: &CauseFacts<'_>,
    now: Timestamp,
) -> bool {
    let sender = &cause.sender;
    if cause.kind.is_for_staff() {
        return !state.is_suspended && !recipient.is_viewer(sender.id);
    }
    if cause.kind == NotificationKind::ModerationWarning && recipient.is_viewer(sender.id) {
        return true;
    }
    let rejects = |one: &Participant| !accepts(recipient, one.id, one.domain.as_deref(), now);
    let is_mention = cause.kind == NotificationKind::Mention;
    !state.is_suspended
        && !state.mutes_conversation
        && (cause.kind.notifies_actor() || !recipient.is_viewer(sender.id))
        && !recipient.is_blocked_by(sender.id)
        && accepts(recipient, sender.id, sender.domain, now)
        && !(is_mention && cause.participants.iter().any(rejects))
}

/// Returns `true` if a rule of the policy is about this notification.
fn applies(
    rule: PolicyRule,
    recipient: &ViewerRelations,
    state: &RecipientFacts,
    cause: &CauseFacts<'_>,
    now: Timestamp,
) -> bool {
    let follows = recipient.follows(cause.sender.id);
    match rule {
        PolicyRule::NotFollowing => !follows,
        PolicyRule::NotFollowers => {
            state.followed_since.is_none_or(|since| now < since.after(NEW_FOLLOWER))
        }
        PolicyRule::NewAccounts => !follows && now < cause.sender_created_at.after(NEW_ACCOUNT),
        PolicyRule::PrivateMentions => {
            let is_answer =
                cause.private_parent_author.is_some_and(|author| recipient.is_viewer(author));
            !follows && cause.is_private && !is_answer
        }
        PolicyRule::LimitedAccounts => !follows && cause.sender.state.silenced,
    }
}

/// Returns `true` if the recipient sees a notification that was created earlier. [`shows_sender`]
/// must be true, unless the notification is for staff, and the status must be visible.
#[must_use]
pub fn shows(
    recipient: &ViewerRelations,
    notification: &NotificationFacts<'_>,
    now: Timestamp,
) -> bool {
    let NotificationFacts { kind, sender, status } = notification;
    (kind.is_for_staff() || shows_sender(recipient, sender, now))
        && status.is_none_or(|status| timelines::may_see(recipient, &status))
}

/// Returns `true` if the recipient sees notifications of this sender: the sender is visible, and
/// neither blocked nor muted with notifications.
#[must_use]
pub fn shows_sender(
    recipient: &ViewerRelations,
    sender: &AccountFacts<'_>,
    now: Timestamp,
) -> bool {
    may_see_account(recipient, sender) && accepts(recipient, sender.id, sender.domain, now)
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
