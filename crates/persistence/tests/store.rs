//! The store on both engines: what is answered is written, and nothing else is.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use diesel::prelude::*;
use siskin_persistence::{Error, Result, Store, StoreOptions, Tx, schema::tags};
use siskin_test_support::both_engines;

fn open(url: &str) -> Store {
    Store::open(&StoreOptions::new(url)).unwrap()
}

fn add(tx: &mut Tx<'_>, name: &str) -> Result<i64> {
    let id = tx.next_id();
    let now = tx.now().unix_ms();
    diesel::insert_into(tags::table)
        .values((
            tags::id.eq(id),
            tags::name.eq(name),
            tags::display_name.eq(name),
            tags::created_at.eq(now),
        ))
        .execute(&mut **tx)?;
    Ok(id)
}

fn names(store: &Store) -> Vec<String> {
    let load = |conn: &mut _| -> Result<_> {
        Ok(tags::table.order(tags::name).select(tags::name).load(conn)?)
    };
    store.read(load).unwrap()
}

both_engines! {
    fn a_write_is_there_once_it_is_answered(database: &TestDatabase) {
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

    fn a_reader_cannot_write(database: &TestDatabase) {
        let store = open(database.url());
        let written = store.read(|conn| -> Result<usize> {
            Ok(diesel::delete(tags::table).execute(conn)?)
        });
        assert!(matches!(written, Err(Error::Database(_))), "{written:?}");
    }
}
