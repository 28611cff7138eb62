//! Inserts and updates scheduled statuses. [`crate::media::reserve()`] assigns their attachments.

use diesel::prelude::*;
use serde_json::json;
use siskin_entities::{Timestamp, Visibility, polls::Definition};
use siskin_ids::{AccountId, ApplicationId, ScheduledStatusId, StatusId};
use siskin_text::ContentType;

use super::stored_poll;
use crate::{Result, Tx, schema::scheduled_statuses};

/// A new scheduled status.
#[derive(Debug, Clone)]
pub struct NewScheduled<'a> {
    pub id: ScheduledStatusId,
    pub account: AccountId,
    pub at: Timestamp,
    pub text: &'a str,
    pub spoiler_text: &'a str,
    pub content_type: ContentType,
    pub visibility: Visibility,
    pub sensitive: bool,
    pub language: Option<&'a str>,
    pub in_reply_to: Option<StatusId>,
    pub application: Option<ApplicationId>,
    pub poll: Option<&'a Definition>,
    pub allowed_mentions: Option<&'a [AccountId]>,
}

/// Inserts a scheduled status without attachments.
pub fn insert(tx: &mut Tx<'_>, new: &NewScheduled<'_>) -> Result<()> {
    let row = (
        scheduled_statuses::id.eq(new.id),
        scheduled_statuses::account_id.eq(new.account),
        scheduled_statuses::scheduled_at.eq(new.at.unix_ms()),
        scheduled_statuses::text.eq(new.text),
        scheduled_statuses::spoiler_text.eq(new.spoiler_text),
        scheduled_statuses::content_type.eq(new.content_type.number()),
        scheduled_statuses::visibility.eq(new.visibility.number()),
        scheduled_statuses::sensitive.eq(new.sensitive),
        scheduled_statuses::language.eq(new.language),
        scheduled_statuses::in_reply_to_id.eq(new.in_reply_to),
        scheduled_statuses::application_id.eq(new.application),
        scheduled_statuses::poll.eq(new.poll.map(stored_poll::write)),
        scheduled_statuses::allowed_mentions
            .eq(new.allowed_mentions.map(|ids| json!(ids).to_string())),
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

/// Sets the text and the spoiler text.
pub fn set_text(
    tx: &mut Tx<'_>,
    id: ScheduledStatusId,
    text: &str,
    spoiler_text: &str,
) -> Result<()> {
    diesel::update(scheduled_statuses::table.find(id))
        .set((scheduled_statuses::text.eq(text), scheduled_statuses::spoiler_text.eq(spoiler_text)))
        .execute(&mut **tx)?;
    Ok(())
}

/// Deletes a scheduled status that holds no attachments any more.
pub fn remove(tx: &mut Tx<'_>, id: ScheduledStatusId) -> Result<()> {
    diesel::delete(scheduled_statuses::table.find(id)).execute(&mut **tx)?;
    Ok(())
}
