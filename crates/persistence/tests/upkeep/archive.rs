//! Exports rows from one engine and imports them into the other.

use std::collections::BTreeMap;

use diesel::{connection::SimpleConnection, prelude::*};
use siskin_persistence::{
    Conn, Error, Result, Store, archive,
    schema::{accounts, users},
    tables::{self, TABLES},
    tombstones::{self, NewTombstone},
};
use siskin_test_support::{Engine, TestDatabase, both_engines, builders};

use super::open;

type Dump = BTreeMap<&'static str, Vec<String>>;

fn dump(store: &Store) -> Dump {
    let table = |conn: &mut Conn, table: &'static str| {
        let mut rows = Vec::new();
        let count = archive::dump(conn, table, |row| -> Result<()> {
            rows.push(row.to_owned());
            Ok(())
        })?;
        assert_eq!(count, u64::try_from(rows.len()).unwrap());
        Ok((table, rows))
    };
    let all = |conn: &mut Conn| tables::archived().map(|name| table(conn, name)).collect();
    store.read::<_, Error>(all).unwrap()
}

fn load(store: &Store, dump: Dump) -> Result<()> {
    store.write(move |tx| {
        let mut rows = dump.iter().map(|(table, rows)| ((*table).to_owned(), rows.clone()));
        archive::load_all(tx, || Ok::<_, Error>(rows.next()))
    })
}

/// Inserts awkward text, numbers beyond the precision of a float, NULL, bytes, and a row that
/// refers to a later one.
fn fill(store: &Store) {
    store
        .write(|tx| {
            let first = builders::local_account(tx, "first", "http://a.example")?;
            let second = builders::local_account(tx, "second", "http://a.example")?;
            diesel::update(accounts::table.find(first))
                .set((
                    accounts::note.eq("\"\\ \u{1}\u{7f}\r\n\t'é日本 \u{1f426} null"),
                    accounts::moved_to_account_id.eq(second),
                    accounts::discoverable.eq(Some(false)),
                    accounts::locked.eq(true),
                    accounts::version.eq(i64::MAX),
                ))
                .execute(&mut **tx)?;
            let uri = "http://a.example/users/third";
            tombstones::insert(tx, &[NewTombstone { uri, former_type: "Person" }])?;
            Ok::<_, Error>(())
        })
        .unwrap();
}

both_engines! {
    fn rows_pass_from_engine_to_engine_unchanged(database: &TestDatabase) {
        let store = open(database);
        fill(&store);
        let before = dump(&store);
        assert_eq!(before["accounts"].len(), 2);
        for engine in [Engine::Sqlite, Engine::Postgres] {
            if engine.is_available() {
                let other = TestDatabase::new(engine);
                let other = open(&other);
                load(&other, before.clone()).unwrap();
                assert_eq!(dump(&other), before);
            }
        }
    }

    fn a_row_is_json_with_its_columns_in_alphabetical_order(database: &TestDatabase) {
        let store = open(database);
        fill(&store);
        let role = r#"{"color":"","created_at":0,"highlighted":true,"id":1,"name":"Moderator","permissions":1308,"position":10}"#;
        let dump = dump(&store);
        // The base role comes first.
        assert_eq!(dump["roles"][1], role);
        assert!(dump["accounts"][0].contains(r#""discoverable":false,"display_name":"","#));
        assert!(dump["accounts"][1].contains(r#""discoverable":null,"#));
        let digest = r#""uri_key":"\\x"#;
        assert!(dump["tombstones"][0].contains(digest), "{}", dump["tombstones"][0]);
    }

    fn constraints_hold_after_an_import(database: &TestDatabase) {
        let store = open(database);
        fill(&store);
        let other = TestDatabase::new(database.engine());
        let other = open(&other);
        load(&other, dump(&store)).unwrap();
        let lost = other.write(|tx| -> Result<()> {
            diesel::update(users::table).set(users::role_id.eq(Some(99))).execute(&mut **tx)?;
            Ok(())
        });
        assert!(lost.is_err());
    }

    fn an_import_refuses_a_database_in_use(database: &TestDatabase) {
        let store = open(database);
        fill(&store);
        let before = dump(&store);
        assert!(matches!(load(&store, before.clone()), Err(Error::NotEmpty)));
        assert_eq!(dump(&store), before);
    }

    fn a_dangling_reference_aborts_the_import(database: &TestDatabase) {
        let store = open(database);
        fill(&store);
        let mut rows = dump(&store);
        rows.get_mut("accounts").unwrap().pop();
        let other = TestDatabase::new(database.engine());
        let other = open(&other);
        assert!(load(&other, rows).is_err());
        assert_eq!(dump(&other)["accounts"], Vec::<String>::new());
        assert_eq!(dump(&other)["roles"], dump(&store)["roles"]);
    }

    fn every_listed_table_exists(database: &TestDatabase) {
        let mut conn = Conn::open(database.url()).unwrap();
        for table in TABLES {
            conn.batch_execute(&format!("DELETE FROM {}", table.name)).unwrap();
            assert_eq!(archive::count(&mut conn, table.name).unwrap(), 0);
        }
    }
}
