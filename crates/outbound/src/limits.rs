//! How much another server may cost.

use std::time::Duration;

use tokio::time::Instant;

/// Bounds of one exchange, redirects included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest body that is read, in bytes, as it is after decompression.
    pub bytes: usize,
    /// From the first lookup to the last byte, over all redirects.
    pub time: Duration,
    /// How many redirects are followed.
    pub redirects: usize,
}

impl Limits {
    /// For a page of a stranger: a mebibyte within ten seconds, after five redirects at most.
    pub const PAGE: Self = Self { bytes: 1 << 20, time: Duration::from_secs(10), redirects: 5 };

    /// The same for an exchange that must be over by `end`, whatever it is allowed by itself.
    #[must_use]
    pub fn until(self, end: Instant) -> Self {
        Self { time: self.time.min(end.saturating_duration_since(Instant::now())), ..self }
    }
}
