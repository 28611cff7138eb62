//! Notifications that a new or edited status enqueues as jobs.

use siskin_entities::{NotificationKind, Settings};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{archive, doctor, jobs as job_rows};
use siskin_services::{
    Error,
    jobs::{self, Job as _},
    statuses::{
        self, Draft, Edit, NOTIFY_BATCH, NotifyRebloggers, NotifySubscribers, RemoveStatus,
        SourceParams,
    },
};
use siskin_test_support::{both_engines, builders, standing};

use crate::world::World;

/// Creates `count` followers that subscribed to new statuses, and returns them.
fn subscribers(world: &World, author: AccountId, count: usize) -> Vec<AccountId> {
    let created = world.write(move |tx| {
        let mut created = Vec::new();
        for number in 0..count {
            let name = format!("fan{number}");
            let follower = builders::local_account(tx, &name, "http://siskin.test")?;
            let follow = standing::follow(tx, follower, author)?;
            standing::set_follow(tx, follow, true, true, None)?;
            created.push(follower);
        }
        Ok(created)
    });
    created.unwrap()
}

fn publish(world: &World, author: AccountId, text: &str) -> StatusId {
    let draft = Draft { source: SourceParams::new(text), ..Draft::default() };
    let prepared = statuses::prepare(&Settings::default(), draft).unwrap();
    let instance = world.instance.clone();
    let published = world.write(move |tx| statuses::apply(tx, &instance, author, &prepared));
    published.unwrap()
}

/// Runs the waiting jobs one after the other. Returns how many there were.
fn run_jobs(world: &World) -> usize {
    std::iter::from_fn(|| run_next_job(world).then_some(())).count()
}

/// Runs the next waiting job. Returns `false` if there is none.
fn run_next_job(world: &World) -> bool {
    let ran = world.write(|tx| {
        let kinds = [NotifySubscribers::KIND, NotifyRebloggers::KIND, RemoveStatus::KIND];
        let lease = std::time::Duration::from_secs(60);
        let Some(claim) = job_rows::claim(tx, &kinds, |_| lease)? else { return Ok(false) };
        let payload = &claim.payload;
        match claim.kind.as_str() {
            NotifySubscribers::KIND => statuses::notify_subscribers(tx, &jobs::read(payload)?)?,
            NotifyRebloggers::KIND => statuses::notify_rebloggers(tx, &jobs::read(payload)?)?,
            _ => statuses::remove_step(tx, &jobs::read(payload)?)?,
        }
        job_rows::complete(tx, &claim)?;
        Ok(true)
    });
    ran.unwrap()
}

fn notified(world: &World, status: StatusId) -> Vec<AccountId> {
    notified_as(world, status, NotificationKind::Status)
}

fn notified_as(world: &World, status: StatusId, kind: NotificationKind) -> Vec<AccountId> {
    world.write(move |tx| Ok(standing::notified(tx, status, kind)?)).unwrap()
}

/// Creates `count` accounts that reblogged a status, and returns them in the order of their
/// reblogs.
fn rebloggers(world: &World, status: StatusId, count: usize) -> Vec<AccountId> {
    let urls = world.instance.urls.clone();
    let created = world.write(move |tx| {
        let prepared = statuses::prepare_reblog(status, None, None)?;
        let mut created = Vec::new();
        for number in 0..count {
            let name = format!("booster{number}");
            let reblogger = builders::local_account(tx, &name, "http://siskin.test")?;
            statuses::reblog(tx, &urls, reblogger, &prepared)?;
            created.push(reblogger);
        }
        Ok(created)
    });
    created.unwrap()
}

fn edit(world: &World, author: AccountId, status: StatusId, text: &str) {
    let edit = Edit { source: SourceParams::new(text), ..Edit::default() };
    let prepared = statuses::prepare_edit(&Settings::default(), edit).unwrap();
    let instance = world.instance.clone();
    world.write(move |tx| statuses::edit(tx, &instance, author, status, &prepared)).unwrap();
}

both_engines! {
    fn a_few_subscribers_are_notified_at_once(database: &TestDatabase) {
        let world = World::on(database);
        let author = world.person("author").id;
        let followers = subscribers(&world, author, 3);
        let status = publish(&world, author, "hello");
        assert_eq!(notified(&world, status), followers);
        assert_eq!(run_jobs(&world), 0);
    }

    fn many_subscribers_are_notified_in_batches_and_each_once(database: &TestDatabase) {
        let world = World::on(database);
        let author = world.person("author").id;
        let followers = subscribers(&world, author, 2 * NOTIFY_BATCH + 1);
        let status = publish(&world, author, "hello @fan1000");
        assert_eq!(notified(&world, status), followers[..NOTIFY_BATCH]);
        assert_eq!(run_jobs(&world), 2);
        assert_eq!(notified(&world, status), followers[..1000], "all but the mentioned account");
    }

    fn all_rebloggers_are_notified_of_an_edit(database: &TestDatabase) {
        let world = World::on(database);
        let author = world.person("author").id;
        let status = publish(&world, author, "hello");
        let followers = rebloggers(&world, status, NOTIFY_BATCH + 3);
        let notified = || notified_as(&world, status, NotificationKind::Update);
        edit(&world, author, status, "bye");
        assert_eq!(notified(), followers[..NOTIFY_BATCH]);
        assert_eq!(run_jobs(&world), 1);
        assert_eq!(notified(), followers);
        edit(&world, author, status, "bye again");
        assert_eq!(notified(), followers[..NOTIFY_BATCH], "the later edit replaces the first");
        assert_eq!(run_jobs(&world), 1);
        assert_eq!(notified(), followers);
    }

    fn a_deleted_status_sends_no_notifications(database: &TestDatabase) {
        let world = World::on(database);
        let author = world.person("author").id;
        subscribers(&world, author, NOTIFY_BATCH + 1);
        let status = publish(&world, author, "hello");
        world.write(move |tx| statuses::delete(tx, author, status, false)).unwrap();
        let before = notified(&world, status).len();
        run_next_job(&world);
        assert_eq!(notified(&world, status).len(), before, "the job for the others does nothing");
        run_jobs(&world);
        assert_eq!(notified(&world, status), []);
    }

    fn the_deletion_of_a_popular_status_continues_after_a_restart(database: &TestDatabase) {
        let (author, status) = {
            let world = World::on(database);
            let author = world.person("author").id;
            let status = publish(&world, author, "hello #owls");
            rebloggers(&world, status, 210);
            let deleted = world.write(move |tx| statuses::delete(tx, author, status, false));
            assert_eq!(deleted.unwrap().body.id, status);
            assert!(run_next_job(&world));
            // A worker claims the next job and dies before it commits.
            let died = world.write(move |tx| {
                let lease = std::time::Duration::from_secs(60);
                job_rows::claim(tx, &[RemoveStatus::KIND], |_| lease)?.unwrap();
                statuses::remove_step(tx, &RemoveStatus { status })?;
                Err::<(), _>(Error::Conflict("the worker died".to_owned()))
            });
            assert!(matches!(died, Err(Error::Conflict(_))));
            (author, status)
        };
        let world = World::on(database);
        let again = world.write(move |tx| statuses::delete(tx, author, status, false));
        assert!(matches!(again, Err(Error::NotFound)), "{again:?}");
        assert_eq!(world.read(|conn| Ok(doctor::wrong_counters(conn)?)), []);
        assert!(run_jobs(&world) > 0);
        assert_eq!(world.read(|conn| Ok(doctor::wrong_counters(conn)?)), []);
        assert_eq!(world.read(|conn| Ok(doctor::dangling_references(conn)?)), []);
        let rows = world.read(|conn| archive::dump::<Error>(conn, "statuses", |_| Ok(())));
        assert_eq!(rows, 0);
    }
}
