//! Loads polls in batches.

use std::collections::HashMap;

use diesel::prelude::*;
use siskin_entities::{
    Poll, Timestamp,
    polls::{PollOption, PollViewer},
};
use siskin_ids::{AccountId, PollId, StatusId};

use crate::{
    Conn, Result, emojis,
    equals_any::IdExpression as _,
    schema::{accounts, poll_options, poll_votes, polls, statuses},
    statuses::viewer_id,
};

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = polls)]
struct PollRow {
    id: PollId,
    status_id: StatusId,
    multiple: bool,
    hide_totals: bool,
    expires_at: Option<i64>,
    closed_at: Option<i64>,
    voters_count: i64,
}

/// One option, with the time of the viewer's vote for it, if any.
#[derive(Debug, Queryable)]
struct Row {
    poll: PollRow,
    author: AccountId,
    domain: Option<String>,
    title: String,
    votes_count: i64,
    voted_at: Option<i64>,
}

/// Returns the status of a poll.
pub fn find(conn: &mut Conn, id: PollId) -> Result<Option<StatusId>> {
    Ok(polls::table.find(id).select(polls::status_id).first(conn).optional()?)
}

/// Loads the poll of a status for `viewer`. Returns `None` if the status has none. The caller
/// checks the visibility of the status.
pub fn of_status(
    conn: &mut Conn,
    status: StatusId,
    viewer: Option<AccountId>,
) -> Result<Option<Poll>> {
    Ok(load(conn, &[status], viewer)?.remove(&status))
}

/// Loads the polls of these statuses for `viewer`. Runs one statement if there are statuses, and
/// one more if option titles contain shortcodes.
pub(crate) fn load(
    conn: &mut Conn,
    of: &[StatusId],
    viewer: Option<AccountId>,
) -> Result<HashMap<StatusId, Poll>> {
    if of.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = rows(conn, of, viewer)?;
    // Remote polls use the emojis of their own server.
    let local = rows.iter().filter(|row| row.domain.is_none());
    let named = emojis::TextEmojis::in_texts(conn, local.map(|row| row.title.as_str()))?;
    let mut found = HashMap::new();
    for options in rows.chunk_by(|a, b| a.poll.id == b.poll.id) {
        let Some(first) = options.first() else { continue };
        let mut poll = poll(first, options, viewer);
        if first.domain.is_none() {
            poll.emojis = named.of(poll.titles());
        }
        found.insert(first.poll.status_id, poll);
    }
    Ok(found)
}

/// Loads one row for each option. The options of a poll come in their order.
fn rows(conn: &mut Conn, of: &[StatusId], viewer: Option<AccountId>) -> Result<Vec<Row>> {
    let own_vote = poll_votes::poll_id
        .eq(polls::id)
        .and(poll_votes::option_title.eq(poll_options::title))
        .and(poll_votes::account_id.eq(viewer_id(viewer)));
    Ok(polls::table
        .inner_join(poll_options::table)
        .inner_join(statuses::table.inner_join(accounts::table))
        .left_join(poll_votes::table.on(own_vote))
        .filter(polls::status_id.equals_any(of))
        .order((polls::id, poll_options::position))
        .select((
            PollRow::as_select(),
            statuses::account_id,
            accounts::domain,
            poll_options::title,
            poll_options::votes_count,
            poll_votes::created_at.nullable(),
        ))
        .load(conn)?)
}

fn poll(first: &Row, options: &[Row], viewer: Option<AccountId>) -> Poll {
    let row = &first.poll;
    let option = |row: &Row| PollOption { title: row.title.clone(), votes: row.votes_count };
    Poll {
        id: row.id,
        options: options.iter().map(option).collect(),
        multiple: row.multiple,
        hide_totals: row.hide_totals,
        expires_at: row.expires_at.map(Timestamp::from_unix_ms),
        closed: row.closed_at.is_some(),
        voters: row.voters_count,
        emojis: Vec::new(),
        viewer: viewer.map(|viewer| PollViewer {
            is_author: viewer == first.author,
            chosen: chosen(options),
        }),
    }
}

fn chosen(options: &[Row]) -> Vec<usize> {
    let voted = |(position, row): (usize, &Row)| row.voted_at.map(|at| (at, position));
    let mut chosen: Vec<(i64, usize)> = options.iter().enumerate().filter_map(voted).collect();
    chosen.sort_unstable();
    chosen.into_iter().map(|(_, position)| position).collect()
}
