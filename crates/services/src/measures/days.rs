//! Numbers that a request cannot count for a whole year. Upkeep counts each day once, after its
//! end.

use std::time::Duration;

use siskin_entities::{DayRange, MeasureKey, Timestamp};
use siskin_persistence::{
    Conn, Tx,
    measures::{self as rows, DayCounts},
};
use siskin_policy::limits::MAX_MEASURED_DAYS;

use crate::Result;

const DAY: Duration = Duration::from_hours(24);
/// Time after which a day is over: transactions of its last minutes have ended.
const GRACE: Duration = Duration::from_hours(1);
/// Number of days that a request counts itself, if upkeep has not.
const COUNTED_BY_REQUESTS: u32 = 31;
/// Maximum number of days that are counted in one round of upkeep.
const DAYS_PER_ROUND: usize = 60;

/// Loads the interactions of each day of the period and of the one before. Upkeep counts the latest
/// days first, so a request counts only those after the latest stored one.
pub(super) fn interactions(conn: &mut Conn, range: DayRange, now: Timestamp) -> Result<DayCounts> {
    let mut counts = rows::stored_counts(conn, MeasureKey::Interactions, range)?;
    let first = range
        .previous()
        .start()
        .max(now.midnight().before(DAY.saturating_mul(COUNTED_BY_REQUESTS)));
    let uncounted = counts.iter().map(|(day, _)| day.after(DAY)).max();
    let start = uncounted.map_or(first, |uncounted| uncounted.max(first));
    if start < range.end() && start <= now {
        counts.extend(rows::count_interactions(conn, start, range.end())?);
    }
    Ok(counts)
}

/// Returns the days that are over and not counted yet, the latest first, as many as a round of
/// upkeep counts.
///
/// # Errors
/// Storage errors only.
pub fn uncounted_days(conn: &mut Conn, now: Timestamp) -> Result<Vec<Timestamp>> {
    let Some(first) = rows::first_day(conn)? else { return Ok(Vec::new()) };
    let end = now.before(GRACE).midnight();
    // A measure also has the total of as many days before its period.
    let oldest = end.before(DAY.saturating_mul(2 * MAX_MEASURED_DAYS));
    let days = (first.max(oldest), end);
    Ok(rows::uncounted_days(conn, MeasureKey::Interactions, days, DAYS_PER_ROUND)?)
}

/// Counts a day.
///
/// # Errors
/// Storage errors only.
pub fn count_day(conn: &mut Conn, day: Timestamp) -> Result<i64> {
    let counts = rows::count_interactions(conn, day, day.after(DAY))?;
    Ok(counts.into_iter().map(|(_, value)| value).sum())
}

/// Stores the number of a day, unless another process has done so.
///
/// # Errors
/// Storage errors only.
pub fn insert_day(tx: &mut Tx<'_>, day: Timestamp, value: i64) -> Result<()> {
    Ok(rows::insert_count(tx, MeasureKey::Interactions, day, value)?)
}
