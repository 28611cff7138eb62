//! Background jobs that staff look at: waiting ones and dead letters. Failed jobs can run again or
//! be discarded. The payload of a job is never shown, because it may contain private data.

use siskin_entities::{
    Actor, AuditAction, AuditTarget, JobState, Page, PageRequest, StoredJob, TargetKind, Timestamp,
};
use siskin_ids::JobId;
use siskin_persistence::{Conn, Tx, stored_jobs as rows};

use crate::{Error, Result, audit};

/// Maximum number of characters of an error.
const MAX_ERROR_CHARS: usize = 500;
/// Maximum number of characters of a word in an error. Longer ones may be secrets.
const MAX_WORD_CHARS: usize = 40;

/// Loads a page of the jobs in this state, newest first.
///
/// # Errors
/// Storage errors only.
pub fn list(
    conn: &mut Conn,
    state: JobState,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<StoredJob>> {
    let mut page = rows::list(conn, state, now, request)?;
    for job in &mut page.items {
        job.error = job.error.as_deref().map(without_private_words);
    }
    Ok(page)
}

/// Lets a failed job run again now, with all its attempts. Does nothing if it is due already.
/// Returns the job.
///
/// # Errors
/// [`Error::NotFound`] if it is done or was discarded; [`Error::Invalid`] if it is running or has
/// not failed.
pub fn retry(tx: &mut Tx<'_>, actor: Actor, id: JobId) -> Result<StoredJob> {
    let job = failed(tx, id)?;
    let now = tx.now();
    // A job that someone just retried has no attempts. Its time may be later than `now`, because
    // this transaction may have waited for the other one.
    let waits = job.attempts > 0 && job.run_at > now;
    if job.state == JobState::Dead || waits {
        rows::retry(tx, id)?;
        audit::record(tx, actor, AuditAction::Retry, &target(&job))?;
    }
    let mut job = rows::find(tx, id, now)?.ok_or(Error::NotFound)?;
    job.error = job.error.as_deref().map(without_private_words);
    Ok(job)
}

/// Deletes a failed job. What it was to do will not happen.
///
/// # Errors
/// As [`retry`].
pub fn discard(tx: &mut Tx<'_>, actor: Actor, id: JobId) -> Result<()> {
    let job = failed(tx, id)?;
    rows::delete(tx, id)?;
    audit::record(tx, actor, AuditAction::Delete, &target(&job))
}

/// Loads a failed job and locks it, so that parallel decisions see each other.
fn failed(tx: &mut Tx<'_>, id: JobId) -> Result<StoredJob> {
    let job = rows::lock(tx, id)?.ok_or(Error::NotFound)?;
    if job.is_running {
        return Err(Error::validation("Job is running"));
    }
    if !job.has_failed() {
        return Err(Error::validation("Job has not failed"));
    }
    Ok(job)
}

fn target(job: &StoredJob) -> AuditTarget {
    audit::target(TargetKind::Job, job.id.get(), job.kind.clone())
}

/// Returns an error without words that may be private: email addresses, handles, the paths of URLs
/// and long words. Servers repeat those of a request in their messages.
fn without_private_words(error: &str) -> String {
    let words: Vec<_> = error.split_whitespace().map(without_private_part).collect();
    let text = words.join(" ");
    let mut characters = text.chars();
    let short: String = characters.by_ref().take(MAX_ERROR_CHARS).collect();
    if characters.next().is_some() { format!("{short}…") } else { short }
}

fn without_private_part(word: &str) -> String {
    const HIDDEN: &str = "[…]";
    let is_long = |text: &str| text.chars().count() > MAX_WORD_CHARS;
    if word.contains('@') {
        return HIDDEN.to_owned();
    }
    match word.split_once("://") {
        Some((scheme, rest)) => {
            let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
            if is_long(scheme) || is_long(host) {
                HIDDEN.to_owned()
            } else if host.len() < rest.len() {
                format!("{scheme}://{host}/{HIDDEN}")
            } else {
                word.to_owned()
            }
        }
        None if is_long(word) => HIDDEN.to_owned(),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn errors_lose_their_private_words() {
        for (error, shown) in [
            ("the host answered 500", "the host answered 500"),
            ("550 <bob@mail.test>: unknown user", "550 […] unknown user"),
            (
                "cannot reach https://a.test/u/bob?token=1 now",
                "cannot reach https://a.test/[…] now",
            ),
            ("cannot reach https://a.test: refused", "cannot reach https://a.test: refused"),
            ("see https://bob:pw@a.test/x", "see […]"),
            ("key 0123456789012345678901234567890123456789x is wrong", "key […] is wrong"),
            ("Key (email_key)=(bob@mail.test) already exists", "Key […] already exists"),
        ] {
            assert_eq!(without_private_words(error), shown);
        }
        let long = without_private_words(&"word ".repeat(1000));
        assert_eq!(long.chars().count(), MAX_ERROR_CHARS + 1);
    }

    proptest! {
        #[test]
        fn no_address_is_left(text in ".{0,80}", name in "[a-z]{1,8}", host in "[a-z]{1,8}") {
            let shown = without_private_words(&format!("{text} {name}@{host}.test {text}"));
            let address = format!("{name}@{host}");
            prop_assert!(!shown.contains(&address), "{}", shown);
        }
    }
}
