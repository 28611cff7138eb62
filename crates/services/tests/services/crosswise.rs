//! Simultaneous actions of several users on each other must not deadlock. PostgreSQL would detect a
//! deadlock after a second and abort one transaction, which is then retried.

use std::{sync::Mutex, thread};

use rand::{Rng as _, SeedableRng as _, rngs::StdRng};
use siskin_entities::{Actor, Settings, relationship::FollowOptions};
use siskin_ids::{AccountId, RoleId, StatusId};
use siskin_persistence::roles as role_rows;
use siskin_services::{
    Error,
    accounts::{self, Decision},
    moderation::act::{self, Decider},
    relationships, roles,
    statuses::{self, Draft, SourceParams},
};
use siskin_test_support::both_engines;

use crate::world::World;

const PEOPLE: usize = 4;
const ACTIONS: usize = 60;

/// Published statuses, as targets for actions.
type Published = Mutex<Vec<(AccountId, StatusId)>>;

fn publish(world: &World, author: AccountId, published: &Published) {
    let draft = Draft { source: SourceParams::new("for all"), ..Draft::default() };
    let prepared = statuses::prepare(&Settings::default(), draft).unwrap();
    let instance = world.instance.clone();
    let made = world.write(move |tx| statuses::apply(tx, &instance, author, &prepared));
    published.lock().unwrap().push((author, made.unwrap()));
}

/// Runs a random action. It may fail, because its target may be gone.
fn random_action(
    world: &World,
    people: &[AccountId],
    who: AccountId,
    published: &Published,
    random: &mut StdRng,
) {
    let other = people[random.random_range(0..people.len())];
    let some = {
        let published = published.lock().unwrap();
        published[random.random_range(0..published.len())]
    };
    match random.random_range(0..6) {
        0 => publish(world, who, published),
        1 | 2 => {
            let (urls, new_reblog) = (
                world.instance.urls.clone(),
                statuses::prepare_reblog(some.1, None, None).unwrap(),
            );
            drop(world.write(move |tx| statuses::reblog(tx, &urls, who, &new_reblog)));
        }
        3 => drop(world.write(move |tx| statuses::delete(tx, some.0, some.1, false))),
        4 => drop(world.write(move |tx| statuses::unreblog(tx, who, some.1))),
        _ if other == who => publish(world, who, published),
        _ if random.random_bool(0.5) => {
            let (name, options) = (other.to_string(), FollowOptions::default());
            drop(world.write(move |tx| relationships::follow(tx, 7500, who, &name, &options)));
        }
        _ => {
            let name = other.to_string();
            drop(world.write(move |tx| relationships::unfollow(tx, who, &name)));
        }
    }
}

/// Makes a random decision of the operator about an owner. Only the last active owner may be refused.
fn random_decision(world: &World, owner: AccountId, random: &mut StdRng) {
    let result = match random.random_range(0..6) {
        0 => decide(world, owner, Decision::Suspended(true)),
        1 => decide(world, owner, Decision::Suspended(false)),
        2 => decide(world, owner, Decision::Disabled(true)),
        3 => decide(world, owner, Decision::Disabled(false)),
        4 => world.write(move |tx| roles::assign(tx, Actor::Operator, owner, None)),
        _ => world.write(move |tx| accounts::set_role(tx, owner, Some("Owner"))),
    };
    assert!(matches!(result, Ok(()) | Err(Error::Invalid(_))), "{result:?}");
}

fn decide(world: &World, owner: AccountId, decision: Decision) -> Result<(), Error> {
    world.write(move |tx| act::decide(tx, Decider::Operator, owner, decision).map(drop))
}

fn has_active_owner(world: &World) -> bool {
    world.read(|conn| {
        let role: Vec<RoleId> = role_rows::find_by_name(conn, "Owner")?.into_iter().collect();
        let owners = role_rows::role_holders(conn, &role)?;
        Ok(owners.iter().any(|owner| owner.can_sign_in))
    })
}

both_engines! {
    fn simultaneous_actions_do_not_deadlock(database: &TestDatabase) {
        {
            let world = World::on(database);
            let people: Vec<AccountId> =
                (0..PEOPLE).map(|number| world.person(&format!("p{number}")).id).collect();
            let published = Published::default();
            people.iter().for_each(|author| publish(&world, *author, &published));
            thread::scope(|scope| {
                for (number, who) in (0..).zip(&people) {
                    let (world, people, published) = (&world, &people, &published);
                    scope.spawn(move || {
                        let mut random = StdRng::seed_from_u64(number);
                        for _ in 0..ACTIONS {
                            random_action(world, people, *who, published, &mut random);
                        }
                    });
                }
            });
        }
        assert_eq!(database.deadlocks(), 0);
    }

    fn owners_who_leave_at_once_do_not_deadlock(database: &TestDatabase) {
        {
            let world = World::on(database);
            let owners: Vec<AccountId> =
                (0..PEOPLE).map(|number| world.person(&format!("p{number}")).id).collect();
            for owner in owners.iter().copied() {
                world.write(move |tx| accounts::set_role(tx, owner, Some("Owner"))).unwrap();
            }
            thread::scope(|scope| {
                for seed in 0..8 {
                    let (world, owners) = (&world, &owners);
                    scope.spawn(move || {
                        let mut random = StdRng::seed_from_u64(seed);
                        for _ in 0..ACTIONS {
                            let owner = owners[random.random_range(0..owners.len())];
                            random_decision(world, owner, &mut random);
                        }
                    });
                }
            });
            assert!(has_active_owner(&world));
        }
        assert_eq!(database.deadlocks(), 0);
    }
}
