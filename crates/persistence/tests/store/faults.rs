//! Faults inside a batch of the writer lane. No acknowledged write is lost, and every other caller
//! gets the correct error.

use std::{
    sync::{
        Arc, Barrier,
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use diesel::{connection::TransactionManager, prelude::*};
use siskin_persistence::{Conn, Error, Result, Store, Tx, schema::tags};
use siskin_test_support::{Engine, TestDatabase, both_engines};

use crate::rows::{add, fill_disk, load_names, names, open, orphan};

type Body = Box<dyn Fn(&mut Tx<'_>) -> Result<()> + Send>;

fn adds(name: &'static str) -> Body {
    Box::new(move |tx| add(tx, name).map(drop))
}

/// Runs all bodies in one batch: they queue while another write occupies the lane.
fn in_one_batch(store: &Store, bodies: Vec<Body>) -> Vec<Result<()>> {
    let (entered, holds_lane) = mpsc::channel();
    let gate = Arc::new(Barrier::new(2));
    let holder = {
        let (store, gate, passed) = (store.clone(), Arc::clone(&gate), AtomicU32::new(0));
        thread::spawn(move || {
            store.write(move |_| -> Result<()> {
                if passed.fetch_add(1, Ordering::SeqCst) == 0 {
                    entered.send(()).unwrap();
                    gate.wait();
                }
                Ok(())
            })
        })
    };
    holds_lane.recv().unwrap();
    let waiting: Vec<JoinHandle<Result<()>>> = bodies
        .into_iter()
        .map(|body| {
            let store = store.clone();
            let thread = thread::spawn(move || store.write(body));
            thread::sleep(Duration::from_millis(5)); // keeps their order
            thread
        })
        .collect();
    gate.wait();
    holder.join().unwrap().unwrap();
    waiting.into_iter().map(|thread| thread.join().unwrap()).collect()
}

fn sqlite() -> TestDatabase {
    TestDatabase::new(Engine::Sqlite)
}

// A batch can begin before a caller of it asks for its write.
#[test]
fn no_write_is_dated_before_it_was_asked_for() {
    let database = sqlite();
    let store = open(database.url());
    let dated: Vec<Body> = (0..3)
        .map(|_| -> Body {
            let asked = store.now();
            Box::new(move |tx| {
                assert!(tx.now() > asked, "{:?} is not after {asked:?}", tx.now());
                thread::sleep(Duration::from_millis(2));
                add(tx, &tx.now().unix_ms().to_string()).map(drop)
            })
        })
        .collect();
    let results = in_one_batch(&store, dated);
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    let mut times = names(&store);
    times.dedup();
    assert_eq!(times.len(), 3, "{times:?}");
}

#[test]
fn only_the_panicking_caller_gets_the_panic() {
    let database = sqlite();
    let store = open(database.url());
    let panics: Body = Box::new(|tx| {
        add(tx, "panic")?;
        panic!("on purpose")
    });
    let results = in_one_batch(&store, vec![adds("one"), panics, adds("two")]);
    assert!(results[0].is_ok() && results[2].is_ok(), "{results:?}");
    assert!(matches!(&results[1], Err(Error::Lost(why)) if why.contains("on purpose")));
    assert_eq!(names(&store), ["one", "two"]);
}

#[test]
fn only_the_failing_caller_gets_the_full_disk_error() {
    let database = sqlite();
    let store = open(database.url());
    let fills: Body = Box::new(fill_disk);
    let results = in_one_batch(&store, vec![adds("one"), fills, adds("two")]);
    assert!(results[0].is_ok() && results[2].is_ok(), "{results:?}");
    let message = results[1].as_ref().unwrap_err().to_string();
    assert!(message.contains("disk is full"), "{message}");
    assert_eq!(names(&store), ["one", "two"]);
}

#[test]
fn a_disk_that_stays_full_fails_every_write_without_damage() {
    let database = sqlite();
    let store = open(database.url());
    let fills = |name: &'static str| -> Body {
        Box::new(move |tx| {
            add(tx, name)?;
            fill_disk(tx)
        })
    };
    let results = in_one_batch(&store, vec![fills("one"), fills("two"), fills("three")]);
    assert!(results.iter().all(Result::is_err), "{results:?}");
    assert_eq!(names(&store), [""; 0]);
    store.write(|tx| add(tx, "room again")).unwrap();
    assert_eq!(names(&store), ["room again"]);
}

/// `SQLite` has rolled back by then. Without protection, the second row would be written outside
/// any transaction.
#[test]
fn code_that_ignores_a_full_disk_is_stopped() {
    let database = sqlite();
    let store = open(database.url());
    let ignores: Body = Box::new(|tx| {
        add(tx, "before")?;
        let _ = fill_disk(tx);
        add(tx, "after").map(drop)
    });
    let results = in_one_batch(&store, vec![adds("one"), ignores, adds("two")]);
    assert!(matches!(results[1], Err(Error::Lost(_))), "{results:?}");
    assert_eq!(names(&store), ["one", "two"]);
}

#[test]
fn only_the_causing_caller_gets_the_failed_commit() {
    let database = sqlite();
    let store = open(database.url());
    let results = in_one_batch(&store, vec![adds("one"), Box::new(orphan), adds("two")]);
    assert!(results[0].is_ok() && results[2].is_ok(), "{results:?}");
    assert!(matches!(&results[1], Err(Error::Lost(why)) if why.contains("COMMIT")), "{results:?}");
    assert_eq!(names(&store), ["one", "two"]);
}

#[test]
fn code_that_leaves_a_savepoint_open_is_stopped() {
    let database = sqlite();
    let store = open(database.url());
    let leaves: Body = Box::new(|tx| {
        add(tx, "inside")?;
        Ok(<Conn as Connection>::TransactionManager::begin_transaction(&mut **tx)?)
    });
    let results = in_one_batch(&store, vec![adds("one"), leaves, adds("two")]);
    assert!(results[0].is_ok() && results[2].is_ok(), "{results:?}");
    assert!(matches!(results[1], Err(Error::Lost(_))), "{results:?}");
    assert_eq!(names(&store), ["one", "two"]);
}

#[test]
fn a_write_refused_because_of_a_lost_write_is_run_again() {
    let database = sqlite();
    let store = open(database.url());
    let failing: Body = Box::new(|tx| {
        add(tx, "same name")?;
        orphan(tx)
    });
    let results = in_one_batch(&store, vec![failing, adds("same name")]);
    assert!(results[0].is_err());
    assert!(results[1].is_ok(), "the conflicting row was never written: {results:?}");
    assert_eq!(names(&store), ["same name"]);
}

/// Performs the action `choice` of a random writer.
fn act(tx: &mut Tx<'_>, name: &str, choice: u32) -> Result<()> {
    add(tx, name)?;
    match choice {
        0 => panic!("on purpose"),
        1 => orphan(tx),
        2 => Err(Error::NotFound),
        3 if tx.is_sqlite() => fill_disk(tx),
        4 if tx.is_sqlite() => {
            let _ = fill_disk(tx);
            let extra = format!("{name} after");
            add(tx, &extra).map(drop)
        }
        _ => Ok(()),
    }
}

both_engines! {
    fn exactly_the_acknowledged_rows_exist_after_any_failure(database: &TestDatabase) {
        let store = open(database.url());
        let threads: Vec<_> = (0..8_u32).map(|thread| {
            let store = store.clone();
            thread::spawn(move || {
                let mut written = Vec::new();
                for number in 0..40_u32 {
                    let name = format!("{thread:02} {number:02}");
                    let choice = (thread * 7 + number * 13) % 23;
                    let body = { let name = name.clone(); move |tx: &mut Tx<'_>| act(tx, &name, choice) };
                    if store.write(body).is_ok() {
                        written.push(name);
                    }
                }
                written
            })
        }).collect();
        let mut written: Vec<String> =
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        written.sort();
        assert_eq!(names(&store), written);
        assert!(written.len() > 200, "{} of 320", written.len());
        drop(store);
        assert_eq!(names(&open(database.url())), written, "after opening it again");
    }

    fn a_failed_commit_is_an_error(database: &TestDatabase) {
        let store = open(database.url());
        let failed = store.write(|tx| {
            add(tx, "one")?;
            orphan(tx)
        });
        assert!(matches!(&failed, Err(Error::Lost(why)) if why.contains("COMMIT")), "{failed:?}");
        assert_eq!(names(&store), [""; 0]);
        store.write(|tx| add(tx, "two")).unwrap();
        assert_eq!(names(&store), ["two"]);
    }

    fn a_panic_is_an_error(database: &TestDatabase) {
        let store = open(database.url());
        let panicked = store.write(|tx| -> Result<()> {
            add(tx, "one")?;
            tx.transaction(|conn| -> Result<()> {
                diesel::delete(tags::table).execute(conn)?;
                load_names(conn)?;
                panic!("two levels deep")
            })
        });
        assert!(matches!(&panicked, Err(Error::Lost(why)) if why.contains("two levels")));
        store.write(|tx| add(tx, "two")).unwrap();
        assert_eq!(names(&store), ["two"]);
    }
}
