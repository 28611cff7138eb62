//! Times as JSON strings.

use ::time::{OffsetDateTime, format_description::well_known::Rfc3339};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use siskin_entities::time::{Date, Timestamp};

/// Instant: `"2026-11-27T08:00:00.000Z"`. It is read from RFC 3339 with any offset, to the
/// millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instant(
    /// The time.
    pub Timestamp,
);

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse(&text).map(Self).ok_or_else(|| invalid(&text, "a time of RFC 3339"))
    }
}

/// Date (UTC): `"2026-11-27"`. A time of RFC 3339 is read as its date, because some servers send
/// one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day(Timestamp);

impl Day {
    /// Returns the day that contains this time.
    #[must_use]
    pub const fn of(time: Timestamp) -> Self {
        Self(time.midnight())
    }

    /// Returns the midnight (UTC) that begins the day.
    #[must_use]
    pub const fn midnight(self) -> Timestamp {
        self.0
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Date(self.0))
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let time = parse(&text).or_else(|| parse(&format!("{text}T00:00:00Z")));
        time.map(Self::of).ok_or_else(|| invalid(&text, "a date like 2026-11-27"))
    }
}

fn parse(text: &str) -> Option<Timestamp> {
    let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    let ms = time.unix_timestamp_nanos().div_euclid(1_000_000);
    i64::try_from(ms).ok().map(Timestamp::from_unix_ms)
}

fn invalid<E: de::Error>(text: &str, expected: &str) -> E {
    E::invalid_value(de::Unexpected::Str(text), &expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instant(text: &str) -> Option<i64> {
        let read = serde_json::from_value::<Instant>(text.into());
        read.ok().map(|instant| instant.0.unix_ms())
    }

    #[test]
    fn times_of_all_offsets_are_read() {
        assert_eq!(instant("1970-01-01T00:00:01.5Z"), Some(1500));
        assert_eq!(instant("1970-01-01T01:00:00+01:00"), Some(0));
        assert_eq!(instant("1969-12-31T23:59:59.9999Z"), Some(-1));
        for text in ["", "1970-01-01", "1970-01-01T00:00:00", "yesterday"] {
            assert_eq!(instant(text), None, "{text}");
        }
    }

    #[test]
    fn a_day_is_read_from_a_date_or_a_time() {
        let day = |text: &str| serde_json::from_value::<Day>(text.into()).ok();
        let expected = Day::of(Timestamp::from_unix_ms(951_825_600_000));
        assert_eq!(expected.midnight().to_string(), "2000-02-29T00:00:00.000Z");
        assert_eq!(day("2000-02-29"), Some(expected));
        assert_eq!(day("2000-02-29T23:59:59.999Z"), Some(expected));
        assert_eq!(day("2000-02-30"), None);
    }
}
