//! Push subscriptions: which ones a notification may concern, and when they end.

use siskin_entities::{
    EmailTopic, NotificationKind, NotificationType, PushAlerts, PushPolicy, PushSubscription,
};
use siskin_ids::{AccountId, NotificationId, PushSubscriptionId, TokenId};
use siskin_persistence::{
    Error, Result, Tx, emails,
    notifications::{self, Cause},
    push::{self, NewPushSubscription},
    tokens::{self, NewToken},
};
use siskin_policy::push::SenderFacts;
use siskin_test_support::both_engines;

use crate::world::World;

impl World {
    /// Inserts a token of an account.
    fn token(&self, account: AccountId, hash: &'static str) -> TokenId {
        self.write(move |tx| {
            let new = NewToken { hash, application: None, account: Some(account), scopes: "push" };
            tokens::insert(tx, &new)
        })
    }

    /// Subscribes a token to these types.
    fn subscribe(
        &self,
        account: AccountId,
        token: TokenId,
        alerts: &[NotificationType],
        policy: PushPolicy,
    ) -> PushSubscriptionId {
        let alerts: PushAlerts = alerts.iter().copied().collect();
        self.write(move |tx| Ok(subscribe(tx, account, token, &alerts, policy)?.id))
    }

    /// Notifies accounts that `from` followed them.
    fn notify(&self, from: AccountId, recipients: &[AccountId]) -> Vec<NotificationId> {
        let recipients: Vec<_> = recipients.iter().map(|id| (*id, false)).collect();
        let cause = Cause::new(from, NotificationKind::Follow, None);
        let mut written = self.write(move |tx| notifications::insert(tx, cause, &recipients));
        written.sort_unstable_by_key(|one| (one.recipient, one.id));
        written.into_iter().map(|one| one.id).collect()
    }
}

fn subscribe(
    tx: &mut Tx<'_>,
    account: AccountId,
    token: TokenId,
    alerts: &PushAlerts,
    policy: PushPolicy,
) -> Result<PushSubscription> {
    let new = NewPushSubscription {
        token,
        account,
        endpoint: "https://push.example/1",
        p256dh: "key",
        auth: "secret",
        standard: true,
        policy,
        alerts,
        sealed_token: "sealed",
    };
    push::replace(tx, &new)
}

const FOLLOW: &[NotificationType] = &[NotificationType::Follow];

both_engines! {
    fn a_token_has_one_subscription_at_a_time(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann");
        let (token, other) = (world.token(ann, "a"), world.token(ann, "b"));
        assert_eq!(world.read(|conn| push::find(conn, token)), None);
        let first = world.subscribe(ann, token, FOLLOW, PushPolicy::All);
        let kept = world.subscribe(ann, other, FOLLOW, PushPolicy::All);
        let every = NotificationType::ALL;
        let second = world.subscribe(ann, token, &every, PushPolicy::Follower);
        assert_eq!(world.read(|conn| push::recipients(conn, &[first])), []);
        let found = world.read(|conn| push::find(conn, token)).unwrap();
        assert_eq!((found.id, found.policy), (second, PushPolicy::Follower));
        assert_eq!(found.alerts, every.into_iter().collect());
        assert_eq!(world.read(|conn| push::find(conn, other)).unwrap().id, kept);
        world.write(move |tx| push::delete_of_token(tx, token));
        world.write(move |tx| push::delete(tx, kept));
        for token in [token, other] {
            assert_eq!(world.read(|conn| push::find(conn, token)), None);
        }
    }

    fn alerts_and_policy_change_separately(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann");
        let (token, other) = (world.token(ann, "a"), world.token(ann, "b"));
        for token in [token, other] {
            world.subscribe(ann, token, FOLLOW, PushPolicy::All);
        }
        let read = |token| {
            let found = world.read(|conn| push::find(conn, token)).unwrap();
            (found.alerts.into_iter().collect::<Vec<_>>(), found.policy)
        };
        world.write(move |tx| push::change(tx, token, None, Some(PushPolicy::None)));
        assert_eq!(read(token), (FOLLOW.to_vec(), PushPolicy::None));
        world.write(move |tx| push::change(tx, token, Some(&PushAlerts::new()), None));
        assert_eq!(read(token), (Vec::new(), PushPolicy::None));
        assert_eq!(read(other), (FOLLOW.to_vec(), PushPolicy::All));
    }

    fn a_subscription_is_deleted_with_its_token(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann");
        let token = world.token(ann, "a");
        let id = world.subscribe(ann, token, FOLLOW, PushPolicy::All);
        let recipient = world.read(|conn| push::recipients(conn, &[id])).pop().unwrap();
        assert_eq!((recipient.token, recipient.owner.account), (token, ann));
        assert!(world.write(move |tx| tokens::delete(tx, token)));
        assert_eq!(world.read(|conn| push::recipients(conn, &[id])), []);
        let late = world.try_write(move |tx| {
            subscribe(tx, ann, token, &PushAlerts::new(), PushPolicy::All)
        });
        assert!(matches!(late, Err(Error::NotFound)));
    }

    fn subscribers_want_the_type_and_have_a_policy(database: &TestDatabase) {
        let world = World::on(database);
        let people = ["ann", "bob", "cat", "dan", "eve"].map(|name| world.person(name));
        let [ann, bob, cat, dan, _] = people;
        for (account, hash, alerts, policy) in [
            (ann, "a", FOLLOW, PushPolicy::All),
            (ann, "b", FOLLOW, PushPolicy::Followed),
            (bob, "c", FOLLOW, PushPolicy::None),
            (cat, "d", &[NotificationType::FollowRequest][..], PushPolicy::All),
            (dan, "e", &NotificationType::ALL[..], PushPolicy::Follower),
        ] {
            let token = world.token(account, hash);
            world.subscribe(account, token, alerts, policy);
        }
        let subscribers = |kind, people: &[AccountId]| {
            let mut found = world.read(|conn| notifications::channels(conn, kind, people));
            found.pushed.sort_unstable();
            assert_eq!(found.mailed, []);
            found.pushed
        };
        assert_eq!(subscribers(NotificationKind::Follow, &people), [ann, dan]);
        assert_eq!(subscribers(NotificationKind::FollowRequest, &people), [cat, dan]);
        assert_eq!(subscribers(NotificationKind::Poll, &people), [dan]);
        assert_eq!(subscribers(NotificationKind::Poll, &people[..3]), []);
        assert_eq!(subscribers(NotificationKind::Poll, &[]), []);
    }

    fn emails_are_for_those_who_chose_the_topic(database: &TestDatabase) {
        let world = World::on(database);
        let [ann, bob, cat] = ["ann", "bob", "cat"].map(|name| world.person(name));
        let topics = |account, topics: &'static [EmailTopic]| {
            world.write(move |tx| emails::set_topics(tx, account, topics));
        };
        topics(ann, &[EmailTopic::Notifications(NotificationKind::Follow), EmailTopic::Digest]);
        topics(bob, &[EmailTopic::Notifications(NotificationKind::Poll)]);
        let mailed = |kind| world.read(|conn| notifications::channels(conn, kind, &[ann, bob, cat])).mailed;
        assert_eq!(mailed(NotificationKind::Follow), [ann]);
        assert_eq!(mailed(NotificationKind::Poll), [bob]);
        assert_eq!(mailed(NotificationKind::Mention), []);
        // Only the first of several notifications begins a wait.
        let wait = |first| world.write(move |tx| emails::wait(tx, &[ann, bob], NotificationId::new(first), NotificationId::new(first - 9)));
        assert_eq!(wait(5).len(), 2);
        assert_eq!(wait(6), []);
        assert_eq!(world.read(|conn| emails::waiting(conn, ann)), Some(NotificationId::new(5)));
        world.write(move |tx| emails::finish(tx, ann));
        assert_eq!(wait(7), [ann]);
        // The job of the other one failed for good.
        assert_eq!(wait(15), [bob]);
    }

    fn candidates_have_the_relations_to_the_sender(database: &TestDatabase) {
        let world = World::on(database);
        let [ann, bob, cat, zoe] = ["ann", "bob", "cat", "zoe"].map(|name| world.person(name));
        world.follow(ann, zoe);
        world.follow(zoe, bob);
        for (account, hash) in [(ann, "a"), (bob, "b"), (cat, "c"), (zoe, "z")] {
            let token = world.token(account, hash);
            world.subscribe(account, token, FOLLOW, PushPolicy::All);
        }
        let notified = world.notify(zoe, &[ann, bob, cat, zoe]);
        let found = world.read(|conn| push::candidates(conn, &notified, None, 10));
        let facts: Vec<_> = found.iter().map(|one| (one.recipient, one.sender)).collect();
        let none = SenderFacts::default();
        let mut expected = vec![
            (ann, SenderFacts { is_followed: true, ..none }),
            (bob, SenderFacts { is_follower: true, ..none }),
            (cat, none),
            (zoe, SenderFacts { is_recipient: true, ..none }),
        ];
        // Ordered by notification.
        expected.sort_by_key(|(account, _)| facts.iter().position(|(one, _)| one == account));
        assert_eq!(facts, expected);
        assert!(found.iter().all(|one| one.kind == NotificationType::Follow));
        assert!(found.iter().all(|one| one.endpoint == "https://push.example/1"));
    }

    fn candidates_are_read_in_steps(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob, zoe) = (world.person("ann"), world.person("bob"), world.person("zoe"));
        for (account, hashes) in [(ann, ["a", "b", "c"]), (bob, ["d", "e", "f"])] {
            for hash in hashes {
                let token = world.token(account, hash);
                world.subscribe(account, token, FOLLOW, PushPolicy::All);
            }
        }
        let notified = world.notify(zoe, &[ann, bob]);
        let pairs = |notified: &[NotificationId], after, limit| {
            let found = world.read(|conn| push::candidates(conn, notified, after, limit));
            found.iter().map(|one| (one.notification, one.subscription)).collect::<Vec<_>>()
        };
        let all = pairs(&notified, None, 10);
        assert_eq!(all.len(), 6);
        assert!(all.is_sorted());
        let mut steps = pairs(&notified, None, 2);
        while let Some((notification, subscription)) = steps.last().copied() {
            let left: Vec<_> = notified.iter().copied().filter(|id| *id >= notification).collect();
            let next = pairs(&left, Some(subscription), 2);
            if next.is_empty() {
                break;
            }
            steps.extend(next);
        }
        assert_eq!(steps, all);
        assert_eq!(pairs(&[], None, 10), []);
    }
}
