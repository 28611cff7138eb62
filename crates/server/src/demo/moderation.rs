//! The additions of `demo --moderated`: accounts in every state, accounts of other servers, and the
//! relations that users of a real server have.

use rand::{Rng, SeedableRng, rngs::StdRng, seq::index};
use siskin_ids::{AccountId, StatusId};
use siskin_services::{
    accounts::Decision,
    filters::{Expiry, FilterDraft, KeywordDraft},
    lists::ListForm,
    relationships::MuteOptions,
};

use super::{
    action::{Action, Person, RemoteStatus, Standing, Treatment},
    network::one_of,
    texts,
};

/// Servers of the remote accounts. Each account blocks one of them.
const DOMAINS: [&str; 4] = ["calm.example", "loud.example", "north.example", "south.example"];
/// Duration of mutes and filters that are still in effect when the server starts.
const LONG: i64 = 400 * 24 * 3600;
/// Duration of mutes that have ended by then.
const SHORT: i64 = 3600;
/// Number of filters of each account, and of keywords in each of them.
const FILTERS: usize = 5;
const KEYWORDS: usize = 10;
/// Number of statuses among which reactions choose, the latest ones.
const FRESH: usize = 400;
/// Number of accounts that each account blocks or mutes.
const AVOIDED: usize = 5;
/// Number of domains that staff block with one action.
const BLOCKED_AT_ONCE: usize = 100;

/// Kind of action that every account takes once for each occurrence in [`ROUNDS`].
#[derive(Debug, Clone, Copy)]
enum Round {
    FollowRemote,
    BlockServer,
    FollowTag,
    Filter(usize),
    Block(usize),
    /// The mute hides notifications, and has no end.
    Mute,
    /// The mute shows notifications, and ends long after the server starts.
    LongMute,
    /// The mute has ended before the server starts.
    EndedMute,
    Favourite,
    Reblog,
    Bookmark,
    List(usize),
}

/// The rounds in the order of time. Lists come last, because their members must be followed.
const ROUNDS: &[Round] = &[
    Round::BlockServer,
    Round::FollowRemote,
    Round::Filter(0),
    Round::FollowTag,
    Round::Filter(1),
    Round::EndedMute,
    Round::Block(0),
    Round::Filter(2),
    Round::Favourite,
    Round::FollowTag,
    Round::Mute,
    Round::Filter(3),
    Round::Favourite,
    Round::Reblog,
    Round::FollowRemote,
    Round::Block(1),
    Round::Filter(4),
    Round::LongMute,
    Round::Favourite,
    Round::FollowTag,
    Round::Bookmark,
    Round::Favourite,
    Round::List(0),
    Round::List(1),
    Round::List(2),
    Round::Favourite,
];

/// Number of accounts in each state, and of blocked domains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Accounts of other servers.
    pub remote: usize,
    pub suspended: usize,
    pub silenced: usize,
    /// Users who wait for approval.
    pub pending: usize,
    /// Users who have not confirmed their address.
    pub unconfirmed: usize,
    /// Domains that staff block, none of them in [`DOMAINS`].
    pub blocked_domains: usize,
}

impl Counts {
    /// Returns the numbers for a network of this many accounts: 2.5 % of the accounts are suspended,
    /// and as many are silenced. The owner never is. One more account waits for approval for every
    /// ten, and one domain is blocked for every four.
    pub fn of(accounts: usize) -> Self {
        if accounts == 0 {
            return Self::default();
        }
        let others = accounts - 1;
        let suspended = (accounts / 40).max(1).min(others);
        Self {
            remote: (accounts / 10).max(1).next_multiple_of(DOMAINS.len()),
            suspended,
            silenced: (accounts / 40).max(1).min(others - suspended),
            pending: (accounts / 10).max(1),
            unconfirmed: (accounts / 50).max(1),
            blocked_domains: (accounts / 4).max(1),
        }
    }

    const fn newcomers(self) -> usize {
        self.pending + self.unconfirmed
    }
}

/// The objects that later actions refer to.
#[derive(Debug, Clone, Copy)]
pub struct Known<'n> {
    pub accounts: &'n [AccountId],
    /// Public statuses with their authors, the latest last.
    pub open: &'n [(usize, StatusId)],
}

/// The generator of the additions.
#[derive(Debug)]
pub struct Moderation {
    random: StdRng,
    counts: Counts,
    accounts: usize,
    /// Accounts that each account is to follow, as indexes.
    following: Vec<Vec<usize>>,
    /// Distances, by index, of the accounts that each account blocks and mutes. So each account is
    /// blocked and muted as often as it blocks and mutes.
    distances: Vec<usize>,
    remote_statuses: usize,
    remote: Vec<AccountId>,
    /// Number of generated relations, and of generated statuses of remote accounts.
    relations: usize,
    published: usize,
    /// Suspended accounts, then silenced ones, as indexes.
    decided: Vec<usize>,
    /// Number of domains that are blocked by now.
    blocked: usize,
    newcomers: usize,
}

impl Moderation {
    /// `following` has the follows of the network: follower and followed account, as indexes.
    pub fn new(seed: u64, accounts: usize, statuses: usize, following: &[(usize, usize)]) -> Self {
        let mut random = StdRng::seed_from_u64(seed.rotate_left(32) ^ 0x6d6f_6465);
        let counts = Counts::of(accounts);
        let mut followed = vec![Vec::new(); accounts];
        for (by, target) in following {
            followed[*by].push(*target);
        }
        // The order of the follows in time must not matter.
        followed.iter_mut().for_each(|targets| targets.sort_unstable());
        let others = accounts.saturating_sub(1);
        let distances = index::sample(&mut random, others, AVOIDED.min(others));
        let decided = counts.suspended + counts.silenced;
        // Without the first account, the owner.
        let decided = index::sample(&mut random, others, decided);
        Self {
            decided: decided.iter().map(|number| number + 1).collect(),
            random,
            counts,
            accounts,
            following: followed,
            distances: distances.iter().map(|number| number + 1).collect(),
            remote_statuses: if accounts == 0 { 0 } else { statuses / 10 },
            remote: Vec::new(),
            relations: 0,
            published: 0,
            blocked: 0,
            newcomers: 0,
        }
    }

    /// Returns the total number of actions.
    pub const fn length(&self) -> usize {
        let blocks = self.counts.blocked_domains.div_ceil(BLOCKED_AT_ONCE);
        self.counts.remote + self.spread() + self.decided.len() + blocks + self.counts.newcomers()
    }

    /// Returns the number of actions that are spread over the history of the network.
    pub const fn spread(&self) -> usize {
        self.accounts * ROUNDS.len() + self.remote_statuses
    }

    /// Returns how many of these actions were generated.
    pub const fn passed(&self) -> usize {
        self.relations + self.published
    }

    /// Returns the next actions that create remote accounts; none when all are created.
    pub fn remote_accounts(&mut self, limit: usize) -> Vec<Action> {
        let numbers = (self.remote.len()..self.counts.remote).take(limit);
        numbers
            .map(|number| {
                let username = texts::username(&mut self.random, number + 1);
                Action::JoinRemote { username, domain: DOMAINS[number % DOMAINS.len()] }
            })
            .collect()
    }

    /// Stores the id of a remote account.
    pub fn note(&mut self, remote: AccountId) {
        self.remote.push(remote);
    }

    /// Returns the next action that is spread over the history, or `None` at their end.
    pub fn relation(&mut self, known: Known<'_>) -> Option<Action> {
        loop {
            let done = self.passed();
            if done == self.spread() {
                return None;
            }
            // Keeps the share of both kinds equal all the time.
            let is_behind = self.published * self.spread() < (done + 1) * self.remote_statuses;
            if is_behind || self.relations == self.accounts * ROUNDS.len() {
                self.published += 1;
                return Some(self.publish());
            }
            let (round, by) = (self.relations / self.accounts, self.relations % self.accounts);
            self.relations += 1;
            let action = self.take(round, by, known);
            if action.is_some() {
                return action;
            }
        }
    }

    /// Returns the actions at the end of the history: decisions about accounts, blocks of domains,
    /// then new accounts.
    pub fn last(&mut self, known: Known<'_>) -> Option<Action> {
        if let Some(index) = self.decided.pop() {
            let decision = match self.decided.len() < self.counts.suspended {
                true => Decision::Suspended(true),
                false => Decision::Silenced(true),
            };
            return Some(Action::Decide { account: known.accounts[index], decision });
        }
        if self.blocked < self.counts.blocked_domains {
            let first = self.blocked;
            self.blocked = self.counts.blocked_domains.min(first + BLOCKED_AT_ONCE);
            return Some(Action::BlockDomains { domains: first..self.blocked });
        }
        if self.newcomers == self.counts.newcomers() {
            return None;
        }
        let standing = match self.newcomers < self.counts.pending {
            true => Standing::Pending,
            false => Standing::Unconfirmed,
        };
        let username = texts::username(&mut self.random, self.accounts + self.newcomers);
        self.newcomers += 1;
        let language = texts::language(&mut self.random);
        Some(Action::Join(Person {
            display_name: texts::display_name(&mut self.random, language, &username),
            note: texts::sentences(&mut self.random, language, 1),
            username,
            is_owner: false,
            standing,
            avatar: None,
            header: None,
        }))
    }

    /// Returns the action of an account in a round, or `None` if there is nothing to act on.
    fn take(&mut self, round: usize, index: usize, known: Known<'_>) -> Option<Action> {
        let by = known.accounts[index];
        let treat = |number: usize, how| {
            let place = number % self.distances.len().max(1);
            // An account that is alone would block itself, which is refused.
            let distance = self.distances.get(place).copied().unwrap_or_default();
            let target = known.accounts[(index + distance) % self.accounts];
            Action::Treat { by, target, how }
        };
        let mute = |number, notifications, duration| {
            let options = MuteOptions { notifications: Some(notifications), duration };
            treat(number, Treatment::Mute(options))
        };
        Some(match ROUNDS[round] {
            Round::FollowRemote => {
                // An account of another server than the one that this account blocks.
                let number = self.random.random_range(0..self.remote.len());
                let is_blocked = number % DOMAINS.len() == blocked_domain(index);
                let number = (number + usize::from(is_blocked)) % self.remote.len();
                Action::FollowRemote { by, target: self.remote[number] }
            }
            Round::BlockServer => {
                Action::BlockServer { by, domain: DOMAINS[blocked_domain(index)] }
            }
            Round::FollowTag => {
                let language = texts::language(&mut self.random);
                Action::FollowTag { by, tag: texts::tag(&mut self.random, language) }
            }
            Round::Filter(number) => Action::Filter { by, draft: self.filter(number) },
            Round::Block(number) => treat(number, Treatment::Block),
            Round::Mute => mute(2, true, None),
            Round::LongMute => mute(3, false, Some(LONG)),
            Round::EndedMute => mute(4, true, Some(SHORT)),
            Round::Favourite => Action::Favourite { by, what: self.fresh(known)? },
            Round::Reblog => Action::Reblog { by, what: self.fresh(known)? },
            Round::Bookmark => Action::Bookmark { by, what: self.fresh(known)? },
            Round::List(number) => self.list(index, number, known),
        })
    }

    fn fresh(&mut self, known: Known<'_>) -> Option<StatusId> {
        let many = known.open.len().min(FRESH);
        if many == 0 {
            return None;
        }
        let back = self.random.random_range(0..many);
        known.open.get(known.open.len() - 1 - back).map(|(_, id)| *id)
    }

    /// Draws a filter. Most keywords occur in no status, as on a real server.
    fn filter(&mut self, number: usize) -> FilterDraft {
        let (contexts, action): (&[&str], _) = match number {
            0 => (&["home", "public"], "hide"),
            1 => (&["home", "notifications", "public", "thread", "account"], "warn"),
            2 => (&["notifications", "thread"], "hide"),
            _ => (&["home", "public", "thread"], "warn"),
        };
        let keywords = (0..KEYWORDS).map(|place| {
            let keyword = match (number, place) {
                // A hashtag that occurs.
                (0 | 1, 0) => {
                    let language = texts::language(&mut self.random);
                    texts::tag(&mut self.random, language).to_owned()
                }
                // A phrase of two words.
                (_, 1) => {
                    format!("{} {}", self.keyword(), self.keyword())
                }
                _ => self.keyword(),
            };
            let whole_word = Some(place % 2 == 0);
            KeywordDraft { keyword: Some(keyword), whole_word, ..KeywordDraft::default() }
        });
        FilterDraft {
            title: Some(format!("Filter {}", number + 1)),
            keywords: keywords.collect(),
            contexts: Some(contexts.iter().map(|context| (*context).to_owned()).collect()),
            action: Some(action.to_owned()),
            expiry: Some(match number + 1 == FILTERS {
                true => Expiry::seconds(LONG).unwrap_or(Expiry::Never),
                false => Expiry::Never,
            }),
        }
    }

    /// Draws a word that no generated text contains.
    fn keyword(&mut self) -> String {
        texts::username(&mut self.random, 1).replace("_1", "x")
    }

    /// Draws a list: one for each replies policy. The last one is exclusive.
    fn list(&mut self, index: usize, number: usize, known: Known<'_>) -> Action {
        let (policy, exclusive, share) =
            [("followed", false, 2), ("list", false, 3), ("none", true, 4)][number % 3];
        let targets = &self.following[index];
        let many = (targets.len() / share).max(1).min(targets.len());
        let chosen = index::sample(&mut self.random, targets.len(), many);
        Action::List {
            by: known.accounts[index],
            form: ListForm {
                title: Some(format!("List {}", number + 1)),
                replies_policy: Some(policy.to_owned()),
                exclusive: Some(exclusive),
            },
            members: chosen.iter().map(|place| known.accounts[targets[place]]).collect(),
        }
    }

    /// Draws a status of a remote account.
    fn publish(&mut self) -> Action {
        let number = self.random.random_range(0..self.remote.len());
        let language = texts::language(&mut self.random);
        Action::PublishRemote(RemoteStatus {
            by: self.remote[number],
            domain: DOMAINS[number % DOMAINS.len()],
            text: texts::sentences(&mut self.random, language, 2),
            tag: one_of(&mut self.random, &[true, false])
                .then(|| texts::tag(&mut self.random, language)),
            language: language.code,
        })
    }
}

/// Returns the index of the server that an account blocks.
const fn blocked_domain(account: usize) -> usize {
    account % DOMAINS.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_owner_is_never_suspended_or_silenced() {
        let counts = |accounts| {
            let counts = Counts::of(accounts);
            let Counts { remote, suspended, silenced, pending, unconfirmed, .. } = counts;
            [remote, suspended, silenced, pending, unconfirmed, counts.blocked_domains]
        };
        assert_eq!(counts(0), [0; 6]);
        assert_eq!(counts(1), [4, 0, 0, 1, 1, 1]);
        assert_eq!(counts(2), [4, 1, 0, 1, 1, 1]);
        assert_eq!(counts(52), [8, 1, 1, 5, 1, 13]);
        assert_eq!(counts(20_000), [2000, 500, 500, 2000, 400, 5000]);
        for seed in 0..100 {
            let moderation = Moderation::new(seed, 4, 0, &[]);
            assert!(!moderation.decided.contains(&0));
        }
    }
}
