//! Statistics for staff. Each number takes at most two statements, and each statement reads a range
//! of an index: days are ranges of ids, because ids contain their time (decision 47).
//!
//! A row belongs to the day of its id. For statuses that arrive late that is the day of their
//! arrival.

mod daily;
mod instances;
mod reports;
mod retention;
mod servers;
mod tags;
mod users;

use diesel::{
    prelude::*,
    sql_types::{BigInt, Text},
};
use siskin_entities::Timestamp;
use siskin_ids::first_id_at;

pub use daily::{count_interactions, first_day, insert_count, stored_counts, uncounted_days};
pub use instances::{InstanceRows, instance_accounts, instance_by_day, instance_languages};
pub use reports::{opened_by_day, resolved_by_day};
pub use retention::{cohort_sizes, retained};
pub use servers::servers;
pub use tags::{TagCount, tag_by_day, tag_languages, tag_servers, tag_totals};
pub(crate) use users::record_active_day;
pub use users::{active_by_day, active_totals, languages, new_by_day, sources};

/// Number of ids in a day, as SQL. An id divided by it is the number of its day since 1970.
const IDS_PER_DAY: &str = "5662310400000";
/// Milliseconds in a day.
const DAY_MS: i64 = 86_400_000;

/// Numbers by day, with the midnight that begins it. Days with zero may be missing.
pub type DayCounts = Vec<(Timestamp, i64)>;
/// Numbers by name, the highest first.
pub type Ranking = Vec<(String, i64)>;

/// A number of a day.
#[derive(QueryableByName)]
struct DayRow {
    /// Number of the day since 1970.
    #[diesel(sql_type = BigInt)]
    day: i64,
    #[diesel(sql_type = BigInt)]
    value: i64,
}

/// A number with a name.
#[derive(QueryableByName)]
struct NamedRow {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = BigInt)]
    value: i64,
}

/// Numbers of a period and of the one before.
#[derive(QueryableByName)]
struct TotalsRow {
    #[diesel(sql_type = BigInt)]
    total: i64,
    #[diesel(sql_type = BigInt)]
    previous: i64,
}

fn by_day(rows: Vec<DayRow>) -> DayCounts {
    rows.into_iter().map(|DayRow { day, value }| (midnight(day), value)).collect()
}

fn ranking(rows: Vec<NamedRow>) -> Ranking {
    rows.into_iter().map(|NamedRow { name, value }| (name, value)).collect()
}

/// Returns the midnight that begins the day with this number since 1970.
const fn midnight(day: i64) -> Timestamp {
    Timestamp::from_unix_ms(day.saturating_mul(DAY_MS))
}

/// Returns the first id of a time. Times outside of the range of ids become its ends.
fn id_at(time: Timestamp) -> i64 {
    first_id_at(time.unix_ms().clamp(0, i64::MAX >> 16))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_days_convert_into_each_other() {
        let ids_per_day: i64 = IDS_PER_DAY.parse().unwrap();
        assert_eq!(ids_per_day, first_id_at(DAY_MS));
        let noon = midnight(20_000).unix_ms() + DAY_MS / 2;
        assert_eq!(id_at(Timestamp::from_unix_ms(noon)) / ids_per_day, 20_000);
    }

    #[test]
    fn times_without_ids_become_the_ends_of_the_range() {
        assert_eq!(id_at(Timestamp::from_unix_ms(-5)), 0);
        assert!(id_at(Timestamp::from_unix_ms(253_402_300_799_999)) > i64::MAX - 65_536);
    }
}
