//! Inserts and updates scheduled statuses. [`crate::media::reserve()`] assigns their attachments.

use diesel::prelude::*;
use siskin_entities::{StatusDraft, Timestamp};
use siskin_ids::{AccountId, ApplicationId, ScheduledStatusId};

use crate::{Result, Tx, schema::scheduled_statuses, statuses::draft};

/// A new scheduled status.
#[derive(Debug, Clone)]
pub struct NewScheduled<'a> {
    pub id: ScheduledStatusId,
    pub account: AccountId,
    pub at: Timestamp,
    pub draft: &'a StatusDraft,
    pub application: Option<ApplicationId>,
}

/// Inserts a scheduled status without attachments.
pub fn insert(tx: &mut Tx<'_>, new: &NewScheduled<'_>) -> Result<()> {
    let row = (
        scheduled_statuses::id.eq(new.id),
        scheduled_statuses::account_id.eq(new.account),
        scheduled_statuses::scheduled_at.eq(new.at.unix_ms()),
        scheduled_statuses::draft.eq(draft::to_json(new.draft)?),
        scheduled_statuses::application_id.eq(new.application),
        scheduled_statuses::created_at.eq(tx.now().unix_ms()),
    );
    diesel::insert_into(scheduled_statuses::table).values(row).execute(&mut **tx)?;
    Ok(())
}

/// Sets the time of publication.
pub fn set_time(tx: &mut Tx<'_>, id: ScheduledStatusId, at: Timestamp) -> Result<()> {
    diesel::update(scheduled_statuses::table.find(id))
        .set(scheduled_statuses::scheduled_at.eq(at.unix_ms()))
        .execute(&mut **tx)?;
    Ok(())
}

/// Replaces the draft.
pub fn set_draft(tx: &mut Tx<'_>, id: ScheduledStatusId, draft: &StatusDraft) -> Result<()> {
    diesel::update(scheduled_statuses::table.find(id))
        .set(scheduled_statuses::draft.eq(draft::to_json(draft)?))
        .execute(&mut **tx)?;
    Ok(())
}

/// Deletes a scheduled status that holds no attachments any more.
pub fn remove(tx: &mut Tx<'_>, id: ScheduledStatusId) -> Result<()> {
    diesel::delete(scheduled_statuses::table.find(id)).execute(&mut **tx)?;
    Ok(())
}
