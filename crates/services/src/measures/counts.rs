//! Measures.

use std::collections::HashMap;

use siskin_entities::{DayRange, Measure, MeasureKey, Timestamp};
use siskin_persistence::{
    Conn,
    measures::{self as rows, DayCounts, InstanceRows, TagCount},
};

use super::{Requested, days};
use crate::Result;

/// Where the numbers of a measure come from.
enum Source {
    ActiveUsers,
    NewUsers,
    Interactions,
    OpenedReports,
    ResolvedReports,
    /// The uses of a hashtag.
    Tag(TagCount),
    /// The accounts of another server.
    Server(InstanceRows),
}

impl Source {
    const fn of(key: MeasureKey) -> Self {
        match key {
            MeasureKey::ActiveUsers => Self::ActiveUsers,
            MeasureKey::NewUsers => Self::NewUsers,
            MeasureKey::Interactions => Self::Interactions,
            MeasureKey::OpenedReports => Self::OpenedReports,
            MeasureKey::ResolvedReports => Self::ResolvedReports,
            MeasureKey::TagAccounts => Self::Tag(TagCount::Accounts),
            MeasureKey::TagUses => Self::Tag(TagCount::Uses),
            MeasureKey::TagServers => Self::Tag(TagCount::Servers),
            MeasureKey::InstanceAccounts => Self::Server(InstanceRows::Accounts),
            MeasureKey::InstanceMediaAttachments => Self::Server(InstanceRows::MediaAttachments),
            MeasureKey::InstanceReports => Self::Server(InstanceRows::Reports),
            MeasureKey::InstanceStatuses => Self::Server(InstanceRows::Statuses),
            MeasureKey::InstanceFollows => Self::Server(InstanceRows::Follows),
            MeasureKey::InstanceFollowers => Self::Server(InstanceRows::Followers),
        }
    }
}

/// Loads the measures in the requested order. Leaves out those about a hashtag or a server for
/// which the request names none.
///
/// # Errors
/// Storage errors only.
pub fn measures(
    conn: &mut Conn,
    requested: &[Requested<MeasureKey>],
    range: DayRange,
    now: Timestamp,
) -> Result<Vec<Measure>> {
    let mut found = Vec::new();
    for one in requested {
        found.extend(measure(conn, one, range, now)?);
    }
    Ok(found)
}

fn measure(
    conn: &mut Conn,
    requested: &Requested<MeasureKey>,
    range: DayRange,
    now: Timestamp,
) -> Result<Option<Measure>> {
    let key = requested.key;
    Ok(Some(match Source::of(key) {
        Source::ActiveUsers => {
            let totals = rows::active_totals(conn, range)?;
            distinct(key, range, rows::active_by_day(conn, range)?, totals)
        }
        Source::NewUsers => summed(key, range, rows::new_by_day(conn, range)?),
        Source::Interactions => summed(key, range, days::interactions(conn, range, now)?),
        Source::OpenedReports => summed(key, range, rows::opened_by_day(conn, range)?),
        Source::ResolvedReports => summed(key, range, rows::resolved_by_day(conn, range)?),
        Source::Tag(what) => {
            let Some(tag) = requested.tag() else { return Ok(None) };
            let totals = rows::tag_totals(conn, tag, what, range)?;
            distinct(key, range, rows::tag_by_day(conn, tag, what, range)?, totals)
        }
        Source::Server(what) => {
            let Some(domain) = requested.domain() else { return Ok(None) };
            let (by_day, total) = rows::instance_by_day(conn, &domain, what, range)?;
            Measure { key, total, previous_total: None, days: filled(range, by_day) }
        }
    }))
}

/// Builds a measure with totals that are the sums of the days, from the days of the period and of
/// the one before.
fn summed(key: MeasureKey, range: DayRange, by_day: DayCounts) -> Measure {
    let sum = |range: DayRange| {
        by_day.iter().filter(|(day, _)| range.contains(*day)).map(|(_, value)| value).sum()
    };
    let (total, previous) = (sum(range), sum(range.previous()));
    distinct(key, range, by_day, (total, previous))
}

/// Builds a measure with totals that may be lower than the sums of the days, because something of
/// several days counts once.
fn distinct(
    key: MeasureKey,
    range: DayRange,
    by_day: DayCounts,
    (total, previous): (i64, i64),
) -> Measure {
    Measure { key, total, previous_total: Some(previous), days: filled(range, by_day) }
}

/// Returns the numbers of all days of the period, with zero for those that are missing.
fn filled(range: DayRange, by_day: DayCounts) -> DayCounts {
    let by_day: HashMap<i64, i64> =
        by_day.into_iter().map(|(day, value)| (day.unix_ms(), value)).collect();
    let value = |day: Timestamp| (day, by_day.get(&day.unix_ms()).copied().unwrap_or(0));
    range.days().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(number: i64) -> Timestamp {
        Timestamp::from_unix_ms(number * 86_400_000)
    }

    #[test]
    fn days_without_rows_are_zero_and_totals_are_separate() {
        let range = DayRange::of(day(10), day(12), 366).unwrap();
        let by_day = vec![(day(6), 64), (day(7), 1), (day(9), 2), (day(10), 4), (day(12), 8)];
        let measure = summed(MeasureKey::NewUsers, range, by_day);
        assert_eq!((measure.total, measure.previous_total), (12, Some(3)));
        assert_eq!(measure.days, [(day(10), 4), (day(11), 0), (day(12), 8)]);
    }
}
