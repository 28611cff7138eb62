//! In-memory cache of authenticated callers, keyed by token hash. It saves most requests the
//! authentication query.
//!
//! The cache returns no caller with access that this process has ended. It removes an entry when
//! the event arrives that ends the entry's access. It is not used while any event that this process
//! committed is still unprocessed. So once the request that ends access is answered, this process
//! refuses the token. If another process ends access, this process refuses the token within moments
//! (`docs/decisions/0022`). The cache never stores callers that may not act, or that have a use to
//! be recorded.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use siskin_entities::Timestamp;
use siskin_persistence::{Lookups, events::Access};
use siskin_services::{
    Result,
    authentication::{self, Caller, Standing},
};

use crate::App;

/// Maximum age of an entry. After that the caller is loaded again even if no event arrived.
const KEPT: Duration = Duration::from_secs(5);
/// Number of entries that fill a generation. A full generation replaces the old one, which evicts
/// the least recently used entries. The cache holds up to twice as many entries.
const GENERATION: usize = 5_000;
/// Marks that no event has been processed yet. It is no possible number of commits.
const NOTHING: u64 = u64::MAX;

/// Cache of recent callers.
pub(crate) struct CachedCallers {
    kept: Mutex<Generations>,
    /// Number of commits of this process at the time when all its events were last processed.
    heard: AtomicU64,
    pub(crate) lookups: Lookups,
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
        self.read_at <= now && now < self.read_at.after(KEPT)
    }

    fn is_met_by(&self, access: Access) -> bool {
        match access {
            Access::Token(token) => self.caller.token == token,
            Access::Application(application) => self.caller.application == Some(application),
            Access::Account(account) => {
                self.caller.person.is_some_and(|person| person.account == account)
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

    fn forget(&mut self, access: Access) {
        self.changes += 1;
        self.young.retain(|_, entry| !entry.is_met_by(access));
        self.old.retain(|_, entry| !entry.is_met_by(access));
    }
}

impl Default for CachedCallers {
    fn default() -> Self {
        Self { kept: Mutex::default(), heard: AtomicU64::new(NOTHING), lookups: Lookups::default() }
    }
}

impl CachedCallers {
    fn lock(&self) -> MutexGuard<'_, Generations> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Invalidates the callers with these tokens. They are loaded again at their next request.
    pub(crate) fn forget(&self, access: Access) {
        self.lock().forget(access);
    }

    /// Notes that every event of the first `commits` commits of this process has been processed.
    pub(crate) fn heard(&self, commits: u64) {
        self.heard.store(commits, Ordering::SeqCst);
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
            let has_heard_all = callers.heard.load(Ordering::SeqCst) == self.inner.store.commits();
            let mut kept = callers.lock();
            if let Some(caller) = has_heard_all.then(|| kept.get(&hash, now)).flatten() {
                callers.lookups.note(1, 0);
                return Ok(Some(caller));
            }
            callers.lookups.note(0, 1);
            kept.changes
        };
        let found = self.read(move |conn| authentication::authenticate(conn, &token)).await?;
        if let Some(caller) = found.as_ref().filter(|caller| is_to_be_kept(caller, now)) {
            let mut kept = callers.lock();
            if kept.changes == changes {
                kept.insert(hash, Entry { caller: caller.clone(), read_at: now });
            }
        }
        Ok(found)
    }
}

/// Returns `true` if the caller may be cached. A caller that may not act is not cached: the account
/// can be enabled at any moment, and no event announces that.
fn is_to_be_kept(caller: &Caller, now: Timestamp) -> bool {
    let is_good = caller.person.is_none_or(|person| person.standing == Standing::Good);
    is_good && !authentication::is_use_to_be_noted(caller, now)
}

#[cfg(test)]
mod tests {
    use siskin_ids::{AccountId, ApplicationId, TokenId};
    use siskin_policy::scopes::Scopes;
    use siskin_services::authentication::Person;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_ms(seconds * 1000)
    }

    /// Entry with token `token`, account `token + 1` and application `token + 2`: 1, 2, 3, then 4,
    /// 5, 6.
    fn entry(token: i64) -> Entry {
        let person = Person { account: AccountId::new(token + 1), standing: Standing::Good };
        let caller = Caller {
            token: TokenId::new(token),
            application: Some(ApplicationId::new(token + 2)),
            scopes: Scopes::default(),
            last_used_at: Some(at(0)),
            person: Some(person),
        };
        Entry { caller, read_at: at(0) }
    }

    #[test]
    fn whoever_stays_away_is_forgotten() {
        let mut kept = Generations::default();
        for token in 0..3 * GENERATION as i64 {
            kept.insert(token.to_string(), entry(token));
            assert!(kept.get("0", at(1)).is_some(), "{token}");
        }
        assert!(kept.get("1", at(1)).is_none());
        assert!(kept.young.len() + kept.old.len() <= 2 * GENERATION);
    }

    #[test]
    fn what_is_known_is_looked_up_again_after_a_while() {
        let mut kept = Generations::default();
        kept.insert("a".to_owned(), entry(1));
        assert!(kept.get("a", at(4)).is_some());
        assert!(kept.get("a", at(5)).is_none());
        assert!(kept.get("a", at(-1)).is_none(), "the clock was set back");
    }

    #[test]
    fn access_ends_by_token_by_person_and_by_application() {
        for (access, left) in [
            (Access::Token(TokenId::new(1)), [false, true]),
            (Access::Account(AccountId::new(2)), [false, true]),
            (Access::Application(ApplicationId::new(6)), [true, false]),
            (Access::Account(AccountId::new(1)), [true, true]),
        ] {
            let mut kept = Generations::default();
            kept.insert("old".to_owned(), entry(1));
            kept.old = std::mem::take(&mut kept.young);
            kept.insert("young".to_owned(), entry(4));
            kept.forget(access);
            assert_eq!(["old", "young"].map(|name| kept.get(name, at(1)).is_some()), left);
            assert_eq!(kept.changes, 1);
        }
    }

    #[test]
    fn nobody_is_kept_who_may_not_act_or_is_to_be_noted() {
        let caller = entry(1).caller;
        assert!(is_to_be_kept(&caller, at(60)));
        assert!(!is_to_be_kept(&caller, at(100_000)));
        for standing in [Standing::Disabled, Standing::Unconfirmed, Standing::Unapproved] {
            let person = caller.person.map(|person| Person { standing, ..person });
            assert!(!is_to_be_kept(&Caller { person, ..caller.clone() }, at(60)));
        }
        assert!(is_to_be_kept(&Caller { person: None, ..caller }, at(60)));
    }
}
