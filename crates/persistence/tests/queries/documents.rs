//! What documents for other servers need of statuses and accounts.

use diesel::prelude::*;
use siskin_entities::Visibility;
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    SnapshotVersion, accounts,
    schema::{accounts as account_rows, statuses as status_rows},
    statuses::{self, Reply, StatusName},
};
use siskin_test_support::both_engines;

use crate::{
    plans::{plans, reads_all, sorts},
    world::World,
};

/// Inserts a reply.
fn reply(world: &World, author: AccountId, visibility: Visibility, parent: StatusId) -> StatusId {
    let id = world.status(author, visibility, &[]);
    world.write(move |tx| {
        Ok(diesel::update(status_rows::table.find(id))
            .set(status_rows::in_reply_to_id.eq(parent))
            .execute(&mut **tx)?)
    });
    id
}

fn version(world: &World, id: StatusId) -> Option<SnapshotVersion> {
    let found = world.read(|conn| statuses::find_versioned(conn, id, None));
    found.map(|(status, version)| {
        assert_eq!(status.body.id, id);
        version
    })
}

both_engines! {
    fn replies_come_in_the_order_of_their_ids_in_any_visibility(database: &TestDatabase) {
        let world = World::on(database);
        let (alice, bob) = (world.person("alice"), world.person("bob"));
        let parent = world.status(alice, Visibility::Public, &[]);
        let first = reply(&world, bob, Visibility::Private, parent);
        let second = reply(&world, alice, Visibility::Public, parent);
        reply(&world, bob, Visibility::Public, second);
        let read = |after, limit| {
            world.read(|conn| statuses::replies(conn, parent, StatusId::new(after), limit))
        };
        let hidden = Reply { id: first, account: bob, visibility: Visibility::Private };
        let open = Reply { id: second, account: alice, visibility: Visibility::Public };
        assert_eq!(read(0, 9), [hidden, open]);
        assert_eq!(read(0, 1), [hidden]);
        assert_eq!(read(first.get(), 9), [open]);
        assert_eq!(read(second.get(), 9), []);
    }

    fn replies_are_read_by_an_index_in_its_order(database: &TestDatabase) {
        let (parent, after) = (StatusId::new(1), StatusId::new(2));
        for plan in plans(database, |conn| statuses::replies(conn, parent, after, 20)) {
            assert!(!reads_all(&plan) && !sorts(&plan), "{plan}");
        }
    }

    fn names_tell_local_statuses_from_others(database: &TestDatabase) {
        let world = World::on(database);
        let (alice, far) = (world.person("alice"), world.remote("zoe"));
        let local = world.status(alice, Visibility::Public, &[]);
        let remote = world.status(far, Visibility::Direct, &[]);
        let ids = [local, remote, StatusId::new(1)];
        let names = world.read(|conn| statuses::names(conn, &ids));
        assert_eq!(names.len(), 2);
        let name = |id: StatusId, username: &str, is_local| StatusName {
            uri: id.to_string(),
            username: username.to_owned(),
            is_local,
        };
        assert_eq!(names.get(&local), Some(&name(local, "alice", true)));
        assert_eq!(names.get(&remote), Some(&name(remote, "zoe", false)));
        let uris = world.read(|conn| accounts::uris(conn, &[alice, far]));
        assert_eq!(uris.get(&far).map(String::as_str), Some("http://far.test/zoe"));
        assert_eq!(uris.len(), 2);
    }

    fn a_version_changes_with_the_snapshot(database: &TestDatabase) {
        let world = World::on(database);
        let alice = world.person("alice");
        let id = world.status(alice, Visibility::Public, &[]);
        let before = version(&world, id);
        assert!(before.is_some());
        assert_eq!(version(&world, id), before);
        world.write(move |tx| {
            let changed = diesel::update(status_rows::table.find(id));
            Ok(changed.set(status_rows::content.eq("<p>new</p>")).execute(&mut **tx)?)
        });
        assert!(version(&world, id).is_some_and(|after| Some(after) != before));
        let hidden = world.status(alice, Visibility::Private, &[]);
        assert_eq!(version(&world, hidden), None);
    }

    fn a_local_account_is_found_by_its_name_alone(database: &TestDatabase) {
        let world = World::on(database);
        let alice = world.person("alice");
        world.remote("alice");
        world.remote("zoe");
        let find = |name| {
            let found = world.read(|conn| accounts::find_local(conn, name));
            found.map(|(account, version)| (account.id, version))
        };
        let found = find("alice");
        assert_eq!(found.map(|(id, _)| id), Some(alice));
        assert_eq!(find("zoe"), None);
        world.write(move |tx| {
            let changed = diesel::update(account_rows::table.find(alice));
            Ok(changed.set(account_rows::note.eq("new")).execute(&mut **tx)?)
        });
        assert!(find("alice").is_some_and(|(id, version)| {
            id == alice && found.is_some_and(|(_, before)| before != version)
        }));
    }
}
