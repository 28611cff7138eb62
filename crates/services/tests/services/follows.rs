//! Follows, and the lists of followers and followed accounts.

use std::sync::Arc;

use siskin_entities::{
    Cursor, NotificationKind, PageRequest, Protocol, Relationship, relationship::FollowOptions,
};
use siskin_ids::AccountId;
use siskin_persistence::Tx;
use siskin_services::{
    Error, Result,
    accounts::{self, Created, Direction, RemoteAccount, profile::Changes},
    relationships::{self, AcceptRequests, Suspended},
};
use siskin_test_support::{both_engines, builders};

use crate::world::World;

const THRESHOLD: u32 = 7500;

impl World {
    fn follow(&self, actor: &Created, target: &Created) -> Result<Relationship> {
        self.follow_with(actor, target, FollowOptions::default())
    }

    fn follow_with(
        &self,
        actor: &Created,
        target: &Created,
        options: FollowOptions,
    ) -> Result<Relationship> {
        let (actor, target) = (actor.id, target.id.to_string());
        self.write(move |tx| relationships::follow(tx, THRESHOLD, actor, &target, &options))
    }

    fn unfollow(&self, actor: &Created, target: &Created) -> Result<Relationship> {
        let (actor, target) = (actor.id, target.id.to_string());
        self.write(move |tx| relationships::unfollow(tx, actor, &target))
    }

    fn relationship(&self, viewer: &Created, other: &Created) -> Relationship {
        let ids = [other.id.to_string()];
        let all = self.read(|conn| {
            relationships::show(conn, viewer.id, &ids, Suspended::LeftOut, self.now())
        });
        all.into_iter().next().unwrap()
    }

    fn list(
        &self,
        owner: &Created,
        direction: Direction,
        viewer: Option<&Created>,
        cursor: Cursor,
        limit: i64,
    ) -> (Vec<String>, Option<i64>) {
        let (owner, viewer) = (owner.id.to_string(), viewer.map(|viewer| viewer.id));
        let request = PageRequest { cursor, limit };
        let page = self
            .read(|conn| accounts::follows(conn, &owner, direction, viewer, self.now(), request));
        let names = page.items.iter().map(|account| account.username.clone()).collect();
        (names, page.oldest.filter(|_| page.full))
    }

    fn names(
        &self,
        owner: &Created,
        direction: Direction,
        viewer: Option<&Created>,
    ) -> Vec<String> {
        self.list(owner, direction, viewer, Cursor::default(), 40).0
    }

    fn block(&self, from: &Created, target: &Created) {
        let (from, target) = (from.id, target.id);
        self.write(move |tx| Ok(builders::block(tx, from, target)?)).unwrap();
    }

    fn counts(&self, account: &Created) -> (i64, i64) {
        let account = self.account(account.id);
        (account.followers_count, account.following_count)
    }

    fn notifications(&self, recipient: &Created) -> Vec<(NotificationKind, AccountId)> {
        let recipient = recipient.id;
        self.write(move |tx| Ok(builders::notifications(tx, recipient)?)).unwrap()
    }
}

both_engines! {
    fn a_follow_is_established_at_once_and_counted_once(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        for _ in 0..2 {
            let ties = world.follow(&ann, &bob).unwrap();
            assert!(ties.following && ties.showing_reblogs && !ties.requested && !ties.notifying);
            assert_eq!(world.counts(&ann), (0, 1));
            assert_eq!(world.counts(&bob), (1, 0));
        }
        assert!(world.relationship(&bob, &ann).followed_by);
        assert_eq!(world.notifications(&bob), [(NotificationKind::Follow, ann.id)]);
        for _ in 0..2 {
            assert!(!world.unfollow(&ann, &bob).unwrap().following);
            assert_eq!((world.counts(&ann), world.counts(&bob)), ((0, 0), (0, 0)));
        }
        assert_eq!(world.notifications(&bob), []);
    }

    fn missing_follow_options_keep_their_value(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        let first = FollowOptions {
            reblogs: Some(false),
            notify: None,
            languages: Some(vec!["en".into(), "de".into()]),
        };
        world.follow_with(&ann, &bob, first).unwrap();
        let notify = FollowOptions { notify: Some(true), ..FollowOptions::default() };
        let ties = world.follow_with(&ann, &bob, notify).unwrap();
        assert!(!ties.showing_reblogs && ties.notifying);
        assert_eq!(ties.languages, Some(vec!["en".to_owned(), "de".to_owned()]));
        let all = FollowOptions { languages: Some(vec![]), ..FollowOptions::default() };
        assert_eq!(world.follow_with(&ann, &bob, all).unwrap().languages, None);
    }

    fn a_locked_account_gets_one_follow_request_and_notification(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        world.change(&bob, Changes { locked: Some(true), ..Changes::default() }).unwrap();
        let quiet = FollowOptions { reblogs: Some(false), ..FollowOptions::default() };
        for _ in 0..2 {
            let ties = world.follow_with(&ann, &bob, quiet.clone()).unwrap();
            assert!(ties.requested && !ties.following && !ties.showing_reblogs);
        }
        assert!(world.relationship(&bob, &ann).requested_by);
        assert_eq!(world.notifications(&bob), [(NotificationKind::FollowRequest, ann.id)]);
        assert_eq!(world.counts(&bob), (0, 0));
        assert!(!world.unfollow(&ann, &bob).unwrap().requested);
        assert_eq!(world.notifications(&bob), []);
        world.follow(&ann, &bob).unwrap();
        assert_eq!(world.notifications(&bob), [(NotificationKind::FollowRequest, ann.id)]);
    }

    fn unlocking_accepts_waiting_follow_requests(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        world.change(&bob, Changes { locked: Some(true), ..Changes::default() }).unwrap();
        let quiet = FollowOptions { reblogs: Some(false), ..FollowOptions::default() };
        world.follow_with(&ann, &bob, quiet).unwrap();
        world.change(&bob, Changes { locked: Some(false), ..Changes::default() }).unwrap();
        let ties = world.relationship(&ann, &bob);
        assert!(ties.following && !ties.requested && !ties.showing_reblogs);
        assert_eq!(world.notifications(&bob), [(NotificationKind::Follow, ann.id)]);
        assert_eq!(world.counts(&bob), (1, 0));
    }

    fn more_than_fifty_follow_requests_are_accepted_by_a_job(database: &TestDatabase) {
        let world = World::on(database);
        let bob = world.person("bob");
        world.change(&bob, Changes { locked: Some(true), ..Changes::default() }).unwrap();
        for number in 0..51 {
            let follower = world.member(&format!("fan{number}"));
            world.follow(&follower, &bob).unwrap();
        }
        world.change(&bob, Changes { locked: Some(false), ..Changes::default() }).unwrap();
        assert_eq!(world.counts(&bob), (50, 0));
        let job = AcceptRequests { account: bob.id };
        world.write(move |tx| relationships::accept_requests(tx, &job)).unwrap();
        assert_eq!(world.counts(&bob), (51, 0));
        assert!(world.notifications(&bob).iter().all(|(kind, _)| *kind == NotificationKind::Follow));
    }

    fn some_accounts_cannot_be_followed(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob, eve) = (world.person("ann"), world.person("bob"), world.person("eve"));
        assert!(matches!(world.follow(&ann, &ann), Err(Error::Forbidden(_))));
        world.block(&ann, &bob);
        assert!(matches!(world.follow(&ann, &bob), Err(Error::Forbidden(_))));
        assert!(matches!(world.follow(&bob, &ann), Err(Error::Forbidden(_))));
        let old = world.remote("old", Protocol::OStatus);
        assert!(matches!(world.follow(&ann, &old), Err(Error::Invalid(_))));
        let far = world.remote("far", Protocol::ActivityPub);
        assert!(world.follow(&ann, &far).unwrap().requested);
        let unknown = world.write(move |tx| {
            relationships::follow(tx, THRESHOLD, eve.id, "12345", &FollowOptions::default())
        });
        assert!(matches!(unknown, Err(Error::NotFound)));
    }

    fn follows_end_at_the_limit(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob, eve) = (world.person("ann"), world.person("bob"), world.person("eve"));
        let follow = |target: &Created| {
            let (actor, target) = (ann.id, target.id.to_string());
            let options = FollowOptions::default();
            world.write(move |tx| relationships::follow(tx, 1, actor, &target, &options))
        };
        follow(&bob).unwrap();
        follow(&bob).unwrap();
        assert!(matches!(follow(&eve), Err(Error::Invalid(_))));
    }

    fn fifty_simultaneous_follows_count_once(database: &TestDatabase) {
        let world = Arc::new(World::on(database));
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        let at_once = |act: fn(&World, &Created, &Created) -> Result<Relationship>| {
            let threads: Vec<_> = (0..50)
                .map(|_| {
                    let (world, ann, bob) = (world.clone(), ann.clone(), bob.clone());
                    std::thread::spawn(move || act(&world, &ann, &bob).unwrap())
                })
                .collect();
            for thread in threads {
                thread.join().unwrap();
            }
            (world.counts(&ann), world.counts(&bob), world.notifications(&bob).len())
        };
        assert_eq!(at_once(World::follow), ((0, 1), (1, 0), 1));
        assert_eq!(at_once(World::unfollow), ((0, 0), (0, 0), 0));
        world.follow(&ann, &bob).unwrap();
        assert_eq!(world.counts(&bob), (1, 0));
    }

    fn simultaneous_follows_and_unlocks_keep_counters_correct(database: &TestDatabase) {
        let world = Arc::new(World::on(database));
        let crowd: Vec<Created> =
            (0..6).map(|number| world.member(&format!("member{number}"))).collect();
        for locked in &crowd[..3] {
            world.change(locked, Changes { locked: Some(true), ..Changes::default() }).unwrap();
        }
        let threads: Vec<_> = crowd
            .iter()
            .map(|member| {
                let (world, member, crowd) = (Arc::clone(&world), member.clone(), crowd.clone());
                std::thread::spawn(move || {
                    for other in crowd.iter().filter(|other| other.id != member.id) {
                        world.follow(&member, other).unwrap();
                    }
                    let unlock = Changes { locked: Some(false), ..Changes::default() };
                    world.change(&member, unlock).unwrap();
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        for member in &crowd {
            assert_eq!(world.counts(member), (5, 5));
            let notifications = world.notifications(member);
            assert_eq!(notifications.len(), 5);
            assert!(notifications.iter().all(|(kind, _)| *kind == NotificationKind::Follow));
        }
    }

    fn follow_lists_go_from_the_newest_follow_to_the_oldest(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann");
        let others: Vec<Created> =
            ["p1", "p2", "p3", "p4", "p5"].into_iter().map(|name| world.person(name)).collect();
        for other in others.iter().rev() {
            world.follow(&ann, other).unwrap();
        }
        let mut cursor = Cursor::default();
        let mut walked = Vec::new();
        loop {
            let (names, next) = world.list(&ann, Direction::Following, None, cursor, 2);
            walked.extend(names);
            let Some(next) = next else { break };
            cursor.max = Some(next);
        }
        assert_eq!(walked, ["p1", "p2", "p3", "p4", "p5"]);
        assert_eq!(world.names(&others[0], Direction::Followers, None), ["ann"]);
    }

    fn follow_lists_hide_accounts_that_the_viewer_blocks(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob, cat) = (world.person("ann"), world.person("bob"), world.person("cat"));
        world.follow(&cat, &bob).unwrap();
        world.follow(&bob, &cat).unwrap();
        world.block(&ann, &cat);
        for direction in [Direction::Followers, Direction::Following] {
            assert_eq!(world.names(&bob, direction, Some(&ann)), [""; 0]);
            assert_eq!(world.names(&bob, direction, None), ["cat"]);
            assert_eq!(world.names(&bob, direction, Some(&bob)), ["cat"]);
        }
    }

    fn follow_lists_are_empty_for_blocked_viewers_and_if_hidden(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob, cat) = (world.person("ann"), world.person("bob"), world.person("cat"));
        world.follow(&bob, &ann).unwrap();
        world.block(&ann, &cat);
        assert_eq!(world.names(&ann, Direction::Followers, Some(&cat)), [""; 0]);
        assert_eq!(world.names(&ann, Direction::Followers, None), ["bob"]);
        world.change(&ann, Changes { hide_collections: Some(true), ..Changes::default() }).unwrap();
        assert_eq!(world.names(&ann, Direction::Followers, None), [""; 0]);
        assert_eq!(world.names(&ann, Direction::Followers, Some(&bob)), [""; 0]);
        assert_eq!(world.names(&ann, Direction::Followers, Some(&ann)), ["bob"]);
    }

    fn relationships_keep_the_requested_order_and_skip_unknown_ids(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob, cat) = (world.person("ann"), world.person("bob"), world.person("cat"));
        let ids = [cat.id.to_string(), "77".into(), "x".into(), bob.id.to_string(), cat.id.to_string()];
        let shown = world.read(|conn| {
            relationships::show(conn, ann.id, &ids, Suspended::LeftOut, world.now())
        });
        let shown: Vec<AccountId> = shown.iter().map(|relationship| relationship.id).collect();
        assert_eq!(shown, [cat.id, bob.id]);
    }
}

impl World {
    /// Creates an account without the slow password hashing.
    fn member(&self, username: &str) -> Created {
        let (username, base) = (username.to_owned(), self.instance.urls.base().to_owned());
        let add = move |tx: &mut Tx<'_>| Ok(builders::local_account(tx, &username, &base)?);
        self.account(self.write(add).unwrap())
    }

    fn remote(&self, username: &str, protocol: Protocol) -> Created {
        let (instance, username) = (self.instance.clone(), username.to_owned());
        let domain = "far.example".to_owned();
        let remote = RemoteAccount { id: None, username, domain, protocol };
        self.write(move |tx| accounts::create_remote(tx, &instance, &remote)).unwrap()
    }
}
