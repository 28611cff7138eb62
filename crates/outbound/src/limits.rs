//! Limits of requests to remote servers.

use std::time::Duration;

use tokio::time::Instant;

/// Limits of one request, including its redirects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum length of the body in bytes, after decompression.
    pub bytes: usize,
    /// Maximum time from the first name lookup to the last byte, over all redirects.
    pub time: Duration,
    /// Maximum number of redirects.
    pub redirects: usize,
}

impl Limits {
    /// Limits for arbitrary web pages: one mebibyte within ten seconds, after at most five
    /// redirects.
    pub const PAGE: Self = Self { bytes: 1 << 20, time: Duration::from_secs(10), redirects: 5 };

    /// Shortens the time limit so that the request ends at `end` at the latest.
    #[must_use]
    pub fn until(self, end: Instant) -> Self {
        Self { time: self.time.min(end.saturating_duration_since(Instant::now())), ..self }
    }
}
