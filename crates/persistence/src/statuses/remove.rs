//! Removes statuses, and keeps them while something is done with them.

use diesel::prelude::*;
use siskin_entities::{Timestamp, Visibility};
use siskin_ids::{AccountId, StatusId, TagId};

use super::counters::{self, Reaction};
use crate::{
    Conn, Result, Tx, cards, conversations, media,
    schema::{statuses, statuses_tags},
    tags,
};

/// Keeps a status from being removed until the transaction ends; false where it is gone.
pub fn hold(tx: &mut Tx<'_>, id: StatusId) -> Result<bool> {
    let row = statuses::table.filter(statuses::id.eq(id)).select(statuses::id);
    let found: Option<StatusId> = match &mut **tx {
        Conn::Postgres(pg) => row.for_key_share().first(pg).optional()?,
        // There is one writer at a time, and this is it.
        Conn::Sqlite(sqlite) => row.first(sqlite).optional()?,
    };
    Ok(found.is_some())
}

#[derive(Queryable)]
struct Removed {
    account: AccountId,
    visibility: i16,
    in_reply_to: Option<StatusId>,
    reblog_of: Option<StatusId>,
    created_at: i64,
}

/// Removes a status or a reblog with everything that hangs on it (its reblogs, favourites,
/// bookmarks, notifications), and counts all of it away. Replies to it stay, and so do its
/// attachments, which belong to no status then. False where it was
/// gone already.
pub fn remove(tx: &mut Tx<'_>, id: StatusId) -> Result<bool> {
    let Some(status) = take(tx, id)? else { return Ok(false) };
    let visibility = Visibility::from_number(status.visibility);
    let reblogs = statuses::table
        .filter(statuses::reblog_of_id.eq(id))
        .filter(statuses::visibility.ne(Visibility::Direct.number()));
    let rebloggers: Vec<AccountId> = reblogs.select(statuses::account_id).load(&mut **tx)?;
    let hashtags: Vec<TagId> = statuses_tags::table
        .filter(statuses_tags::status_id.eq(id))
        .select(statuses_tags::tag_id)
        .load(&mut **tx)?;
    let held_by = match visibility {
        Visibility::Direct => conversations::holding(tx, id)?,
        _ => Vec::new(),
    };
    media::detach(tx, id)?;
    cards::unlink(tx, id)?;
    diesel::delete(statuses::table.filter(statuses::id.eq(id))).execute(&mut **tx)?;
    if let Some(parent) = status.in_reply_to.filter(|_| counters::counts_as_reply(visibility)) {
        counters::react(tx, parent, Reaction::Reply, -1)?;
    }
    if let Some(original) = status.reblog_of {
        counters::react(tx, original, Reaction::Reblog, -1)?;
    }
    counters::removed(tx, &rebloggers)?;
    if counters::counts_for_author(visibility) {
        counters::removed(tx, &[status.account])?;
    }
    if visibility.is_open() {
        let written_at = Timestamp::from_unix_ms(status.created_at);
        tags::count_uses_away(tx, status.account, &hashtags, written_at)?;
    }
    conversations::settle(tx, &held_by)?;
    Ok(true)
}

/// The status, after waiting for whoever [holds](hold) it.
fn take(tx: &mut Tx<'_>, id: StatusId) -> Result<Option<Removed>> {
    let row = statuses::table.filter(statuses::id.eq(id)).select((
        statuses::account_id,
        statuses::visibility,
        statuses::in_reply_to_id,
        statuses::reblog_of_id,
        statuses::created_at,
    ));
    Ok(match &mut **tx {
        Conn::Postgres(pg) => row.for_update().first(pg).optional()?,
        Conn::Sqlite(sqlite) => row.first(sqlite).optional()?,
    })
}
