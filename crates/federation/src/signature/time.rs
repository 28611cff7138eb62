//! The time in which a signature counts.

use std::time::Duration;

use siskin_entities::Timestamp;

use super::SignatureError;
use crate::http_date::from_seconds;

/// Time before and after that of a signature in which it counts, because clocks differ.
pub const TIME_WINDOW: Duration = Duration::from_hours(1);
/// Maximum time for which a signature that names its end counts. It counts no longer, whatever end
/// it names.
pub const MAX_LIFETIME: Duration = Duration::from_hours(12);

/// When a signature was made, and when it ends.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Times {
    /// Unix seconds of the parameter `created`.
    pub(super) created: Option<i64>,
    /// Unix seconds of the parameter `expires`.
    pub(super) expires: Option<i64>,
    /// Whether `expires` is covered. Otherwise it only shortens, because anyone can add it.
    pub(super) is_end_signed: bool,
    /// The header `Date`, if it is covered.
    pub(super) date: Option<Timestamp>,
}

impl Times {
    /// Checks that a signature counts now, and returns when it was made.
    ///
    /// Without `expires` it counts for [`TIME_WINDOW`] before and after its time. With a signed
    /// `expires` it counts until then, but at most for [`MAX_LIFETIME`].
    pub(super) fn check(self, now: Timestamp) -> Result<Timestamp, SignatureError> {
        let time = |seconds: i64| from_seconds(seconds).ok_or(SignatureError::Time);
        let created = self.created.map(time).transpose()?;
        let expires = self.expires.map(time).transpose()?;
        let times = [created, self.date].into_iter().flatten();
        let latest = now.after(TIME_WINDOW);
        if times.clone().any(|time| time > latest) {
            return Err(SignatureError::Future);
        }
        if expires.is_some_and(|expires| expires < now) {
            return Err(SignatureError::Expired);
        }
        let is_longer = expires.is_some() && self.is_end_signed;
        let lifetime = if is_longer { MAX_LIFETIME } else { TIME_WINDOW };
        let earliest = now.before(lifetime);
        if times.clone().any(|time| time < earliest) {
            return Err(SignatureError::Old);
        }
        created.or(self.date).ok_or(SignatureError::Time)
    }
}
