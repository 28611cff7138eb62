//! Limits on the memory and time that request bodies take, over all requests of the process.

use std::{
    collections::HashMap,
    fmt,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use actix_web::web::Data;
use tokio::time::Instant;

use super::Error;
use crate::limits::Subject;

/// Maximum number of bytes of all bodies in memory.
const MAX_TOTAL_BYTES: usize = 64 << 20;
/// Maximum number of bytes of the bodies of one account or address.
const MAX_BYTES_PER_SUBJECT: usize = 8 << 20;
/// Body size up to which a request is always accepted, in bytes: posts are accepted even if the
/// server is busy. The connection limit bounds their number.
const ALWAYS_ACCEPTED_BYTES: usize = 64 << 10;
/// Maximum number of requests with files that one account may send at the same time.
const MAX_UPLOADS_PER_SUBJECT: usize = 8;

/// Memory and uploads in use by request bodies.
#[derive(Default)]
pub(crate) struct Bodies {
    usage: Mutex<Usage>,
}

#[derive(Default)]
struct Usage {
    total: usize,
    of: HashMap<Subject, Share>,
}

/// The part that one account or address uses.
#[derive(Default, Clone, Copy)]
struct Share {
    bytes: usize,
    uploads: usize,
}

impl fmt::Debug for Bodies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bodies")
    }
}

impl Bodies {
    fn with<T>(&self, body: impl FnOnce(&mut Usage) -> T) -> T {
        body(&mut self.usage.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Memory reserved for one body, released when it is dropped.
#[derive(Debug)]
pub(super) struct Memory {
    /// `None` if nothing is counted, as in tests of the decoder alone.
    counted: Option<(Data<Bodies>, Subject)>,
    bytes: usize,
    is_upload: bool,
}

impl Memory {
    /// Starts the accounting of a body that this account or address sends.
    pub(super) fn of(bodies: Option<Data<Bodies>>, subject: Subject) -> Self {
        Self { counted: bodies.map(|bodies| (bodies, subject)), bytes: 0, is_upload: false }
    }

    /// Reserves memory for `more` bytes.
    ///
    /// # Errors
    /// [`Error::Busy`] if the body is large and too much memory is in use already.
    pub(super) fn grow(&mut self, more: usize) -> Result<(), Error> {
        let Some((bodies, subject)) = &self.counted else { return Ok(()) };
        let is_small = self.bytes + more <= ALWAYS_ACCEPTED_BYTES;
        bodies.with(|usage| {
            let share = usage.of.entry(subject.clone()).or_default();
            let fits = share.bytes + more <= MAX_BYTES_PER_SUBJECT
                && usage.total + more <= MAX_TOTAL_BYTES;
            if !(is_small || fits) {
                return Err(Error::Busy);
            }
            share.bytes += more;
            usage.total += more;
            Ok(())
        })?;
        self.bytes += more;
        Ok(())
    }

    /// Counts the request as an upload of files.
    ///
    /// # Errors
    /// [`Error::Busy`] if the sender has too many of them already.
    pub(super) fn begin_upload(&mut self) -> Result<(), Error> {
        let Some((bodies, subject)) = &self.counted else { return Ok(()) };
        if self.is_upload {
            return Ok(());
        }
        bodies.with(|usage| {
            let share = usage.of.entry(subject.clone()).or_default();
            if share.uploads >= MAX_UPLOADS_PER_SUBJECT {
                return Err(Error::Busy);
            }
            share.uploads += 1;
            Ok(())
        })?;
        self.is_upload = true;
        Ok(())
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let Some((bodies, subject)) = &self.counted else { return };
        bodies.with(|usage| {
            let Some(share) = usage.of.get_mut(subject) else { return };
            share.bytes -= self.bytes;
            share.uploads -= usize::from(self.is_upload);
            usage.total -= self.bytes;
            if share.bytes == 0 && share.uploads == 0 {
                usage.of.remove(subject);
            }
        });
    }
}

/// Maximum time without new bytes. Short enough to drop dead clients, long enough for a brief
/// network outage.
const STALL: Duration = Duration::from_secs(30);
/// Time that any body may take.
const GRACE: Duration = Duration::from_secs(30);
/// Minimum average rate after that time, in bytes per second.
const MIN_RATE: f64 = 8192.0;
/// Maximum time for a body that is collected in memory.
const IN_MEMORY: Duration = Duration::from_secs(120);
/// Maximum time for a body with files that go to disk.
const ON_DISK: Duration = Duration::from_secs(3600);

/// The deadlines of one body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadlines {
    begun: Instant,
    bytes: usize,
    max_duration: Duration,
}

impl Deadlines {
    /// Starts the deadlines now. `on_disk` is `true` if files of the body go to disk.
    pub(super) fn begin(on_disk: bool) -> Self {
        let max_duration = if on_disk { ON_DISK } else { IN_MEMORY };
        Self { begun: Instant::now(), bytes: 0, max_duration }
    }

    /// Counts received bytes.
    pub(super) const fn add(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    /// Returns the time by which more bytes have to arrive.
    pub(super) fn deadline(&self) -> Instant {
        let allowed = GRACE + Duration::from_secs_f64(self.bytes as f64 / MIN_RATE);
        (self.begun + allowed.min(self.max_duration)).min(Instant::now() + STALL)
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    fn address(last: u8) -> Subject {
        Subject::Address(IpAddr::from([192, 0, 2, last]))
    }

    #[test]
    fn memory_is_limited_per_subject_and_small_bodies_are_always_accepted() {
        let bodies = Data::new(Bodies::default());
        let memory = |last| Memory::of(Some(bodies.clone()), address(last));
        let mut large = memory(1);
        assert_eq!(large.grow(MAX_BYTES_PER_SUBJECT), Ok(()));
        assert_eq!(large.grow(1), Err(Error::Busy));
        let mut second = memory(1);
        assert_eq!(second.grow(ALWAYS_ACCEPTED_BYTES), Ok(()));
        assert_eq!(second.grow(1), Err(Error::Busy));
        let others: Vec<_> = (2..9)
            .map(|last| {
                let mut memory = memory(last);
                memory.grow(MAX_BYTES_PER_SUBJECT - ALWAYS_ACCEPTED_BYTES).map(|()| memory)
            })
            .collect();
        assert!(others.iter().all(Result::is_ok));
        assert_eq!(memory(20).grow(MAX_BYTES_PER_SUBJECT), Err(Error::Busy));
        assert_eq!(memory(20).grow(ALWAYS_ACCEPTED_BYTES), Ok(()));
        drop((large, second, others));
        assert_eq!(memory(20).grow(MAX_BYTES_PER_SUBJECT), Ok(()));
        assert!(bodies.with(|usage| usage.of.is_empty() && usage.total == 0));
    }

    #[test]
    fn concurrent_uploads_of_one_account_are_limited() {
        let bodies = Data::new(Bodies::default());
        let memory = |last| Memory::of(Some(bodies.clone()), address(last));
        let mut uploads: Vec<_> = (0..MAX_UPLOADS_PER_SUBJECT).map(|_| memory(1)).collect();
        for upload in &mut uploads {
            assert_eq!((upload.begin_upload(), upload.begin_upload()), (Ok(()), Ok(())));
        }
        assert_eq!(memory(1).begin_upload(), Err(Error::Busy));
        assert_eq!(memory(2).begin_upload(), Ok(()));
        uploads.pop();
        assert_eq!(memory(1).begin_upload(), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_has_a_minimum_rate_and_a_maximum_duration() {
        let begun = Instant::now();
        let mut deadlines = Deadlines::begin(false);
        assert_eq!(deadlines.deadline(), begun + GRACE);
        tokio::time::advance(Duration::from_secs(20)).await;
        assert_eq!(deadlines.deadline(), begun + GRACE, "the time limit is running");
        deadlines.add(8192 * 10);
        assert_eq!(deadlines.deadline(), begun + GRACE + Duration::from_secs(10));
        deadlines.add(8192 * 1000);
        assert_eq!(deadlines.deadline(), Instant::now() + STALL);
        tokio::time::advance(Duration::from_secs(90)).await;
        assert_eq!(deadlines.deadline(), begun + IN_MEMORY);
        let mut on_disk = Deadlines::begin(true);
        on_disk.add(8192 * 1000);
        tokio::time::advance(Duration::from_secs(1000)).await;
        assert_eq!(on_disk.deadline(), Instant::now() + STALL);
    }
}
