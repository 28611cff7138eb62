//! Exports: how often an account can request one.

use siskin_entities::Timestamp;

use crate::limits::EXPORT_INTERVAL;

/// Returns the time at which an account can request the next export. Returns `None` if it can do so
/// now. `latest` is the time of its latest request.
#[must_use]
pub fn next_request(latest: Option<Timestamp>, now: Timestamp) -> Option<Timestamp> {
    latest.map(|latest| latest.after(EXPORT_INTERVAL)).filter(|next| now < *next)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn an_account_can_request_one_export_a_day() {
        let now = Timestamp::from_unix_ms(1_795_766_400_000);
        let next = now.after(Duration::from_hours(24));
        assert_eq!(next_request(None, now), None);
        assert_eq!(next_request(Some(now), now), Some(next));
        assert_eq!(next_request(Some(now), next.before(Duration::from_millis(1))), Some(next));
        assert_eq!(next_request(Some(now), next), None);
    }
}
