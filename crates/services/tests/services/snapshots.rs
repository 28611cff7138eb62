//! Compares cached snapshots with fresh reads while users and the operator make random changes. A
//! viewer with a warm cache must get the same result as one without.

use std::{panic::AssertUnwindSafe, time::Duration};

use rand::{Rng as _, SeedableRng as _, rngs::StdRng, seq::IndexedRandom as _};
use siskin_entities::{
    Actor, CardKind, Picture, PreviewCard, Settings, Status, polls::PollRequest,
};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{Conn, Tx, accounts as account_rows, jobs as job_rows, statuses as rows};
use siskin_services::{
    Result,
    accounts::{
        self,
        profile::{self, Changes, Pictures},
    },
    cards::{self, FetchPage, Found, RaiseStatuses},
    emojis,
    jobs::{self, Job as _},
    polls,
    statuses::{self, Draft, Edit, SourceParams},
};
use siskin_test_support::{TestDatabase, both_engines};

use crate::world::World;

const PEOPLE: usize = 3;
const STEPS: usize = 150;
const EMOJIS: [&str; 2] = ["cat", "dog"];
/// Number of newest statuses that are compared.
const COMPARED: usize = 25;

struct RandomWalk {
    world: World,
    /// Connection of its own, which has no cache.
    uncached: Conn,
    people: Vec<AccountId>,
    /// Published statuses without reblogs, with their authors.
    published: Vec<(StatusId, AccountId)>,
    statuses: Vec<StatusId>,
    random: StdRng,
}

impl RandomWalk {
    fn new(database: &TestDatabase, seed: u64) -> Self {
        let world = World::on(database);
        let uncached = Conn::open(database.url()).unwrap();
        let people = (0..PEOPLE).map(|who| world.person(&format!("p{who}")).id).collect();
        let random = StdRng::seed_from_u64(seed);
        Self { world, uncached, people, published: Vec::new(), statuses: Vec::new(), random }
    }

    fn step(&mut self) {
        match self.random.random_range(0..100) {
            0..25 => self.publish(),
            25..45 => self.edit(),
            45..55 => self.reblog(),
            55..60 => self.favourite(),
            60..68 => self.vote(),
            68..78 => self.change_profile(),
            78..85 => self.change_emojis(),
            85..88 => self.change_role(),
            88..96 => self.fetch_pages(),
            _ => self.delete(),
        }
    }

    fn any_account(&mut self) -> AccountId {
        *self.people.choose(&mut self.random).unwrap()
    }

    fn some_status(&mut self) -> Option<(StatusId, AccountId)> {
        self.published.choose(&mut self.random).copied()
    }

    fn text(&mut self) -> String {
        let mut text = format!("words {}", self.random.random_range(0..1_000_000));
        let parts = [" @p1", " #birds", " :cat:", " :dog:", " https://far.test/1"];
        for part in parts {
            if self.random.random_bool(0.3) {
                text.push_str(part);
            }
        }
        text
    }

    fn publish(&mut self) {
        let instance = self.world.instance.clone();
        let params = PollRequest {
            options: vec!["yes :cat:".to_owned(), "no".to_owned()],
            expires_in: Some(86_400),
            ..PollRequest::default()
        };
        let with_poll = self.random.random_bool(0.3);
        let parent = self.some_status().filter(|_| self.random.random_bool(0.3));
        let draft = Draft {
            source: SourceParams::new(self.text()),
            poll: with_poll.then(|| polls::prepare(&instance, &params).unwrap()),
            in_reply_to_id: parent.map(|(id, _)| id.to_string()),
            ..Draft::default()
        };
        let prepared = statuses::prepare(&Settings::default(), draft).unwrap();
        let author = self.any_account();
        let made = self.world.write(move |tx| statuses::apply(tx, &instance, author, &prepared));
        let id = made.unwrap();
        self.published.push((id, author));
        self.statuses.push(id);
    }

    fn edit(&mut self) {
        let Some((id, author)) = self.some_status() else { return };
        let edit = Edit { source: SourceParams::new(self.text()), ..Edit::default() };
        let prepared = statuses::prepare_edit(&Settings::default(), edit).unwrap();
        let instance = self.world.instance.clone();
        let edited =
            self.world.write(move |tx| statuses::edit(tx, &instance, author, id, &prepared));
        edited.unwrap();
    }

    fn reblog(&mut self) {
        let Some((id, _)) = self.some_status() else { return };
        let params = statuses::prepare_reblog(id, None, None).unwrap();
        let (urls, who) = (self.world.instance.urls.clone(), self.any_account());
        let made = self.world.write(move |tx| statuses::reblog(tx, &urls, who, &params)).unwrap();
        if !self.statuses.contains(&made.body.id) {
            self.statuses.push(made.body.id);
        }
    }

    fn favourite(&mut self) {
        let Some((id, _)) = self.some_status() else { return };
        let who = self.any_account();
        self.world.write(move |tx| statuses::favourite(tx, who, id)).unwrap();
    }

    fn vote(&mut self) {
        let Some((id, _)) = self.some_status() else { return };
        let who = self.any_account();
        let poll = self.world.read(|conn| Ok(rows::load(conn, &[id], None)?)).pop();
        let Some(poll) = poll.and_then(|status| status.body.poll.map(|poll| poll.id)) else {
            return;
        };
        // A vote in the account's own poll and a second vote are refused.
        drop(self.world.write(move |tx| polls::vote(tx, who, poll, &["1".to_owned()])));
    }

    fn change_profile(&mut self) {
        let name = format!("name {} :cat:", self.random.random_range(0..1_000_000));
        let changes =
            Changes { display_name: Some(name), note: Some(self.text()), ..Changes::default() };
        let prepared = profile::prepare(&Settings::default(), changes).unwrap();
        let (instance, who) = (self.world.instance.clone(), self.any_account());
        let pictures = Pictures::default();
        let changed =
            self.world.write(move |tx| profile::apply(tx, &instance, who, &prepared, &pictures));
        changed.unwrap();
    }

    fn change_emojis(&mut self) {
        let name = *EMOJIS.choose(&mut self.random).unwrap();
        if self.random.random_bool(0.3) {
            drop(self.world.write(move |tx| emojis::delete(tx, Actor::Operator, name)));
            return;
        }
        let prepared = emojis::prepare(name, None, true).unwrap();
        let file = format!("{:032x}.png", self.random.random_range(0..u64::MAX));
        let picture = Picture { file, still: None };
        let put = move |tx: &mut Tx<'_>| emojis::put(tx, Actor::Operator, &prepared, &picture);
        self.world.write(put).unwrap();
    }

    fn change_role(&mut self) {
        let (who, staff) = (self.any_account(), self.random.random_bool(0.5));
        let role = staff.then_some("Moderator");
        self.world.write(move |tx| accounts::set_role(tx, who, role)).unwrap();
    }

    /// Runs the waiting jobs. Each page has a new title each time.
    fn fetch_pages(&mut self) {
        let kinds = [FetchPage::KIND, RaiseStatuses::KIND];
        let claim =
            move |world: &World| world.write(move |tx| Ok(job_rows::claim(tx, &kinds, |_| LEASE)?));
        while let Some(claim) = claim(&self.world).unwrap() {
            let instance = self.world.instance.clone();
            let title = format!("title {}", self.random.random_range(0..1_000_000));
            let done = self.world.write(move |tx| {
                if claim.kind == FetchPage::KIND {
                    let job: FetchPage = jobs::read(&claim.payload)?;
                    let found = Found { card: card(&title), image_source: None };
                    cards::found(tx, &instance, &job, &found)?;
                } else {
                    cards::raise_statuses(tx, &jobs::read(&claim.payload)?)?;
                }
                Ok(job_rows::complete(tx, &claim)?)
            });
            done.unwrap();
        }
        // After this time the preview of the next link is no longer fresh.
        self.world.pass(Duration::from_hours(24 * 30));
    }

    fn delete(&mut self) {
        let Some((id, author)) = self.some_status() else { return };
        self.world.write(move |tx| statuses::delete(tx, author, id, false)).unwrap();
        self.published.retain(|(other, _)| *other != id);
    }

    /// Compares a read and a write, which both use the cache, with a read that does not.
    fn check(&mut self) {
        let newest: Vec<StatusId> = self.statuses.iter().rev().take(COMPARED).copied().collect();
        for viewer in [None, Some(self.people[0])] {
            let (ids, people) = (newest.clone(), self.people.clone());
            let load = move |conn: &mut Conn| -> Result<_> {
                let shown: Vec<Status> = rows::load(conn, &ids, viewer)?;
                Ok((shown, account_rows::load_in_order(conn, &people)?))
            };
            let fresh = load(&mut self.uncached).unwrap();
            assert_eq!(self.world.read(&load), fresh);
            assert_eq!(self.world.write(move |tx| load(tx)).unwrap(), fresh);
        }
    }
}

const LEASE: Duration = Duration::from_secs(60);

fn card(title: &str) -> PreviewCard {
    PreviewCard {
        url: "https://far.test/1".to_owned(),
        kind: CardKind::Link,
        title: title.to_owned(),
        description: String::new(),
        author_name: String::new(),
        author_url: String::new(),
        provider_name: String::new(),
        provider_url: String::new(),
        embed_url: String::new(),
        width: 0,
        height: 0,
        image: None,
        is_article: false,
        published_at: None,
    }
}

both_engines! {
    fn cached_snapshots_equal_fresh_reads(database: &TestDatabase) {
        let seed = std::env::var("SISKIN_MODEL_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = seed.unwrap_or_else(|| rand::rng().random_range(0..1_000_000));
        let played = std::panic::catch_unwind(AssertUnwindSafe(|| {
            let mut walk = RandomWalk::new(database, seed);
            for _ in 0..STEPS {
                walk.step();
                walk.world.pass(Duration::from_millis(10));
                walk.check();
            }
        }));
        assert!(played.is_ok(), "reproduce with SISKIN_MODEL_SEED={seed}");
    }
}
