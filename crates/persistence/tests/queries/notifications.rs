//! Notifications: the facts that decide who gets one, and the rows.

use diesel::prelude::*;
use siskin_entities::{
    NotificationKind::{Favourite, Follow, Mention},
    Timestamp, Visibility,
};
use siskin_ids::{AccountId, NotificationId, StatusId};
use siskin_persistence::{
    notifications::{self, Cause, Facts},
    relationships::{block_domain, relations_of_viewers},
    schema::{accounts, mentions, notifications as schema, statuses},
    statuses::muted_conversations,
};
use siskin_policy::notifications::{Participant, RecipientFacts};
use siskin_test_support::both_engines;

use crate::{
    plans::plans,
    world::{NOW, World},
};

const fn follow(from: AccountId) -> Cause {
    Cause::new(from, Follow, None)
}

const fn mention(from: AccountId, status: StatusId) -> Cause {
    Cause::new(from, Mention, Some(status))
}

fn insert(world: &World, cause: Cause, recipients: &[AccountId]) -> Vec<NotificationId> {
    let recipients: Vec<_> = recipients.iter().map(|id| (*id, false)).collect();
    let written = world.write(move |tx| notifications::insert(tx, cause, &recipients));
    written.into_iter().map(|one| one.id).collect()
}

fn facts(world: &World, cause: Cause, recipients: &[AccountId]) -> Facts {
    world.read(|conn| notifications::facts(conn, cause, recipients)).unwrap()
}

fn suspend(world: &World, account: AccountId) {
    world.write(move |tx| {
        Ok(diesel::update(accounts::table)
            .filter(accounts::id.eq(account))
            .set(accounts::suspended_at.eq(NOW.unix_ms()))
            .execute(&mut **tx)?)
    });
}

fn participant(id: AccountId, domain: Option<&str>) -> Participant {
    Participant { id, domain: domain.map(str::to_owned) }
}

both_engines! {
    fn duplicates_are_skipped(database: &TestDatabase) {
        let world = World::on(database);
        let [alice, bob, carol] = ["alice", "bob", "carol"].map(|name| world.person(name));
        let status = world.status(alice, Visibility::Public, &[]);
        let favourite = Cause::new(bob, Favourite, Some(status));
        assert_eq!(insert(&world, favourite, &[alice, alice]).len(), 1);
        assert_eq!(insert(&world, favourite, &[alice, carol]).len(), 1);
        assert_eq!(insert(&world, favourite, &[alice]), []);
        assert_eq!(insert(&world, follow(bob), &[alice]).len(), 1);
        world.write(move |tx| notifications::withdraw(tx, favourite, alice));
        assert_eq!(insert(&world, favourite, &[carol, alice]).len(), 1);
        assert_eq!(insert(&world, favourite, &[]), []);
    }

    fn facts_contain_the_relations_towards_the_sender_and_the_participants(
        database: &TestDatabase
    ) {
        let world = World::on(database);
        let [sender, parent, named] = ["sender", "parent", "named"].map(|name| world.person(name));
        let (silent, far) = (world.person("silent"), world.remote("far"));
        let names = ["a", "b", "c", "d", "e", "f"];
        let recipients = names.map(|name| world.person(name));
        let [a, b, c, d, e, f] = recipients;
        let status = world.status(sender, Visibility::Public, &[named, silent, far]);
        world.write(move |tx| {
            diesel::update(mentions::table.filter(mentions::account_id.eq(silent)))
                .set(mentions::silent.eq(true))
                .execute(&mut **tx)?;
            diesel::update(statuses::table.find(status))
                .set(statuses::in_reply_to_account_id.eq(parent))
                .execute(&mut **tx)?;
            block_domain(tx, c, "far.test")?;
            block_domain(tx, c, "other.test")?;
            muted_conversations::add(tx, f, status)
        });
        for (follower, target) in [(a, sender), (b, parent)] {
            world.follow(follower, target);
        }
        for (blocking, target) in [(a, parent), (b, sender), (sender, c), (parent, d), (d, silent)] {
            world.block(blocking, target);
        }
        world.mute(d, sender, false, None);
        world.mute(e, named, true, Some(Timestamp::from_unix_ms(NOW.unix_ms() - 1)));
        world.mute(e, sender, true, Some(Timestamp::from_unix_ms(NOW.unix_ms() + 1)));
        suspend(&world, e);
        let asked = [recipients.as_slice(), &[far]].concat();
        let whole = world.read(|conn| relations_of_viewers(conn, &recipients));
        let participants = |cause| {
            let facts = facts(&world, cause, &asked);
            assert_eq!(facts.cause().sender.id, sender);
            assert!(facts.cause().sender.is_active());
            assert_eq!(facts.recipients.len(), recipients.len(), "only local accounts");
            for (recipient, (relations, state)) in &facts.recipients {
                let whole = &whole[recipient];
                for one in facts.cause().participants {
                    let domain = one.domain.as_deref();
                    assert_eq!(relations.blocks(one.id, domain), whole.blocks(one.id, domain));
                    assert_eq!(relations.mute(one.id, NOW), whole.mute(one.id, NOW));
                }
                assert_eq!(relations.follows(sender), whole.follows(sender));
                assert_eq!(relations.is_blocked_by(sender), whole.is_blocked_by(sender));
                let expected = RecipientFacts {
                    is_suspended: *recipient == e,
                    mutes_conversation: *recipient == f && cause.status.is_some(),
                    ..RecipientFacts::default()
                };
                assert_eq!(*state, expected);
            }
            let mut found = facts.cause().participants.to_vec();
            found.sort_unstable_by_key(|one| one.id);
            found
        };
        let everyone = [
            participant(sender, None),
            participant(parent, None),
            participant(named, None),
            participant(far, Some("far.test")),
        ];
        assert_eq!(participants(mention(sender, status)), everyone);
        let published = Cause { kind: Favourite, ..mention(sender, status) };
        assert_eq!(participants(published), everyone[..1]);
        assert_eq!(participants(follow(sender)), everyone[..1]);
        let unknown = follow(AccountId::new(1));
        assert_eq!(world.read(|conn| notifications::facts(conn, unknown, &[a])), None);
    }

    fn facts_are_found_by_index(database: &TestDatabase) {
        let cause = mention(AccountId::new(1), StatusId::new(2));
        let plans = plans(database, |conn| {
            notifications::facts(conn, cause, &[AccountId::new(3), AccountId::new(4)])
        });
        assert_eq!(plans.len(), 1);
        let scanned = |line: &&str| {
            let known = ["recipients", "concerned", "json_each", "SUBQUERY", "CONSTANT"];
            line.contains("Seq Scan")
                || line.trim_start().starts_with("SCAN ")
                    && !known.iter().any(|name| line.contains(name))
        };
        assert_eq!(plans[0].lines().filter(scanned).collect::<Vec<_>>(), [""; 0], "{}", plans[0]);
    }

    fn clearing_deletes_all_own_notifications_in_steps(database: &TestDatabase) {
        let world = World::on(database);
        let people = ["alice", "bob", "carol", "dave"].map(|name| world.person(name));
        let [alice, bob, ..] = people;
        for from in people {
            insert(&world, follow(from), &[alice, bob]);
        }
        let some = || world.write(move |tx| notifications::delete_some(tx, alice, 2));
        let count = |recipient: AccountId| {
            world.read(|conn| {
                let all = schema::table.filter(schema::account_id.eq(recipient));
                Ok(all.count().get_result::<i64>(conn)?)
            })
        };
        assert!(some());
        assert_eq!(count(alice), 2);
        assert!(some());
        assert_eq!((count(alice), count(bob)), (0, 4));
        assert!(!some());
    }
}
