//! Loads conversations as their owners see them.

use diesel::prelude::*;
use siskin_entities::{Page, PageRequest, Timestamp};
use siskin_ids::{AccountId, ConversationId, StatusId};

use crate::{
    Conn, Result,
    page::{cut_rows, page},
    schema::{conversation_statuses, conversations, statuses},
    statuses::{may_see, neither_blocks_nor_mutes, row_exists},
};

/// A conversation of one account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationRow {
    pub id: ConversationId,
    /// The participants other than the owner.
    pub others: Vec<AccountId>,
    /// The newest status in it that is visible to the owner and not from a muted or blocked
    /// account.
    pub visible_status: Option<StatusId>,
    pub unread: bool,
}

type Row = (ConversationId, String, StatusId, bool, Option<StatusId>);

fn conversation((id, participants, _, unread, visible_status): Row) -> ConversationRow {
    let others = participants.split(',').filter_map(|id| id.parse().ok()).collect();
    ConversationRow { id, others, visible_status, unread }
}

/// Selects the statuses of the current conversation that are visible to its owner. Leaves out
/// authors that the owner blocks or mutes.
macro_rules! visible_status {
    ($owner:expr, $now:expr) => {
        conversation_statuses::table
            .inner_join(statuses::table.on(statuses::id.eq(conversation_statuses::status_id)))
            .filter(conversation_statuses::conversation_id.eq(conversations::id))
            .filter(may_see!(
                $owner,
                id: statuses::id,
                account: statuses::account_id,
                visibility: statuses::visibility
            ))
            .filter(neither_blocks_nor_mutes!($owner, $now, account: statuses::account_id))
    };
}

/// The columns of a row, including the newest visible status.
macro_rules! columns {
    ($owner:expr, $now:expr) => {
        (
            conversations::id,
            conversations::participants,
            conversations::last_status_id,
            conversations::unread,
            visible_status!($owner, $now)
                .select(conversation_statuses::status_id)
                .order(conversation_statuses::status_id.desc())
                .limit(1)
                .single_value(),
        )
    };
}

/// Loads a page of the conversations of `owner` that contain a visible status, the most recent
/// first.
pub fn page_of(
    conn: &mut Conn,
    owner: AccountId,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<ConversationRow>> {
    let query = conversations::table
        .filter(conversations::account_id.eq(owner))
        .filter(row_exists!(visible_status!(owner, now)))
        .select(columns!(owner, now));
    let rows: Vec<Row> = cut_rows!(conn, query, conversations::last_status_id, request)?;
    let page = page(rows, request, |(_, _, last, ..)| last.get());
    let conversations = page.items.iter().cloned().map(conversation).collect();
    Ok(page.with_items(conversations))
}

/// Loads the conversation of `owner` with this id.
pub fn find(
    conn: &mut Conn,
    owner: AccountId,
    id: ConversationId,
    now: Timestamp,
) -> Result<Option<ConversationRow>> {
    let row: Option<Row> = conversations::table
        .filter(conversations::id.eq(id))
        .filter(conversations::account_id.eq(owner))
        .select(columns!(owner, now))
        .first(conn)
        .optional()?;
    Ok(row.map(conversation))
}
