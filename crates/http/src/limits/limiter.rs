//! Rate limit counters in windows of fixed length, for any number of subjects.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hash, RandomState},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use siskin_entities::Timestamp;
use siskin_services::spent_budgets::SpentBudget;

/// Number of shards. Requests on different shards do not wait for each other.
const SHARDS: usize = 16;
/// Interval at which a shard drops its expired windows.
const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// A rate limit: a number of requests in a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RateLimit {
    pub(crate) count: u32,
    pub(crate) per: Duration,
}

/// The rest of a budget after one unit was spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Allowance {
    pub(crate) limit: u32,
    pub(crate) remaining: u32,
    /// Time at which the budget is full again.
    pub(crate) reset: Timestamp,
    /// `true` if nothing was left to spend.
    pub(crate) exceeded: bool,
}

impl Allowance {
    /// Returns the allowance that will refuse a request first.
    pub(crate) fn tighter(self, other: Self) -> Self {
        let key = |of: Self| (!of.exceeded, of.remaining, std::cmp::Reverse(of.reset));
        if key(other) < key(self) { other } else { self }
    }

    /// Writes the allowance into the `X-RateLimit-*` headers.
    pub(crate) fn write_headers(self, headers: &mut HeaderMap) {
        let numbers =
            [("x-ratelimit-limit", self.limit), ("x-ratelimit-remaining", self.remaining)];
        for (name, number) in numbers {
            headers.insert(HeaderName::from_static(name), HeaderValue::from(number));
        }
        if let Ok(reset) = HeaderValue::from_str(&self.reset.to_string()) {
            headers.insert(HeaderName::from_static("x-ratelimit-reset"), reset);
        }
    }
}

/// The counters of one process.
#[derive(Debug, Default)]
pub(crate) struct Limiter {
    /// Random hash keys. They keep clients from choosing subjects that collide.
    keys: RandomState,
    shards: [Mutex<Shard>; SHARDS],
    /// Counters that changed since they were last stored, by their names.
    changed: Mutex<HashMap<String, Count>>,
}

#[derive(Debug, Default)]
struct Shard {
    counts: HashMap<u64, Count>,
    sweep_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy)]
struct Count {
    spent: u32,
    until: Timestamp,
}

impl Limiter {
    /// Spends one unit of a budget that survives a restart. The name is the same in all processes.
    pub(crate) fn spend_kept(&self, name: String, limit: RateLimit, now: Timestamp) -> Allowance {
        let allowance = self.spend(&name, limit, now);
        let spent = limit.count.saturating_sub(allowance.remaining);
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        changed.insert(name, Count { spent, until: allowance.reset });
        allowance
    }

    /// Returns what changed of the budgets that survive a restart, since the last call, ordered by
    /// name.
    pub(crate) fn take_changed(&self) -> Vec<SpentBudget> {
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = std::mem::take(&mut *changed).into_iter();
        let mut taken: Vec<SpentBudget> = taken
            .map(|(key_hash, Count { spent, until })| SpentBudget { key_hash, spent, until })
            .collect();
        taken.sort_by(|a, b| a.key_hash.cmp(&b.key_hash));
        taken
    }

    /// Takes back what could not be stored, for the next call of [`Self::take_changed`]. What was
    /// spent meanwhile counts instead.
    pub(crate) fn put_back(&self, taken: &[SpentBudget]) {
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        for SpentBudget { key_hash, spent, until } in taken {
            let count = Count { spent: *spent, until: *until };
            changed.entry(key_hash.clone()).or_insert(count);
        }
    }

    /// Takes over what was spent before a restart.
    pub(crate) fn restore(&self, stored: &SpentBudget) {
        let (key, mut shard) = self.shard_of(&stored.key_hash);
        shard.counts.insert(key, Count { spent: stored.spent, until: stored.until });
    }

    fn shard_of(&self, subject: impl Hash) -> (u64, MutexGuard<'_, Shard>) {
        let key = self.keys.hash_one(subject);
        let shard = &self.shards[(key % SHARDS as u64) as usize];
        (key, shard.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Spends one unit of the budget that `subject` names.
    pub(crate) fn spend(&self, subject: impl Hash, limit: RateLimit, now: Timestamp) -> Allowance {
        let (key, mut shard) = self.shard_of(subject);
        shard.sweep(now);
        let until = end_of_window(limit, now);
        let count = shard.counts.entry(key).or_insert(Count { spent: 0, until });
        if count.until <= now {
            *count = Count { spent: 0, until };
        }
        let exceeded = count.spent >= limit.count;
        count.spent = count.spent.saturating_add(1);
        Allowance {
            limit: limit.count,
            remaining: limit.count.saturating_sub(count.spent),
            reset: count.until,
            exceeded,
        }
    }
}

impl Shard {
    fn sweep(&mut self, now: Timestamp) {
        if self.sweep_at.is_none_or(|sweep_at| sweep_at <= now) {
            self.counts.retain(|_, count| count.until > now);
            self.sweep_at = Some(now.after(SWEEP_EVERY));
        }
    }
}

/// Returns the end of the current window. Windows begin at multiples of their length, so that all
/// windows of a subject end at the same time.
fn end_of_window(limit: RateLimit, now: Timestamp) -> Timestamp {
    let length = i64::try_from(limit.per.as_millis()).unwrap_or(i64::MAX).max(1);
    let begun = now.unix_ms() - now.unix_ms().rem_euclid(length);
    Timestamp::from_unix_ms(begun.saturating_add(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE: RateLimit = RateLimit { count: 3, per: Duration::from_secs(300) };

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_ms(seconds * 1000)
    }

    #[test]
    fn the_remaining_budget_reaches_zero_before_requests_are_refused() {
        let limiter = Limiter::default();
        let spend = |now| limiter.spend("ann", THREE, at(now));
        let results: Vec<_> =
            (0..5).map(|_| spend(10)).map(|a| (a.remaining, a.exceeded)).collect();
        assert_eq!(results, [(2, false), (1, false), (0, false), (0, true), (0, true)]);
        assert_eq!(limiter.spend("bob", THREE, at(10)).remaining, 2);
        let reset = spend(299).reset;
        assert_eq!(reset, at(300));
        assert_eq!((spend(300).remaining, spend(300).reset), (2, at(600)));
    }

    #[test]
    fn the_tightest_allowance_is_chosen() {
        let allowance =
            |remaining, exceeded| Allowance { limit: 9, remaining, reset: at(1), exceeded };
        let tight = allowance(1, false);
        assert_eq!(allowance(5, false).tighter(tight), tight);
        assert_eq!(tight.tighter(allowance(5, false)), tight);
        let refused = allowance(0, true);
        assert_eq!(allowance(0, false).tighter(refused), refused);
        let later = Allowance { reset: at(2), ..tight };
        assert_eq!(tight.tighter(later), later);
    }

    #[test]
    fn the_headers_contain_numbers_and_a_time() {
        let mut headers = HeaderMap::new();
        Limiter::default().spend("ann", THREE, at(1)).write_headers(&mut headers);
        assert_eq!(headers.get("x-ratelimit-limit").unwrap(), "3");
        assert_eq!(headers.get("x-ratelimit-remaining").unwrap(), "2");
        assert_eq!(headers.get("x-ratelimit-reset").unwrap(), "1970-01-01T00:05:00.000Z");
    }

    #[test]
    fn what_is_spent_survives_a_restart() {
        let before = Limiter::default();
        let spend = |limiter: &Limiter, name: &str| {
            let allowance = limiter.spend_kept(name.to_owned(), THREE, at(10));
            (allowance.remaining, allowance.exceeded)
        };
        for _ in 0..5 {
            spend(&before, "ann");
        }
        assert_eq!(spend(&before, "bob"), (2, false));
        before.spend("not kept", THREE, at(10));
        let stored = before.take_changed();
        let expected = [("ann", 3), ("bob", 1)].map(|(name, spent)| SpentBudget {
            key_hash: name.to_owned(),
            spent,
            until: at(300),
        });
        assert_eq!(stored, expected);
        assert_eq!(before.take_changed(), []);
        let after = Limiter::default();
        stored.iter().for_each(|budget| after.restore(budget));
        assert_eq!((spend(&after, "ann"), spend(&after, "bob")), ((0, true), (1, false)));
        assert_eq!(after.spend_kept("ann".to_owned(), THREE, at(300)).remaining, 2);
    }

    #[test]
    fn what_could_not_be_stored_is_stored_later() {
        let limiter = Limiter::default();
        let spend = |name: &str| limiter.spend_kept(name.to_owned(), THREE, at(10));
        spend("bob");
        spend("ann");
        let taken = limiter.take_changed();
        spend("ann");
        limiter.put_back(&taken);
        let changed = limiter.take_changed();
        let changed: Vec<_> = changed.iter().map(|it| (it.key_hash.as_str(), it.spent)).collect();
        assert_eq!(changed, [("ann", 2), ("bob", 1)]);
    }

    #[test]
    fn expired_windows_are_dropped() {
        let limiter = Limiter::default();
        let count_stored = || {
            let count_stored = |shard: &Mutex<Shard>| shard.lock().unwrap().counts.len();
            limiter.shards.iter().map(count_stored).sum::<usize>()
        };
        let spend = |now| {
            for subject in 0..1000 {
                limiter.spend((now, subject), THREE, at(now));
            }
        };
        spend(1);
        spend(250);
        assert_eq!(count_stored(), 2000);
        spend(700);
        assert_eq!(count_stored(), 1000);
    }
}
