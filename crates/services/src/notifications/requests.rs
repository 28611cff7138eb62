//! Requests: senders of notifications that the policy of the recipient filtered.

use std::collections::HashMap;

use siskin_entities::{NotificationRequest, Page, PageRequest, Status, Timestamp};
use siskin_ids::{AccountId, NotificationRequestId, StatusId};
use siskin_persistence::{
    Conn, Tx, accounts,
    events::DomainEvent,
    notifications::{self as rows, StoredRequest, policy},
    relationships::viewer_relations,
    statuses::{Entry, load_candidates},
};
use siskin_policy::{notifications::shows_sender, timelines::may_see};

use crate::{Error, Result};

/// Number of requests that one write decides, and of notifications of each that it moves or
/// deletes.
const BATCH: (i64, i64) = (20, 500);

/// Loads a page of the requests that are visible to `recipient`.
///
/// # Errors
/// Storage errors only.
pub fn requests(
    conn: &mut Conn,
    recipient: AccountId,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<NotificationRequest>> {
    let stored = rows::requests(conn, recipient, request)?;
    let page = Page::of(stored, request.limit, |one| one.id.get());
    let shown = shown(conn, recipient, &page.items, now)?;
    Ok(page.with_items(shown))
}

/// Returns one request to `recipient`.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this id, or the sender is hidden from `recipient`.
pub fn find_request(
    conn: &mut Conn,
    recipient: AccountId,
    id: NotificationRequestId,
    now: Timestamp,
) -> Result<NotificationRequest> {
    let stored = rows::find_requests(conn, recipient, &[id])?;
    shown(conn, recipient, &stored, now)?.pop().ok_or(Error::NotFound)
}

/// Returns the requests with senders that the recipient sees, in their order.
fn shown(
    conn: &mut Conn,
    recipient: AccountId,
    stored: &[StoredRequest],
    now: Timestamp,
) -> Result<Vec<NotificationRequest>> {
    let relations = viewer_relations(conn, Some(recipient))?;
    let senders: Vec<AccountId> = stored.iter().map(|one| one.sender.id).collect();
    let senders = accounts::load(conn, &senders)?;
    let ids = stored.iter().filter_map(|one| one.last_status);
    let entries: Vec<Entry> = ids.map(|id| Entry { id, reblog_of: None }).collect();
    let loaded = load_candidates(conn, &entries, Some(recipient))?;
    let visible = loaded.into_iter().filter(|one| may_see(&relations, &one.facts()));
    let statuses: HashMap<StatusId, Status> =
        visible.map(|one| (one.status.body.id, one.status)).collect();
    let shown = |one: &StoredRequest| {
        let account = senders.get(&one.sender.id)?.clone();
        shows_sender(&relations, &one.sender.facts(), now).then(|| NotificationRequest {
            id: one.id,
            account,
            count: one.count,
            last_status: one.last_status.and_then(|id| statuses.get(&id)).cloned(),
            created_at: one.created_at,
            updated_at: one.updated_at,
        })
    };
    Ok(stored.iter().filter_map(shown).collect())
}

/// What the recipient decides about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Moves the filtered notifications to the others, and permits the sender from now on.
    Accept,
    /// Deletes the filtered notifications. The next one creates a new request.
    Dismiss,
}

/// Checks that a request to `recipient` exists.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this id.
pub fn check_request(
    conn: &mut Conn,
    recipient: AccountId,
    id: NotificationRequestId,
) -> Result<()> {
    if rows::senders(conn, recipient, &[id], 1)?.is_empty() { Err(Error::NotFound) } else { Ok(()) }
}

/// Decides some of these requests to `recipient`, and returns `true` if there is more to do. To
/// decide all, callers repeat it until it returns `false`. Unknown ids are ignored. An event tells
/// streams that notifications were accepted.
///
/// # Errors
/// Storage errors only.
pub fn decide_some(
    tx: &mut Tx<'_>,
    recipient: AccountId,
    ids: &[NotificationRequestId],
    decision: Decision,
) -> Result<bool> {
    let (requests, notifications) = BATCH;
    // Locked before their notifications are read, so that none is added unnoticed.
    let some = rows::lock_requests(tx, recipient, ids, requests)?;
    if some.is_empty() {
        return Ok(false);
    }
    let senders: Vec<AccountId> = some.iter().map(|(_, sender)| *sender).collect();
    let mut is_more = false;
    match decision {
        Decision::Accept => {
            policy::permit(tx, recipient, &senders)?;
            for sender in senders {
                is_more |= rows::release_some(tx, recipient, sender, notifications)?;
            }
        }
        Decision::Dismiss => {
            for sender in senders {
                is_more |= rows::discard_some(tx, recipient, sender, notifications)?;
            }
        }
    }
    if is_more {
        return Ok(true);
    }
    let decided: Vec<NotificationRequestId> = some.iter().map(|(id, _)| *id).collect();
    rows::remove_requests(tx, recipient, &decided)?;
    if decision == Decision::Accept {
        DomainEvent::NotificationsMerged(recipient).write(tx)?;
    }
    Ok(i64::try_from(decided.len()).is_ok_and(|decided| decided >= requests))
}
