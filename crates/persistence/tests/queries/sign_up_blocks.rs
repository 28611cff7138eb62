//! Blocks that keep people from signing up, and invites.

use std::{thread, time::Duration};

use siskin_entities::{IpBlock, IpBlockSeverity, Network, PageRequest, Timestamp};
use siskin_ids::{AccountId, CanonicalEmailBlockId, EmailDomainBlockId, InviteId, IpBlockId};
use siskin_persistence::{
    Error, accounts,
    invites::{self, NewInvite},
    sign_up_blocks::{
        canonical_emails, email_domains,
        ips::{self, NewIpBlock},
    },
};
use siskin_test_support::both_engines;

use crate::{
    plans::{plans, reads_all, sorts},
    world::{NOW, World},
};

const PAGE: PageRequest = PageRequest::newest(20);
const DAY: Duration = Duration::from_hours(24);

fn network(text: &str) -> Network {
    text.parse().unwrap()
}

impl World {
    fn block_ip(
        &self,
        text: &'static str,
        severity: IpBlockSeverity,
        expires_at: Option<Timestamp>,
    ) -> Option<IpBlock> {
        self.write(move |tx| {
            let comment = "Spam";
            ips::insert(tx, &NewIpBlock { network: network(text), severity, comment, expires_at })
        })
    }

    fn invite(&self, account: AccountId, code: &'static str, max_uses: Option<i64>) -> InviteId {
        self.write(move |tx| {
            let new = NewInvite {
                account,
                code,
                max_uses,
                expires_at: Some(NOW.after(DAY)),
                autofollow: true,
                comment: "",
            };
            Ok(invites::insert(tx, &new)?.id)
        })
    }
}

both_engines! {
    fn a_domain_is_blocked_once_with_its_history(database: &TestDatabase) {
        let world = World::on(database);
        let block = |domain| world.write(move |tx| email_domains::insert(tx, domain));
        assert!(!world.read(email_domains::any));
        let first = block("a.example").unwrap();
        assert!(world.read(email_domains::any));
        let second = block("b.example").unwrap();
        assert_eq!(block("a.example"), None);
        for source in ["x", "y", "x"] {
            world.write(move |tx| email_domains::record_use(tx, first, source));
        }
        world.write(move |tx| {
            email_domains::record_use(&mut tx.at(NOW.before(DAY)), first, "x")?;
            email_domains::record_use(&mut tx.at(NOW.before(DAY * 7)), first, "x")
        });
        let found = world.read(|conn| email_domains::find(conn, first, NOW)).unwrap();
        let history: Vec<_> = found.history.iter().map(|day| (day.accounts, day.uses)).collect();
        assert_eq!(history, [(2, 3), (1, 1), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0)]);
        let days: Vec<_> = found.history.iter().map(|day| day.day).collect();
        assert_eq!(days[0], NOW.midnight());
        assert!(days.windows(2).all(|pair| pair[0] == pair[1].after(DAY)));
        let listed = world.read(|conn| email_domains::list(conn, PAGE, NOW)).items;
        let ids: Vec<_> = listed.iter().map(|block| block.id).collect();
        assert_eq!(ids, [second, first]);
        assert_eq!(listed[1], found);
        let list = |limit| {
            let request = PageRequest::newest(limit);
            world.statements(|world| world.read(|conn| email_domains::list(conn, request, NOW)))
        };
        assert_eq!(list(1), list(2));
        let of = |domains: &[&str]| world.read(|conn| email_domains::of_domains(conn, domains));
        assert_eq!(of(&["b.example", "a.example", "example"]), [first, second]);
        assert_eq!(of(&["c.a.example"]), []);
        assert!(world.write(move |tx| email_domains::delete(tx, first)));
        assert!(!world.write(move |tx| email_domains::delete(tx, first)));
        assert_eq!(world.read(|conn| email_domains::find(conn, first, NOW)), None);
        assert!(block("a.example").is_some());
    }

    fn an_email_hash_is_blocked_once(database: &TestDatabase) {
        let world = World::on(database);
        let block = |hash| world.write(move |tx| canonical_emails::insert(tx, hash));
        let first = block("aa").unwrap();
        let second = block("bb").unwrap();
        assert_eq!(block("aa"), None);
        assert_eq!(world.read(|conn| canonical_emails::of_hash(conn, "aa")), Some(first.clone()));
        assert_eq!(world.read(|conn| canonical_emails::of_hash(conn, "cc")), None);
        let id = first.id;
        assert_eq!(world.read(|conn| canonical_emails::find(conn, id)), Some(first.clone()));
        let listed = world.read(|conn| canonical_emails::list(conn, PAGE)).items;
        assert_eq!(listed, [second, first]);
        assert!(world.write(move |tx| canonical_emails::delete(tx, id)));
        assert!(!world.write(move |tx| canonical_emails::delete(tx, id)));
    }

    fn a_network_has_one_block_until_it_expires(database: &TestDatabase) {
        let world = World::on(database);
        let past = Some(Timestamp::from_unix_ms(0));
        let severity = IpBlockSeverity::NoAccess;
        let expired = world.block_ip("192.0.2.0/24", severity, past).unwrap();
        let active = world.block_ip("192.0.2.9/24", severity, None).unwrap();
        assert_eq!(world.read(|conn| ips::find(conn, expired.id)), None);
        assert_eq!(world.block_ip("192.0.2.0/24", severity, None), None);
        let other = world.block_ip("192.0.2.9", IpBlockSeverity::SignUpBlock, None).unwrap();
        let address = "192.0.2.9".parse().unwrap();
        let mut found = world.read(|conn| ips::of_networks(conn, Network::containing(address)));
        found.sort_by_key(|block| block.id);
        assert_eq!(found, [active.clone(), other.clone()]);
        let without_access = world.read(ips::without_access);
        assert_eq!(without_access, [(network("192.0.2.0/24"), None)]);
        assert_eq!(world.read(|conn| ips::list(conn, PAGE)).items, [other.clone(), active.clone()]);
        let (id, same) = (active.id, IpBlock { network: other.network, ..active.clone() });
        assert_eq!(world.write(move |tx| ips::lock(tx, id)), Some(active.clone()));
        let taken = world.try_write(move |tx| ips::update(tx, &same));
        assert!(matches!(taken, Err(Error::Duplicate)), "{taken:?}");
        let changed = IpBlock {
            network: network("2001:db8::/32"),
            severity: IpBlockSeverity::SignUpRequiresApproval,
            comment: "Changed".to_owned(),
            expires_at: Some(NOW),
            ..active
        };
        let update = changed.clone();
        world.write(move |tx| ips::update(tx, &update));
        assert_eq!(world.read(|conn| ips::find(conn, id)), Some(changed));
        assert!(world.write(move |tx| ips::delete(tx, id)));
        assert!(!world.write(move |tx| ips::delete(tx, id)));
    }

    fn parallel_uses_never_exceed_the_limit_of_an_invite(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann");
        let (limited, unlimited) =
            (world.invite(ann, "limited", Some(3)), world.invite(ann, "unlimited", None));
        let take = |id| world.write(move |tx| invites::take(tx, id));
        let taken: usize = thread::scope(|scope| {
            let threads: Vec<_> = (0..20).map(|_| scope.spawn(|| take(limited))).collect();
            threads.into_iter().map(|it| usize::from(it.join().unwrap())).sum()
        });
        assert_eq!(taken, 3);
        assert!(take(unlimited) && take(unlimited));
        let found = world.read(|conn| invites::of_code(conn, "limited")).unwrap();
        assert_eq!((found.uses, found.max_uses, found.account), (3, Some(3), ann));
        assert_eq!(world.read(|conn| invites::of_code(conn, "LIMITED")), None);
        let late = world.write(move |tx| invites::take(&mut tx.at(NOW.after(DAY)), unlimited));
        assert!(!late, "an expired invite was used");
        assert_eq!(world.read(|conn| invites::count(conn, ann)), 2);
        assert!(world.write(move |tx| invites::delete(tx, limited)));
        assert!(!take(limited));
        let listed = world.read(|conn| invites::list(conn, Some(ann), PAGE)).items;
        assert_eq!(listed.iter().map(|invite| invite.id).collect::<Vec<_>>(), [unlimited]);
        assert_eq!(world.read(|conn| invites::list(conn, None, PAGE)).items, listed);
    }

    fn an_inviter_is_followed_once(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        let follow = || world.write(move |tx| invites::take_inviter_to_follow(tx, bob));
        assert_eq!(follow(), None);
        world.write(move |tx| invites::set_inviter(tx, bob, ann, false));
        assert_eq!(follow(), None);
        world.write(move |tx| invites::set_inviter(tx, bob, ann, true));
        assert_eq!((follow(), follow()), (Some(ann), None));
    }

    fn invites_are_deleted_with_their_account(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann");
        world.invite(ann, "code", None);
        while !world.write(move |tx| accounts::remove_some(tx, ann)) {}
        assert_eq!(world.read(|conn| invites::of_code(conn, "code")), None);
    }

    fn sign_ups_and_lists_of_blocks_use_indexes(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann");
        let address = "2001:db8::1".parse().unwrap();
        let plans = plans(database, |conn| {
            email_domains::any(conn)?;
            email_domains::of_domains(conn, ["a.example", "example"])?;
            email_domains::find(conn, EmailDomainBlockId::new(1), NOW)?;
            email_domains::list(conn, PAGE, NOW)?;
            canonical_emails::of_hash(conn, "aa")?;
            canonical_emails::find(conn, CanonicalEmailBlockId::new(1))?;
            canonical_emails::list(conn, PAGE)?;
            ips::of_networks(conn, Network::containing(address))?;
            ips::without_access(conn)?;
            ips::find(conn, IpBlockId::new(1))?;
            ips::list(conn, PAGE)?;
            invites::of_code(conn, "x")?;
            invites::find(conn, InviteId::new(1))?;
            invites::list(conn, Some(ann), PAGE)?;
            invites::list(conn, None, PAGE)?;
            invites::count(conn, ann)
        });
        for plan in plans {
            assert!(!reads_all(&plan) && !sorts(&plan), "{plan}");
        }
    }
}
