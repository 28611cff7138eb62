//! Work that is done after the request: what a job is, and when one that failed is tried again.
//!
//! A kind of job is a type that implements [`Job`]: its fields are all that the work needs to be
//! told. [`enqueue`] it in the transaction of what caused it. What runs it is registered with the
//! running instance (crate `app`, `JobHandler`). A job runs at least once, so doing it twice must
//! be the same as doing it once.

use std::time::Duration;

use serde::{Serialize, de::DeserializeOwned};
use siskin_entities::Timestamp;
use siskin_ids::{AccountId, JobId};
use siskin_persistence::{Tx, jobs};
use url::Url;

use crate::{Error, Result};

/// How often a job is tried at most: over one and a half days.
pub const ATTEMPTS: u32 = 16;
const FIRST_DELAY: Duration = Duration::from_secs(10);
const LONGEST_DELAY: Duration = Duration::from_secs(6 * 3600);

/// A kind of job. The stored form must be understood by later versions: fields may be added with
/// a default, and are not renamed.
pub trait Job: Serialize + DeserializeOwned {
    /// The name in the table of jobs.
    const KIND: &'static str;
}

/// A kind of job that waits for other servers, or occupies a processor for long. Accounts take turns,
/// and so do hosts: one job of a kind runs for an account at a time, and jobs of an account that
/// has many wait behind those of others.
pub trait TakesTurns: Job {
    /// How long one such job may run.
    const PACE: Duration;
}

/// Leaves a job to be run when it is the turn of `owner`, and of the host of `address` if there is
/// one.
///
/// # Errors
/// Whatever the database meets.
pub fn enqueue_in_turn<J: TakesTurns>(
    tx: &mut Tx<'_>,
    job: &J,
    owner: AccountId,
    address: Option<&str>,
) -> Result<JobId> {
    let payload = serde_json::to_string(job).map_err(Error::internal)?;
    let host = address.and_then(|address| Url::parse(address).ok());
    let host = host.and_then(|url| url.host_str().map(str::to_ascii_lowercase));
    let turn = jobs::Turn { owner, host, pace: J::PACE };
    Ok(jobs::insert_in_turn(tx, J::KIND, &payload, &turn)?)
}

/// Leaves a job to be run right after the commit.
///
/// # Errors
/// Whatever the database meets.
pub fn enqueue<J: Job>(tx: &mut Tx<'_>, job: &J) -> Result<JobId> {
    let now = tx.now();
    enqueue_at(tx, job, now)
}

/// Leaves a job to be run at `run_at` or soon after.
///
/// # Errors
/// Whatever the database meets.
pub fn enqueue_at<J: Job>(tx: &mut Tx<'_>, job: &J, run_at: Timestamp) -> Result<JobId> {
    let payload = serde_json::to_string(job).map_err(Error::internal)?;
    Ok(jobs::insert(tx, J::KIND, &payload, run_at)?)
}

/// Takes back a job that was left for this time, unless it is being run.
///
/// # Errors
/// Whatever the database meets.
pub fn withdraw<J: Job>(tx: &mut Tx<'_>, job: &J, run_at: Timestamp) -> Result<()> {
    let payload = serde_json::to_string(job).map_err(Error::internal)?;
    Ok(jobs::withdraw(tx, J::KIND, &payload, run_at)?)
}

/// Reads a job back from its stored form.
///
/// # Errors
/// [`Error::Internal`] where it is not one that this program writes.
pub fn read<J: Job>(payload: &str) -> Result<J> {
    serde_json::from_str(payload).map_err(Error::internal)
}

/// When a job that failed at `now`, in its `attempts`th attempt, is tried again; None where it
/// was the last. Each delay is twice the one before, up to six hours.
#[must_use]
pub fn retry_at(now: Timestamp, attempts: u32) -> Option<Timestamp> {
    let doublings = attempts.saturating_sub(1).min(16);
    let delay = FIRST_DELAY.saturating_mul(1 << doublings).min(LONGEST_DELAY);
    (attempts < ATTEMPTS).then(|| now.after(delay))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_six_hours_and_end() {
        let delay =
            |attempts| retry_at(Timestamp::from_unix_ms(0), attempts).map(Timestamp::unix_seconds);
        assert_eq!(delay(1), Some(10));
        assert_eq!(delay(2), Some(20));
        assert_eq!(delay(12), Some(20_480));
        assert_eq!(delay(13), Some(21_600));
        assert_eq!(delay(15), Some(21_600));
        assert_eq!(delay(16), None);
        assert_eq!(delay(u32::MAX), None);
    }
}
