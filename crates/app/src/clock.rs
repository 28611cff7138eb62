//! Detects jumps of the system clock. Ids and row timestamps follow the clock, and ids never
//! decrease. After a jump ahead, everything is dated in the future until the clock has caught up.

use std::time::{Duration, Instant};

use siskin_entities::Timestamp;
use siskin_persistence::doctor;
use tokio::time::sleep;

use crate::{App, workers::log_error};

/// Interval between comparisons of the system clock with a monotonic clock.
const PERIOD: Duration = Duration::from_secs(10);
/// Larger differences count as a jump. Smaller ones are normal clock corrections.
const TOLERANCE: Duration = Duration::from_secs(60);

/// Runs until the instance stops.
pub(crate) async fn run(app: App) {
    match app.read(|conn| Ok(doctor::newest(conn)?)).await {
        Ok(newest) => compare_with(newest, app.now()),
        Err(error) => log_error("cannot compare the clock with the newest row", &error),
    }
    let (mut checked_at, mut clock_time) = (Instant::now(), app.now());
    while app.unless_stopped(sleep(PERIOD)).await.is_some() {
        let expected = clock_time.after(checked_at.elapsed());
        (checked_at, clock_time) = (Instant::now(), app.now());
        if let Some(message) = jump(expected, clock_time) {
            log::warn!("{message}");
        }
    }
}

fn compare_with(newest: Timestamp, now: Timestamp) {
    if newest > now.after(TOLERANCE) {
        log::warn!(
            "the clock shows {now}, but the newest row was created at {newest}: the clock was \
             ahead or is behind, and new rows are dated {newest} until the clock has caught up"
        );
    }
}

/// Describes the jump of a clock that should show `expected` but shows `clock_time`. Returns `None`
/// if it has not jumped.
fn jump(expected: Timestamp, clock_time: Timestamp) -> Option<String> {
    let (later, earlier) =
        (clock_time > expected.after(TOLERANCE), clock_time < expected.before(TOLERANCE));
    let seconds = (clock_time.unix_ms() - expected.unix_ms()).unsigned_abs() / 1000;
    let direction = match (later, earlier) {
        (false, false) => return None,
        (true, _) => "ahead",
        (_, true) => "back",
    };
    Some(format!("the clock jumped {seconds} seconds {direction}, from {expected} to {clock_time}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_more_than_a_minute_is_a_jump() {
        let noon = Timestamp::from_unix_ms(1_000_000_000_000);
        let minute = Duration::from_secs(60);
        for still in [noon, noon.after(minute), noon.before(minute)] {
            assert_eq!(jump(noon, still), None);
        }
        let day = Duration::from_secs(86_400);
        let ahead = jump(noon, noon.after(day)).unwrap();
        assert!(ahead.contains("86400 seconds ahead"), "{ahead}");
        assert!(jump(noon, noon.before(day)).unwrap().contains("seconds back"));
    }
}
