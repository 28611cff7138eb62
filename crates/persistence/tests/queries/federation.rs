//! Keys of actors, and what remains of deleted accounts and statuses.

use std::thread;

use diesel::prelude::*;
use siskin_entities::Visibility;
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    account_keys::{self, KeyCounts, KeyKind, NewKey},
    accounts,
    schema::{accounts as account_rows, polls, statuses as status_rows},
    statuses,
    tombstones::{self, NewTombstone},
};
use siskin_test_support::both_engines;

use crate::world::{NOW, World};

impl World {
    fn tombstone(&self, uri: &str) -> Option<String> {
        let found = self.read(|conn| tombstones::find(conn, uri));
        found.map(|found| {
            assert_eq!(found.at, NOW);
            found.former_type
        })
    }

    fn delete_status(&self, id: StatusId) {
        self.write(move |tx| statuses::remove(tx, id));
    }

    fn delete_account(&self, id: AccountId) {
        while !self.write(move |tx| accounts::remove_some(tx, id)) {}
    }

    /// Inserts a pair of keys with this name, and returns `false` if the account is gone.
    fn give_keys(&self, account: Option<AccountId>, name: &'static str) -> bool {
        let key = move |kind| NewKey { kind, public: name, sealed_private: name };
        let keys = [key(KeyKind::Rsa), key(KeyKind::Ed25519)];
        self.write(move |tx| account_keys::insert(tx, account, &keys))
    }

    fn keys(&self, account: Option<AccountId>) -> Vec<(KeyKind, String)> {
        let mut keys: Vec<_> = self
            .read(|conn| account_keys::active(conn, account))
            .into_iter()
            .map(|key| {
                assert_eq!((&key.sealed_private, key.created_at), (&key.public, NOW));
                (key.kind, key.public)
            })
            .collect();
        keys.sort_by_key(|(kind, _)| *kind == KeyKind::Ed25519);
        keys
    }

    fn without_keys(&self, after: AccountId, limit: i64) -> Vec<AccountId> {
        self.read(|conn| account_keys::accounts_without(conn, after, limit))
    }
}

fn pair(name: &str) -> [(KeyKind, String); 2] {
    [(KeyKind::Rsa, name.to_owned()), (KeyKind::Ed25519, name.to_owned())]
}

both_engines! {
    fn an_address_keeps_its_first_tombstone(database: &TestDatabase) {
        let world = World::on(database);
        let uri = "https://a.example/users/ann";
        assert_eq!(world.tombstone(uri), None);
        for former_type in ["Person", "Service"] {
            world.write(move |tx| {
                let other = NewTombstone { uri: "https://a.example/users/bob", former_type };
                tombstones::insert(tx, &[NewTombstone { uri, former_type }, other])
            });
        }
        assert_eq!(world.tombstone(uri).as_deref(), Some("Person"));
        assert_eq!(world.tombstone("https://a.example/users/ann/"), None);
        assert_eq!(world.tombstone("https://a.example/users/Ann"), None);
    }

    fn statuses_that_others_could_read_leave_a_tombstone(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, far) = (world.person("ann"), world.remote("far"));
        for (visibility, remains) in [
            (Visibility::Public, true),
            (Visibility::Unlisted, true),
            (Visibility::Private, false),
            (Visibility::Direct, false),
        ] {
            let status = world.status(ann, visibility, &[]);
            assert_eq!(world.tombstone(&status.to_string()), None);
            world.delete_status(status);
            let expected = remains.then_some("Note");
            assert_eq!(world.tombstone(&status.to_string()).as_deref(), expected);
        }
        let asked = world.status(ann, Visibility::Public, &[]);
        world.write(move |tx| {
            let poll = (
                polls::id.eq(tx.next_id()),
                polls::status_id.eq(asked),
                polls::multiple.eq(false),
                polls::hide_totals.eq(false),
                polls::voters_count.eq(0),
                polls::created_at.eq(NOW.unix_ms()),
            );
            Ok(diesel::insert_into(polls::table).values(poll).execute(&mut **tx)?)
        });
        let original = world.status(ann, Visibility::Public, &[]);
        let reblog = world.status(ann, Visibility::Public, &[]);
        world.write(move |tx| {
            Ok(diesel::update(status_rows::table.find(reblog))
                .set(status_rows::reblog_of_id.eq(original))
                .execute(&mut **tx)?)
        });
        let remote = world.status(far, Visibility::Public, &[]);
        for (status, expected) in [(asked, Some("Question")), (reblog, None), (remote, None)] {
            world.delete_status(status);
            assert_eq!(world.tombstone(&status.to_string()).as_deref(), expected);
        }
    }

    fn accounts_that_others_could_see_leave_a_tombstone(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bot, new, far) =
            (world.person("ann"), world.person("bot"), world.person("new"), world.remote("far"));
        world.write(move |tx| {
            diesel::update(account_rows::table.find(bot))
                .set(account_rows::bot.eq(true))
                .execute(&mut **tx)?;
            diesel::update(account_rows::table.find(new))
                .set(account_rows::reachable.eq(false))
                .execute(&mut **tx)?;
            Ok(())
        });
        let uri = |account| world.read(|conn| accounts::find(conn, account)).unwrap().uri.clone();
        let expected = [(ann, Some("Person")), (bot, Some("Service")), (new, None), (far, None)];
        for (account, expected) in expected {
            let uri = uri(account);
            assert_eq!(world.tombstone(&uri), None);
            world.delete_account(account);
            assert_eq!(world.tombstone(&uri).as_deref(), expected);
        }
    }

    fn the_first_keys_of_an_actor_count(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        assert!(world.keys(Some(ann)).is_empty());
        assert!(world.give_keys(Some(ann), "first") && world.give_keys(Some(ann), "second"));
        assert!(world.give_keys(None, "server") && world.give_keys(None, "other"));
        assert_eq!(world.keys(Some(ann)), pair("first"));
        assert_eq!(world.keys(None), pair("server"));
        assert!(world.keys(Some(bob)).is_empty());
        let names = ["a", "b", "c", "d", "e"];
        thread::scope(|scope| {
            for name in names {
                let world = &world;
                scope.spawn(move || world.give_keys(Some(bob), name));
            }
        });
        let kept = world.keys(Some(bob));
        assert!(names.iter().any(|name| kept == pair(name)), "{kept:?}");
    }

    fn keys_go_with_their_account(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        assert!(world.give_keys(Some(ann), "a") && world.give_keys(Some(bob), "b"));
        world.write(move |tx| accounts::begin_deletion(tx, ann));
        world.delete_account(ann);
        assert!(world.keys(Some(ann)).is_empty());
        assert_eq!(world.keys(Some(bob)), pair("b"));
        assert!(!world.give_keys(Some(ann), "again"));
    }

    fn accounts_without_keys_are_found(database: &TestDatabase) {
        let world = World::on(database);
        let people = ["a", "b", "c", "d", "e"].map(|name| world.person(name));
        let [first, second, third, unconfirmed, deleted] = people;
        world.remote("far");
        world.write(move |tx| {
            diesel::update(account_rows::table.find(unconfirmed))
                .set(account_rows::reachable.eq(false))
                .execute(&mut **tx)?;
            accounts::begin_deletion(tx, deleted)
        });
        let count = || world.read(account_keys::count);
        let start = AccountId::new(0);
        assert_eq!(world.without_keys(start, 9), [first, second, third]);
        assert_eq!(world.without_keys(start, 2), [first, second]);
        assert_eq!(world.without_keys(first, 2), [second, third]);
        assert_eq!(count(), KeyCounts { made: 0, missing: 4 });
        let is_without = |account| world.read(|conn| account_keys::is_without(conn, account));
        assert_eq!(people.map(is_without), [true, true, true, false, false]);
        assert!(!world.read(account_keys::any_of_instance));
        assert!(world.give_keys(Some(second), "x"));
        assert_eq!(world.without_keys(start, 9), [first, third]);
        assert!(!is_without(second));
        assert_eq!(count(), KeyCounts { made: 1, missing: 3 });
        assert!(world.give_keys(None, "x"));
        assert!(world.read(account_keys::any_of_instance));
        assert_eq!(count(), KeyCounts { made: 2, missing: 2 });
        assert!(!world.give_keys(Some(deleted), "x"));
    }
}
