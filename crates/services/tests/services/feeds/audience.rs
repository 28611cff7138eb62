//! Feeds of many followers, and their missing entries.

use siskin_entities::{
    PageRequest, Settings,
    feed::{Feed, FeedStage},
};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{doctor, statuses as rows};
use siskin_services::{
    feeds,
    statuses::{self, Draft},
    timelines,
};
use siskin_test_support::{both_engines, builders, standing};

use super::run_jobs;
use crate::world::World;

/// Creates accounts that follow some authors and have a home feed.
fn readers(world: &World, authors: &[AccountId], count: usize) -> Vec<AccountId> {
    let authors = authors.to_vec();
    let made = world.write(move |tx| {
        let mut made = Vec::new();
        for number in 0..count {
            let name = format!("reader{number}");
            let reader = builders::local_account(tx, &name, "http://siskin.test")?;
            for author in &authors {
                standing::follow(tx, reader, *author)?;
            }
            feeds::tend(tx, Feed::Home(reader))?;
            made.push(reader);
        }
        Ok(made)
    });
    run_jobs(world);
    made.unwrap()
}

fn publish(world: &World, author: AccountId) -> StatusId {
    let draft = Draft { text: "to all".to_owned(), ..Draft::default() };
    let prepared = statuses::prepare(&Settings::default(), draft).unwrap();
    let instance = world.instance.clone();
    world.write(move |tx| statuses::apply(tx, &instance, author, &prepared)).unwrap()
}

fn reblog(world: &World, who: AccountId, status: StatusId) -> StatusId {
    let asked = statuses::prepare_reblog(status, None, None).unwrap();
    let urls = world.instance.urls.clone();
    let made = world.write(move |tx| statuses::reblog(tx, &urls, who, &asked)).unwrap();
    run_jobs(world);
    made.body.id
}

both_engines! {
    fn a_popular_author_reaches_the_first_at_once_and_the_rest_by_jobs(database: &TestDatabase) {
        let world = World::on(database);
        let author = world.person("author").id;
        let at_once = usize::try_from(feeds::DELIVERED_AT_ONCE).unwrap();
        let readers = readers(&world, &[author], at_once + 20);
        let made = publish(&world, author);
        let with_it = || {
            let has_it = |reader: &&AccountId| {
                let home = world.read(|conn| {
                    timelines::home(conn, **reader, world.now(), PageRequest::newest(1))
                });
                assert_eq!(home.feed.state.unwrap().stage, FeedStage::Ready);
                home.page.items.iter().any(|status| status.body.id == made)
            };
            readers.iter().filter(has_it).count()
        };
        let incomplete =
            || world.read(|conn| Ok(doctor::incomplete_feeds(conn, world.now())?)).len();
        assert_eq!((with_it(), incomplete()), (at_once, readers.len() - at_once));
        run_jobs(&world);
        assert_eq!((with_it(), incomplete()), (readers.len(), 0));
    }

    fn what_a_popular_author_takes_back_lets_others_in_by_and_by(database: &TestDatabase) {
        let world = World::on(database);
        let (writer, author) = (world.person("writer").id, world.person("author").id);
        let other = world.person("other").id;
        let at_once = usize::try_from(feeds::DELIVERED_AT_ONCE).unwrap();
        let readers = readers(&world, &[author, other], at_once + 20);
        let status = publish(&world, writer);
        let of_author = reblog(&world, author, status);
        let of_other = reblog(&world, other, status);
        let with = |id: StatusId| {
            let has_it = |reader: &&AccountId| {
                let newest = PageRequest::newest(1);
                let home =
                    world.read(|conn| timelines::home(conn, **reader, world.now(), newest));
                home.page.items.iter().any(|status| status.body.id == id)
            };
            readers.iter().filter(has_it).count()
        };
        assert_eq!((with(of_author), with(of_other)), (readers.len(), 0));
        world.write(move |tx| statuses::unreblog(tx, author, status)).unwrap();
        assert_eq!((with(of_author), with(of_other)), (0, at_once));
        run_jobs(&world);
        assert_eq!((with(of_author), with(of_other)), (0, readers.len()));
    }

    fn a_feed_without_a_reblog_of_what_stands_there_no_more_is_found(database: &TestDatabase) {
        let world = World::on(database);
        let (writer, author) = (world.person("writer").id, world.person("author").id);
        let other = world.person("other").id;
        let readers = readers(&world, &[author, other], 2);
        let status = publish(&world, writer);
        let first = reblog(&world, author, status);
        reblog(&world, other, status);
        let incomplete = || world.read(|conn| Ok(doctor::incomplete_feeds(conn, world.now())?));
        assert_eq!(incomplete(), []);
        // Deletes only the row, without updating any feed.
        world.write(move |tx| Ok(rows::remove(tx, first)?)).unwrap();
        let found = incomplete();
        assert_eq!(found, readers.into_iter().map(Feed::Home).collect::<Vec<_>>());
        world.write(move |tx| Ok(doctor::outdate(tx, &found)?)).unwrap();
        assert_eq!(incomplete(), []);
    }
}
