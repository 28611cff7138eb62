//! Activity on the instance by week.

use crate::Timestamp;

/// Length of a week in milliseconds.
const MS_PER_WEEK: i64 = 7 * 86_400_000;
/// The first Monday after the beginning of unix time, 1970-01-05.
const FIRST_MONDAY: i64 = 4 * 86_400_000;

/// A week that begins on Monday at midnight (UTC).
///
/// ```
/// use siskin_entities::{Timestamp, activity::Week};
///
/// let week = Week::of(Timestamp::from_unix_ms(1_795_766_400_123));
/// assert_eq!(week.start().to_string(), "2026-11-23T00:00:00.000Z");
/// assert_eq!(week.before(1).end(), week.start());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Week(Timestamp);

impl Week {
    /// Returns the week that contains this time.
    #[must_use]
    pub const fn of(time: Timestamp) -> Self {
        let into = (time.unix_ms() - FIRST_MONDAY).rem_euclid(MS_PER_WEEK);
        Self(Timestamp::from_unix_ms(time.unix_ms() - into))
    }

    /// Returns the Monday with which the week begins.
    #[must_use]
    pub const fn start(self) -> Timestamp {
        self.0
    }

    /// Returns the Monday with which the next week begins.
    #[must_use]
    pub const fn end(self) -> Timestamp {
        Timestamp::from_unix_ms(self.0.unix_ms() + MS_PER_WEEK)
    }

    /// Returns the week that began this number of weeks earlier.
    #[must_use]
    pub const fn before(self, weeks: i64) -> Self {
        Self(Timestamp::from_unix_ms(self.0.unix_ms() - weeks * MS_PER_WEEK))
    }
}

/// Numbers of one week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeeklyActivity {
    /// The week.
    pub week: Week,
    /// Public and unlisted statuses that local accounts published, with reblogs.
    pub statuses: i64,
    /// Local users that were active.
    pub logins: i64,
    /// Local accounts that were created and admitted, and still exist.
    pub registrations: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_begin_on_monday() {
        let start = |ms| Week::of(Timestamp::from_unix_ms(ms)).start().to_string();
        assert_eq!(start(0), "1969-12-29T00:00:00.000Z");
        assert_eq!(start(FIRST_MONDAY - 1), "1969-12-29T00:00:00.000Z");
        assert_eq!(start(FIRST_MONDAY), "1970-01-05T00:00:00.000Z");
        // Sunday, the last millisecond.
        assert_eq!(start(1_796_601_599_999), "2026-11-30T00:00:00.000Z");
        assert_eq!(start(1_796_601_600_000), "2026-12-07T00:00:00.000Z");
    }
}
