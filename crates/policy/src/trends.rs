//! What trends: scores, thresholds and the consequences of reviews (`docs/decisions/0036`).
//!
//! The numbers of uses are facts that the caller counts. Only public statuses of active accounts
//! that are not silenced count, and each account counts once.

use std::time::Duration;

use siskin_entities::{Review, Status, TagDay, Timestamp, ViewerRelations, Visibility};

use crate::timelines::{Parent, StatusFacts, shows_tag};

/// Time in which uses are counted. They are compared with those of the same time before.
pub const WINDOW: Duration = Duration::from_secs(24 * 3600);
/// Age up to which a status can trend.
pub const STATUS_WINDOW: Duration = Duration::from_secs(48 * 3600);
/// Maximum number of entries of each kind that trend at a time.
pub const MAX_ENTRIES: usize = 200;
/// Minimum time between two emails about entries to review.
pub const REPORT_INTERVAL: Duration = Duration::from_secs(2 * 3600);

/// When hashtags or links trend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Minimum number of accounts that use the entry in a [`WINDOW`].
    pub threshold: i64,
    /// Time in which the score falls by half after its peak.
    pub half_life: Duration,
}

/// Rule of hashtags.
pub const TAGS: Rule = Rule { threshold: 5, half_life: Duration::from_secs(4 * 3600) };
/// Rule of links.
pub const LINKS: Rule = Rule { threshold: 15, half_life: Duration::from_secs(4 * 3600) };

/// Minimum score of hashtags and links.
const MIN_SCORE: f64 = 1.0;
/// Minimum number of accounts that favourite or reblog a status that trends.
pub const STATUS_THRESHOLD: i64 = 5;
/// Time in which the score of a status falls by half.
const STATUS_HALF_LIFE: Duration = Duration::from_secs(3600);
/// Minimum score of statuses.
const MIN_STATUS_SCORE: f64 = 0.3;

/// Number of accounts that used a hashtag or a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Uses {
    /// In the last [`WINDOW`].
    pub recent: i64,
    /// In the window before.
    pub earlier: i64,
    /// In either of the two.
    pub total: i64,
}

/// Highest score of an entry, from which its score decays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peak {
    /// The score.
    pub score: f64,
    /// Time of the score.
    pub at: Timestamp,
}

/// Returns how unusual the recent use is: `(recent − expected)² ÷ expected`, where the use of the
/// window before is expected, at least by one account. Returns 0 below the threshold, and if the
/// use does not grow.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "numbers of accounts are far below 2⁵²")]
pub fn surge(uses: &Uses, rule: &Rule) -> f64 {
    let expected = uses.earlier.max(1);
    if uses.recent < rule.threshold || uses.recent <= expected {
        return 0.0;
    }
    let difference = (uses.recent - expected) as f64;
    difference * difference / expected as f64
}

/// Returns the peak of an entry at `now`: the earlier one, or the present surge if it is higher. A
/// peak is forgotten after a [`WINDOW`]. Returns `None` if the entry never surged, and if fewer
/// accounts than the threshold are left, for example because statuses were deleted.
#[must_use]
pub fn peak(earlier: Option<Peak>, uses: &Uses, rule: &Rule, now: Timestamp) -> Option<Peak> {
    if uses.total < rule.threshold {
        return None;
    }
    let score = surge(uses, rule);
    let earlier = earlier.filter(|peak| now < peak.at.after(WINDOW));
    match earlier {
        Some(peak) if peak.score >= score => Some(peak),
        _ => (score > 0.0).then_some(Peak { score, at: now }),
    }
}

/// Returns the score of a hashtag or a link at `now`, which decays from its peak. Returns `None` if
/// it is too low to trend.
#[must_use]
pub fn score(peak: &Peak, rule: &Rule, now: Timestamp) -> Option<f64> {
    let score = peak.score * decay(peak.at, now, rule.half_life);
    (score >= MIN_SCORE).then_some(score)
}

/// Returns the score at `now` of a status with favourites and reblogs by this number of accounts.
/// Returns `None` if the status does not trend.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "numbers of accounts are far below 2⁵²")]
pub fn status_score(accounts: i64, created_at: Timestamp, now: Timestamp) -> Option<f64> {
    if accounts < STATUS_THRESHOLD || now >= created_at.after(STATUS_WINDOW) {
        return None;
    }
    let reactions = (accounts - 1) as f64;
    let score = reactions * reactions * decay(created_at, now, STATUS_HALF_LIFE);
    (score >= MIN_STATUS_SCORE).then_some(score)
}

/// Returns the part of a score that is left after the time between `from` and `now`. A time in the
/// future counts as now.
#[expect(clippy::cast_precision_loss, reason = "times of a few days in milliseconds")]
fn decay(from: Timestamp, now: Timestamp, half_life: Duration) -> f64 {
    let age_ms = (now.unix_ms() - from.unix_ms()).max(0) as f64;
    0.5_f64.powf(age_ms / 1000.0 / half_life.as_secs_f64())
}

/// Returns `true` if enough accounts used an entry on the days of its history. The history is
/// counted at each read, so an entry disappears as soon as its uses do.
#[must_use]
pub fn is_used(history: &[TagDay], rule: &Rule) -> bool {
    history.iter().map(|day| day.accounts).sum::<i64>() >= rule.threshold
}

/// Returns `true` if the public list may show an entry. The decision about the entry itself
/// overrides that about its publisher, and that one overrides the setting.
#[must_use]
pub const fn is_trendable(own: Review, publisher: Review, by_default: bool) -> bool {
    match (own, publisher) {
        (Review::Approved, _) | (Review::Unreviewed, Review::Approved) => true,
        (Review::Rejected, _) | (Review::Unreviewed, Review::Rejected) => false,
        (Review::Unreviewed, Review::Unreviewed) => by_default,
    }
}

/// Returns `true` if staff have decided neither about the entry nor about its publisher.
#[must_use]
pub const fn requires_review(own: Review, publisher: Review) -> bool {
    matches!((own, publisher), (Review::Unreviewed, Review::Unreviewed))
}

/// Returns the domains whose review applies to links to `host`, the most specific first: the host
/// and the domains above it, without the top level.
///
/// ```
/// use siskin_policy::trends::publisher_domains;
///
/// let domains: Vec<&str> = publisher_domains("www.news.example").collect();
/// assert_eq!(domains, ["www.news.example", "news.example"]);
/// ```
pub fn publisher_domains(host: &str) -> impl Iterator<Item = &str> {
    let above = host.match_indices('.').map(move |(dot, _)| &host[dot + 1..]);
    std::iter::once(host).chain(above.filter(|domain| domain.contains('.')))
}

/// Returns `true` if a status may trend at all: it is public, no reblog and no reply, has neither a
/// content warning nor sensitive media, and its author is active, not silenced, wants to be found,
/// and has media that moderators did not mark as sensitive.
#[must_use]
pub fn may_trend(status: &Status, parent: Parent) -> bool {
    let body = &status.body;
    let author = &body.account;
    status.reblog.is_none()
        && body.visibility == Visibility::Public
        && parent == Parent::None
        && !body.source.sensitive
        && body.source.spoiler_text.is_empty()
        && author.discoverable == Some(true)
        && author.state.reachable
        && !author.state.suspended
        && !author.state.silenced
        && !author.sensitized
}

/// Returns `true` if the list of trending statuses shows a status to the viewer. It hides authors
/// that the viewer blocks or mutes, and those that block the viewer, like the public timelines.
#[must_use]
pub fn shows(viewer: &ViewerRelations, status: &Status, parent: Parent, now: Timestamp) -> bool {
    may_trend(status, parent) && shows_tag(viewer, &StatusFacts::of(status, parent), now)
}

#[cfg(test)]
mod tests;
