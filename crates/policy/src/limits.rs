//! The limits of the interface that no setting changes: how long, how many, how often.
//!
//! What an operator may change (characters of a status, follows, requests) is a setting with its
//! own default; the caller brings its value.

use std::time::Duration;

/// How long a home or list timeline is kept in order for somebody who does not read it.
pub const FEED_KEPT_UNREAD: Duration = Duration::from_secs(14 * 24 * 3600);
/// What a link counts for in a status, however long it is.
pub const CHARACTERS_RESERVED_PER_URL: usize = 23;
/// Statuses an account can have pinned to its profile.
pub const MAX_PINNED_STATUSES: usize = 5;
/// Hashtags a profile can feature.
pub const MAX_FEATURED_TAGS: usize = 10;
/// Hashtags an account can follow.
pub const MAX_FOLLOWED_TAGS: i64 = 1000;
/// Servers an account can block.
pub const MAX_BLOCKED_DOMAINS: i64 = 1000;
/// Access tokens an account can have. The one that was used least recently ends for another.
pub const MAX_ACCESS_TOKENS: i64 = 500;
/// Browsers in which a person can be signed in. The one that was used least recently is signed out
/// for another.
pub const MAX_SESSIONS: i64 = 100;
/// Lists an account can own.
pub const MAX_LISTS: i64 = 50;
/// Characters of the title of a list.
pub const MAX_LIST_TITLE_CHARS: usize = 256;
/// Domains a profile can name as entitled to attribute articles to it.
pub const MAX_ATTRIBUTION_DOMAINS: usize = 10;
/// Hashtags a tag timeline takes in each of `any`, `all` and `none`.
pub const TAG_TIMELINE_EXTRA_TAGS: usize = 4;
/// Characters of a rule of the instance.
pub const MAX_RULE_CHARS: usize = 300;
/// Characters of the hint that explains a rule.
pub const MAX_RULE_HINT_CHARS: usize = 1000;
/// Characters of the note that one writes about an account for oneself.
pub const MAX_ACCOUNT_NOTE_CHARS: usize = 2000;
/// Attachments of a status.
pub const MAX_MEDIA_ATTACHMENTS: usize = 4;
/// Characters of the description of an attachment.
pub const MAX_MEDIA_DESCRIPTION_CHARS: usize = 1500;
/// Characters of the description of a picture of a profile.
pub const MAX_PICTURE_DESCRIPTION_CHARS: u32 = 1500;
/// Bytes of an uploaded picture.
pub const MAX_IMAGE_BYTES: u64 = 16 << 20;
/// Pixels of an uploaded picture.
pub const MAX_IMAGE_PIXELS: u64 = 33_177_600;
/// Bytes of the file of a custom emoji.
pub const MAX_EMOJI_BYTES: u64 = 256 << 10;
/// Pixels of the file of a custom emoji.
pub const MAX_EMOJI_PIXELS: u64 = 4_194_304;
/// Characters of the category of a custom emoji.
pub const MAX_EMOJI_CATEGORY_CHARS: usize = 100;
/// Bytes of the picture of a link preview.
pub const MAX_CARD_IMAGE_BYTES: u64 = 4 << 20;
/// Pixels of the picture of a link preview.
pub const MAX_CARD_IMAGE_PIXELS: u64 = 16_777_216;
/// Bytes of the address of a page that is looked at for a preview.
pub const MAX_CARD_URL_BYTES: usize = 2048;
/// Bytes of an uploaded video or recording.
pub const MAX_VIDEO_BYTES: u64 = 99 << 20;
/// Pixels of a frame of an uploaded video.
pub const MAX_VIDEO_PIXELS: u64 = 8_294_400;
/// Frames of an uploaded video in a second.
pub const MAX_VIDEO_FRAME_RATE: u64 = 120;
/// Versions of a status in its history, the original and the present one among them.
pub const MAX_VERSIONS_SHOWN: i64 = 100;
/// Options of a poll.
pub const MAX_POLL_OPTIONS: usize = 4;
/// Characters of an option of a poll.
pub const MAX_POLL_OPTION_CHARS: usize = 50;
/// Filters an account can have.
pub const MAX_FILTERS: usize = 500;
/// Keywords an account can have in all its filters together.
pub const MAX_FILTER_KEYWORDS: usize = 1000;
/// Statuses an account can have in all its filters together.
pub const MAX_FILTER_STATUSES: usize = 1000;
/// Characters of the title of a filter.
pub const MAX_FILTER_TITLE_CHARS: usize = 256;
/// Characters of a keyword of a filter.
pub const MAX_FILTER_KEYWORD_CHARS: usize = 256;
/// How long a filter applies at most that does not apply for good: a hundred years.
pub const MAX_FILTER_DURATION: Duration = Duration::from_secs(3_155_760_000);
/// Places in one text of a status that the preview of a filter tells.
pub const MAX_FILTER_PREVIEW_SPANS: usize = 100;
/// How long a poll is open at least.
pub const MIN_POLL_DURATION: Duration = Duration::from_secs(300);
/// How long a poll is open at most.
pub const MAX_POLL_DURATION: Duration = Duration::from_secs(2_629_746);
/// How far ahead a status is scheduled at least.
pub const MIN_SCHEDULED_AHEAD: Duration = Duration::from_secs(300);
/// Statuses an account can have scheduled.
pub const MAX_SCHEDULED_STATUSES: i64 = 300;
/// Those of them whose time is on one day (UTC).
pub const MAX_SCHEDULED_STATUSES_A_DAY: i64 = 25;
/// For how long an `Idempotency-Key` stands for what it made.
pub const IDEMPOTENCY_KEY_KEPT: Duration = Duration::from_secs(3600);

/// How many accounts one with so many followers can follow: `threshold`, and once it has enough
/// followers 1.1 times their number, rounded up.
#[must_use]
pub const fn max_follows(threshold: u64, followers: u64) -> u64 {
    let by_followers = followers.saturating_add(followers.div_ceil(10));
    if by_followers > threshold { by_followers } else { threshold }
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
    pub default: i64,
    /// Whatever the `limit`.
    pub max: i64,
}

/// Timelines, statuses of an account, bookmarks, favourites, conversations.
pub const STATUS_PAGE: PageLimit = PageLimit { default: 20, max: 40 };
/// Lists of accounts, notifications, the directory, suggestions.
pub const ACCOUNT_PAGE: PageLimit = PageLimit { default: 40, max: 80 };
/// Blocked domains, followed tags, lists of the administration.
pub const LONG_PAGE: PageLimit = PageLimit { default: 100, max: 200 };
/// Unread notifications counted.
pub const UNREAD_COUNT: PageLimit = PageLimit { default: 100, max: 1000 };

impl PageLimit {
    /// The number of entries for the `limit` a client sent: the nearest allowed one, never an
    /// error. Zero asks for an empty page; a negative number gets the default.
    #[must_use]
    pub fn clamp(self, asked: Option<i64>) -> i64 {
        asked.filter(|asked| *asked >= 0).map_or(self.default, |asked| asked.min(self.max))
    }
}

/// The time over which the requests of an account or an address are counted.
pub const REQUEST_WINDOW: Duration = Duration::from_secs(300);
/// The same for what is costly or seldom: uploads, deletions, undone reblogs, sign-ups.
pub const COSTLY_REQUEST_WINDOW: Duration = Duration::from_secs(1800);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_never_longer_than_its_limit() {
        assert_eq!(STATUS_PAGE.clamp(None), 20);
        assert_eq!(STATUS_PAGE.clamp(Some(0)), 0);
        assert_eq!(STATUS_PAGE.clamp(Some(-3)), 20);
        assert_eq!(STATUS_PAGE.clamp(Some(1)), 1);
        assert_eq!(STATUS_PAGE.clamp(Some(40)), 40);
        assert_eq!(STATUS_PAGE.clamp(Some(i64::MAX)), 40);
    }

    #[test]
    fn followers_raise_the_number_of_follows() {
        assert_eq!(max_follows(7500, 0), 7500);
        assert_eq!(max_follows(7500, 6818), 7500);
        assert_eq!(max_follows(7500, 10_001), 11_002);
        assert_eq!(max_follows(7500, u64::MAX), u64::MAX);
    }
}
