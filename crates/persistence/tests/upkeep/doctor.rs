//! Faults that the doctor finds, and repairs where possible.

use diesel::{connection::SimpleConnection, prelude::*};
use siskin_entities::relationship::Relations;
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn, Error, Result, Store, Tx, doctor, relationships,
    schema::{account_stats, account_terms, featured_tags},
    tags::{self, TypedTag},
};
use siskin_test_support::{both_engines, builders, standing};

use super::open;

fn two_people(store: &Store) -> (AccountId, AccountId) {
    store
        .write(|tx| {
            let first = builders::local_account(tx, "first", "http://a.example")?;
            Ok::<_, Error>((first, builders::local_account(tx, "second", "http://a.example")?))
        })
        .unwrap()
}

fn follow(store: &Store, from: AccountId, to: AccountId) {
    store.write(move |tx| builders::uncounted_follow(tx, from, to)).unwrap();
}

fn findings(store: &Store) -> Vec<(String, i64, Option<i64>, i64)> {
    let wrong = store.read(doctor::wrong_counters).unwrap();
    wrong
        .into_iter()
        .map(|wrong| (wrong.counter.column.to_owned(), wrong.id, wrong.stored, wrong.counted))
        .collect()
}

fn repair(store: &Store) {
    let wrong = store.read(doctor::wrong_counters).unwrap();
    for batch in doctor::batches(&wrong) {
        let batch = batch.to_vec();
        store.write(move |tx| doctor::repair(tx, &batch)).unwrap();
    }
}

/// Makes `from` endorse `to` and write a note about it, and makes `to` block a domain.
fn relate(tx: &mut Tx<'_>, from: AccountId, to: AccountId) -> Result<()> {
    let before = relationships::relations(tx, from, to)?;
    let after = Relations { endorsing: true, note: "Hm".to_owned(), ..before.clone() };
    relationships::save(tx, from, to, &before, &after)?;
    relationships::block_domain(tx, to, "far.example")
}

both_engines! {
    fn a_wrong_counter_is_found_and_repaired(database: &TestDatabase) {
        let store = open(database);
        let (first, second) = two_people(&store);
        assert_eq!(findings(&store), []);
        follow(&store, first, second);
        assert_eq!(findings(&store), [
            ("followers_count".to_owned(), second.get(), Some(0), 1),
            ("following_count".to_owned(), first.get(), Some(0), 1),
        ]);
        repair(&store);
        assert_eq!(findings(&store), []);
    }

    fn a_wrong_featured_hashtag_counter_is_found_and_repaired(database: &TestDatabase) {
        let store = open(database);
        let (owner, _) = two_people(&store);
        store
            .write(move |tx| -> Result<()> {
                let typed = TypedTag { name: "birds".to_owned(), display_name: "Birds".to_owned() };
                let tag = tags::find_or_insert(tx, &[typed])?[0];
                tags::feature(tx, owner, tag)
            })
            .unwrap();
        assert_eq!(findings(&store), []);
        let id: i64 = store
            .write(|tx| -> Result<_> {
                diesel::update(featured_tags::table)
                    .set((
                        featured_tags::statuses_count.eq(3),
                        featured_tags::last_status_at.eq(Some(5)),
                    ))
                    .execute(&mut **tx)?;
                Ok(featured_tags::table.select(featured_tags::id).first(&mut **tx)?)
            })
            .unwrap();
        assert_eq!(findings(&store), [
            ("statuses_count".to_owned(), id, Some(3), 0),
            ("last_status_at".to_owned(), id, Some(5), 0),
        ]);
        repair(&store);
        assert_eq!(findings(&store), []);
        let last: Option<i64> = store
            .read(|conn| -> Result<_> {
                Ok(featured_tags::table.select(featured_tags::last_status_at).first(conn)?)
            })
            .unwrap();
        assert_eq!(last, None);
    }

    fn missing_counters_are_found_and_inserted(database: &TestDatabase) {
        let store = open(database);
        let (first, second) = two_people(&store);
        follow(&store, first, second);
        store
            .write(|tx| -> Result<usize> {
                Ok(diesel::delete(account_stats::table).execute(&mut **tx)?)
            })
            .unwrap();
        let found = findings(&store);
        assert_eq!(found.len(), 10);
        assert!(found.iter().all(|(_, _, stored, _)| stored.is_none()));
        repair(&store);
        assert_eq!(findings(&store), []);
        let followers: Vec<i64> = store
            .read(|conn| -> Result<_> {
                Ok(account_stats::table
                    .order(account_stats::account_id)
                    .select(account_stats::followers_count)
                    .load(conn)?)
            })
            .unwrap();
        assert_eq!(followers, [0, 1]);
    }

    fn wrong_search_terms_are_found_and_rebuilt(database: &TestDatabase) {
        let store = open(database);
        let (first, second) = two_people(&store);
        let far = store
            .write(|tx| standing::remote_account(tx, "zoe", "far.example"))
            .unwrap();
        let misindexed = || store.read(doctor::misindexed).unwrap();
        assert_eq!(misindexed(), []);
        store
            .write(move |tx| -> Result<()> {
                let of = |account| account_terms::table.filter(account_terms::account_id.eq(account));
                // One account has a term less, one a term more.
                diesel::delete(of(first).filter(account_terms::term.like("irst%"))).execute(&mut **tx)?;
                let odd = (account_terms::term.eq("Third"), account_terms::account_id.eq(second));
                diesel::insert_into(account_terms::table).values(odd).execute(&mut **tx)?;
                Ok(())
            })
            .unwrap();
        assert_eq!(misindexed(), [first, second]);
        let terms = |account: AccountId| -> Vec<String> {
            let terms = |conn: &mut Conn| -> Result<_> {
                Ok(account_terms::table
                    .filter(account_terms::account_id.eq(account))
                    .order(account_terms::term)
                    .select(account_terms::term)
                    .load(conn)?)
            };
            store.read(terms).unwrap()
        };
        for batch in doctor::index_batches(&misindexed()) {
            let batch = batch.to_vec();
            store.write(move |tx| doctor::index(tx, &batch)).unwrap();
        }
        assert_eq!(misindexed(), []);
        assert_eq!(terms(first).len(), "first".len());
        assert!(terms(first).iter().any(|term| term.starts_with("irst")));
        assert!(!terms(second).contains(&"Third".to_owned()));
        assert!(!terms(far).is_empty());
    }

    fn a_dangling_reference_is_found(database: &TestDatabase) {
        let store = open(database);
        let (first, second) = two_people(&store);
        store.write(move |tx| relate(tx, second, first)).unwrap();
        assert_eq!(store.read(doctor::dangling_references).unwrap(), []);
        assert_eq!(store.read(doctor::damaged_pages).unwrap(), Vec::<String>::new());
        let mut conn = Conn::open(database.url()).unwrap();
        let unchecked = if conn.is_sqlite() {
            format!("PRAGMA foreign_keys = OFF; DELETE FROM accounts WHERE id = {first}")
        } else {
            format!("ALTER TABLE accounts DISABLE TRIGGER ALL; DELETE FROM accounts WHERE id = {first}")
        };
        conn.batch_execute(&unchecked).unwrap();
        let found = store.read(doctor::dangling_references).unwrap();
        let found: Vec<_> =
            found.iter().map(|found| (&*found.table, &*found.parent, found.count)).collect();
        let terms = "first".len().try_into().unwrap();
        assert_eq!(found, [
            ("account_domain_blocks", "accounts", 1),
            ("account_notes", "accounts", 1),
            ("account_stats", "accounts", 1),
            ("account_terms", "accounts", terms),
            ("endorsements", "accounts", 1),
            ("users", "accounts", 1),
        ]);
    }
}
