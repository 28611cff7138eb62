//! Jobs as staff see them.

use std::time::Duration;

use siskin_entities::{JobState, PageRequest, StoredJob};
use siskin_ids::JobId;
use siskin_persistence::{jobs, stored_jobs};
use siskin_test_support::both_engines;

use crate::{
    plans::{plans, sorts},
    world::{NOW, World},
};

impl World {
    fn enqueued(&self, kind: &'static str) -> JobId {
        self.write(move |tx| jobs::insert(tx, kind, "secret", NOW))
    }

    /// Lets the next job of a kind fail, for good or with a retry in an hour.
    fn fail(&self, kind: &'static str, for_good: bool) {
        self.write(move |tx| {
            let claim = jobs::claim(tx, &[kind], |_| Duration::from_secs(60))?.unwrap();
            let retry_at = (!for_good).then(|| NOW.after(Duration::from_hours(1)));
            jobs::fail(tx, &claim, "it broke", retry_at)
        });
    }

    fn jobs_in(&self, state: JobState) -> Vec<StoredJob> {
        let page = PageRequest::newest(20);
        self.read(move |conn| stored_jobs::list(conn, state, NOW, page)).items
    }
}

both_engines! {
    fn jobs_are_listed_by_state(database: &TestDatabase) {
        let world = World::on(database);
        let (dead, retried) = (world.enqueued("a"), world.enqueued("b"));
        let waiting = world.enqueued("c");
        world.fail("a", true);
        world.fail("b", false);
        let found = world.jobs_in(JobState::Dead);
        assert_eq!(found.iter().map(|job| job.id).collect::<Vec<_>>(), [dead]);
        assert_eq!((found[0].attempts, found[0].dead_at), (1, Some(NOW)));
        let found = world.jobs_in(JobState::Waiting);
        assert_eq!(found.iter().map(|job| job.id).collect::<Vec<_>>(), [waiting, retried]);
        assert_eq!(found[1].error.as_deref(), Some("it broke"));
        assert!(found[1].has_failed() && !found[0].has_failed());
        world.write(|tx| jobs::claim(tx, &["c"], |_| Duration::from_secs(60)).map(drop));
        assert!(world.jobs_in(JobState::Waiting)[0].is_running);
    }

    fn dead_jobs_are_counted_by_an_index(database: &TestDatabase) {
        let world = World::on(database);
        for kind in ["a", "b", "c"] {
            world.enqueued(kind);
            world.fail(kind, kind != "c");
        }
        let count = |most| world.read(move |conn| stored_jobs::count_dead(conn, most));
        assert_eq!([count(9), count(1)], [2, 1]);
        for plan in plans(database, |conn| stored_jobs::count_dead(conn, 9)) {
            // The index contains only dead jobs.
            assert!(plan.contains("jobs_dead_by_id") && !sorts(&plan), "{plan}");
        }
    }

    fn a_retried_job_is_due_with_all_its_attempts(database: &TestDatabase) {
        let world = World::on(database);
        let dead = world.enqueued("a");
        world.fail("a", true);
        world.write(move |tx| stored_jobs::retry(tx, dead));
        assert_eq!(world.jobs_in(JobState::Dead), []);
        let job = world.read(move |conn| stored_jobs::find(conn, dead, NOW)).unwrap();
        assert_eq!((job.attempts, job.run_at, job.state), (0, NOW, JobState::Waiting));
        let claim = world.write(|tx| jobs::claim(tx, &["a"], |_| Duration::from_secs(60))).unwrap();
        assert_eq!((claim.id, claim.attempts), (dead, 1));
        world.write(move |tx| stored_jobs::delete(tx, dead));
        assert_eq!(world.read(move |conn| stored_jobs::find(conn, dead, NOW)), None);
        assert_eq!(world.write(move |tx| stored_jobs::lock(tx, dead)), None);
    }
}
