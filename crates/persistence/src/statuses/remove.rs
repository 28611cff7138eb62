//! Deletes statuses, and locks them against deletion.

use diesel::prelude::*;
use siskin_entities::{Timestamp, Visibility};
use siskin_ids::{AccountId, StatusId, TagId};

use super::counters::{self, Reaction};
use crate::{
    Result, Tx, cards,
    conn::OnEngine,
    conversations,
    events::{DeletedStatus, DomainEvent},
    filters, media,
    schema::{accounts, mentions, statuses, statuses_tags, tags as tag_names},
    tags,
};

/// Maximum number of reblogs, the newest ones, that get a deletion event when their status is
/// deleted. The limit keeps the events few and small.
const MAX_REBLOG_EVENTS: usize = 500;

/// Locks a status against deletion until the transaction ends. Returns `false` if it is gone.
pub fn lock_against_deletion(tx: &mut Tx<'_>, id: StatusId) -> Result<bool> {
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
    created_at: i64,
}

/// Deletes a status or a reblog with its dependent rows (reblogs, favourites, bookmarks,
/// notifications, filter entries), and updates all counters. Replies stay. Attachments stay too,
/// and belong to no status afterwards. Returns `false` if the status was gone already.
pub fn remove(tx: &mut Tx<'_>, id: StatusId) -> Result<bool> {
    let Some(status) = take_with_original(tx, id)? else { return Ok(false) };
    let visibility = Visibility::from_number(status.visibility);
    let reblogs = reblogs(tx, id)?;
    let rebloggers: Vec<AccountId> = reblogs.iter().map(|reblog| reblog.account).collect();
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
    let deleted_ids = reblogs.iter().map(|reblog| reblog.id).chain([id]).collect::<Vec<_>>();
    for owner in filters::owners_with_statuses(tx, &deleted_ids)? {
        DomainEvent::FiltersChanged(owner).write(tx)?;
    }
    for reblog in reblogs.iter().take(MAX_REBLOG_EVENTS) {
        reblog.deletion_event().write(tx)?;
    }
    deletion_event(tx, id, &status, has_media, &hashtags, &rebloggers)?.write(tx)?;
    let hashtags: Vec<TagId> = hashtags.into_iter().map(|(id, _)| id).collect();
    cards::unlink(tx, id)?;
    diesel::delete(statuses::table.filter(statuses::id.eq(id))).execute(&mut **tx)?;
    if let Some(parent) = status.in_reply_to.filter(|_| counters::counts_as_reply(visibility)) {
        counters::react(tx, parent, Reaction::Reply, -1)?;
    }
    if let Some(original) = status.reblog_of {
        counters::react(tx, original, Reaction::Reblog, -1)?;
    }
    let author = counters::counts_for_author(visibility).then_some(status.account);
    counters::removed(tx, &rebloggers, author)?;
    if visibility.is_open() {
        let written_at = Timestamp::from_unix_ms(status.created_at);
        tags::subtract_uses(tx, status.account, &hashtags, written_at)?;
    }
    conversations::update_after_removal(tx, &conversation_ids)?;
    Ok(true)
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

/// Loads the reblogs of a status, the newest first.
fn reblogs(tx: &mut Tx<'_>, of: StatusId) -> Result<Vec<Reblog>> {
    Ok(statuses::table
        .inner_join(accounts::table)
        .filter(statuses::reblog_of_id.eq(of))
        .filter(statuses::visibility.ne(Visibility::Direct.number()))
        .order(statuses::id.desc())
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
    rebloggers: &[AccountId],
) -> Result<DomainEvent> {
    let domain: Option<String> =
        accounts::table.find(status.account).select(accounts::domain).first(&mut **tx)?;
    let mentions = mentions::table
        .filter(mentions::status_id.eq(id))
        .order(mentions::position)
        .select(mentions::account_id)
        .load(&mut **tx)?;
    Ok(DomainEvent::StatusDeleted(DeletedStatus {
        id,
        account: status.account,
        local: domain.is_none(),
        visibility: status.visibility,
        is_reblog: status.reblog_of.is_some(),
        answered: status.answered.filter(|_| status.in_reply_to.is_some()),
        has_media,
        tags: tags.to_vec(),
        mentions,
        rebloggers: rebloggers.iter().take(MAX_REBLOG_EVENTS).copied().collect(),
    }))
}

/// Loads and locks a status. Locks the reblogged status first: a deletion of that one locks it
/// before its reblogs, so the other order would deadlock.
fn take_with_original(tx: &mut Tx<'_>, id: StatusId) -> Result<Option<Removed>> {
    let original: Option<Option<StatusId>> =
        statuses::table.find(id).select(statuses::reblog_of_id).first(&mut **tx).optional()?;
    if let Some(original) = original.flatten()
        && !lock_against_deletion(tx, original)?
    {
        return Ok(None);
    }
    take(tx, id)
}

/// Loads and locks a status. Waits for transactions that [lock](lock_against_deletion) it against
/// deletion.
fn take(tx: &mut Tx<'_>, id: StatusId) -> Result<Option<Removed>> {
    let row = statuses::table.filter(statuses::id.eq(id)).select((
        statuses::account_id,
        statuses::visibility,
        statuses::in_reply_to_id,
        statuses::in_reply_to_account_id,
        statuses::reblog_of_id,
        statuses::created_at,
    ));
    Ok(match tx.on_engine() {
        OnEngine::Postgres(pg) => row.for_update().first(pg).optional()?,
        OnEngine::Sqlite(sqlite) => row.first(sqlite).optional()?,
    })
}
