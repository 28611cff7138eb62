//! Generator of actions from a seed. The same seed and size result in the same network, except for
//! ids and timestamps.

use std::collections::BTreeSet;

use rand::{Rng, SeedableRng, rngs::StdRng, seq::SliceRandom as _};
use siskin_ids::{AccountId, StatusId};
use siskin_services::statuses::Draft;

use super::{Left, pictures::Scene, spice::Spice, words};

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
}

/// An action and its position in the sequence.
#[derive(Debug, Clone)]
pub struct Moment {
    pub at: usize,
    pub deed: Deed,
}

/// An action of an account.
#[derive(Debug, Clone)]
pub enum Deed {
    Join(Person),
    Publish { author: usize, by: AccountId, draft: Draft, scenes: Vec<Scene> },
    Follow { by: AccountId, whom: AccountId },
    Reblog { by: AccountId, what: StatusId },
    Favourite { by: AccountId, what: StatusId },
    Bookmark { by: AccountId, what: StatusId },
    Treat { by: AccountId, whom: AccountId, how: Treatment },
    BlockServer { by: AccountId, domain: &'static str },
}

/// An effect of one account on another, other than a follow.
#[derive(Debug, Clone)]
pub enum Treatment {
    Endorse,
    Note(String),
    Mute,
    Block,
}

/// A new account.
#[derive(Debug, Clone)]
pub struct Person {
    pub username: String,
    pub display_name: String,
    pub note: String,
    pub is_owner: bool,
    pub avatar: Option<Scene>,
    pub header: Option<Scene>,
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
    spice: StdRng,
    size: Size,
    rest: Rest,
    names: Vec<String>,
    /// Language that each account writes in.
    tongues: Vec<&'static words::Tongue>,
    accounts: Vec<AccountId>,
    /// Follows that are still to come: follower and followed account, as indexes.
    following: Vec<(usize, usize)>,
    /// Follows so far: follower and followed account.
    followed: Vec<(AccountId, AccountId)>,
    /// Public statuses with their authors.
    open: Vec<(usize, StatusId)>,
    done: usize,
}

impl Network {
    pub fn new(size: Size, seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let spice = StdRng::seed_from_u64(!seed);
        let names = (0..size.accounts).map(|number| words::username(&mut random, number)).collect();
        let tongues = (0..size.accounts).map(|_| words::tongue(&mut random)).collect();
        let several = size.accounts.saturating_sub(1).min(size.follows);
        let mut following: Vec<(usize, usize)> = (0..size.accounts)
            .flat_map(|by| several_known(&mut random, size.accounts, by, several))
            .collect();
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
            spice,
            size,
            rest,
            names,
            tongues,
            accounts,
            following,
            followed,
            open,
            done: 0,
        }
    }

    /// Returns the total number of actions.
    pub fn length(&self) -> usize {
        self.size.accounts + self.following.len() + self.rest.sum()
    }

    /// Returns the user name of the first account.
    pub fn owner(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }

    /// Returns the next actions, at most `limit`, or `None` at the end. Their results must be
    /// [noted](Self::note) before the next call.
    pub fn next(&mut self, limit: usize) -> Option<Vec<Moment>> {
        let joining = self.accounts.len()..self.size.accounts;
        let deeds: Vec<Deed> = if joining.is_empty() {
            (0..limit).map_while(|_| self.deed()).collect()
        } else {
            joining.take(limit).map(|number| Deed::Join(self.person(number))).collect()
        };
        let first = self.done;
        self.done += deeds.len();
        let moments = deeds.into_iter().zip(first..).map(|(deed, at)| Moment { at, deed });
        let moments: Vec<Moment> = moments.collect();
        (!moments.is_empty()).then_some(moments)
    }

    pub fn note(&mut self, left: Vec<Left>) {
        for left in left {
            match left {
                Left::Account(id) => self.accounts.push(id),
                Left::Status { author, id } => self.open.push((author, id)),
                Left::Nothing => {}
            }
        }
    }

    fn person(&mut self, number: usize) -> Person {
        let (tongue, random) = (self.tongues[number], &mut self.random);
        Person {
            username: self.names[number].clone(),
            display_name: words::display_name(random, tongue, &self.names[number]),
            note: words::sentences(random, tongue, 1),
            is_owner: number == 0,
            avatar: self.size.varied.then(|| scene(&mut self.spice, (400, 400))),
            header: self.size.varied.then(|| scene(&mut self.spice, (1500, 500))),
        }
        .with_pictures_for_few(number)
    }

    /// Draws the next action. The probability of each kind is proportional to its remaining number,
    /// so that all are spread over the whole time.
    fn deed(&mut self) -> Option<Deed> {
        let (rest, follows) = (self.rest, self.following.len());
        let all = follows + rest.sum();
        if all == 0 {
            return None;
        }
        let mut drawn = self.random.random_range(0..all);
        let mut falls_to = |share: usize| match drawn.checked_sub(share) {
            Some(remainder) => {
                drawn = remainder;
                false
            }
            None => true,
        };
        if falls_to(follows) {
            return self.follow();
        }
        if falls_to(rest.treatments) {
            self.rest.treatments -= 1;
            return Some(self.treat());
        }
        let publishing = falls_to(rest.statuses) || (self.open.is_empty() && rest.statuses > 0);
        if publishing {
            self.rest.statuses -= 1;
            return Some(self.publish());
        }
        if falls_to(rest.reblogs) {
            self.rest.reblogs -= 1;
            return self.react(|by, what| Deed::Reblog { by, what });
        }
        if falls_to(rest.favourites) {
            self.rest.favourites -= 1;
            return self.react(|by, what| Deed::Favourite { by, what });
        }
        self.rest.bookmarks = self.rest.bookmarks.saturating_sub(1);
        self.react(|by, what| Deed::Bookmark { by, what })
    }

    fn follow(&mut self) -> Option<Deed> {
        let (by, whom) = self.following.pop()?;
        let (by, whom) = (self.accounts[by], self.accounts[whom]);
        self.followed.push((by, whom));
        Some(Deed::Follow { by, whom })
    }

    /// Draws an action towards another account. Most go to followed accounts; blocks are few,
    /// because they end follows.
    fn treat(&mut self) -> Deed {
        let known = self.random.random_range(0..self.followed.len().max(1));
        let stranger = self.anyone();
        let by = self.accounts[stranger];
        let other = self.accounts[(stranger + 1) % self.accounts.len()];
        let (follower, followed) = self.followed.get(known).copied().unwrap_or((by, other));
        match self.random.random_range(0..20) {
            0..8 => Deed::Treat { by: follower, whom: followed, how: Treatment::Endorse },
            8..14 => {
                let note = words::sentences(&mut self.random, self.tongues[stranger], 1);
                Deed::Treat { by: follower, whom: followed, how: Treatment::Note(note) }
            }
            14..17 => Deed::Treat { by, whom: other, how: Treatment::Mute },
            17..19 => Deed::BlockServer { by, domain: "loud.example" },
            _ => Deed::Treat { by, whom: other, how: Treatment::Block },
        }
    }

    fn react(&mut self, deed: impl FnOnce(AccountId, StatusId) -> Deed) -> Option<Deed> {
        let (_, what) = self.fresh()?;
        let by = self.anyone();
        Some(deed(self.accounts[by], what))
    }

    fn publish(&mut self) -> Deed {
        let author = self.somebody_known();
        let tongue = self.tongues[author];
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
            _ if visibility == "direct" => Some(self.anyone()),
            _ => None,
        };
        let number = self.random.random_range(1..=3);
        let mut text = words::sentences(&mut self.random, tongue, number);
        words::decorate(&mut self.random, tongue, &mut text);
        let is_open = matches!(visibility, "public" | "unlisted");
        let spice = match self.size.varied && is_open {
            true => Spice::draw(&mut self.spice, tongue, parent.is_some(), &mut text),
            false => Spice::default(),
        };
        let addressed = match spice.mentions {
            true => addressed.or_else(|| Some(skewed(&mut self.spice, self.accounts.len()))),
            false => addressed,
        };
        if let Some(to) = addressed {
            text = format!("@{} {text}", self.names[to]);
        }
        let warned = self.random.random_bool(0.04);
        let draft = Draft {
            text,
            sensitive: spice.sensitive.then_some(true),
            poll: spice.poll,
            spoiler_text: if warned || spice.warned {
                tongue.warning.to_owned()
            } else {
                String::new()
            },
            visibility: Some(visibility.to_owned()),
            language: Some(tongue.code.to_owned()),
            in_reply_to_id: parent.map(|(_, id)| id.to_string()),
            ..Draft::default()
        };
        Deed::Publish { author, by: self.accounts[author], draft, scenes: spice.scenes }
    }

    fn anyone(&mut self) -> usize {
        self.random.random_range(0..self.accounts.len())
    }

    /// Draws an account. Few are popular: the first accounts come most often.
    fn somebody_known(&mut self) -> usize {
        skewed(&mut self.random, self.accounts.len())
    }

    /// Draws a public status, preferably a recent one.
    fn fresh(&mut self) -> Option<(usize, StatusId)> {
        let many = self.open.len().min(FRESH);
        if many == 0 {
            return None;
        }
        let back = skewed(&mut self.random, many);
        self.open.get(self.open.len() - 1 - back).copied()
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
fn several_known(
    random: &mut StdRng,
    accounts: usize,
    by: usize,
    several: usize,
) -> Vec<(usize, usize)> {
    let mut known = BTreeSet::new();
    while known.len() < several {
        let whom = skewed(random, accounts);
        // If an account follows nearly all others, most draws hit one that is taken. The next free
        // one is used instead.
        let free = (whom..accounts).chain(0..whom).find(|one| *one != by && !known.contains(one));
        known.extend(free);
    }
    known.into_iter().map(|whom| (by, whom)).collect()
}

/// Draws one of the choices, which must not be empty.
pub fn one_of<T: Copy>(random: &mut StdRng, choices: &[T]) -> T {
    choices[random.random_range(0..choices.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deeds(seed: u64) -> Vec<String> {
        deeds_of(Size { accounts: 5, statuses: 30, follows: 3, varied: false }, seed)
    }

    fn deeds_of(size: Size, seed: u64) -> Vec<String> {
        let mut network = Network::new(size, seed);
        let (length, mut deeds, mut id) = (network.length(), Vec::new(), 0);
        while let Some(moments) = network.next(7) {
            let left = moments.iter().map(|moment| {
                id += 1;
                match moment.deed {
                    Deed::Join(_) => Left::Account(AccountId::new(id)),
                    Deed::Publish { author, .. } => Left::Status { author, id: StatusId::new(id) },
                    _ => Left::Nothing,
                }
            });
            let left = left.collect();
            deeds.extend(moments.iter().map(|moment| format!("{moment:?}")));
            network.note(left);
        }
        assert_eq!(deeds.len(), length);
        deeds
    }

    #[test]
    fn a_seed_makes_one_network_and_another_seed_another() {
        assert_eq!(deeds(1), deeds(1));
        assert_ne!(deeds(1), deeds(2));
    }

    #[test]
    fn a_varied_network_has_the_same_deeds_with_more_in_them() {
        let size = Size { accounts: 5, statuses: 400, follows: 3, varied: false };
        let (plain, varied) = (deeds_of(size, 1), deeds_of(Size { varied: true, ..size }, 1));
        assert_eq!(plain.len(), varied.len());
        let count =
            |deeds: &[String], part: &str| deeds.iter().filter(|deed| deed.contains(part)).count();
        for kind in ["deed: Publish", "deed: Reblog", "in_reply_to_id: Some"] {
            assert_eq!(count(&plain, kind), count(&varied, kind), "{kind}");
        }
        for part in ["poll: Some", "Scene {", "sensitive: Some(true)"] {
            assert_eq!(count(&plain, part), 0, "{part}");
            assert!(count(&varied, part) >= 3, "{part}");
        }
        assert!(count(&varied, "text: \"@") > count(&plain, "text: \"@"));
        assert_eq!(deeds_of(Size { varied: true, ..size }, 1), varied);
    }

    #[test]
    fn all_kinds_of_deeds_happen() {
        let deeds = deeds(1).concat();
        for kind in ["Join", "Publish", "Follow", "Reblog", "Favourite", "Bookmark", "Treat"] {
            assert!(deeds.contains(&format!("deed: {kind}")), "{kind}");
        }
        assert!(deeds.contains("in_reply_to_id: Some"));
    }

    #[test]
    fn a_network_of_one_or_none_is_no_trouble() {
        for accounts in [0, 1] {
            let mut network =
                Network::new(Size { accounts, statuses: 0, follows: 3, varied: true }, 1);
            let mut number = 0;
            while let Some(moments) = network.next(7) {
                number += moments.len();
                network.note(vec![Left::Account(AccountId::new(1))]);
            }
            assert_eq!(number, accounts);
        }
    }
}
