//! Rows that are deleted together with a status: reblogs, favourites, notifications and others. A
//! popular status has so many that they are deleted in chunks.

use diesel::prelude::*;
use siskin_entities::{QuoteState, Visibility};
use siskin_ids::{AccountId, StatusId};

use super::counters::{self, Reaction};
use crate::{
    Conn, Result, Tx,
    chunks::{self, OwnedRows, owned},
    conn::each,
    equals_any::IdExpression as _,
    events::DomainEvent,
    filters, polls,
    prepared::prepared_here,
    schema::{filter_statuses, statuses},
};

const REBLOGS: OwnedRows = owned("statuses", "id", "reblog_of_id = $1");
const FAVOURITES: OwnedRows = owned("favourites", "id", "status_id = $1");
const FILTER_ENTRIES: OwnedRows = owned("filter_statuses", "id", "status_id = $1");
const VOTES: OwnedRows = owned(
    "poll_votes",
    "poll_id, account_id, option_title",
    "poll_id = (SELECT id FROM polls WHERE status_id = $1)",
);

/// Quotes of the status. They stay, without the status that they quote.
const QUOTES: OwnedRows = owned("statuses", "id", "quote_of_id = $1");

/// Rows without counters and events.
const OTHERS: [OwnedRows; 5] = [
    owned("bookmarks", "id", "status_id = $1"),
    owned("notifications", "id", "status_id = $1"),
    owned("mentions", "status_id, account_id", "status_id = $1"),
    owned("status_edits", "status_id, version", "status_id = $1"),
    owned(
        "poll_announcements",
        "poll_id, account_id",
        "poll_id = (SELECT id FROM polls WHERE status_id = $1)",
    ),
];

/// Counts the dependent rows of a status, at most `limit` of each kind.
pub(super) fn count_up_to(conn: &mut Conn, status: StatusId, limit: usize) -> Result<usize> {
    let tables =
        [&[REBLOGS, QUOTES, FAVOURITES, FILTER_ENTRIES, VOTES], OTHERS.as_slice()].concat();
    chunks::count_up_to(conn, &tables, status.get(), limit)
}

/// Reblogs of one status.
pub(super) struct Reblogs {
    pub(super) ids: Vec<StatusId>,
    /// Authors with a counter that includes one of them.
    pub(super) authors: Vec<AccountId>,
}

/// Deletes at most `limit` dependent rows of a locked status, and updates its counters. Returns the
/// number of deleted rows. It is less than `limit` only if no row is left.
pub(super) fn delete_some(tx: &mut Tx<'_>, status: StatusId, limit: usize) -> Result<usize> {
    let reblogs = reblogs(tx, status, limit)?;
    announce_filters(tx, &reblogs.ids)?;
    delete_reblogs(tx, status, &reblogs.ids)?;
    counters::removed(tx, &reblogs.authors, None)?;
    let mut deleted = reblogs.ids.len();
    for delete in [
        release_quotes,
        delete_favourites,
        delete_filter_entries,
        polls::remove_voters,
        delete_others,
    ] {
        if deleted >= limit {
            break;
        }
        deleted += delete(tx, status, limit - deleted)?;
    }
    Ok(deleted)
}

/// Loads at most `limit` reblogs of a status.
pub(super) fn reblogs(conn: &mut Conn, status: StatusId, limit: usize) -> Result<Reblogs> {
    let found: Vec<(StatusId, AccountId, i16)> = statuses::table
        .filter(statuses::reblog_of_id.eq(status))
        .limit(i64::try_from(limit).unwrap_or(i64::MAX))
        .select((statuses::id, statuses::account_id, statuses::visibility))
        .load(conn)?;
    let ids = found.iter().map(|(id, ..)| *id).collect();
    let counted = found.into_iter().filter(|(.., visibility)| {
        counters::counts_for_author(Visibility::from_number(*visibility))
    });
    Ok(Reblogs { ids, authors: counted.map(|(_, author, _)| author).collect() })
}

/// Deletes these reblogs of a locked status. The caller [announces](announce_filters) the filters
/// with them first, and decrements the counters of their authors.
pub(super) fn delete_reblogs(tx: &mut Tx<'_>, status: StatusId, ids: &[StatusId]) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    diesel::delete(statuses::table.filter(statuses::id.equals_any(ids))).execute(&mut **tx)?;
    counters::react(tx, status, Reaction::Reblog, -count(ids.len()))
}

/// Writes the events that the filters with these statuses change: one for each owner.
pub(super) fn announce_filters(tx: &mut Tx<'_>, statuses: &[StatusId]) -> Result<()> {
    if statuses.is_empty() {
        return Ok(());
    }
    let owners = filters::owners_with_statuses(tx, statuses)?;
    let events: Vec<_> = owners.into_iter().map(DomainEvent::FiltersChanged).collect();
    DomainEvent::write_all(tx, &events)
}

/// Makes at most `limit` quotes of a status forget which status they quote.
fn release_quotes(tx: &mut Tx<'_>, status: StatusId, limit: usize) -> Result<usize> {
    let quotes: Vec<(StatusId, i16, Option<i16>)> = statuses::table
        .filter(statuses::quote_of_id.eq(status))
        .limit(i64::try_from(limit).unwrap_or(i64::MAX))
        .select((statuses::id, statuses::visibility, statuses::quote_state))
        .load(&mut **tx)?;
    let ids: Vec<StatusId> = quotes.iter().map(|(id, ..)| *id).collect();
    let released = diesel::update(statuses::table.filter(statuses::id.equals_any(&ids)))
        .set(statuses::quote_of_id.eq(None::<StatusId>));
    each!(&mut **tx, conn => prepared_here!(released).execute(conn))?;
    let is_counted = |(_, visibility, state): &&(StatusId, i16, Option<i16>)| {
        let state = state.map(QuoteState::from_number);
        state.is_some_and(|state| {
            counters::counts_as_quote(Visibility::from_number(*visibility), state)
        })
    };
    let counted = quotes.iter().filter(is_counted).count();
    counters::react(tx, status, Reaction::Quote, -count(counted))?;
    Ok(ids.len())
}

fn delete_favourites(tx: &mut Tx<'_>, status: StatusId, limit: usize) -> Result<usize> {
    let deleted = FAVOURITES.delete_some(tx, status.get(), limit)?;
    if deleted > 0 {
        counters::react(tx, status, Reaction::Favourite, -count(deleted))?;
    }
    Ok(deleted)
}

fn delete_filter_entries(tx: &mut Tx<'_>, status: StatusId, limit: usize) -> Result<usize> {
    let some = filters::entries_of_status(tx, status, limit)?;
    let (ids, mut owners): (Vec<_>, Vec<_>) = some.into_iter().unzip();
    owners.sort_unstable();
    owners.dedup();
    let events: Vec<_> = owners.into_iter().map(DomainEvent::FiltersChanged).collect();
    DomainEvent::write_all(tx, &events)?;
    let entries = filter_statuses::table.filter(filter_statuses::id.equals_any(&ids));
    diesel::delete(entries).execute(&mut **tx)?;
    Ok(ids.len())
}

fn delete_others(tx: &mut Tx<'_>, status: StatusId, limit: usize) -> Result<usize> {
    chunks::delete_some(tx, &OTHERS, status.get(), limit)
}

fn count(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}
