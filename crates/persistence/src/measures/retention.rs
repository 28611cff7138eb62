//! How many new users stay.

use std::fmt::Write as _;

use diesel::{prelude::*, sql_query, sql_types::BigInt};
use siskin_entities::{DayRange, Frequency, Timestamp};

use super::{DAY_MS, DayRow, IDS_PER_DAY, id_at, midnight};
use crate::{Conn, Result};

/// Counts the users that signed up in each period of `range`, by the begin of the period.
pub fn cohort_sizes(
    conn: &mut Conn,
    frequency: Frequency,
    range: DayRange,
) -> Result<Vec<(Timestamp, i64)>> {
    let sql = format!(
        "SELECT account_id / {IDS_PER_DAY} AS day, COUNT(*) AS value FROM users \
         WHERE account_id >= $1 AND account_id < $2 GROUP BY account_id / {IDS_PER_DAY}"
    );
    let rows: Vec<DayRow> = sql_query(sql)
        .bind::<BigInt, _>(id_at(range.start()))
        .bind::<BigInt, _>(id_at(range.end()))
        .load(conn)?;
    let of_period = |row: DayRow| (frequency.begin(midnight(row.day)), row.value);
    Ok(rows.into_iter().map(of_period).collect())
}

#[derive(QueryableByName)]
struct RetainedRow {
    #[diesel(sql_type = BigInt)]
    cohort: i64,
    #[diesel(sql_type = BigInt)]
    period: i64,
    #[diesel(sql_type = BigInt)]
    value: i64,
}

/// Counts the users that signed up in one period of `range` and were active in another: by the
/// places of both among the periods, oldest first.
pub fn retained(
    conn: &mut Conn,
    frequency: Frequency,
    range: DayRange,
) -> Result<Vec<(usize, usize, i64)>> {
    let periods = frequency.periods(range);
    let cohort = place_of(&periods, frequency, &format!("users.account_id / {IDS_PER_DAY}"));
    let period = place_of(&periods, frequency, "active_days.day / 86400000");
    let sql = format!(
        "SELECT {cohort} AS cohort, {period} AS period, \
                COUNT(DISTINCT users.account_id) AS value \
         FROM users JOIN active_days ON active_days.account_id = users.account_id \
             AND active_days.day >= $1 AND active_days.day < $2 \
         WHERE users.account_id >= $3 AND users.account_id < $4 \
         GROUP BY {cohort}, {period}"
    );
    let rows: Vec<RetainedRow> = sql_query(sql)
        .bind::<BigInt, _>(range.start().unix_ms())
        .bind::<BigInt, _>(range.end().unix_ms())
        .bind::<BigInt, _>(id_at(range.start()))
        .bind::<BigInt, _>(id_at(range.end()))
        .load(conn)?;
    let counted = |row: RetainedRow| {
        let (cohort, period) = (usize::try_from(row.cohort), usize::try_from(row.period));
        Some((cohort.ok()?, period.ok()?, row.value))
    };
    Ok(rows.into_iter().filter_map(counted).collect())
}

/// Returns SQL for the place among `periods` of the day with the number `day`, which is SQL too.
/// The engines have no common words for the month of a time.
fn place_of(periods: &[Timestamp], frequency: Frequency, day: &str) -> String {
    let number = |period: &Timestamp| period.unix_ms() / DAY_MS;
    match (frequency, periods) {
        (Frequency::Day, [first, ..]) => format!("({day} - {})", number(first)),
        (_, [_, later @ ..]) if !later.is_empty() => {
            let mut place = String::from("CAST(CASE");
            for (at, next) in later.iter().enumerate() {
                let _ = write!(place, " WHEN {day} < {} THEN {at}", number(next));
            }
            let _ = write!(place, " ELSE {} END AS BIGINT)", later.len());
            place
        }
        _ => String::from("CAST(0 AS BIGINT)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_from_the_first_period() {
        let days = [midnight(10), midnight(11)];
        assert_eq!(place_of(&days, Frequency::Day, "d"), "(d - 10)");
        let months = [midnight(0), midnight(31), midnight(59)];
        assert_eq!(
            place_of(&months, Frequency::Month, "d"),
            "CAST(CASE WHEN d < 31 THEN 0 WHEN d < 59 THEN 1 ELSE 2 END AS BIGINT)"
        );
        assert_eq!(place_of(&months[..1], Frequency::Month, "d"), "CAST(0 AS BIGINT)");
    }
}
