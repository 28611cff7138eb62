//! Times as JSON strings.

use serde::{Serialize, Serializer};
use siskin_entities::time::{Date, Timestamp};

/// Instant: `"2026-11-27T08:00:00.000Z"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instant(pub Timestamp);

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// Date (UTC): `"2026-11-27"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day(pub Timestamp);

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Date(self.0))
    }
}
