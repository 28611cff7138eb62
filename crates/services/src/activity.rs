//! Activity on the instance by week. A job counts most statuses in advance, so that a request reads
//! only the newest ones.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use siskin_entities::{Timestamp, Week, WeeklyActivity};
use siskin_ids::first_id_at;
use siskin_persistence::{
    Conn, Tx,
    activity::{self as rows, StoredWeek},
};

use crate::{
    Result,
    jobs::{self, Job},
};

/// Number of weeks that are shown, with the current one.
const WEEKS: i64 = 12;
/// Age at which statuses are counted. A transaction that began earlier has ended by then, so that
/// no status with a lower id appears later.
const SETTLED: Duration = Duration::from_secs(5 * 60);
/// One step counts the statuses of this time.
const STEP: Duration = Duration::from_secs(86_400);

/// Job that counts the statuses of a week. It repeats itself until all are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CountActivity {}

impl Job for CountActivity {
    const KIND: &'static str = "activity.count";
}

/// Result of one step of [`CountActivity`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CountedStep {
    /// Weeks that are not stored yet.
    new: Vec<StoredWeek>,
    counted: Vec<CountedRange>,
    /// Whether another step follows.
    has_more: bool,
}

/// Statuses of a week with ids in a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CountedRange {
    week: Week,
    from: i64,
    /// The first id after the range.
    to: i64,
    statuses: i64,
}

impl CountedStep {
    /// Returns `true` if there is nothing to store.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.new.is_empty() && self.counted.is_empty()
    }
}

/// Returns the numbers of the last twelve weeks, the current one first. Callers should cache the
/// result for a minute.
///
/// # Errors
/// Storage errors only.
pub fn list(conn: &mut Conn, now: Timestamp) -> Result<Vec<WeeklyActivity>> {
    let first = oldest(now);
    let stored = rows::weeks(conn, first)?;
    let registrations = rows::registrations(conn, first)?;
    let mut shown = Vec::new();
    for (age, week) in weeks(now).enumerate() {
        let known = stored.iter().find(|known| known.week == week);
        let mut statuses = known.map_or(0, |known| known.statuses);
        // The job counts older weeks, and after an upgrade that takes a while.
        if age < 2 {
            let from = known.map_or_else(|| begin(week), |known| known.counted_to);
            statuses += rows::count_statuses(conn, from, end(week))?;
        }
        let registered = registrations.iter().find(|(of, _)| *of == week);
        shown.push(WeeklyActivity {
            week,
            statuses,
            logins: known.map_or(0, |known| known.logins),
            registrations: registered.map_or(0, |(_, count)| *count),
        });
    }
    Ok(shown)
}

/// Counts some statuses that are not counted yet: those of a day. Time without statuses costs
/// nothing.
///
/// # Errors
/// Storage errors only.
pub fn count(conn: &mut Conn, now: Timestamp) -> Result<CountedStep> {
    let stored = rows::weeks(conn, oldest(now))?;
    let settled = first_id_at(now.before(SETTLED).unix_ms());
    let mut step = CountedStep::default();
    let mut has_read = false;
    for week in weeks(now).rev() {
        let known = match stored.iter().find(|known| known.week == week) {
            Some(known) => *known,
            None => {
                let logins = rows::count_last_active(conn, week)?;
                let new = StoredWeek { week, statuses: 0, counted_to: begin(week), logins };
                step.new.push(new);
                new
            }
        };
        let (from, last) = (known.counted_to, end(week).min(settled));
        if from >= last {
            continue;
        }
        let first = rows::first_status(conn, from, last)?;
        if first.is_some() && has_read {
            step.has_more = true;
            continue;
        }
        let to = first.map_or(last, |first| last.min(first.saturating_add(ids_of_step())));
        let statuses = if first.is_some() { rows::count_statuses(conn, from, to)? } else { 0 };
        step.counted.push(CountedRange { week, from, to, statuses });
        step.has_more |= to < last;
        has_read |= first.is_some();
    }
    Ok(step)
}

/// Stores the result of a step, and enqueues the next one if there is more to count.
///
/// # Errors
/// Storage errors only.
pub fn store(tx: &mut Tx<'_>, step: &CountedStep) -> Result<()> {
    for new in &step.new {
        rows::insert(tx, *new)?;
    }
    for CountedRange { week, from, to, statuses } in &step.counted {
        rows::add_statuses(tx, *week, (*from, *to), *statuses)?;
    }
    if step.has_more {
        jobs::enqueue(tx, &CountActivity {})?;
    }
    Ok(())
}

/// Returns the shown weeks, the current one first.
fn weeks(now: Timestamp) -> impl DoubleEndedIterator<Item = Week> {
    (0..WEEKS).map(move |age| Week::of(now).before(age))
}

fn oldest(now: Timestamp) -> Week {
    Week::of(now).before(WEEKS - 1)
}

/// Returns the lowest id of the statuses of a week.
const fn begin(week: Week) -> i64 {
    first_id_at(week.start().unix_ms())
}

/// Returns the lowest id of the statuses of the next week.
const fn end(week: Week) -> i64 {
    first_id_at(week.end().unix_ms())
}

/// Returns how far the ids of statuses increase in a [`STEP`].
fn ids_of_step() -> i64 {
    first_id_at(i64::try_from(STEP.as_millis()).unwrap_or(i64::MAX >> 16))
}
