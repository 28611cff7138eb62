//! Random walks through the candidates of long timelines. They reach each status exactly once, for
//! all cursors and step sizes.
//!
//! `SISKIN_STATUSES` sets the number of statuses (default 1,500); `make bench` walks through
//! 100,000.

use std::env;

use diesel::{connection::SimpleConnection, prelude::*, sql_query};
use siskin_entities::{
    Cursor, List, Page, PageRequest, RepliesPolicy,
    feed::{Feed, FeedStage},
};
use siskin_ids::{AccountId, StatusId, TagId};
use siskin_persistence::{
    Conn, Result,
    feeds::{self, FanOutProgress},
    lists::{self, ListFacts},
    tags::{self, TypedTag},
    timelines::{self, Candidate, TagTimeline, TimelineFilter},
};
use siskin_test_support::both_engines;

use crate::world::World;

/// Below all ids that the store generates. `STEP` is the distance between two statuses.
const FIRST: i64 = 1_000_000;
const STEP: i64 = 3;
/// Number of authors, and how many of them the viewer follows. The viewer is one of the authors.
const WRITERS: i64 = 5;
const FOLLOWED: i64 = 3;

fn statuses() -> i64 {
    let from_env = env::var("SISKIN_STATUSES").ok().and_then(|number| number.parse().ok());
    from_env.unwrap_or(1500)
}

/// Deterministic pseudo-random numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: i64) -> i64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(self.0 >> 33).unwrap() % bound
    }

    fn limit(&mut self) -> i64 {
        1 + self.below(40)
    }
}

struct Scene {
    viewer: AccountId,
    list: List,
    tag: TagId,
    many: i64,
}

/// Returns the author of the status with this number, from 1 to `WRITERS`; 1 is the viewer.
const fn writer(number: i64) -> i64 {
    1 + (number * 7 / 3) % WRITERS
}

const fn has_tag(number: i64) -> bool {
    number % 3 == 0
}

fn set_up(world: &World, conn: &mut Conn) -> Scene {
    let names = ["reader", "one", "two", "three", "four"];
    let people: Vec<AccountId> = names.into_iter().map(|name| world.person(name)).collect();
    let viewer = people[0];
    for followed in &people[1..=FOLLOWED as usize] {
        world.follow(viewer, *followed);
    }
    let members = people[1..=FOLLOWED as usize].to_vec();
    let (list, tag) = world.write(move |tx| {
        let attributes = ListFacts {
            title: "Birds",
            replies_policy: RepliesPolicy::default(),
            exclusive: false,
        };
        let id = lists::insert(tx, viewer, &attributes)?;
        let members = lists::followed(tx, viewer, &members)?;
        lists::add_members(tx, id, &members)?;
        let typed = TypedTag { name: "birds".to_owned(), display_name: "Birds".to_owned() };
        let tag = tags::find_or_insert(tx, &[typed])?[0];
        tags::follow(tx, viewer, tag)?;
        Ok((lists::find(tx, viewer, id)?.unwrap(), tag))
    });
    let many = statuses();
    let scene = Scene { viewer, list, tag, many };
    fill(conn, &people, tag, many);
    scene
}

fn fill(conn: &mut Conn, people: &[AccountId], tag: TagId, many: i64) {
    let numbers = format!(
        "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {many})"
    );
    let id = format!("{FIRST} + n * {STEP}");
    let writers = (1..).zip(people).map(|(number, id)| format!("WHEN {number} THEN {id}"));
    let author =
        format!("CASE 1 + (n * 7 / 3) % {WRITERS} {} END", writers.collect::<Vec<_>>().join(" "));
    let statuses = format!(
        "INSERT INTO statuses (id, account_id, uri, visibility, conversation_id, created_at)
         SELECT {id}, {author}, 'http://siskin.test/s' || n, 0, {id}, 0 FROM numbers"
    );
    let tagged = format!(
        "INSERT INTO statuses_tags (tag_id, status_id, position)
         SELECT {tag}, {id}, 0 FROM numbers WHERE n % 3 = 0"
    );
    for rows in [statuses, tagged] {
        sql_query(format!("{numbers} {rows}")).execute(conn).unwrap();
    }
    conn.batch_execute("ANALYZE").unwrap();
}

/// Sets the status counter of all accounts. Home and lists use it to decide where to search.
fn set_status_counts(conn: &mut Conn, each: i64) {
    let change = format!("UPDATE account_stats SET statuses_count = {each}");
    assert!(sql_query(change).execute(conn).unwrap() > 0);
}

type Read = fn(&mut Conn, &Scene, PageRequest) -> Result<Page<StatusId>>;

/// Whether a timeline shows the status with this number.
type Shows = fn(i64) -> bool;

const TIMELINES: [(&str, Read, Shows); 4] = [
    (
        "home",
        |conn, scene, page| of_feed(conn, Feed::Home(scene.viewer), page),
        |number| writer(number) <= 1 + FOLLOWED || has_tag(number),
    ),
    (
        "list",
        |conn, scene, page| of_feed(conn, Feed::List(scene.viewer, scene.list.id), page),
        |number| (2..=1 + FOLLOWED).contains(&writer(number)),
    ),
    (
        "public",
        |conn, _, page| Ok(ids(timelines::public(conn, TimelineFilter::default(), page)?, page)),
        |_| true,
    ),
    (
        "tag",
        |conn, scene, page| {
            let tagged = TagTimeline { any: vec![scene.tag], ..TagTimeline::default() };
            Ok(ids(timelines::tag(conn, &tagged, page)?, page))
        },
        has_tag,
    ),
];

fn of_feed(conn: &mut Conn, feed: Feed, page: PageRequest) -> Result<Page<StatusId>> {
    let state = feeds::state(conn, feed)?;
    Ok(ids(timelines::feed_candidates(conn, feed, state, page)?, page))
}

fn ids(candidates: Vec<Candidate>, page: PageRequest) -> Page<StatusId> {
    Page::of(candidates, page.limit, |candidate| candidate.id.get()).map(|candidate| candidate.id)
}

/// A walk through one timeline. Its functions return the reached statuses, newest first.
struct Walk<'w> {
    conn: &'w mut Conn,
    scene: &'w Scene,
    read: Read,
    dice: Dice,
}

impl Walk<'_> {
    fn page(&mut self, cursor: Cursor) -> Page<StatusId> {
        let limit = self.dice.limit();
        let page = (self.read)(self.conn, self.scene, PageRequest { cursor, limit }).unwrap();
        assert!(page.items.len() <= usize::try_from(limit).unwrap());
        page
    }

    fn down(&mut self, from: Option<i64>, since: Option<i64>) -> Vec<StatusId> {
        let (mut reached, mut max) = (Vec::new(), from);
        loop {
            let page = self.page(Cursor { max, since, min: None });
            reached.extend(&page.items);
            if !page.full {
                return reached;
            }
            max = page.oldest;
        }
    }

    fn up(&mut self, from: i64) -> Vec<StatusId> {
        let (mut pages, mut min) = (Vec::new(), from);
        loop {
            let page = self.page(Cursor { min: Some(min), ..Cursor::default() });
            let is_last = page.items.is_empty();
            min = page.newest.unwrap_or(min);
            pages.push(page.items);
            if is_last {
                return pages.into_iter().rev().flatten().collect();
            }
        }
    }

    /// Walks upwards from a random position, and downwards from there.
    fn both_ways(&mut self) -> Vec<StatusId> {
        let middle = FIRST + self.dice.below(self.scene.many * STEP);
        let above = self.up(middle);
        [above, self.down(Some(middle + 1), None)].concat()
    }

    fn assert_reaches(mut self, expected: &[StatusId], what: &str) {
        assert!(self.down(None, None) == expected, "{what}: downwards");
        assert!(self.both_ways() == expected, "{what}: from the middle");
        assert!(self.by_windows() == expected, "{what}: by windows");
    }

    /// Walks through windows between cursors, the newest first, each from its upper end to its
    /// lower end.
    fn by_windows(&mut self) -> Vec<StatusId> {
        let mut reached = Vec::new();
        let mut upper = FIRST + self.scene.many * STEP + 1;
        while upper > FIRST {
            let since = upper - 1 - self.dice.below(self.scene.many * STEP / 4 + 1);
            reached.extend(self.down(Some(upper), Some(since)));
            upper = since + 1;
        }
        reached
    }
}

both_engines! {
    fn random_walks_reach_each_status_of_a_timeline_once(database: &TestDatabase) {
        let world = World::on(database);
        let mut conn = Conn::open(database.url()).unwrap();
        let scene = set_up(&world, &mut conn);
        for (name, read, shows) in TIMELINES {
            let expected = (1..=scene.many).rev().filter(|number| shows(*number));
            let expected: Vec<StatusId> =
                expected.map(|number| StatusId::new(FIRST + number * STEP)).collect();
            assert!(!expected.is_empty());
            for (seed, written) in [(0, 1), (1, 1_000_000)] {
                set_status_counts(&mut conn, written);
                let dice = Dice(seed);
                let walk = Walk { conn: &mut conn, scene: &scene, read, dice };
                walk.assert_reaches(&expected, &format!("{name}, {written} each"));
            }
        }
    }

    fn random_walks_continue_below_the_feed(database: &TestDatabase) {
        let world = World::on(database);
        let mut conn = Conn::open(database.url()).unwrap();
        let scene = set_up(&world, &mut conn);
        for feed in [Feed::Home(scene.viewer), Feed::List(scene.viewer, scene.list.id)] {
            assert!(world.write(move |tx| feeds::begin(tx, feed, FeedStage::Building)));
            let built = world.read(|conn| feeds::build(conn, feed)).unwrap();
            assert!(world.write(move |tx| feeds::store(tx, feed, &built)));
            let state = world.read(|conn| feeds::state(conn, feed)).unwrap();
            assert_eq!(state.stage, FeedStage::Ready);
        }
        // An edit fans out again, also a status below the feed.
        let followed = (1..).find(|number| (2..=1 + FOLLOWED).contains(&writer(*number))).unwrap();
        let old = StatusId::new(FIRST + followed * STEP);
        world.write(move |tx| feeds::fan_out(tx, old, FanOutProgress::default(), 500));
        for (name, read, shows) in &TIMELINES[..2] {
            let expected = (1..=scene.many).rev().filter(|number| shows(*number));
            let expected: Vec<StatusId> =
                expected.map(|number| StatusId::new(FIRST + number * STEP)).collect();
            assert!(i64::try_from(expected.len()).unwrap() > feeds::LENGTH, "{name} lost rows");
            let walk = Walk { conn: &mut conn, scene: &scene, read: *read, dice: Dice(2) };
            walk.assert_reaches(&expected, &format!("remaining rows of {name}"));
        }
    }
}
