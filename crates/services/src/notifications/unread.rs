//! Numbers of unread notifications: those above the read marker of their recipient.

use siskin_entities::{Cursor, PageRequest, Timestamp};
use siskin_ids::AccountId;
use siskin_persistence::{Conn, markers};

use super::{GroupedKinds, Query, groups, list};
use crate::Result;

/// Returns the number of unread notifications that are visible to `recipient`, at most `limit`.
///
/// # Errors
/// Storage errors only.
pub fn unread(
    conn: &mut Conn,
    recipient: AccountId,
    query: &Query,
    now: Timestamp,
    limit: i64,
) -> Result<usize> {
    let request = above_marker(conn, recipient, limit)?;
    Ok(list(conn, recipient, query, now, request)?.items.len())
}

/// Returns the number of groups with unread notifications, at most `limit`.
///
/// # Errors
/// Storage errors only.
pub fn unread_groups(
    conn: &mut Conn,
    recipient: AccountId,
    query: &Query,
    grouped: &GroupedKinds,
    now: Timestamp,
    limit: i64,
) -> Result<usize> {
    let request = above_marker(conn, recipient, limit)?;
    groups::count(conn, recipient, query, grouped, now, request)
}

/// Returns the request for the newest notifications above the marker. All are unread if there is
/// none.
fn above_marker(conn: &mut Conn, recipient: AccountId, limit: i64) -> Result<PageRequest> {
    let since = markers::load(conn, recipient)?.notifications.map(|marker| marker.last_read_id);
    Ok(PageRequest { cursor: Cursor { since, ..Cursor::default() }, limit })
}
