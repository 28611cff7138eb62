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
const TOTAL: usize = 64 << 20;
/// Maximum number of bytes of the bodies of one account or address.
const OF_ONE: usize = 8 << 20;
/// Body size up to which a request is always accepted, in bytes: posts are accepted even if the
/// server is busy. The connection limit bounds their number.
const ALWAYS: usize = 64 << 10;
/// Maximum number of requests with files that one account may send at the same time.
const UPLOADS_OF_ONE: usize = 8;

/// Memory and uploads in use by request bodies.
#[derive(Default)]
pub(crate) struct Bodies {
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
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
    fn with<T>(&self, body: impl FnOnce(&mut Taken) -> T) -> T {
        body(&mut self.taken.lock().unwrap_or_else(PoisonError::into_inner))
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
        let is_small = self.bytes + more <= ALWAYS;
        bodies.with(|taken| {
            let share = taken.of.entry(subject.clone()).or_default();
            let fits = share.bytes + more <= OF_ONE && taken.total + more <= TOTAL;
            if !(is_small || fits) {
                return Err(Error::Busy);
            }
            share.bytes += more;
            taken.total += more;
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
        bodies.with(|taken| {
            let share = taken.of.entry(subject.clone()).or_default();
            if share.uploads >= UPLOADS_OF_ONE {
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
        bodies.with(|taken| {
            let Some(share) = taken.of.get_mut(subject) else { return };
            share.bytes -= self.bytes;
            share.uploads -= usize::from(self.is_upload);
            taken.total -= self.bytes;
            if share.bytes == 0 && share.uploads == 0 {
                taken.of.remove(subject);
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
const RATE: f64 = 8192.0;
/// Maximum time for a body that is collected in memory.
const IN_MEMORY: Duration = Duration::from_secs(120);
/// Maximum time for a body with files that go to disk.
const ON_DISK: Duration = Duration::from_secs(3600);

/// The deadlines of one body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    begun: Instant,
    bytes: usize,
    longest: Duration,
}

impl Pace {
    /// Starts the deadlines now. `on_disk` is `true` if files of the body go to disk.
    pub(super) fn begin(on_disk: bool) -> Self {
        let longest = if on_disk { ON_DISK } else { IN_MEMORY };
        Self { begun: Instant::now(), bytes: 0, longest }
    }

    /// Counts received bytes.
    pub(super) const fn add(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    /// Returns the time by which more bytes have to arrive.
    pub(super) fn deadline(&self) -> Instant {
        let paced = GRACE + Duration::from_secs_f64(self.bytes as f64 / RATE);
        (self.begun + paced.min(self.longest)).min(Instant::now() + STALL)
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
    fn nobody_takes_more_than_a_share_and_small_bodies_are_always_taken() {
        let bodies = Data::new(Bodies::default());
        let memory = |last| Memory::of(Some(bodies.clone()), address(last));
        let mut large = memory(1);
        assert_eq!(large.grow(OF_ONE), Ok(()));
        assert_eq!(large.grow(1), Err(Error::Busy));
        let mut second = memory(1);
        assert_eq!(second.grow(ALWAYS), Ok(()));
        assert_eq!(second.grow(1), Err(Error::Busy));
        let others: Vec<_> = (2..9)
            .map(|last| {
                let mut memory = memory(last);
                memory.grow(OF_ONE - ALWAYS).map(|()| memory)
            })
            .collect();
        assert!(others.iter().all(Result::is_ok));
        assert_eq!(memory(20).grow(OF_ONE), Err(Error::Busy));
        assert_eq!(memory(20).grow(ALWAYS), Ok(()));
        drop((large, second, others));
        assert_eq!(memory(20).grow(OF_ONE), Ok(()));
        assert!(bodies.with(|taken| taken.of.is_empty() && taken.total == 0));
    }

    #[test]
    fn one_account_sends_so_many_files_at_the_same_time() {
        let bodies = Data::new(Bodies::default());
        let memory = |last| Memory::of(Some(bodies.clone()), address(last));
        let mut uploads: Vec<_> = (0..UPLOADS_OF_ONE).map(|_| memory(1)).collect();
        for upload in &mut uploads {
            assert_eq!((upload.begin_upload(), upload.begin_upload()), (Ok(()), Ok(())));
        }
        assert_eq!(memory(1).begin_upload(), Err(Error::Busy));
        assert_eq!(memory(2).begin_upload(), Ok(()));
        uploads.pop();
        assert_eq!(memory(1).begin_upload(), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_keeps_a_pace_and_ends_some_time() {
        let begun = Instant::now();
        let mut pace = Pace::begin(false);
        assert_eq!(pace.deadline(), begun + GRACE);
        tokio::time::advance(Duration::from_secs(20)).await;
        assert_eq!(pace.deadline(), begun + GRACE, "the time limit is running");
        pace.add(8192 * 10);
        assert_eq!(pace.deadline(), begun + GRACE + Duration::from_secs(10));
        pace.add(8192 * 1000);
        assert_eq!(pace.deadline(), Instant::now() + STALL);
        tokio::time::advance(Duration::from_secs(90)).await;
        assert_eq!(pace.deadline(), begun + IN_MEMORY);
        let mut on_disk = Pace::begin(true);
        on_disk.add(8192 * 1000);
        tokio::time::advance(Duration::from_secs(1000)).await;
        assert_eq!(on_disk.deadline(), Instant::now() + STALL);
    }
}
