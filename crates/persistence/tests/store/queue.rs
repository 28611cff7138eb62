//! Jobs, events and settings.

use std::time::Duration;

use siskin_entities::Timestamp;
use siskin_ids::AccountId;
use siskin_persistence::{
    Engine, Error, Result, Store, Tx, events,
    jobs::{self, Claim, Counts, OwnedJob, Turn},
    settings,
    stale::{self, Stale},
    system_time,
};
use siskin_test_support::both_engines;

use crate::rows::open;

const LEASE: Duration = Duration::from_secs(60);

fn claim(store: &Store) -> Option<Claim> {
    store.write(|tx| jobs::claim(tx, &["greet", "wave"], |_| LEASE)).unwrap()
}

fn add_job(store: &Store, kind: &'static str, payload: &'static str) {
    store.write(move |tx| jobs::insert(tx, kind, payload, tx.now())).unwrap();
}

fn turn(owner: i64, host: Option<&str>) -> Turn {
    Turn { owner: AccountId::new(owner), host: host.map(str::to_owned), pace: LEASE }
}

fn counts(store: &Store) -> Counts {
    store.read(|conn| jobs::counts(conn, system_time())).unwrap()
}

fn positions(store: &Store, after: i64) -> Vec<(i64, String)> {
    let events = store.read(|conn| events::since(conn, after, 100)).unwrap();
    events.into_iter().map(|event| (event.position, event.payload)).collect()
}

both_engines! {
    fn a_job_is_claimed_once_and_deleted_when_completed(database: &TestDatabase) {
        let store = open(database.url());
        add_job(&store, "greet", "ann");
        add_job(&store, "unknown", "");
        let job = claim(&store).unwrap();
        assert_eq!((job.kind.as_str(), job.payload.as_str(), job.attempts), ("greet", "ann", 1));
        assert_eq!(claim(&store), None, "the job is leased, and unknown kinds must not be claimed");
        store.write(move |tx| jobs::complete(tx, &job)).unwrap();
        assert_eq!(counts(&store), Counts { due: 1, later: 0, dead: 0 });
    }

    fn an_expired_claim_cannot_complete(database: &TestDatabase) {
        let store = open(database.url());
        add_job(&store, "greet", "ann");
        let first = store
            .write(|tx| jobs::claim(tx, &["greet"], |_| Duration::ZERO)).unwrap().unwrap();
        let second = claim(&store).unwrap();
        assert_eq!((second.id, second.attempts), (first.id, 2));
        let late = store.write(move |tx| jobs::complete(tx, &first));
        assert!(matches!(late, Err(Error::NotFound)));
        store.write(move |tx| jobs::complete(tx, &second)).unwrap();
    }

    fn a_failed_job_is_retried_or_becomes_a_dead_letter(database: &TestDatabase) {
        let store = open(database.url());
        add_job(&store, "greet", "ann");
        let job = claim(&store).unwrap();
        store.write(move |tx| {
            jobs::fail(tx, &job, "no answer", Some(tx.now().after(LEASE)))
        }).unwrap();
        assert_eq!(claim(&store), None);
        assert_eq!(counts(&store), Counts { due: 0, later: 1, dead: 0 });
        let due_at = |when| store.read(move |conn| jobs::any_due(conn, &["greet"], when)).unwrap();
        assert!(!due_at(system_time()) && due_at(system_time().after(LEASE)));

        add_job(&store, "wave", "");
        let job = claim(&store).unwrap();
        store.write(move |tx| jobs::fail(tx, &job, "never", None)).unwrap();
        assert_eq!(counts(&store), Counts { due: 0, later: 1, dead: 1 });
        let failures = store.read(|conn| jobs::failures(conn, 10)).unwrap();
        let errors: Vec<&str> = failures.iter().map(|failure| failure.error.as_str()).collect();
        assert_eq!(errors, ["no answer", "never"]);
        assert!(failures[0].dead_at.is_none() && failures[1].dead_at.is_some());
    }

    fn one_job_per_owner_and_kind_and_two_per_host_run_at_once(database: &TestDatabase) {
        let store = open(database.url());
        let add = |kind: &'static str, owner: i64, host: Option<&'static str>| {
            let turn = turn(owner, host);
            store.write(move |tx| jobs::insert_in_turn(tx, kind, "", &turn)).unwrap().get()
        };
        let first = add("greet", 1, Some("a.example"));
        let second = add("greet", 1, Some("b.example"));
        let wave = add("wave", 1, None);
        let other = add("greet", 2, Some("a.example"));
        let third = add("greet", 3, Some("a.example"));
        // The second job of the same owner and kind waits, and so does the third job of the same
        // host.
        let claimed: Vec<Claim> = std::iter::from_fn(|| claim(&store)).collect();
        let ids: Vec<i64> = claimed.iter().map(|job| job.id.get()).collect();
        assert_eq!(ids, [first, wave, other]);
        assert!(!store.read(|conn| jobs::any_due(conn, &["greet", "wave"], system_time())).unwrap());
        let done = claimed[0].clone();
        store.write(move |tx| jobs::complete(tx, &done)).unwrap();
        assert_eq!(claim(&store).map(|job| job.id.get()), Some(second));
        assert_eq!(claim(&store).map(|job| job.id.get()), Some(third));
        // A job without an owner does not wait for others.
        add_job(&store, "greet", "");
        assert!(claim(&store).is_some() && claim(&store).is_none());
    }

    fn claims_at_the_same_time_respect_turns(database: &TestDatabase) {
        let store = open(database.url());
        for owner in [1, 1, 1, 1, 2, 2, 2, 2] {
            let turn = turn(owner, None);
            store.write(move |tx| jobs::insert_in_turn(tx, "greet", "", &turn)).unwrap();
        }
        let claimed: usize = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| std::iter::from_fn(|| claim(&store)).count()))
                .collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).sum()
        });
        assert_eq!(claimed, 2, "one for each owner");
    }

    fn owners_with_many_jobs_wait_behind_owners_with_few(database: &TestDatabase) {
        let store = open(database.url());
        for (owner, host) in [(1, None), (1, None), (1, None), (2, None), (3, Some("a.example"))] {
            let turn = turn(owner, host);
            store.write(move |tx| jobs::insert_in_turn(tx, "greet", "", &turn)).unwrap();
        }
        let turn = turn(4, Some("a.example"));
        store.write(move |tx| jobs::insert_in_turn(tx, "greet", "", &turn)).unwrap();
        let mut order = Vec::new();
        while let Some(job) = claim(&store) {
            order.push(job.id);
            store.write(move |tx| jobs::complete(tx, &job)).unwrap();
        }
        let mut by_age = order.clone();
        by_age.sort_unstable();
        let positions_by_age: Vec<usize> = order
            .iter()
            .map(|id| by_age.iter().position(|found| found == id).unwrap())
            .collect();
        assert_eq!(positions_by_age, [0, 3, 4, 1, 5, 2]);
    }

    fn many_jobs_are_enqueued_in_the_turns_of_their_owners_and_hosts(database: &TestDatabase) {
        let store = open(database.url());
        let before = turn(1, Some("a.example"));
        store.write(move |tx| jobs::insert_in_turn(tx, "greet", "", &before)).unwrap();
        // 0 is a job for many accounts.
        let owned = |payload: &str, owner: i64, host: Option<&str>| OwnedJob {
            payload: payload.to_owned(),
            owner: Some(AccountId::new(owner)).filter(|owner| owner.get() != 0),
            host: host.map(str::to_owned),
        };
        let new = vec![
            owned("third of the owner", 1, None),
            owned("second of the host", 2, Some("a.example")),
            owned("first of the owner and the host", 3, Some("b.example")),
            owned("third of the host", 4, Some("a.example")),
            owned("first of the owner", 5, None),
            owned("fourth of the host", 0, Some("a.example")),
        ];
        let insert = move |tx: &mut Tx<'_>| {
            let first = owned("second of the owner", 1, None);
            jobs::insert_many_in_turn(tx, "greet", LEASE, tx.now(), &[first])?;
            jobs::insert_many_in_turn(tx, "greet", LEASE, tx.now(), &new)?;
            jobs::insert_many_in_turn(tx, "greet", LEASE, tx.now(), &[])
        };
        store.write(insert).unwrap();
        let mut order = Vec::new();
        while let Some(job) = claim(&store) {
            order.push(job.payload.clone());
            store.write(move |tx| jobs::complete(tx, &job)).unwrap();
        }
        assert_eq!(order, [
            "",
            "first of the owner and the host",
            "first of the owner",
            "second of the owner",
            "second of the host",
            "third of the owner",
            "third of the host",
            "fourth of the host",
        ]);
    }

    fn jobs_without_an_owner_obey_the_limit_of_their_host(database: &TestDatabase) {
        let store = open(database.url());
        let job = |number: usize, host: &str| OwnedJob {
            payload: number.to_string(),
            owner: None,
            host: Some(host.to_owned()),
        };
        let new: Vec<OwnedJob> =
            (0..4).map(|number| job(number, "a.example")).chain([job(4, "b.example")]).collect();
        store
            .write(move |tx| jobs::insert_many_in_turn(tx, "greet", LEASE, tx.now(), &new))
            .unwrap();
        let claimed: Vec<String> =
            std::iter::from_fn(|| claim(&store)).map(|job| job.payload).collect();
        assert_eq!(claimed, ["0", "4", "1"]);
    }

    fn a_job_in_turn_can_wait_for_a_time(database: &TestDatabase) {
        let store = open(database.url());
        let job = OwnedJob { payload: "later".to_owned(), owner: Some(AccountId::new(1)), host: None };
        store
            .write(move |tx| {
                let at = tx.now().after(Duration::from_hours(3));
                jobs::insert_many_in_turn(tx, "greet", LEASE, at, std::slice::from_ref(&job))
            })
            .unwrap();
        assert_eq!(claim(&store), None);
        assert_eq!(counts(&store), Counts { due: 0, later: 1, dead: 0 });
        let due_at = |hours| {
            let at = system_time().after(Duration::from_hours(hours));
            store.read(move |conn| jobs::any_due(conn, &["greet"], at)).unwrap()
        };
        assert!(!due_at(2) && due_at(4));
    }

    fn claims_of_a_dead_server_can_be_released(database: &TestDatabase) {
        let store = open(database.url());
        add_job(&store, "greet", "ann");
        claim(&store).unwrap();
        assert_eq!(store.write(jobs::release_all).unwrap(), 1);
        assert_eq!(claim(&store).unwrap().attempts, 2);
    }

    fn claims_at_the_same_time_get_different_jobs(database: &TestDatabase) {
        let store = open(database.url());
        for _ in 0..20 {
            add_job(&store, "greet", "ann");
        }
        let mut claimed: Vec<i64> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..4).map(|_| scope.spawn(|| {
                std::iter::from_fn(|| claim(&store)).map(|job| job.id.get()).collect::<Vec<_>>()
            })).collect();
            workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
        });
        claimed.sort_unstable();
        claimed.dedup();
        assert_eq!(claimed.len(), 20);
    }

    fn a_job_is_rolled_back_with_its_transaction(database: &TestDatabase) {
        let store = open(database.url());
        let refused = store.write(|tx| -> Result<()> {
            jobs::insert(tx, "greet", "", tx.now())?;
            Err(Error::NotFound)
        });
        assert!(refused.is_err());
        assert_eq!(counts(&store), Counts::default());
    }

    fn events_get_gapless_positions_at_or_after_commit(database: &TestDatabase) {
        let store = open(database.url());
        for payload in ["a", "b", "c", "d", "e"] {
            let undone = store.write(|tx| -> Result<()> {
                events::insert(tx, "test", "never")?;
                Err(Error::NotFound)
            });
            assert!(undone.is_err());
            store.write(move |tx| events::insert(tx, "test", payload)).unwrap();
        }
        if store.engine() == Engine::Postgres {
            assert_eq!(positions(&store, 0), []);
            assert_eq!(store.write(|tx| events::assign_positions(tx, 2)).unwrap(), 2);
            assert!(store.read(events::any_waiting).unwrap());
            let undone = store.write(|tx| -> Result<()> {
                assert_eq!(events::assign_positions(tx, 10)?, 3);
                Err(Error::NotFound)
            });
            assert!(undone.is_err());
            assert_eq!(store.write(|tx| events::assign_positions(tx, 10)).unwrap(), 3);
        }
        assert!(!store.read(events::any_waiting).unwrap());
        let payloads = ["a", "b", "c", "d", "e"].map(str::to_owned);
        assert_eq!(positions(&store, 0), (1..).zip(payloads).collect::<Vec<_>>());
        assert_eq!(positions(&store, 4), [(5, "e".to_owned())]);
        assert_eq!(store.read(events::last_position).unwrap(), 5);
    }

    fn positions_continue_after_old_events_are_deleted(database: &TestDatabase) {
        let store = open(database.url());
        let end_of_time = Timestamp::from_unix_ms(i64::MAX);
        for payload in ["a", "b"] {
            store.write(move |tx| events::insert(tx, "test", payload)).unwrap();
        }
        store.write(|tx| events::assign_positions(tx, 10)).unwrap();
        assert_eq!(store.write(move |tx| stale::remove(tx, Stale::Events, end_of_time, 9)).unwrap(), 1);
        store.write(|tx| events::insert(tx, "test", "c")).unwrap();
        store.write(|tx| events::assign_positions(tx, 10)).unwrap();
        assert_eq!(positions(&store, 0), [(2, "b".to_owned()), (3, "c".to_owned())]);
    }

    fn a_setting_is_stored_and_its_change_is_an_event(database: &TestDatabase) {
        let store = open(database.url());
        store.write(|tx| settings::set(tx, "site_title", "One")).unwrap();
        store.write(|tx| settings::set(tx, "site_title", "Two")).unwrap();
        let all = store.read(settings::all).unwrap();
        assert_eq!(all, [("site_title".to_owned(), "Two".to_owned())]);
        store.write(|tx| events::assign_positions(tx, 10)).unwrap();
        let received = store.read(|conn| events::since(conn, 0, 10)).unwrap();
        assert_eq!(received.len(), 2);
        assert_eq!(received[1].kind, events::SETTINGS_CHANGED);
        assert_eq!(received[1].payload, "site_title");
    }
}
