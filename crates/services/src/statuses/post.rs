//! What a client posts: a status that is published at once, or one that waits for its time. Sent
//! again with the same key, it is the one that it was.

use siskin_entities::{ScheduledStatus, Timestamp};
use siskin_ids::{AccountId, ScheduledStatusId, StatusId};
use siskin_persistence::{Tx, idempotency, scheduled as scheduled_rows};
use siskin_policy::limits::IDEMPOTENCY_KEY_KEPT;

use super::{Prepared, publish, schedule};
use crate::{Instance, Result, secrets};

/// A prepared status, and what is to be done with it.
#[derive(Debug, Clone)]
pub struct Post {
    prepared: Prepared,
    /// None: at once.
    at: Option<Timestamp>,
    /// The hash of what the client sent.
    key: Option<String>,
}

impl Post {
    /// To be published at this time, or now; `key` is the client's own for this post.
    #[must_use]
    pub fn new(prepared: Prepared, at: Option<Timestamp>, key: Option<&str>) -> Self {
        Self { prepared, at, key: key.map(secrets::hash) }
    }
}

/// What became of a post.
#[derive(Debug, Clone)]
pub enum Posted {
    /// The status with this id is there; of a repeated post it may be gone since.
    Published(StatusId),
    Scheduled(Box<ScheduledStatus>),
}

/// Publishes a post or keeps it for its time. Returns what became of it, or of the post with the same
/// key before: also where one of the two posts has a time and the other has none, and where what was
/// scheduled has been published since.
///
/// # Errors
/// As [`super::apply`]; [`crate::Error::Invalid`] for a time that is too near, and where too much is
/// scheduled already.
pub fn post(
    tx: &mut Tx<'_>,
    instance: &Instance,
    account: AccountId,
    post: &Post,
) -> Result<Posted> {
    let id = tx.next_id();
    if let Some(key) = &post.key
        && let Some(earlier) = idempotency::claim(tx, account, key, id, IDEMPOTENCY_KEY_KEPT)?
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
    publish::publish(tx, instance, account, id, &post.prepared, &admitted)?;
    Ok(Posted::Published(id))
}

fn posted_before(tx: &mut Tx<'_>, id: i64) -> Result<Posted> {
    if let Some(scheduled) = scheduled_rows::find(tx, ScheduledStatusId::new(id))? {
        return Ok(Posted::Scheduled(Box::new(scheduled)));
    }
    Ok(Posted::Published(StatusId::new(id)))
}
