//! Rules of logins at external providers.

use std::time::Duration;

use siskin_entities::Timestamp;

/// Time in which a person can sign in at the provider, which may include a registration there.
pub const FLOW_PERIOD: Duration = Duration::from_secs(1800);
/// Time in which a person can complete a sign-up after a sign-in at the provider.
pub const SIGN_UP_PERIOD: Duration = Duration::from_secs(1800);
/// Time for which a sign-in at the provider counts as a proof of identity, in place of the
/// password.
pub const PROOF_PERIOD: Duration = Duration::from_secs(600);
/// Tolerated difference between the clocks of this server and of a provider.
pub const CLOCK_TOLERANCE: Duration = Duration::from_secs(60);
/// Maximum number of providers.
pub const MAX_PROVIDERS: usize = 20;
/// Maximum length of the name of a provider, in characters.
pub const MAX_PROVIDER_NAME_CHARS: usize = 60;

/// The ways by which a person can sign in, after one of their logins at providers was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaysLeft {
    /// Whether the person has a password.
    pub has_password: bool,
    /// Whether people sign in only through external providers.
    pub external_only: bool,
    /// Number of other logins at providers that the operator has configured.
    pub other_logins: usize,
}

impl WaysLeft {
    /// Returns `true` if the person can still sign in.
    ///
    /// ```
    /// use siskin_policy::external_login::WaysLeft;
    ///
    /// let left = WaysLeft { has_password: true, external_only: false, other_logins: 0 };
    /// assert!(left.can_sign_in());
    /// assert!(!WaysLeft { external_only: true, ..left }.can_sign_in());
    /// ```
    #[must_use]
    pub const fn can_sign_in(self) -> bool {
        self.other_logins > 0 || (self.has_password && !self.external_only)
    }
}

/// Returns `true` if a person confirms changes with the password, and `false` if by another sign-in
/// at a provider. `logins` is the number of their logins at providers that the operator has
/// configured. A password that is of no use for signing in may be forgotten, and cannot be reset.
#[must_use]
pub const fn confirms_with_password(
    has_password: bool,
    external_only: bool,
    logins: usize,
) -> bool {
    has_password && !(external_only && logins > 0)
}

/// Returns `true` if a person signed in at the provider after this server asked for it at `asked`.
/// A provider that does not tell the time proves nothing: the browser can remove from the address
/// that this server asked for it.
#[must_use]
pub fn is_fresh(authenticated_at: Option<Timestamp>, asked: Timestamp) -> bool {
    authenticated_at.is_some_and(|at| at >= asked.before(CLOCK_TOLERANCE))
}

/// Returns `true` if what began at `began` still counts at `now`. It does not if the clock was set
/// back.
#[must_use]
pub fn is_within(period: Duration, began: Timestamp, now: Timestamp) -> bool {
    began <= now && now < began.after(period)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_ms(seconds * 1000)
    }

    #[test]
    fn a_person_keeps_a_way_to_sign_in() {
        for (has_password, external_only, other_logins, expected) in [
            (true, false, 0, true),
            (true, false, 2, true),
            (true, true, 0, false),
            (true, true, 1, true),
            (false, false, 0, false),
            (false, false, 1, true),
            (false, true, 0, false),
        ] {
            let left = WaysLeft { has_password, external_only, other_logins };
            assert_eq!(left.can_sign_in(), expected, "{left:?}");
        }
    }

    #[test]
    fn a_password_without_use_confirms_only_if_there_is_nothing_else() {
        for (has_password, external_only, logins, expected) in [
            (true, false, 0, true),
            (true, false, 1, true),
            (true, true, 0, true),
            (true, true, 1, false),
            (false, false, 1, false),
            (false, true, 0, false),
        ] {
            let actual = confirms_with_password(has_password, external_only, logins);
            assert_eq!(actual, expected, "{has_password} {external_only} {logins}");
        }
    }

    #[test]
    fn an_old_sign_in_at_the_provider_is_no_proof() {
        assert!(!is_fresh(None, at(1000)));
        assert!(is_fresh(Some(at(1000)), at(1000)));
        assert!(is_fresh(Some(at(940)), at(1000)));
        assert!(!is_fresh(Some(at(939)), at(1000)));
    }

    #[test]
    fn a_period_ends() {
        let within = |now| is_within(PROOF_PERIOD, at(1000), at(now));
        assert_eq!([999, 1000, 1599, 1600].map(within), [false, true, true, false]);
    }
}
