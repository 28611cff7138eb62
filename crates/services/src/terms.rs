//! Emails to all users about new terms of service.
//!
//! A job enqueues the emails in batches. Each batch is one transaction with the job for the next one,
//! so a server that stops in between neither repeats nor skips users.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use siskin_entities::{Timestamp, time::Date};
use siskin_ids::AccountId;
use siskin_persistence::{Tx, instance_texts as rows, users};

use crate::{
    Result,
    emails::{Email, QueuedEmail, SendEmail},
    jobs::{self, Job},
};

/// Number of users of one batch.
const BATCH: i64 = 100;
/// Time between two batches, so that other emails do not wait behind thousands of these.
const PACE: Duration = Duration::from_secs(60);

/// Job that enqueues the emails to the next users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnnounceTerms {
    /// The midnight (UTC) with which the first day of the version begins, in milliseconds.
    pub first_day: i64,
    /// Time of the announcement. If staff announced the version again since, the job ends.
    pub announced_at: i64,
    /// The users up to this one have their email. `None` before the first batch.
    pub after: Option<AccountId>,
    /// Users with higher ids signed up later.
    pub last: AccountId,
}

impl Job for AnnounceTerms {
    const KIND: &'static str = "terms.announce";
}

/// Enqueues the emails about the version of the terms with this date. A version that did not change
/// is announced once. Returns `true` if it is announced now.
///
/// # Errors
/// Storage errors only.
pub(crate) fn announce(tx: &mut Tx<'_>, date: Date, is_changed: bool) -> Result<bool> {
    if !is_changed && rows::terms_announced_at(tx, date)?.is_some() {
        return Ok(false);
    }
    if !rows::announce_terms(tx, date)? {
        return Ok(false);
    }
    let job = AnnounceTerms {
        first_day: date.0.midnight().unix_ms(),
        announced_at: tx.now().unix_ms(),
        after: None,
        last: AccountId::new(tx.next_id()),
    };
    jobs::enqueue(tx, &job)?;
    Ok(true)
}

/// Runs one step of [`AnnounceTerms`], and enqueues another job for the rest. Ends early if staff
/// removed the version, or announced it again.
///
/// # Errors
/// Storage errors only.
pub fn announce_some(tx: &mut Tx<'_>, job: &AnnounceTerms) -> Result<()> {
    let date = Date(Timestamp::from_unix_ms(job.first_day));
    let announced_at = rows::terms_announced_at(tx, date)?;
    if announced_at != Some(Timestamp::from_unix_ms(job.announced_at)) {
        return Ok(());
    }
    let found = users::from_to(tx, job.after, job.last, BATCH)?;
    let email = |account: AccountId| SendEmail {
        letter: QueuedEmail::Single(Email::NewTerms { account, first_day: job.first_day }),
    };
    let active = found.iter().filter(|(_, is_active)| *is_active);
    let emails: Vec<SendEmail> = active.map(|(account, _)| email(*account)).collect();
    let now = tx.now();
    jobs::enqueue_many_at(tx, &emails, now)?;
    match found.last() {
        Some((after, _)) if i64::try_from(found.len()) == Ok(BATCH) => {
            let next = AnnounceTerms { after: Some(*after), ..*job };
            jobs::enqueue_at(tx, &next, now.after(PACE))?;
            Ok(())
        }
        _ => Ok(()),
    }
}
