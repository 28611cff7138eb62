//! Compares home timelines, lists and other timelines, with feeds and without, with a model.

use std::{collections::BTreeSet, panic::AssertUnwindSafe};

use rand::{Rng as _, SeedableRng as _, rngs::StdRng, seq::IndexedRandom as _};
use siskin_entities::{
    Cursor, Feeds, Page, PageRequest, RepliesPolicy, Settings, Status, Visibility, feed::Feed,
    relationship::FollowOptions,
};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    accounts::{self as rows, Decision},
    doctor,
};
use siskin_services::{
    Result, feeds,
    lists::{self, ListForm},
    relationships::{self, MuteOptions},
    statuses::{self, Draft, Edit, ProfileRequest, SourceParams, of_account},
    tags,
    timelines::{self, TagRequest},
};
use siskin_test_support::both_engines;

use super::{
    model::{AccountIndex, List, Model, Post},
    run_jobs,
};
use crate::world::World;

const PEOPLE: usize = 5;
const TAGS: [&str; 3] = ["one", "two", "three"];
const STEPS: usize = 250;
/// Page size. It is below the length of any timeline, so that each walk takes several pages.
const PAGE: i64 = 9;

/// World with its model.
struct ModelTest {
    world: World,
    people: Vec<AccountId>,
    model: Model,
    random: StdRng,
}

impl ModelTest {
    fn new(world: World, seed: u64) -> Self {
        let people = (0..PEOPLE).map(|who| world.person(&format!("p{who}")).id).collect();
        Self { world, people, model: Model::default(), random: StdRng::seed_from_u64(seed) }
    }

    fn any_account(&mut self) -> AccountIndex {
        self.random.random_range(0..PEOPLE)
    }

    fn name(&self, who: AccountIndex) -> String {
        self.people[who].to_string()
    }

    fn step(&mut self) {
        let (from, to) = (self.any_account(), self.any_account());
        match self.random.random_range(0..100) {
            0..14 if from != to => self.follow(from, to),
            14..18 if from != to => self.unfollow(from, to),
            18..21 if from != to => self.mute(from, to),
            21..25 if from != to => self.unmute(from, to),
            25..27 if from != to => self.block(from, to),
            27..31 if from != to => self.unblock(from, to),
            31..35 => self.follow_tag(from),
            35..37 => self.unfollow_tag(from),
            37..39 => self.make_list(from),
            39..45 => self.change_members(),
            45..48 => self.change_list(),
            48..50 => self.delete_list(),
            50 => self.moderate(from),
            51 => self.pardon(),
            52..70 => self.publish(from),
            70..82 => self.reblog(from),
            82..84 => self.unreblog(),
            84..88 => self.edit(),
            88..92 => self.delete(),
            _ => self.build(from),
        }
    }

    fn follow(&mut self, from: AccountIndex, to: AccountIndex) {
        // A silenced account can only send follow requests.
        let follows = self.model.follows.contains_key(&(from, to));
        if self.model.limited.contains(&from) && !follows {
            return;
        }
        let (actor, target) = (self.people[from], self.name(to));
        let reblogs = [None, Some(true), Some(false)].choose(&mut self.random).copied().flatten();
        let options = FollowOptions { reblogs, ..FollowOptions::default() };
        let done =
            self.world.write(move |tx| relationships::follow(tx, 7500, actor, &target, &options));
        if done.is_ok() {
            let now = self.model.follows.entry((from, to)).or_insert(true);
            *now = reblogs.unwrap_or(*now);
        }
    }

    fn unfollow(&mut self, from: AccountIndex, to: AccountIndex) {
        let (actor, target) = (self.people[from], self.name(to));
        if self.world.write(move |tx| relationships::unfollow(tx, actor, &target)).is_ok() {
            self.model.unfollow(from, to);
        }
    }

    fn mute(&mut self, from: AccountIndex, to: AccountIndex) {
        let (actor, target) = (self.people[from], self.name(to));
        let params = MuteOptions::default();
        if self.world.write(move |tx| relationships::mute(tx, actor, &target, params)).is_ok() {
            self.model.mutes.insert((from, to));
        }
    }

    fn unmute(&mut self, from: AccountIndex, to: AccountIndex) {
        let (actor, target) = (self.people[from], self.name(to));
        if self.world.write(move |tx| relationships::unmute(tx, actor, &target)).is_ok() {
            self.model.mutes.remove(&(from, to));
        }
    }

    fn block(&mut self, from: AccountIndex, to: AccountIndex) {
        let (actor, target) = (self.people[from], self.name(to));
        if self.world.write(move |tx| relationships::block(tx, actor, &target)).is_ok() {
            self.model.block(from, to);
        }
    }

    fn unblock(&mut self, from: AccountIndex, to: AccountIndex) {
        let (actor, target) = (self.people[from], self.name(to));
        if self.world.write(move |tx| relationships::unblock(tx, actor, &target)).is_ok() {
            self.model.blocks.remove(&(from, to));
        }
    }

    fn follow_tag(&mut self, who: AccountIndex) {
        let (account, tag) = (self.people[who], *TAGS.choose(&mut self.random).unwrap());
        self.world.write(move |tx| tags::follow(tx, account, tag)).unwrap();
        self.model.tag_follows.insert((who, tag.to_owned()));
    }

    fn unfollow_tag(&mut self, who: AccountIndex) {
        let (account, tag) = (self.people[who], *TAGS.choose(&mut self.random).unwrap());
        self.world.write(move |tx| tags::unfollow(tx, account, tag)).unwrap();
        self.model.tag_follows.remove(&(who, tag.to_owned()));
    }

    fn make_list(&mut self, owner: AccountIndex) {
        if self.model.lists.len() >= 4 {
            return;
        }
        let account = self.people[owner];
        let form = ListForm { title: Some("A list".to_owned()), ..ListForm::default() };
        let made = self.world.write(move |tx| lists::create(tx, account, &form)).unwrap();
        let (policy, exclusive) = (made.replies_policy, made.exclusive);
        let members = BTreeSet::new();
        self.model.lists.push(List { id: made.id, owner, members, policy, exclusive });
    }

    fn some_list(&mut self) -> Option<(usize, AccountId, String)> {
        let count = self.model.lists.len();
        let index = (count > 0).then(|| self.random.random_range(0..count))?;
        let list = &self.model.lists[index];
        Some((index, self.people[list.owner], list.id.to_string()))
    }

    fn change_members(&mut self) {
        let (Some((index, owner, list)), who) = (self.some_list(), self.any_account()) else {
            return;
        };
        let (account, members) = (self.name(who), &mut self.model.lists[index].members);
        if members.contains(&who) {
            members.remove(&who);
            self.world
                .write(move |tx| lists::remove(tx, owner, &list, std::slice::from_ref(&account)))
                .unwrap();
        } else if self
            .world
            .write(move |tx| lists::add(tx, owner, &list, std::slice::from_ref(&account)))
            .is_ok()
        {
            members.insert(who);
        }
    }

    fn change_list(&mut self) {
        let Some((index, owner, id)) = self.some_list() else { return };
        let policy = *RepliesPolicy::ALL.choose(&mut self.random).unwrap();
        let exclusive = self.random.random_bool(0.5);
        let form = ListForm {
            title: Some("A list".to_owned()),
            replies_policy: Some(policy.as_str().to_owned()),
            exclusive: Some(exclusive),
        };
        self.world.write(move |tx| lists::update(tx, owner, &id, &form)).unwrap();
        let list = &mut self.model.lists[index];
        (list.policy, list.exclusive) = (policy, exclusive);
    }

    fn delete_list(&mut self) {
        let Some((index, owner, id)) = self.some_list() else { return };
        self.world.write(move |tx| lists::delete_some(tx, owner, &id)).unwrap();
        self.model.lists.remove(index);
    }

    fn moderate(&mut self, who: AccountIndex) {
        let account = self.people[who];
        let (decision, model) = if self.random.random_bool(0.5) {
            (Decision::Suspended(true), &mut self.model.suspended)
        } else {
            (Decision::Silenced(true), &mut self.model.limited)
        };
        model.insert(who);
        self.world.write(move |tx| Ok(rows::decide(tx, account, decision)?)).unwrap();
    }

    fn pardon(&mut self) {
        let suspended = std::mem::take(&mut self.model.suspended);
        let limited = std::mem::take(&mut self.model.limited);
        for (who, decision) in suspended
            .into_iter()
            .map(|who| (who, Decision::Suspended(false)))
            .chain(limited.into_iter().map(|who| (who, Decision::Silenced(false))))
        {
            let account = self.people[who];
            self.world.write(move |tx| Ok(rows::decide(tx, account, decision)?)).unwrap();
        }
    }

    /// Returns a text that may contain a mention and hashtags.
    fn text(&mut self) -> String {
        let mut text = format!("words {}", self.random.random_range(0..1_000_000));
        if self.random.random_bool(0.25) {
            text = format!("{text} @p{}", self.any_account());
        }
        for tag in TAGS {
            if self.random.random_bool(0.2) {
                text = format!("{text} #{tag}");
            }
        }
        text
    }

    fn publish(&mut self, author: AccountIndex) {
        let all = [Visibility::Public, Visibility::Public, Visibility::Public]
            .into_iter()
            .chain(Visibility::ALL);
        let visibility = all.collect::<Vec<_>>().choose(&mut self.random).copied().unwrap();
        let parent_index = self.some_post().filter(|_| self.random.random_bool(0.4));
        let parent = parent_index.map(|index| self.model.posts[index].reblog_of.unwrap_or(index));
        let draft = Draft {
            source: SourceParams::new(self.text()),
            visibility: Some(visibility.as_str().to_owned()),
            in_reply_to_id: parent.map(|index| self.model.posts[index].id.to_string()),
            ..Draft::default()
        };
        let prepared = statuses::prepare(&Settings::default(), draft).unwrap();
        let (instance, account) = (self.world.instance.clone(), self.people[author]);
        let made = self.world.write(move |tx| statuses::apply(tx, &instance, account, &prepared));
        // The parent may be hidden from the author.
        let Ok(id) = made else { return };
        let made = self.world.read(|conn| statuses::find(conn, Some(account), id));
        let post = Post {
            id,
            author,
            visibility,
            mentioned: self.mentioned(&made),
            ever_mentioned: self.mentioned(&made),
            tags: tags_of(&made),
            answers: parent.map(|index| self.model.posts[index].author),
            reblog_of: None,
            is_there: true,
        };
        self.model.posts.push(post);
    }

    fn mentioned(&self, status: &Status) -> BTreeSet<AccountIndex> {
        let who = |id: AccountId| self.people.iter().position(|other| *other == id).unwrap();
        status.body.mentions.iter().map(|mention| who(mention.account_id)).collect()
    }

    fn some_post(&mut self) -> Option<usize> {
        let there = self.model.indices(|post| post.is_there);
        there[..there.len().min(60)].choose(&mut self.random).copied()
    }

    fn reblog(&mut self, who: AccountIndex) {
        let Some(index) = self.some_post() else { return };
        let of = self.model.posts[index].reblog_of.unwrap_or(index);
        let params = statuses::prepare_reblog(self.model.posts[of].id, None, None).unwrap();
        let (urls, account) = (self.world.instance.urls.clone(), self.people[who]);
        let made = self.world.write(move |tx| statuses::reblog(tx, &urls, account, &params));
        let Ok(made) = made else { return };
        if self.model.posts.iter().any(|post| post.id == made.body.id) {
            return;
        }
        self.model.posts.push(Post {
            id: made.body.id,
            author: who,
            visibility: made.body.visibility,
            mentioned: BTreeSet::new(),
            ever_mentioned: BTreeSet::new(),
            tags: BTreeSet::new(),
            answers: None,
            reblog_of: Some(of),
            is_there: true,
        });
    }

    /// Removes a reblog of a status that others may have reblogged too.
    fn unreblog(&mut self) {
        let reblogs = self.model.indices(|post| post.is_there && post.reblog_of.is_some());
        let Some(index) = reblogs.choose(&mut self.random).copied() else { return };
        let (id, account) =
            (self.model.posts[index].id, self.people[self.model.posts[index].author]);
        self.world.write(move |tx| statuses::unreblog(tx, account, id)).unwrap();
        self.model.delete(index);
    }

    fn edit(&mut self) {
        let Some(index) = self.some_post() else { return };
        let post = &self.model.posts[index];
        let (id, account, is_reblog) =
            (post.id, self.people[post.author], post.reblog_of.is_some());
        if is_reblog {
            return;
        }
        let edit = Edit { source: SourceParams::new(self.text()), ..Edit::default() };
        let prepared = statuses::prepare_edit(&Settings::default(), edit).unwrap();
        let instance = self.world.instance.clone();
        let edited =
            self.world.write(move |tx| statuses::edit(tx, &instance, account, id, &prepared));
        let edited = edited.unwrap();
        let mentioned = self.mentioned(&edited);
        let post = &mut self.model.posts[index];
        post.ever_mentioned.extend(&mentioned);
        post.mentioned = mentioned;
        post.tags = tags_of(&edited);
    }

    fn delete(&mut self) {
        let Some(index) = self.some_post() else { return };
        let (id, account) =
            (self.model.posts[index].id, self.people[self.model.posts[index].author]);
        self.world.write(move |tx| statuses::delete(tx, account, id, false)).unwrap();
        self.model.delete(index);
    }

    /// Reads an account's feeds, and runs the jobs that this enqueues.
    fn build(&mut self, who: AccountIndex) {
        let mut feeds_read = vec![Feed::Home(self.people[who])];
        let lists = self.model.lists.iter().filter(|list| list.owner == who);
        feeds_read.extend(lists.map(|list| Feed::List(self.people[who], list.id)));
        for feed in feeds_read {
            self.world.write(move |tx| feeds::maintain(tx, feed)).unwrap();
        }
        // Some feeds are left half-built, and statuses published meanwhile must not be lost.
        if self.random.random_bool(0.8) {
            run_jobs(&self.world);
        }
    }

    fn check(&self) {
        let incomplete = self.world.read(|conn| Ok(doctor::incomplete_feeds(conn)?));
        assert_eq!(incomplete, []);
        for who in 0..PEOPLE {
            let shown = self.walk(|conn, request| {
                Ok(timelines::home(conn, self.people[who], self.world.now(), request)?.page)
            });
            let rule = |post: &Post| self.model.is_at_home(who, post);
            self.model.check(&format!("home of {who}"), &shown, rule);
        }
        for list in &self.model.lists {
            let (owner, id) = (self.people[list.owner], list.id.to_string());
            let shown = self.walk(|conn, request| {
                Ok(timelines::list(conn, owner, &id, self.world.now(), request)?.page)
            });
            let rule = |post: &Post| self.model.is_in(list, post);
            self.model.check(&format!("{list:?}"), &shown, rule);
        }
        self.check_open();
    }

    /// Checks public timelines, profiles and hashtags for two viewers.
    fn check_open(&self) {
        let open = Feeds::of(&Settings::default());
        for as_viewer in [0, 1] {
            let viewer = Some(self.people[as_viewer]);
            let shown = self.walk(|conn, request| {
                let filter = timelines::TimelineFilter::default();
                timelines::public(conn, open, viewer, filter, self.world.now(), request)
            });
            let rule = |post: &Post| self.model.is_public(as_viewer, post);
            self.model.check(&format!("public for {as_viewer}"), &shown, rule);
            for (other, account) in self.people.iter().enumerate() {
                let shown = self.walk(|conn, request| {
                    let every = ProfileRequest::default();
                    of_account(conn, viewer, *account, &every, self.world.now(), request)
                });
                let rule = |post: &Post| self.model.is_on_profile(as_viewer, other, post);
                self.model.check(&format!("profile of {other} for {as_viewer}"), &shown, rule);
            }
        }
        for tag in TAGS {
            let params = TagRequest { name: tag.to_owned(), ..TagRequest::default() };
            let as_viewer = self.people[0];
            let shown = self.walk(|conn, request| {
                timelines::tag(conn, open, Some(as_viewer), &params, self.world.now(), request)
            });
            let rule = |post: &Post| self.model.has_tag(0, tag, post);
            self.model.check(tag, &shown, rule);
        }
    }

    /// Returns a whole timeline, the newest status first.
    fn walk(
        &self,
        page: impl Fn(&mut siskin_persistence::Conn, PageRequest) -> Result<Page<Status>>,
    ) -> Vec<StatusId> {
        self.walk_ids(|conn, request| {
            let read = page(conn, request)?;
            let ids = read.items.iter().map(|status| status.body.id).collect();
            Ok(read.with_items(ids))
        })
    }

    fn walk_ids(
        &self,
        page: impl Fn(&mut siskin_persistence::Conn, PageRequest) -> Result<Page<StatusId>>,
    ) -> Vec<StatusId> {
        let (mut max, mut all) = (None, Vec::new());
        loop {
            let cursor = Cursor { max, ..Cursor::default() };
            let request = PageRequest { cursor, limit: PAGE };
            let read = self.world.read(|conn| page(conn, request));
            all.extend(&read.items);
            max = read.oldest;
            if !read.full {
                return all;
            }
        }
    }
}

fn tags_of(status: &Status) -> BTreeSet<String> {
    status.body.tags.iter().map(|tag| tag.name.clone()).collect()
}

both_engines! {
    fn timelines_match_the_model_after_random_actions(database: &TestDatabase) {
        let seed = std::env::var("SISKIN_MODEL_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = seed.unwrap_or_else(|| rand::rng().random_range(0..1_000_000));
        let played = std::panic::catch_unwind(AssertUnwindSafe(|| {
            let mut game = ModelTest::new(World::on(database), seed);
            for step in 0..STEPS {
                game.step();
                game.world.pass(std::time::Duration::from_millis(10));
                if step % 10 == 9 {
                    game.check();
                }
            }
        }));
        assert!(played.is_ok(), "reproduce with SISKIN_MODEL_SEED={seed}");
    }
}
