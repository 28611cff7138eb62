//! The index of the full-text search after an upgrade or a restored backup.

use siskin_entities::{Settings, Status};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{jobs as job_rows, search as rows};
use siskin_services::{
    jobs::{self, Job as _},
    search::{self, IndexStatuses, Query},
    statuses::{self, Draft, SourceParams},
};
use siskin_test_support::both_engines;

use crate::world::World;

fn publish(world: &World, author: AccountId, text: &str) -> StatusId {
    let draft = Draft { source: SourceParams::new(text), ..Draft::default() };
    let prepared = statuses::prepare(&Settings::default(), draft).unwrap();
    let instance = world.instance.clone();
    world.write(move |tx| statuses::apply(tx, &instance, author, &prepared)).unwrap()
}

fn found(world: &World, viewer: AccountId, q: &str) -> Vec<Status> {
    let query = Query { q: q.to_owned(), ..Query::default() };
    let query = search::prepare(&Settings::default(), query).unwrap();
    let (instance, now) = (world.instance.clone(), world.now());
    world.read(|conn| search::all(conn, &instance, Some(viewer), &query, now)).statuses
}

/// Runs the waiting jobs that index statuses. Returns how many there were.
fn run_jobs(world: &World) -> usize {
    let run_next = || {
        world.write(|tx| {
            let lease = std::time::Duration::from_secs(60);
            let claim = job_rows::claim(tx, &[IndexStatuses::KIND], |_| lease)?;
            let Some(claim) = claim else { return Ok(false) };
            search::index_some(tx, &jobs::read(&claim.payload)?)?;
            job_rows::complete(tx, &claim)?;
            Ok(true)
        })
    };
    std::iter::from_fn(|| run_next().unwrap().then_some(())).count()
}

both_engines! {
    fn a_start_indexes_statuses_that_are_not_indexed(database: &TestDatabase) {
        let world = World::on(database);
        let alice = world.person("alice").id;
        let start = || world.write(search::ensure_indexed).unwrap();
        start();
        assert_eq!(run_jobs(&world), 0);
        let ids: Vec<StatusId> =
            (0..120).map(|number| publish(&world, alice, &format!("wren {number}"))).collect();
        assert_eq!(found(&world, alice, "\"wren 7\"").len(), 1);
        start();
        assert_eq!(run_jobs(&world), 0);
        let all = ids.clone();
        // As after a restored backup, which does not contain the index.
        world
            .write(move |tx| Ok(ids.iter().try_for_each(|id| rows::remove(tx, *id))?))
            .unwrap();
        assert!(found(&world, alice, "wren").is_empty());
        start();
        start();
        assert_eq!(run_jobs(&world), 2);
        assert_eq!(found(&world, alice, "\"wren 7\"").len(), 1);
        start();
        assert_eq!(run_jobs(&world), 0);
        // As after a restored backup with a job that was half-way through.
        let (before, removed) = (all[60], all.clone());
        world
            .write(move |tx| {
                removed.iter().try_for_each(|id| rows::remove(tx, *id))?;
                jobs::enqueue(tx, &IndexStatuses { before })
            })
            .unwrap();
        start();
        run_jobs(&world);
        assert_eq!(found(&world, alice, "\"wren 119\"").len(), 1);
    }
}
