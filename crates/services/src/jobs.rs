//! Background jobs: definition of a job, and the times of retries.
//!
//! A kind of job is a type that implements [`Job`]. Its fields are all the input of the work. Call
//! [`enqueue`] in the transaction of the cause. The handler is registered with the running instance
//! (crate `app`, `JobHandler`). A job runs at least once, so it must be idempotent.

use std::time::Duration;

use serde::{Serialize, de::DeserializeOwned};
use siskin_entities::Timestamp;
use siskin_ids::{AccountId, JobId};
use siskin_persistence::{Tx, jobs};
use url::Url;

use crate::{Error, Result};

/// Maximum number of attempts of a job. They span more than one and a half days.
pub const ATTEMPTS: u32 = 16;
const FIRST_DELAY: Duration = Duration::from_secs(10);
const MAX_DELAY: Duration = Duration::from_secs(6 * 3600);

/// Kind of job. Later versions must be able to read the stored form: fields may be added with a
/// default, and must not be renamed.
pub trait Job: Serialize + DeserializeOwned {
    /// Name of the kind in the job table.
    const KIND: &'static str;
}

/// Kind of job that waits for other servers, or needs a processor for long. Accounts take turns,
/// and so do hosts. One job of a kind runs for an account at a time. Jobs of an account with many
/// jobs wait behind those of other accounts.
pub trait TakesTurns: Job {
    /// Assumed duration of such a job. Each waiting job of the same owner and kind, or of the same
    /// host, moves the turn of a new job back by this time.
    const PACE: Duration;
}

/// Enqueues a job that runs when it is the turn of `owner`, and of the host of `address` if there
/// is one.
///
/// # Errors
/// Storage errors only.
pub fn enqueue_in_turn<J: TakesTurns>(
    tx: &mut Tx<'_>,
    job: &J,
    owner: AccountId,
    address: Option<&str>,
) -> Result<JobId> {
    let payload = serde_json::to_string(job).map_err(Error::internal)?;
    let turn = jobs::Turn { owner, host: host(address), pace: J::PACE };
    Ok(jobs::insert_in_turn(tx, J::KIND, &payload, &turn)?)
}

/// A job with its owner, for [`enqueue_many_in_turn`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InTurn<'a, J> {
    pub job: J,
    /// `None` if the job is for many accounts.
    pub owner: Option<AccountId>,
    /// Address of the host that the job waits for.
    pub address: Option<&'a str>,
}

/// Enqueues up to a thousand jobs that run at `run_at` or later, each as in [`enqueue_in_turn`].
/// The number of statements does not depend on the number of jobs.
///
/// # Errors
/// Storage errors only.
pub fn enqueue_many_in_turn<J: TakesTurns>(
    tx: &mut Tx<'_>,
    new: &[InTurn<'_, J>],
    run_at: Timestamp,
) -> Result<()> {
    let owned = |one: &InTurn<'_, J>| -> Result<_> {
        let payload = serde_json::to_string(&one.job).map_err(Error::internal)?;
        Ok(jobs::OwnedJob { payload, owner: one.owner, host: host(one.address) })
    };
    let owned: Vec<_> = new.iter().map(owned).collect::<Result<_>>()?;
    Ok(jobs::insert_many_in_turn(tx, J::KIND, J::PACE, run_at, &owned)?)
}

/// Returns the host of an address in lower case.
pub(crate) fn host(address: Option<&str>) -> Option<String> {
    let url = address.and_then(|address| Url::parse(address).ok());
    url.and_then(|url| url.host_str().map(str::to_ascii_lowercase))
}

/// Enqueues a job that runs right after the commit.
///
/// # Errors
/// Storage errors only.
pub fn enqueue<J: Job>(tx: &mut Tx<'_>, job: &J) -> Result<JobId> {
    let now = tx.now();
    enqueue_at(tx, job, now)
}

/// Enqueues a job that runs at `run_at` or soon after.
///
/// # Errors
/// Storage errors only.
pub fn enqueue_at<J: Job>(tx: &mut Tx<'_>, job: &J, run_at: Timestamp) -> Result<JobId> {
    let payload = serde_json::to_string(job).map_err(Error::internal)?;
    Ok(jobs::insert(tx, J::KIND, &payload, run_at)?)
}

/// Enqueues up to a thousand jobs that run at `run_at` or soon after, with one statement.
///
/// # Errors
/// Storage errors only.
pub fn enqueue_many_at<J: Job>(tx: &mut Tx<'_>, new: &[J], run_at: Timestamp) -> Result<()> {
    let payload = |job: &J| serde_json::to_string(job).map_err(Error::internal);
    let payloads: Vec<String> = new.iter().map(payload).collect::<Result<_>>()?;
    Ok(jobs::insert_many(tx, J::KIND, &payloads, run_at)?)
}

/// Removes a job that was enqueued for `run_at`, unless it is running.
///
/// # Errors
/// Storage errors only.
pub fn withdraw<J: Job>(tx: &mut Tx<'_>, job: &J, run_at: Timestamp) -> Result<()> {
    let payload = serde_json::to_string(job).map_err(Error::internal)?;
    Ok(jobs::withdraw(tx, J::KIND, &payload, run_at)?)
}

/// Parses a job from its stored form.
///
/// # Errors
/// [`Error::Internal`] if this program cannot have written it.
pub fn read<J: Job>(payload: &str) -> Result<J> {
    serde_json::from_str(payload).map_err(Error::internal)
}

/// Returns the time of the next attempt of a job that failed at `now` in attempt number `attempts`.
/// Returns `None` if that was the last attempt. Each delay is twice the previous one, up to six
/// hours.
#[must_use]
pub fn retry_at(now: Timestamp, attempts: u32) -> Option<Timestamp> {
    let doublings = attempts.saturating_sub(1).min(16);
    let delay = FIRST_DELAY.saturating_mul(1 << doublings).min(MAX_DELAY);
    (attempts < ATTEMPTS).then(|| now.after(delay))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_delays_double_up_to_six_hours_and_end() {
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
