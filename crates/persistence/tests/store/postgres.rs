//! Transaction failures that only PostgreSQL has.

use std::{
    sync::{
        Arc, Barrier,
        atomic::{AtomicU32, Ordering},
    },
    thread,
};

use diesel::{connection::SimpleConnection, prelude::*, sql_query};
use siskin_persistence::{Error, Result, Store, Tx, schema::tags};
use siskin_test_support::{Engine, TestDatabase};

use crate::rows::{add, names, open};

fn on_postgres(test: impl FnOnce(&TestDatabase, Store)) {
    Engine::Postgres.on_fresh_database(|database| test(database, open(database.url())));
}

/// PostgreSQL would answer COMMIT with a rollback that looks like success.
#[test]
fn ignoring_a_failed_statement_fails_the_write() {
    on_postgres(|_, store| {
        store.write(|tx| add(tx, "one")).unwrap();
        let ignored = store.write(|tx| -> Result<()> {
            add(tx, "two")?;
            let _ = add(tx, "one");
            Ok(())
        });
        assert!(matches!(ignored, Err(Error::Lost(_))), "{ignored:?}");
        assert_eq!(names(&store), ["one"]);
    });
}

fn rename(tx: &mut Tx<'_>, from: &str, to: &str) -> Result<()> {
    diesel::update(tags::table.filter(tags::name.eq(from)))
        .set(tags::display_name.eq(to))
        .execute(&mut **tx)?;
    Ok(())
}

#[test]
fn a_deadlock_is_run_again() {
    on_postgres(|_, store| {
        store.write(|tx| add(tx, "a")).unwrap();
        store.write(|tx| add(tx, "b")).unwrap();
        let both_hold_one = Arc::new(Barrier::new(2));
        let threads = [("a", "b"), ("b", "a")].map(|(first, second)| {
            let (store, meet, runs) = (store.clone(), both_hold_one.clone(), AtomicU32::new(0));
            thread::spawn(move || {
                store.write(move |tx| {
                    rename(tx, first, second)?;
                    if runs.fetch_add(1, Ordering::SeqCst) == 0 {
                        meet.wait();
                    }
                    rename(tx, second, first)
                })
            })
        });
        for thread in threads {
            thread.join().unwrap().unwrap();
        }
    });
}

const END_THE_OTHERS: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
     WHERE datname = current_database() AND pid <> pg_backend_pid()";

#[test]
fn connections_that_the_server_closed_are_replaced() {
    on_postgres(|database, store| {
        store.write(|tx| add(tx, "one")).unwrap();
        let mut other = PgConnection::establish(database.url()).unwrap();
        sql_query(END_THE_OTHERS).execute(&mut other).unwrap();
        assert_eq!(names(&store), ["one"]);
        sql_query(END_THE_OTHERS).execute(&mut other).unwrap();
        store.write(|tx| add(tx, "two")).unwrap();
        assert_eq!(names(&store), ["one", "two"]);
    });
}

#[test]
fn a_connection_that_breaks_inside_fails_only_that_write() {
    on_postgres(|_, store| {
        let broken = store.write(|tx| -> Result<()> {
            add(tx, "one")?;
            sql_query("SELECT pg_terminate_backend(pg_backend_pid())").execute(&mut **tx)?;
            Ok(())
        });
        assert!(broken.is_err());
        store.write(|tx| add(tx, "two")).unwrap();
        assert_eq!(names(&store), ["two"]);
    });
}

#[test]
fn a_connection_that_breaks_in_commit_has_an_uncertain_outcome() {
    on_postgres(|_, store| {
        let uncertain = store.write(|tx| {
            tx.batch_execute(
                "CREATE FUNCTION hang_up() RETURNS trigger LANGUAGE plpgsql AS $$
                     BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
                 CREATE CONSTRAINT TRIGGER hang_up AFTER INSERT ON tags
                     DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hang_up();",
            )?;
            add(tx, "one")
        });
        assert!(matches!(uncertain, Err(Error::Uncertain(_))), "{uncertain:?}");
        store.write(|tx| add(tx, "two")).unwrap();
        assert_eq!(names(&store), ["two"]);
    });
}
