//! Timestamps and dates.

use std::{fmt, time::Duration};

/// Unix time in milliseconds. All times are stored and compared in this form.
///
/// ```
/// use siskin_entities::Timestamp;
///
/// let time = Timestamp::from_unix_ms(1_795_766_400_123);
/// assert_eq!(time.to_string(), "2026-11-27T08:00:00.123Z");
/// assert_eq!(time.midnight().unix_ms(), 1_795_737_600_000);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

const MS_PER_DAY: i64 = 86_400_000;

impl Timestamp {
    /// Builds the time `unix_ms` milliseconds after 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn from_unix_ms(unix_ms: i64) -> Self {
        Self(unix_ms)
    }

    /// Returns the milliseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn unix_ms(self) -> i64 {
        self.0
    }

    /// Returns the whole seconds since 1970-01-01T00:00:00Z, rounded down.
    #[must_use]
    pub const fn unix_seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// Returns the midnight (UTC) that begins this day.
    #[must_use]
    pub const fn midnight(self) -> Self {
        Self(self.0 - self.0.rem_euclid(MS_PER_DAY))
    }

    /// Returns the time `duration` later, saturating at the largest representable time.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)))
    }

    /// Returns the time `duration` earlier, saturating at the smallest representable time.
    #[must_use]
    pub fn before(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)))
    }
}

/// Formats as RFC 3339 in UTC with milliseconds: `2026-11-27T08:00:00.000Z`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = civil_from_days(self.0.div_euclid(MS_PER_DAY));
        let ms = self.0.rem_euclid(MS_PER_DAY);
        let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z",
            ms % 1000
        )
    }
}

/// Calendar date (UTC) of a [`Timestamp`], displayed as `2026-11-27`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Date(
    /// Any time on the day.
    pub Timestamp,
);

impl Date {
    /// Returns the year, the month (1–12) and the day of the month (1–31).
    #[must_use]
    pub fn parts(self) -> (i64, i64, i64) {
        civil_from_days(self.0.unix_ms().div_euclid(MS_PER_DAY))
    }

    /// Returns the date with this year, month and day. Returns `None` if the calendar has none.
    ///
    /// ```
    /// use siskin_entities::time::Date;
    ///
    /// assert_eq!(Date::of_parts(2024, 2, 29).unwrap().to_string(), "2024-02-29");
    /// assert_eq!(Date::of_parts(2023, 2, 29), None);
    /// ```
    #[must_use]
    pub fn of_parts(year: i64, month: i64, day: i64) -> Option<Self> {
        if !(0..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        let days = days_from_civil(year, month, day);
        let date = Self(Timestamp(days * MS_PER_DAY));
        // Days beyond the end of the month are days of the next one.
        (date.parts() == (year, month, day)).then_some(date)
    }

    /// Parses exactly the displayed form. Returns `None` for any other text.
    ///
    /// ```
    /// use siskin_entities::time::Date;
    ///
    /// assert_eq!(Date::parse("2024-02-29"), Date::of_parts(2024, 2, 29));
    /// assert_eq!(Date::parse("2024-2-29"), None);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '-').map(|part| part.parse().ok());
        let date = Self::of_parts(parts.next()??, parts.next()??, parts.next()??)?;
        (date.to_string() == text).then_some(date)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.parts();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

/// Converts year, month and day to a day number: the inverse of [`civil_from_days`].
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    const DAYS_PER_ERA: i64 = 146_097;
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * DAYS_PER_ERA + day_of_era - 719_468
}

/// Converts a day number, counted from 1970-01-01, to year, month and day of the proleptic
/// Gregorian calendar. The algorithm counts years from March, so that the leap day is the last day
/// of a year.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    const DAYS_PER_ERA: i64 = 146_097; // 400 years
    let shifted = days + 719_468; // from 0000-03-01
    let era = shifted.div_euclid(DAYS_PER_ERA);
    let day_of_era = shifted.rem_euclid(DAYS_PER_ERA);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_formatted_in_utc_with_milliseconds() {
        let show = |ms| Timestamp::from_unix_ms(ms).to_string();
        assert_eq!(show(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(show(951_782_400_123), "2000-02-29T00:00:00.123Z");
        assert_eq!(show(-1), "1969-12-31T23:59:59.999Z");
        assert_eq!(show(1_795_766_400_000), "2026-11-27T08:00:00.000Z");
    }

    #[test]
    fn midnight_keeps_the_date() {
        let noon = Timestamp::from_unix_ms(951_825_600_000);
        assert_eq!(noon.midnight().to_string(), "2000-02-29T00:00:00.000Z");
        assert_eq!(Date(noon).to_string(), "2000-02-29");
    }

    #[test]
    fn only_the_displayed_form_of_a_date_is_parsed() {
        assert_eq!(Date::parse("2026-11-30").unwrap().to_string(), "2026-11-30");
        for text in [
            "",
            "2026",
            "2026-11",
            "2026-11-31",
            "2026-11-1",
            "+2026-11-1",
            "26-11-30",
            "-1-11-30",
            "2026-11-30 ",
            "2026-11-30T00:00:00Z",
            "2026-+1-30",
            "99999-01-01",
        ] {
            assert_eq!(Date::parse(text), None, "{text}");
        }
    }
}
