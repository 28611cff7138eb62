//! Notifications that a new or edited status enqueues as jobs.

use siskin_entities::{NotificationKind, Settings};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::jobs as job_rows;
use siskin_services::{
    jobs::{self, Job as _},
    statuses::{self, Draft, Edit, TOLD_AT_ONCE, TellBoosters, TellSubscribers},
};
use siskin_test_support::{both_engines, builders, standing};

use crate::world::World;

/// Creates `count` followers that subscribed to new statuses, and returns them.
fn subscribers(world: &World, author: AccountId, count: usize) -> Vec<AccountId> {
    let made = world.write(move |tx| {
        let mut made = Vec::new();
        for number in 0..count {
            let name = format!("fan{number}");
            let fan = builders::local_account(tx, &name, "http://siskin.test")?;
            let follow = standing::follow(tx, fan, author)?;
            standing::set_follow(tx, follow, true, true, None)?;
            made.push(fan);
        }
        Ok(made)
    });
    made.unwrap()
}

fn publish(world: &World, author: AccountId, text: &str) -> StatusId {
    let draft = Draft { text: text.to_owned(), ..Draft::default() };
    let prepared = statuses::prepare(&Settings::default(), draft).unwrap();
    let instance = world.instance.clone();
    let published = world.write(move |tx| statuses::apply(tx, &instance, author, &prepared));
    published.unwrap()
}

/// Runs the waiting jobs one after the other. Returns how many there were.
fn run_jobs(world: &World) -> usize {
    let run_next = || {
        let ran = world.write(|tx| {
            let kinds = [TellSubscribers::KIND, TellBoosters::KIND];
            let lease = std::time::Duration::from_secs(60);
            let Some(claim) = job_rows::claim(tx, &kinds, |_| lease)? else { return Ok(false) };
            if claim.kind == TellSubscribers::KIND {
                statuses::tell_subscribers(tx, &jobs::read(&claim.payload)?)?;
            } else {
                statuses::tell_boosters(tx, &jobs::read(&claim.payload)?)?;
            }
            job_rows::complete(tx, &claim)?;
            Ok(true)
        });
        ran.unwrap()
    };
    std::iter::from_fn(|| run_next().then_some(())).count()
}

fn told(world: &World, status: StatusId) -> Vec<AccountId> {
    told_as(world, status, NotificationKind::Status)
}

fn told_as(world: &World, status: StatusId, kind: NotificationKind) -> Vec<AccountId> {
    world.write(move |tx| Ok(standing::told(tx, status, kind)?)).unwrap()
}

/// Creates `count` accounts that reblogged a status, and returns them in the order of their
/// reblogs.
fn boosters(world: &World, status: StatusId, count: usize) -> Vec<AccountId> {
    let urls = world.instance.urls.clone();
    let made = world.write(move |tx| {
        let asked = statuses::prepare_reblog(status, None, None)?;
        let mut made = Vec::new();
        for number in 0..count {
            let name = format!("booster{number}");
            let booster = builders::local_account(tx, &name, "http://siskin.test")?;
            statuses::reblog(tx, &urls, booster, &asked)?;
            made.push(booster);
        }
        Ok(made)
    });
    made.unwrap()
}

fn edit(world: &World, author: AccountId, status: StatusId, text: &str) {
    let edit = Edit { text: Some(text.to_owned()), ..Edit::default() };
    let asked = statuses::prepare_edit(&Settings::default(), edit).unwrap();
    let instance = world.instance.clone();
    world.write(move |tx| statuses::edit(tx, &instance, author, status, &asked)).unwrap();
}

both_engines! {
    fn a_few_are_told_at_once(database: &TestDatabase) {
        let world = World::on(database);
        let author = world.person("author").id;
        let fans = subscribers(&world, author, 3);
        let status = publish(&world, author, "hello");
        assert_eq!(told(&world, status), fans);
        assert_eq!(run_jobs(&world), 0);
    }

    fn the_rest_of_many_is_told_later_and_everyone_once(database: &TestDatabase) {
        let world = World::on(database);
        let author = world.person("author").id;
        let fans = subscribers(&world, author, 2 * TOLD_AT_ONCE + 1);
        let status = publish(&world, author, "hello @fan1000");
        assert_eq!(told(&world, status), fans[..TOLD_AT_ONCE]);
        assert_eq!(run_jobs(&world), 2);
        assert_eq!(told(&world, status), fans[..1000], "all but the mentioned account");
    }

    fn all_of_many_who_reblogged_a_status_are_told_of_its_edit(database: &TestDatabase) {
        let world = World::on(database);
        let author = world.person("author").id;
        let status = publish(&world, author, "hello");
        let fans = boosters(&world, status, TOLD_AT_ONCE + 3);
        let told = || told_as(&world, status, NotificationKind::Update);
        edit(&world, author, status, "bye");
        assert_eq!(told(), fans[..TOLD_AT_ONCE]);
        assert_eq!(run_jobs(&world), 1);
        assert_eq!(told(), fans);
        edit(&world, author, status, "bye again");
        assert_eq!(told(), fans[..TOLD_AT_ONCE], "the later edit replaces the first");
        assert_eq!(run_jobs(&world), 1);
        assert_eq!(told(), fans);
    }

    fn nobody_is_told_of_what_is_gone(database: &TestDatabase) {
        let world = World::on(database);
        let author = world.person("author").id;
        subscribers(&world, author, TOLD_AT_ONCE + 1);
        let status = publish(&world, author, "hello");
        world.write(move |tx| statuses::delete(tx, author, status, false)).unwrap();
        assert_eq!(run_jobs(&world), 1);
        assert_eq!(told(&world, status), []);
    }
}
