//! Reads and writes that succeed, or that fail with an error of their own.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::Duration,
};

use diesel::prelude::*;
use siskin_persistence::{Engine, Error, Result, Store, StoreOptions, schema::tags};
use siskin_test_support::both_engines;

use crate::rows::{add, load_names, names, open};

both_engines! {
    fn a_returned_write_is_visible(database: &TestDatabase) {
        let store = open(database.url());
        let id = store.write(|tx| add(tx, "one")).unwrap();
        assert!(id > 0);
        assert_eq!(names(&store), ["one"]);
    }

    fn an_error_undoes_its_own_write_only(database: &TestDatabase) {
        let store = open(database.url());
        let refused = store.write(|tx| -> Result<()> {
            add(tx, "one")?;
            Err(Error::NotFound)
        });
        assert!(matches!(refused, Err(Error::NotFound)));
        store.write(|tx| add(tx, "two")).unwrap();
        assert_eq!(names(&store), ["two"]);
    }

    fn a_duplicate_row_is_an_error(database: &TestDatabase) {
        let store = open(database.url());
        store.write(|tx| add(tx, "one")).unwrap();
        let again = store.write(|tx| add(tx, "one"));
        assert!(matches!(again, Err(Error::Duplicate)), "{again:?}");
    }

    fn an_inner_transaction_can_fail_alone(database: &TestDatabase) {
        let store = open(database.url());
        store.write(|tx| -> Result<()> {
            add(tx, "one")?;
            let inner = tx.transaction(|conn| -> Result<()> {
                diesel::delete(tags::table).execute(conn)?;
                Err(Error::NotFound)
            });
            assert!(matches!(inner, Err(Error::NotFound)));
            add(tx, "two")?;
            Ok(())
        }).unwrap();
        assert_eq!(names(&store), ["one", "two"]);
    }

    fn a_reader_cannot_write(database: &TestDatabase) {
        let store = open(database.url());
        let written = store.read(|conn| -> Result<usize> {
            Ok(diesel::delete(tags::table).execute(conn)?)
        });
        assert!(matches!(written, Err(Error::Database(_))), "{written:?}");
        assert_eq!(names(&store), [""; 0]);
    }

    fn every_statement_of_a_read_sees_one_snapshot(database: &TestDatabase) {
        let store = open(database.url());
        store.write(|tx| add(tx, "one")).unwrap();
        let writer = store.clone();
        let (before, after) = store.read(|conn| -> Result<_> {
            let before = load_names(conn)?;
            writer.write(|tx| add(tx, "two"))?;
            Ok((before, load_names(conn)?))
        }).unwrap();
        assert_eq!(before, ["one"]);
        assert_eq!(after, before);
        assert_eq!(names(&store), ["one", "two"]);
    }

    fn a_write_is_one_transaction_and_no_other(database: &TestDatabase) {
        let store = open(database.url());
        let inner = store.clone();
        let written = store.write(move |_| inner.write(|tx| add(tx, "one")));
        assert!(matches!(written, Err(Error::Nested)), "{written:?}");
        let inner = store.clone();
        let read = store.write(move |_| inner.read(load_names));
        assert!(matches!(read, Err(Error::Nested)), "{read:?}");
    }

    fn a_panic_in_a_read_does_no_harm(database: &TestDatabase) {
        let store = open(database.url());
        let reader = store.clone();
        let panicked = thread::spawn(move || {
            reader.read(|conn| -> Result<()> {
                load_names(conn)?;
                panic!("on purpose")
            })
        });
        assert!(panicked.join().is_err());
        assert_eq!(names(&store), [""; 0]);
    }

    fn hooks_run_after_commits(database: &TestDatabase) {
        let store = open(database.url());
        let commit_count = Arc::new(AtomicU32::new(0));
        let hook = Arc::clone(&commit_count);
        store.on_commit(|| panic!("a hook that panics, on purpose"));
        store.on_commit(move || {
            hook.fetch_add(1, Ordering::SeqCst);
        });
        store.write(|tx| add(tx, "one")).unwrap();
        store.write(|tx| add(tx, "two")).unwrap();
        // The hook runs concurrently with the return of the write.
        drop(store);
        assert_eq!(commit_count.load(Ordering::SeqCst), 2);
    }

    fn concurrent_writers_share_commits(database: &TestDatabase) {
        let store = open(database.url());
        if store.engine() == Engine::Postgres {
            return;
        }
        let before = store.commits();
        thread::scope(|scope| {
            for writer in 0..8 {
                let store = &store;
                scope.spawn(move || {
                    for number in 0..30 {
                        store.write(move |tx| add(tx, &format!("{writer}-{number}"))).unwrap();
                        // About the time in which a caller gets its result and prepares the next
                        // write.
                        thread::sleep(Duration::from_millis(2));
                    }
                });
            }
        });
        assert_eq!(names(&store).len(), 240);
        let commits = store.commits() - before;
        assert!(commits <= 80, "{commits} commits");
    }

    fn statements_are_counted_and_named(database: &TestDatabase) {
        let store = Store::open(&StoreOptions::new(database.url()).count_statements()).unwrap();
        store.write(|tx| add(tx, "one")).unwrap();
        let _ = store.take_counted();
        store.read(load_names).unwrap();
        store.read(|conn| -> Result<()> {
            load_names(conn)?;
            load_names(conn)?;
            Ok(())
        }).unwrap();
        store.write(|tx| add(tx, "two")).unwrap();
        let counted = store.take_counted();
        assert_eq!(counted.len(), 3);
        assert!(counted.iter().all(|one| one.at.file().ends_with("writes.rs")));
        assert_eq!((counted[0].statements, counted[1].statements), (1, 2));
        assert!(!counted[1].writes && counted[2].writes);
        assert!(store.take_counted().is_empty());
    }
}
