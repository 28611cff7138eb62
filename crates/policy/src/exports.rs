//! Exports: how often an account can request one, and which session downloads a file.

use std::time::Duration;

use siskin_entities::{ExportKind, Timestamp};

use crate::limits::{ARCHIVE_INTERVAL, EXPORT_INTERVAL, FRESH_SESSION};

/// Returns the time at which an account can request the next export of this kind. Returns `None` if
/// it can do so now. `latest` is the time of its latest request.
#[must_use]
pub fn next_request(
    kind: ExportKind,
    latest: Option<Timestamp>,
    now: Timestamp,
) -> Option<Timestamp> {
    latest.map(|latest| latest.after(interval(kind))).filter(|next| now < *next)
}

const fn interval(kind: ExportKind) -> Duration {
    match kind {
        ExportKind::Posts => EXPORT_INTERVAL,
        ExportKind::Archive => ARCHIVE_INTERVAL,
    }
}

/// Returns `true` if a session that began at `began_at` may download archives and statuses. They
/// contain direct messages, so a browser that was left open does not get them.
#[must_use]
pub fn is_fresh(began_at: Timestamp, now: Timestamp) -> bool {
    now < began_at.after(FRESH_SESSION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_can_request_one_export_a_day_and_one_archive_a_week() {
        let now = Timestamp::from_unix_ms(1_795_766_400_000);
        for (kind, hours) in [(ExportKind::Posts, 24), (ExportKind::Archive, 7 * 24)] {
            let next = now.after(Duration::from_hours(hours));
            let next_request = |latest, now| next_request(kind, latest, now);
            assert_eq!(next_request(None, now), None);
            assert_eq!(next_request(Some(now), now), Some(next));
            assert_eq!(next_request(Some(now), next.before(Duration::from_millis(1))), Some(next));
            assert_eq!(next_request(Some(now), next), None);
        }
    }

    #[test]
    fn a_session_is_fresh_for_an_hour() {
        let now = Timestamp::from_unix_ms(1_795_766_400_000);
        let hour = Duration::from_hours(1);
        assert!(is_fresh(now, now) && is_fresh(now.before(hour - Duration::from_millis(1)), now));
        assert!(!is_fresh(now.before(hour), now));
    }
}
