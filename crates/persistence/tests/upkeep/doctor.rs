//! Faults that the doctor finds, and repairs where possible.

use diesel::{connection::SimpleConnection, prelude::*};
use siskin_entities::{
    NotificationKind, PageRequest, QuoteState, StatusDraft, Visibility, relationship::Relations,
};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Conn, Error, Result, Store, Tx,
    doctor::{self, MissingRequest},
    notifications::{self, Cause},
    relationships,
    schema::{account_stats, account_terms, featured_tags, status_stats, statuses as status_rows},
    statuses::{self, NewStatus, quotes},
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

/// Inserts a status with its counters, and returns its id.
fn publish(
    store: &Store,
    account: AccountId,
    visibility: Visibility,
    quote: Option<(StatusId, QuoteState)>,
) -> StatusId {
    let insert = move |tx: &mut Tx<'_>| -> Result<_> {
        let id = StatusId::new(tx.next_id());
        let new = NewStatus {
            id,
            account,
            uri: &id.to_string(),
            draft: &StatusDraft { visibility, ..StatusDraft::default() },
            content: "",
            in_reply_to: None,
            quote,
            application: None,
            mentions: &[],
            tags: &[],
        };
        statuses::insert(tx, &new)?;
        Ok(id)
    };
    store.write(insert).unwrap()
}

fn quotes_count(store: &Store, status: StatusId) -> i64 {
    let stored = |conn: &mut Conn| -> Result<_> {
        Ok(status_stats::table.find(status).select(status_stats::quotes_count).first(conn)?)
    };
    store.read(stored).unwrap()
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

    fn a_wrong_counter_of_quotes_is_found_and_repaired(database: &TestDatabase) {
        let store = open(database);
        let (author, other) = two_people(&store);
        let quoted = publish(&store, author, Visibility::Public, None);
        let quote = |visibility, state| publish(&store, other, visibility, Some((quoted, state)));
        let public = quote(Visibility::Public, QuoteState::Accepted);
        quote(Visibility::Unlisted, QuoteState::Accepted);
        // None of these may count.
        for visibility in [Visibility::Private, Visibility::Direct] {
            quote(visibility, QuoteState::Accepted);
        }
        for state in [QuoteState::Pending, QuoteState::Rejected, QuoteState::Revoked] {
            quote(Visibility::Public, state);
        }
        assert_eq!((findings(&store), quotes_count(&store, quoted)), (vec![], 2));
        let of_quotes = |stored: i64, counted: i64| {
            vec![("quotes_count".to_owned(), quoted.get(), Some(stored), counted)]
        };
        for wrong in [0_i64, 7, -1] {
            let set = move |tx: &mut Tx<'_>| -> Result<_> {
                let stats = status_stats::table.find(quoted);
                let wrong = status_stats::quotes_count.eq(wrong);
                Ok(diesel::update(stats).set(wrong).execute(&mut **tx)?)
            };
            store.write(set).unwrap();
            assert_eq!(findings(&store), of_quotes(wrong, 2));
            repair(&store);
            assert_eq!((findings(&store), quotes_count(&store, quoted)), (vec![], 2));
        }
        // A revocation that did not reach the counter.
        let revoke = move |tx: &mut Tx<'_>| -> Result<_> {
            let revoked = status_rows::quote_state.eq(QuoteState::Revoked.number());
            Ok(diesel::update(status_rows::table.find(public)).set(revoked).execute(&mut **tx)?)
        };
        store.write(revoke).unwrap();
        assert_eq!(findings(&store), of_quotes(2, 1));
        repair(&store);
        assert_eq!((findings(&store), quotes_count(&store, quoted)), (vec![], 1));
    }

    fn the_counter_of_quotes_follows_revocations_and_deletions(database: &TestDatabase) {
        let store = open(database);
        let (author, other) = two_people(&store);
        let quoted = publish(&store, author, Visibility::Public, None);
        let accepted = Some((quoted, QuoteState::Accepted));
        let of_each = || {
            Visibility::ALL.map(|visibility| publish(&store, other, visibility, accepted))
        };
        let (revoked, deleted) = (of_each(), of_each());
        assert_eq!(quotes_count(&store, quoted), 4);
        for (quote, left) in revoked.into_iter().zip([3, 2, 2, 2]) {
            // Revoking it again changes nothing.
            for is_new in [true, false] {
                let revoke = move |tx: &mut Tx<'_>| quotes::revoke(tx, quoted, quote);
                assert_eq!(store.write(revoke).unwrap(), is_new);
                assert_eq!((findings(&store), quotes_count(&store, quoted)), (vec![], left));
            }
        }
        for (quote, left) in revoked.into_iter().chain(deleted).zip([2, 2, 2, 2, 1, 0, 0, 0]) {
            store.write(move |tx| statuses::remove(tx, quote)).unwrap();
            assert_eq!((findings(&store), quotes_count(&store, quoted)), (vec![], left));
        }
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

    fn filtered_notifications_without_a_request_are_found_and_repaired(database: &TestDatabase) {
        let store = open(database);
        let (recipient, sender) = two_people(&store);
        let missing = || store.read(doctor::missing_requests).unwrap();
        let follow = Cause::new(sender, NotificationKind::Follow, None);
        store
            .write(move |tx| -> Result<()> {
                notifications::insert(tx, follow, &[(recipient, true)])?;
                notifications::add_requests(tx, sender, &[recipient])?;
                // This one is not filtered, so it needs no request.
                notifications::insert(tx, Cause { from: recipient, ..follow }, &[(sender, false)])?;
                Ok(())
            })
            .unwrap();
        assert_eq!(missing(), []);
        let requests = || {
            let newest = PageRequest::newest(9);
            store.read(|conn| notifications::requests(conn, recipient, newest)).unwrap()
        };
        let id = requests()[0].id;
        store.write(move |tx| notifications::remove_requests(tx, recipient, &[id])).unwrap();
        assert_eq!(missing(), [MissingRequest { recipient, sender }]);
        assert_eq!(requests(), []);
        for batch in doctor::request_batches(&missing()) {
            let batch = batch.to_vec();
            store.write(move |tx| doctor::insert_requests(tx, &batch)).unwrap();
        }
        assert_eq!(missing(), []);
        let repaired: Vec<_> = requests().iter().map(|one| (one.sender.id, one.count)).collect();
        assert_eq!(repaired, [(sender, 1)]);
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
