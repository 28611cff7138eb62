//! The limits of the interface: how long, how many, how often.
//!
//! These are the values a server starts with. Those an operator may change are settings, whose
//! defaults these are; this module reads no setting.

use std::time::Duration;

/// Characters of a status, content warning included.
pub const STATUS_MAX_CHARACTERS: usize = 500;
/// What a link counts for in a status, however long it is.
pub const CHARACTERS_RESERVED_PER_URL: usize = 23;
/// Statuses an account can have pinned to its profile.
pub const MAX_PINNED_STATUSES: usize = 5;

/// Characters of a display name.
pub const MAX_DISPLAY_NAME_LENGTH: usize = 30;
/// Characters of a profile's note.
pub const MAX_NOTE_LENGTH: usize = 500;
/// Extra fields of a profile.
pub const MAX_PROFILE_FIELDS: usize = 4;
/// Characters of the name of an extra field.
pub const PROFILE_FIELD_NAME_LIMIT: usize = 255;
/// Characters of the value of an extra field.
pub const PROFILE_FIELD_VALUE_LIMIT: usize = 255;
/// Domains a profile can name as entitled to attribute articles to it.
pub const MAX_ATTRIBUTION_DOMAINS: usize = 10;

/// Hashtags a tag timeline takes in each of `any`, `all` and `none`.
pub const TAG_TIMELINE_EXTRA_TAGS: usize = 4;

/// For how long an `Idempotency-Key` stands for the status it made.
pub const IDEMPOTENCY_KEY_KEPT: Duration = Duration::from_secs(3600);

/// Whom an account can follow before its own followers count.
pub const FOLLOWS_THRESHOLD: u64 = 7500;

/// How many accounts one with so many followers can follow: [`FOLLOWS_THRESHOLD`], and beyond
/// that 1.1 times its followers, rounded up.
#[must_use]
pub const fn max_follows(followers: u64) -> u64 {
    let by_followers = followers.saturating_add(followers.div_ceil(10));
    if by_followers > FOLLOWS_THRESHOLD { by_followers } else { FOLLOWS_THRESHOLD }
}

/// How much of a thread is shown around a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextLimit {
    /// Statuses above it.
    pub ancestors: usize,
    /// Statuses below it.
    pub descendants: usize,
    /// Generations below it; `None` is unbounded.
    pub depth: Option<usize>,
}

/// The thread as anyone sees it.
pub const CONTEXT_PUBLIC: ContextLimit =
    ContextLimit { ancestors: 40, descendants: 60, depth: Some(20) };
/// The thread as a signed-in person sees it.
pub const CONTEXT_USER: ContextLimit =
    ContextLimit { ancestors: 4096, descendants: 4096, depth: None };

/// Entries of a page: what a request gets that names no `limit`, and the most it can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimit {
    /// Without a `limit`.
    pub default: usize,
    /// Whatever the `limit`.
    pub max: usize,
}

/// Timelines, statuses of an account, bookmarks, favourites, conversations, search.
pub const STATUS_PAGE: PageLimit = PageLimit { default: 20, max: 40 };
/// Lists of accounts, notifications, the directory, suggestions.
pub const ACCOUNT_PAGE: PageLimit = PageLimit { default: 40, max: 80 };
/// Blocked domains, followed tags, lists of the administration.
pub const LONG_PAGE: PageLimit = PageLimit { default: 100, max: 200 };
/// Unread notifications counted.
pub const UNREAD_COUNT: PageLimit = PageLimit { default: 100, max: 1000 };

impl PageLimit {
    /// The number of entries for the `limit` a client sent. Clients get the nearest allowed
    /// number, never an error: nothing or less than one asks for the default.
    #[must_use]
    pub fn clamp(self, asked: Option<i64>) -> usize {
        match asked {
            Some(asked) if asked > 0 => usize::try_from(asked).unwrap_or(usize::MAX).min(self.max),
            _ => self.default,
        }
    }
}

/// So many requests in so long a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// Requests.
    pub count: u32,
    /// The time they may be spread over.
    pub per: Duration,
}

/// Everything one account, or one address, asks for.
pub const RATE_EVERYTHING: RateLimit = RateLimit { count: 300, per: Duration::from_secs(300) };
/// Uploads of one account.
pub const RATE_MEDIA: RateLimit = RateLimit { count: 30, per: Duration::from_secs(1800) };
/// Statuses and reblogs one account takes back.
pub const RATE_DELETE: RateLimit = RateLimit { count: 30, per: Duration::from_secs(1800) };
/// Accounts made from one address.
pub const RATE_SIGN_UP: RateLimit = RateLimit { count: 5, per: Duration::from_secs(1800) };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_never_longer_than_its_limit() {
        assert_eq!(STATUS_PAGE.clamp(None), 20);
        assert_eq!(STATUS_PAGE.clamp(Some(0)), 20);
        assert_eq!(STATUS_PAGE.clamp(Some(-3)), 20);
        assert_eq!(STATUS_PAGE.clamp(Some(1)), 1);
        assert_eq!(STATUS_PAGE.clamp(Some(40)), 40);
        assert_eq!(STATUS_PAGE.clamp(Some(i64::MAX)), 40);
    }

    #[test]
    fn followers_raise_the_number_of_follows() {
        assert_eq!(max_follows(0), 7500);
        assert_eq!(max_follows(6818), 7500);
        assert_eq!(max_follows(10_001), 11_002);
        assert_eq!(max_follows(u64::MAX), u64::MAX);
    }
}
