//! Statistics for staff: numbers by day, rankings, and how many new users stay.
//!
//! All of them count whole days (UTC), in a period of limited length. The caller checks the
//! permission first.

mod counts;
mod days;
mod rankings;
mod retention;

use siskin_entities::{DayRange, Timestamp, measure::InvalidDayRange};
use siskin_ids::TagId;
use siskin_policy::limits::{MAX_COHORT_DAYS, MAX_MEASURED_DAYS};
use siskin_text::normalise_domain;

use crate::{Error, Result};

pub use counts::measures;
pub use days::{count_day, insert_day, uncounted_days};
pub use rankings::{Programs, dimensions};
pub use retention::cohorts;

/// Duration of the period of a ranking for which the request names no times.
const DEFAULT_PERIOD: std::time::Duration = std::time::Duration::from_hours(30 * 24);

/// A requested statistic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requested<K> {
    pub key: K,
    /// The hashtag or server that it is about, as the client writes it.
    pub subject: Option<String>,
}

impl<K> Requested<K> {
    /// Returns the id of the hashtag. An invalid id becomes one that no hashtag has. `None` if the
    /// request names none.
    fn tag(&self) -> Option<TagId> {
        let unknown = TagId::new(0);
        self.subject.as_deref().map(|text| text.parse().unwrap_or(unknown))
    }

    /// Returns the normalised domain of the server. An invalid one becomes empty, which no server
    /// has. `None` if the request names none.
    fn domain(&self) -> Option<String> {
        self.subject.as_deref().map(|text| normalise_domain(text.trim()).unwrap_or_default())
    }
}

/// Returns the period of a measure or of cohorts.
///
/// # Errors
/// [`Error::Invalid`] if a time is missing, or these are no or too many days.
pub fn period(start: Option<Timestamp>, end: Option<Timestamp>) -> Result<DayRange> {
    let start = start.ok_or_else(|| Error::validation("Start at can't be blank"))?;
    let end = end.ok_or_else(|| Error::validation("End at can't be blank"))?;
    days(start, end, MAX_MEASURED_DAYS)
}

/// Returns the period of a ranking. Without times, it is the last 30 days.
///
/// # Errors
/// [`Error::Invalid`] if these are no or too many days.
pub fn period_or_default(
    start: Option<Timestamp>,
    end: Option<Timestamp>,
    now: Timestamp,
) -> Result<DayRange> {
    let end = end.unwrap_or(now);
    days(start.unwrap_or_else(|| end.before(DEFAULT_PERIOD)), end, MAX_MEASURED_DAYS)
}

/// Returns the period of cohorts by day.
///
/// # Errors
/// As [`period`], with a lower limit.
pub fn period_by_day(start: Option<Timestamp>, end: Option<Timestamp>) -> Result<DayRange> {
    let range = period(start, end)?;
    let last = range.days().last().unwrap_or_else(|| range.start());
    days(range.start(), last, MAX_COHORT_DAYS)
}

fn days(start: Timestamp, end: Timestamp, max: u32) -> Result<DayRange> {
    DayRange::of(start, end, max).map_err(|error| match error {
        InvalidDayRange::Reversed => Error::validation("End at must not be before the start"),
        InvalidDayRange::TooLong => {
            Error::validation(format!("At most {max} days can be requested at once"))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(number: i64) -> Timestamp {
        Timestamp::from_unix_ms(number * 86_400_000)
    }

    #[test]
    fn periods_have_limits() {
        assert!(period(Some(day(0)), Some(day(365))).is_ok());
        assert!(period_by_day(Some(day(0)), Some(day(91))).is_ok());
        for (start, end, message) in [
            (None, Some(day(1)), "Start at can't be blank"),
            (Some(day(1)), None, "End at can't be blank"),
            (Some(day(1)), Some(day(0)), "End at must not be before the start"),
            (Some(day(0)), Some(day(366)), "At most 366 days can be requested at once"),
        ] {
            let error = period(start, end).unwrap_err().to_string();
            assert_eq!(error, format!("Validation failed: {message}"));
            assert!(period_by_day(start, end).is_err());
        }
        assert!(period_by_day(Some(day(0)), Some(day(92))).is_err());
    }

    #[test]
    fn a_ranking_is_about_the_last_days_by_default() {
        let range = period_or_default(None, None, day(100)).unwrap();
        assert_eq!((range.start(), range.end()), (day(70), day(101)));
    }

    #[test]
    fn invalid_subjects_become_unknown_ones() {
        let about = |text: &str| Requested { key: (), subject: Some(text.to_owned()) };
        assert_eq!(about("12").tag(), Some(TagId::new(12)));
        assert_eq!(about("x").tag(), Some(TagId::new(0)));
        assert_eq!(about(" FAR.test ").domain().as_deref(), Some("far.test"));
        assert_eq!(about("..").domain().as_deref(), Some(""));
        assert_eq!(Requested { key: (), subject: None }.tag(), None);
    }
}
