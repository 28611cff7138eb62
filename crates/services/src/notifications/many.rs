//! Notifications of many recipients at once, for streams and push messages.

use std::{collections::HashMap, sync::Arc};

use siskin_entities::{Account, Notification, Status, Timestamp};
use siskin_ids::{AccountId, NotificationId, StatusId};
use siskin_persistence::{
    Conn, IdMap, accounts,
    notifications::{self as rows, StoredNotification},
    relationships::relations_of_viewers,
    sorted_unique, statuses,
};
use siskin_policy::{
    notifications::{NotificationFacts, shows},
    timelines::StatusFacts,
    visibility::AccountFacts,
};

use super::records::Records;
use crate::Result;

/// A notification as its recipient sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownNotification {
    pub recipient: AccountId,
    pub notification: Notification,
}

/// Loads those of these notifications that their recipients see, in no particular order. Runs a
/// fixed number of statements, and some for each of the statuses that they are about.
///
/// # Errors
/// Storage errors only.
pub fn shown_to_many(
    conn: &mut Conn,
    ids: &[NotificationId],
    now: Timestamp,
) -> Result<Vec<ShownNotification>> {
    let stored = rows::load(conn, ids)?;
    let senders = sorted_unique(stored.iter().map(|one| one.from));
    let senders = accounts::load(conn, &senders)?;
    let about = sorted_unique(stored.iter().filter_map(|one| one.status));
    let about = statuses::load_without_viewer(conn, &about)?;
    let statuses = about.into_iter().map(|status| (status.body.id, status)).collect();
    let mut visible = visible_to_many(conn, &stored, &senders, &statuses, now)?;
    visible.sort_by_key(|one| one.status);
    let mut shown = Vec::with_capacity(visible.len());
    for some in visible.chunk_by(|a, b| a.status == b.status) {
        let status = some.first().and_then(|one| statuses.get(&one.status?));
        shown.extend(as_seen(conn, some, status, &senders)?);
    }
    Ok(shown)
}

/// Returns those of these notifications that their recipients see, in their order. Runs one
/// statement, or nine if relations of recipients are not cached.
///
/// # Errors
/// Storage errors only.
pub fn visible_to_many(
    conn: &mut Conn,
    stored: &[StoredNotification],
    senders: &IdMap<AccountId, Arc<Account>>,
    statuses: &HashMap<StatusId, Status>,
    now: Timestamp,
) -> Result<Vec<StoredNotification>> {
    if stored.is_empty() {
        return Ok(Vec::new());
    }
    let recipients = sorted_unique(stored.iter().map(|one| one.recipient));
    let relations = relations_of_viewers(conn, &recipients)?;
    let is_visible = |stored: &StoredNotification| {
        let recipient = relations.get(&stored.recipient)?;
        let sender = AccountFacts::of(senders.get(&stored.from)?);
        let status = match stored.status {
            None => None,
            Some(id) => Some(StatusFacts::without_viewer(statuses.get(&id)?)),
        };
        let facts = NotificationFacts { kind: stored.kind, sender, status };
        shows(recipient, &facts, now).then_some(*stored)
    };
    Ok(stored.iter().filter_map(is_visible).collect())
}

/// Returns these visible notifications, each as its recipient sees it. All are about `status`,
/// which was loaded without a viewer, or all about none.
///
/// # Errors
/// Storage errors only.
pub fn as_seen(
    conn: &mut Conn,
    visible: &[StoredNotification],
    status: Option<&Status>,
    senders: &IdMap<AccountId, Arc<Account>>,
) -> Result<Vec<ShownNotification>> {
    let recipients = sorted_unique(visible.iter().map(|one| one.recipient));
    let details = match status {
        None => HashMap::new(),
        Some(status) => statuses::viewer_details(conn, status, &recipients)?,
    };
    let records = Records::load(conn, visible)?;
    let shown = |one: &StoredNotification| {
        let details = status.zip(details.get(&one.recipient));
        let notification = Notification {
            id: one.id,
            kind: one.kind,
            account: Arc::clone(senders.get(&one.from)?),
            status: details.map(|(status, details)| status.for_viewer(one.recipient, details)),
            record: records.of(one)?,
            created_at: one.created_at,
            filtered: one.filtered,
        };
        Some(ShownNotification { recipient: one.recipient, notification })
    };
    Ok(visible.iter().filter_map(shown).collect())
}
