//! Direct conversations. Each participant has a separate copy.

use std::{collections::HashMap, sync::Arc};

use siskin_entities::{Account, Conversation, Page, PageRequest, Status, Timestamp};
use siskin_ids::{AccountId, ConversationId, StatusId};
use siskin_persistence::{
    Conn, Tx, accounts,
    conversations::{self as rows, ConversationRow},
    statuses,
};

use crate::{Error, Result};

/// Loads a page of the conversations of `reader`, those with the latest status first. Omits
/// conversations without a status that is visible to `reader`.
///
/// # Errors
/// Storage errors only.
pub fn list(
    conn: &mut Conn,
    reader: AccountId,
    now: Timestamp,
    page: PageRequest,
) -> Result<Page<Conversation>> {
    let page = rows::page_of(conn, reader, now, page)?;
    let conversations = load(conn, reader, &page.items)?;
    Ok(page.with_items(conversations))
}

/// Marks a conversation of `reader` as read or unread, and returns it.
///
/// # Errors
/// [`Error::NotFound`] if `reader` has no conversation with this id.
pub fn mark(tx: &mut Tx<'_>, reader: AccountId, id: &str, unread: bool) -> Result<Conversation> {
    let (id, now) = (parse(id)?, tx.now());
    if !rows::mark(tx, reader, id, unread)? {
        return Err(Error::NotFound);
    }
    find(tx, reader, id, now)
}

/// Returns a conversation of `reader`.
///
/// # Errors
/// [`Error::NotFound`] if `reader` has no conversation with this id.
pub fn find(
    conn: &mut Conn,
    reader: AccountId,
    id: ConversationId,
    now: Timestamp,
) -> Result<Conversation> {
    let row = rows::find(conn, reader, id, now)?.ok_or(Error::NotFound)?;
    load(conn, reader, &[row])?.pop().ok_or(Error::NotFound)
}

/// Deletes a conversation of `reader`. The copies of other participants and the statuses stay. The
/// next status in the thread starts the conversation again.
///
/// # Errors
/// [`Error::NotFound`] if `reader` has no conversation with this id.
pub fn remove(tx: &mut Tx<'_>, reader: AccountId, id: &str) -> Result<()> {
    let id = parse(id)?;
    if rows::remove(tx, reader, id)? { Ok(()) } else { Err(Error::NotFound) }
}

fn parse(id: &str) -> Result<ConversationId> {
    id.parse().map_err(|_| Error::NotFound)
}

fn load(conn: &mut Conn, reader: AccountId, rows: &[ConversationRow]) -> Result<Vec<Conversation>> {
    let shown: Vec<StatusId> = rows.iter().filter_map(|row| row.shown).collect();
    let statuses = statuses::load(conn, &shown, Some(reader))?;
    let statuses: HashMap<StatusId, Status> =
        statuses.into_iter().map(|status| (status.body.id, status)).collect();
    let mut people: Vec<AccountId> = rows.iter().flat_map(|row| row.others.clone()).collect();
    people.push(reader);
    people.sort_unstable();
    people.dedup();
    let people = accounts::load(conn, &people)?;
    let named = |row: &ConversationRow| -> Vec<Arc<Account>> {
        let others = row.others.iter().filter_map(|id| people.get(id));
        let others: Vec<_> = others.filter(|other| other.state.reachable).cloned().collect();
        if others.is_empty() { people.get(&reader).cloned().into_iter().collect() } else { others }
    };
    let conversation = |row: &ConversationRow| Conversation {
        id: row.id,
        unread: row.unread,
        accounts: named(row),
        last_status: row.shown.and_then(|id| statuses.get(&id).cloned()),
    };
    Ok(rows.iter().map(conversation).collect())
}
