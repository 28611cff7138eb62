//! Notifications: recipients and visibility.

use std::{ops::Deref, time::Duration};

use siskin_entities::{
    AccountState, Cursor, Notification,
    NotificationKind::{self, Favourite, Follow, Mention},
    Page, PageRequest, Settings,
};
use siskin_ids::{AccountId, NotificationId, StatusId};
use siskin_persistence::{events, notifications::Cause};
use siskin_services::{
    Error,
    notifications::{self, Query},
    relationships::{self, MuteOptions},
    statuses::{self, Draft, SourceParams},
};
use siskin_test_support::{TestDatabase, both_engines, builders, standing};

use crate::world::World;

const SUSPENDED: AccountState = AccountState { suspended: true, silenced: false, reachable: true };
const SILENCED: AccountState = AccountState { suspended: false, silenced: true, reachable: true };

const fn follow(from: AccountId) -> Cause {
    Cause::new(from, Follow, None)
}

/// Returns the options of a mute.
const fn mute(notifications: bool, duration: Option<i64>) -> MuteOptions {
    MuteOptions { notifications: Some(notifications), duration }
}

/// Accounts that notify each other.
struct Scene(World);

impl Deref for Scene {
    type Target = World;

    fn deref(&self) -> &World {
        &self.0
    }
}

impl Scene {
    fn on(database: &TestDatabase) -> Self {
        Self(World::on(database))
    }

    /// Adds an active local account.
    fn local(&self, username: &'static str) -> AccountId {
        const BASE: &str = "http://siskin.test";
        self.write(move |tx| Ok(builders::local_account(tx, username, BASE)?)).unwrap()
    }

    fn block(&self, from: AccountId, target: AccountId) {
        self.write(move |tx| Ok(builders::block(tx, from, target)?)).unwrap();
    }

    fn mute(&self, from: AccountId, target: AccountId, options: MuteOptions) {
        let target = target.to_string();
        self.write(move |tx| relationships::mute(tx, from, &target, options)).unwrap();
    }

    fn set_state(&self, account: AccountId, state: AccountState) {
        self.write(move |tx| Ok(standing::set_state(tx, account, state)?)).unwrap();
    }

    fn post(&self, author: AccountId, text: &str, visibility: &str) -> StatusId {
        let draft = Draft {
            source: SourceParams::new(text),
            visibility: Some(visibility.to_owned()),
            ..Draft::default()
        };
        let prepared = statuses::prepare(&Settings::default(), draft).unwrap();
        let instance = self.instance.clone();
        self.write(move |tx| statuses::apply(tx, &instance, author, &prepared)).unwrap()
    }

    fn notify(&self, cause: Cause, recipients: &[AccountId]) {
        let recipients = recipients.to_vec();
        self.write(move |tx| notifications::create(tx, cause, &recipients)).unwrap();
    }

    /// Returns the kinds and senders of all notifications of an account, oldest first.
    fn stored(&self, recipient: AccountId) -> Vec<(NotificationKind, AccountId)> {
        self.write(move |tx| Ok(builders::notifications(tx, recipient)?)).unwrap()
    }

    fn page(&self, recipient: AccountId, query: &Query, limit: i64) -> Page<Notification> {
        let (now, request) = (self.now(), PageRequest::newest(limit));
        self.read(|conn| notifications::list(conn, recipient, query, now, request))
    }

    /// Returns the newest notifications of these kinds that the recipient sees; of all kinds if
    /// there are none.
    fn list(
        &self,
        recipient: AccountId,
        kinds: &[NotificationKind],
        limit: i64,
    ) -> Vec<NotificationId> {
        let types = kinds.iter().map(|kind| kind.as_str().to_owned()).collect();
        ids(&self.page(recipient, &Query { types, ..Query::default() }, limit))
    }

    fn count_events(&self) -> usize {
        self.write(|tx| Ok(events::assign_positions(tx, 1_000)?)).unwrap();
        self.read(|conn| Ok(events::since(conn, 0, 1_000)?.len()))
    }
}

fn ids(page: &Page<Notification>) -> Vec<NotificationId> {
    page.items.iter().map(|item| item.id).collect()
}

both_engines! {
    fn only_local_accounts_that_accept_it_get_a_notification(database: &TestDatabase) {
        let world = Scene::on(database);
        let bob = world.local("bob");
        let [alice, blocker, blocked, muter, posts_muter, muted, suspended] =
            ["alice", "blocks", "blocked", "mutes", "mutes_posts", "muted", "suspended"]
                .map(|name| world.local(name));
        world.block(blocker, bob);
        world.block(bob, blocked);
        world.mute(muted, bob, mute(true, Some(60)));
        world.pass(Duration::from_mins(1));
        world.mute(muter, bob, mute(true, None));
        world.mute(posts_muter, bob, mute(false, None));
        world.set_state(suspended, SUSPENDED);
        let far = world.write(|tx| Ok(standing::remote_account(tx, "far", "far.test")?)).unwrap();
        let recipients = [alice, blocker, blocked, muter, posts_muter, muted, suspended, far, bob];
        world.notify(follow(bob), &recipients);
        let expected = [1, 0, 0, 0, 1, 1, 0, 0, 0];
        assert_eq!(recipients.map(|recipient| world.stored(recipient).len()), expected);
        world.notify(follow(bob), &recipients);
        assert_eq!(recipients.map(|recipient| world.stored(recipient).len()), expected);
    }

    fn a_silenced_account_is_filtered_unless_followed(database: &TestDatabase) {
        let world = Scene::on(database);
        let [bob, follower, stranger] = ["bob", "follower", "stranger"].map(|name| world.local(name));
        world.write(move |tx| Ok(standing::follow(tx, follower, bob)?)).unwrap();
        world.set_state(bob, SILENCED);
        world.post(bob, "@follower @stranger hello", "public");
        assert_eq!(world.stored(follower), [(Mention, bob)]);
        assert_eq!(world.stored(stranger), [(Mention, bob)]);
        assert_eq!(world.list(follower, &[], 10).len(), 1);
        assert_eq!(world.list(stranger, &[], 10), []);
    }

    fn a_mention_beside_a_rejected_account_notifies_the_others(database: &TestDatabase) {
        let world = Scene::on(database);
        let [bob, alice, carol, dave] = ["bob", "alice", "carol", "dave"].map(|name| world.local(name));
        world.mute(alice, dave, mute(true, None));
        world.mute(carol, dave, mute(false, None));
        let status = world.post(bob, "@alice @carol @dave hello", "public");
        assert_eq!(world.stored(alice), []);
        assert_eq!(world.stored(carol), [(Mention, bob)]);
        assert_eq!(world.stored(dave), [(Mention, bob)]);
        let favourite = Cause::new(bob, Favourite, Some(status));
        world.write(move |tx| statuses::mute(tx, carol, status)).unwrap();
        world.notify(favourite, &[alice, carol]);
        assert_eq!(world.stored(alice), [(Favourite, bob)]);
        assert_eq!(world.stored(carol), [(Mention, bob)]);
    }

    fn many_recipients_take_as_many_statements_as_one(database: &TestDatabase) {
        let world = Scene::on(database);
        let bob = world.local("bob");
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
        let people = names.map(|name| world.local(name));
        let cost = |recipients: &[AccountId]| {
            world.statements(|_| world.notify(follow(bob), recipients))
        };
        let nothing = cost(&[]);
        // The facts, the rows, the subscriptions for push messages and the event.
        assert_eq!((cost(&people[..1]) - nothing, cost(&people[1..]) - nothing), (4, 4));
        assert!(people.iter().all(|one| world.stored(*one) == [(Follow, bob)]));
    }

    fn recipients_are_notified_in_chunks_with_one_event_each(database: &TestDatabase) {
        let world = Scene::on(database);
        let [alice, bob, carol] = ["alice", "bob", "carol"].map(|name| world.local(name));
        let unknown = (1..1_500).map(AccountId::new);
        let recipients: Vec<AccountId> =
            [carol].into_iter().chain(unknown).chain([alice]).collect();
        let before = world.count_events();
        world.notify(follow(bob), &recipients);
        assert_eq!(world.stored(alice), [(Follow, bob)]);
        assert_eq!(world.stored(carol), [(Follow, bob)]);
        assert_eq!(world.count_events() - before, 2);
    }

    fn a_page_is_filtered_before_it_is_cut(database: &TestDatabase) {
        let world = Scene::on(database);
        let [alice, bob, carol] = ["alice", "bob", "carol"].map(|name| world.local(name));
        for _ in 0..5 {
            world.post(bob, "@alice hello", "direct");
            let liked = world.post(alice, "hello", "private");
            let favourite = Cause::new(carol, Favourite, Some(liked));
            world.notify(favourite, &[alice]);
        }
        let every = world.list(alice, &[], 80);
        let mentions = world.list(alice, &[Mention], 80);
        assert_eq!((every.len(), mentions.len()), (10, 5));
        assert_eq!(world.list(alice, &[Mention], 3), mentions[..3]);
        let by_bob = Query { account: Some(bob.to_string()), ..Query::default() };
        assert_eq!(ids(&world.page(alice, &by_bob, 80)), mentions);
        assert_eq!(world.list(bob, &[], 80), []);
    }

    fn notifications_from_hidden_or_invisible_accounts_are_hidden(database: &TestDatabase) {
        let world = Scene::on(database);
        let alice = world.local("alice");
        let names = ["expired", "blocked", "muted", "posts_muted", "suspended", "blocking"];
        let everyone = names.map(|name| world.local(name));
        let [expired, blocked, muted, posts_muted, suspended, blocking] = everyone;
        for from in everyone {
            world.post(from, "@alice hello", "public");
        }
        let found = world.list(alice, &[], 80);
        assert_eq!(found.len(), 6);
        world.mute(alice, expired, mute(true, Some(60)));
        assert_eq!(world.list(alice, &[], 80), found[..5]);
        world.pass(Duration::from_mins(1));
        world.block(alice, blocked);
        world.block(blocking, alice);
        world.mute(alice, muted, mute(true, None));
        world.mute(alice, posts_muted, mute(false, None));
        world.set_state(suspended, SUSPENDED);
        let visible = world.list(alice, &[], 80);
        assert_eq!(visible, [found[2], found[5]]);
        let now = world.now();
        for id in found {
            let one = world.read(|conn| Ok(notifications::find(conn, alice, id, now).is_ok()));
            assert_eq!(one, visible.contains(&id));
            assert!(world.read(|conn| Ok(notifications::find(conn, blocked, id, now).is_err())));
        }
    }

    fn pages_skip_hidden_notifications(database: &TestDatabase) {
        let world = Scene::on(database);
        let [alice, bob, carol] = ["alice", "bob", "carol"].map(|name| world.local(name));
        for _ in 0..40 {
            world.post(bob, "@alice hello", "public");
        }
        let expected = world.list(alice, &[], 80);
        for _ in 0..100 {
            world.post(carol, "@alice hello", "public");
        }
        world.block(alice, carol);
        assert_eq!(world.list(alice, &[], 10), expected[..10]);
        let cursor = Cursor { min: Some(expected[39].get() - 1), ..Cursor::default() };
        let request = PageRequest { cursor, limit: 10 };
        let now = world.now();
        let page = world
            .read(|conn| notifications::list(conn, alice, &Query::default(), now, request));
        assert_eq!(ids(&page), expected[30..]);
    }

    fn a_page_takes_the_same_number_of_statements_at_any_length(database: &TestDatabase) {
        let world = Scene::on(database);
        let [alice, bob] = ["alice", "bob"].map(|name| world.local(name));
        world.write(move |tx| Ok(standing::follow(tx, alice, bob)?)).unwrap();
        for _ in 0..6 {
            let status = world.post(bob, "hello", "private");
            let published =
                Cause::new(bob, NotificationKind::Status, Some(status));
            world.notify(published, &[alice]);
        }
        let nothing = world.statements(|world| world.read(|_| Ok(())));
        let cost = |limit| {
            let cost = world.statements(|_| {
                let found = world.list(alice, &[], limit).len();
                assert_eq!(i64::try_from(found).unwrap(), limit);
            });
            cost - nothing
        };
        // The second time, the snapshots are cached: relations, notifications, senders, statuses.
        assert!(cost(6) > 4);
        assert_eq!((cost(6), cost(1)), (4, 4));
    }

    fn a_notification_is_dismissed_once(database: &TestDatabase) {
        let world = Scene::on(database);
        let [alice, bob] = ["alice", "bob"].map(|name| world.local(name));
        world.notify(follow(bob), &[alice]);
        let id = world.list(alice, &[], 80)[0];
        let dismiss =
            |who: AccountId| world.write(move |tx| notifications::dismiss(tx, who, id));
        assert!(matches!(dismiss(bob), Err(Error::NotFound)));
        assert!(dismiss(alice).is_ok());
        assert!(matches!(dismiss(alice), Err(Error::NotFound)));
        assert_eq!(world.list(alice, &[], 80), []);
    }
}
