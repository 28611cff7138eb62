//! How many new users stay.

use siskin_entities::{Cohort, DayRange, Frequency, Timestamp, measure::CohortData};
use siskin_persistence::{Conn, measures as rows};

use crate::Result;

/// Maximum number of days after the months at both ends of a period were completed.
const MAX_COMPLETED: u32 = 500;

/// Loads the users that signed up in each period, and how many of them were active in each later
/// one. By month, the first and the last month are counted as a whole.
///
/// # Errors
/// Storage errors only.
pub fn cohorts(conn: &mut Conn, frequency: Frequency, range: DayRange) -> Result<Vec<Cohort>> {
    let range = completed(frequency, range);
    let sizes = rows::cohort_sizes(conn, frequency, range)?;
    let retained = rows::retained(conn, frequency, range)?;
    Ok(build(frequency, &frequency.periods(range), &sizes, &retained))
}

/// Returns the range with all days of the first and of the last period.
fn completed(frequency: Frequency, range: DayRange) -> DayRange {
    const DAY: std::time::Duration = std::time::Duration::from_hours(24);
    let start = frequency.begin(range.start());
    let last = range.end().before(DAY);
    let last_period = frequency.begin(last);
    let mut end = last;
    while frequency == Frequency::Month && frequency.begin(end.after(DAY)) == last_period {
        end = end.after(DAY);
    }
    DayRange::of(start, end, MAX_COMPLETED).unwrap_or(range)
}

/// Builds the cohorts. `retained` has the places of cohort and period among the periods. All users
/// of a cohort were active when they signed up, so the first number is its size.
fn build(
    frequency: Frequency,
    periods: &[Timestamp],
    sizes: &[(Timestamp, i64)],
    retained: &[(usize, usize, i64)],
) -> Vec<Cohort> {
    let cohort = |(place, period): (usize, &Timestamp)| {
        let of_cohort = sizes.iter().filter(|(begin, _)| begin == period);
        let size: i64 = of_cohort.map(|(_, number)| number).sum();
        let later = periods.iter().enumerate().skip(place);
        let data = later.map(|(at, date)| {
            let is_here = |row: &&(usize, usize, i64)| (row.0, row.1) == (place, at);
            let value = match at == place {
                true => size,
                false => retained.iter().find(is_here).map_or(0, |(.., value)| *value),
            };
            CohortData { date: *date, rate: rate(value, size), value }
        });
        Cohort { period: *period, frequency, data: data.collect() }
    };
    periods.iter().enumerate().map(cohort).collect()
}

/// Returns the share of `value` in `size`; 0 in an empty cohort.
fn rate(value: i64, size: i64) -> f64 {
    if size <= 0 { 0.0 } else { value as f64 / size as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(number: i64) -> Timestamp {
        Timestamp::from_unix_ms(number * 86_400_000)
    }

    #[test]
    fn a_cohort_has_its_period_and_all_later_ones() {
        let periods = [day(1), day(2), day(3)];
        let sizes = [(day(1), 3), (day(1), 1), (day(3), 2)];
        let retained = [(0, 0, 2), (0, 1, 1), (0, 2, 3), (2, 2, 1)];
        let cohorts = build(Frequency::Day, &periods, &sizes, &retained);
        let numbers: Vec<Vec<(i64, f64)>> = cohorts
            .iter()
            .map(|cohort| cohort.data.iter().map(|data| (data.value, data.rate)).collect())
            .collect();
        assert_eq!(
            numbers,
            [vec![(4, 1.0), (1, 0.25), (3, 0.75)], vec![(0, 0.0), (0, 0.0)], vec![(2, 1.0)]]
        );
        assert_eq!(cohorts[1].period, day(2));
    }

    #[test]
    fn months_are_completed_at_both_ends() {
        // 15 January to 10 February 1970.
        let range = DayRange::of(day(14), day(40), 366).unwrap();
        let months = completed(Frequency::Month, range);
        assert_eq!((months.start(), months.end()), (day(0), day(59)));
        assert_eq!(completed(Frequency::Day, range), range);
    }
}
