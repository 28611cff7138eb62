//! Posts of clients: a status that is published at once, or one that is scheduled. A repeated post
//! with the same idempotency key returns the earlier result.

use siskin_entities::{ScheduledStatus, Timestamp};
use siskin_ids::{AccountId, ScheduledStatusId, StatusId};
use siskin_persistence::{Tx, idempotency, scheduled as scheduled_rows};
use siskin_policy::limits::IDEMPOTENCY_KEY_LIFETIME;

use super::{Prepared, publish, schedule};
use crate::{Instance, Result, secrets};

/// Prepared status, with its time and idempotency key.
#[derive(Debug, Clone)]
pub struct Post {
    prepared: Prepared,
    /// `None` publishes at once.
    at: Option<Timestamp>,
    /// Hash of the key that the client sent.
    key: Option<String>,
}

impl Post {
    /// Builds a post that is published at this time, or now. `key` is the client's idempotency key.
    #[must_use]
    pub fn new(prepared: Prepared, at: Option<Timestamp>, key: Option<&str>) -> Self {
        Self { prepared, at, key: key.map(secrets::hash) }
    }
}

/// Result of a post.
#[derive(Debug, Clone)]
pub enum Posted {
    /// Id of the published status. For a repeated post, the status may be deleted since.
    Published(StatusId),
    Scheduled(Box<ScheduledStatus>),
}

/// Publishes or schedules a post. Returns the result, or that of the earlier post with the same
/// key. This holds even if only one of the two posts has a time, and if the scheduled status was
/// published since.
///
/// # Errors
/// As [`super::apply`]; [`crate::Error::Invalid`] for a time that is too near, and if too many
/// statuses are already scheduled.
pub fn post(
    tx: &mut Tx<'_>,
    instance: &Instance,
    account: AccountId,
    post: &Post,
) -> Result<Posted> {
    let id = tx.next_id();
    if let Some(key) = &post.key
        && let Some(earlier) = idempotency::claim(tx, account, key, id, IDEMPOTENCY_KEY_LIFETIME)?
    {
        return posted_before(tx, earlier);
    }
    if let Some(at) = post.at {
        let id = ScheduledStatusId::new(id);
        let scheduled = schedule::schedule(tx, instance, account, id, at, &post.prepared)?;
        return Ok(Posted::Scheduled(Box::new(scheduled)));
    }
    let admitted = publish::admit(tx, account, &post.prepared, None)?;
    let id = StatusId::new(id);
    publish::publish(tx, instance, account, id, &post.prepared, admitted)?;
    Ok(Posted::Published(id))
}

fn posted_before(tx: &mut Tx<'_>, id: i64) -> Result<Posted> {
    if let Some(scheduled) = scheduled_rows::find(tx, ScheduledStatusId::new(id))? {
        return Ok(Posted::Scheduled(Box::new(scheduled)));
    }
    Ok(Posted::Published(StatusId::new(id)))
}
