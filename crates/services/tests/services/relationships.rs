//! Simultaneous identical actions take effect once and are counted once.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use siskin_entities::{
    Relationship,
    relationship::{Action, FollowOptions, Mute, Relations},
};
use siskin_ids::AccountId;
use siskin_persistence::{Tx, doctor, relationships as rows};
use siskin_services::{
    Result,
    accounts::Created,
    relationships::{self, MuteOptions, SeverFromServer},
};
use siskin_test_support::{both_engines, builders, standing};

use crate::world::World;

const AT_ONCE: usize = 50;

type Act = fn(&mut Tx<'_>, AccountId, &str) -> Result<Relationship>;

fn follow(tx: &mut Tx<'_>, actor: AccountId, target: &str) -> Result<Relationship> {
    relationships::follow(tx, 7500, actor, target, &FollowOptions::default())
}

fn mute(tx: &mut Tx<'_>, actor: AccountId, target: &str) -> Result<Relationship> {
    let options = MuteOptions { notifications: Some(false), duration: Some(60) };
    relationships::mute(tx, actor, target, options)
}

fn note(tx: &mut Tx<'_>, actor: AccountId, target: &str) -> Result<Relationship> {
    relationships::note(tx, actor, target, "Hm")
}

impl World {
    fn acts(self: &Arc<Self>, actor: &Created, target: &Created, act: Act) -> Relationship {
        let threads: Vec<_> = (0..AT_ONCE)
            .map(|_| {
                let (world, actor, target) = (Arc::clone(self), actor.id, target.id.to_string());
                thread::spawn(move || world.write(move |tx| act(tx, actor, &target)).unwrap())
            })
            .collect();
        let mut answers: Vec<_> =
            threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        answers.dedup();
        assert_eq!(answers.len(), 1, "all results must be equal");
        answers.remove(0)
    }

    fn relations_between(&self, actor: &Created, other: &Created) -> Relations {
        let (actor, other) = (actor.id, other.id);
        self.write(move |tx| Ok(rows::relations(tx, actor, other)?)).unwrap()
    }

    fn far(&self, username: &'static str) -> AccountId {
        let add = move |tx: &mut Tx<'_>| Ok(standing::remote_account(tx, username, "far.example")?);
        self.write(add).unwrap()
    }
}

both_engines! {
    fn fifty_identical_simultaneous_actions_take_effect_once(database: &TestDatabase) {
        let world = Arc::new(World::on(database));
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        let until = Some(world.now().after(Duration::from_secs(60)));
        let follow_action = Action::Follow {
            options: FollowOptions::default(),
            needs_approval: false,
        };
        let mut expected = Relations::default();
        for (act, action) in [
            (follow as Act, follow_action.clone()),
            (relationships::endorse, Action::Endorse),
            (mute, Action::Mute(Mute { notifications: false, until })),
            (note, Action::Note("Hm".to_owned())),
            (relationships::unendorse, Action::Unendorse),
            (relationships::endorse, Action::Endorse),
            (relationships::unmute, Action::Unmute),
            (relationships::unfollow, Action::Unfollow),
            (follow, follow_action),
            (relationships::endorse, Action::Endorse),
            (relationships::remove_follower, Action::RemoveFollower),
            (relationships::block, Action::Block),
            (relationships::unblock, Action::Unblock),
        ] {
            world.acts(&ann, &bob, act);
            expected = expected.after(&action);
            assert_eq!(world.relations_between(&ann, &bob), expected, "{action:?}");
            let follows = i64::from(expected.following.is_established());
            assert_eq!(world.account(ann.id).following_count, follows, "{action:?}");
            assert_eq!(world.account(bob.id).followers_count, follows, "{action:?}");
        }
        assert!(world.read(|conn| Ok(doctor::wrong_counters(conn)?)).is_empty());
    }

    fn simultaneous_blocks_and_follows_keep_counters_correct(database: &TestDatabase) {
        let world = Arc::new(World::on(database));
        let people: Vec<Created> =
            ["ann", "bob", "cat", "dan"].into_iter().map(|name| world.person(name)).collect();
        let threads: Vec<_> = (0..people.len())
            .map(|first| {
                let (world, people) = (Arc::clone(&world), people.clone());
                thread::spawn(move || {
                    for round in 0..24 {
                        let (actor, other) = (people[first].id, &people[(first + round % 3 + 1) % 4]);
                        let target = other.id.to_string();
                        let acts: [Act; 4] = [
                            follow,
                            relationships::block,
                            relationships::unblock,
                            relationships::remove_follower,
                        ];
                        let act = acts[(round + first) % acts.len()];
                        // A follow across a block is refused, which is expected here.
                        drop(world.write(move |tx| act(tx, actor, &target)));
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(world.read(|conn| Ok(doctor::wrong_counters(conn)?)).is_empty());
        for one in &people {
            for other in people.iter().filter(|other| other.id != one.id) {
                let relations = world.relations_between(one, other);
                assert!(!relations.blocking || relations.clone().after(&Action::BlockServer) == relations);
            }
        }
    }

    fn severing_from_a_server_stops_if_the_block_was_removed(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann");
        let far = world.far("zoe");
        let account = ann.id;
        world.write(move |tx| Ok(standing::follow(tx, far, account)?)).unwrap();
        let job = SeverFromServer { account, domain: "far.example".to_owned() };
        world.write(move |tx| relationships::sever_from_server(tx, &job)).unwrap();
        assert_eq!(world.account(account).followers_count, 1);
        let urls = world.instance.urls.clone();
        world.write(move |tx| relationships::block_domain(tx, &urls, account, "Far.Example")).unwrap();
        assert_eq!(world.account(account).followers_count, 0);
    }

    fn simultaneous_domain_blocks_do_not_deadlock(database: &TestDatabase) {
        let world = Arc::new(World::on(database));
        let mut crowd = Vec::new();
        for number in 0..8 {
            let (name, base) = (format!("m{number}"), world.instance.urls.base().to_owned());
            let add = move |tx: &mut Tx<'_>| Ok(builders::local_account(tx, &name, &base)?);
            crowd.push(world.write(add).unwrap());
        }
        let all = crowd.clone();
        world
            .write(move |tx| {
                for (at, one) in all.iter().enumerate() {
                    let domain = if at % 2 == 0 { "even.example" } else { "odd.example" };
                    standing::set_domain(tx, *one, domain)?;
                    for other in all.iter().filter(|other| *other != one) {
                        standing::follow(tx, *one, *other)?;
                    }
                }
                Ok(())
            })
            .unwrap();
        let attempts = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = crowd
            .iter()
            .map(|one| {
                let (world, one, attempts) = (Arc::clone(&world), *one, Arc::clone(&attempts));
                thread::spawn(move || {
                    for domain in ["even.example", "odd.example"] {
                        let (urls, attempts) = (world.instance.urls.clone(), attempts.clone());
                        let block = move |tx: &mut Tx<'_>| {
                            attempts.fetch_add(1, Ordering::Relaxed);
                            relationships::block_domain(tx, &urls, one, domain)
                        };
                        world.write(block).unwrap();
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        // A deadlock would have caused another attempt.
        assert_eq!(attempts.load(Ordering::Relaxed), 2 * crowd.len());
        for one in crowd {
            let account = world.account(one);
            assert_eq!((account.followers_count, account.following_count), (0, 0));
        }
        assert!(world.read(|conn| Ok(doctor::wrong_counters(conn)?)).is_empty());
    }
}
