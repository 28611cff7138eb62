//! Feeds of many followers, and their missing entries.

use siskin_entities::{
    PageRequest, Settings,
    feed::{Feed, FeedStage},
};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::doctor;
use siskin_services::{
    feeds,
    statuses::{self, Draft, SourceParams},
    timelines,
};
use siskin_test_support::{both_engines, builders, standing};

use super::run_jobs;
use crate::world::World;

/// Creates accounts that follow some authors and have a home feed.
fn viewers(world: &World, authors: &[AccountId], count: usize) -> Vec<AccountId> {
    let authors = authors.to_vec();
    let created = world.write(move |tx| {
        let mut created = Vec::new();
        for number in 0..count {
            let name = format!("reader{number}");
            let viewer = builders::local_account(tx, &name, "http://siskin.test")?;
            for author in &authors {
                standing::follow(tx, viewer, *author)?;
            }
            feeds::maintain(tx, Feed::Home(viewer))?;
            created.push(viewer);
        }
        Ok(created)
    });
    run_jobs(world);
    created.unwrap()
}

fn publish(world: &World, author: AccountId) -> StatusId {
    let draft = Draft { source: SourceParams::new("to all"), ..Draft::default() };
    let prepared = statuses::prepare(&Settings::default(), draft).unwrap();
    let instance = world.instance.clone();
    world.write(move |tx| statuses::apply(tx, &instance, author, &prepared)).unwrap()
}

fn reblog(world: &World, who: AccountId, status: StatusId) -> StatusId {
    let new_reblog = statuses::prepare_reblog(status, None, None).unwrap();
    let urls = world.instance.urls.clone();
    let created = world.write(move |tx| statuses::reblog(tx, &urls, who, &new_reblog)).unwrap();
    run_jobs(world);
    created.body.id
}

both_engines! {
    fn fan_out_reaches_the_first_feeds_at_once_and_the_rest_by_jobs(database: &TestDatabase) {
        let world = World::on(database);
        let author = world.person("author").id;
        let at_once = usize::try_from(feeds::FAN_OUT_BATCH).unwrap();
        let viewers = viewers(&world, &[author], at_once + 20);
        let created = publish(&world, author);
        let count_with_status = || {
            let has_it = |viewer: &&AccountId| {
                let home = world.read(|conn| {
                    timelines::home(conn, **viewer, world.now(), PageRequest::newest(1))
                });
                assert_eq!(home.feed.state.unwrap().stage, FeedStage::Ready);
                home.page.items.iter().any(|status| status.body.id == created)
            };
            viewers.iter().filter(has_it).count()
        };
        let incomplete =
            || world.read(|conn| Ok(doctor::incomplete_feeds(conn)?)).len();
        assert_eq!((count_with_status(), incomplete()), (at_once, viewers.len() - at_once));
        run_jobs(&world);
        assert_eq!((count_with_status(), incomplete()), (viewers.len(), 0));
    }

    fn an_undone_reblog_makes_room_for_other_reblogs(database: &TestDatabase) {
        let world = World::on(database);
        let (writer, author) = (world.person("writer").id, world.person("author").id);
        let other = world.person("other").id;
        let viewers = viewers(&world, &[author, other], 20);
        let status = publish(&world, writer);
        let of_author = reblog(&world, author, status);
        let of_other = reblog(&world, other, status);
        let with = |id: StatusId| {
            let has_it = |viewer: &&AccountId| {
                let newest = PageRequest::newest(1);
                let home =
                    world.read(|conn| timelines::home(conn, **viewer, world.now(), newest));
                home.page.items.iter().any(|status| status.body.id == id)
            };
            viewers.iter().filter(has_it).count()
        };
        assert_eq!((with(of_author), with(of_other)), (viewers.len(), 0));
        world.write(move |tx| statuses::unreblog(tx, author, status)).unwrap();
        assert_eq!((with(of_author), with(of_other)), (0, viewers.len()));
    }

    fn the_doctor_finds_feeds_that_lack_a_status(database: &TestDatabase) {
        let world = World::on(database);
        let author = world.person("author").id;
        let viewers = viewers(&world, &[author], 2);
        publish(&world, author);
        let incomplete = || world.read(|conn| Ok(doctor::incomplete_feeds(conn)?));
        assert_eq!(incomplete(), []);
        let home = Feed::Home(viewers[0]);
        world.write(move |tx| Ok(builders::delete_feed_entry(tx, home.id())?)).unwrap();
        let found = incomplete();
        assert_eq!(found, [home]);
        world.write(move |tx| Ok(doctor::mark_stale(tx, &found)?)).unwrap();
        assert_eq!(incomplete(), []);
    }
}
