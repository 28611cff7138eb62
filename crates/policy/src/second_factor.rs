//! Second factors for passwords: which one-time codes count (RFC 6238), how often a code can be
//! tried, and which users need a second factor.

use std::time::Duration;

use siskin_entities::{Timestamp, settings::RequiredFor};

/// Length of a time step. Each step has a code of its own.
pub const STEP: Duration = Duration::from_secs(30);
/// Number of steps before and after the current one with codes that count too, because clocks
/// differ and people type slowly.
const TOLERANCE: i64 = 1;
/// Number of digits of a code.
pub const CODE_DIGITS: usize = 6;
/// Number of recovery codes of a user.
pub const RECOVERY_CODES: usize = 10;
/// Maximum number of codes that can be tried after a password.
pub const MAX_CODE_TRIES: i64 = 5;
/// Time after a password in which the code must be entered.
pub const SIGN_IN_PERIOD: Duration = Duration::from_mins(10);
/// Minimum time between two emails to a user about wrong codes.
pub const WARNING_PERIOD: Duration = Duration::from_hours(24);
/// Time in which a new secret must be confirmed by its first code.
pub const SETUP_PERIOD: Duration = Duration::from_hours(1);

/// Returns the number of the time step at `now`.
#[must_use]
pub fn step_at(now: Timestamp) -> i64 {
    let length = i64::try_from(STEP.as_millis()).unwrap_or(i64::MAX);
    now.unix_ms().div_euclid(length)
}

/// Returns the steps with codes that count at `now`, the latest first. A code that was used does
/// not count again, and neither do the codes before it. `last_used` is the step of the last used
/// code, if any.
///
/// ```
/// use siskin_entities::Timestamp;
/// use siskin_policy::second_factor::open_steps;
///
/// let now = Timestamp::from_unix_ms(59_000);
/// assert_eq!(open_steps(now, None).collect::<Vec<_>>(), [2, 1, 0]);
/// assert_eq!(open_steps(now, Some(1)).collect::<Vec<_>>(), [2]);
/// ```
pub fn open_steps(now: Timestamp, last_used: Option<i64>) -> impl Iterator<Item = i64> {
    let current = step_at(now);
    let steps = current.saturating_sub(TOLERANCE)..=current.saturating_add(TOLERANCE);
    steps.rev().filter(move |step| last_used.is_none_or(|last| *step > last))
}

/// Returns `true` if a user must set up a second factor. `is_staff` says whether the role of the
/// user opens pages of the staff.
#[must_use]
pub const fn is_required(required_for: RequiredFor, is_staff: bool) -> bool {
    match required_for {
        RequiredFor::None => false,
        RequiredFor::Staff => is_staff,
        RequiredFor::All => true,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn open_at(seconds: i64, last_used: Option<i64>) -> Vec<i64> {
        open_steps(Timestamp::from_unix_ms(seconds * 1000), last_used).collect()
    }

    #[test]
    fn codes_of_the_step_before_and_after_count() {
        assert_eq!(step_at(Timestamp::from_unix_ms(29_999)), 0);
        assert_eq!(step_at(Timestamp::from_unix_ms(30_000)), 1);
        assert_eq!(open_at(89, None), [3, 2, 1]);
        assert_eq!(open_at(90, None), [4, 3, 2]);
    }

    #[test]
    fn no_code_counts_twice() {
        assert_eq!(open_at(90, Some(2)), [4, 3]);
        assert_eq!(open_at(90, Some(3)), [4]);
        assert_eq!(open_at(90, Some(4)), [0; 0]);
        assert_eq!(open_at(90, Some(100)), [0; 0]);
    }

    #[test]
    fn the_operator_chooses_who_needs_a_second_factor() {
        for (required_for, user, staff) in [
            (RequiredFor::None, false, false),
            (RequiredFor::Staff, false, true),
            (RequiredFor::All, true, true),
        ] {
            assert_eq!(is_required(required_for, false), user, "{required_for:?}");
            assert_eq!(is_required(required_for, true), staff, "{required_for:?}");
        }
    }

    proptest! {
        #[test]
        fn a_used_step_is_never_open_again(
            now in 0..i64::from(u32::MAX), later in 0..1_000_i64, choice in 0..3_usize
        ) {
            let used = open_at(now, None)[choice];
            prop_assert!(!open_at(now + later, Some(used)).contains(&used));
        }
    }
}
