//! Direct conversations. Each participant has a separate copy.

use std::{collections::HashMap, sync::Arc};

use siskin_entities::{Account, Conversation, Page, PageRequest, Status, Timestamp};
use siskin_ids::{AccountId, ConversationId, StatusId};
use siskin_persistence::{
    Conn, Tx, accounts,
    conversations::{self as rows, ConversationRow},
    sorted_unique, statuses,
};

use crate::{Error, Result};

/// Loads a page of the conversations of `viewer`, those with the latest status first. Omits
/// conversations without a status that is visible to `viewer`.
///
/// # Errors
/// Storage errors only.
pub fn list(
    conn: &mut Conn,
    viewer: AccountId,
    now: Timestamp,
    page: PageRequest,
) -> Result<Page<Conversation>> {
    let page = rows::page_of(conn, viewer, now, page)?;
    let conversations = load(conn, viewer, &page.items)?;
    Ok(page.with_items(conversations))
}

/// Marks a conversation of `viewer` as read or unread, and returns it.
///
/// # Errors
/// [`Error::NotFound`] if `viewer` has no conversation with this id.
pub fn mark(tx: &mut Tx<'_>, viewer: AccountId, id: &str, unread: bool) -> Result<Conversation> {
    let (id, now) = (parse(id)?, tx.now());
    if !rows::mark(tx, viewer, id, unread)? {
        return Err(Error::NotFound);
    }
    find(tx, viewer, id, now)
}

/// Returns a conversation of `viewer`.
///
/// # Errors
/// [`Error::NotFound`] if `viewer` has no conversation with this id.
pub fn find(
    conn: &mut Conn,
    viewer: AccountId,
    id: ConversationId,
    now: Timestamp,
) -> Result<Conversation> {
    let row = rows::find(conn, viewer, id, now)?.ok_or(Error::NotFound)?;
    load(conn, viewer, &[row])?.pop().ok_or(Error::NotFound)
}

/// Deletes a conversation of `viewer`. The copies of other participants and the statuses stay. The
/// next status in the thread starts the conversation again.
///
/// # Errors
/// [`Error::NotFound`] if `viewer` has no conversation with this id.
pub fn remove(tx: &mut Tx<'_>, viewer: AccountId, id: &str) -> Result<()> {
    let id = parse(id)?;
    if rows::remove(tx, viewer, id)? { Ok(()) } else { Err(Error::NotFound) }
}

fn parse(id: &str) -> Result<ConversationId> {
    id.parse().map_err(|_| Error::NotFound)
}

fn load(conn: &mut Conn, viewer: AccountId, rows: &[ConversationRow]) -> Result<Vec<Conversation>> {
    let visible_status: Vec<StatusId> = rows.iter().filter_map(|row| row.visible_status).collect();
    let statuses = statuses::load(conn, &visible_status, Some(viewer))?;
    let statuses: HashMap<StatusId, Status> =
        statuses.into_iter().map(|status| (status.body.id, status)).collect();
    let others = rows.iter().flat_map(|row| row.others.iter().copied());
    let participants = sorted_unique(others.chain([viewer]));
    let participants = accounts::load(conn, &participants)?;
    let named = |row: &ConversationRow| -> Vec<Arc<Account>> {
        let others = row.others.iter().filter_map(|id| participants.get(id));
        let others: Vec<_> = others.filter(|other| other.state.reachable).cloned().collect();
        if others.is_empty() {
            participants.get(&viewer).cloned().into_iter().collect()
        } else {
            others
        }
    };
    let conversation = |row: &ConversationRow| Conversation {
        id: row.id,
        unread: row.unread,
        accounts: named(row),
        last_status: row.visible_status.and_then(|id| statuses.get(&id).cloned()),
    };
    Ok(rows.iter().map(conversation).collect())
}
