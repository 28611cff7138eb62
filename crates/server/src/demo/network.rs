//! Generator of actions from a seed. The same seed and size result in the same network, except for
//! ids and timestamps.

use std::collections::BTreeSet;

use rand::{Rng, SeedableRng, rngs::StdRng, seq::SliceRandom as _};
use siskin_ids::{AccountId, StatusId};
use siskin_services::{
    relationships::MuteOptions,
    statuses::{Draft, SourceParams},
};

use super::{
    Outcome,
    action::{Action, Moment, Person, Standing, Treatment},
    extras::Extras,
    moderation::{Known, Moderation},
    pictures::Scene,
    texts,
};

/// Number of latest statuses among which reactions choose.
const FRESH: usize = 400;

/// The size of a network.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub accounts: usize,
    pub statuses: usize,
    /// Number of accounts that each account follows, if there are enough.
    pub follows: usize,
    /// `true` if the network has pictures, polls, mentions outside of replies, and very short and
    /// long texts.
    pub varied: bool,
    /// `true` if the network also has what [`Moderation`] adds.
    pub moderated: bool,
    /// `true` if a third of the statuses quote an earlier one.
    pub quoting: bool,
}

/// Number of actions of each kind that are still to be generated.
#[derive(Debug, Clone, Copy)]
struct Rest {
    statuses: usize,
    reblogs: usize,
    favourites: usize,
    bookmarks: usize,
    treatments: usize,
}

impl Rest {
    const fn sum(self) -> usize {
        let reactions = self.reblogs + self.favourites + self.bookmarks;
        self.statuses + reactions + self.treatments
    }
}

/// A network under construction.
#[derive(Debug)]
pub struct Network {
    random: StdRng,
    /// Random numbers for the varied parts, so that everything else is the same without them.
    extras: StdRng,
    size: Size,
    rest: Rest,
    names: Vec<String>,
    /// Language that each account writes in.
    languages: Vec<&'static texts::Language>,
    accounts: Vec<AccountId>,
    /// Follows that are still to come: follower and followed account, as indexes.
    following: Vec<(usize, usize)>,
    /// Follows so far: follower and followed account.
    followed: Vec<(AccountId, AccountId)>,
    /// Public statuses with their authors.
    open: Vec<(usize, StatusId)>,
    done: usize,
    /// The additions, if there are any, and the number of actions that they are spread over.
    moderation: Option<Moderation>,
    basis: usize,
}

impl Network {
    pub fn new(size: Size, seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let extras = StdRng::seed_from_u64(!seed);
        let names = (0..size.accounts).map(|number| texts::username(&mut random, number)).collect();
        let languages = (0..size.accounts).map(|_| texts::language(&mut random)).collect();
        let several = size.accounts.saturating_sub(1).min(size.follows);
        let mut following: Vec<(usize, usize)> = (0..size.accounts)
            .flat_map(|by| popular_accounts(&mut random, size.accounts, by, several))
            .collect();
        let moderation =
            size.moderated.then(|| Moderation::new(seed, size.accounts, size.statuses, &following));
        following.shuffle(&mut random);
        let rest = Rest {
            statuses: size.statuses,
            reblogs: size.statuses / 6,
            favourites: size.statuses * 3 / 2,
            bookmarks: size.statuses / 20,
            treatments: several * size.accounts / 4,
        };
        let (accounts, followed, open) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            random,
            extras,
            size,
            rest,
            names,
            languages,
            accounts,
            basis: following.len() + rest.sum(),
            following,
            followed,
            open,
            done: 0,
            moderation,
        }
    }

    /// Returns the total number of actions.
    pub fn length(&self) -> usize {
        let added = self.moderation.as_ref().map_or(0, Moderation::length);
        self.size.accounts + self.following.len() + self.rest.sum() + added
    }

    /// Returns the user name of the first account.
    pub fn owner(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }

    /// Returns the next actions, at most `limit`, or `None` at the end. Their results must be
    /// [noted](Self::note) before the next call.
    pub fn next(&mut self, limit: usize) -> Option<Vec<Moment>> {
        let joining = self.accounts.len()..self.size.accounts;
        let mut actions: Vec<Action> =
            joining.take(limit).map(|number| Action::Join(self.person(number))).collect();
        if actions.is_empty()
            && let Some(moderation) = &mut self.moderation
        {
            actions = moderation.remote_accounts(limit);
        }
        if actions.is_empty() {
            actions = (0..limit).map_while(|_| self.step()).collect();
        }
        let first = self.done;
        self.done += actions.len();
        let moments = actions.into_iter().zip(first..).map(|(action, at)| Moment { at, action });
        let moments: Vec<Moment> = moments.collect();
        (!moments.is_empty()).then_some(moments)
    }

    pub fn note(&mut self, outcome: Vec<Outcome>) {
        for outcome in outcome {
            match outcome {
                Outcome::Account(id) => self.accounts.push(id),
                Outcome::RemoteAccount(id) => {
                    self.moderation.iter_mut().for_each(|moderation| moderation.note(id));
                }
                Outcome::Status { author, id } => self.open.push((author, id)),
                Outcome::Nothing => {}
            }
        }
    }

    fn person(&mut self, number: usize) -> Person {
        let (language, random) = (self.languages[number], &mut self.random);
        Person {
            username: self.names[number].clone(),
            display_name: texts::display_name(random, language, &self.names[number]),
            note: texts::sentences(random, language, 1),
            is_owner: number == 0,
            standing: Standing::Active,
            avatar: self.size.varied.then(|| scene(&mut self.extras, (400, 400))),
            header: self.size.varied.then(|| scene(&mut self.extras, (1500, 500))),
        }
        .with_pictures_for_few(number)
    }

    /// Returns the next action of the network or of its additions, which are spread evenly.
    fn step(&mut self) -> Option<Action> {
        let left = self.following.len() + self.rest.sum();
        let known = Known { accounts: &self.accounts, open: &self.open };
        if let Some(moderation) = &mut self.moderation {
            let passed = self.basis - left;
            if moderation.passed() * self.basis < moderation.spread() * passed
                && let Some(relation) = moderation.relation(known)
            {
                return Some(relation);
            }
        }
        if let Some(action) = self.action() {
            return Some(action);
        }
        let known = Known { accounts: &self.accounts, open: &self.open };
        let moderation = self.moderation.as_mut()?;
        moderation.relation(known).or_else(|| moderation.last(known))
    }

    /// Draws the next action. The probability of each kind is proportional to its remaining number,
    /// so that all are spread over the whole time.
    fn action(&mut self) -> Option<Action> {
        let (rest, follows) = (self.rest, self.following.len());
        let all = follows + rest.sum();
        if all == 0 {
            return None;
        }
        let mut drawn = self.random.random_range(0..all);
        let mut takes_share = |share: usize| match drawn.checked_sub(share) {
            Some(remainder) => {
                drawn = remainder;
                false
            }
            None => true,
        };
        if takes_share(follows) {
            return self.follow();
        }
        if takes_share(rest.treatments) {
            self.rest.treatments -= 1;
            return Some(self.treat());
        }
        let publishing = takes_share(rest.statuses) || (self.open.is_empty() && rest.statuses > 0);
        if publishing {
            self.rest.statuses -= 1;
            return Some(self.publish());
        }
        if takes_share(rest.reblogs) {
            self.rest.reblogs -= 1;
            return self.react(|by, what| Action::Reblog { by, what });
        }
        if takes_share(rest.favourites) {
            self.rest.favourites -= 1;
            return self.react(|by, what| Action::Favourite { by, what });
        }
        self.rest.bookmarks = self.rest.bookmarks.saturating_sub(1);
        self.react(|by, what| Action::Bookmark { by, what })
    }

    fn follow(&mut self) -> Option<Action> {
        let (by, target) = self.following.pop()?;
        let (by, target) = (self.accounts[by], self.accounts[target]);
        self.followed.push((by, target));
        Some(Action::Follow { by, target })
    }

    /// Draws an action towards another account. Most go to followed accounts; blocks are few,
    /// because they end follows.
    fn treat(&mut self) -> Action {
        let known = self.random.random_range(0..self.followed.len().max(1));
        let stranger = self.any_account();
        let by = self.accounts[stranger];
        let other = self.accounts[(stranger + 1) % self.accounts.len()];
        let (follower, followed) = self.followed.get(known).copied().unwrap_or((by, other));
        match self.random.random_range(0..20) {
            0..8 => Action::Treat { by: follower, target: followed, how: Treatment::Endorse },
            8..14 => {
                let note = texts::sentences(&mut self.random, self.languages[stranger], 1);
                Action::Treat { by: follower, target: followed, how: Treatment::Note(note) }
            }
            14..17 => {
                Action::Treat { by, target: other, how: Treatment::Mute(MuteOptions::default()) }
            }
            17..19 => Action::BlockServer { by, domain: "loud.example" },
            _ => Action::Treat { by, target: other, how: Treatment::Block },
        }
    }

    fn react(&mut self, action: impl FnOnce(AccountId, StatusId) -> Action) -> Option<Action> {
        let (_, what) = self.fresh()?;
        let by = self.any_account();
        Some(action(self.accounts[by], what))
    }

    fn publish(&mut self) -> Action {
        let author = self.popular_account();
        let language = self.languages[author];
        let parent = if self.random.random_bool(0.35) { self.fresh() } else { None };
        let visibility = match self.random.random_range(0..100) {
            0..82 => "public",
            82..93 => "unlisted",
            93..98 => "private",
            _ => "direct",
        };
        let addressed = match parent {
            Some((to, _)) if to != author => Some(to),
            // A direct status without a recipient would be a note to oneself.
            _ if visibility == "direct" => Some(self.any_account()),
            _ => None,
        };
        let number = self.random.random_range(1..=3);
        let mut text = texts::sentences(&mut self.random, language, number);
        texts::decorate(&mut self.random, language, &mut text);
        let is_open = matches!(visibility, "public" | "unlisted");
        let extras = match self.size.varied && is_open {
            true => Extras::draw(&mut self.extras, language, parent.is_some(), &mut text),
            false => Extras::default(),
        };
        let addressed = match extras.mentions {
            true => addressed.or_else(|| Some(skewed(&mut self.extras, self.accounts.len()))),
            false => addressed,
        };
        if let Some(to) = addressed {
            text = format!("@{} {text}", self.names[to]);
        }
        let quoted = match self.size.quoting && self.rest.statuses.is_multiple_of(3) {
            true => self.quoted(),
            false => None,
        };
        let warned = self.random.random_bool(0.04);
        let mut source = SourceParams {
            sensitive: extras.sensitive.then_some(true),
            language: Some(Some(language.code.to_owned())),
            ..SourceParams::new(text)
        };
        if warned || extras.warned {
            source.spoiler_text = language.warning.to_owned();
        }
        let draft = Box::new(Draft {
            source,
            poll: extras.poll,
            visibility: Some(visibility.to_owned()),
            in_reply_to_id: parent.map(|(_, id)| id.to_string()),
            quoted_status_id: quoted.map(|id| id.to_string()),
            ..Draft::default()
        });
        Action::Publish { author, by: self.accounts[author], draft, scenes: extras.scenes }
    }

    fn any_account(&mut self) -> usize {
        self.random.random_range(0..self.accounts.len())
    }

    /// Draws an account. Few are popular: the first accounts come most often.
    fn popular_account(&mut self) -> usize {
        skewed(&mut self.random, self.accounts.len())
    }

    /// Draws a public status, preferably a recent one.
    fn fresh(&mut self) -> Option<(usize, StatusId)> {
        fresh(&mut self.random, &self.open)
    }

    /// Draws a status to quote. Uses the random numbers of the extras, so that the network is
    /// otherwise the same as without quotes.
    fn quoted(&mut self) -> Option<StatusId> {
        fresh(&mut self.extras, &self.open).map(|(_, id)| id)
    }
}

/// Number of accounts with pictures, from the first one on: drawing a picture takes time.
const WITH_PICTURES: usize = 30;

impl Person {
    fn with_pictures_for_few(mut self, number: usize) -> Self {
        if number >= WITH_PICTURES {
            (self.avatar, self.header) = (None, None);
        }
        self
    }
}

/// Returns a new scene of this size, in pixels.
pub fn scene(random: &mut StdRng, (width, height): (u32, u32)) -> Scene {
    Scene { seed: random.random(), width, height }
}

/// Draws one of these statuses, preferably one of the last. Returns `None` if there are none.
fn fresh(random: &mut StdRng, open: &[(usize, StatusId)]) -> Option<(usize, StatusId)> {
    let many = open.len().min(FRESH);
    if many == 0 {
        return None;
    }
    let back = skewed(random, many);
    open.get(open.len() - 1 - back).copied()
}

/// Draws a number below `end`; small ones are more likely.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rough choice below 2^52, never negative"
)]
fn skewed(random: &mut StdRng, end: usize) -> usize {
    let u: f64 = random.random();
    ((end as f64 * u * u) as usize).min(end - 1)
}

/// Draws the `several` accounts that an account follows; popular ones are more likely.
fn popular_accounts(
    random: &mut StdRng,
    accounts: usize,
    by: usize,
    several: usize,
) -> Vec<(usize, usize)> {
    let mut known = BTreeSet::new();
    while known.len() < several {
        let target = skewed(random, accounts);
        // If an account follows nearly all others, most draws hit one that is taken. The next free
        // one is used instead.
        let free =
            (target..accounts).chain(0..target).find(|one| *one != by && !known.contains(one));
        known.extend(free);
    }
    known.into_iter().map(|target| (by, target)).collect()
}

/// Draws one of the choices, which must not be empty.
pub fn one_of<T: Copy>(random: &mut StdRng, choices: &[T]) -> T {
    choices[random.random_range(0..choices.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Size = Size {
        accounts: 5,
        statuses: 30,
        follows: 3,
        varied: false,
        moderated: false,
        quoting: false,
    };

    fn actions(seed: u64) -> Vec<String> {
        actions_of(SMALL, seed)
    }

    /// Returns all actions, without their positions. The ids of each kind are counted from 1.
    fn actions_of(size: Size, seed: u64) -> Vec<String> {
        let mut network = Network::new(size, seed);
        let (length, mut actions, mut ids) = (network.length(), Vec::new(), [0; 3]);
        let mut next = |kind: usize| {
            ids[kind] += 1;
            ids[kind]
        };
        while let Some(moments) = network.next(7) {
            let outcome = moments.iter().map(|moment| match &moment.action {
                Action::Join(person) if person.standing == Standing::Active => {
                    Outcome::Account(AccountId::new(next(0)))
                }
                Action::JoinRemote { .. } => Outcome::RemoteAccount(AccountId::new(1000 + next(1))),
                Action::Publish { author, .. } => {
                    Outcome::Status { author: *author, id: StatusId::new(next(2)) }
                }
                _ => Outcome::Nothing,
            });
            let outcome = outcome.collect();
            for moment in &moments {
                assert_eq!(moment.at, actions.len());
                actions.push(format!("action: {:?}", moment.action));
            }
            network.note(outcome);
        }
        assert_eq!(actions.len(), length);
        actions
    }

    #[test]
    fn equal_seeds_make_equal_networks() {
        assert_eq!(actions(1), actions(1));
        assert_ne!(actions(1), actions(2));
    }

    #[test]
    fn a_varied_network_has_the_same_actions_with_richer_content() {
        let size = Size { statuses: 400, ..SMALL };
        let (plain, varied) = (actions_of(size, 1), actions_of(Size { varied: true, ..size }, 1));
        assert_eq!(plain.len(), varied.len());
        let count = |actions: &[String], part: &str| {
            actions.iter().filter(|action| action.contains(part)).count()
        };
        for kind in ["action: Publish", "action: Reblog", "in_reply_to_id: Some"] {
            assert_eq!(count(&plain, kind), count(&varied, kind), "{kind}");
        }
        for part in ["poll: Some", "Scene {", "sensitive: Some(true)"] {
            assert_eq!(count(&plain, part), 0, "{part}");
            assert!(count(&varied, part) >= 3, "{part}");
        }
        let mentions = |actions: &[String]| count(actions, "text: Some(\"@");
        assert!(mentions(&varied) > mentions(&plain));
        assert_eq!(actions_of(Size { varied: true, ..size }, 1), varied);
    }

    #[test]
    fn a_quoting_network_differs_by_a_third_of_quotes_only() {
        let size = Size { statuses: 400, ..SMALL };
        let (plain, quoting) = (actions_of(size, 1), actions_of(Size { quoting: true, ..size }, 1));
        let quotes = |action: &&String| action.contains("quoted_status_id: Some");
        let number = quoting.iter().filter(quotes).count();
        // The first statuses have nothing to quote.
        assert!((130..=134).contains(&number), "{number}");
        for (plain, quoting) in plain.iter().zip(&quoting).filter(|(_, quoting)| !quotes(quoting)) {
            assert_eq!(plain, quoting);
        }
    }

    #[test]
    fn a_moderated_network_has_as_many_statuses_and_follows_and_much_more() {
        let size = Size { accounts: 30, ..SMALL };
        let moderated = actions_of(Size { moderated: true, ..size }, 1);
        let count = |actions: &[String], kind: &str| {
            actions
                .iter()
                .filter(|action| action.starts_with(&format!("action: {kind} {{")))
                .count()
        };
        for kind in ["Publish", "Follow"] {
            assert_eq!(count(&moderated, kind), count(&actions_of(size, 1), kind), "{kind}");
        }
        assert_eq!(actions_of(Size { moderated: true, ..size }, 1), moderated);
        let all = moderated.join("\n");
        for part in [
            "JoinRemote",
            "PublishRemote",
            "FollowRemote",
            "FollowTag",
            "Filter",
            "List",
            "BlockDomains",
            "Suspended(true)",
            "Silenced(true)",
            "Pending",
            "Unconfirmed",
            "north.example",
        ] {
            assert!(all.contains(part), "{part}");
        }
        // The additions are spread over the whole time.
        let middle = &moderated[moderated.len() / 3..moderated.len() * 2 / 3];
        for kind in ["Publish", "Filter", "Follow"] {
            assert!(count(middle, kind) > 0, "{kind}");
        }
    }

    #[test]
    fn all_kinds_of_actions_occur() {
        let actions = actions(1).concat();
        for kind in ["Join", "Publish", "Follow", "Reblog", "Favourite", "Bookmark", "Treat"] {
            assert!(actions.contains(&format!("action: {kind}")), "{kind}");
        }
        assert!(actions.contains("in_reply_to_id: Some"));
    }

    #[test]
    fn networks_with_one_or_no_account_work() {
        for accounts in [0, 1] {
            let size = Size { accounts, statuses: 0, varied: true, ..SMALL };
            let mut network = Network::new(size, 1);
            let mut number = 0;
            while let Some(moments) = network.next(7) {
                number += moments.len();
                network.note(vec![Outcome::Account(AccountId::new(1))]);
            }
            assert_eq!(number, accounts);
            let size = Size { accounts, statuses: accounts * 5, moderated: true, ..SMALL };
            assert_eq!(actions_of(size, 1).is_empty(), accounts == 0);
        }
    }
}
