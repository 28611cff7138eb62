//! Notifications: recipients and visibility.

use diesel::prelude::*;
use siskin_entities::{
    NotificationKind::{self, Favourite, Follow, Mention},
    PageRequest, Timestamp, Visibility,
};
use siskin_ids::{AccountId, NotificationId, StatusId};
use siskin_persistence::{
    notifications::{self, NewNotification, NotificationFilter},
    schema::accounts,
};
use siskin_test_support::both_engines;

use crate::world::{NOW, World};

fn create(world: &World, new_notifications: Vec<NewNotification>) -> Vec<NotificationId> {
    world.write(move |tx| notifications::create(tx, &new_notifications))
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

fn of_kinds(kinds: &[NotificationKind]) -> NotificationFilter {
    NotificationFilter { kinds: kinds.to_vec(), from: None }
}

fn everything() -> NotificationFilter {
    of_kinds(&NotificationKind::ALL)
}

fn list(
    world: &World,
    viewer: AccountId,
    filter: &NotificationFilter,
    limit: i64,
) -> Vec<NotificationId> {
    let request = PageRequest::newest(limit);
    let page = world.read(|conn| notifications::list(conn, viewer, filter, NOW, request));
    page.items.into_iter().map(|item| item.id).collect()
}

fn count(world: &World, viewer: AccountId) -> usize {
    list(world, viewer, &everything(), 80).len()
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
    fn duplicates_and_own_actions_create_no_notification(database: &TestDatabase) {
        let world = World::on(database);
        let (alice, bob) = (world.person("alice"), world.person("bob"));
        let status = world.status(alice, Visibility::Public, &[]);
        let favourite = about(Favourite, status, bob, alice);
        assert_eq!(create(&world, vec![favourite, favourite, follow(alice, alice)]).len(), 1);
        assert_eq!(create(&world, vec![favourite]), []);
        assert_eq!(create(&world, vec![follow(bob, alice)]).len(), 1);
        assert_eq!(count(&world, alice), 2);
        world.write(move |tx| notifications::withdraw(tx, favourite));
        assert_eq!(list(&world, alice, &of_kinds(&[Favourite]), 80), []);
        assert_eq!(create(&world, vec![favourite]).len(), 1);
        assert_eq!(count(&world, alice), 2);
    }

    fn only_local_accounts_that_accept_it_get_a_notification(database: &TestDatabase) {
        let world = World::on(database);
        let bob = world.person("bob");
        let [alice, blocker, muter, posts_muter, muted, suspended] =
            ["alice", "blocks", "mutes", "mutes_posts", "muted", "suspended"]
                .map(|name| world.person(name));
        world.block(blocker, bob);
        world.mute(muter, bob, true, None);
        world.mute(posts_muter, bob, false, None);
        world.mute(muted, bob, true, Some(Timestamp::from_unix_ms(NOW.unix_ms() - 1)));
        suspend(&world, suspended);
        let far = world.remote("far");
        let recipients = [alice, blocker, muter, posts_muter, muted, suspended, far];
        let created = create(&world, recipients.map(|recipient| follow(bob, recipient)).to_vec());
        assert_eq!(created.len(), 3);
        assert_eq!(recipients.map(|recipient| count(&world, recipient)), [1, 0, 0, 1, 1, 0, 0]);
    }

    fn many_recipients_take_as_many_statements_as_one(database: &TestDatabase) {
        let world = World::on(database);
        let bob = world.person("bob");
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
        let people = names.map(|name| world.person(name));
        let one = world.statements(|world| create(world, vec![follow(bob, people[0])]));
        let others = people[1..].iter().map(|recipient| follow(bob, *recipient)).collect();
        let mut created = 0;
        let many = world.statements(|world| created = create(world, others).len());
        assert_eq!(created, 11);
        assert_eq!(one, many);
    }

    fn a_page_is_filtered_before_it_is_cut(database: &TestDatabase) {
        let world = World::on(database);
        let (alice, bob, carol) = (world.person("alice"), world.person("bob"), world.person("carol"));
        let mut mentions = Vec::new();
        for _ in 0..5 {
            let status = world.status(bob, Visibility::Direct, &[alice]);
            mentions.extend(create(&world, vec![about(Mention, status, bob, alice)]));
            let liked = world.status(alice, Visibility::Private, &[]);
            create(&world, vec![about(Favourite, liked, carol, alice)]);
        }
        mentions.reverse();
        assert_eq!(list(&world, alice, &of_kinds(&[Mention]), 3), mentions[..3]);
        let by_bob = NotificationFilter { from: Some(bob), ..everything() };
        assert_eq!(list(&world, alice, &by_bob, 80), mentions);
        assert_eq!(list(&world, bob, &everything(), 80), []);
    }

    fn notifications_from_hidden_or_invisible_accounts_are_hidden(database: &TestDatabase) {
        let world = World::on(database);
        let alice = world.person("alice");
        let names = ["blocked", "muted", "posts_muted", "suspended", "blocking", "expired"];
        let [blocked, muted, posts_muted, suspended, blocking, expired] =
            names.map(|name| world.person(name));
        let everyone = [blocked, muted, posts_muted, suspended, blocking, expired];
        for from in everyone {
            let status = world.status(from, Visibility::Public, &[alice]);
            create(&world, vec![about(Mention, status, from, alice)]);
        }
        assert_eq!(count(&world, alice), 6);
        let found = list(&world, alice, &everything(), 80);
        world.block(alice, blocked);
        world.block(blocking, alice);
        world.mute(alice, muted, true, None);
        world.mute(alice, posts_muted, false, None);
        world.mute(alice, expired, true, Some(Timestamp::from_unix_ms(NOW.unix_ms() - 1)));
        suspend(&world, suspended);
        let visible = list(&world, alice, &everything(), 80);
        assert_eq!(visible, [found[0], found[3]]);
        for id in found {
            let one = world.read(|conn| notifications::find(conn, alice, id, NOW));
            assert_eq!(one.is_some(), visible.contains(&id));
            assert_eq!(world.read(|conn| notifications::find(conn, blocked, id, NOW)), None);
        }
    }

    fn a_page_takes_the_same_number_of_statements_at_any_length(database: &TestDatabase) {
        let world = World::on(database);
        let (alice, bob) = (world.person("alice"), world.person("bob"));
        world.follow(alice, bob);
        for _ in 0..6 {
            let status = world.status(bob, Visibility::Private, &[]);
            create(&world, vec![about(NotificationKind::Status, status, bob, alice)]);
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

    fn clearing_deletes_all_own_notifications_in_steps(database: &TestDatabase) {
        let world = World::on(database);
        let people = ["alice", "bob", "carol", "dave"].map(|name| world.person(name));
        let [alice, bob, ..] = people;
        for from in people {
            create(&world, vec![follow(from, alice), follow(from, bob)]);
        }
        let some = || world.write(move |tx| notifications::delete_some(tx, alice, 2));
        assert!(some());
        assert_eq!(count(&world, alice), 1);
        assert!(!some());
        assert_eq!((count(&world, alice), count(&world, bob)), (0, 3));
        assert!(!some());
    }
}
