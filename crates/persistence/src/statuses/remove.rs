//! Deletes statuses, and locks them against deletion.
//!
//! A status with few dependent rows (reblogs, favourites, notifications and others) is deleted in
//! one transaction. Otherwise [`remove`] hides it, with all events and counters of a deletion, and
//! [`remove_rest`] deletes the rows in chunks (`docs/decisions/0032`).

use diesel::{dsl::exists, prelude::*};
use siskin_entities::{QuoteState, Timestamp, Visibility};
use siskin_ids::{AccountId, StatusId, TagId};

use super::{
    REMOVED,
    counters::{self, Reaction},
    dependents, is_present,
};
use crate::{
    Result, Tx, cards,
    conn::OnEngine,
    conversations,
    equals_any::IdExpression as _,
    events::{DeletedStatus, DomainEvent},
    media,
    schema::{
        accounts, conversation_statuses, mentions, polls, status_pins, statuses, statuses_tags,
        tags as tag_names,
    },
    search, tags,
    tombstones::{self, NewTombstone},
};

/// Maximum number of reblogs, the newest ones, that get a deletion event when their status is
/// deleted. The limit keeps the events few and small.
const MAX_REBLOG_EVENTS: i64 = 500;

/// Maximum number of dependent rows that one transaction deletes. On `SQLite` it holds the writer
/// lane meanwhile.
const AT_ONCE: usize = 100;

/// Result of [`remove`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// The status was gone already, or its deletion has begun before.
    Gone,
    /// The status is deleted, with this number of dependent rows.
    Deleted(usize),
    /// The status is hidden. [`remove_rest`] must be called until it returns `true`.
    Begun,
}

/// Locks a status against deletion until the transaction ends. Returns `false` if it is gone, or if
/// its deletion has begun.
pub fn lock_against_deletion(tx: &mut Tx<'_>, id: StatusId) -> Result<bool> {
    let row = statuses::table
        .filter(statuses::id.eq(id))
        .filter(is_present!(visibility: statuses::visibility))
        .select(statuses::id);
    let found: Option<StatusId> = match tx.on_engine() {
        OnEngine::Postgres(pg) => row.for_key_share().first(pg).optional()?,
        // SQLite has one writer at a time, and this transaction is it.
        OnEngine::Sqlite(sqlite) => row.first(sqlite).optional()?,
    };
    Ok(found.is_some())
}

/// Locks those of these statuses that are present against deletion until the transaction ends, in
/// the order of their ids. Returns them in that order.
pub fn lock_all_against_deletion(tx: &mut Tx<'_>, ids: &[StatusId]) -> Result<Vec<StatusId>> {
    let rows = statuses::table
        .filter(statuses::id.equals_any(ids))
        .filter(is_present!(visibility: statuses::visibility))
        .order(statuses::id)
        .select(statuses::id);
    Ok(match tx.on_engine() {
        OnEngine::Postgres(pg) => rows.for_key_share().load(pg)?,
        // SQLite has one writer at a time, and this transaction is it.
        OnEngine::Sqlite(sqlite) => rows.load(sqlite)?,
    })
}

/// Locks a status against deletion until the transaction ends, even if its deletion has begun.
fn lock_row(tx: &mut Tx<'_>, id: StatusId) -> Result<bool> {
    let row = statuses::table.filter(statuses::id.eq(id)).select(statuses::id);
    let found: Option<StatusId> = match tx.on_engine() {
        OnEngine::Postgres(pg) => row.for_key_share().first(pg).optional()?,
        // SQLite has one writer at a time, and this transaction is it.
        OnEngine::Sqlite(sqlite) => row.first(sqlite).optional()?,
    };
    Ok(found.is_some())
}

#[derive(Queryable)]
struct Removed {
    account: AccountId,
    visibility: i16,
    in_reply_to: Option<StatusId>,
    answered: Option<AccountId>,
    reblog_of: Option<StatusId>,
    quote_of: Option<StatusId>,
    quote_state: Option<i16>,
    created_at: i64,
    uri: String,
    has_poll: bool,
    is_local: bool,
}

impl Removed {
    /// Returns what remains for other servers: of a local status that they could read.
    fn tombstone(&self) -> Option<NewTombstone<'_>> {
        let was_open = Visibility::from_number(self.visibility).is_open();
        let former_type = if self.has_poll { "Question" } else { "Note" };
        (self.is_local && was_open && self.reblog_of.is_none())
            .then_some(NewTombstone { uri: &self.uri, former_type })
    }

    /// Returns the quoted status if its counter includes this quote.
    fn counted_quote(&self) -> Option<StatusId> {
        let state = QuoteState::from_number(self.quote_state?);
        let visibility = Visibility::from_number(self.visibility);
        self.quote_of.filter(|_| counters::counts_as_quote(visibility, state))
    }
}

/// Deletes a status or a reblog with its dependent rows, and updates all counters. Hides it first
/// if these rows are many. Replies and quotes stay. Attachments stay too, and belong to no status
/// afterwards.
pub fn remove(tx: &mut Tx<'_>, id: StatusId) -> Result<Removal> {
    let Some(status) = take_with_original(tx, id)? else { return Ok(Removal::Gone) };
    let visibility = Visibility::from_number(status.visibility);
    let dependents = dependents::count_up_to(tx, id, AT_ONCE + 1)?;
    let hashtags: Vec<(TagId, String)> = statuses_tags::table
        .inner_join(tag_names::table)
        .filter(statuses_tags::status_id.eq(id))
        .order(statuses_tags::position)
        .select((tag_names::id, tag_names::name))
        .load(&mut **tx)?;
    let conversation_ids = match visibility {
        Visibility::Direct => conversations::lock_containing(tx, id)?,
        _ => Vec::new(),
    };
    let has_media = media::detach(tx, id)? > 0;
    announce(tx, id, &status, has_media, &hashtags)?;
    tombstones::insert(tx, status.tombstone().as_slice())?;
    let hashtags: Vec<TagId> = hashtags.into_iter().map(|(id, _)| id).collect();
    let (removal, rebloggers) = if dependents <= AT_ONCE {
        let reblogs = dependents::reblogs(tx, id, AT_ONCE)?;
        dependents::announce_filters(tx, &[reblogs.ids.as_slice(), &[id]].concat())?;
        dependents::delete_reblogs(tx, id, &reblogs.ids)?;
        delete_row(tx, id)?;
        (Removal::Deleted(dependents), reblogs.authors)
    } else {
        hide(tx, id)?;
        (Removal::Begun, Vec::new())
    };
    if let Some(parent) = status.in_reply_to.filter(|_| counters::counts_as_reply(visibility)) {
        counters::react(tx, parent, Reaction::Reply, -1)?;
    }
    if let Some(original) = status.reblog_of {
        counters::react(tx, original, Reaction::Reblog, -1)?;
    }
    if let Some(quoted) = status.counted_quote() {
        counters::react(tx, quoted, Reaction::Quote, -1)?;
    }
    let author = counters::counts_for_author(visibility).then_some(status.account);
    counters::removed(tx, &rebloggers, author)?;
    if visibility.is_open() {
        let written_at = Timestamp::from_unix_ms(status.created_at);
        tags::subtract_uses(tx, status.account, &hashtags, written_at)?;
    }
    conversations::update_after_removal(tx, &conversation_ids)?;
    Ok(removal)
}

/// Continues the deletion of a status that [`remove`] has hidden: deletes some of its dependent
/// rows, or the status itself with the last ones. Returns `true` if the status is gone.
pub fn remove_rest(tx: &mut Tx<'_>, id: StatusId) -> Result<bool> {
    if !take_removed(tx, id)? {
        return Ok(true);
    }
    let is_last = dependents::delete_some(tx, id, AT_ONCE)? < AT_ONCE;
    if is_last {
        delete_row(tx, id)?;
    }
    Ok(is_last)
}

/// Begins or continues the deletion of a status. Returns the number of rows that this deleted, or
/// `None` if more rows are left than one transaction may delete.
pub(crate) fn continue_removal(tx: &mut Tx<'_>, id: StatusId) -> Result<Option<usize>> {
    Ok(match remove(tx, id)? {
        Removal::Deleted(dependents) => Some(dependents + 1),
        Removal::Begun => None,
        Removal::Gone => remove_rest(tx, id)?.then_some(AT_ONCE),
    })
}

/// Hides a status from all accounts at once. What lists, counters and limits count is deleted; a
/// status has few such rows.
fn hide(tx: &mut Tx<'_>, id: StatusId) -> Result<()> {
    cards::unlink(tx, id)?;
    search::remove(tx, id)?;
    diesel::delete(statuses_tags::table.filter(statuses_tags::status_id.eq(id)))
        .execute(&mut **tx)?;
    diesel::delete(status_pins::table.filter(status_pins::status_id.eq(id))).execute(&mut **tx)?;
    diesel::delete(conversation_statuses::table.filter(conversation_statuses::status_id.eq(id)))
        .execute(&mut **tx)?;
    // Without a parent, the thread above no longer leads to its replies, as after a deletion.
    diesel::update(statuses::table.filter(statuses::id.eq(id)))
        .set((
            statuses::visibility.eq(REMOVED),
            statuses::in_reply_to_id.eq(None::<StatusId>),
            statuses::in_reply_to_account_id.eq(None::<AccountId>),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Deletes the row of a status without reblogs. The few other dependent rows that are left go with
/// it.
fn delete_row(tx: &mut Tx<'_>, id: StatusId) -> Result<()> {
    cards::unlink(tx, id)?;
    diesel::delete(statuses::table.filter(statuses::id.eq(id))).execute(&mut **tx)?;
    Ok(())
}

/// Writes the deletion events of a status and of its newest reblogs. Call it before their rows are
/// deleted.
fn announce(
    tx: &mut Tx<'_>,
    id: StatusId,
    status: &Removed,
    has_media: bool,
    hashtags: &[(TagId, String)],
) -> Result<()> {
    let reblogs = newest_reblogs(tx, id)?;
    let rebloggers: Vec<AccountId> = reblogs.iter().map(|reblog| reblog.account).collect();
    let mut events: Vec<DomainEvent> = reblogs.iter().map(Reblog::deletion_event).collect();
    events.push(deletion_event(tx, id, status, has_media, hashtags, rebloggers)?);
    DomainEvent::write_all(tx, &events)
}

/// A reblog that is deleted together with its status.
#[derive(Queryable)]
struct Reblog {
    id: StatusId,
    account: AccountId,
    visibility: i16,
    domain: Option<String>,
}

impl Reblog {
    /// Returns the deletion event of the reblog, for clients that have only the reblog.
    fn deletion_event(&self) -> DomainEvent {
        DomainEvent::StatusDeleted(DeletedStatus {
            id: self.id,
            account: self.account,
            local: self.domain.is_none(),
            visibility: self.visibility,
            is_reblog: true,
            answered: None,
            has_media: false,
            tags: Vec::new(),
            mentions: Vec::new(),
            rebloggers: Vec::new(),
        })
    }
}

/// Loads the reblogs of a status that get a deletion event, the newest first.
fn newest_reblogs(tx: &mut Tx<'_>, of: StatusId) -> Result<Vec<Reblog>> {
    Ok(statuses::table
        .inner_join(accounts::table)
        .filter(statuses::reblog_of_id.eq(of))
        .filter(statuses::visibility.lt(Visibility::Direct.number()))
        .order(statuses::id.desc())
        .limit(MAX_REBLOG_EVENTS)
        .select((statuses::id, statuses::account_id, statuses::visibility, accounts::domain))
        .load(&mut **tx)?)
}

/// Returns the deletion event of a status. It is built before the row is deleted.
fn deletion_event(
    tx: &mut Tx<'_>,
    id: StatusId,
    status: &Removed,
    has_media: bool,
    tags: &[(TagId, String)],
    rebloggers: Vec<AccountId>,
) -> Result<DomainEvent> {
    let mentions = mentions::table
        .filter(mentions::status_id.eq(id))
        .order(mentions::position)
        .select(mentions::account_id)
        .load(&mut **tx)?;
    Ok(DomainEvent::StatusDeleted(DeletedStatus {
        id,
        account: status.account,
        local: status.is_local,
        visibility: status.visibility,
        is_reblog: status.reblog_of.is_some(),
        answered: status.answered.filter(|_| status.in_reply_to.is_some()),
        has_media,
        tags: tags.to_vec(),
        mentions,
        rebloggers,
    }))
}

/// Loads and locks a status. Locks the reblogged status first: a deletion of that one locks it
/// before its reblogs, so the other order would deadlock.
fn take_with_original(tx: &mut Tx<'_>, id: StatusId) -> Result<Option<Removed>> {
    let original: Option<Option<StatusId>> =
        statuses::table.find(id).select(statuses::reblog_of_id).first(&mut **tx).optional()?;
    if let Some(original) = original.flatten()
        && !lock_row(tx, original)?
    {
        return Ok(None);
    }
    take(tx, id)
}

/// Loads and locks a status whose deletion has not begun. Waits for transactions that
/// [lock](lock_against_deletion) it against deletion.
fn take(tx: &mut Tx<'_>, id: StatusId) -> Result<Option<Removed>> {
    let present = statuses::table
        .filter(statuses::id.eq(id))
        .filter(is_present!(visibility: statuses::visibility));
    let author = accounts::table.filter(accounts::id.eq(statuses::account_id));
    let row = present.select((
        statuses::account_id,
        statuses::visibility,
        statuses::in_reply_to_id,
        statuses::in_reply_to_account_id,
        statuses::reblog_of_id,
        statuses::quote_of_id,
        statuses::quote_state,
        statuses::created_at,
        statuses::uri,
        exists(polls::table.filter(polls::status_id.eq(statuses::id))),
        exists(author.filter(accounts::domain.is_null())),
    ));
    Ok(match tx.on_engine() {
        OnEngine::Postgres(pg) => row.for_update().first(pg).optional()?,
        OnEngine::Sqlite(sqlite) => row.first(sqlite).optional()?,
    })
}

/// Locks a status whose deletion has begun. Returns `false` if there is none with this id.
fn take_removed(tx: &mut Tx<'_>, id: StatusId) -> Result<bool> {
    let row = statuses::table
        .filter(statuses::id.eq(id))
        .filter(statuses::visibility.eq(REMOVED))
        .select(statuses::id);
    let found: Option<StatusId> = match tx.on_engine() {
        OnEngine::Postgres(pg) => row.for_update().first(pg).optional()?,
        OnEngine::Sqlite(sqlite) => row.first(sqlite).optional()?,
    };
    Ok(found.is_some())
}
