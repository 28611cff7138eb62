//! In-memory cache of authenticated callers, keyed by token hash. It saves most requests the
//! authentication query.
//!
//! The cache returns no caller with access that this process has ended. It removes an entry when
//! the event arrives that ends the entry's access. It is not used while any event that this process
//! committed is still unprocessed. So once the request that ends access is answered, this process
//! refuses the token. If another process ends access, this process refuses the token within moments
//! (`docs/decisions/0022`). The cache never stores a caller that may not act. It also stores none
//! at a request that must record the use of its token.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use siskin_entities::Timestamp;
use siskin_persistence::{CacheCounters, events::Access};
use siskin_services::{
    Result,
    authentication::{self, Caller, UserState},
};

use crate::App;

/// Maximum age of an entry. After that the caller is loaded again even if no event arrived.
const MAX_AGE: Duration = Duration::from_secs(5);
/// Number of entries that fill a generation. A full generation replaces the old one, which evicts
/// the least recently used entries. The cache holds up to twice as many entries.
const GENERATION: usize = 5_000;
/// Marks that no event has been processed yet. It is no possible number of commits.
const NONE_PROCESSED: u64 = u64::MAX;

/// Cache of recent callers.
pub(crate) struct CachedCallers {
    generations: Mutex<Generations>,
    /// Number of commits of this process at the time when all its events were last processed.
    processed: AtomicU64,
    pub(crate) lookups: CacheCounters,
}

/// Two generations of entries, keyed by token hash. `young` holds the entries used since the last
/// change of generation.
#[derive(Default)]
struct Generations {
    young: HashMap<String, Entry>,
    old: HashMap<String, Entry>,
    /// Number of invalidations so far.
    changes: u64,
}

struct Entry {
    caller: Caller,
    read_at: Timestamp,
}

impl Entry {
    fn is_fresh(&self, now: Timestamp) -> bool {
        self.read_at <= now && now < self.read_at.after(MAX_AGE)
    }

    fn ends_with(&self, access: Access) -> bool {
        match access {
            Access::Token(token) => self.caller.token == token,
            Access::Application(application) => self.caller.application == Some(application),
            Access::Account(account) => {
                self.caller.user.is_some_and(|user| user.account == account)
            }
        }
    }
}

impl Generations {
    fn get(&mut self, hash: &str, now: Timestamp) -> Option<Caller> {
        if let Some(entry) = self.young.get(hash) {
            return entry.is_fresh(now).then(|| entry.caller.clone());
        }
        let entry = self.old.remove(hash).filter(|entry| entry.is_fresh(now))?;
        let caller = entry.caller.clone();
        self.insert(hash.to_owned(), entry);
        Some(caller)
    }

    fn insert(&mut self, hash: String, entry: Entry) {
        if self.young.len() >= GENERATION && !self.young.contains_key(&hash) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(hash, entry);
    }

    fn invalidate(&mut self, access: Access) {
        self.changes += 1;
        self.young.retain(|_, entry| !entry.ends_with(access));
        self.old.retain(|_, entry| !entry.ends_with(access));
    }
}

impl Default for CachedCallers {
    fn default() -> Self {
        Self {
            generations: Mutex::default(),
            processed: AtomicU64::new(NONE_PROCESSED),
            lookups: CacheCounters::default(),
        }
    }
}

impl CachedCallers {
    fn lock(&self) -> MutexGuard<'_, Generations> {
        self.generations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Invalidates the callers that lose this access. Their next request loads them again.
    pub(crate) fn invalidate(&self, access: Access) {
        self.lock().invalidate(access);
    }

    /// Notes that every event of the first `commits` commits of this process has been processed.
    pub(crate) fn processed(&self, commits: u64) {
        self.processed.store(commits, Ordering::SeqCst);
    }
}

impl App {
    /// Returns the caller with `token`. Returns `None` if the token was never issued, or was
    /// revoked. Needs no SQL statement if the caller is cached.
    ///
    /// # Errors
    /// Storage errors only.
    pub async fn caller(&self, token: String) -> Result<Option<Caller>> {
        let (callers, hash, now) = (&self.inner.callers, authentication::hash(&token), self.now());
        let changes = {
            let is_up_to_date =
                callers.processed.load(Ordering::SeqCst) == self.inner.store.commits();
            let mut generations = callers.lock();
            if let Some(caller) = is_up_to_date.then(|| generations.get(&hash, now)).flatten() {
                callers.lookups.record(1, 0);
                return Ok(Some(caller));
            }
            callers.lookups.record(0, 1);
            generations.changes
        };
        let found = self.read(move |conn| authentication::authenticate(conn, &token)).await?;
        if let Some(caller) = found.as_ref().filter(|caller| is_cacheable(caller, now)) {
            let mut generations = callers.lock();
            if generations.changes == changes {
                generations.insert(hash, Entry { caller: caller.clone(), read_at: now });
            }
        }
        Ok(found)
    }
}

/// Returns `true` if the caller may be cached. A caller that may not act is not cached: the account
/// can be enabled at any moment, and no event announces that.
fn is_cacheable(caller: &Caller, now: Timestamp) -> bool {
    let is_active = caller.user.is_none_or(|user| user.state == UserState::Active);
    is_active && !authentication::should_record_use(caller, now)
}

#[cfg(test)]
mod tests {
    use siskin_ids::{AccountId, ApplicationId, TokenId};
    use siskin_policy::scopes::Scopes;
    use siskin_services::authentication::TokenUser;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_ms(seconds * 1000)
    }

    /// Entry with token `token`, account `token + 1` and application `token + 2`: 1, 2, 3, then 4,
    /// 5, 6.
    fn entry(token: i64) -> Entry {
        let user = TokenUser { account: AccountId::new(token + 1), state: UserState::Active };
        let caller = Caller {
            token: TokenId::new(token),
            application: Some(ApplicationId::new(token + 2)),
            scopes: Scopes::default(),
            last_used_at: Some(at(0)),
            user: Some(user),
        };
        Entry { caller, read_at: at(0) }
    }

    #[test]
    fn unused_callers_are_evicted() {
        let mut generations = Generations::default();
        for token in 0..3 * GENERATION as i64 {
            generations.insert(token.to_string(), entry(token));
            assert!(generations.get("0", at(1)).is_some(), "{token}");
        }
        assert!(generations.get("1", at(1)).is_none());
        assert!(generations.young.len() + generations.old.len() <= 2 * GENERATION);
    }

    #[test]
    fn cached_callers_expire() {
        let mut generations = Generations::default();
        generations.insert("a".to_owned(), entry(1));
        assert!(generations.get("a", at(4)).is_some());
        assert!(generations.get("a", at(5)).is_none());
        assert!(generations.get("a", at(-1)).is_none(), "the clock was set back");
    }

    #[test]
    fn access_ends_by_token_by_account_and_by_application() {
        for (access, left) in [
            (Access::Token(TokenId::new(1)), [false, true]),
            (Access::Account(AccountId::new(2)), [false, true]),
            (Access::Application(ApplicationId::new(6)), [true, false]),
            (Access::Account(AccountId::new(1)), [true, true]),
        ] {
            let mut generations = Generations::default();
            generations.insert("old".to_owned(), entry(1));
            generations.old = std::mem::take(&mut generations.young);
            generations.insert("young".to_owned(), entry(4));
            generations.invalidate(access);
            assert_eq!(["old", "young"].map(|name| generations.get(name, at(1)).is_some()), left);
            assert_eq!(generations.changes, 1);
        }
    }

    #[test]
    fn inactive_callers_and_unrecorded_uses_are_not_cached() {
        let caller = entry(1).caller;
        assert!(is_cacheable(&caller, at(60)));
        assert!(!is_cacheable(&caller, at(100_000)));
        for state in [UserState::Disabled, UserState::Unconfirmed, UserState::PendingApproval] {
            let user = caller.user.map(|user| TokenUser { state, ..user });
            assert!(!is_cacheable(&Caller { user, ..caller.clone() }, at(60)));
        }
        assert!(is_cacheable(&Caller { user: None, ..caller }, at(60)));
    }
}
