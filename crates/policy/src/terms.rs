//! Rules of the terms of service: which version is shown, and which one staff may change.

use siskin_entities::{Timestamp, time::Date};

/// Returns the position of the version in effect at `now`, among the dates of all versions in their
/// order. Returns `None` if none has taken effect yet.
#[must_use]
pub fn in_effect(dates: &[Date], now: Timestamp) -> Option<usize> {
    dates.iter().rposition(|date| has_begun(*date, now))
}

/// Returns the position of the version that is shown at `now`: the one in effect, or else the first
/// one that is announced. Returns `None` if there is none.
#[must_use]
pub fn shown(dates: &[Date], now: Timestamp) -> Option<usize> {
    in_effect(dates, now).or(if dates.is_empty() { None } else { Some(0) })
}

/// Returns `true` if staff may write a version with this date at `now`. Users agreed to a version
/// in effect, so it does not change, and no version appears before it.
#[must_use]
pub fn may_write(dates: &[Date], date: Date, now: Timestamp) -> bool {
    let latest = in_effect(dates, now).and_then(|at| dates.get(at));
    latest.is_none_or(|latest| date.0.midnight() > latest.0.midnight())
}

/// Returns `true` if the day (UTC) is over at `now`. No version can begin on such a day: users could
/// not know of it.
#[must_use]
pub fn is_past(date: Date, now: Timestamp) -> bool {
    date.0.midnight() < now.midnight()
}

/// Returns `true` if the day (UTC) has begun at `now`.
#[must_use]
pub fn has_begun(date: Date, now: Timestamp) -> bool {
    date.0.midnight() <= now
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(day: i64) -> Date {
        Date::of_parts(2026, 12, day).unwrap()
    }

    #[test]
    fn a_version_is_in_effect_from_midnight_until_the_next_one() {
        let dates = [day(1), day(5), day(9)];
        let at = |date: Date, ms| in_effect(&dates, Timestamp::from_unix_ms(date.0.unix_ms() + ms));
        assert_eq!(at(day(1), -1), None);
        assert_eq!(at(day(1), 0), Some(0));
        assert_eq!(at(day(5), -1), Some(0));
        assert_eq!(at(day(5), 0), Some(1));
        assert_eq!(at(day(30), 0), Some(2));
        assert_eq!(in_effect(&[], day(1).0), None);
    }

    #[test]
    fn before_the_first_version_it_is_announced() {
        assert_eq!(shown(&[day(5), day(9)], day(1).0), Some(0));
        assert_eq!(shown(&[day(5), day(9)], day(9).0), Some(1));
        assert_eq!(shown(&[], day(9).0), None);
    }

    #[test]
    fn a_day_is_past_when_the_next_one_begins() {
        let at = |date: Date, ms| is_past(day(5), Timestamp::from_unix_ms(date.0.unix_ms() + ms));
        assert_eq!([at(day(5), 0), at(day(6), -1), at(day(6), 0)], [false, false, true]);
        assert!(!is_past(day(9), day(5).0));
    }

    #[test]
    fn terms_in_effect_do_not_change() {
        let dates = [day(1), day(5), day(9)];
        for (date, may) in [(1, false), (3, false), (5, false), (6, true), (9, true), (20, true)] {
            assert_eq!(may_write(&dates, day(date), day(5).0), may, "{date}");
        }
        // Nothing is in effect yet.
        assert!(may_write(&[], day(1), day(5).0) && may_write(&[day(9)], day(1), day(5).0));
    }
}
