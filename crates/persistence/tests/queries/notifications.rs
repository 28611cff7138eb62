//! Notifications: recipients and visibility.

use diesel::prelude::*;
use siskin_entities::{
    NotificationKind::{self, Favourite, Follow, Mention},
    PageRequest, Timestamp, Visibility,
};
use siskin_ids::{AccountId, NotificationId, StatusId};
use siskin_persistence::{
    notifications::{self, NewNotification, Wanted},
    schema::accounts,
};
use siskin_test_support::both_engines;

use crate::world::{NOW, World};

fn tell(world: &World, news: Vec<NewNotification>) -> Vec<NotificationId> {
    world.write(move |tx| notifications::create(tx, &news))
}

const fn follow(from: AccountId, recipient: AccountId) -> NewNotification {
    NewNotification { recipient, from, kind: Follow, status: None }
}

const fn about(
    kind: NotificationKind,
    status: StatusId,
    from: AccountId,
    recipient: AccountId,
) -> NewNotification {
    NewNotification { recipient, from, kind, status: Some(status) }
}

fn of_kinds(kinds: &[NotificationKind]) -> Wanted {
    Wanted { kinds: kinds.to_vec(), from: None }
}

fn everything() -> Wanted {
    of_kinds(&NotificationKind::ALL)
}

fn list(world: &World, reader: AccountId, wanted: &Wanted, limit: i64) -> Vec<NotificationId> {
    let request = PageRequest::newest(limit);
    let page = world.read(|conn| notifications::list(conn, reader, wanted, NOW, request));
    page.items.into_iter().map(|item| item.id).collect()
}

fn count(world: &World, reader: AccountId) -> usize {
    list(world, reader, &everything(), 80).len()
}

fn suspend(world: &World, account: AccountId) {
    world.write(move |tx| {
        Ok(diesel::update(accounts::table)
            .filter(accounts::id.eq(account))
            .set(accounts::suspended_at.eq(NOW.unix_ms()))
            .execute(&mut **tx)?)
    });
}

both_engines! {
    fn the_same_thing_is_told_once_and_own_deeds_never(database: &TestDatabase) {
        let world = World::on(database);
        let (alice, bob) = (world.person("alice"), world.person("bob"));
        let status = world.status(alice, Visibility::Public, &[]);
        let favourite = about(Favourite, status, bob, alice);
        assert_eq!(tell(&world, vec![favourite, favourite, follow(alice, alice)]).len(), 1);
        assert_eq!(tell(&world, vec![favourite]), []);
        assert_eq!(tell(&world, vec![follow(bob, alice)]).len(), 1);
        assert_eq!(count(&world, alice), 2);
        world.write(move |tx| notifications::withdraw(tx, favourite));
        assert_eq!(list(&world, alice, &of_kinds(&[Favourite]), 80), []);
        assert_eq!(tell(&world, vec![favourite]).len(), 1);
        assert_eq!(count(&world, alice), 2);
    }

    fn only_local_people_who_want_to_hear_are_told(database: &TestDatabase) {
        let world = World::on(database);
        let bob = world.person("bob");
        let [alice, blocks, mutes, mutes_posts, muted, suspended] =
            ["alice", "blocks", "mutes", "mutes_posts", "muted", "suspended"]
                .map(|name| world.person(name));
        world.block(blocks, bob);
        world.mute(mutes, bob, true, None);
        world.mute(mutes_posts, bob, false, None);
        world.mute(muted, bob, true, Some(Timestamp::from_unix_ms(NOW.unix_ms() - 1)));
        suspend(&world, suspended);
        let far = world.remote("far");
        let told = [alice, blocks, mutes, mutes_posts, muted, suspended, far];
        let made = tell(&world, told.map(|recipient| follow(bob, recipient)).to_vec());
        assert_eq!(made.len(), 3);
        assert_eq!(told.map(|recipient| count(&world, recipient)), [1, 0, 0, 1, 1, 0, 0]);
    }

    fn telling_many_costs_no_more_statements_than_telling_one(database: &TestDatabase) {
        let world = World::on(database);
        let bob = world.person("bob");
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
        let people = names.map(|name| world.person(name));
        let one = world.statements(|world| tell(world, vec![follow(bob, people[0])]));
        let others = people[1..].iter().map(|recipient| follow(bob, *recipient)).collect();
        let mut made = 0;
        let many = world.statements(|world| made = tell(world, others).len());
        assert_eq!(made, 11);
        assert_eq!(one, many);
    }

    fn a_page_is_filtered_before_it_is_cut(database: &TestDatabase) {
        let world = World::on(database);
        let (alice, bob, carol) = (world.person("alice"), world.person("bob"), world.person("carol"));
        let mut mentions = Vec::new();
        for _ in 0..5 {
            let status = world.status(bob, Visibility::Direct, &[alice]);
            mentions.extend(tell(&world, vec![about(Mention, status, bob, alice)]));
            let liked = world.status(alice, Visibility::Private, &[]);
            tell(&world, vec![about(Favourite, liked, carol, alice)]);
        }
        mentions.reverse();
        assert_eq!(list(&world, alice, &of_kinds(&[Mention]), 3), mentions[..3]);
        let by_bob = Wanted { from: Some(bob), ..everything() };
        assert_eq!(list(&world, alice, &by_bob, 80), mentions);
        assert_eq!(list(&world, bob, &everything(), 80), []);
    }

    fn what_the_reader_may_not_see_or_does_not_want_is_hidden(database: &TestDatabase) {
        let world = World::on(database);
        let alice = world.person("alice");
        let names = ["blocked", "muted", "posts_muted", "suspended", "blocking", "expired"];
        let [blocked, muted, posts_muted, suspended, blocking, expired] =
            names.map(|name| world.person(name));
        let everyone = [blocked, muted, posts_muted, suspended, blocking, expired];
        for from in everyone {
            let status = world.status(from, Visibility::Public, &[alice]);
            tell(&world, vec![about(Mention, status, from, alice)]);
        }
        assert_eq!(count(&world, alice), 6);
        let found = list(&world, alice, &everything(), 80);
        world.block(alice, blocked);
        world.block(blocking, alice);
        world.mute(alice, muted, true, None);
        world.mute(alice, posts_muted, false, None);
        world.mute(alice, expired, true, Some(Timestamp::from_unix_ms(NOW.unix_ms() - 1)));
        suspend(&world, suspended);
        let shown = list(&world, alice, &everything(), 80);
        assert_eq!(shown, [found[0], found[3]]);
        for id in found {
            let one = world.read(|conn| notifications::find(conn, alice, id, NOW));
            assert_eq!(one.is_some(), shown.contains(&id));
            assert_eq!(world.read(|conn| notifications::find(conn, blocked, id, NOW)), None);
        }
    }

    fn a_page_costs_the_same_statements_whatever_its_length(database: &TestDatabase) {
        let world = World::on(database);
        let (alice, bob) = (world.person("alice"), world.person("bob"));
        world.follow(alice, bob);
        for _ in 0..6 {
            let status = world.status(bob, Visibility::Private, &[]);
            tell(&world, vec![about(NotificationKind::Status, status, bob, alice)]);
        }
        let cost = |limit| {
            world.statements(|world| {
                let found = list(world, alice, &everything(), limit).len();
                assert_eq!(i64::try_from(found).unwrap(), limit);
            })
        };
        // The second time, the snapshots are cached.
        assert!(cost(6) > cost(6));
        assert_eq!(cost(1), cost(6));
    }

    fn clearing_goes_on_until_nothing_is_left_and_spares_others(database: &TestDatabase) {
        let world = World::on(database);
        let people = ["alice", "bob", "carol", "dave"].map(|name| world.person(name));
        let [alice, bob, ..] = people;
        for from in people {
            tell(&world, vec![follow(from, alice), follow(from, bob)]);
        }
        let some = || world.write(move |tx| notifications::delete_some(tx, alice, 2));
        assert!(some());
        assert_eq!(count(&world, alice), 1);
        assert!(!some());
        assert_eq!((count(&world, alice), count(&world, bob)), (0, 3));
        assert!(!some());
    }
}
