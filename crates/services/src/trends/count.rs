//! Counts what trends. A job reads the counts in one snapshot, without the writer lane, and then
//! stores the entries in one short transaction.

use std::{collections::HashMap, hash::Hash, time::Duration};

use serde::{Deserialize, Serialize};
use siskin_entities::{Settings, Timestamp};
use siskin_ids::{PreviewCardId, StatusId, TagId};
use siskin_persistence::{
    Conn, Tx,
    trends::{self as rows, CountedStatus, CountedUses, Scored, Windows},
};
use siskin_policy::trends::{
    self as policy, LINKS, MAX_ENTRIES, Peak, Rule, STATUS_THRESHOLD, STATUS_WINDOW, TAGS, WINDOW,
};

use super::notice;
use crate::{
    Result,
    jobs::{self, Job},
};

/// Time between two counts.
pub const INTERVAL: Duration = Duration::from_secs(5 * 60);
/// Tolerance of the interval, so that timers that run a little early skip no count.
const TOLERANCE: Duration = Duration::from_secs(30);
/// Maximum number of statuses that a count reads, the newest ones.
const MAX_STATUSES: i64 = 100_000;
/// Maximum number of hashtags and links whose scores are computed, those with the most accounts.
const MAX_CANDIDATES: i64 = 1000;
/// Maximum number of statuses whose scores are computed, those with the most reactions.
const MAX_CANDIDATE_STATUSES: usize = 300;
/// Maximum number of statuses with reactions among which the candidates are chosen.
const MAX_REACTED_STATUSES: i64 = 5000;
/// Number of reactions from which accounts are not counted one by one.
const MANY_REACTIONS: i64 = 1000;

/// Job that counts what trends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountTrends {}

impl Job for CountTrends {
    const KIND: &'static str = "trends.count";
}

/// Enqueues a [`CountTrends`] job if the last count is old enough. Several processes may call this.
///
/// # Errors
/// Storage errors only.
pub fn enqueue(tx: &mut Tx<'_>, settings: &Settings) -> Result<()> {
    let due = rows::rounds(tx)?.counted_at.after(INTERVAL.saturating_sub(TOLERANCE));
    if settings.trends_enabled && due <= tx.now() {
        rows::set_counted(tx)?;
        jobs::enqueue(tx, &CountTrends {})?;
    }
    Ok(())
}

/// The entries that trend, the highest score first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trends {
    pub tags: Vec<Scored<TagId>>,
    pub links: Vec<Scored<PreviewCardId>>,
    pub statuses: Vec<(StatusId, f64)>,
}

/// Counts what trends at `now`. Nothing trends if the operator turned trends off.
///
/// # Errors
/// Storage errors only.
pub fn read(conn: &mut Conn, settings: &Settings, now: Timestamp) -> Result<Trends> {
    if !settings.trends_enabled {
        return Ok(Trends::default());
    }
    let tag_uses = rows::tag_uses(conn, &windows(&TAGS, now))?;
    let tag_peaks = rows::tag_peaks(conn)?;
    let link_uses = rows::link_uses(conn, &windows(&LINKS, now))?;
    let link_peaks = rows::link_peaks(conn)?;
    Ok(Trends {
        tags: scored(tag_uses, tag_peaks, &TAGS, now),
        links: scored(link_uses, link_peaks, &LINKS, now),
        statuses: statuses(conn, now)?,
    })
}

fn windows(rule: &Rule, now: Timestamp) -> Windows {
    Windows {
        recent: now.before(WINDOW),
        start: now.before(WINDOW.saturating_mul(2)),
        statuses: MAX_STATUSES,
        threshold: rule.threshold,
        entries: MAX_CANDIDATES,
    }
}

/// Computes the scores of hashtags or links, from their uses and their former peaks.
fn scored<I: Copy + Eq + Hash + Ord>(
    uses: CountedUses<I>,
    peaks: Vec<(I, Peak)>,
    rule: &Rule,
    now: Timestamp,
) -> Vec<Scored<I>> {
    let peaks: HashMap<I, Peak> = peaks.into_iter().collect();
    let scored = uses.into_iter().filter_map(|(id, uses)| {
        let peak = policy::peak(peaks.get(&id).copied(), &uses, rule, now)?;
        let score = policy::score(&peak, rule, now)?;
        Some(Scored { id, score, peak })
    });
    let mut scored: Vec<Scored<I>> = scored.collect();
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.id.cmp(&a.id)));
    scored.truncate(MAX_ENTRIES);
    scored
}

fn statuses(conn: &mut Conn, now: Timestamp) -> Result<Vec<(StatusId, f64)>> {
    let windows = Windows {
        recent: now,
        start: now.before(STATUS_WINDOW),
        statuses: MAX_STATUSES,
        threshold: STATUS_THRESHOLD,
        entries: MAX_REACTED_STATUSES,
    };
    // An account reacts at least once, so the number of reactions gives the highest possible score.
    let found = rows::status_reactions(conn, &windows)?.into_iter().filter_map(|status| {
        Some((policy::status_score(status.reactions, status.created_at, now)?, status))
    });
    let mut found: Vec<(f64, CountedStatus)> = found.collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.id.cmp(&a.1.id)));
    found.truncate(MAX_CANDIDATE_STATUSES);
    let found: Vec<CountedStatus> = found.into_iter().map(|(_, status)| status).collect();
    let is_exact = |status: &&CountedStatus| status.reactions < MANY_REACTIONS;
    let few: Vec<StatusId> = found.iter().filter(is_exact).map(|status| status.id).collect();
    let accounts = rows::reacting_accounts(conn, &few)?;
    let scored = found.iter().filter_map(|status| {
        let accounts = if status.reactions < MANY_REACTIONS {
            accounts.get(&status.id).copied().unwrap_or_default()
        } else {
            status.reactions
        };
        Some((status.id, policy::status_score(accounts, status.created_at, now)?))
    });
    let mut scored: Vec<(StatusId, f64)> = scored.collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    scored.truncate(MAX_ENTRIES);
    Ok(scored)
}

/// Stores what trends, and reports entries that need a review to staff.
///
/// # Errors
/// Storage errors only.
pub fn store(tx: &mut Tx<'_>, settings: &Settings, trends: &Trends) -> Result<()> {
    // The lock keeps two processes from replacing the entries at the same time.
    let rounds = rows::rounds(tx)?;
    rows::replace_tags(tx, &trends.tags)?;
    rows::replace_links(tx, &trends.links)?;
    rows::replace_statuses(tx, &trends.statuses)?;
    rows::set_counted(tx)?;
    notice::report(tx, settings, rounds.reported_at)
}
