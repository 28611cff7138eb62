//! Query plans of the upkeep, which runs repeatedly on growing tables.

use siskin_entities::Timestamp;
use siskin_persistence::{
    files, jobs,
    stale::{self, Stale},
    users,
};
use siskin_test_support::both_engines;

use crate::plans::{plans, reads_all};

both_engines! {
    fn upkeep_scans_no_table(database: &TestDatabase) {
        let now = Timestamp::from_unix_ms(i64::MAX);
        let mut plans_of_all = plans(database, |conn| users::never_confirmed(conn, now, 20));
        plans_of_all.extend(plans(database, |conn| files::referenced_of(conn, &["x".to_owned()])));
        for stale in Stale::all() {
            plans_of_all.extend(plans(database, |conn| stale::any(conn, stale, now)));
        }
        assert_eq!(plans_of_all.len(), 1 + 12 + Stale::all().count());
        for plan in plans_of_all {
            assert!(!reads_all(&plan), "{plan}");
        }
    }

    fn workers_find_the_next_job_by_index(database: &TestDatabase) {
        let plans = plans(database, |conn| {
            jobs::any_due(conn, &["greet"], Timestamp::from_unix_ms(1))
        });
        let [plan] = &plans[..] else { panic!("{plans:?}") };
        // The last two find only running jobs, however many jobs of an owner or a host wait.
        for index in ["jobs_turns", "jobs_running_owner", "jobs_running_host"] {
            assert!(plan.contains(index), "{index}: {plan}");
        }
    }
}
