//! Fixed limits that no setting changes: lengths, numbers, durations.
//!
//! Limits that an operator can change (such as the length of a status) are settings with their own
//! defaults; callers pass in their values.

use std::time::Duration;

/// Time for which a feed is maintained while its owner does not read it.
pub const FEED_RETENTION: Duration = Duration::from_secs(14 * 24 * 3600);
/// Number of characters that a link counts as in a status, independent of its length.
pub const CHARACTERS_RESERVED_PER_URL: usize = 23;
/// Maximum number of statuses pinned to a profile.
pub const MAX_PINNED_STATUSES: usize = 5;
/// Maximum number of hashtags featured on a profile.
pub const MAX_FEATURED_TAGS: usize = 10;
/// Maximum number of hashtags that an account can follow.
pub const MAX_FOLLOWED_TAGS: i64 = 1000;
/// Maximum number of domains that an account can block.
pub const MAX_BLOCKED_DOMAINS: i64 = 1000;
/// Maximum length of the private and of the public comment of a domain block, in characters.
pub const MAX_DOMAIN_BLOCK_COMMENT_CHARS: usize = 2000;
/// Maximum number of access tokens per account. A new token replaces the least recently used one.
pub const MAX_ACCESS_TOKENS: i64 = 500;
/// Maximum number of browser sessions per user. A new session replaces the least recently used one.
pub const MAX_SESSIONS: i64 = 100;
/// Maximum number of lists per account.
pub const MAX_LISTS: i64 = 50;
/// Maximum length of the title of a list, in characters.
pub const MAX_LIST_TITLE_CHARS: usize = 256;
/// Maximum number of domains that may attribute articles to a profile.
pub const MAX_ATTRIBUTION_DOMAINS: usize = 10;
/// Maximum number of hashtags in each of `any`, `all` and `none` of a hashtag timeline.
pub const TAG_TIMELINE_EXTRA_TAGS: usize = 4;
/// Maximum length of an announcement, in characters.
pub const MAX_ANNOUNCEMENT_CHARS: usize = 3000;
/// Maximum number of announcements in a list; the oldest ones are left out.
pub const MAX_ANNOUNCEMENTS_SHOWN: i64 = 50;
/// Maximum number of different emojis among the reactions to an announcement.
pub const MAX_ANNOUNCEMENT_EMOJIS: usize = 8;
/// Maximum length of a text about the instance, such as the privacy policy, in characters.
pub const MAX_INSTANCE_TEXT_CHARS: usize = 60_000;
/// Maximum length of the description of the instance, in characters. Clients load it often.
pub const MAX_INSTANCE_DESCRIPTION_CHARS: usize = 5000;
/// Maximum size of a text about the instance in HTML, in bytes.
pub const MAX_INSTANCE_HTML_BYTES: usize = 1 << 20;
/// Maximum number of versions of the terms of service.
pub const MAX_TERMS_VERSIONS: usize = 50;
/// Maximum length of a rule of the instance, in characters.
pub const MAX_RULE_CHARS: usize = 300;
/// Maximum length of the hint of a rule, in characters.
pub const MAX_RULE_HINT_CHARS: usize = 1000;
/// Maximum length of what a moderator writes to an account about a strike, in characters.
pub const MAX_STRIKE_CHARS: usize = 2000;
/// Maximum number of statuses of one strike. They are deleted in one transaction.
pub const MAX_STRIKE_STATUSES: usize = 20;
/// Maximum length of the title of a text for warnings, in characters.
pub const MAX_PRESET_TITLE_CHARS: usize = 100;
/// Maximum number of texts for warnings. All of them are loaded for a choice.
pub const MAX_WARNING_PRESETS: usize = 200;
/// Maximum length of an appeal, in characters.
pub const MAX_APPEAL_CHARS: usize = 2000;
/// Time after a suspension at which the data of the account are deleted.
pub const SUSPENSION_PERIOD: Duration = Duration::from_secs(30 * 86_400);
/// Maximum length of the comment of a report, in characters.
pub const MAX_REPORT_COMMENT_CHARS: usize = 1000;
/// Maximum number of statuses that a report names.
pub const MAX_REPORTED_STATUSES: usize = 40;
/// Maximum length of a note of staff on a report, in characters.
pub const MAX_REPORT_NOTE_CHARS: usize = 2000;
/// Maximum length of a private note about an account, in characters.
pub const MAX_ACCOUNT_NOTE_CHARS: usize = 2000;
/// Maximum number of attachments of a status.
pub const MAX_MEDIA_ATTACHMENTS: usize = 4;
/// Maximum length of the description of an attachment, in characters.
pub const MAX_MEDIA_DESCRIPTION_CHARS: usize = 1500;
/// Maximum length of the description of an avatar or header, in characters.
pub const MAX_PICTURE_DESCRIPTION_CHARS: u32 = 1500;
/// Maximum size of an uploaded image, in bytes.
pub const MAX_IMAGE_BYTES: u64 = 16 << 20;
/// Maximum number of pixels of an uploaded image.
pub const MAX_IMAGE_PIXELS: u64 = 33_177_600;
/// Maximum size of a custom emoji, in bytes.
pub const MAX_EMOJI_BYTES: u64 = 256 << 10;
/// Maximum number of pixels of a custom emoji.
pub const MAX_EMOJI_PIXELS: u64 = 4_194_304;
/// Maximum length of the category of a custom emoji, in characters.
pub const MAX_EMOJI_CATEGORY_CHARS: usize = 100;
/// Maximum size of the image of a link preview, in bytes.
pub const MAX_CARD_IMAGE_BYTES: u64 = 4 << 20;
/// Maximum number of pixels of the image of a link preview.
pub const MAX_CARD_IMAGE_PIXELS: u64 = 16_777_216;
/// Maximum length of the URL of a link preview, in bytes.
pub const MAX_CARD_URL_BYTES: usize = 2048;
/// Maximum length of the endpoint of a push subscription, in bytes.
pub const MAX_PUSH_ENDPOINT_BYTES: usize = 2048;
/// Maximum size of an uploaded video or recording, in bytes.
pub const MAX_VIDEO_BYTES: u64 = 99 << 20;
/// Maximum number of pixels in a frame of an uploaded video.
pub const MAX_VIDEO_PIXELS: u64 = 8_294_400;
/// Maximum frame rate of an uploaded video, in frames per second.
pub const MAX_VIDEO_FRAME_RATE: u64 = 120;
/// Maximum number of versions in the history of a status, including the original and the current
/// one.
pub const MAX_VERSIONS_SHOWN: i64 = 100;
/// Maximum number of options of a poll.
pub const MAX_POLL_OPTIONS: usize = 4;
/// Maximum length of a poll option, in characters.
pub const MAX_POLL_OPTION_CHARS: usize = 50;
/// Maximum number of filters per account.
pub const MAX_FILTERS: usize = 500;
/// Maximum number of keywords in all filters of an account together.
pub const MAX_FILTER_KEYWORDS: usize = 1000;
/// Maximum number of statuses in all filters of an account together.
pub const MAX_FILTER_STATUSES: usize = 1000;
/// Maximum length of the title of a filter, in characters.
pub const MAX_FILTER_TITLE_CHARS: usize = 256;
/// Maximum length of a keyword of a filter, in characters.
pub const MAX_FILTER_KEYWORD_CHARS: usize = 256;
/// Maximum lifetime of a filter that expires: a hundred years.
pub const MAX_FILTER_DURATION: Duration = Duration::from_secs(3_155_760_000);
/// Maximum number of matches per text in the preview of a filter.
pub const MAX_FILTER_PREVIEW_SPANS: usize = 100;
/// Maximum length of the comment of an IP block, in characters.
pub const MAX_IP_BLOCK_COMMENT_CHARS: usize = 1000;
/// Maximum lifetime of an IP block or an invite that expires: a hundred years.
pub const MAX_BLOCK_DURATION: Duration = Duration::from_secs(3_155_760_000);
/// Maximum number of invites per account.
pub const MAX_INVITES: i64 = 100;
/// Maximum number of people that an invite with a limit lets in.
pub const MAX_INVITE_USES: i64 = 1000;
/// Maximum length of the comment of an invite, in characters.
pub const MAX_INVITE_COMMENT_CHARS: usize = 420;
/// Time between two exports of the statuses of an account.
pub const EXPORT_INTERVAL: Duration = Duration::from_secs(86_400);
/// Time between two archives of an account.
pub const ARCHIVE_INTERVAL: Duration = Duration::from_secs(7 * 86_400);
/// Age up to which a session downloads exports. Later, the owner signs in again.
pub const FRESH_SESSION: Duration = Duration::from_secs(3600);
/// Time for which the owner can download an export.
pub const EXPORT_LIFETIME: Duration = Duration::from_secs(7 * 86_400);
/// Minimum duration of a poll.
pub const MIN_POLL_DURATION: Duration = Duration::from_secs(300);
/// Maximum duration of a poll.
pub const MAX_POLL_DURATION: Duration = Duration::from_secs(2_629_746);
/// Minimum time between the creation of a scheduled status and its publication.
pub const MIN_SCHEDULED_AHEAD: Duration = Duration::from_secs(300);
/// Maximum number of scheduled statuses per account.
pub const MAX_SCHEDULED_STATUSES: i64 = 300;
/// Maximum number of scheduled statuses per account and day (UTC).
pub const MAX_SCHEDULED_STATUSES_A_DAY: i64 = 25;
/// Maximum number of days of a statistic for staff.
pub const MAX_MEASURED_DAYS: u32 = 366;
/// Maximum number of days for which the retention of new users is shown day by day.
pub const MAX_COHORT_DAYS: u32 = 92;
/// Maximum number of days for which days of activity are stored: thirteen months.
pub const ACTIVE_DAYS_RETENTION: Duration = Duration::from_secs(400 * 24 * 3600);
/// Entries of a ranking for staff.
pub const RANKING: PageLimit = PageLimit { default: 10, max: 100 };
/// Maximum number of accounts that staff decide about at once.
pub const MAX_BULK_ACCOUNTS: usize = 500;
/// Maximum number of reports that staff decide about at once.
pub const MAX_BULK_REPORTS: usize = 500;
/// Lifetime of an `Idempotency-Key`.
pub const IDEMPOTENCY_KEY_LIFETIME: Duration = Duration::from_secs(3600);

/// Returns how many accounts an account with `followers` followers can follow: the larger one of
/// `threshold` and 1.1 times the number of followers, rounded up.
#[must_use]
pub const fn max_follows(threshold: u64, followers: u64) -> u64 {
    let by_followers = followers.saturating_add(followers.div_ceil(10));
    if by_followers > threshold { by_followers } else { threshold }
}

/// Limits of the thread shown with a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextLimit {
    /// Maximum number of ancestors.
    pub ancestors: usize,
    /// Maximum number of descendants.
    pub descendants: usize,
    /// Maximum depth of descendants; `None` means unlimited.
    pub depth: Option<usize>,
}

/// Limits for anonymous viewers.
pub const CONTEXT_PUBLIC: ContextLimit =
    ContextLimit { ancestors: 40, descendants: 60, depth: Some(20) };
/// Limits for signed-in viewers.
pub const CONTEXT_USER: ContextLimit =
    ContextLimit { ancestors: 4096, descendants: 4096, depth: None };

/// Page size: the default without a `limit` parameter, and the maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimit {
    /// Number of entries if the request has no `limit`.
    pub default: i64,
    /// Maximum number of entries.
    pub max: i64,
}

/// Timelines, statuses of an account, bookmarks, favourites and conversations.
pub const STATUS_PAGE: PageLimit = PageLimit { default: 20, max: 40 };
/// Lists of accounts, notifications, the directory and suggestions.
pub const ACCOUNT_PAGE: PageLimit = PageLimit { default: 40, max: 80 };
/// Domain blocks, followed hashtags and lists in the admin API.
pub const LONG_PAGE: PageLimit = PageLimit { default: 100, max: 200 };
/// Trending hashtags and links.
pub const TREND_PAGE: PageLimit = PageLimit { default: 10, max: 20 };
/// Count of unread notifications.
pub const UNREAD_COUNT: PageLimit = PageLimit { default: 100, max: 1000 };

impl PageLimit {
    /// Returns the number of entries for the `limit` of a request: the nearest allowed value, never
    /// an error. Zero gives an empty page; a negative number gives the default.
    #[must_use]
    pub fn clamp(self, requested: Option<i64>) -> i64 {
        requested
            .filter(|requested| *requested >= 0)
            .map_or(self.default, |requested| requested.min(self.max))
    }
}

/// Time window in which the requests of an account or an address are counted.
pub const REQUEST_WINDOW: Duration = Duration::from_secs(300);
/// Time window for costly or rare requests: uploads, deletions, undone reblogs, sign-ups.
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
    fn each_list_has_its_own_limits() {
        for (page, default, max) in [
            (STATUS_PAGE, 20, 40),
            (ACCOUNT_PAGE, 40, 80),
            (LONG_PAGE, 100, 200),
            (TREND_PAGE, 10, 20),
            (UNREAD_COUNT, 100, 1000),
        ] {
            assert_eq!(page.clamp(None), default, "{page:?}");
            assert_eq!(page.clamp(Some(max - 1)), max - 1, "{page:?}");
            assert_eq!(page.clamp(Some(max)), max, "{page:?}");
            assert_eq!(page.clamp(Some(max + 1)), max, "{page:?}");
        }
    }

    #[test]
    fn followers_raise_the_number_of_follows() {
        assert_eq!(max_follows(7500, 0), 7500);
        assert_eq!(max_follows(7500, 6818), 7500);
        assert_eq!(max_follows(7500, 10_001), 11_002);
        assert_eq!(max_follows(7500, u64::MAX), u64::MAX);
    }
}
