//! The policy of an account about notifications by senders that it may not know.

use siskin_entities::{
    NotificationPolicy, PageRequest, PendingNotifications, PolicyAction, PolicyRule, Timestamp,
};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn, Tx,
    notifications::{self as rows, policy},
    relationships::viewer_relations,
};
use siskin_policy::notifications::shows_sender;

use crate::{Error, Result};

/// Maximum number of requests that are counted, as on Mastodon.
const MAX_COUNTED: i64 = 100;

/// Loads the policy of an account.
///
/// # Errors
/// Storage errors only.
pub fn policy(conn: &mut Conn, account: AccountId) -> Result<NotificationPolicy> {
    Ok(policy::load(conn, account)?)
}

/// Counts the requests and filtered notifications of an account. Counts only the newest 100
/// requests.
///
/// # Errors
/// Storage errors only.
pub fn pending(
    conn: &mut Conn,
    account: AccountId,
    now: Timestamp,
) -> Result<PendingNotifications> {
    let relations = viewer_relations(conn, Some(account))?;
    let requests = rows::requests(conn, account, PageRequest::newest(MAX_COUNTED))?;
    let shown = requests.iter().filter(|one| shows_sender(&relations, &one.sender.facts(), now));
    let counts = PendingNotifications::default();
    Ok(shown.fold(counts, |counts, request| PendingNotifications {
        requests: counts.requests + 1,
        notifications: counts.notifications + request.count,
    }))
}

/// Parses the name of an action for a rule.
///
/// # Errors
/// [`Error::Invalid`] if it is neither `accept` nor `filter` nor `drop`.
pub fn parse_action(rule: PolicyRule, name: &str) -> Result<PolicyAction> {
    PolicyAction::from_name(name).ok_or_else(|| {
        let rule = rule.as_str();
        Error::invalid(format!("Invalid parameter: {rule} must be accept, filter or drop"))
    })
}

/// Stores the actions of these rules. Other rules keep theirs.
///
/// # Errors
/// Storage errors only.
pub fn set_policy(
    tx: &mut Tx<'_>,
    account: AccountId,
    actions: &[(PolicyRule, PolicyAction)],
) -> Result<()> {
    Ok(policy::set(tx, account, actions)?)
}
